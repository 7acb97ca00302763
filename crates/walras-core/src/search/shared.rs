//! What is free on nodes that are sold in units, step by step, while windows are cut out of it.
//!
//! **Problem.** Jobs that take different parts of the same nodes share their time: what one takes, all others lose.
//!
//! **Method.** By node the steps of its profile: slots in order of time, each with the units that are free all along. A window takes its units from the
//! steps it lies on; neighbours of one height and price become one step again. Nodes that are sold whole are profiles of one unit, whose slots stay apart
//! as they were offered.
//!
//! **Complexity.** For a node with s steps, finding a moment takes O(log s), a cut as much and a move of what follows.

use super::lanes::{Lanes, profiles};
use std::ops::Range;
use walras_model::id::NodeId;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot};
use walras_model::window::{Placement, Window};

/// See the module's documentation.
#[derive(Clone)]
pub(crate) struct SharedTime {
    profiles: Vec<Vec<Slot>>,
    /// By node: in how many units it is sold.
    units: Vec<u32>,
}

/// What the tasks of a window take of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) node: NodeId,
    pub(crate) interval: Interval,
    pub(crate) units: u32,
}

impl Taken {
    /// What a window takes, node by node.
    fn by(window: &Window) -> Vec<Taken> {
        let mut all: Vec<Taken> = Vec::with_capacity(window.placements().len());
        for &Placement { node, units, interval, .. } in window.placements() {
            match all.last_mut() {
                Some(last) if (last.node, last.interval) == (node, interval) => last.units += units,
                _ => all.push(Taken { node, interval, units }),
            }
        }
        all
    }

    /// The steps that it lies on.
    pub(crate) fn steps(&self, profile: &[Slot]) -> Range<usize> {
        let first = profile.partition_point(|step| step.end() <= self.interval.start());
        first..first + profile[first..].partition_point(|step| step.start() < self.interval.end())
    }

    /// The part of it that lies on a step.
    pub(crate) fn part_of(&self, step: &Slot) -> Option<Interval> {
        Interval::new(step.start().max(self.interval.start()), step.end().min(self.interval.end()))
    }
}

/// Whether a step of a node of so many units goes on where the one before it ends, at the same price.
#[inline]
pub(crate) fn continues(profile: &[Slot], place: usize, of: u32) -> bool {
    let before = place.checked_sub(1).map(|before| &profile[before]);
    let step = &profile[place];
    of > 1 && before.is_some_and(|before| (before.end(), before.rate()) == (step.start(), step.rate()))
}

impl SharedTime {
    pub(crate) fn new(offers: &Offers) -> SharedTime {
        SharedTime {
            profiles: profiles(offers),
            units: offers.nodes().iter().map(|node| node.division.units()).collect(),
        }
    }

    /// By node: its steps in order of time.
    pub(crate) fn profiles(&self) -> &[Vec<Slot>] {
        &self.profiles
    }

    /// By node: in how many units it is sold.
    pub(crate) fn units(&self) -> &[u32] {
        &self.units
    }

    /// Whether all that a window takes is free.
    pub(crate) fn holds(&self, window: &Window) -> bool {
        Taken::by(window).iter().all(|taken| {
            let (Some(profile), Some(of)) =
                (self.profiles.get(taken.node.index()), self.units.get(taken.node.index()))
            else {
                return false;
            };
            let steps = taken.steps(profile);
            let ends_inside =
                profile[..steps.end].last().is_some_and(|last| last.end() >= taken.interval.end());
            let begins_inside =
                profile.get(steps.start).is_some_and(|it| it.start() <= taken.interval.start());
            let free = profile[steps.clone()].iter().all(|step| step.units() >= taken.units);
            let mut further = steps.skip(1);
            begins_inside && ends_inside && free && further.all(|place| continues(profile, place, *of))
        })
    }

    /// Takes a window out.
    pub(crate) fn take(&mut self, window: &Window) {
        Taken::by(window).iter().for_each(|taken| self.take_part(taken));
    }

    /// Takes a window out; gives for each of these lanes what it loses.
    pub(crate) fn cut(&mut self, window: &Window, all: &[Lanes]) -> Vec<Vec<Placement>> {
        let mut lost = vec![Vec::new(); all.len()];
        for taken in Taken::by(window) {
            let node = taken.node.index();
            let (Some(profile), Some(of)) = (self.profiles.get(node), self.units.get(node)) else { continue };
            for (lost, lanes) in lost.iter_mut().zip(all) {
                lost.extend(lanes.lost(profile, *of, &taken));
            }
            self.take_part(&taken);
        }
        lost
    }

    fn take_part(&mut self, taken: &Taken) {
        let node = taken.node.index();
        let (Some(profile), Some(of)) = (self.profiles.get_mut(node), self.units.get(node)) else { return };
        let steps = taken.steps(profile);
        // A neighbour may have what is left now.
        let (first, end) = (steps.start.saturating_sub(1), (steps.end + 1).min(profile.len()));
        let mut left = Vec::with_capacity(end - first + 2);
        for slot in &profile[first..end] {
            let Some(part) = taken.part_of(slot) else {
                push_joined(&mut left, *slot, *of);
                continue;
            };
            let fewer = slot.units().saturating_sub(taken.units);
            let inside = slot.part(part.start(), part.end()).filter(|_| fewer > 0);
            let parts = [
                slot.part(slot.start(), part.start()),
                inside.map(|slot| slot.with_units(fewer)),
                slot.part(part.end(), slot.end()),
            ];
            parts.into_iter().flatten().for_each(|part| push_joined(&mut left, part, *of));
        }
        profile.splice(first..end, left);
    }
}

/// Adds a step, or makes the last one longer where they are the same.
fn push_joined(steps: &mut Vec<Slot>, step: Slot, of: u32) {
    let alike = |last: &Slot| {
        of > 1 && last.end() == step.start() && (last.rate(), last.units()) == (step.rate(), step.units())
    };
    let longer = steps.last().filter(|last| alike(last)).and_then(|last| {
        let time = Interval::new(last.start(), step.end())?;
        Slot::new(step.node(), time, step.rate()).map(|slot| slot.with_units(step.units()))
    });
    match (longer, steps.last_mut()) {
        (Some(longer), Some(last)) => *last = longer,
        _ => steps.push(step),
    }
}
