//! The VO's network as the API carries it: how long data takes within and between sites.

use super::setting::span;
use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::number::Num;
use crate::scenario::present_object;
use serde::{Deserialize, Serialize};
use walras_model::{Bandwidth, Link, Network};

/// How fast data moves between the tasks of workflows; data that stays on its node takes no time. What moves really took counts where it is
/// slower.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Network")]
pub struct NetworkFile {
    /// Between nodes of one site.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "LinkFile")]
    pub within_site: Option<LinkFile>,
    /// Between sites.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "LinkFile")]
    pub between_sites: Option<LinkFile>,
}

/// A link: data takes the latency, and its volume over the bandwidth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Link")]
pub struct LinkFile {
    /// In megabytes per second; 0 where the volume takes no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Num>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Num>,
}

impl NetworkFile {
    pub(super) fn change(&self, network: &mut Network) -> Result<(), Problem> {
        let links = [
            (&self.within_site, &mut network.within_site, "within_site"),
            (&self.between_sites, &mut network.between_sites, "between_sites"),
        ];
        for (file, link, key) in links {
            file.as_ref().map_or(Ok(()), |file| file.change(link)).in_field(key)?;
        }
        Ok(())
    }

    pub(super) fn of(network: &Network) -> NetworkFile {
        let file = |link: &Link| LinkFile {
            bandwidth: Some(Num::from_units(
                link.bandwidth.map_or(0, Bandwidth::as_bytes_per_second).into(),
                6,
            )),
            latency: Some(Num::of_span(link.latency)),
        };
        NetworkFile {
            within_site: Some(file(&network.within_site)),
            between_sites: Some(file(&network.between_sites)),
        }
    }
}

impl LinkFile {
    fn change(&self, link: &mut Link) -> Result<(), Problem> {
        span(&mut link.latency, self.latency.as_ref(), "latency")?;
        let Some(number) = &self.bandwidth else { return Ok(()) };
        let what = "is not a bandwidth: expected megabytes per second, 0 or more, to the byte";
        let wrong = || Problem::new(number.as_str(), what);
        let bytes = number.units(6).filter(|bytes| *bytes >= 0).ok_or_else(wrong).in_field("bandwidth")?;
        link.bandwidth = Bandwidth::from_bytes_per_second(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::service::PolicyFile;
    use walras_broker::policy::Policy;
    use walras_model::{Data, Network};

    #[test]
    fn a_link_is_set_and_read_back() {
        let text = r#"{"network": {"between_sites": {"bandwidth": 12.5, "latency": 0.05}}}"#;
        let file: PolicyFile = serde_json::from_str(text).unwrap();
        let policy = file.apply(&Policy::default(), "p").unwrap();
        assert_eq!(policy.network.within_site, Network::INSTANT.within_site);
        let data = Data::from_bytes(100_000_000_000).unwrap();
        assert_eq!(policy.network.between_sites.time_for(data).unwrap().as_millis(), 8_000_050);
        assert_eq!(PolicyFile::of(&policy).apply(&Policy::default(), "p").unwrap(), policy);
        let instant = r#"{"network": {"between_sites": {"bandwidth": 0, "latency": 0}}}"#;
        let file: PolicyFile = serde_json::from_str(instant).unwrap();
        assert_eq!(file.apply(&policy, "p").unwrap().network, Network::INSTANT);
    }

    #[test]
    fn what_is_no_link_is_refused() {
        for (wrong, at) in [
            (r#"{"within_site": {"bandwidth": -1}}"#, "network.within_site.bandwidth"),
            (r#"{"between_sites": {"latency": -1}}"#, "network.between_sites.latency"),
            (r#"{"between_sites": {"bandwidth": 0.0000001}}"#, "network.between_sites.bandwidth"),
        ] {
            let file: PolicyFile = serde_json::from_str(&format!(r#"{{"network": {wrong}}}"#)).unwrap();
            let error = file.apply(&Policy::default(), "p").unwrap_err();
            assert_eq!(error.path, at, "{error}");
        }
        assert!(serde_json::from_str::<PolicyFile>(r#"{"network": {"speed": 1}}"#).is_err());
    }
}
