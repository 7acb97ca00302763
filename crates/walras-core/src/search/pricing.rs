//! The price of a limit: what n of m items come to when the limit on their cost is paid for instead of kept.
//!
//! **Problem.** The greatest lower bound on the value of n items within a limit that a price for the cost can show, and good
//! choices on the way (see [`super::knapsack`]).
//!
//! **Method.** For a price λ ≥ 0 the n items of least z + λc, less λS, bound the value from below. As a function of λ that is
//! the lower envelope of lines, one for each choice; its top is found by going again and again to where the line of a choice
//! beyond the limit meets that of one within it. λ is a fraction p / 2²⁴, so that all is exact.
//!
//! **Complexity.** O(m) per price, about five of them.
//!
//! Example: the values 1, 2, 9 at costs 8, 5, 1, two to be chosen, limit 7. The lines of 1 + 2 (cost 13) and 2 + 9 (cost 6)
//! meet at λ = 8 / 7, where both come to 3 + 8/7 · 6, so that the value is at least 10.
//!
//! Source: cutting planes in the plane (J. E. Kelley, 1960) for the Lagrangean dual of one constraint.

use walras_model::quantity::rounding;

/// An item that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) value: i64,
    pub(crate) cost: i64,
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Places of the items, in order.
    pub(crate) items: Vec<usize>,
    pub(crate) value: i128,
    pub(crate) cost: i128,
    /// No choice has a lower value; equal to `value` when proven best.
    pub(crate) bound: i128,
    /// Whether it is known to be the answer: of the least value, then the least cost, then of the first places.
    pub(crate) settled: bool,
}

/// λ is a multiple of 2⁻²⁴.
pub(crate) const SCALE: i128 = 1 << 24;
/// λ stays below 2³⁶: beyond that the cost is all that counts.
const PRICE_MAX: i128 = 1 << 60;
/// So many prices are tried at most.
const PRICES_TRIED_MAX: usize = 64;

/// The items, priced again and again.
pub(super) struct Pricing<'a> {
    items: &'a [Item],
    n: usize,
    limit: i128,
    /// Reduced value, cost and place; the n least first.
    ranked: Vec<(i128, i64, usize)>,
}

/// The n items that are least at a price.
#[derive(Clone, Copy)]
pub(super) struct Priced {
    pub(super) value: i128,
    pub(super) cost: i128,
    /// The sum of their reduced values.
    sum: i128,
}

impl<'a> Pricing<'a> {
    pub(super) fn new(items: &'a [Item], n: usize, limit: i128) -> Pricing<'a> {
        Pricing { items, n, limit, ranked: Vec::with_capacity(items.len()) }
    }

    /// Goes to the top of the envelope: the best choice met, and the best bound.
    ///
    /// `beyond` exceeds the limit, `within` keeps it, and both are the least at some price.
    pub(super) fn best_price(
        &mut self,
        mut beyond: Priced,
        mut within: Priced,
        mut best: Choice,
        cutoff: i128,
        price: &mut i128,
    ) -> (Choice, i128) {
        let price_max = price_max(self.limit);
        let mut top = (beyond.sum, 0);
        let mut hint = Some(*price).filter(|price| (1..=price_max).contains(price));
        for _ in 0..PRICES_TRIED_MAX {
            let guessed = hint.is_some();
            let tried = hint.take().unwrap_or_else(|| meeting(&beyond, &within).min(price_max));
            let met = self.at(tried);
            let relaxed = met.sum.saturating_sub(tried * self.limit);
            top = top.max((relaxed, tried));
            let keeps = met.cost <= self.limit;
            if keeps && (met.value, met.cost) < (best.value, best.cost) {
                best = self.chosen(&met, 0);
            }
            let no_lower = met.sum >= reduced_sum(&beyond, tried).min(reduced_sum(&within, tried));
            if rounding::up(top.0, SCALE) >= cutoff || (no_lower && !guessed) {
                break;
            }
            if keeps { within = met } else { beyond = met }
        }
        *price = top.1;
        (best, rounding::up(top.0, SCALE))
    }

    /// The n items of least value + price · cost; of those, the cheapest; of those, the first.
    pub(super) fn at(&mut self, price: i128) -> Priced {
        let items = self.items;
        self.least_by(|index| (reduced(&items[index], price), items[index].cost, index))
    }

    /// The n cheapest items; of those, the least by value: nothing else keeps a limit that is lower.
    pub(super) fn cheapest(&mut self) -> Priced {
        let items = self.items;
        self.least_by(|index| (i128::from(items[index].cost), items[index].value, index))
    }

    fn least_by(&mut self, rank: impl Fn(usize) -> (i128, i64, usize)) -> Priced {
        self.ranked.clear();
        self.ranked.extend((0..self.items.len()).map(rank));
        if self.n < self.ranked.len() {
            self.ranked.select_nth_unstable(self.n - 1);
        }
        let mut priced = Priced { value: 0, cost: 0, sum: 0 };
        for (rank, _, index) in &self.ranked[..self.n] {
            priced.value += i128::from(self.items[*index].value);
            priced.cost += i128::from(self.items[*index].cost);
            priced.sum = priced.sum.saturating_add(*rank);
        }
        priced
    }

    /// The choice of what was ranked last.
    pub(super) fn chosen(&self, priced: &Priced, bound: i128) -> Choice {
        let mut items: Vec<usize> = self.ranked[..self.n].iter().map(|(_, _, index)| *index).collect();
        items.sort_unstable();
        Choice { items, value: priced.value, cost: priced.cost, bound, settled: false }
    }
}

/// The highest price, whose product with the limit is exact.
fn price_max(limit: i128) -> i128 {
    PRICE_MAX.min((i128::MAX >> 2) / limit.max(1))
}

/// The price at which two choices are worth the same, rounded down.
fn meeting(beyond: &Priced, within: &Priced) -> i128 {
    let (dearer, better) = (beyond.cost - within.cost, within.value - beyond.value);
    rounding::down(better.max(0).saturating_mul(SCALE), dearer.max(1))
}

/// What a choice comes to at a price.
fn reduced_sum(choice: &Priced, price: i128) -> i128 {
    (choice.value.saturating_mul(SCALE)).saturating_add(price.saturating_mul(choice.cost))
}

/// An item's value + price · cost, in units of 1 / [`SCALE`]. No price is above 2⁶⁰, so that it is exact.
#[inline]
pub(crate) fn reduced(item: &Item, price: i128) -> i128 {
    i128::from(item.value) * SCALE + price * i128::from(item.cost)
}

/// The least whole value that a sum of reduced values allows.
#[inline]
pub(crate) fn bound_of(sum: i128, limit: i128, price: i128) -> i128 {
    // The product is exact, as for every price that is tried.
    let relaxed = sum.saturating_sub(price * limit);
    rounding::up(relaxed, SCALE)
}

/// Whether a price alone shows that no choice has a value below the cutoff.
pub(super) fn is_refuted(items: &[Item], n: usize, limit: i128, cutoff: i128, price: i128) -> bool {
    if price <= 0 || price > price_max(limit) {
        return false;
    }
    let mut values: Vec<i128> = items.iter().map(|item| reduced(item, price)).collect();
    if n < values.len() {
        values.select_nth_unstable(n - 1);
    }
    let sum = values[..n].iter().fold(0_i128, |sum, value| sum.saturating_add(*value));
    bound_of(sum, limit, price) >= cutoff
}
