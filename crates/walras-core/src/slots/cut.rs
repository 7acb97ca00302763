//! Cutting windows out of a slot list.

use super::block::{BLOCKS_PER_GROUP, CUTS_BEFORE_TIGHTENING, Group, SLOTS_PER_BLOCK_MAX};
use super::summary::{AliveCount, LENGTH_CLASSES, Summary};
use super::{NotFree, SlotList};
use walras_model::offer::{Slot, SlotKey};
use walras_model::quantity::Time;
use walras_model::window::{Placement, Window};

/// Recomputing a block's summary gives up when it would have to read more blocks than this.
const LOOK_BACK_BLOCKS_MAX: usize = if cfg!(test) { 2 } else { 64 };

/// Where a block is: its group, and its place in the group.
type Position = (usize, usize);

/// What a cut took: until when, and in how many length classes the slot counted.
struct Taken {
    until: Time,
    classes: usize,
}

/// The cuts that reach beyond a block's range, while that moves on.
struct Covering<'a> {
    /// In order of their ends.
    taken: &'a [Taken],
    /// How many slots of each length class they took.
    counts: [u32; LENGTH_CLASSES],
}

impl Covering<'_> {
    fn new(taken: &[Taken]) -> Covering<'_> {
        let mut counts = [0; LENGTH_CLASSES];
        for taken in taken {
            counts[..taken.classes].iter_mut().for_each(|count| *count += 1);
        }
        Covering { taken, counts }
    }

    /// Drops the cuts that end by then, or all of them: how many.
    fn end_by(&mut self, end: Option<Time>) -> usize {
        let count =
            end.map_or(self.taken.len(), |end| self.taken.partition_point(|taken| taken.until <= end));
        let (ended, rest) = self.taken.split_at(count);
        for taken in ended {
            self.counts[..taken.classes].iter_mut().for_each(|count| *count -= 1);
        }
        self.taken = rest;
        count
    }
}

impl SlotList {
    /// Takes a window's time out of the list, or changes nothing when not all of it is free.
    pub fn subtract(&mut self, window: &Window) -> Result<(), NotFree> {
        self.subtract_noting(window, &mut Vec::new())
    }

    /// The same; notes the slots that came into being behind the cuts.
    pub(crate) fn subtract_noting(
        &mut self,
        window: &Window,
        born: &mut Vec<SlotKey>,
    ) -> Result<(), NotFree> {
        for placement in window.placements() {
            self.slot_to_cut(placement).ok_or(NotFree { source: placement.source })?;
        }
        let mut taken: Vec<Taken> =
            window.placements().iter().filter_map(|placement| self.cut(placement, born)).collect();
        taken.sort_unstable_by_key(|taken| taken.until);
        self.lower_summaries(window.start(), &taken);
        Ok(())
    }

    /// The slot that a placement is to be cut from, when it holds all of it.
    fn slot_to_cut(&self, placement: &Placement) -> Option<Slot> {
        let (position, index) = self.find(placement.source)?;
        let slot = self.groups[position.0].blocks[position.1].slots[index];
        let interval = placement.interval;
        slot.part(interval.start(), interval.end()).map(|_| slot)
    }

    /// Cuts one placement: what is left before stays in place, what is left after moves to its place.
    fn cut(&mut self, placement: &Placement, born: &mut Vec<SlotKey>) -> Option<Taken> {
        let slot = self.slot_to_cut(placement)?;
        let ((group, block), index) = self.find(placement.source)?;
        let interval = placement.interval;
        let slots = &mut self.groups[group].blocks[block].slots;
        match slot.part(slot.start(), interval.start()) {
            Some(before) => slots[index] = before,
            None => drop(slots.remove(index)),
        }
        self.groups[group].blocks[block].cuts += 1;
        if let Some(after) = slot.part(interval.end(), slot.end()) {
            self.insert(after);
            born.push(after.key());
        }
        Some(Taken { until: interval.end(), classes: self.lengths.classes(slot.span().as_millis()) })
    }

    /// The slot with this key.
    pub(crate) fn get(&self, key: SlotKey) -> Option<&Slot> {
        let ((group, block), index) = self.find(key)?;
        self.groups[group].blocks[block].slots.get(index)
    }

    /// Where a slot with this key is.
    fn find(&self, key: SlotKey) -> Option<(Position, usize)> {
        let (group, block) = self.position_of(key)?;
        let slots = &self.groups[group].blocks[block].slots;
        let index = slots.binary_search_by_key(&key, Slot::key).ok()?;
        Some(((group, block), index))
    }

