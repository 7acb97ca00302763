//! What is free for every job, while windows are taken out and put back: nodes, or lanes of those that are sold in units.
//!
//! **Problem.** Where nodes are sold in units, a window takes units from nodes, and each kind of request sees other lanes of them. All of
//! these must follow thousands of takes and releases.
//!
//! **Method.** What is taken of a node is kept as changes over time, from which what is left of it follows. The pieces of a kind of lanes
//! are brought up to date when they are searched: those of nodes that have changed since are made anew. That nothing is lost or
//! invented on lanes is shown in `search/lanes.rs`.
//!
//! **Complexity.** A take or release is O(log c) for c changes of a node. Bringing a kind up to date is linear in its pieces, and in
//! lanes × steps of the nodes that have changed.

use super::free::{Free, Piece};
use super::ranks::Wanted;
use super::single::{Found, best_window};
use super::sold::Sold;
use crate::search::{profiles, stretches};
use std::collections::BTreeMap;
use walras_model::id::NodeId;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot};
use walras_model::quantity::Time;
use walras_model::window::Window;
use walras_random::Draws;

/// See the module's documentation.
pub(super) enum Ground<'a> {
    /// All nodes are sold whole.
    Whole(Free<'a>),
    /// Some are sold in units.
    InUnits(Parts<'a>),
}

impl<'a> Ground<'a> {
    pub(super) fn new(sold: &'a Sold<'_>) -> Ground<'a> {
        match sold.offers.is_divided() {
            true => Ground::InUnits(Parts::new(sold)),
            false => Ground::Whole(Free::new(sold.offers)),
        }
    }

    /// All pieces that a job sees, in order of their keys, in stretches.
    pub(super) fn pieces(&mut self, job: usize) -> &[Vec<Piece>] {
        match self {
            Ground::Whole(free) => free.pieces(),
            Ground::InUnits(parts) => parts.pieces(job),
        }
    }

    /// When some piece that a job sees begins.
    pub(super) fn any_start(&mut self, job: usize, draws: &mut Draws) -> Option<i64> {
        let pieces = self.pieces(job);
        let count: usize = pieces.iter().map(Vec::len).sum();
        let place = draws.below(count.max(1));
        pieces.iter().flatten().nth(place).map(|piece| piece.slot.start().as_millis())
    }

    /// The best window of a job, told in terms of nodes; adds to the slots read.
    pub(super) fn best(&mut self, job: usize, wanted: Wanted<'_>, slots_read: &mut u64) -> Option<Found> {
        match self {
            Ground::Whole(free) => best_window(free.pieces(), wanted, slots_read),
            Ground::InUnits(parts) => {
                let found = best_window(parts.pieces(job), wanted, slots_read)?;
                *slots_read += std::mem::take(&mut parts.made);
                let window = parts.sold.lanes_of(job)?.told(&found.window)?;
                Some(Found { window, origins: Vec::new() })
            }
        }
    }

    /// Where a window lies, where all of it is free.
    pub(super) fn origins(&mut self, window: &Window) -> Option<Vec<usize>> {
        let free = match self {
            Ground::Whole(free) => free,
            Ground::InUnits(parts) => return parts.left.has(window).then(Vec::new),
        };
        let mut origins = Vec::with_capacity(window.placements().len());
        for placement in window.placements() {
            match free.take(placement.node, placement.interval) {
                Some((origin, _)) => origins.push(origin),
                None => break,
            }
        }
        for (placement, origin) in window.placements().iter().zip(&origins) {
            free.release(placement.node, placement.interval, *origin);
        }
        (origins.len() == window.placements().len()).then_some(origins)
    }

    /// Takes a window out that is free.
    pub(super) fn take(&mut self, window: &Window) {
        match self {
            Ground::Whole(free) => {
                for placement in window.placements() {
                    let taken = free.take(placement.node, placement.interval);
                    assert!(taken.is_some(), "only what is free is taken");
                }
            }
            Ground::InUnits(parts) => parts.change(window, 1),
        }
    }

    /// Puts a window back that lay there.
    pub(super) fn release(&mut self, window: &Window, origins: &[usize]) {
        match self {
            Ground::Whole(free) => {
                for (placement, origin) in window.placements().iter().zip(origins) {
                    free.release(placement.node, placement.interval, *origin);
                }
            }
            Ground::InUnits(parts) => parts.change(window, -1),
        }
    }
}

/// What is left of nodes that may be sold in units.
pub(super) struct Left {
    offered: Vec<Vec<Slot>>,
    /// By node: how many units it has.
    units: Vec<u32>,
    /// By node: from when on how many more units are taken than before.
    taken: Vec<BTreeMap<Time, i64>>,
}

impl Left {
    pub(super) fn new(offers: &Offers) -> Left {
        let offered = profiles(offers);
        let units = offers.nodes().iter().map(|node| node.division.units()).collect();
        let taken = vec![BTreeMap::new(); offered.len()];
        Left { offered, units, taken }
    }

