//! Nodes with cores and memory, and jobs that take some of both.

/// Cores, and memory in any unit: what a task takes, or a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// Cores.
    pub cores: u32,
    /// Memory.
    pub memory: u64,
}

/// Nodes with cores and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// So many of each kind, and what each of them has.
    pub kinds: Vec<(u32, Need)>,
}

impl Cluster {
    /// So many nodes of each kind.
    pub fn new(kinds: impl IntoIterator<Item = (u32, Need)>) -> Cluster {
        Cluster { kinds: kinds.into_iter().collect() }
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
