//! What a job wants, as the search by prices sees it: everywhere that one of its tasks could run.

use super::grid::UNITS_MAX;
use crate::search::{Candidate, View};
use walras_model::offer::Offers;

/// A slot in which a task of the job could run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) node: usize,
    pub(super) runtime: i64,
    /// The first and the last start there.
    pub(super) first: i64,
    pub(super) last: i64,
    /// What it costs, in micro-credits.
    pub(super) cost: i64,
    /// What it counts beside prices, in their units.
    pub(super) own: i64,
}

/// A job's tasks, and where they could run.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub(super) tasks: usize,
    /// What its tasks may cost together, in micro-credits.
    pub(super) budget: i64,
    /// Seats that may be combined with each other: of each site where all tasks must stay on one, or all.
    pub(super) pools: Vec<Vec<Seat>>,
    /// What a later start counts, where a delay is worth anything.
    pub(super) delay: Option<Delay>,
}

/// What a later start counts, in units of prices: nothing until a moment, then so much a millisecond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    pub(super) from: i64,
    pub(super) each: i64,
}

impl Want {
    /// All seats of a request. Nothing is counted beside prices yet (see [`Want::count_costs`]).
    pub(super) fn new(offers: &Offers, view: &View) -> Want {
        let mut pools = vec![Vec::new(); view.pool_count];
        for candidate in offers.slots().iter().filter_map(|slot| Candidate::new(slot, view)) {
            let node = candidate.slot.node().index();
            let (first, last, runtime) = (candidate.start, candidate.expiry, candidate.runtime);
            let seat = Seat { node, runtime, first, last, cost: candidate.cost(), own: 0 };
            pools[view.pool_of(node)].push(seat);
        }
        pools.retain(|pool| view.tasks > 0 && pool.len() >= view.tasks);
        Want { tasks: view.tasks, budget: view.budget, pools, delay: None }
    }

    /// What a start at a moment counts beside its seats: no less than an earlier one.
    pub(super) fn delayed(&self, start: i64) -> i128 {
        self.delay.map_or(0, |delay| {
            (i128::from(start) - i128::from(delay.from)).max(0) * i128::from(delay.each.max(0))
        })
    }

    pub(super) fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.pools.iter().flatten()
    }

    /// Counts every seat's cost, so many units to the micro-credit; more than [`UNITS_MAX`] counts as
    /// that much, which makes a bound lower, never wrong.
    pub(super) fn count_costs(&mut self, scale: i64) {
        for seat in self.pools.iter_mut().flatten() {
            seat.own = seat.cost.saturating_mul(scale).min(UNITS_MAX);
        }
    }
}
