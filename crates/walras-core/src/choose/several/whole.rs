//! What prices prove, counted in whole numbers.
//!
//! With prices p as multiples of 1/q and the cheapest candidate of every class, every choice has
//!
//! > q · (V - LB) = Σr + Σ pₖ · (Wₖ - Σwₖ),
//!
//! where r is what a candidate costs more than the cheapest of its class. Both sums are never negative for a choice
//! that keeps the limits, so that LB bounds all of them, and a candidate whose r alone is too much is in none that
//! is better than a known one. No rounding enters but that of the prices, which may be any.

use super::super::integer::to_float;
use super::super::knapsack::Knapsack;
use super::left::Left;
use walras_model::quantity::rounding;

/// Prices are multiples of 2⁻³⁰.
const SCALE: i128 = 1 << 30;
/// Numbers of the problem are below this, so that a million of them, scaled, are far below what 128 bits hold.
const NUMBER_MAX: u64 = 1 << 62;
/// What all limits and all candidates take, priced, stays below this.
const PRICED_MAX: i128 = 1 << 124;

/// A problem in rows of whole numbers, and what its candidates cost at the last prices.
pub(super) struct Whole {
    limits: usize,
    values: Vec<i64>,
    takes: Vec<i64>,
    rooms: Vec<i64>,
    price_max: i64,
    /// What each candidate that is left costs more than the cheapest of its class.
    pub(super) losses: Vec<i128>,
}

impl Whole {
    /// `None` if a number is too large.
    pub(super) fn new(problem: &Knapsack) -> Option<Whole> {
        let narrow = |number: &i128| i64::try_from(*number).ok().filter(|it| it.unsigned_abs() < NUMBER_MAX);
        let candidates = || problem.classes.iter().flatten();
        let values: Vec<i64> = candidates().map(|it| narrow(&it.value)).collect::<Option<_>>()?;
        let all = candidates().flat_map(|it| &it.takes).chain(&problem.limits);
        let most = all.map(|number| number.abs()).fold(1, i128::saturating_add);
        Some(Whole {
            limits: problem.limits.len(),
            price_max: i64::try_from(PRICED_MAX / most).unwrap_or(i64::MAX),
            losses: vec![0; values.len()],
            values,
            takes: candidates().flat_map(|it| it.takes.iter().map(narrow)).collect::<Option<_>>()?,
            rooms: problem.limits.iter().map(narrow).collect::<Option<_>>()?,
        })
    }

    /// q · LB over the candidates that are left, whose losses are kept.
    pub(super) fn bound(&mut self, left: &Left, prices: &[f64]) -> i128 {
        self.priced(left, &self.whole_prices(prices), SCALE)
    }

    /// Whether all that is left breaks the limits: their weighted sum, at its least, is above the weighted limits.
    pub(super) fn refutes(&mut self, left: &Left, weights: &[f64]) -> bool {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let scaled: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        largest > 0.0 && self.priced(left, &self.whole_prices(&scaled), 0) > 0
    }

    /// Prices as multiples of the scale, none so large that sums could overflow.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast from a float saturates, and any price is valid"
    )]
    pub(super) fn whole_prices(&self, prices: &[f64]) -> Vec<i64> {
        prices.iter().map(|price| ((price * to_float(SCALE)) as i64).clamp(0, self.price_max)).collect()
    }

    fn priced(&mut self, left: &Left, prices: &[i64], scale: i128) -> i128 {
        let product = |(number, price): (&i64, &i64)| i128::from(*number) * i128::from(*price);
        let mut sum: i128 = -self.rooms.iter().zip(prices).map(product).sum::<i128>();
        for range in left.firsts.windows(2) {
            let members = &left.members[range[0]..range[1]];
            if members.is_empty() {
                continue;
            }
            let mut least = i128::MAX;
            for &member in members {
                let takes = &self.takes[member * self.limits..(member + 1) * self.limits];
                let cost = scale * i128::from(self.values[member])
                    + takes.iter().zip(prices).map(product).sum::<i128>();
                self.losses[member] = cost;
                least = least.min(cost);
            }
            for &member in members {
                self.losses[member] -= least;
            }
            sum += least;
        }
        sum
    }
}

/// The least value that a bound allows.
pub(super) fn value_of(bound: i128) -> i128 {
    rounding::up(bound, SCALE)
}

/// What may be lost beyond a bound by a choice that is better than this value.
pub(super) fn room_below(value: i128, bound: i128) -> i128 {
    SCALE * (value - 1) - bound
}
