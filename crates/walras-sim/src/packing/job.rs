//! Nodes with cores and memory, and jobs that take some of both.

use walras_model::division::{AMOUNT_MAX, UNITS_MAX};

/// Cores, and memory in any unit: what a task takes, or a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// Cores.
    pub cores: u32,
    /// Memory.
    pub memory: u64,
}

/// A cluster has no more nodes: what is free on each is looked at again and again.
pub const NODES_MAX: u32 = 100_000;

/// Nodes with cores and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    kinds: Vec<(u32, Need)>,
}

/// Why nodes are no cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCluster {
    /// None at all.
    #[error("there is no node")]
    Empty,
    /// More than can be gone through.
    #[error("{0} nodes are more than {NODES_MAX}")]
    Nodes(u64),
    /// None, or too many, of a node.
    #[error("a node has from 1 to {UNITS_MAX} cores, not {0}")]
    Cores(u32),
    /// Too much of a node.
    #[error("a node has at most {AMOUNT_MAX} units of memory, not {0}")]
    Memory(u64),
}

impl Cluster {
    /// So many nodes of each kind, and what each of them has.
    pub fn new(kinds: impl IntoIterator<Item = (u32, Need)>) -> Result<Cluster, BadCluster> {
        let kinds: Vec<(u32, Need)> = kinds.into_iter().filter(|(count, _)| *count > 0).collect();
        if kinds.is_empty() {
            return Err(BadCluster::Empty);
        }
        for (_, has) in &kinds {
            if !(1..=UNITS_MAX).contains(&has.cores) {
                return Err(BadCluster::Cores(has.cores));
            }
            if has.memory > AMOUNT_MAX {
                return Err(BadCluster::Memory(has.memory));
            }
        }
        let nodes: u64 = kinds.iter().map(|(count, _)| u64::from(*count)).sum();
        if nodes > u64::from(NODES_MAX) { Err(BadCluster::Nodes(nodes)) } else { Ok(Cluster { kinds }) }
    }

    /// The kinds of nodes: how many of each there are, and what each of them has.
    pub fn kinds(&self) -> &[(u32, Need)] {
        &self.kinds
    }

    /// What each node has, one after the other.
    pub fn nodes(&self) -> impl Iterator<Item = Need> {
        self.kinds.iter().flat_map(|(count, has)| (0..*count).map(|_| *has))
    }

    /// All cores, and all memory.
    pub fn all(&self) -> (u128, u128) {
        let sum = |of: fn(&Need) -> u128| {
            self.kinds.iter().map(|(count, has)| u128::from(*count) * of(has)).sum::<u128>()
        };
        (sum(|it| it.cores.into()), sum(|it| it.memory.into()))
    }
}

/// A job of tasks that start together, each on one node; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedJob {
    /// Its number in its source.
    pub number: u64,
    /// When it comes.
    pub submit: i64,
    /// How long it runs.
    pub run: i64,
    /// How long its user says; it is killed then.
    pub estimate: i64,
    /// How many tasks.
    pub tasks: u32,
    /// What each takes of its node.
    pub each: Need,
}

impl PackedJob {
    /// How long it runs as it is killed at its estimate.
    pub fn lasts(&self) -> i64 {
        self.run.min(self.estimate)
    }
}

/// How jobs are given their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Whoever fits starts, on the first nodes that have room. Nobody is promised anything.
    FirstFit,
    /// The same on the nodes with the least room.
    BestFit,
    /// First come first served with EASY backfilling, on the nodes with the least room.
    Easy,
    /// The same with conservative backfilling.
    Conservative,
}

/// What a node gives to a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Its cores and its memory, each by itself.
    #[default]
    ByResource,
    /// As many equal units as it has cores, each with an equal part of its memory: what the task needs is rounded up to them, and what it leaves of
    /// them is nobody's.
    InUnits,
}

/// When a job ran, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The job.
    pub job: PackedJob,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// By node, how many of its tasks; nothing where nobody says.
    pub places: Vec<(usize, u32)>,
}
