//! ALP and AMP: the earliest window, and the next one after it.
//!
//! **Problem.** The earliest start at which N slots are free together, each long enough for a task on its
//! node: under ALP with no slot dearer than the price cap, under AMP with all N within the budget S. Then, when
//! that window and others have been cut out, the next earliest, without starting over.
//!
//! **Method.** Candidates join in order of start; the window starts where the last one joined. ALP counts
//! the candidates alive and stops at N. AMP tries the N cheapest alive after every arrival, by what the task
//! costs there (rate × run time), not by rate alone. Where ALP's request states a budget, the N cheapest
//! under the cap must be within it.
//!
//! To go on after cuts, the gathered candidates are kept. The list only loses time, so nothing that failed
//! before can succeed now, and three things suffice: slots that came into being before the place reached join
//! without a test; when candidates seem to make a window, those that were cut short meanwhile are found out and
//! leave before it counts; and the scan goes on behind the place reached.
//!
//! **Complexity.** O(n log N) for ALP and O(n log m) for AMP over n slots with m alive at once, for all windows
//! of a request together, plus O(N) per window.
//!
//! Source: Toporkov et al., ALP and AMP.

use super::cheapest::{Cheapest, Entry};
use super::gathering::Gathering;
use super::scan::{Candidate, Selector, join_all, scan, scan_on};
use super::view::View;
use super::window_of;
use crate::slots::{Segments, SlotList};
use std::ops::ControlFlow;
use walras_model::offer::{Slot, SlotKey};
use walras_model::quantity::rounding;
use walras_model::window::Window;

/// The earliest window for `view`.
pub(crate) fn first_window(list: &SlotList, view: &View, slots_scanned: &mut u64) -> Option<Window> {
    FirstSearch::new(list, view).next(list, view, &[], slots_scanned)
}

/// The same, by stretches of time: what reaches into the first that matters is at hand, wherever it starts.
pub(crate) fn first_window_since(
    list: &SlotList,
    segments: &Segments,
    view: &View,
    slots_scanned: &mut u64,
) -> Option<Window> {
    let mut search = FirstSearch::new(list, view);
    if search.hopeless() {
        return None;
    }
    let mut progress = Progress { list, view, search: &mut search, found: None };
    let mut reaching = true;
    for segment in segments.since(view.earliest) {
        let from = segment.opening.as_millis().max(view.earliest);
        if from.saturating_add(view.runtime_min) > view.deadline {
            break;
        }
        let carried = if std::mem::take(&mut reaching) { &segment.carried[..] } else { &[] };
        *slots_scanned += (carried.len() + segment.own.len()) as u64;
        let read = |slots: &[Slot], progress: &mut Progress<'_>| join_all(slots, view, from, progress);
        if read(carried, &mut progress).is_break() || read(&segment.own, &mut progress).is_break() {
            break;
        }
    }
    let (start, keys) = progress.found?;
    window_of(list, view, start, keys)
}

/// A search that can go on: what it has gathered, by pool, and how far it has come.
#[derive(Clone)]
pub(crate) struct FirstSearch {
    pools: Pools,
    position: Option<SlotKey>,
}

#[derive(Clone)]
enum Pools {
    /// Without a budget it matters only how many are alive.
    Alive(Vec<Gathering>),
    Affordable {
        pools: Vec<Cheapest>,
        /// What one task may cost when all others cost as little as any slot of the list allows.
        task_cost_max: i64,
    },
}

impl FirstSearch {
    pub(crate) fn new(list: &SlotList, view: &View) -> FirstSearch {
        let rates = list.groups().iter().map(|group| group.summary.rate_min);
        FirstSearch::from_rate(rates.min().unwrap_or(i64::MAX), view)
    }

    /// The same where no slot costs less per second.
    pub(super) fn from_rate(rate_min: i64, view: &View) -> FirstSearch {
        let pools = if view.budget == i64::MAX {
            Pools::Alive(vec![Gathering::default(); view.pool_count])
        } else {
            let pools = vec![Cheapest::new(view.tasks); view.pool_count];
            Pools::Affordable { pools, task_cost_max: task_cost_max(rate_min, view) }
        };
        FirstSearch { pools, position: None }
    }

    /// The next window on what is left; `born` are slots that came into being since the last call.
    pub(crate) fn next(
        &mut self,
        list: &SlotList,
        view: &View,
        born: &[SlotKey],
        slots_scanned: &mut u64,
    ) -> Option<Window> {
        if self.hopeless() {
            return None;
        }
        let position = self.position;
        let mut progress = Progress { list, view, search: self, found: None };
        match position {
            None => scan(list, view, &mut progress, slots_scanned),
            Some(position) => {
                progress.welcome(born, position);
                scan_on(list, view, position, &mut progress, slots_scanned);
            }
        }
        let (start, keys) = progress.found?;
        window_of(list, view, start, keys)
    }

