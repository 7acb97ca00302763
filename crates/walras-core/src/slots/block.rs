//! Blocks and groups: the two levels of a slot list.

use super::summary::{AliveCount, LENGTH_CLASSES, Lengths, Summary};
use walras_model::offer::{Slot, SlotKey};

/// Slots of a fresh block. Unit tests build with small numbers, so that small instances use all of the index.
pub(crate) const SLOTS_PER_BLOCK: usize = if cfg!(test) { 4 } else { 256 };
/// A block splits when it has as many.
pub(crate) const SLOTS_PER_BLOCK_MAX: usize = 2 * SLOTS_PER_BLOCK;
/// Blocks of a fresh group; a group splits at twice as many.
pub(crate) const BLOCKS_PER_GROUP: usize = if cfg!(test) { 2 } else { 64 };
/// A block's summary is recomputed after this many cuts that begin or end in it.
pub(crate) const CUTS_BEFORE_TIGHTENING: u32 = if cfg!(test) { 2 } else { 256 };

/// A short run of slots.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// No slot of the block has a smaller key; it stays as it was when the block was made.
    pub(crate) from: SlotKey,
    pub(crate) summary: Summary,
    pub(crate) slots: Vec<Slot>,
    /// Cuts since the summary was computed that may have made it loose.
    pub(crate) cuts: u32,
}

/// A run of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) from: SlotKey,
    pub(crate) summary: Summary,
    pub(crate) blocks: Vec<Block>,
}

impl Block {
    /// A block of these slots; `alive` has been swept over all slots before them.
    pub(crate) fn new(
        from: SlotKey,
        slots: Vec<Slot>,
        performances: &[i64],
        lengths: &Lengths,
        alive: &mut AliveCount,
    ) -> Block {
        let mut block = Block { from, summary: Summary::EMPTY, slots, cuts: 0 };
        block.summary = block.summarise(performances, lengths, alive);
        block
    }

    /// The exact summary; `alive` has been swept over all slots before the block, and is left after it.
    pub(crate) fn summarise(
        &self,
        performances: &[i64],
        lengths: &Lengths,
        alive: &mut AliveCount,
    ) -> Summary {
        let mut summary = self.summarise_slots(performances);
        // What is alive where the block's range opens counts too: a cut may later put a slot in between.
        alive.advance(self.from.start.as_millis());
        alive.raise(&mut summary.alive_max);
        for slot in &self.slots {
            alive.advance(slot.start().as_millis());
            alive.join(slot, lengths);
            alive.raise(&mut summary.alive_max);
        }
        summary
    }

    /// The summary without its counts.
    pub(super) fn summarise_slots(&self, performances: &[i64]) -> Summary {
        let mut summary = Summary::EMPTY;
        for slot in &self.slots {
            summary.include(slot, performances);
        }
        summary
    }

    /// Splits off the second half. Both halves keep the counts, which bound either.
    pub(crate) fn split(&mut self, performances: &[i64]) -> Block {
        let slots = self.slots.split_off(self.slots.len() / 2);
        let mut second = Block { from: slots[0].key(), summary: Summary::EMPTY, slots, cuts: self.cuts };
        let alive_max = self.summary.alive_max;
        for half in [&mut *self, &mut second] {
            half.summary = Summary { alive_max, ..half.summarise_slots(performances) };
        }
        second
    }

    /// Lowers the counts by what a cut that covers the whole block took away.
    pub(crate) fn lower_alive(&mut self, taken: &[u32; LENGTH_CLASSES]) {
        for (max, taken) in self.summary.alive_max.iter_mut().zip(taken) {
            *max = max.saturating_sub(*taken);
        }
    }

    /// Bytes held by the slots.
    pub(crate) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}

impl Group {
    /// A group of these blocks, of which there is at least one.
    pub(crate) fn new(blocks: Vec<Block>) -> Group {
        let mut group = Group { from: blocks[0].from, summary: Summary::EMPTY, blocks };
        group.summarise();
        group
    }

    /// Recomputes the summary from those of the blocks.
    pub(crate) fn summarise(&mut self) {
        let mut summary = Summary::EMPTY;
        for block in &self.blocks {
            summary.merge(&block.summary);
        }
        self.summary = summary;
    }
}
