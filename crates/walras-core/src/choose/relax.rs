//! The linear relaxation of a multiple-choice knapsack, and what follows from its price.
//!
//! See [`super::core`] for the identities.

use super::hulls::walk_hulls;
use super::integer::{Integer, to_float};
use super::knapsack::{Candidate, Knapsack, Solved};
use std::ops::Range;
use walras_model::quantity::rounding;

/// A candidate that may be part of an optimum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced<T> {
    pub(super) index: u32,
    pub(super) weight: T,
    pub(super) value: T,
    /// r: what taking it instead of the priced candidate loses.
    pub(super) loss: T,
}

/// The candidates of all classes that may be part of an optimum, each class in order of what they take.
pub(super) struct Classes<T> {
    all: Vec<Reduced<T>>,
    ranges: Vec<Range<usize>>,
}

impl<T: Integer> Classes<T> {
    /// Keeps the candidates of each class that take more only for a better value; `None` if a number is too large.
    fn undominated(problem: &Knapsack) -> Option<Classes<T>> {
        let count = problem.classes.iter().map(Vec::len).sum();
        let mut all: Vec<Reduced<T>> = Vec::with_capacity(count);
        let mut ranges = Vec::with_capacity(problem.classes.len());
        for class in &problem.classes {
            let start = all.len();
            for (index, it) in (0_u32..).zip(class) {
                all.push(reduced(index, it)?);
            }
            all[start..].sort_unstable_by(|a, b| {
                a.weight.cmp(&b.weight).then_with(|| (a.value, a.index).cmp(&(b.value, b.index)))
            });
            let mut end = start;
            for place in start..all.len() {
                if end == start || all[place].value < all[end - 1].value {
                    all[end] = all[place];
                    end += 1;
                }
            }
            all.truncate(end);
            ranges.push(start..end);
        }
        Some(Classes { all, ranges })
    }

    /// The candidates of each class.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Reduced<T>]> + Clone {
        self.ranges.iter().map(|range| &self.all[range.clone()])
    }

    /// The number of classes.
    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// What the lightest candidates of all classes take.
    fn lightest(&self) -> i128 {
        self.iter().map(|class| class[0].weight.widen()).sum()
    }

    /// Drops candidates that take more than their class's lightest by more than this.
    fn drop_heavier(&mut self, room: i128) {
        for range in &mut self.ranges {
            let class = &self.all[range.clone()];
            let most = class[0].weight.widen() + room;
            range.end = range.start + class.partition_point(|it| it.weight.widen() <= most);
        }
    }
}

fn reduced<T: Integer>(index: u32, candidate: &Candidate) -> Option<Reduced<T>> {
    let (weight, value) = (T::narrow(candidate.takes[0])?, T::narrow(candidate.value)?);
    Some(Reduced { index, weight, value, loss: T::ZERO })
}

/// A whole choice and what it comes to.
#[derive(Clone, Debug)]
pub(super) struct Priced {
    /// Places among the candidates of each class.
    places: Vec<usize>,
    pub(super) chosen: Vec<usize>,
    pub(super) value: i128,
}

/// The relaxation of a problem.
pub(super) struct Relaxation<T> {
    /// p and q of the price λ = p / q; q is a power of two.
    pub(super) price: T,
    scale: T,
    limit: i128,
    /// What the limit leaves beside the priced choice; may be negative.
    pub(super) room: T,
    /// Σ of the least priced value of every class.
    least: i128,
    /// The choice of least priced value.
    pub(super) priced: Priced,
    /// A choice that keeps the limit.
    pub(super) incumbent: Vec<usize>,
    classes: Classes<T>,
}

impl<T: Integer> Relaxation<T> {
    /// q · LB.
    fn scaled_bound(&self) -> i128 {
        self.least - self.price.widen() * self.limit
    }

    /// LB, rounded up to a whole value.
    pub(super) fn bound(&self) -> i128 {
        let (scaled, scale) = (self.scaled_bound(), self.scale.widen());
        rounding::up(scaled, scale)
    }

    /// q · (value - LB): the loss of a choice of this value.
    pub(super) fn loss_of(&self, value: i128) -> i128 {
        self.scale.widen() * value - self.scaled_bound()
    }