    /// The block whose range holds this key; keys before all blocks belong to the first.
    #[inline(always)]
    pub(crate) fn position_of(&self, key: SlotKey) -> Option<Position> {
        let group = self.groups.partition_point(|group| group.from <= key).saturating_sub(1);
        let blocks = &self.groups.get(group)?.blocks;
        Some((group, blocks.partition_point(|block| block.from <= key).saturating_sub(1)))
    }

    fn insert(&mut self, slot: Slot) {
        let Some((group, block)) = self.position_of(slot.key()) else { return };
        let place = &mut self.groups[group].blocks[block];
        let index = place.slots.partition_point(|other| other.key() < slot.key());
        place.slots.insert(index, slot);
        place.summary.include(&slot, &self.performances);
        self.groups[group].summary.include(&slot, &self.performances);
        self.split_when_full((group, block));
    }

    fn split_when_full(&mut self, (group, block): Position) {
        let blocks = &mut self.groups[group].blocks;
        if blocks[block].slots.len() < SLOTS_PER_BLOCK_MAX {
            return;
        }
        let second = blocks[block].split(&self.performances);
        blocks.insert(block + 1, second);
        if blocks.len() >= 2 * BLOCKS_PER_GROUP {
            let rest = blocks.split_off(BLOCKS_PER_GROUP);
            self.groups.insert(group + 1, Group::new(rest));
            self.groups[group].summarise();
        }
    }

    /// Lowers counts where the cuts cover a whole block, and marks the blocks in which they begin or end.
    ///
    /// `taken` is in order of its ends. Counts of a block fall for sure only when the cut slot started before
    /// the block's range and the cut reaches beyond it.
    fn lower_summaries(&mut self, start: Time, taken: &[Taken]) {
        let Some(last) = taken.last() else { return };
        let Some(mut position) = self.position_of(SlotKey { start, node: walras_model::NodeId::new(0) })
        else {
            return;
        };
        let mut covering = Covering::new(taken);
        let mut loose = Vec::new();
        loop {
            let next = self.next_position(position);
            let ended = covering.end_by(next.map(|next| self.block(next).from.start));
            let block = &mut self.groups[position.0].blocks[position.1];
            let mut cuts = taken.len();
            if start < block.from.start {
                block.lower_alive(&covering.counts);
                cuts = ended;
            }
            block.cuts = block.cuts.saturating_add(u32::try_from(cuts).unwrap_or(u32::MAX));
            if block.cuts >= CUTS_BEFORE_TIGHTENING {
                loose.push(position);
            }
            match next {
                Some(next) if self.block(next).from.start < last.until => position = next,
                _ => break,
            }
        }
        for block in loose {
            self.tighten(block);
        }
        let first = self.groups.partition_point(|group| group.from.start < start).saturating_sub(1);
        for group in &mut self.groups[first..=position.0] {
            group.summarise();
        }
    }

    fn block(&self, position: Position) -> &super::Block {
        &self.groups[position.0].blocks[position.1]
    }

    fn next_position(&self, (group, block): Position) -> Option<Position> {
        if block + 1 < self.groups[group].blocks.len() {
            return Some((group, block + 1));
        }
        (group + 1 < self.groups.len()).then_some((group + 1, 0))
    }

    /// Recomputes a block's summary from its slots and those that reach into it from before.
    fn tighten(&mut self, position: Position) {
        let from = self.block(position).from.start.as_millis();
        let block = self.block(position);
        let summary = match self.alive_before(position, from) {
            Some(mut alive) => block.summarise(&self.performances, &self.lengths, &mut alive),
            None => {
                Summary { alive_max: block.summary.alive_max, ..block.summarise_slots(&self.performances) }
            }
        };
        let block = &mut self.groups[position.0].blocks[position.1];
        block.summary = summary;
        block.cuts = 0;
    }

    /// What starts before a block and is alive at `now`; `None` when that would take too many reads.
    fn alive_before(&self, position: Position, now: i64) -> Option<AliveCount> {
        let mut alive = AliveCount::default();
        let mut read = 0;
        for (g, group) in self.groups[..=position.0].iter().enumerate() {
            if group.summary.end_max <= now {
                continue;
            }
            let blocks = if g == position.0 { &group.blocks[..position.1] } else { &group.blocks[..] };
            for block in blocks.iter().filter(|block| block.summary.end_max > now) {
                read += 1;
                if read > LOOK_BACK_BLOCKS_MAX {
                    return None;
                }
                for slot in block.slots.iter().filter(|slot| slot.end().as_millis() > now) {
                    alive.join(slot, &self.lengths);
                }
            }
        }
        Some(alive)
    }
}
