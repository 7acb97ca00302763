//! The window of least sum that starts in one stretch of time.
//!
//! **Problem.** Of all starts in a stretch, and at each of them, n of the m candidates alive with the least sum of z and costs
//! within the budget. Choosing exactly ([`super::knapsack`]) at every start would cost far more than reading the slots.
//!
//! **Method.** For any price λ of the budget S, the n least z + λc, less λS, bound the sum from below. λ is what the last exact
//! choice of the same request came to. Where only sums up to a value are asked for, candidates that are part of no such window
//! are passed over ([`super::ranking`]), and those left are mostly so few that all starts are looked through at once ([`super::together`]).
//!
//! Where that takes too many steps, the n least are found at every start ([`super::few`],
//! [`super::cheapest`]), of which one starts then: others could start before. Starts are then solved exactly in order of their
//! bounds, until none can be better. Where a window of some value is known from elsewhere, starts beyond it are not solved: their
//! bounds tell when the stretch has to be searched again.
//!
//! **Complexity.** O(m log m) for the pass over m slots, and so many steps; where these are too few, one exact choice for about every start that
//! ties with the best.

use super::again::SearchInput;
use super::cheapest::{Cheapest, Entry};
use super::config::Criterion;
use super::criterion::BestSoFar;
use super::few::{FEW, Few, Weighed, keep_within};
use super::knapsack;
use super::pricing::{Item, SCALE, bound_of};
use super::ranking::candidates;
use super::scan::Candidate;
use super::together::{Together, Wanted, least_together};
use super::view::View;
use crate::slots::Segment;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many steps are tried before a stretch is solved start by start.
const STEPS_MAX: u64 = 2_000;

/// What a stretch has to offer.
pub(super) struct LeastSum {
    pub(super) best: Option<BestSoFar>,
    /// Whether it stays the best for as long as all its slots do.
    pub(super) settled: bool,
    /// The least value that is not excluded, when the best, or that there is none, is not proven.
    pub(super) unproven: Option<i128>,
    /// When there is no best: no window is below this, if that is proven, though there may be others.
    pub(super) open_from: Option<i128>,
    /// Whether there is no window at all, whatever was asked for.
    pub(super) none: bool,
}

/// Which windows are of interest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interest {
    /// Those of at most this value.
    pub(super) value_max: i128,
    /// Of those above this value no more than a bound.
    pub(super) needed: Option<i128>,
}

/// The window of least sum in a stretch, among those of interest; of all, where nothing is said.
pub(super) fn least_sum(
    input: &SearchInput<'_>,
    view: &View,
    number: usize,
    interest: Option<Interest>,
    work_left: &mut u64,
    price: &mut i128,
    slots_scanned: &mut u64,
) -> LeastSum {
    let value_max = interest.map(|interest| interest.value_max);
    let needed = interest.and_then(|interest| interest.needed);
    let segment = &input.segments.all()[number];
    let from = segment.opening.as_millis().max(view.earliest);
    let mut parts = Parts::new(view, *price, value_max);
    let adding = Adding::new(input);
    if let Some(value_max) = value_max {
        let met = |candidate: Candidate<'_>| parts.join(&candidate, &adding, view);
        let read = candidates(segment, view, input.criterion, from, value_max, met);
        *slots_scanned += read.slots as u64;
        match parts.together(value_max, work_left) {
            Some(Together::Best(best)) => {
                return LeastSum { best: Some(best), ..LeastSum::default() };
            }
            // No window is below what bounds those of which all are named, nor below what bounds the others.
            Some(Together::Beyond(bound)) => {
                let bound = bound.map(i128::from).into_iter().chain(read.beyond).min();
                let open_from = bound.map(|bound| bound.max(value_max + 1));
                return LeastSum { open_from, none: open_from.is_none(), ..LeastSum::default() };
            }
            None => {}
        }
    } else {
        all_candidates(segment, view, from).for_each(|candidate| parts.join(&candidate, &adding, view));
        *slots_scanned += segment.len() as u64;
    }
    let mut starts = BinaryHeap::from(parts.bounds(from));
    let mut found = LeastSum::default();
    while let Some(Reverse((bound, start))) = starts.pop() {
        if found.best.is_none() && needed.is_some_and(|needed| bound > needed) {
            found.leave_open(bound);
            break;
        }
        let beaten = |best: &BestSoFar| (best.value, best.start) < (bound, start);
        if found.best.as_ref().is_some_and(beaten) {
            break;
        }
        if *work_left == 0 && found.best.is_some() {
            found.leave_unproven(bound);
            break;
        }
        let cutoff = match &found.best {
            Some(best) if start <= best.start => best.value + 1,
            Some(best) => best.value,
            None => needed.or(value_max).map_or(i128::MAX, |value_max| value_max.saturating_add(1)),
        };
        let (places, items) = parts.alive_at(start);
        // Sorting out and pricing is work too.
        *work_left = work_left.saturating_sub(items.len() as u64);
        let choice = knapsack::choose(&items, view.tasks, parts.budget, cutoff, work_left, price);
        if let Some(choice) = choice.as_ref().filter(|choice| choice.bound < choice.value) {
            found.leave_unproven(choice.bound);
        }
        let Some(choice) = choice.filter(|choice| choice.value < cutoff) else {
            value_max.iter().for_each(|_| found.leave_open(cutoff));
            continue;
        };
        found.settled &= choice.settled;
        let rank = (choice.value, start, choice.cost);
        let better = |best: &BestSoFar| rank < (best.value, best.start, best.cost);
        if found.best.as_ref().is_none_or(better) {
            let keys = choice.items.iter().map(|item| parts.all[places[*item]].key).collect();
            found.best = Some(BestSoFar { value: choice.value, start, cost: choice.cost, keys });
        }
    }
    let value = found.best.as_ref().map(|best| best.value).or(found.open_from);
    found.unproven = found.unproven.filter(|bound| value.is_some_and(|value| *bound < value));
    found
}

