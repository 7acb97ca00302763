//! The best window of one job at given prices, with proof.
//!
//! **Problem.** Over all starts, whether or not anybody else is there, choose as many seats as the job has tasks such that what they count
//! and the prices of their time are least, and their real cost is within the budget. What a delay counts, if it does, comes to it with the start.
//!
//! **Method.** Best first over intervals of starts. No task that starts between a and b on a node pays less than the prices
//! of that node from b until a + its run time, for prices are never negative; the least sums of these bound every window of the
//! interval, with the budget paid for where it binds (see [`pricing`](crate::search)). The interval of the least bound is halved, and at the
//! middle the best window is found exactly. It ends when no interval is below the best window by more than the
//! precision asked for: then the least bound is what is proven. An interval of one start is exact, so a precision of nothing
//! gives the best window itself.
//!
//! **Complexity.** Counted in seats looked at: about the logarithm of the horizon times those that could be alive, for every place in time that
//! is nearly as good as the best.
//!
//! Example: one node, a price of 2 before 10 and of 1 after it: a task of 4 starts at 10, for 4; the interval from 0 to 7 is passed over
//! with a bound of the prices from 7 until 4, that is 0, only once halves of it are bounded by 6 and more.

use super::grid::Prices;
use super::want::{Seat, Want};
use crate::search::{Item, bound_of, choose_within, reduced};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many branches may prove one choice of seats within a budget; beyond that its bound counts.
const BRANCHES_MAX: u64 = 2_000;

/// A window at prices.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub(super) pool: usize,
    pub(super) start: i64,
    /// Places in the pool.
    pub(super) seats: Vec<usize>,
    /// What the seats count beside prices.
    pub(super) own: i128,
}

/// What a search has shown.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// No window comes to less.
    pub(super) bound: i128,
    /// The best window met, and what it comes to.
    pub(super) pick: Pick,
    pub(super) value: i128,
}

/// Intervals of starts by bound, with where their seats are among the lists.
type Open = (i128, Stretch, Seats);

/// Starts of one pool, from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    pool: usize,
    from: i64,
    until: i64,
}

/// A part of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seats {
    from: usize,
    until: usize,
}

/// A search for one job after the other, and its room to work in.
#[derive(Default)]
pub(super) struct Search {
    open: BinaryHeap<Reverse<Open>>,
    lists: Vec<u32>,
    /// Value, cost and place of the seats at hand.
    order: Vec<(i64, i64, u32)>,
    items: Vec<Item>,
    sums: Vec<i128>,
    best: Option<(i128, Pick)>,
    /// The least bound of all choices of seats that were not proven.
    unproven: i128,
    /// What a micro-credit of the budget is worth (see [`reduced`]).
    budget_price: i128,
    /// Seats looked at, ever.
    pub(super) looks: u64,
}

/// What is known of a job from when it was last asked: a pool and a start, and the price of its budget.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hint {
    at: Option<(usize, i64)>,
    budget_price: i128,
}

impl Search {
    /// The best window of a job; of a value of v, up to v >> `precision` more than what is proven. `None` when there is no
    /// window at all.
    pub(super) fn best(
        &mut self,
        want: &Want,
        prices: &Prices,
        hint: &mut Hint,
        precision: u32,
    ) -> Option<Shown> {
        self.begin(hint);
        for (pool, seats) in want.pools.iter().enumerate() {
            let list = Seats { from: self.lists.len(), until: self.lists.len() + seats.len() };
            self.lists.extend((0..seats.len()).filter_map(|place| u32::try_from(place).ok()));
            if let Some((_, start)) = hint.at.filter(|(at, _)| *at == pool) {
                self.try_start(want, prices, pool, start, list);
            }
            let (from, until) =
                (seats.iter().map(|it| it.first).min()?, seats.iter().map(|it| it.last).max()?);
            self.open.push(Reverse((0, Stretch { pool, from, until }, list)));
        }
        while let Some(Reverse((bound, Stretch { pool, from, until }, list))) = self.open.pop() {
            let best = self.best.as_ref().map_or(i128::MAX, |it| it.0);
            if bound >= best - (best >> precision) {
                self.unproven = self.unproven.min(bound);
                break;
            }
            let middle = from + ((until - from) >> 1);
            self.try_start(want, prices, pool, middle, list);
            for (from, until) in [(from, middle - 1), (middle + 1, until)] {
                if from <= until {
                    self.look(want, prices, Stretch { pool, from, until }, list, bound);
                }
            }
        }
        hint.budget_price = self.budget_price;
        let (value, pick) = self.best.take()?;
        hint.at = Some((pick.pool, pick.start));
        Some(Shown { bound: self.unproven.min(value), pick, value })
    }

    fn begin(&mut self, hint: &Hint) {
        self.open.clear();
        self.lists.clear();
        self.best = None;
        self.unproven = i128::MAX;
        self.budget_price = hint.budget_price;
    }

