//! Criterion windows: the best window of the whole list.
//!
//! **Problem.** Over all starts, choose N of the candidates alive such that the criterion is least, the total
//! cost is within the budget and the deadline is met. Ties go to the earlier start, then to the lower cost.
//!
//! **Method.** It is enough to try the starts of slots: any window can be moved forward to the last of them
//! with every candidate still alive. At each start the N cheapest tell whether a window exists at all. Then:
//! - *cost*: the N cheapest are the best.
//! - *start*: the first start with a window; the scan ends.
//! - *runtime*, *finish*, *price*: the least bottleneck R (run time, or price per time) such that the N cheapest
//!   among the candidates of at most R are within the budget. What cannot beat the best so far no longer joins.
//! - *node-time, energy, attribute sums*: n of m with min Σz and Σc ≤ S (see [`super::knapsack`]), tried only
//!   where the N least z leave hope of beating the best so far.
//!
//! **Complexity.** O(n log m) for cost and start; O(m log m) more for every improvement of a
//! bottleneck; one exact choice per start that passes the test for the sums, within the limit on branches. When that
//! limit is hit, the result carries the bound that holds.

use super::cheapest::{Cheapest, Entry};
use super::config::Criterion;
use super::knapsack;
use super::pricing::Item;
use super::scan::{Candidate, Selector, scan};
use super::view::{View, attribute_millionths};
use super::{Found, window_of};
use crate::slots::SlotList;
use std::ops::ControlFlow;
use walras_model::offer::{Offers, SlotKey};

/// The best window by a criterion.
pub(crate) fn best_window(
    list: &SlotList,
    offers: &Offers,
    view: &View,
    criterion: &Criterion,
    branches_max: u64,
    slots_scanned: &mut u64,
) -> Option<Found> {
    let weights = weights(offers, criterion);
    let mut selector = Best::new(&weights, view, criterion, branches_max);
    scan(list, view, &mut selector, slots_scanned);
    selector.evaluate_all();
    let best = selector.best?;
    let window = window_of(list, view, best.start, best.keys)?;
    Some(Found { window, bound: selector.unproven.filter(|bound| *bound < best.value) })
}

/// A candidate while it may still be part of a window.
#[derive(Clone, Copy, Debug)]
struct Alive {
    key: SlotKey,
    value: i64,
    cost: i64,
    /// The run time, or the rate: what counts in a criterion that takes the worst of the tasks.
    bottleneck: i64,
    expiry: i64,
}

/// The candidates that may be combined with each other.
#[derive(Clone)]
struct Pool {
    alive: Vec<Alive>,
    by_cost: Cheapest,
    /// Only for sums.
    by_value: Cheapest,
    changed: bool,
}

/// The best window met.
#[derive(Clone, Debug)]
pub(super) struct BestSoFar {
    pub(super) value: i128,
    pub(super) start: i64,
    pub(super) cost: i128,
    pub(super) keys: Vec<SlotKey>,
}

/// Takes candidates in order of their starts and keeps the best window that they make.
pub(super) struct Best<'a> {
    view: &'a View,
    criterion: &'a Criterion,
    /// What each node adds to a sum per millisecond (energy) or per task (attribute), by id.
    weights: &'a [i64],
    pools: Vec<Pool>,
    /// Pools that were joined at the current start.
    changed: Vec<usize>,
    now: i64,
    best: Option<BestSoFar>,
    /// What may still be spent on proofs.
    work_left: u64,
    /// The least bound of all choices that were not proven.
    unproven: Option<i128>,
}

impl<'a> Best<'a> {
    pub(super) fn new(
        weights: &'a [i64],
        view: &'a View,
        criterion: &'a Criterion,
        branches_max: u64,
    ) -> Self {
        let cheapest = Cheapest::new(view.tasks);
        let pool = Pool { alive: Vec::new(), by_cost: cheapest.clone(), by_value: cheapest, changed: false };
        Best {
            view,
            criterion,
            weights,
            pools: vec![pool; view.pool_count],
            now: i64::MIN,
            best: None,
            work_left: branches_max,
            changed: Vec::new(),
            unproven: None,
        }
    }

    /// Only windows of at most this value are of interest.
    pub(super) fn up_to(self, value: i128) -> Self {
        let none = BestSoFar { value: value.saturating_add(1), start: i64::MIN, cost: 0, keys: Vec::new() };
        Best { best: Some(none), ..self }
    }

    /// The best window of all that joined.
    pub(super) fn finish(mut self) -> Option<BestSoFar> {
        self.evaluate_all();
        self.best.filter(|best| !best.keys.is_empty())
    }

    /// Whether the criterion takes the worst of the tasks.
    fn takes_worst(&self) -> bool {
        matches!(self.criterion, Criterion::Runtime | Criterion::Finish | Criterion::Price)
    }

