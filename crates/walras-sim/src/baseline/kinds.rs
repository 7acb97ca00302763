//! Disciplines, and jobs as schedulers see them.

use serde::{Deserialize, Serialize};
use walras_core::agenda::Precedence;

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
    /// Promises to everybody, and an order of its own within them.
    Promise(Promising),
}

/// How promises are made, and who goes ahead within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promising {
    /// Who is looked at first when nodes are free.
    pub precedence: Precedence,
    /// How much later than planned a newcomer is promised to start at the latest, in thousandths of its planned wait.
    pub slack: u32,
    /// For so many jobs a moment it is tried whether the others can make room.
    pub trials: u32,
}

impl Default for Promising {
    fn default() -> Promising {
        Promising { precedence: Precedence::Expansion, slack: 250, trials: 8 }
    }
}

impl Promising {
    /// The latest start that somebody is promised who comes now and is planned for `start`; rounded down.
    pub fn latest(&self, now: i64, start: i64) -> i64 {
        let wait = i128::from(start) - i128::from(now);
        let slack = wait.max(0) * i128::from(self.slack) / 1_000;
        i64::try_from(slack).map_or(i64::MAX, |slack| start.saturating_add(slack))
    }
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