    /// The candidates of each class, and the priced one among them.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&[Reduced<T>], Reduced<T>)> {
        self.classes.iter().zip(&self.priced.places).map(|(class, place)| (class, class[*place]))
    }
}

/// Relaxes a problem with one limit, or answers at once: with an overflow when the numbers are too large for `T`.
pub(super) fn relax<T: Integer>(problem: &Knapsack) -> Result<Relaxation<T>, Solved> {
    let limit = problem.limits[0];
    let mut classes = Classes::<T>::undominated(problem).ok_or(Solved::Overflow)?;
    let lightest = classes.lightest();
    if lightest > limit {
        return Err(Solved::TooHeavy(lightest));
    }
    let room = limit - lightest;
    classes.drop_heavier(room);
    let (price, incumbent) = walk_hulls(&classes, room);
    integer_price(&classes, limit, price)
        .and_then(|(price, scale)| priced_relaxation(classes, limit, price, scale, incumbent))
        .ok_or(Solved::Overflow)
}

/// The price as a fraction p / q that all sums can bear; any price gives a valid bound.
fn integer_price<T: Integer>(classes: &Classes<T>, limit: i128, price: f64) -> Option<(T, T)> {
    let (mut values, mut weights) = (0_u128, 0_u128);
    let mut greatest = (0, 0);
    for class in classes.iter() {
        // In order of weight, and so of falling value: the greatest are at the ends.
        let [first, last] = [class.first()?, class.last()?];
        let size = |a: T, b: T| a.widen().unsigned_abs().max(b.widen().unsigned_abs());
        let (value, weight) = (size(first.value, last.value), size(first.weight, last.weight));
        greatest = (greatest.0.max(value), greatest.1.max(weight));
        values = values.checked_add(value)?;
        weights = weights.checked_add(weight)?;
    }
    weights = weights.max(limit.unsigned_abs());
    let bits = |number: u128| f64::from(128 - number.leading_zeros());
    let price_bits = if price >= 1.0 { price.log2() + 1.0 } else { 1.0 };
    // Values and weights, scaled, stay below 2¹²².
    let room = [122.0 - bits(values), 122.0 - bits(weights) - price_bits];
    // About 28 significant bits of the price: finer ones would only make the losses longer.
    let wanted = if price > 0.0 { (28.0 - price.log2()).clamp(0.0, 44.0) } else { 0.0 };
    let shift = room[0].min(room[1]).min(wanted);
    if shift < 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 44")]
    let scale = 1_i128 << (shift as u32);
    #[expect(clippy::cast_possible_truncation, reason = "below 2^122 by the choice of the scale")]
    let price = (price * to_float(scale)).round() as i128;
    // The numbers of one candidate, and sums over all classes that are not scaled, must be small enough for `T`.
    T::narrow(scale * i128::try_from(greatest.0).ok()? + price * i128::try_from(greatest.1).ok()?)?;
    T::narrow(i128::try_from(values.max(weights)).ok()?)?;
    Some((T::narrow(price)?, T::narrow(scale)?))
}

/// Prices every candidate.
fn priced_relaxation<T: Integer>(
    mut classes: Classes<T>,
    limit: i128,
    price: T,
    scale: T,
    incumbent: Vec<usize>,
) -> Option<Relaxation<T>> {
    let count = classes.len();
    let (mut places, mut chosen) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let (mut least, mut weight, mut value) = (0, 0, 0);
    for range in &classes.ranges {
        let class = &mut classes.all[range.clone()];
        let mut best: Option<(T, usize)> = None;
        for (place, it) in class.iter_mut().enumerate() {
            it.loss = scale * it.value + price * it.weight;
            if best.is_none_or(|(least, _)| it.loss < least) {
                best = Some((it.loss, place));
            }
        }
        let (class_least, place) = best?;
        for it in class.iter_mut() {
            it.loss = it.loss - class_least;
        }
        let it = &class[place];
        places.push(place);
        chosen.push(it.index as usize);
        weight += it.weight.widen();
        value += it.value.widen();
        least += class_least.widen();
    }
    let room = T::narrow(limit - weight)?;
    T::narrow(room.widen() * price.widen())?;
    let priced = Priced { places, chosen, value };
    Some(Relaxation { price, scale, limit, room, least, priced, incumbent, classes })
}
