//! The nodes that a workflow is planned on: those of a scenario, or those of a short word.

use crate::failure::Failure;
use crate::files;
use std::path::Path;
use walras_api::{Syntax, Unit};
use walras_model::quantity::TIME_LIMIT;
use walras_model::{
    Attributes, Bandwidth, Decimal, Interval, Link, Network, Node, NodeId, Offers, Performance, Platform,
    Rate, Site, SiteId, Slot, Span, Time, Workflow,
};

/// Words may ask for at most so many nodes.
const NODES_MAX: u32 = 10_000;

#[derive(clap::Args)]
pub(crate) struct NetworkArgs {
    /// How fast data moves between nodes of a site, in megabytes per second
    #[arg(long, value_name = "MB/S", default_value = "125")]
    bandwidth: String,

    /// How long data takes at least between nodes of a site, in seconds
    #[arg(long, value_name = "S", default_value = "0")]
    latency: String,

    /// How fast data moves between sites, in megabytes per second
    #[arg(long, value_name = "MB/S", default_value = "12.5")]
    site_bandwidth: String,

    /// How long data takes at least between sites, in seconds
    #[arg(long, value_name = "S", default_value = "0.05")]
    site_latency: String,
}

impl NetworkArgs {
    pub(crate) fn network(&self) -> Result<Network, Failure> {
        let link = |speed: (&str, &str), latency: (&str, &str)| {
            let bytes = millionths(speed.1).and_then(Bandwidth::from_bytes_per_second);
            let span = Unit::Seconds.span_from_text(latency.1);
            let wrong = |(option, text): (&str, &str), what: &str| {
                Failure::Input(format!("{option}: '{text}' is not {what}"))
            };
            Ok(Link {
                latency: span.ok_or_else(|| wrong(latency, "a number of seconds, not negative"))?,
                bandwidth: Some(
                    bytes.ok_or_else(|| wrong(speed, "a number of megabytes per second greater than 0"))?,
                ),
            })
        };
        Ok(Network {
            within_site: link(("--bandwidth", &self.bandwidth), ("--latency", &self.latency))?,
            between_sites: link(
                ("--site-bandwidth", &self.site_bandwidth),
                ("--site-latency", &self.site_latency),
            )?,
        })
    }
}

/// Nodes with free time, as offers and as a platform.
pub(crate) struct Nodes {
    pub(crate) offers: Offers,
    pub(crate) platform: Platform,
    pub(crate) unit: Unit,
}

/// Reads `--nodes`; those that are made up are free until the deadline at least.
pub(crate) fn read(
    spec: &str,
    workflow: &Workflow,
    network: Network,
    deadline: impl FnOnce() -> Option<Time>,
) -> Result<Nodes, Failure> {
    let path = Path::new(spec);
    let (offers, unit) = if Syntax::of_path(path).is_ok() {
        let scenario = files::read_scenario_file(path)?;
        (scenario.offers, scenario.unit)
    } else {
        (offers(spec, workflow, &network, deadline())?, Unit::Seconds)
    };
    Ok(Nodes { platform: Platform::of_offers(&offers, network), offers, unit })
}

/// Offers of nodes that are free for as long as the workflow could take at worst, and until its deadline.
fn offers(
    spec: &str,
    workflow: &Workflow,
    network: &Network,
    deadline: Option<Time>,
) -> Result<Offers, Failure> {
    let wrong = |what: String| Failure::Input(format!("--nodes: '{spec}' {what}"));
    let (mut sites, mut nodes, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for (site, groups) in (0_u32..).zip(spec.split('/')) {
        sites.push(Site { name: format!("site{}", site + 1) });
        for word in groups.split(',') {
            let Group { count, performance, rate } = group(word).ok_or_else(|| {
                wrong(format!(
                    "is not a list of nodes: '{word}' must be COUNT[xPERFORMANCE][@PRICE], such as 8 or 4x2.5@3, or \
                     SPEC a scenario file that ends in .yaml, .yml or .json"
                ))
            })?;
            for _ in 0..count {
                let name = format!("n{}", nodes.len() + 1);
                let attributes = Attributes::new();
                nodes.push(Node {
                    division: Default::default(),
                    name,
                    site: SiteId::new(site),
                    performance,
                    watts: None,
                    attributes,
                });
                rates.push(rate);
            }
            if nodes.len() > NODES_MAX as usize {
                return Err(wrong(format!("asks for more than {NODES_MAX} nodes")));
            }
        }
    }
    let horizon = horizon(workflow, &nodes, network)
        .ok_or_else(|| wrong("would take longer than is counted".into()))?;
    let later = deadline.and_then(|deadline| Interval::new(horizon.start(), deadline.max(horizon.end())));
    let horizon = later.unwrap_or(horizon);
    let slots: Option<Vec<Slot>> =
        (0..).zip(&rates).map(|(node, rate)| Slot::new(NodeId::new(node), horizon, *rate)).collect();
    let too_dear = || wrong("has too high a price".into());
    Offers::new(horizon, sites, nodes, slots.ok_or_else(too_dear)?).map_err(|_| too_dear())
}

/// Nodes of one kind.
struct Group {
    count: u32,
    performance: Performance,
    rate: Rate,
}

fn group(word: &str) -> Option<Group> {
    let (word, price) = word.split_once('@').unwrap_or((word, "1"));
    let (count, performance) = word.split_once('x').unwrap_or((word, "1"));
    Some(Group {
        count: count.parse().ok().filter(|count| (1..=NODES_MAX).contains(count))?,
        performance: Performance::from_millionths(millionths(performance)?)?,
        rate: Rate::from_micros_per_second(millionths(price)?)?,
    })
}

/// All tasks one after the other on the slowest node, with every transfer; `None` beyond the range of time.
fn horizon(workflow: &Workflow, nodes: &[Node], network: &Network) -> Option<Interval> {
    let slowest = nodes.iter().map(|node| node.performance).min()?;
    let mut millis: i64 = 1;
    for task in workflow.tasks() {
        let own = task.work.map_or(Some(Span::ZERO), |work| work.runtime_on(slowest))?;
        let longest = task.estimates.values().copied().max().unwrap_or(Span::ZERO).max(own);
        millis = millis.checked_add(longest.as_millis())?;
    }
    for edge in workflow.edges() {
        let longest =
            network.within_site.time_for(edge.data)?.max(network.between_sites.time_for(edge.data)?);
        millis = millis.checked_add(longest.as_millis())?;
    }
    Interval::new(Time::from_millis(0)?, Time::from_millis(millis.min(TIME_LIMIT))?)
}

/// A plain decimal in millionths.
fn millionths(text: &str) -> Option<i64> {
    Decimal::plain(text).ok()?.units(6).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let read = |word: &str| {
            group(word).map(|group| (group.count, group.performance.to_string(), group.rate.to_string()))
        };
        assert_eq!(read("8"), Some((8, "1".into(), "1".into())));
        assert_eq!(read("4x2.5@0.3"), Some((4, "2.5".into(), "0.3".into())));
        assert_eq!(read("1@7"), Some((1, "1".into(), "7".into())));
        for wrong in ["", "0", "x2", "4x", "4x0", "4@", "-1", "4x2@-1", "99999999", "4xé"] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
