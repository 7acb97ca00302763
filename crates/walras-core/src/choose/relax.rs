//! The linear relaxation of a multiple-choice knapsack, and what follows from its price.
//!
//! See [`super::core`] for the identities.

use super::problem::{Problem, Solved};
use super::whole::to_float;

/// A candidate that may be part of an optimum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    pub(super) index: u32,
    pub(super) weight: i128,
    pub(super) value: i128,
    /// r: what taking it instead of the priced candidate loses.
    pub(super) loss: i128,
}

/// A class of the core.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Its place in the problem.
    pub(super) class: usize,
    pub(super) priced: Reduced,
    pub(super) candidates: Vec<Reduced>,
    /// The least loss per unit by which this class can lose and gain weight.
    rates: (f64, f64),
    /// The same over this class and all that come after it.
    pub(super) rates_to_come: (f64, f64),
}

/// A whole choice and what it comes to.
#[derive(Clone, Debug)]
pub(super) struct Priced {
    pub(super) chosen: Vec<usize>,
    pub(super) weight: i128,
    pub(super) value: i128,
}

/// The relaxation of a problem.
pub(super) struct Relaxation {
    /// p and q of the price λ = p / q; q is a power of two.
    pub(super) price: i128,
    scale: i128,
    limit: i128,
    /// Σ of the least priced value of every class.
    least: i128,
    /// The choice of least priced value.
    pub(super) priced: Priced,
    /// A choice that keeps the limit.
    pub(super) incumbent: Vec<usize>,
    pub(super) classes: Vec<Vec<Reduced>>,
}

impl Relaxation {
    /// LB, rounded up to a whole value.
    pub(super) fn bound(&self) -> i128 {
        let scaled = self.least - self.price * self.limit;
        scaled.div_euclid(self.scale) + i128::from(scaled.rem_euclid(self.scale) != 0)
    }

    /// The price as the loss per unit of weight that is left over.
    pub(super) fn price_float(&self) -> f64 {
        to_float(self.price)
    }

    /// q · (value - LB): the loss of a choice of this value.
    pub(super) fn loss_of(&self, value: i128) -> i128 {
        self.scale * value - (self.least - self.price * self.limit)
    }

    /// The classes that are not settled when losses must stay below `loss_limit`, the most useful first.
    pub(super) fn core(&self, loss_limit: i128) -> Vec<Class> {
        let mut core: Vec<Class> = Vec::new();
        for (class, candidates) in self.classes.iter().enumerate() {
            let candidates: Vec<Reduced> =
                candidates.iter().copied().filter(|candidate| candidate.loss < loss_limit).collect();
            let Some(priced) = candidates.iter().find(|it| it.index as usize == self.priced.chosen[class])
            else {
                continue;
            };
            if candidates.len() > 1 {
                let (rates, priced) = (rates(priced, &candidates), *priced);
                core.push(Class { class, priced, candidates, rates, rates_to_come: rates });
            }
        }
        core.sort_by(|a, b| a.rates.0.min(a.rates.1).total_cmp(&b.rates.0.min(b.rates.1)));
        for place in (0..core.len().saturating_sub(1)).rev() {
            let (down, up) = core[place + 1].rates_to_come;
            let own = core[place].rates;
            core[place].rates_to_come = (own.0.min(down), own.1.min(up));
        }
        core
    }
}

fn rates(priced: &Reduced, candidates: &[Reduced]) -> (f64, f64) {
    let (mut down, mut up) = (f64::INFINITY, f64::INFINITY);
    for candidate in candidates {
        let moved = candidate.weight - priced.weight;
        let rate = to_float(candidate.loss) / to_float(moved.abs());
        match moved.signum() {
            -1 => down = down.min(rate),
            1 => up = up.min(rate),
            _ => {}
        }
    }
    (down, up)
}

/// Relaxes a problem with one limit, or answers at once.
pub(super) fn relax(problem: &Problem) -> Result<Relaxation, Solved> {
    let limit = problem.limits[0];
    let mut classes: Vec<Vec<Reduced>> = problem.classes.iter().map(|class| undominated(class)).collect();
    let lightest: i128 = classes.iter().map(|class| class[0].weight).sum();
    if lightest > limit {
        return Err(Solved::TooHeavy(lightest));
    }
    let room = limit - lightest;
    for class in &mut classes {
        let most = class[0].weight + room;
        class.retain(|it| it.weight <= most);
    }
    let (price_float, incumbent) = walk_hulls(&classes, limit, room);
    let (price, scale) = integer_price(&classes, limit, price_float).ok_or(Solved::Overflow)?;
    Ok(priced_relaxation(classes, limit, price, scale, incumbent))
}

