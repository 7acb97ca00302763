//! `[site.slurm]`: a cluster whose free time is sold, and what it says of itself when it joins.
//!
//! Nodes are the cluster's to say: their names, speeds (`performance=2.0`) and prices (`price=3`) are read from Slurm, unless the table says
//! otherwise. A service starts although a controller does not answer: its nodes are then those that were said last.

use super::amount::Amount;
use super::cluster::SlurmConfig;
use super::config::{AccountConfig, ConnectorName, NodeConfig, OfferingName, SiteConfig};
use super::divided::{told_of_units, whole_amounts};
use super::joined::Joined;
use super::spec::{
    BadSite, attributes, parts_are_payable, performance, priced_nodes_exist, rate, share, watts,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use walras_broker::site::{NodeSpec, QueueSpec, SiteKind, SiteSpec, Timing};
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Fixed, NodeId, Performance, Rate, Share, Span, Value};
use walras_sites::SiteError;
use walras_sites::local::Account;
use walras_sites::slurm::parse::NodeSeen;
use walras_sites::slurm::probe::{Choice, Found, feature, probe};
use walras_sites::slurm::settings::Settings;
use walras_sites::slurm::{Census, Margin, Programs, RunAs, SlurmConnector, SlurmOptions};

/// How long before its start a part is sent to the hold's supervisor, in seconds.
const AHEAD: i64 = 30;
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn seconds(key: &str, value: Option<u32>, otherwise: u32, least: u32, most: u32) -> Result<i64, String> {
    let value = value.unwrap_or(otherwise);
    if !(least..=most).contains(&value) {
        return Err(format!("slurm.{key}: {value} is out of range: expected {least} to {most}"));
    }
    Ok(i64::from(value))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl SlurmConfig {
    fn margin(&self) -> Result<Margin, String> {
        let before = 1_000 * seconds("before_seconds", self.before_seconds, 8, 3, 3_600)?;
        let after = 1_000 * seconds("after_seconds", self.after_seconds, 4, 1, 3_600)?;
        let grace = i64::from(self.grace_seconds.unwrap_or(2));
        if 1_000 * grace > after {
            return Err(format!("slurm.grace_seconds: {grace} is more than slurm.after_seconds"));
        }
        Ok(Margin { before, after })
    }

    /// Reservations are whole seconds, so that the market keeps one more on each side.
    pub(super) fn timing(&self) -> Result<Timing, String> {
        let margin = self.margin()?;
        let span = |millis: i64| Span::from_millis(millis).ok_or("slurm: no such time".to_owned());
        Ok(Timing {
            before: span(margin.before + 1_000)?,
            after: span(margin.after + 1_000)?,
            ahead: span(1_000 * AHEAD)?,
            together: true,
            ..Timing::NOTHING
        })
    }

    /// What can be said without asking the cluster.
    pub(super) fn check(&self) -> Result<(), String> {
        self.timing()?;
        self.run_as(is_root())?;
        seconds("look_seconds", self.look_seconds, 5, 1, 3_600)?;
        seconds("within_seconds", self.within_seconds, 5, 1, 600)?;
        self.choice()?;
        self.check_words()?;
        if self.ahead_hours == Some(0) {
            return Err("slurm.ahead_hours: 0: nothing would be sold: expected at least 1".to_owned());
        }
        let expected = "expected a directory that the service and all nodes share, by its whole name";
        match &self.directory {
            Some(directory) if directory.is_absolute() => Ok(()),
            Some(directory) => Err(format!("slurm.directory: {}: {expected}", directory.display())),
            None => Err(format!("slurm.directory: it is missing: {expected}")),
        }
    }

    fn choice(&self) -> Result<Choice, String> {
        Ok(Choice {
            partitions: self.partitions.clone(),
            nodes: self.nodes.clone(),
            share: share("slurm.share", self.share.as_ref(), Share::WHOLE)?,
            keep: self.keep,
        })
    }

    /// As whom jobs run. Only root may submit in the name of others.
    fn run_as(&self, is_root: bool) -> Result<RunAs, String> {
        if self.accounts.is_empty() && !self.same_names {
            return Ok(RunAs::Service);
        }
        let key = if self.accounts.is_empty() { "same_names" } else { "accounts" };
        if !is_root {
            return Err(format!(
                "slurm.{key}: the service runs as an ordinary user: expected root, who alone may submit in the name of others"
            ));
        }
        let find = |(user, account): (&String, &AccountConfig)| {
            let text = match account {
                AccountConfig::Name(name) => name.clone(),
                AccountConfig::Number(number) => number.to_string(),
            };
            let known = Account::known(&text).filter(Account::is_ordinary);
            let wrong = format!(
                "slurm.accounts.{user}: '{text}': expected an account that this machine knows, and that is not root's"
            );
            Ok((user.clone(), known.ok_or(wrong)?))
        };
        let named = self.accounts.iter().map(find).collect::<Result<_, String>>()?;
        Ok(RunAs::Users { named, same: self.same_names })
    }

    fn programs(&self) -> Result<Programs, String> {
        let within = seconds("within_seconds", self.within_seconds, 5, 1, 600)?;
        Ok(Programs {
            conf: self.conf.clone(),
            path: self.programs.clone().unwrap_or_else(|| PATH.to_owned()),
            within: Duration::from_secs(within.unsigned_abs()),
        })
    }

    /// The directory, if we can write there. It is not made: what is not there is not shared by anybody.
    fn shared(&self) -> Result<PathBuf, String> {
        let directory = self.directory.clone().unwrap_or_default();
        let wrong = |error: std::io::Error| {
            format!(
                "slurm.directory: {}: {error}: expected a directory that is there, and that the service can write to",
                directory.display()
            )
        };
        let trial = directory.join(format!(".walras.{}", std::process::id()));
        std::fs::write(&trial, b"").and_then(|()| std::fs::remove_file(&trial)).map_err(wrong)?;
        Ok(directory)
    }

    pub(super) fn options(
        &self,
        site: &SiteConfig,
        joined: &Joined,
        own: &Path,
    ) -> Result<SlurmOptions, String> {
        let look = seconds("look_seconds", self.look_seconds, 5, 1, 3_600)?;
        Ok(SlurmOptions {
            nodes: joined.nodes.iter().map(|(node, spec)| (*node, spec.name.clone())).collect(),
            units: joined.nodes.iter().filter_map(in_units).collect(),
            gone: joined.gone.clone(),
            census: match site.kind {
                OfferingName::Queue => None,
                OfferingName::Slots | OfferingName::Capacity => Some(site.census(self, joined)?),
            },
            queue: site.count.filter(|_| site.kind == OfferingName::Queue),
            project: self.project.clone(),
            qos: self.qos.clone(),
            margin: self.margin()?,
            ahead: self.ahead_hours.map(|hours| 3_600_000 * i64::from(hours)),
            beyond_backfill: self.beyond_backfill,
            partitions: self.partitions.clone(),
            look_every: Duration::from_secs(look.unsigned_abs()),
            path: self.path.clone().unwrap_or_else(|| PATH.to_owned()),
            lang: self.lang.clone().unwrap_or_else(|| "C.UTF-8".to_owned()),
            grace: Duration::from_secs(self.grace_seconds.unwrap_or(2).into()),
            keep: Duration::from_secs(86_400 * u64::from(self.keep_days.unwrap_or(7))),
            run_as: self.run_as(is_root())?,
            executable: self.executable.clone().unwrap_or_else(|| own.to_owned()),
        })
    }

    /// The connector over nodes that have joined.
    pub(super) fn open(
        &self,
        site: &SiteConfig,
        joined: &Joined,
        memory: &Path,
        own: &Path,
    ) -> Result<SlurmConnector, SiteError> {
        let setup = |why: String| SiteError::Setup { key: "slurm", why };
        let options = self.options(site, joined, own).map_err(setup)?;
        let (programs, shared) = (self.programs().map_err(setup)?, self.shared().map_err(setup)?);
        SlurmConnector::open(options, programs, memory, &shared)
    }
}

/// A site as it joins, and what was found of it, in a line.
#[derive(Clone, Debug)]
pub struct Joining {
    /// What is said of it to the broker.
    pub spec: SiteSpec,
    /// The cluster and its nodes that are sold, or whose queue is, for sites of Slurm's.
    pub cluster: Option<(String, Vec<String>)>,
    /// What was found, for people.
    pub found: Option<String>,
}

impl SiteConfig {
    /// The site as it joins: a cluster of Slurm's is asked for its nodes, and whether we may reserve them.
    pub fn join(&self) -> Result<Joining, BadSite> {
        let spec = self.spec()?;
        match (&self.slurm, self.connector) {
            (Some(slurm), ConnectorName::Slurm) => {
                self.join_cluster(slurm, spec).map_err(|wrong| self.bad(wrong))
            }
            _ => Ok(Joining { spec, cluster: None, found: None }),
        }
    }

    fn join_cluster(&self, slurm: &SlurmConfig, mut spec: SiteSpec) -> Result<Joining, String> {
        let found = probe(&mut slurm.programs()?, &slurm.choice()?).map_err(|error| match error {
            SiteError::Setup { .. } => error.to_string(),
            other => format!("slurm: the cluster cannot be asked: {other}"),
        })?;
        slurm.shared()?;
        let cluster = found.settings.cluster.clone().unwrap_or_default();
        if let Some(longest) = found.longest {
            spec.timing.longest = Some(longest_hold(longest, &spec.timing)?);
        }
        if let SiteKind::Queue(queue) = &mut spec.kind {
            self.describe_queue(slurm, queue, &found)?;
            let told = told(&self.name, &found, "jobs wait in Slurm's own queue");
            let names = found.nodes.iter().map(|node| node.name.clone()).collect();
            return Ok(Joining { spec, found: Some(told), cluster: Some((cluster, names)) });
        }
        if !found.may_reserve {
            return Err(format!(
                "slurm: this user may not make reservations on the cluster {cluster}: run the service as root, as SlurmUser or as an \
                 operator of Slurm's, or sell it as a queue (kind = \"queue\")"
            ));
        }
        if found.nodes.is_empty() {
            return Err(format!(
                "slurm: of {} nodes none is left to sell: look at share and keep",
                found.chosen_of
            ));
        }
        self.check_units(slurm, &found)?;
        for node in &found.nodes {
            spec.nodes.push(self.slurm_node(slurm, node, &found.settings)?);
            if let Some(price) = price_of(node)? {
                spec.prices.nodes.entry(node.name.clone()).or_insert(price);
            }
        }
        if let Some(node) = self.nodes.iter().find(|node| spec.nodes.iter().all(|it| it.name != node.name)) {
            return Err(format!("nodes: '{}' is not among the nodes that are sold", node.name));
        }
        priced_nodes_exist(&spec.prices, &spec.nodes)?;
        parts_are_payable(&spec.prices, &spec.nodes)?;
        let names = spec.nodes.iter().map(|node| node.name.clone()).collect();
        let mut told = told(&self.name, &found, "reservations are permitted");
        let divisions: Vec<_> = spec.nodes.iter().map(|node| (node.name.as_str(), &node.division)).collect();
        if let Some(units) = told_of_units(&divisions, found.settings.counts_memory()) {
            told.push_str(&format!("; {units}"));
        }
        Ok(Joining { spec, found: Some(told), cluster: Some((cluster, names)) })
    }

    /// What whoever waits in the queue can count on: the least that any node has, as nobody knows which it will be. The table goes first.
    fn describe_queue(
        &self,
        slurm: &SlurmConfig,
        queue: &mut QueueSpec,
        found: &Found,
    ) -> Result<(), String> {
        let mut all = found.nodes.iter().map(|node| self.slurm_node(slurm, node, &found.settings));
        let Some(first) = all.next() else {
            return Err("slurm: the partitions have no nodes".to_owned());
        };
        let mut least = first?;
        for node in all {
            let node = node?;
            least.performance = least.performance.min(node.performance);
            least.attributes.retain(|name, value| match (value, node.attributes.get(name)) {
                (Value::Number(least), Some(Value::Number(other))) => {
                    *least = (*least).min(*other);
                    true
                }
                (value, other) => other == Some(value),
            });
        }
        if self.performance.is_none() {
            queue.performance = least.performance;
        }
        for (name, value) in least.attributes {
            queue.attributes.entry(name).or_insert(value);
        }
        Ok(())
    }

    /// How the cluster's nodes are found out from now on.
    fn census(&self, slurm: &SlurmConfig, joined: &Joined) -> Result<Census, String> {
        let (site, table) = (self.clone(), slurm.clone());
        let describe = move |seen: &NodeSeen, settings: &Settings| {
            Ok((site.slurm_node(&table, seen, settings)?, price_of(seen)?))
        };
        Ok(Census {
            choice: slurm.choice()?,
            describe: Arc::new(describe),
            known: joined.nodes.iter().map(|(_, spec)| (spec.name.clone(), spec.clone())).collect(),
        })
    }

    /// A node as Slurm and the table say; the table goes first.
    fn slurm_node(
        &self,
        slurm: &SlurmConfig,
        seen: &NodeSeen,
        settings: &Settings,
    ) -> Result<NodeSpec, String> {
        let table = self.nodes.iter().find(|node| node.name == seen.name);
        let speed = match (table.and_then(|node| node.performance.as_ref()), feature(seen, "performance")) {
            (Some(amount), _) => performance(Some(amount), Performance::ONE)?,
            (None, Some(text)) => {
                let amount: Option<Amount> = text.parse().ok();
                let speed = amount.and_then(|amount| performance(Some(&amount), Performance::ONE).ok());
                speed.ok_or_else(|| bad_feature(seen, "performance"))?
            }
            (None, None) => performance(self.performance.as_ref(), Performance::ONE)?,
        };
        let mut all = attributes(&self.attributes)?;
        let whole = |number: u64| {
            Fixed::from_millionths(i64::try_from(number).unwrap_or(0).saturating_mul(1_000_000))
        };
        // Features are flags: what `--constraint` of a script asks for.
        let plain = seen.features.iter().filter(|feature| !feature.contains('='));
        all.extend(plain.map(|feature| (feature.clone(), Value::Flag(true))));
        let gib = |mib: u64| rounding::down(i128::from(mib) * i128::from(MILLION), 1_024);
        let gib = |mib: u64| Fixed::from_millionths(i64::try_from(gib(mib)).unwrap_or(i64::MAX));
        let number = |amount: u64| Value::Number(whole(amount));
        all.extend(whole_amounts(seen, number, |mib| Value::Number(gib(mib))));
        let division = self.slurm_division(slurm, seen, settings.counts_memory(), &mut all)?;
        all.extend(
            table.map(|node: &NodeConfig| attributes(&node.attributes)).transpose()?.unwrap_or_default(),
        );
        let sold = |name: &&String| slurm.partitions.is_empty() || slurm.partitions.contains(name);
        let partition = seen.partitions.iter().find(sold).cloned();
        Ok(NodeSpec {
            division,
            name: seen.name.clone(),
            class: table.and_then(|node| node.class.clone()).or_else(|| self.class.clone()).or(partition),
            performance: speed,
            watts: watts(table.and_then(|node| node.watts.as_ref()), watts(self.watts.as_ref(), None)?)?,
            attributes: all,
        })
    }
}

/// A node that is sold in more than one unit, with their number.
fn in_units((node, spec): &(NodeId, NodeSpec)) -> Option<(NodeId, u32)> {
    spec.division.is_divided().then(|| (*node, spec.division.units()))
}

/// What can be held within the time that a partition allows, in seconds: its jobs come up and end in it, and are counted in whole minutes.
fn longest_hold(seconds: i64, timing: &Timing) -> Result<Span, String> {
    let millis = seconds.saturating_mul(1_000).saturating_sub(timing.between().as_millis() + 60_000);
    let span = Span::from_millis(millis).filter(|span| *span > Span::ZERO);
    span.ok_or_else(|| {
        format!("slurm: the partitions end jobs after {seconds} s, which leaves no time to sell: expected at least some minutes")
    })
}

/// The price that a node has by its features.
fn price_of(node: &NodeSeen) -> Result<Option<Rate>, String> {
    let Some(price) = feature(node, "price") else { return Ok(None) };
    let price = price.parse().ok().and_then(|amount| rate("price", &amount).ok());
    price.map(Some).ok_or_else(|| bad_feature(node, "price"))
}

fn bad_feature(node: &NodeSeen, key: &str) -> String {
    let value = feature(node, key).unwrap_or_default();
    format!(
        "slurm: node '{}' has the feature '{key}={value}': expected a number greater than 0, such as {key}=2.5",
        node.name
    )
}

fn told(site: &str, found: &Found, how: &str) -> String {
    let Found { settings, nodes, chosen_of, left_out, .. } = found;
    let unusable = nodes.iter().filter(|node| !node.usable).count();
    let mut text = format!(
        "{site}: Slurm {}, cluster {}, {} of {chosen_of} nodes for sale, {unusable} of them out of use now; {how}",
        settings.version.as_deref().unwrap_or("of an unknown version"),
        settings.cluster.as_deref().unwrap_or("without a name"),
        nodes.len(),
    );
    if !left_out.is_empty() {
        text.push_str(&format!("; not understood and left out: {}", left_out.join("; ")));
    }
    text
}
