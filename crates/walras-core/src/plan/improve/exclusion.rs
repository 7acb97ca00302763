//! Which options cannot be had together, because their windows want a node at the same time.
//!
//! **Method.** On each node windows are intervals, and intervals that overlap pairwise have a moment in common. So it is enough to
//! look at the moments at which as many as possible meet: one sweep over the starts gives every greatest set of windows of which
//! at most one can be had, and every pair that overlaps is in one of them.
//!
//! **Complexity.** O(n log n) for n placements, and the size of what comes out, which is bounded.

use crate::prefer::Source;
use std::collections::BTreeMap;
use walras_model::id::NodeId;
use walras_model::quantity::Time;
use walras_model::window::Alternative;

/// An option: the place of its job, and its own among the job's options.
pub(super) type OptionPlace = (usize, usize);

struct Wish {
    start: Time,
    end: Time,
    option: OptionPlace,
}

/// Sets of options of which at most one can be had; `None` when they would name more than `most` options together.
pub(super) fn exclusions(
    all: &[Alternative],
    sources: &[Vec<Source>],
    most: usize,
) -> Option<Vec<Vec<OptionPlace>>> {
    let mut by_node: BTreeMap<NodeId, Vec<Wish>> = BTreeMap::new();
    for (job, sources) in sources.iter().enumerate() {
        for (place, source) in sources.iter().enumerate() {
            let Source::Window(at) = source else { continue };
            for it in all[*at].window.placements() {
                let (start, end) = (it.interval.start(), it.interval.end());
                by_node.entry(it.node).or_default().push(Wish { start, end, option: (job, place) });
            }
        }
    }
    let (mut sets, mut named) = (Vec::new(), 0);
    for wishes in by_node.into_values() {
        for set in greatest_sets(wishes) {
            named += set.len();
            if named > most {
                return None;
            }
            sets.push(set);
        }
    }
    Some(sets)
}

/// The greatest sets of wishes that meet, of more than one job.
fn greatest_sets(mut wishes: Vec<Wish>) -> Vec<Vec<OptionPlace>> {
    wishes.sort_unstable_by_key(|wish| (wish.start, wish.end, wish.option));
    let mut sets = Vec::new();
    let mut meeting: Vec<Wish> = Vec::new();
    let mut note = |meeting: &[Wish]| {
        if meeting.iter().any(|wish| wish.option.0 != meeting[0].option.0) {
            sets.push(meeting.iter().map(|wish| wish.option).collect());
        }
    };
    for wish in wishes {
        // The last to come was in no set yet, so that those who meet now are a greatest one once somebody goes.
        let ended = |it: &Wish| it.end <= wish.start;
        if meeting.iter().any(ended) {
            note(&meeting);
            meeting.retain(|it| !ended(it));
        }
        meeting.push(wish);
    }
    note(&meeting);
    sets
}
