//! The lower hulls of all classes, walked until the limit is used up.
//!
//! **Problem.** The linear relaxation of the multiple-choice knapsack: from the lightest candidate of every class,
//! weight is spent where it improves the value most per unit.
//!
//! **Method.** The steps along the lower hulls of value over weight, in order of slope. Only the step at which the
//! limit is used up matters, so they are not sorted: halves are split off by selection.
//!
//! **Complexity.** O(n) for the n candidates, which are in order of weight.

use super::integer::Integer;
use super::relax::{Classes, Reduced};
use std::cmp::Ordering;

/// A step along the lower hull of a class.
struct HullStep<T> {
    slope: f64,
    class: usize,
    to: usize,
    weight: T,
}

impl<T> HullStep<T> {
    /// The steepest first.
    fn order(&self, other: &Self) -> Ordering {
        other.slope.total_cmp(&self.slope).then(self.class.cmp(&other.class)).then(self.to.cmp(&other.to))
    }
}

/// Walks all hulls in order of slope until the room is used up: the slope there, and a choice that keeps it.
///
/// `room` is what the limit leaves beside the lightest choice.
pub(super) fn walk_hulls<T: Integer>(classes: &Classes<T>, room: i128) -> (f64, Vec<usize>) {
    let mut steps: Vec<HullStep<T>> = Vec::new();
    let mut hull = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        lower_hull(class, &mut hull);
        let weights = hull.windows(2).map(|pair| class[pair[1].0].weight - class[pair[0].0].weight);
        let ends = hull.iter().skip(1).zip(weights);
        steps.extend(ends.map(|((to, slope), weight)| HullStep {
            slope: *slope,
            class: number,
            to: *to,
            weight,
        }));
    }
    let (taken, room) = steepest_within(&mut steps, room);
    let price = steps.get(taken).map_or(0.0, |step| step.slope);
    let mut places = vec![0_usize; classes.len()];
    for step in &steps[..taken] {
        places[step.class] = places[step.class].max(step.to);
    }
    fill_up(classes, &mut places, room);
    (price, places.iter().zip(classes.iter()).map(|(place, class)| class[*place].index as usize).collect())
}

/// Reorders the steps so that the steepest that fit the room come first, then the first that does not: how many
/// fit, and what room they leave.
fn steepest_within<T: Integer>(steps: &mut [HullStep<T>], room: i128) -> (usize, i128) {
    let (mut start, mut end, mut room) = (0, steps.len(), room);
    while start < end {
        let middle = usize::midpoint(start, end);
        steps[start..end].select_nth_unstable_by(middle - start, HullStep::order);
        let weight: i128 = steps[start..=middle].iter().map(|step| step.weight.widen()).sum();
        if weight > room {
            end = middle;
        } else {
            room -= weight;
            start = middle + 1;
        }
    }
    (start, room)
}

/// Gives every class in turn the best candidate that still fits.
fn fill_up<T: Integer>(classes: &Classes<T>, places: &mut [usize], room: i128) {
    let mut room = room;
    for (place, class) in places.iter_mut().zip(classes.iter()) {
        let most = class[*place].weight.widen() + room;
        let more = class[*place + 1..].iter().take_while(|it| it.weight.widen() <= most).count();
        let best = *place + more;
        room -= (class[best].weight - class[*place].weight).widen();
        *place = best;
    }
}

/// Places of the candidates on the lower convex hull, each with the slope that leads to it.
fn lower_hull<T: Integer>(class: &[Reduced<T>], hull: &mut Vec<(usize, f64)>) {
    hull.clear();
    for (place, point) in class.iter().enumerate() {
        let slope = loop {
            let Some((last, before)) = hull.last() else { break f64::INFINITY };
            let last = &class[*last];
            let slope = (last.value - point.value).to_float() / (point.weight - last.weight).to_float();
            if *before > slope {
                break slope;
            }
            hull.pop();
        };
        hull.push((place, slope));
    }
}