    /// Whether the budget suffices for no window whatever is free.
    pub(super) fn hopeless(&self) -> bool {
        matches!(self.pools, Pools::Affordable { task_cost_max, .. } if task_cost_max < 0)
    }

    /// How many candidates are held.
    pub(crate) fn len(&self) -> usize {
        match &self.pools {
            Pools::Alive(pools) => pools.iter().map(Gathering::len).sum(),
            Pools::Affordable { pools, .. } => pools.iter().map(Cheapest::len).sum(),
        }
    }

    /// Adds a candidate to its pool at `now`. It is the inner loop of every scan: called instead of inlined, it costs a
    /// scan a twelfth.
    #[inline(always)]
    fn add(&mut self, candidate: &Candidate<'_>, pool: usize, now: i64) {
        let Candidate { slot, expiry, rate, runtime, .. } = candidate;
        self.put(slot.key(), *expiry, (*rate, *runtime), (pool, now));
    }

    /// The same of what has this key, can start until `expiry`, and costs so much per second for so long.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        key: SlotKey,
        expiry: i64,
        (rate, runtime): (i64, i64),
        (pool, now): (usize, i64),
    ) {
        match &mut self.pools {
            Pools::Alive(pools) => pools[pool].join(expiry, key),
            Pools::Affordable { pools, task_cost_max } => {
                let cost = rounding::cost(rate, runtime);
                if cost <= *task_cost_max {
                    pools[pool].advance(now);
                    pools[pool].join(Entry::new(cost, key, expiry));
                }
            }
        }
    }

    /// Whether the candidates of a pool make a window at `now`, as far as is known.
    #[inline]
    pub(super) fn seems_complete(&mut self, pool: usize, view: &View, now: i64) -> bool {
        match &mut self.pools {
            Pools::Alive(pools) => pools[pool].has(view.tasks, now),
            Pools::Affordable { pools, .. } => {
                pools[pool].sum().is_some_and(|sum| sum <= i128::from(view.budget))
            }
        }
    }

    pub(super) fn members(&self, pool: usize) -> Vec<SlotKey> {
        match &self.pools {
            Pools::Alive(pools) => pools[pool].keys(),
            Pools::Affordable { pools, .. } => pools[pool].members().map(Entry::key).collect(),
        }
    }

    fn withdraw(&mut self, pool: usize, gone: &[SlotKey]) {
        match &mut self.pools {
            Pools::Alive(pools) => pools[pool].withdraw(gone),
            Pools::Affordable { pools, .. } => pools[pool].withdraw(gone),
        }
    }
}

/// A search under way on a list.
struct Progress<'a> {
    list: &'a SlotList,
    view: &'a View,
    search: &'a mut FirstSearch,
    found: Option<(i64, Vec<SlotKey>)>,
}

impl Progress<'_> {
    /// Lets slots join that came into being before the place reached.
    fn welcome(&mut self, born: &[SlotKey], position: SlotKey) {
        let now = position.start.as_millis().max(self.view.earliest);
        for key in born.iter().filter(|key| **key <= position) {
            let Some(candidate) = self.list.get(*key).and_then(|slot| Candidate::new(slot, self.view)) else {
                continue;
            };
            if candidate.expiry >= now {
                self.search.add(&candidate, self.view.pool_of(key.node.index()), now);
            }
        }
    }

    /// Finds members out that were cut since they joined; whether all are as they were.
    fn check_members(&mut self, pool: usize, members: &[SlotKey], now: i64) -> bool {
        let usable = |key: &SlotKey| {
            let candidate = self.list.get(*key).and_then(|slot| Candidate::new(slot, self.view));
            candidate.is_some_and(|candidate| candidate.expiry >= now)
        };
        let mut gone: Vec<SlotKey> = members.iter().copied().filter(|key| !usable(key)).collect();
        if gone.is_empty() {
            return true;
        }
        gone.sort_unstable();
        self.search.withdraw(pool, &gone);
        false
    }
}

impl Selector for Progress<'_> {
    #[inline]
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        let (pool, now) = (self.view.pool_of(candidate.slot.node().index()), candidate.start);
        self.search.add(&candidate, pool, now);
        while self.search.seems_complete(pool, self.view, now) {
            let members = self.search.members(pool);
            if self.check_members(pool, &members, now) {
                self.search.position = Some(candidate.slot.key());
                self.found = Some((now, members));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// The budget less the least that all tasks but one can cost; negative when that alone is too much.
fn task_cost_max(rate_min: i64, view: &View) -> i64 {
    let task_cost_min = rounding::down(i128::from(rate_min) * i128::from(view.runtime_min), 1_000);
    let others = i128::try_from(view.tasks - 1).unwrap_or(i128::MAX).saturating_mul(task_cost_min);
    i64::try_from(i128::from(view.budget).saturating_sub(others)).unwrap_or(-1)
}
