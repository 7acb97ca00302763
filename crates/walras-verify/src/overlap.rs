//! Alternatives that share time on a node.
//!
//! **Problem.** Of all claimed slots on a node, find those of different alternatives that overlap.
//!
//! **Method.** A sweep in order of node, start and end that holds every slot against the one that reaches
//! furthest among those before it on the same node. If any earlier slot overlaps, the furthest one does too,
//! so no overlap goes unseen; where many slots share one moment each is reported with one other and not with
//! all of them, which keeps the report as short as the claim. A node that stands twice in one alternative is
//! another violation.
//!
//! **Complexity.** O(p log p) for p claimed slots, however much they overlap.
//!
//! ```text
//! cpu1   |--A--|              B overlaps A, C overlaps B,
//! cpu1      |-----B-----|     D touches B and overlaps nothing
//! cpu1          |-C-|
//! cpu1                  |-D-|
//! ```

use super::Claim;
use super::facts::NodeLookup;
use super::units::is_divided;
use super::violation::{AlternativeAt, SlotAt, Violation};
use super::window::Window;
use std::collections::BTreeMap;
use walras_model::id::NodeId;
use walras_model::interval::Interval;

/// Time on a node that one slot of one alternative claims. Orders by node, then start, then end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Taken {
    node: NodeId,
    interval: Interval,
    alternative: usize,
    slot: usize,
}

/// What a window takes of the nodes that exist and are sold whole. Empty and reversed slots take nothing.
pub(super) fn taken_by(window: &Window<'_>) -> impl Iterator<Item = Taken> {
    window.tasks.iter().filter_map(|task| {
        let NodeLookup::Known(node, of) = task.lookup else { return None };
        if is_divided(of) {
            return None;
        }
        let interval = task.interval()?;
        Some(Taken { node, interval, alternative: window.index, slot: task.index })
    })
}

/// Appends every pair of alternatives found to share time, once, in order of the claim.
pub(super) fn check(mut taken: Vec<Taken>, claim: &Claim, violations: &mut Vec<Violation>) {
    taken.sort_unstable();
    let mut pairs = BTreeMap::new();
    let mut furthest: Option<Taken> = None;
    for next in taken {
        let reach = furthest.filter(|reach| reach.node == next.node);
        if let Some(reach) = reach.filter(|reach| reach.alternative != next.alternative)
            && let Some(shared) = reach.interval.intersection(next.interval)
        {
            let (first, second) =
                if reach.alternative < next.alternative { (reach, next) } else { (next, reach) };
            pairs.entry((first.alternative, second.alternative)).or_insert((second.slot, shared));
        }
        furthest = reach.filter(|reach| reach.interval.end() >= next.interval.end()).or(Some(next));
    }
    violations.extend(pairs.into_iter().map(|((first, second), (slot, shared))| Violation::Overlap {
        first: alternative_at(claim, first),
        second: slot_at(claim, second, slot),
        shared,
    }));
}

fn alternative_at(claim: &Claim, index: usize) -> AlternativeAt {
    AlternativeAt { index, job: claim.alternatives[index].job.clone() }
}

fn slot_at(claim: &Claim, alternative: usize, index: usize) -> SlotAt {
    let window = &claim.alternatives[alternative];
    let slot = &window.slots[index];
    SlotAt { alternative, job: window.job.clone(), index, site: slot.site.clone(), node: slot.node.clone() }
}
