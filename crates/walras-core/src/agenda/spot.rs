//! A place in time for a job: how many nodes of which groups, from when on and for how long.

use super::calendar::Calendar;
use walras_model::interval::Interval;
use walras_model::quantity::{Span, Time};

/// A place in time: so many nodes of some groups from one moment on, each for as long as it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) start: i64,
    pub(super) finish: i64,
    pub(super) cost: i128,
    pub(super) score: i128,
    pub(super) takes: Vec<Take>,
}

/// Nodes of one group, or units of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Take {
    pub(super) group: usize,
    /// For so many tasks.
    pub(super) nodes: i32,
    /// How many of what the group counts each of them takes.
    pub(super) units: i32,
    pub(super) millis: i64,
}

impl Take {
    /// How many of what its group counts.
    fn count(&self) -> i32 {
        self.nodes.saturating_mul(self.units)
    }
}

impl Spot {
    /// What spots are compared by.
    pub(super) fn key(&self) -> (i128, i64) {
        (self.score, self.finish)
    }

    pub(super) fn take(&self, free: &mut Calendar) {
        for take in &self.takes {
            free.change(take.group, self.start, self.start + take.millis, take.count());
        }
    }

    pub(super) fn release(&self, free: &mut Calendar) {
        for take in &self.takes {
            free.change(take.group, self.start, self.start + take.millis, -take.count());
        }
    }

    pub(super) fn is_free(&self, free: &Calendar) -> bool {
        let holds =
            |take: &Take| free.least(take.group, self.start, self.start + take.millis) >= take.count();
        self.takes.iter().all(holds)
    }
}

/// So many milliseconds from a moment on.
pub(super) fn interval(start: i64, millis: i64) -> Option<Interval> {
    let start = Time::from_millis(start)?;
    Interval::new(start, start.checked_add(Span::from_millis(millis)?)?)
}
