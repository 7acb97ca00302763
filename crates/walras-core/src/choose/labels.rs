//! Partial choices of the knapsack's core, kept as lists in which none is dominated.
//!
//! A *label* is a choice over the classes added so far, relative to the priced choice. In a list, labels are in
//! order of weight, and heavier ones have a better value. Each candidate of a class shifts the whole list; the
//! shifted lists are merged, so that nothing is ever sorted.

use super::fix::{Class, Core, Shift};
use super::integer::Integer;

/// Partners are searched, not walked to, in a list that is more than so many times as long.
const WALK_FACTOR_MAX: usize = 8;

/// A partial choice over some classes, relative to the priced choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<T> {
    pub(super) weight: T,
    pub(super) value: T,
    pub(super) loss: T,
    /// Where it came from in the stage before, and by which candidate.
    parent: u32,
    candidate: u32,
}

/// What a label must keep to be of use.
pub(super) struct Bounds<T> {
    pub(super) room: T,
    pub(super) loss_limit: T,
    /// The least loss per unit by which all other classes can lose weight.
    pub(super) down: f64,
    /// The same for gaining weight, or leaving it unused.
    pub(super) up: f64,
}

impl<T: Integer> Bounds<T> {
    /// Whether what was lost, plus what moving the weight to the limit must cost, is below the limit.
    ///
    /// The rates are floats; the toll is rounded down by more than their error.
    #[inline]
    fn admits(&self, label: &Label<T>) -> bool {
        let over = label.weight - self.room;
        let rate = if over > T::ZERO { self.down } else { self.up };
        let toll = rate * over.to_float().abs() * (1.0 - 1e-9);
        over == T::ZERO || toll < (self.loss_limit - label.loss).to_float() * (1.0 + 1e-9)
    }
}

/// The labels over some classes, and how they came about.
pub(super) struct Labels<T> {
    now: Vec<Label<T>>,
    /// Room for the next stage.
    spare: [Vec<Label<T>>; 2],
    /// For each class added: where each label came from in the stage before, and by which candidate.
    stages: Vec<(usize, Vec<(u32, u32)>)>,
}

impl<T: Integer> Labels<T> {
    /// The choice over no class.
    pub(super) fn new() -> Labels<T> {
        let nothing = Label { weight: T::ZERO, value: T::ZERO, loss: T::ZERO, parent: 0, candidate: 0 };
        Labels { now: vec![nothing], spare: [Vec::new(), Vec::new()], stages: Vec::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.now.len()
    }

    /// Adds a class: without labels that are dominated or cannot beat the incumbent.
    pub(super) fn extend(&mut self, core: &Core<T>, class: &Class, bounds: &Bounds<T>) {
        let [merged, next] = &mut self.spare;
        merged.clear();
        for shift in core.shifts(class) {
            next.clear();
            merge(next, merged, shifted(&self.now, shift, bounds));
            std::mem::swap(merged, next);
        }
        std::mem::swap(&mut self.now, merged);
        let origins = self.now.iter().map(|label| (label.parent, label.candidate)).collect();
        self.stages.push((class.class, origins));
    }

    /// The candidates that lead to a label, by class.
    pub(super) fn trace(&self, index: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut index = index;
        self.stages.iter().rev().map(move |(class, origins)| {
            let (parent, candidate) = origins[index];
            index = parent as usize;
            (*class, candidate as usize)
        })
    }

    /// The best sum of a label of each list that keeps the room: its value, and the two labels.
    ///
    /// For a list that is not longer than the other, k labels against n: O(k log n), so that a long list costs
    /// nothing while a short one grows.
    pub(super) fn best_with(&self, other: &Labels<T>, room: T) -> Option<(T, usize, usize)> {
        if self.len() > other.len() {
            return other.best_with(self, room).map(|(value, second, first)| (value, first, second));
        }
        let walk = other.len() / WALK_FACTOR_MAX <= self.len();
        let mut best: Option<(T, usize, usize)> = None;
        let mut partners = &other.now[..];
        for (index, label) in self.now.iter().enumerate() {
            let fits = |it: &Label<T>| label.weight + it.weight <= room;
            let within = if walk {
                partners.iter().rposition(fits).map_or(0, |last| last + 1)
            } else {
                partners.partition_point(fits)
            };
            partners = &partners[..within];
            // Values fall as weights grow, so the heaviest partner within the room is the best.
            let Some(partner) = partners.last() else { break };
            let value = label.value + partner.value;
            if best.is_none_or(|(least, ..)| value < least) {
                best = Some((value, index, within - 1));
            }
        }
        best
    }
}

/// The labels with one candidate added, without those that cannot beat the incumbent.
#[inline]
fn shifted<'a, T: Integer>(
    labels: &'a [Label<T>],
    shift: &'a Shift<T>,
    bounds: &'a Bounds<T>,
) -> impl Iterator<Item = Label<T>> + 'a {
    let loss_max = bounds.loss_limit - shift.loss;
    let near = (0_u32..).zip(labels).filter(move |(_, label)| label.loss < loss_max);
    let all = near.map(|(parent, label)| Label {
        weight: label.weight + shift.weight,
        value: label.value + shift.value,
        loss: label.loss + shift.loss,
        parent,
        candidate: shift.index,
    });
    all.filter(|label| bounds.admits(label))
}

/// Merges two lists in order of weight, then value; of equals, the first list's come first. Keeps what is better
/// than all that is lighter.
#[inline]
fn merge<T: Integer>(into: &mut Vec<Label<T>>, first: &[Label<T>], second: impl Iterator<Item = Label<T>>) {
    let mut first = first.iter();
    let mut head = first.next();
    let mut push = |label: &Label<T>| {
        if into.last().is_none_or(|last| label.value < last.value) {
            into.push(*label);
        }
    };
    for label in second {
        while let Some(it) = head.filter(|it| (it.weight, it.value) <= (label.weight, label.value)) {
            push(it);
            head = first.next();
        }
        push(&label);
    }
    while let Some(it) = head {
        push(it);
        head = first.next();
    }
}