/// Candidates that take more only for a better value, in order of what they take.
fn undominated(class: &[super::problem::Candidate]) -> Vec<Reduced> {
    let mut all: Vec<Reduced> = (0_u32..)
        .zip(class)
        .map(|(index, it)| Reduced { index, weight: it.takes[0], value: it.value, loss: 0 })
        .collect();
    all.sort_unstable_by_key(|it| (it.weight, it.value, it.index));
    let mut value_min = i128::MAX;
    all.retain(|it| {
        let better = it.value < value_min;
        value_min = value_min.min(it.value);
        better
    });
    all
}

/// A step along the lower hull of a class.
struct HullStep {
    slope: f64,
    class: usize,
    to: usize,
    weight: i128,
}

/// Walks all hulls in order of slope until the limit is used up: the slope there, and a choice that keeps it.
fn walk_hulls(classes: &[Vec<Reduced>], limit: i128, room: i128) -> (f64, Vec<usize>) {
    let mut steps: Vec<HullStep> = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let hull = lower_hull(class);
        steps.extend(hull.windows(2).map(|pair| {
            let (from, to) = (&class[pair[0]], &class[pair[1]]);
            let weight = to.weight - from.weight;
            let slope = to_float(from.value - to.value) / to_float(weight);
            HullStep { slope, class: number, to: pair[1], weight }
        }));
    }
    steps.sort_by(|a, b| b.slope.total_cmp(&a.slope).then(a.class.cmp(&b.class)).then(a.to.cmp(&b.to)));
    let mut places = vec![0; classes.len()];
    let mut room = room;
    let mut price = 0.0;
    for step in &steps {
        if step.weight > room {
            price = step.slope;
            break;
        }
        room -= step.weight;
        places[step.class] = step.to;
    }
    fill_up(classes, &mut places, limit);
    (price, places.iter().zip(classes).map(|(place, class)| class[*place].index as usize).collect())
}

/// Gives every class in turn the best candidate that still fits.
fn fill_up(classes: &[Vec<Reduced>], places: &mut [usize], limit: i128) {
    let weight: i128 = places.iter().zip(classes).map(|(place, class)| class[*place].weight).sum();
    let mut room = limit - weight;
    for (place, class) in places.iter_mut().zip(classes) {
        let most = class[*place].weight + room;
        let best = class.partition_point(|it| it.weight <= most) - 1;
        room -= class[best].weight - class[*place].weight;
        *place = best;
    }
}

/// Places of the candidates on the lower convex hull.
fn lower_hull(class: &[Reduced]) -> Vec<usize> {
    let mut hull: Vec<usize> = Vec::new();
    for (place, point) in class.iter().enumerate() {
        while let [.., a, b] = hull[..] {
            let (a, b) = (&class[a], &class[b]);
            let before = to_float(a.value - b.value) / to_float(b.weight - a.weight);
            let after = to_float(b.value - point.value) / to_float(point.weight - b.weight);
            if before > after {
                break;
            }
            hull.pop();
        }
        hull.push(place);
    }
    hull
}

/// The price as a fraction p / q that all sums can bear; any price gives a valid bound.
fn integer_price(classes: &[Vec<Reduced>], limit: i128, price: f64) -> Option<(i128, i128)> {
    let sum = |measure: &dyn Fn(&Reduced) -> u128| {
        let greatest = |class: &Vec<Reduced>| class.iter().map(measure).max().unwrap_or(0);
        classes.iter().map(greatest).try_fold(0_u128, u128::checked_add)
    };
    let value_bits = 128 - sum(&|it| it.value.unsigned_abs())?.leading_zeros();
    let weights = sum(&|it| it.weight.unsigned_abs())?.max(limit.unsigned_abs());
    let weight_bits = 128 - weights.leading_zeros();
    let price_bits = if price >= 1.0 { price.log2() + 1.0 } else { 1.0 };
    // Values and weights, scaled, stay below 2¹²².
    let room = [122.0 - f64::from(value_bits), 122.0 - f64::from(weight_bits) - price_bits];
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
    Some((price, scale))
}

/// Prices every candidate.
fn priced_relaxation(
    mut classes: Vec<Vec<Reduced>>,
    limit: i128,
    price: i128,
    scale: i128,
    incumbent: Vec<usize>,
) -> Relaxation {
    let mut least = 0;
    let mut priced = Priced { chosen: Vec::with_capacity(classes.len()), weight: 0, value: 0 };
    for class in &mut classes {
        let cost = |it: &Reduced| scale * it.value + price * it.weight;
        let class_least = class.iter().map(cost).min().unwrap_or(0);
        for it in class.iter_mut() {
            it.loss = scale * it.value + price * it.weight - class_least;
        }
        if let Some(it) = class.iter().find(|it| it.loss == 0) {
            priced.chosen.push(it.index as usize);
            priced.weight += it.weight;
            priced.value += it.value;
        }
        least += class_least;
    }
    Relaxation { price, scale, limit, least, priced, incumbent, classes }
}