impl Default for LeastSum {
    fn default() -> LeastSum {
        LeastSum { best: None, settled: true, unproven: None, open_from: None, none: false }
    }
}

impl LeastSum {
    fn leave_open(&mut self, bound: i128) {
        self.open_from = Some(self.open_from.map_or(bound, |least| least.min(bound)));
    }

    fn leave_unproven(&mut self, bound: i128) {
        self.unproven = Some(self.unproven.map_or(bound, |least| least.min(bound)));
    }
}

/// All candidates of a stretch; none starts before `from`.
fn all_candidates<'a>(segment: &'a Segment, view: &View, from: i64) -> impl Iterator<Item = Candidate<'a>> {
    let slots = segment.carried.iter().chain(&segment.own);
    let candidates = slots.filter_map(|slot| Candidate::new(slot, view));
    let not_before =
        candidates.map(move |candidate| Candidate { start: candidate.start.max(from), ..candidate });
    not_before.filter(|candidate| candidate.expiry >= candidate.start)
}

/// What candidates add to a sum, as [`super::criterion::value_of`], with all decided that is the same for each.
struct Adding<'a> {
    weights: &'a [i64],
    by_time: bool,
}

impl<'a> Adding<'a> {
    fn new(input: &SearchInput<'a>) -> Adding<'a> {
        let by_time = !matches!(input.criterion, Criterion::Attribute(_));
        Adding { weights: input.weights, by_time }
    }

    #[inline]
    fn value_of(&self, candidate: &Candidate<'_>) -> Option<i64> {
        // Only the time itself has no weights.
        let Some(weight) = self.weights.get(candidate.slot.node().index()) else {
            return Some(candidate.runtime);
        };
        if self.by_time { weight.checked_mul(candidate.runtime) } else { Some(*weight) }
    }
}

/// A candidate, with what it adds to a window; it weighs value and priced cost, rounded down, so that what follows from it is
/// a bound.
type Part = Weighed<Item>;

/// The candidates of a stretch that can be part of a window of interest.
struct Parts {
    all: Vec<Part>,
    tasks: usize,
    budget: i128,
    price: i128,
    value_max: Option<i128>,
}

impl Parts {
    fn new(view: &View, price: i128, value_max: Option<i128>) -> Parts {
        let (tasks, budget) = (view.tasks, i128::from(view.budget));
        Parts { all: Vec::with_capacity(64), tasks, budget, price, value_max }
    }

