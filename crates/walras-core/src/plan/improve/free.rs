//! What is free of the offers, while windows are taken out and put back.
//!
//! **Problem.** A search by trial and error takes windows out of what is free and puts them back thousands of times. What is
//! put back must join its neighbours again, so that any order of takes and releases that ends with the same windows taken
//! leaves the same pieces.
//!
//! **Method.** The pieces of all nodes in order of start, then node, as the searches want them, in stretches of time, so that few have to
//! move when one comes or goes; and for each node the starts of its pieces, to find the one that holds a time. Pieces join only within the
//! slot that they were cut from: a task never runs across two slots.
//!
//! **Complexity.** A few binary searches and a move of the pieces behind in a stretch, for each slot that is taken or put back.

use walras_model::id::NodeId;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot, SlotKey};
use walras_model::quantity::Time;

/// A part of an offered slot that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) slot: Slot,
    /// The place of the offered slot.
    pub(super) origin: usize,
}

/// The horizon is cut into so many stretches, and where many slots start at once it is cut more often: after so many.
const STRETCHES: i64 = 128;
const STRETCH_SLOTS: usize = 16;

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Free<'a> {
    offered: &'a [Slot],
    /// When each stretch but the first begins.
    bounds: Vec<Time>,
    /// By stretch: the pieces that start in it, in order.
    pieces: Vec<Vec<Piece>>,
    /// By node: when its pieces start, in order.
    starts: Vec<Vec<Time>>,
}

impl<'a> Free<'a> {
    pub(super) fn new(offers: &'a Offers) -> Free<'a> {
        let offered = offers.slots();
        let bounds = bounds(offers);
        let mut pieces = vec![Vec::new(); bounds.len() + 1];
        let mut starts = vec![Vec::new(); offers.nodes().len()];
        for (origin, slot) in offered.iter().enumerate() {
            pieces[stretch_of(&bounds, slot.start())].push(Piece { slot: *slot, origin });
            starts[slot.node().index()].push(slot.start());
        }
        Free { offered, bounds, pieces, starts }
    }

    /// All pieces in order of their keys, in stretches.
    pub(super) fn pieces(&self) -> &[Vec<Piece>] {
        &self.pieces
    }

    /// Takes time out; gives the slot's place among the offered and the piece that held it, or `None` when it is not free.
    pub(super) fn take(&mut self, node: NodeId, interval: Interval) -> Option<(usize, SlotKey)> {
        let starts = self.starts.get(node.index())?;
        let at = starts.partition_point(|start| *start <= interval.start()).checked_sub(1)?;
        let key = SlotKey { start: starts[at], node };
        let piece = *self.piece(key)?;
        piece.slot.part(interval.start(), interval.end())?;
        self.remove(key);
        self.add(piece.slot.part(key.start, interval.start()), piece.origin);
        self.add(piece.slot.part(interval.end(), piece.slot.end()), piece.origin);
        Some((piece.origin, key))
    }

    /// Puts time back that was taken from the offered slot at this place.
    pub(super) fn release(&mut self, node: NodeId, interval: Interval, origin: usize) {
        let (mut from, mut until) = (interval.start(), interval.end());
        let starts = &self.starts[node.index()];
        let at = starts.partition_point(|start| *start < from);
        if let Some(before) =
            at.checked_sub(1).and_then(|at| self.joined(SlotKey { start: starts[at], node }, origin))
            && before.slot.end() == from
        {
            from = before.slot.start();
            self.remove(before.slot.key());
        }
        if let Some(after) = self.joined(SlotKey { start: until, node }, origin) {
            until = after.slot.end();
            self.remove(after.slot.key());
        }
        self.add(self.offered[origin].part(from, until), origin);
    }

    /// The piece with this key, where it is of the same offered slot.
    fn joined(&self, key: SlotKey, origin: usize) -> Option<Piece> {
        self.piece(key).copied().filter(|piece| piece.origin == origin)
    }

    fn piece(&self, key: SlotKey) -> Option<&Piece> {
        let (stretch, at) = self.find(key);
        at.ok().map(|at| &self.pieces[stretch][at])
    }

    /// The stretch of a key, and its place there or where it would be.
    fn find(&self, key: SlotKey) -> (usize, Result<usize, usize>) {
        let stretch = stretch_of(&self.bounds, key.start);
        (stretch, self.pieces[stretch].binary_search_by_key(&key, |piece| piece.slot.key()))
    }

    fn add(&mut self, slot: Option<Slot>, origin: usize) {
        let Some(slot) = slot else { return };
        if let (stretch, Err(at)) = self.find(slot.key()) {
            self.pieces[stretch].insert(at, Piece { slot, origin });
            let starts = &mut self.starts[slot.node().index()];
            let at = starts.partition_point(|start| *start < slot.start());
            starts.insert(at, slot.start());
        }
    }

    fn remove(&mut self, key: SlotKey) {
        if let (stretch, Ok(at)) = self.find(key) {
            self.pieces[stretch].remove(at);
            let starts = &mut self.starts[key.node.index()];
            if let Ok(at) = starts.binary_search(&key.start) {
                starts.remove(at);
            }
        }
    }
}

/// When stretches begin.
fn bounds(offers: &Offers) -> Vec<Time> {
    let (start, end) = (offers.horizon().start().as_millis(), offers.horizon().end().as_millis());
    let length = end.saturating_sub(start).div_euclid(STRETCHES).max(1);
    let even = (1..STRETCHES).map(|number| start.saturating_add(length.saturating_mul(number)));
    let many = offers.slots().iter().step_by(STRETCH_SLOTS).map(Slot::start);
    let mut bounds: Vec<Time> = even.filter_map(Time::from_millis).chain(many).collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

fn stretch_of(bounds: &[Time], start: Time) -> usize {
    bounds.partition_point(|bound| *bound <= start)
}
