//! The core of a knapsack: what is left to decide once losses must stay below a limit.

use super::integer::Integer;
use super::relax::{Reduced, Relaxation};
use std::ops::Range;

/// What a candidate changes against the priced one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift<T> {
    pub(super) index: u32,
    pub(super) weight: T,
    pub(super) value: T,
    pub(super) loss: T,
}

/// A class that is not settled.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Its place in the problem.
    pub(super) class: usize,
    shifts: Range<usize>,
    /// The least loss per unit by which this class can lose and gain weight.
    rates: Rates,
    /// The same over all classes before it, and over all after it.
    pub(super) rates_before: Rates,
    pub(super) rates_after: Rates,
}

impl Class {
    /// How many candidates are left.
    pub(super) fn len(&self) -> usize {
        self.shifts.len()
    }
}

/// The least losses per unit by which weight can be lost and gained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    pub(super) down: f64,
    pub(super) up: f64,
}

impl Rates {
    /// No weight can be moved.
    const NONE: Rates = Rates { down: f64::INFINITY, up: f64::INFINITY };

    fn of<T: Integer>(shifts: &[Shift<T>]) -> Rates {
        let mut rates = Rates::NONE;
        for it in shifts {
            let rate = it.loss.to_float() / it.weight.to_float().abs();
            if it.weight < T::ZERO {
                rates.down = rates.down.min(rate);
            } else if it.weight > T::ZERO {
                rates.up = rates.up.min(rate);
            }
        }
        rates
    }

    fn min(self, other: Rates) -> Rates {
        Rates { down: self.down.min(other.down), up: self.up.min(other.up) }
    }

    fn least(&self) -> f64 {
        self.down.min(self.up)
    }
}

/// The classes that are not settled, the most useful first.
pub(super) struct Core<T> {
    shifts: Vec<Shift<T>>,
    pub(super) classes: Vec<Class>,
}

impl<T: Integer> Core<T> {
    /// What is not settled when losses must stay below `loss_limit`.
    pub(super) fn new(relaxation: &Relaxation<T>, loss_limit: T) -> Core<T> {
        let mut shifts: Vec<Shift<T>> = Vec::new();
        let mut classes: Vec<Class> = Vec::new();
        for (class, (candidates, priced)) in relaxation.classes().enumerate() {
            let start = shifts.len();
            let shift = |it: &Reduced<T>| Shift {
                index: it.index,
                weight: it.weight - priced.weight,
                value: it.value - priced.value,
                loss: it.loss,
            };
            shifts.extend(candidates.iter().filter(|it| it.loss < loss_limit).map(shift));
            let range = start..shifts.len();
            if range.len() > 1 {
                let rates = Rates::of(&shifts[range.clone()]);
                let (rates_before, rates_after) = (Rates::NONE, Rates::NONE);
                classes.push(Class { class, shifts: range, rates, rates_before, rates_after });
            } else {
                shifts.truncate(start);
            }
        }
        classes.sort_by(|a, b| a.rates.least().total_cmp(&b.rates.least()));
        let mut rates = Rates::NONE;
        for class in &mut classes {
            class.rates_before = rates;
            rates = rates.min(class.rates);
        }
        rates = Rates::NONE;
        for class in classes.iter_mut().rev() {
            class.rates_after = rates;
            rates = rates.min(class.rates);
        }
        Core { shifts, classes }
    }

    /// The candidates of a class, in order of weight.
    pub(super) fn shifts(&self, class: &Class) -> &[Shift<T>] {
        &self.shifts[class.shifts.clone()]
    }
}
