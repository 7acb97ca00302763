//! The window of least sum that starts in one stretch of time.
//!
//! **Problem.** Of all starts in a stretch, and at each of them, n of the m candidates alive with the least sum of z and costs
//! within the budget. Choosing exactly ([`super::knapsack`]) at every start would cost far more than reading the slots.
//!
//! **Method.** One pass bounds every start: for any price λ of the budget S, the n least z + λc, less λS, bound the sum from
//! below, and the n least are kept under arrivals and expiries ([`super::cheapest`]). λ is what the last exact choice of the
//! same request came to. Starts are then solved exactly in order of their bounds, until none can be better. Candidates that
//! are part of no window of interest are passed over ([`super::ranking`]).
//!
//! **Complexity.** O(m log m) for the pass over m slots, and one exact choice for about every start that ties with the best.

use super::again::Market;
use super::cheapest::{Cheapest, Entry};
use super::criterion::{BestSoFar, value_of};
use super::knapsack::{self, Item, SCALE};
use super::scan::{Candidate, Selector, join_all};
use super::view::View;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use walras_model::offer::SlotKey;

/// A window that was chosen.
pub(super) struct Met {
    pub(super) best: BestSoFar,
    /// Whether the budget played no part in it.
    pub(super) free: bool,
    /// Of equal windows at one start, that of the pool joined first counts.
    turn: usize,
}

/// What a stretch has to offer.
pub(super) struct LeastSum {
    pub(super) best: Option<Met>,
    /// The least value that is not excluded, when the best is not proven.
    pub(super) unproven: Option<i128>,
}

/// The window of least sum in a stretch, when it is at most `value_max`.
pub(super) fn least_sum(
    market: &Market<'_>,
    view: &View,
    number: usize,
    value_max: Option<i128>,
    work_left: &mut u64,
    price: &mut i128,
    slots_scanned: &mut u64,
) -> LeastSum {
    let segment = &market.segments.all()[number];
    let from = segment.opening.as_millis().max(view.earliest);
    let mut bounds = Bounds::new(market, view, *price);
    market.feed(number, view, from, value_max, &mut bounds, slots_scanned);
    bounds.evaluate(0);
    let mut found = LeastSum { best: None, unproven: None };
    let mut starts = BinaryHeap::from(bounds.starts);
    while let Some(Reverse((bound, start, turn, pool))) = starts.pop() {
        let beaten = |met: &Met| (met.best.value, met.best.start) < (bound, start);
        if found.best.as_ref().is_some_and(beaten) || value_max.is_some_and(|most| bound > most) {
            break;
        }
        if *work_left == 0 && found.best.is_some() {
            found.leave_unproven(bound);
            break;
        }
        let cutoff = match &found.best {
            Some(met) if start <= met.best.start => met.best.value + 1,
            Some(met) => met.best.value,
            None => value_max.map_or(i128::MAX, |value_max| value_max + 1),
        };
        let mut alive = Alive { market, view, at: start, pool, keys: Vec::new(), items: Vec::new() };
        let _ = join_all(&segment.carried, view, from, &mut alive)
            .is_continue()
            .then(|| join_all(&segment.own, view, from, &mut alive));
        // Sorting out and pricing is work too.
        *work_left = work_left.saturating_sub(alive.items.len() as u64);
        let budget = i128::from(view.budget);
        let choice = knapsack::choose(&alive.items, view.tasks, budget, cutoff, work_left, price);
        let Some(choice) = choice else { continue };
        if choice.bound < choice.value {
            found.leave_unproven(choice.bound);
        }
        let rank = (choice.value, start, choice.cost, turn);
        let better = |met: &Met| rank < (met.best.value, met.best.start, met.best.cost, met.turn);
        if choice.value < cutoff && found.best.as_ref().is_none_or(better) {
            let keys = choice.items.iter().map(|index| alive.keys[*index]).collect();
            let best = BestSoFar { value: choice.value, start, cost: choice.cost, keys };
            found.best = Some(Met { best, free: choice.free, turn });
        }
    }
    let value = found.best.as_ref().map(|met| met.best.value);
    found.unproven = found.unproven.filter(|bound| value.is_some_and(|value| *bound < value));
    found
}