    /// Bounds a stretch by the seats of a longer one, and keeps it where it may matter, with the seats that may.
    fn look(&mut self, want: &Want, prices: &Prices, stretch: Stretch, list: Seats, at_least: i128) {
        self.order.clear();
        self.looks += (list.until - list.from) as u64;
        for place in &self.lists[list.from..list.until] {
            let seat = &want.pools[stretch.pool][*place as usize];
            let (first, last) = (stretch.from.max(seat.first), stretch.until.min(seat.last));
            if first <= last {
                let paid = prices.until(seat.node, first + seat.runtime) - prices.until(seat.node, last);
                self.order.push((seat.own + paid.max(0), seat.cost, *place));
            }
        }
        let best = self.best.as_ref().map_or(i128::MAX, |it| it.0);
        let Some((value, cost)) = self.least(want.tasks) else { return };
        let delay = want.delayed(stretch.from);
        let value = value + delay;
        let bound = (self.within_budget(want, value - delay, cost) + delay).max(at_least);
        if bound >= best {
            return;
        }
        // With a seat beside the least n - 1 that comes to the best or more, there is no better window.
        let last = self.order[..want.tasks].iter().map(|it| it.0).max().unwrap_or(0);
        let most = best.saturating_sub(value).saturating_add(last.into());
        let from = self.lists.len();
        self.lists.extend(self.order.iter().filter(|it| i128::from(it.0) < most).map(|it| it.2));
        self.open.push(Reverse((bound, stretch, Seats { from, until: self.lists.len() })));
    }

    /// Puts the n of the least values first; gives what they come to, by value and by cost.
    fn least(&mut self, n: usize) -> Option<(i128, i128)> {
        if self.order.len() > n {
            self.order.select_nth_unstable(n - 1);
        }
        let add = |(value, cost): (i128, i128), it: &(i64, i64, u32)| {
            (value + i128::from(it.0), cost + i128::from(it.1))
        };
        Some(self.order.get(..n)?.iter().fold((0, 0), add))
    }

    /// What every choice comes to at least when those of the least values come to so much: with the budget paid for, where it binds.
    fn within_budget(&mut self, want: &Want, value: i128, cost: i128) -> i128 {
        let budget = i128::from(want.budget);
        if cost <= budget || self.budget_price <= 0 {
            return value;
        }
        self.sums.clear();
        let item = |it: &(i64, i64, u32)| Item { value: it.0, cost: it.1 };
        self.sums.extend(self.order.iter().map(|it| reduced(&item(it), self.budget_price)));
        if self.sums.len() > want.tasks {
            self.sums.select_nth_unstable(want.tasks - 1);
        }
        let sum = self.sums[..want.tasks].iter().fold(0_i128, |sum, it| sum.saturating_add(*it));
        value.max(bound_of(sum, budget, self.budget_price))
    }

    /// The best window at one start, where it beats the best so far.
    fn try_start(&mut self, want: &Want, prices: &Prices, pool: usize, start: i64, list: Seats) {
        self.order.clear();
        self.looks += (list.until - list.from) as u64;
        let seats = &want.pools[pool];
        for place in &self.lists[list.from..list.until] {
            let seat = &seats[*place as usize];
            if seat.first <= start && start <= seat.last {
                let paid = prices.until(seat.node, start + seat.runtime) - prices.until(seat.node, start);
                self.order.push((seat.own + paid, seat.cost, *place));
            }
        }
        let delay = want.delayed(start);
        let best = self.best.as_ref().map_or(i128::MAX, |it| it.0 - delay);
        let Some((value, chosen)) = self.choice(want, best, delay) else { return };
        let own = delay + chosen.iter().map(|place| i128::from(seats[*place].own)).sum::<i128>();
        self.best = Some((value + delay, Pick { pool, start, seats: chosen, own }));
    }

    /// The least choice of the seats in order within the budget, where it comes to less than the best, beside what its delay counts.
    fn choice(&mut self, want: &Want, best: i128, delay: i128) -> Option<(i128, Vec<usize>)> {
        let n = want.tasks;
        let (value, cost) = self.least(n)?;
        let budget = i128::from(want.budget);
        if value >= best {
            return None;
        }
        if cost <= budget {
            return Some((value, self.order[..n].iter().map(|it| it.2 as usize).collect()));
        }
        self.items.clear();
        self.items.extend(self.order.iter().map(|it| Item { value: it.0, cost: it.1 }));
        let mut branches = BRANCHES_MAX;
        let choice = choose_within(&self.items, n, budget, best, &mut branches, &mut self.budget_price)?;
        if choice.bound < choice.value {
            self.unproven = self.unproven.min(choice.bound + delay);
        }
        let chosen = choice.items.iter().map(|item| self.order[*item].2 as usize);
        (choice.value < best).then(|| (choice.value, chosen.collect()))
    }
}

impl Pick {
    /// Where the tasks are.
    pub(super) fn places<'a>(&'a self, want: &'a Want) -> impl Iterator<Item = &'a Seat> {
        self.seats.iter().map(|place| &want.pools[self.pool][*place])
    }
}
