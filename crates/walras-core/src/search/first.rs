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
    let mut selector = FirstAffordable::new(list, view);
    if selector.task_cost_max < 0 {
        return None;
    }
    scan(list, view, &mut selector, slots_scanned);
    let (start, keys) = selector.found?;
    window_of(list, view, start, keys)
}

/// Stops when N candidates of one pool are alive.
struct FirstAlive<'a> {
    view: &'a View,
    pools: Vec<Gathering>,
    found: Option<(i64, Vec<SlotKey>)>,
}

impl<'a> FirstAlive<'a> {
    fn new(view: &'a View) -> Self {
        FirstAlive { view, pools: vec![Gathering::Loose(Vec::new()); view.pool_count], found: None }
    }
}

impl Selector for FirstAlive<'_> {
    #[inline]
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        let pool = &mut self.pools[self.view.pool_of(candidate.slot.node().index())];
        if !pool.join(candidate.expiry, candidate.slot.key(), candidate.start, self.view.tasks) {
            return ControlFlow::Continue(());
        }
        self.found = Some((candidate.start, pool.keys()));
        ControlFlow::Break(())
    }
}

/// Candidates of which it matters only whether N are alive.
///
/// Dead ones are left lying until there would be N. Then they are swept out in one pass (loose), unless so few
/// are dead that the next pass would come too soon: then they are kept in order of expiry (exact) until few
/// are alive again. Either way an arrival costs O(log N) amortised, and O(1) far from N.
#[derive(Clone)]
enum Gathering {
    Loose(Vec<(i64, SlotKey)>),
    Exact(BinaryHeap<Reverse<(i64, SlotKey)>>),
}

impl Gathering {
    /// Adds a candidate; whether `n` are alive at `now`.
    #[inline]
    fn join(&mut self, expiry: i64, key: SlotKey, now: i64, n: usize) -> bool {
        match self {
            Gathering::Loose(all) => {
                all.push((expiry, key));
                all.len() >= n && self.sweep(now, n)
            }
            Gathering::Exact(all) => {
                all.push(Reverse((expiry, key)));
                while all.peek().is_some_and(|Reverse((expiry, _))| *expiry < now) {
                    all.pop();
                }
                let alive = all.len();
                if alive < n / 2 {
                    let loose = std::mem::take(all).into_iter().map(|Reverse(entry)| entry);
                    *self = Gathering::Loose(loose.collect());
                }
                alive >= n
            }
        }
    }

    /// Drops the dead of a loose gathering, and puts it in order when that did not help much.
    #[cold]
    fn sweep(&mut self, now: i64, n: usize) -> bool {
        let Gathering::Loose(all) = self else { return false };
        all.retain(|(expiry, _)| *expiry >= now);
        let alive = all.len();
        if alive < n && alive > n - n / 8 {
            *self = Gathering::Exact(std::mem::take(all).into_iter().map(Reverse).collect());
        }
        alive >= n
    }

    fn keys(&self) -> Vec<SlotKey> {
        match self {
            Gathering::Loose(all) => all.iter().map(|(_, key)| *key).collect(),
            Gathering::Exact(all) => all.iter().map(|Reverse((_, key))| *key).collect(),
        }
    }
}

/// Stops when the N cheapest candidates of one pool that are alive are within the budget.
struct FirstAffordable<'a> {
    view: &'a View,
    /// What one task may cost when all others cost as little as any slot of the list allows.
    task_cost_max: i64,
    pools: Vec<Cheapest>,
    found: Option<(i64, Vec<SlotKey>)>,
}

impl<'a> FirstAffordable<'a> {
    fn new(list: &SlotList, view: &'a View) -> Self {
        FirstAffordable {
            view,
            task_cost_max: task_cost_max(list, view),
            pools: vec![Cheapest::new(view.tasks); view.pool_count],
            found: None,
        }
    }
}

impl Selector for FirstAffordable<'_> {
    #[inline]
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        let cost = candidate.cost();
        if cost > self.task_cost_max {
            return ControlFlow::Continue(());
        }
        let pool = &mut self.pools[self.view.pool_of(candidate.slot.node().index())];
        pool.advance(candidate.start);
        pool.join(Entry::new(cost, candidate.slot.key(), candidate.expiry));
        match pool.sum() {
            Some(sum) if sum <= i128::from(self.view.budget) => {
                self.found = Some((candidate.start, pool.members().map(|entry| entry.key()).collect()));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The budget less the least that all tasks but one can cost; negative when that alone is too much.
fn task_cost_max(list: &SlotList, view: &View) -> i64 {
    let rate_min = list.groups().iter().map(|group| group.summary.rate_min).min().unwrap_or(i64::MAX);
    let task_cost_min = i128::from(rate_min) * i128::from(view.runtime_min) / 1_000;
    let others = i128::try_from(view.tasks - 1).unwrap_or(i128::MAX).saturating_mul(task_cost_min);
    i64::try_from(i128::from(view.budget).saturating_sub(others)).unwrap_or(-1)
}