impl LeastSum {
    fn leave_unproven(&mut self, bound: i128) {
        self.unproven = Some(self.unproven.map_or(bound, |least| least.min(bound)));
    }
}

/// The n cheapest and the n of least priced value, of candidates that may be combined.
#[derive(Clone)]
struct Pool {
    by_cost: Cheapest,
    by_priced: Cheapest,
    changed: bool,
}

/// Bounds the sum at every start.
struct Bounds<'a> {
    market: &'a Market<'a>,
    view: &'a View,
    price: i128,
    pools: Vec<Pool>,
    changed: Vec<usize>,
    now: i64,
    /// Bound, start, the pool's turn among those joined there, and the pool.
    starts: Vec<Reverse<(i128, i64, usize, usize)>>,
}

impl<'a> Bounds<'a> {
    fn new(market: &'a Market<'a>, view: &'a View, price: i128) -> Bounds<'a> {
        let cheapest = Cheapest::new(view.tasks);
        let pool = Pool { by_cost: cheapest.clone(), by_priced: cheapest, changed: false };
        let pools = vec![pool; view.pool_count];
        Bounds { market, view, price, pools, changed: Vec::new(), now: i64::MIN, starts: Vec::new() }
    }

    /// Bounds the current start with all that joined there.
    fn evaluate(&mut self, first_turn: usize) {
        for (turn, number) in (first_turn..).zip(std::mem::take(&mut self.changed)) {
            let pool = &mut self.pools[number];
            pool.changed = false;
            let affordable = pool.by_cost.sum().is_some_and(|cost| cost <= i128::from(self.view.budget));
            let Some(sum) = pool.by_priced.sum().filter(|_| affordable) else { continue };
            let bound =
                knapsack::bound_of(sum.saturating_mul(SCALE), i128::from(self.view.budget), self.price);
            self.starts.push(Reverse((bound, self.now, turn, number)));
        }
    }
}

impl Selector for Bounds<'_> {
    /// Those that are joined at the opening itself have their turns before these.
    fn settle(&mut self) {
        self.evaluate(self.view.pool_count);
    }

    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        if candidate.start > self.now {
            self.evaluate(0);
            self.now = candidate.start;
        }
        let cost = candidate.cost();
        let value = value_of(self.market.criterion, self.market.weights, &candidate);
        let Some(value) = value.filter(|_| cost <= self.view.budget) else {
            return ControlFlow::Continue(());
        };
        // Rounded down, so that what follows from it is a bound.
        let priced =
            i128::from(value).saturating_add(self.price.saturating_mul(i128::from(cost)) >> SCALE.ilog2());
        let priced = i64::try_from(priced).unwrap_or(i64::MAX);
        let (key, number) = (candidate.slot.key(), self.view.pool_of(candidate.slot.node().index()));
        let pool = &mut self.pools[number];
        pool.by_cost.advance(self.now);
        pool.by_cost.join(Entry::new(cost, key, candidate.expiry));
        pool.by_priced.advance(self.now);
        pool.by_priced.join(Entry::new(priced, key, candidate.expiry));
        if !std::mem::replace(&mut pool.changed, true) {
            self.changed.push(number);
        }
        ControlFlow::Continue(())
    }
}

/// Gathers the candidates of a pool that are alive at one start, in order of their keys.
struct Alive<'a> {
    market: &'a Market<'a>,
    view: &'a View,
    at: i64,
    pool: usize,
    keys: Vec<SlotKey>,
    items: Vec<Item>,
}

impl Selector for Alive<'_> {
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        if candidate.start > self.at {
            return ControlFlow::Break(());
        }
        let cost = candidate.cost();
        let number = self.view.pool_of(candidate.slot.node().index());
        let usable = candidate.expiry >= self.at && cost <= self.view.budget && number == self.pool;
        let value = value_of(self.market.criterion, self.market.weights, &candidate);
        if let Some(value) = value.filter(|_| usable) {
            self.keys.push(candidate.slot.key());
            self.items.push(Item { value, cost });
        }
        ControlFlow::Continue(())
    }
}
