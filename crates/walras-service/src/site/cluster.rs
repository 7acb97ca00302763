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
    /// In how many units nodes of a partition are sold; as the site says, without.
    pub partition_units: BTreeMap<String, u32>,
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
    /// What Slurm's own accounting books jobs on (`sbatch --account`); the submitter's usual account, without.
    pub project: Option<String>,
    /// Their quality of service; the usual one, without.
    pub qos: Option<String>,
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

impl SlurmConfig {
    /// The first key that says something of nodes or times, where neither is ours to choose.
    pub(super) fn key_of_slots(&self) -> Option<&'static str> {
        let given = [
            ("nodes", !self.nodes.is_empty()),
            ("share", self.share.is_some()),
            ("keep", self.keep > 0),
            ("partition_units", !self.partition_units.is_empty()),
            ("ahead_hours", self.ahead_hours.is_some()),
            ("beyond_backfill", self.beyond_backfill),
            ("before_seconds", self.before_seconds.is_some()),
            ("after_seconds", self.after_seconds.is_some()),
        ];
        given.into_iter().find_map(|(key, given)| given.then_some(key))
    }

    /// A word that Slurm is told as it is.
    pub(super) fn check_words(&self) -> Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@');
        for (key, word) in [("project", &self.project), ("qos", &self.qos)] {
            let Some(word) = word.as_ref() else { continue };
            if word.is_empty() || !word.bytes().all(plain) {
                return Err(format!(
                    "slurm.{key}: '{word}': expected letters, digits, '-', '_', '.' and '@'"
                ));
            }
        }
        Ok(())
    }
}
