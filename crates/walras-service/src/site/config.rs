//! A `[[site]]` table of the service's configuration.
//!
//! ```
//! use walras_service::site::SiteConfig;
//! let site: SiteConfig = serde_json::from_str(
//!     r#"{"name": "campus", "owner": "olga", "connector": "simulated", "count": 2, "price": "0.002"}"#,
//! )
//! .unwrap();
//! let spec = site.spec().unwrap();
//! assert_eq!((spec.nodes.len(), spec.prices.base.as_micros_per_second()), (2, 2_000));
//! ```

use super::access::{AccessConfig, QuotaConfig};
use super::amount::Amount;
use super::cluster::SlurmConfig;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A site.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteConfig {
    /// Unique among the sites: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Who earns what it sells.
    pub owner: String,
    /// How it offers its time.
    #[serde(default)]
    pub kind: OfferingName,
    /// What runs there.
    pub connector: ConnectorName,
    /// Its nodes, one by one.
    #[serde(default)]
    pub nodes: Vec<NodeConfig>,
    /// Or how many there are, all alike: `n1`, `n2` and so on. For a queue, how many jobs may use at once.
    pub count: Option<u32>,
    /// Their speed relative to the reference node; 1 without.
    pub performance: Option<Amount>,
    /// What prices may name them by.
    pub class: Option<String>,
    /// Power that each draws.
    pub watts: Option<Amount>,
    /// What else requests may ask for.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeConfig>,
    /// What a node has that is counted: `cores = 64`, `memory_gb = 256`, `gpus = 8`, or anything else.
    #[serde(default)]
    pub resources: BTreeMap<String, u64>,
    /// In how many equal units a node is sold; whole, without.
    pub units: Option<u32>,
    /// A task takes, and pays, no fewer units than this; one, without.
    pub least_units: Option<u32>,
    /// By resource: only tasks that ask for so much of one of these have a place on a node. Everybody, without.
    pub only_for: Option<BTreeMap<String, u64>>,
    /// What a second on a node costs, in credits.
    pub price: Amount,
    /// The same by class of node.
    #[serde(default)]
    pub class_prices: BTreeMap<String, Amount>,
    /// By node; goes before the class.
    #[serde(default)]
    pub node_prices: BTreeMap<String, Amount>,
    /// By user, on all nodes alike.
    #[serde(default)]
    pub user_prices: BTreeMap<String, Amount>,
    /// A factor for every hour of the day: 24, or none.
    #[serde(default)]
    pub hour_factors: Vec<Amount>,
    /// A factor for every day of the week, Monday first: 7, or none.
    #[serde(default)]
    pub weekday_factors: Vec<Amount>,
    /// Free time across which the price changes is sold whole at its dearest price, and not in pieces.
    #[serde(default)]
    pub sell_whole: bool,
    /// How the price follows demand.
    pub demand: Option<DemandConfig>,
    /// Who may run there; everybody, without.
    #[serde(default)]
    pub access: Vec<AccessConfig>,
    /// How much they may get in one cycle.
    #[serde(default)]
    pub quotas: Vec<QuotaConfig>,
    /// What a simulated site is like.
    pub simulated: Option<SimulatedConfig>,
    /// What a local site is like.
    pub local: Option<LocalConfig>,
    /// What a cluster of Slurm's is like.
    pub slurm: Option<SlurmConfig>,
}

/// How a site offers its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OfferingName {
    /// Free intervals on nodes.
    #[default]
    Slots,
    /// So many free processors.
    Capacity,
    /// Best effort.
    Queue,
}

/// What runs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectorName {
    /// Nothing: it is simulated.
    Simulated,
    /// Commands on this machine.
    Local,
    /// Jobs of a Slurm cluster.
    Slurm,
}

impl ConnectorName {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            ConnectorName::Simulated => "simulated",
            ConnectorName::Local => "local",
            ConnectorName::Slurm => "slurm",
        }
    }
}

/// A node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Unique within its site.
    pub name: String,
    /// The site's, without.
    pub performance: Option<Amount>,
    /// The site's, without.
    pub class: Option<String>,
    /// The site's, without.
    pub watts: Option<Amount>,
    /// Beside the site's.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeConfig>,
    /// Beside the site's.
    #[serde(default)]
    pub resources: BTreeMap<String, u64>,
    /// The site's, without.
    pub units: Option<u32>,
    /// The site's, without.
    pub least_units: Option<u32>,
    /// The site's, without; `{}` for everybody.
    pub only_for: Option<BTreeMap<String, u64>>,
}