    /// Takes a candidate in, unless it alone is beyond the budget.
    #[inline]
    fn join(&mut self, candidate: &Candidate<'_>, adding: &Adding<'_>, view: &View) {
        let cost = candidate.cost();
        let Some(value) = adding.value_of(candidate).filter(|_| cost <= view.budget) else { return };
        let weight = match self.price {
            0 => value,
            price => {
                let priced = (price * i128::from(cost)) >> SCALE.ilog2();
                i64::try_from(i128::from(value).saturating_add(priced)).unwrap_or(i64::MAX)
            }
        };
        let (key, start, expiry) = (candidate.slot.key(), candidate.start, candidate.expiry);
        self.all.push(Part { weight, key, start, expiry, of: Item { value, cost } });
    }

    /// What the priced values of a window of interest may come to.
    fn priced_max(&self) -> i128 {
        let Some(value_max) = self.value_max else { return i128::MAX };
        let scaled = value_max.checked_mul(SCALE);
        let most = self.price.checked_mul(self.budget).and_then(|spent| scaled?.checked_add(spent));
        most.map_or(i128::MAX, |most| most >> SCALE.ilog2())
    }

    /// The best of all starts, when it is found quickly.
    fn together(&self, value_max: i128, work_left: &mut u64) -> Option<Together> {
        let spent_max = self.price.checked_mul(self.budget)? >> SCALE.ilog2();
        let wanted = Wanted {
            tasks: self.tasks,
            budget: i64::try_from(self.budget).ok()?,
            value_max: i64::try_from(value_max).ok()?,
            spent_max: i64::try_from(spent_max).ok()?,
        };
        let granted = STEPS_MAX.min(*work_left);
        let mut steps = granted;
        let found = least_together(&self.all, wanted, &mut steps);
        *work_left -= granted - steps;
        found
    }

    /// What bounds the sum at each start at which it may be of interest; where there is any, the candidates are in order of
    /// their keys then.
    fn bounds(&mut self, from: i64) -> Vec<Reverse<(i128, i64)>> {
        let most = self.priced_max();
        let mut sums: Vec<(i64, i128)> = Vec::new();
        if self.all.len() > FEW {
            keep_within(&mut self.all, self.tasks, most);
        }
        if self.all.len() > FEW {
            self.all.sort_unstable_by_key(|part| part.key);
            self.sweep(|start, sum| sums.push((start, sum)));
        } else {
            let few = Few::within(self.tasks, std::mem::take(&mut self.all), most);
            few.least_sums(from, most, |start, sum| sums.push((start, sum)));
            sums.sort_unstable();
            sums.dedup_by_key(|(start, _)| *start);
            if !sums.is_empty() {
                self.all = few.into_kept();
                self.all.sort_unstable_by_key(|part| part.key);
            }
        }
        let bound = |sum: i128| bound_of(sum.saturating_mul(SCALE), self.budget, self.price);
        let mut bounds: Vec<_> = sums.into_iter().map(|(start, sum)| Reverse((bound(sum), start))).collect();
        bounds.retain(|Reverse((bound, _))| self.value_max.is_none_or(|value_max| *bound <= value_max));
        bounds
    }

    /// The sum of the n least priced values at every start with a window within the budget; all are in order of their keys.
    fn sweep(&self, mut met: impl FnMut(i64, i128)) {
        let (mut by_cost, mut by_priced) = (Cheapest::new(self.tasks), Cheapest::new(self.tasks));
        for group in self.all.chunk_by(|one, next| one.start == next.start) {
            let now = group[0].start;
            by_cost.advance(now);
            by_priced.advance(now);
            for part in group {
                by_cost.join(Entry::new(part.of.cost, part.key, part.expiry));
                by_priced.join(Entry::new(part.weight, part.key, part.expiry));
            }
            let affordable = by_cost.sum().is_some_and(|cost| cost <= self.budget);
            if let Some(sum) = by_priced.sum().filter(|_| affordable) {
                met(now, sum);
            }
        }
    }

    /// Those alive at a start: their places, and what they add.
    fn alive_at(&self, start: i64) -> (Vec<usize>, Vec<Item>) {
        let mut places: Vec<usize> = Vec::with_capacity(self.all.len());
        places.extend((0..self.all.len()).filter(|at| self.all[*at].is_alive(start)));
        let items = places.iter().map(|place| self.all[*place].of).collect();
        (places, items)
    }
}