    /// The last start at which a candidate could still improve on the best so far.
    fn useful_until(&self, bottleneck: i64, expiry: i64) -> i64 {
        match (self.criterion, &self.best) {
            (Criterion::Runtime | Criterion::Price, Some(best)) if i128::from(bottleneck) >= best.value => {
                i64::MIN
            }
            (Criterion::Finish, Some(best)) => {
                let last = best.value - 1 - i128::from(bottleneck);
                expiry.min(i64::try_from(last).unwrap_or(i64::MIN))
            }
            _ => expiry,
        }
    }

    /// Tries the current start with all that joined there.
    fn evaluate_all(&mut self) {
        let improved_before = self.best.as_ref().map(|best| best.value);
        for pool in std::mem::take(&mut self.changed) {
            self.pools[pool].changed = false;
            self.evaluate(pool);
        }
        let improved = self.best.as_ref().map(|best| best.value) != improved_before;
        if improved && self.takes_worst() {
            self.drop_useless();
        }
    }

    fn evaluate(&mut self, pool: usize) {
        let now = self.now;
        self.pools[pool].by_cost.advance(now);
        let Some(cost) = self.pools[pool].by_cost.sum() else { return };
        if cost > i128::from(self.view.budget) {
            return;
        }
        match self.criterion {
            Criterion::Cost => self.consider_cheapest(pool, cost, cost),
            Criterion::Start => self.consider_cheapest(pool, i128::from(now), cost),
            Criterion::Runtime | Criterion::Price => self.consider_bottleneck(pool, 0),
            Criterion::Finish => self.consider_bottleneck(pool, now),
            Criterion::NodeTime | Criterion::Energy | Criterion::Attribute(_) => self.consider_sum(pool),
        }
    }

    fn improves(&self, value: i128, cost: i128) -> bool {
        let offer = (value, self.now, cost);
        self.best.as_ref().is_none_or(|best| offer < (best.value, best.start, best.cost))
    }

    fn consider_cheapest(&mut self, pool: usize, value: i128, cost: i128) {
        if self.improves(value, cost) {
            let keys = self.pools[pool].by_cost.members().map(|entry| entry.key()).collect();
            self.best = Some(BestSoFar { value, start: self.now, cost, keys });
        }
    }

    /// The least bottleneck at this start, counted from `origin`.
    fn consider_bottleneck(&mut self, pool: usize, origin: i64) {
        let mut alive = self.take_stock(pool);
        alive.sort_unstable_by_key(|alive| (alive.bottleneck, alive.key));
        let mut cheapest = Cheapest::new(self.view.tasks);
        for (index, candidate) in alive.iter().enumerate() {
            cheapest.join(Entry::new(candidate.cost, candidate.key, i64::MAX));
            let next_is_worse =
                alive.get(index + 1).is_none_or(|next| next.bottleneck > candidate.bottleneck);
            let Some(cost) = cheapest.sum().filter(|_| next_is_worse) else { continue };
            if cost > i128::from(self.view.budget) {
                continue;
            }
            let value = i128::from(origin) + i128::from(candidate.bottleneck);
            if self.improves(value, cost) {
                let keys = cheapest.members().map(|entry| entry.key()).collect();
                self.best = Some(BestSoFar { value, start: self.now, cost, keys });
            }
            return;
        }
    }

    /// The least sum at this start.
    fn consider_sum(&mut self, pool: usize) {
        let now = self.now;
        self.pools[pool].by_value.advance(now);
        let Some(least) = self.pools[pool].by_value.sum() else { return };
        // An equal value improves only at the same start, by a lower cost.
        let cutoff = match &self.best {
            Some(best) if best.start == now => best.value + 1,
            Some(best) => best.value,
            None => i128::MAX,
        };
        if least >= cutoff {
            return;
        }
        if self.work_left == 0 && self.best.is_some() {
            self.unproven = Some(self.unproven.map_or(least, |bound| bound.min(least)));
            return;
        }
        let alive = self.take_stock(pool);
        let items: Vec<Item> =
            alive.iter().map(|alive| Item { value: alive.value, cost: alive.cost }).collect();
        // Pricing is work too: about so many passes over the items.
        self.work_left = self.work_left.saturating_sub(8 * items.len() as u64);
        let budget = i128::from(self.view.budget);
        let choice = knapsack::choose(&items, self.view.tasks, budget, cutoff, &mut self.work_left, &mut 0);
        let Some(choice) = choice else { return };
        if choice.bound < choice.value {
            self.unproven = Some(self.unproven.map_or(choice.bound, |bound| bound.min(choice.bound)));
        }
        if self.improves(choice.value, choice.cost) {
            let keys = choice.items.iter().map(|index| alive[*index].key).collect();
            self.best = Some(BestSoFar { value: choice.value, start: now, cost: choice.cost, keys });
        }
    }

