//! What a site of Slurm's is like.

use super::census::Census;
use super::run_as::RunAs;
use super::units::Margin;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use walras_model::NodeId;

/// What a site of Slurm's is like.
#[derive(Clone, Debug)]
pub struct SlurmOptions {
    /// The nodes that are sold, and the numbers that the broker knows them by.
    pub nodes: Vec<(NodeId, String)>,
    /// In how many units these are sold; those that are not named are sold whole.
    pub units: BTreeMap<NodeId, u32>,
    /// Those that were sold, and of which something may still be held.
    pub gone: Vec<(NodeId, String)>,
    /// How it is found out which nodes there are from now on; they stay the same, without.
    pub census: Option<Census>,
    /// How many nodes jobs may have at once in Slurm's own queue, where nothing is reserved: nodes are then Slurm's to choose, and none is named here.
    pub queue: Option<u32>,
    /// What holds need around them.
    pub margin: Margin,
    /// How far ahead time is sold, in milliseconds; as far as anybody asks, without.
    pub ahead: Option<i64>,
    /// Whether it is sold beyond what the backfill scheduler looks at: jobs that wait are not planned there yet.
    pub beyond_backfill: bool,
    /// The partitions whose nodes are sold; any, without.
    pub partitions: Vec<String>,
    /// The account that Slurm's own accounting books jobs on (`sbatch --account`); the submitter's usual one, without.
    pub project: Option<String>,
    /// Their quality of service; the usual one, without.
    pub qos: Option<String>,
    /// How often Slurm is looked at.
    pub look_every: Duration,
    /// Where programs of users are looked for.
    pub path: String,
    /// Their language.
    pub lang: String,
    /// How long a program has between being asked to end and being killed.
    pub grace: Duration,
    /// How long directories are kept after the last of their parts has ended.
    pub keep: Duration,
    /// As whom jobs run.
    pub run_as: RunAs,
    /// What supervises holds, on the nodes: it is called with `supervise-hold DIRECTORY`.
    pub executable: PathBuf,
}
