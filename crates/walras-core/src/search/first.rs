//! ALP and AMP: the earliest window.
//!
//! **Problem.** The earliest start at which N slots are free together, each long enough for a task on its
//! node: under ALP with no slot dearer than the price cap, under AMP with all N within the budget S.
//!
//! **Method.** Candidates join in order of start; the window starts where the last one joined. ALP counts
//! the candidates alive and stops at N. AMP tries the N cheapest alive after every arrival, by what the task
//! costs there (rate × run time), not by rate alone. Where ALP's request states a budget, the N cheapest
//! under the cap must be within it.
//!
//! **Complexity.** O(n log N) for ALP and O(n log m) for AMP over n slots with m alive at once.
//!
//! Source: Toporkov et al., ALP and AMP.

use super::cheapest::{Cheapest, Entry};
use super::scan::{Candidate, Selector, scan};
use super::view::View;
use super::window_of;
use crate::offer::SlotKey;
use crate::slots::SlotList;
use crate::window::Window;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// The earliest window for `view`.
pub(crate) fn first_window(list: &SlotList, view: &View, slots_scanned: &mut u64) -> Option<Window> {
    if view.budget == i64::MAX {
        let mut selector = FirstAlive::new(view);
        scan(list, view, &mut selector, slots_scanned);
        let (start, keys) = selector.found?;
        return window_of(list, view, start, keys);
    }
    let mut selector = FirstAffordable::new(view);
    scan(list, view, &mut selector, slots_scanned);
    let (start, keys) = selector.found?;
    window_of(list, view, start, keys)
}

/// Stops when N candidates of one pool are alive.
struct FirstAlive<'a> {
    view: &'a View,
    /// By pool: expiry and key of at most N candidates; dead ones leave when there would be N.
    pools: Vec<BinaryHeap<Reverse<(i64, SlotKey)>>>,
    found: Option<(i64, Vec<SlotKey>)>,
}

impl<'a> FirstAlive<'a> {
    fn new(view: &'a View) -> Self {
        FirstAlive { view, pools: vec![BinaryHeap::new(); view.pool_count], found: None }
    }
}

impl Selector for FirstAlive<'_> {
    #[inline]
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        let pool = &mut self.pools[self.view.pool_of(candidate.slot.node().index())];
        pool.push(Reverse((candidate.expiry, candidate.slot.key())));
        if pool.len() < self.view.tasks {
            return ControlFlow::Continue(());
        }
        while pool.peek().is_some_and(|Reverse((expiry, _))| *expiry < candidate.start) {
            pool.pop();
        }
        if pool.len() < self.view.tasks {
            return ControlFlow::Continue(());
        }
        self.found = Some((candidate.start, pool.iter().map(|Reverse((_, key))| *key).collect()));
        ControlFlow::Break(())
    }
}

/// Stops when the N cheapest candidates of one pool that are alive are within the budget.
struct FirstAffordable<'a> {
    view: &'a View,
    pools: Vec<Cheapest>,
    found: Option<(i64, Vec<SlotKey>)>,
}

impl<'a> FirstAffordable<'a> {
    fn new(view: &'a View) -> Self {
        FirstAffordable { view, pools: vec![Cheapest::new(view.tasks); view.pool_count], found: None }
    }
}

impl Selector for FirstAffordable<'_> {
    #[inline]
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        let cost = candidate.cost();
        if cost > self.view.budget {
            return ControlFlow::Continue(());
        }
        let pool = &mut self.pools[self.view.pool_of(candidate.slot.node().index())];
        pool.advance(candidate.start);
        pool.join(Entry::new(cost, candidate.slot.key(), candidate.expiry));
        match pool.sum() {
            Some(sum) if sum <= i128::from(self.view.budget) => {
                self.found = Some((candidate.start, pool.members().map(|entry| entry.key).collect()));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
