//! Disciplines, and jobs as schedulers see them.

use serde::{Deserialize, Serialize};

/// How a site orders its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// First come, first served.
    Fcfs,
    /// The same, with EASY backfilling.
    Easy,
    /// The shortest first, by what users say, with EASY backfilling.
    ShortestEasy,
    /// Conservative backfilling with compression.
    Conservative,
}

/// The most that were in the system at once, and how many events there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Course {
    /// Jobs that came.
    pub jobs: u64,
    /// Moments at which something happened.
    pub moments: u64,
    /// The longest queue, over all sites.
    pub waiting_max: usize,
}

/// At most so many moments for every job, and a thousand more; what is still there then is left over.
const MOMENTS_PER_JOB_MAX: u64 = 10_000;

impl Course {
    /// Whether there were so many moments that there may be no end: where nodes go and come back for ever, somebody may wait for ever.
    pub(super) fn is_endless(&self) -> bool {
        self.moments >= MOMENTS_PER_JOB_MAX.saturating_mul(self.jobs).saturating_add(1_000)
    }
}

/// A job that waits at a site, as far as its scheduler must know; times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// How long it says that it will run here.
    pub(super) estimate: i64,
    pub(super) nodes: u32,
    /// Where the rest of it is.
    pub(super) slot: u32,
}

/// A job that runs at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Running {
    /// When it ends.
    pub(super) ends: i64,
    /// When it would end by what its user says.
    pub(super) stated: i64,
    pub(super) nodes: u32,
}
