//! A knapsack as floats in rows, for what only guides: every number is divided by the largest of its kind.

use super::super::integer::to_float;
use super::super::knapsack::Knapsack;

/// Values are moved by up to this share of the largest, so that no two vertices fall together.
const NUDGE: f64 = 1e-8;

/// All candidates, one after another, class by class.
pub(super) struct Table {
    /// How many limits there are.
    pub(super) limits: usize,
    /// Where each class begins; one more at the end.
    pub(super) firsts: Vec<usize>,
    /// The value of each candidate, less being better.
    pub(super) values: Vec<f64>,
    /// What each candidate takes, a row of all limits each.
    pub(super) takes: Vec<f64>,
    /// How much there is of each limit.
    pub(super) rooms: Vec<f64>,
    /// What a price of one is in the problem's own numbers.
    units: Vec<f64>,
}

impl Table {
    pub(super) fn new(problem: &Knapsack) -> Table {
        let candidates = || problem.classes.iter().flatten();
        let largest = |numbers: &mut dyn Iterator<Item = i128>| {
            numbers.map(|number| to_float(number).abs()).fold(1.0, f64::max)
        };
        let value_unit = largest(&mut candidates().map(|it| it.value));
        let take_units: Vec<f64> = (0..problem.limits.len())
            .map(|limit| largest(&mut candidates().map(|it| it.takes[limit])))
            .collect();
        let mut firsts = vec![0];
        for class in &problem.classes {
            firsts.push(firsts[firsts.len() - 1] + class.len());
        }
        let scaled = |(number, unit): (&i128, &f64)| to_float(*number) / unit;
        Table {
            limits: problem.limits.len(),
            firsts,
            values: candidates()
                .zip(0..)
                .map(|(it, place)| to_float(it.value) / value_unit + nudge(place))
                .collect(),
            takes: candidates().flat_map(|it| it.takes.iter().zip(&take_units).map(scaled)).collect(),
            rooms: problem.limits.iter().zip(&take_units).map(scaled).collect(),
            units: take_units.iter().map(|unit| value_unit / unit).collect(),
        }
    }

    pub(super) fn classes(&self) -> usize {
        self.firsts.len() - 1
    }

    /// What a candidate takes of every limit.
    pub(super) fn row(&self, candidate: usize) -> &[f64] {
        &self.takes[candidate * self.limits..(candidate + 1) * self.limits]
    }

    /// Prices in the problem's own numbers.
    pub(super) fn real(&self, prices: &[f64]) -> Vec<f64> {
        prices.iter().zip(&self.units).map(|(price, unit)| price * unit).collect()
    }
}

/// A small number that differs from place to place, in a way that always is the same.
fn nudge(place: u64) -> f64 {
    let mixed = place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    #[expect(clippy::cast_precision_loss, reason = "32 bits fit a float")]
    let share = mixed as f64 / 4_294_967_296.0;
    NUDGE * share
}

/// The sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