    /// The candidates of a pool that are alive now; the dead are forgotten.
    fn take_stock(&mut self, pool: usize) -> Vec<Alive> {
        let now = self.now;
        let alive = &mut self.pools[pool].alive;
        alive.retain(|candidate| candidate.expiry >= now);
        alive.clone()
    }

    /// After an improvement: forgets candidates that cannot take part in a better window.
    fn drop_useless(&mut self) {
        let now = self.now;
        for index in 0..self.pools.len() {
            let mut alive = std::mem::take(&mut self.pools[index].alive);
            for candidate in &mut alive {
                candidate.expiry = self.useful_until(candidate.bottleneck, candidate.expiry);
            }
            alive.retain(|candidate| candidate.expiry >= now);
            let mut by_cost = Cheapest::new(self.view.tasks);
            by_cost.advance(now);
            for candidate in &alive {
                by_cost.join(Entry::new(candidate.cost, candidate.key, candidate.expiry));
            }
            let pool = &mut self.pools[index];
            (pool.alive, pool.by_cost) = (alive, by_cost);
        }
    }

    /// Whether no later start can improve on what there is.
    fn settled(&self, start: i64) -> bool {
        match (self.criterion, &self.best) {
            (Criterion::Start, Some(_)) => true,
            (Criterion::Finish, Some(best)) => {
                i128::from(start) + i128::from(self.view.runtime_min) >= best.value
            }
            _ => false,
        }
    }
}

impl Selector for Best<'_> {
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
        if candidate.start > self.now {
            self.evaluate_all();
            if self.settled(candidate.start) {
                return ControlFlow::Break(());
            }
            self.now = candidate.start;
        }
        let (key, cost) = (candidate.slot.key(), candidate.cost());
        let bottleneck = bottleneck(self.criterion, &candidate);
        let expiry = self.useful_until(bottleneck, candidate.expiry);
        let Some(value) = value_of(self.criterion, self.weights, &candidate) else {
            return ControlFlow::Continue(());
        };
        if cost > self.view.budget || expiry < candidate.start {
            return ControlFlow::Continue(());
        }
        let (now, sums) = (self.now, sums(self.criterion));
        let keeps_alive = sums || self.takes_worst();
        let number = self.view.pool_of(candidate.slot.node().index());
        let pool = &mut self.pools[number];
        pool.by_cost.advance(now);
        pool.by_cost.join(Entry::new(cost, key, expiry));
        if sums {
            pool.by_value.advance(now);
            pool.by_value.join(Entry::new(value, key, expiry));
        }
        if keeps_alive {
            if pool.alive.len() == pool.alive.capacity() {
                pool.alive.retain(|alive| alive.expiry >= now);
                pool.alive.reserve(pool.alive.len() + 1);
            }
            pool.alive.push(Alive { key, value, cost, bottleneck, expiry });
        }
        if !std::mem::replace(&mut pool.changed, true) {
            self.changed.push(number);
        }
        ControlFlow::Continue(())
    }
}

/// What counts of a candidate where the worst of the tasks does: the rate, or the run time.
pub(super) fn bottleneck(criterion: &Criterion, candidate: &Candidate<'_>) -> i64 {
    match criterion {
        Criterion::Price => candidate.rate,
        _ => candidate.runtime,
    }
}

/// Whether the criterion is a sum over the tasks that is not their cost.
pub(super) fn sums(criterion: &Criterion) -> bool {
    matches!(criterion, Criterion::NodeTime | Criterion::Energy | Criterion::Attribute(_))
}

/// What a candidate adds to the criterion; `None` beyond the range of numbers.
pub(super) fn value_of(criterion: &Criterion, weights: &[i64], candidate: &Candidate<'_>) -> Option<i64> {
    let weight = weights.get(candidate.slot.node().index()).copied();
    match criterion {
        Criterion::NodeTime => Some(candidate.runtime),
        Criterion::Energy => weight?.checked_mul(candidate.runtime),
        Criterion::Attribute(_) => weight,
        _ => Some(0),
    }
}

/// What each node adds to a sum: milliwatts, or millionths of the attribute.
pub(super) fn weights(offers: &Offers, criterion: &Criterion) -> Vec<i64> {
    match criterion {
        Criterion::Energy => {
            offers.nodes().iter().map(|node| node.watts.map_or(0, |watts| watts.as_milliwatts())).collect()
        }
        Criterion::Attribute(name) => offers
            .nodes()
            .iter()
            .map(|node| attribute_millionths(&node.attributes, name).unwrap_or(0))
            .collect(),
        _ => Vec::new(),
    }
}
