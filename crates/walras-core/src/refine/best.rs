//! The best schedule that a search has seen, and the work that it may still do.

use super::instance::Instance;
use super::schedule::{Placed, Score};
use super::strategy::Goal;

/// Units of work that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fuel {
    pub(super) left: u64,
}

impl Fuel {
    pub(super) fn burn(&mut self, units: u64) -> bool {
        self.left = self.left.saturating_sub(units);
        self.left > 0
    }
}

/// The best schedule so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) placed: Placed,
    pub(super) score: Score,
}

impl Best {
    pub(super) fn new(instance: &Instance, goal: Goal, placed: Placed) -> Best {
        let score = placed.score(instance, goal);
        Best { placed, score }
    }

    /// Keeps the better one; whether it is the new one.
    pub(super) fn offer(&mut self, instance: &Instance, goal: Goal, placed: &Placed) -> bool {
        let score = placed.score(instance, goal);
        let better = score < self.score;
        if better {
            *self = Best { placed: placed.clone(), score };
        }
        better
    }
}