    /// Takes units `times` over: those of a window, or puts them back.
    pub(super) fn change(&mut self, window: &Window, times: i64) {
        for placement in window.placements() {
            let taken = &mut self.taken[placement.node.index()];
            let by = times * i64::from(placement.units);
            for (at, by) in [(placement.interval.start(), by), (placement.interval.end(), -by)] {
                let change = taken.entry(at).or_default();
                *change += by;
                if *change == 0 {
                    taken.remove(&at);
                }
            }
        }
    }

    /// What is left of a node, in order of time.
    pub(super) fn of_node(&self, node: usize) -> Vec<Slot> {
        let mut left = Vec::with_capacity(self.offered[node].len() + self.taken[node].len());
        let mut changes = self.taken[node].iter().peekable();
        let mut taken = 0;
        for slot in &self.offered[node] {
            let mut from = slot.start();
            while from < slot.end() {
                while let Some((_, by)) = changes.next_if(|(at, _)| **at <= from) {
                    taken += by;
                }
                let until = changes.peek().map_or(slot.end(), |(at, _)| slot.end().min(**at));
                let units = u32::try_from(i64::from(slot.units()) - taken);
                let units = units.expect("only what is free is taken");
                let part = slot.part(from, until).filter(|_| units > 0);
                left.extend(part.map(|part| part.with_units(units)));
                from = until;
            }
        }
        left
    }

    /// Whether all of a window is free, for all its tasks together.
    pub(super) fn has(&self, window: &Window) -> bool {
        self.begins(window).is_some()
    }

    /// When the stretches begin that the placements lie in; `None` where not all of them are free.
    pub(super) fn begins(&self, window: &Window) -> Option<Vec<Time>> {
        let mut begins = Vec::with_capacity(window.placements().len());
        for together in window.placements().chunk_by(|one, other| one.node == other.node) {
            let node = together[0].node.index();
            let units: u32 = together.iter().map(|it| it.units).sum();
            let end = together.iter().map(|it| it.interval.end()).max()?;
            let all = Interval::new(window.start(), end)?;
            let left = stretches(&self.of_node(node), units, self.units[node] > 1);
            let begin = left.iter().find(|(time, _)| time.contains(all))?.0.start();
            begins.extend(together.iter().map(|_| begin));
        }
        Some(begins)
    }
}

/// What is free of nodes that may be sold in units, as all kinds of lanes.
pub(super) struct Parts<'a> {
    sold: &'a Sold<'a>,
    left: Left,
    /// By node: how often it has changed.
    versions: Vec<u64>,
    kinds: Vec<Kind>,
    /// How many pieces were made anew.
    made: u64,
}

/// The pieces of one kind of lanes.
struct Kind {
    /// One stretch of all.
    pieces: [Vec<Piece>; 1],
    /// By node: the version that the pieces are of.
    seen: Vec<u64>,
}

impl<'a> Parts<'a> {
    fn new(sold: &'a Sold<'_>) -> Parts<'a> {
        let versions = vec![0; sold.offers.nodes().len()];
        let kind = |offers: &Offers| Kind {
            pieces: [offers.slots().iter().map(|slot| Piece { slot: *slot, origin: 0 }).collect()],
            seen: versions.clone(),
        };
        let kinds = sold.lanes.iter().map(|lanes| kind(&lanes.offers)).collect();
        Parts { sold, left: Left::new(sold.offers), versions, kinds, made: 0 }
    }

    fn change(&mut self, window: &Window, times: i64) {
        self.left.change(window, times);
        for placement in window.placements() {
            self.versions[placement.node.index()] += 1;
        }
    }

    /// The pieces of a job's lanes as they are now.
    fn pieces(&mut self, job: usize) -> &[Vec<Piece>] {
        let Some(place) = self.sold.kind(job) else { return &[] };
        let (lanes, kind) = (&self.sold.lanes[place], &mut self.kinds[place]);
        let stale: Vec<bool> = self.versions.iter().zip(&kind.seen).map(|(is, seen)| is != seen).collect();
        if stale.contains(&true) {
            let [pieces] = &mut kind.pieces;
            pieces.retain(|piece| !stale[lanes.nodes()[piece.slot.node().index()].index()]);
            let known = pieces.len();
            for node in (0..stale.len()).filter(|node| stale[*node]).filter_map(NodeId::from_index) {
                let slots = lanes.slots_of(self.sold.offers, node, &self.left.of_node(node.index()));
                let slots = slots.expect("parts of what could be numbered and paid");
                pieces.extend(slots.into_iter().map(|slot| Piece { slot, origin: 0 }));
            }
            self.made += (pieces.len() - known) as u64;
            // Two runs that are in order are joined in one pass.
            pieces[known..].sort_unstable_by_key(|piece| piece.slot.key());
            pieces.sort_by_key(|piece| piece.slot.key());
            kind.seen.clone_from(&self.versions);
        }
        &kind.pieces
    }
}
