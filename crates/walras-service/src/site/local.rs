//! `[site.local]`: as whom programs run on this machine, what they may use, and what keeps users apart.

use super::config::{
    AccountConfig, ConnectorName, IsolationName, LimitsName, LocalConfig, OfferingName, SiteConfig,
};
use super::spec::BadSite;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walras_sites::local::{
    Account, Accounts, Demand, Groups, Isolation, LimitDemand, LocalOptions, NodeLimits, UidRange,
};

impl LocalConfig {
    /// As whom programs run: unless something else is said, each user under an account of their own where the service may give them one.
    fn accounts(&self, is_root: bool) -> Result<Accounts, String> {
        let own = !self.accounts.is_empty() || self.uids.is_some();
        match (self.uid, self.gid) {
            (Some(_), _) | (_, Some(_)) if own => Err(
                "local.uid: programs run as one account (`uid`, `gid`) or each under one of their own (`accounts`, `uids`), not both"
                    .to_owned(),
            ),
            (Some(uid), Some(gid)) => Ok(Accounts::Shared(Account { uid, gid })),
            (Some(_), None) => {
                Err("local.gid: it is missing: with `uid` programs need a group of their own too".to_owned())
            }
            (None, Some(_)) => Err("local.uid: it is missing: with `gid` programs need a user too".to_owned()),
            (None, None) if own => self.own_accounts(),
            (None, None) if is_root => {
                Ok(Accounts::Own { named: Default::default(), drawn: Some(UidRange::default()) })
            }
            (None, None) => Ok(Accounts::Service),
        }
    }

    fn own_accounts(&self) -> Result<Accounts, String> {
        let range = |text: &String| {
            let expected = "expected a range of numbers from 1000 on, such as \"200000-265535\"";
            UidRange::from_text(text).ok_or_else(|| format!("local.uids: '{text}': {expected}"))
        };
        let drawn = self.uids.as_ref().map(range).transpose()?;
        let find = |(user, account): (&String, &AccountConfig)| {
            let text = match account {
                AccountConfig::Name(name) => name.clone(),
                AccountConfig::Number(number) => number.to_string(),
            };
            let account = Account::find(&text).map_err(|error| error.to_string())?;
            Ok::<_, String>((user.clone(), account))
        };
        let named = self.accounts.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Accounts::Own { named, drawn })
    }

    fn limit_demand(&self) -> LimitDemand {
        match self.limits {
            LimitsName::Required => LimitDemand::Required,
            LimitsName::Preferred => LimitDemand::Preferred,
            LimitsName::Off => LimitDemand::Off,
        }
    }

    fn demand(&self) -> Demand {
        match self.isolation {
            IsolationName::Required => Demand::Required,
            IsolationName::Preferred => Demand::Preferred,
            IsolationName::Landlock => Demand::Landlock,
            IsolationName::Off => Demand::Off,
        }
    }
}

impl SiteConfig {
    /// As whom programs run on a local site; an error names the key.
    pub(super) fn accounts(&self) -> Result<Accounts, String> {
        let is_root = rustix::process::geteuid().is_root();
        self.local.clone().unwrap_or_default().accounts(is_root)
    }

    /// What keeps users apart on a local site, as this machine gives it; nothing for other sites. `hidden` is what no program may see.
    pub fn isolation(&self, hidden: &[PathBuf]) -> Result<Option<Isolation>, BadSite> {
        if self.connector != ConnectorName::Local {
            return Ok(None);
        }
        let bad = |wrong: String| self.bad(wrong);
        let demand = self.local.clone().unwrap_or_default().demand();
        let isolation = Isolation::probe(&self.accounts().map_err(bad)?, demand, hidden);
        isolation.map(Some).map_err(|error| bad(error.to_string()))
    }