/// The value of an attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum AttributeConfig {
    /// `gpu = true`
    Flag(bool),
    /// `os = "linux"`
    Text(String),
    /// `memory_gb = 64`
    Number(Amount),
}

/// How a price follows demand: all are factors and shares of one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemandConfig {
    /// The least factor.
    pub min: Amount,
    /// The greatest.
    pub max: Amount,
    /// By how much it moves after a cycle.
    pub step: Amount,
    /// It falls when less than this share of the offered time is taken.
    pub low: Amount,
    /// It rises when more than this share is.
    pub high: Amount,
}

/// What a simulated site is like.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulatedConfig {
    /// What everything is drawn from.
    pub seed: u64,
    /// The least share of its time that a part takes; 0.8 without.
    pub takes_min: Option<Amount>,
    /// The greatest; the least one, or 0.95 without either. A part that takes all of its time and starts late runs out of it.
    pub takes_max: Option<Amount>,
    /// The share of parts that fail; 0 without.
    pub failures: Option<Amount>,
    /// The share of parts that need more time than they have; 0 without.
    pub overruns: Option<Amount>,
    /// The share of the nodes' time that the owner uses; 0 without. Only on a site that sells slots.
    pub load: Option<Amount>,
    /// How long the owner uses a node at a time, on average, in seconds; 1800 without.
    pub load_seconds: Option<u32>,
    /// How long jobs wait in its queue, in seconds; 60 without.
    pub wait_seconds: Option<u32>,
    /// How long it says that they will; without, as long as they do.
    pub expected_wait_seconds: Option<u32>,
}

/// What a local site is like.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocalConfig {
    /// Address space of a process, in MiB; at least 64.
    pub memory_mib: Option<u32>,
    /// Open files of a process; at least 16.
    pub open_files: Option<u32>,
    /// Processes of the user as whom programs run; at least 8.
    pub processes: Option<u32>,
    /// Size of a file, in MiB; at least 1.
    pub file_mib: Option<u32>,
    /// Processor time of a process, in seconds; at least 1.
    pub cpu_seconds: Option<u32>,
    /// As whom all programs run: a number. Needs a service that runs as root.
    pub uid: Option<u32>,
    /// With which group.
    pub gid: Option<u32>,
    /// Accounts of the machine that users have: by their names in the VO.
    pub accounts: BTreeMap<String, AccountConfig>,
    /// From where accounts are drawn for users who have none: `200000-265535`.
    pub uids: Option<String>,
    /// Whether users must be kept apart.
    pub isolation: IsolationName,
    /// Whether each job must be kept within its share of the node.
    pub limits: LimitsName,
    /// Memory of a node for all that runs there, in MiB; what the node states, without.
    pub node_memory_mib: Option<u32>,
    /// Its processors; what the node states, without.
    pub node_cores: Option<u32>,
    /// Processes and threads on it; 4096 without.
    pub node_processes: Option<u32>,
    /// Where control groups are made in each hierarchy: a path from its top.
    pub cgroup: Option<PathBuf>,
    /// Where programs are looked for; `/usr/local/bin:/usr/bin:/bin` without.
    pub path: Option<String>,
    /// Their language; `C.UTF-8` without.
    pub lang: Option<String>,
    /// How many seconds a program has between being asked to end and being killed; 2 without.
    pub grace_seconds: Option<u32>,
    /// How many days output is kept; 7 without.
    pub keep_days: Option<u32>,
}

/// Whether each job must be kept within its share of the node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitsName {
    /// Without limits of memory, processors and processes the service does not start.
    Required,
    /// As far as the machine can.
    #[default]
    Preferred,
    /// No control groups are made.
    Off,
}

/// An account of the machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum AccountConfig {
    /// By its number.
    Number(u32),
    /// By its name.
    Name(String),
}

/// Whether users must be kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IsolationName {
    /// Without it the service does not start.
    Required,
    /// As far as the machine can.
    #[default]
    Preferred,
    /// As required, by Landlock alone.
    Landlock,
    /// Neither namespaces nor Landlock.
    Off,
}
