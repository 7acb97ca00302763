//! Which options cannot be had together, because their windows want a node at the same time.
//!
//! **Method.** On each node windows are intervals, and intervals that overlap pairwise have a moment in common. So it is enough to
//! look at the moments at which as many as possible meet: one sweep over the starts gives every greatest set of windows of which
//! at most one can be had, and every pair that overlaps is in one of them.
//!
//! Where a node is sold in units, options that meet may still be had together, as long as their units are there: at every moment at
//! which the set of those who meet or what is free changes, unless another moment says more.
//!
//! **Complexity.** O(n log n) for n placements, and the size of what comes out, which is bounded; in units, the moments times those who
//! meet, which is bounded as well.

use crate::prefer::{Shared, Source};
use crate::search::profiles;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::id::NodeId;
use walras_model::offer::{Offers, Slot};
use walras_model::quantity::Time;
use walras_model::window::{Alternative, Placement};

struct Wish {
    start: Time,
    end: Time,
    /// The place of the job, and the option's own among the job's options.
    option: (usize, usize),
    units: i64,
}

/// What options have to share; `None` when it would name more than `most` options together.
pub(super) fn exclusions(
    offers: &Offers,
    all: &[Alternative],
    sources: &[Vec<Source>],
    most: usize,
) -> Option<Vec<Shared>> {
    let mut by_node: BTreeMap<NodeId, Vec<Wish>> = BTreeMap::new();
    let same_node = |one: &Placement, other: &Placement| one.node == other.node;
    for (job, sources) in sources.iter().enumerate() {
        for (place, source) in sources.iter().enumerate() {
            let Source::Window(at) = source else { continue };
            for together in all[*at].window.placements().chunk_by(same_node) {
                let (start, end) = (together[0].interval.start(), together[0].interval.end());
                let units = together.iter().map(|it| i64::from(it.units)).sum();
                let wish = Wish { start, end, option: (job, place), units };
                by_node.entry(together[0].node).or_default().push(wish);
            }
        }
    }
    let divided = offers.is_divided().then(|| profiles(offers));
    let (mut sets, mut named) = (Vec::new(), 0);
    for (node, wishes) in by_node {
        let profile = divided.as_ref().filter(|_| offers.node(node).division.is_divided());
        let shared = match profile {
            Some(profiles) => in_units(&wishes, &profiles[node.index()], most - named)?,
            None => greatest_sets(wishes),
        };
        for set in shared {
            named += set.takes.len();
            if named > most {
                return None;
            }
            sets.push(set);
        }
    }
    Some(sets)
}

/// At how many moments, each with those who meet there, what wishes share in units is looked at for one that may be named.
const LOOKED_AT: usize = 8;

/// Those who meet on a node that is sold in units, wherever there may be too little for them; `None` when more would be looked at than may be.
fn in_units(wishes: &[Wish], profile: &[Slot], most: usize) -> Option<Vec<Shared>> {
    let ends = wishes.iter().flat_map(|wish| [wish.start, wish.end]);
    let moments: BTreeSet<Time> =
        ends.chain(profile.iter().flat_map(|slot| [slot.start(), slot.end()])).collect();
    let mut by_start: Vec<&Wish> = wishes.iter().collect();
    by_start.sort_unstable_by_key(|wish| (wish.start, wish.option));
    let (mut next, mut looked_at) = (by_start.into_iter().peekable(), 0);
    let mut meeting: Vec<&Wish> = Vec::new();
    let mut kept: Vec<(i64, Vec<&Wish>)> = Vec::new();
    for moment in moments {
        meeting.retain(|wish| wish.end > moment);
        while let Some(wish) = next.next_if(|wish| wish.start <= moment) {
            meeting.push(wish);
        }
        looked_at += meeting.len();
        if looked_at > most.saturating_mul(LOOKED_AT) {
            return None;
        }
        let at = profile.partition_point(|slot| slot.end() <= moment);
        let free =
            profile.get(at).filter(|slot| slot.start() <= moment).map_or(0, |slot| slot.units().into());
        if !may_be_too_many(&meeting, free) {
            continue;
        }
        let mut here = (free, meeting.clone());
        here.1.sort_unstable_by_key(|wish| wish.option);
        if kept.last().is_some_and(|last| says_more(last, &here)) {
            continue;
        }
        while kept.last().is_some_and(|last| says_more(&here, last)) {
            kept.pop();
        }
        kept.push(here);
    }
    let takes = |wishes: Vec<&Wish>| wishes.iter().map(|wish| (wish.option, wish.units)).collect();
    Some(kept.into_iter().map(|(free, wishes)| Shared { most: free, takes: takes(wishes) }).collect())
}

/// Whether of each job the option that takes most would together take more than is free.
fn may_be_too_many(meeting: &[&Wish], free: i64) -> bool {
    let mut by_job: BTreeMap<usize, i64> = BTreeMap::new();
    for wish in meeting {
        let most = by_job.entry(wish.option.0).or_default();
        *most = wish.units.max(*most);
    }
    by_job.values().sum::<i64>() > free
}

/// Whether all who meet at `other` meet at `one`, where no more is free.
fn says_more(one: &(i64, Vec<&Wish>), other: &(i64, Vec<&Wish>)) -> bool {
    let has = |wish: &&Wish| one.1.binary_search_by_key(&wish.option, |it| it.option).is_ok();
    one.0 <= other.0 && other.1.iter().all(has)
}

/// The greatest sets of wishes that meet, of more than one job: at most one of each is had.
fn greatest_sets(mut wishes: Vec<Wish>) -> Vec<Shared> {
    wishes.sort_unstable_by_key(|wish| (wish.start, wish.end, wish.option));
    let mut sets = Vec::new();
    let mut meeting: Vec<Wish> = Vec::new();
    let mut note = |meeting: &[Wish]| {
        if meeting.iter().any(|wish| wish.option.0 != meeting[0].option.0) {
            let takes = meeting.iter().map(|wish| (wish.option, 1)).collect();
            sets.push(Shared { most: 1, takes });
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
