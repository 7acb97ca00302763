//! What is free of the offers, while windows are taken out and put back.
//!
//! **Problem.** A search by trial and error takes windows out of what is free and puts them back thousands of times. What is
//! put back must join its neighbours again, so that any order of takes and releases that ends with the same windows taken
//! leaves the same pieces.
//!
//! **Method.** The pieces of all nodes in order of start, then node, as the searches want them; and for each node the starts of its
//! pieces, to find the one that holds a time. Pieces join only within the slot that they were cut from: a task never runs across
//! two slots.
//!
//! **Complexity.** Two binary searches and a move of the pieces behind for each slot that is taken or put back.

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

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Free<'a> {
    offered: &'a [Slot],
    pieces: Vec<Piece>,
    /// By node: when its pieces start, in order.
    starts: Vec<Vec<Time>>,
}

impl<'a> Free<'a> {
    pub(super) fn new(offers: &'a Offers) -> Free<'a> {
        let offered = offers.slots();
        let pieces = offered.iter().enumerate().map(|(origin, slot)| Piece { slot: *slot, origin });
        let mut starts = vec![Vec::new(); offers.nodes().len()];
        for slot in offered {
            starts[slot.node().index()].push(slot.start());
        }
        Free { offered, pieces: pieces.collect(), starts }
    }

    /// All pieces in order of their keys.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Takes time out; gives the slot's place among the offered and the piece that held it, or `None` when it is not free.
    pub(super) fn take(&mut self, node: NodeId, interval: Interval) -> Option<(usize, SlotKey)> {
        let starts = self.starts.get(node.index())?;
        let at = starts.partition_point(|start| *start <= interval.start()).checked_sub(1)?;
        let key = SlotKey { start: starts[at], node };
        let piece = self.pieces[self.find(key).ok()?];
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
        self.find(key).ok().map(|at| self.pieces[at]).filter(|piece| piece.origin == origin)
    }

    fn find(&self, key: SlotKey) -> Result<usize, usize> {
        self.pieces.binary_search_by_key(&key, |piece| piece.slot.key())
    }

    fn add(&mut self, slot: Option<Slot>, origin: usize) {
        let Some(slot) = slot else { return };
        if let Err(at) = self.find(slot.key()) {
            self.pieces.insert(at, Piece { slot, origin });
            let starts = &mut self.starts[slot.node().index()];
            let at = starts.partition_point(|start| *start < slot.start());
            starts.insert(at, slot.start());
        }
    }

    fn remove(&mut self, key: SlotKey) {
        if let Ok(at) = self.find(key) {
            self.pieces.remove(at);
            let starts = &mut self.starts[key.node.index()];
            if let Ok(at) = starts.binary_search(&key.start) {
                starts.remove(at);
            }
        }
    }
}