    /// What keeps what runs on a local site within its share of a node, as this machine gives it, and what that is; nothing for other sites. `data` is the
    /// service's directory.
    pub fn limits_found(&self, data: &Path) -> Result<Option<String>, BadSite> {
        if self.connector != ConnectorName::Local {
            return Ok(None);
        }
        let config = self.local.clone().unwrap_or_default();
        let site = data.join("sites").join(&self.name);
        let site = std::path::absolute(&site).unwrap_or(site);
        let site = site.canonicalize().unwrap_or(site);
        let groups = Groups::probe(config.limit_demand(), config.cgroup.as_deref(), &site);
        let groups = groups.map_err(|error| self.bad(error.to_string()))?;
        if !groups.are_there() {
            return Ok(Some(groups.to_string()));
        }
        let nodes = self.node_limits().map_err(|wrong| self.bad(wrong))?;
        let mut unknown = Vec::new();
        if nodes.values().any(|node| node.memory.is_none()) {
            unknown.push("memory (`memory_gb`, `local.node_memory_mib`)");
        }
        if nodes.values().any(|node| node.millicores.is_none()) {
            unknown.push("processors (`cores`, `local.node_cores`)");
        }
        let unsaid = if unknown.is_empty() {
            String::new()
        } else {
            format!("; without limit where a node does not say how much it has: {}", unknown.join(", "))
        };
        Ok(Some(format!("{groups}{unsaid}")))
    }

    pub(super) fn local_options(
        &self,
        joined: (u32, Vec<String>),
        executable: &Path,
        hidden: &[PathBuf],
    ) -> Result<LocalOptions, String> {
        let config = self.local.clone().unwrap_or_default();
        let isolation = config.demand();
        let by_name = self.node_limits()?;
        let of = |name: &String| by_name.get(name).copied().unwrap_or(NodeLimits::NONE);
        let node_limits = if self.kind == OfferingName::Queue {
            by_name.into_values().collect()
        } else {
            joined.1.iter().map(of).collect()
        };
        Ok(LocalOptions {
            offering: self.offering(),
            first_node: joined.0,
            units: self.units_of(&joined.1)?,
            nodes: joined.1,
            limits: self.limits()?,
            node_limits,
            limit_demand: config.limit_demand(),
            cgroup: config.cgroup,
            accounts: self.accounts()?,
            isolation,
            hidden: hidden.to_vec(),
            path: config.path.unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned()),
            lang: config.lang.unwrap_or_else(|| "C.UTF-8".to_owned()),
            grace: Duration::from_secs(config.grace_seconds.unwrap_or(2).into()),
            keep: Duration::from_secs(86_400 * u64::from(config.keep_days.unwrap_or(7))),
            executable: executable.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(table: &str, is_root: bool) -> Result<Accounts, String> {
        serde_json::from_str::<LocalConfig>(table).unwrap().accounts(is_root)
    }

    #[test]
    fn users_have_accounts_of_their_own_unless_something_else_is_said() {
        let drawn = |named| Ok(Accounts::Own { named, drawn: Some(UidRange::default()) });
        assert_eq!(accounts("{}", true), drawn(Default::default()));
        assert_eq!(accounts("{}", false), Ok(Accounts::Service));
        assert_eq!(
            accounts(r#"{"uid": 7, "gid": 8}"#, true),
            Ok(Accounts::Shared(Account { uid: 7, gid: 8 }))
        );
        let table = r#"{"uids": "200000-265535", "accounts": {"ada": 3000000000, "bob": "nobody"}}"#;
        let Ok(Accounts::Own { named, drawn }) = accounts(table, true) else { panic!("no accounts") };
        assert_eq!((named["ada"].uid, named["bob"].uid), (3_000_000_000, 65_534));
        assert_eq!(drawn, Some(UidRange::default()));
        let only = accounts(r#"{"accounts": {"ada": 3000000000}}"#, true);
        assert!(matches!(only, Ok(Accounts::Own { drawn: None, .. })));
    }

    #[test]
    fn accounts_that_cannot_be_are_refused_by_name() {
        for (table, key) in [
            (r#"{"uid": 7}"#, "local.gid"),
            (r#"{"gid": 7}"#, "local.uid"),
            (r#"{"uid": 7, "gid": 7, "uids": "200000-265535"}"#, "local.uid"),
            (r#"{"uids": "0-70000"}"#, "local.uids"),
            (r#"{"accounts": {"ada": "root"}}"#, "local.accounts"),
            (r#"{"accounts": {"ada": "no-such-account"}}"#, "local.accounts"),
        ] {
            let wrong = accounts(table, true).unwrap_err();
            assert!(wrong.starts_with(&format!("{key}: ")), "{table}: {wrong}");
        }
    }
}
