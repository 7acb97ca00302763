//! `[site.slurm]` as it is written.

use super::amount::Amount;
use super::config::AccountConfig;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a cluster of Slurm's is like.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SlurmConfig {
    /// Its `slurm.conf`; where Slurm's own programs look for it, without.
    pub conf: Option<PathBuf>,
    /// Where Slurm's programs are; `/usr/local/bin:/usr/bin:/bin` without.
    pub programs: Option<String>,
    /// A directory that the service and all nodes see under the same name. Required.
    pub directory: Option<PathBuf>,
    /// The partitions whose nodes are sold; all, without.
    pub partitions: Vec<String>,
    /// The nodes that are sold; all of the partitions, without.
    pub nodes: Vec<String>,
    /// At most this share of them; 1 without.
    pub share: Option<Amount>,
    /// So many of them are always left to the owner.
    pub keep: u32,
    /// How far ahead time is sold, in hours; as far as the VO plans, without.
    pub ahead_hours: Option<u32>,
    /// Whether it is sold beyond what Slurm's backfill scheduler looks at.
    pub beyond_backfill: bool,
    /// What comes up before a hold has so many seconds; 8 without.
    pub before_seconds: Option<u32>,
    /// What runs has so many seconds after a hold to be ended; 4 without.
    pub after_seconds: Option<u32>,
    /// Under which account of the cluster's a user's jobs run; all run as the service's user, where neither this nor `same_names` is said.
    pub accounts: BTreeMap<String, AccountConfig>,
    /// Whether those who are not named there run under the account of their own name.
    pub same_names: bool,
    /// Slurm is looked at every so many seconds; 5 without.
    pub look_seconds: Option<u32>,
    /// A command of Slurm's may take so many seconds; 5 without.
    pub within_seconds: Option<u32>,
    /// Where users' programs are looked for; `/usr/local/bin:/usr/bin:/bin` without.
    pub path: Option<String>,
    /// Their language; `C.UTF-8` without.
    pub lang: Option<String>,
    /// How many seconds a program has between being asked to end and being killed; 2 without.
    pub grace_seconds: Option<u32>,
    /// How many days output is kept; 7 without.
    pub keep_days: Option<u32>,
    /// The `walras` program as the nodes see it; the service's own, without.
    pub executable: Option<PathBuf>,
}
