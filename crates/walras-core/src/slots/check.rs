//! Whether every bound of the index holds, from the slots alone.

use super::summary::LENGTH_CLASSES;
use super::{Block, Group, SLOTS_PER_BLOCK_MAX, SlotList, Summary};
use walras_model::offer::Slot;

impl SlotList {
    /// Panics with what is wrong.
    pub(crate) fn check_index(&self) {
        let all: Vec<Slot> = self.iter().copied().collect();
        assert!(all.is_sorted_by_key(Slot::key));
        let froms: Vec<_> =
            self.groups.iter().flat_map(|group| &group.blocks).map(|block| block.from).collect();
        assert!(froms.is_sorted_by(|a, b| a < b));
        let mut seen = 0;
        for group in &self.groups {
            assert_eq!(group.from, group.blocks[0].from);
            for block in &group.blocks {
                self.check_block(group, block, &all, seen);
                seen += block.slots.len();
            }
        }
    }

    fn check_block(&self, group: &Group, block: &Block, all: &[Slot], seen: usize) {
        assert!(block.slots.len() < SLOTS_PER_BLOCK_MAX);
        let mut most = self.alive(&all[..seen], block.from.start.as_millis());
        for (index, slot) in block.slots.iter().enumerate() {
            assert!(slot.key() >= block.from);
            for summary in [&block.summary, &group.summary] {
                self.check_slot(summary, slot);
            }
            let alive = self.alive(&all[..=seen + index], slot.start().as_millis());
            most = std::array::from_fn(|class| most[class].max(alive[class]));
        }
        for class in 0..LENGTH_CLASSES {
            assert!(block.summary.alive_max[class] >= most[class], "{:?} {most:?}", block.summary.alive_max);
            assert!(group.summary.alive_max[class] >= most[class], "{:?} {most:?}", group.summary.alive_max);
        }
    }

    fn check_slot(&self, summary: &Summary, slot: &Slot) {
        assert!(summary.longest >= slot.span().as_millis());
        assert!(summary.end_max >= slot.end().as_millis());
        assert!(summary.rate_min <= slot.rate().as_micros_per_second());
        assert!(summary.performance_max >= self.performances[slot.node().index()]);
    }

    /// How many of these slots are alive at `now`, by length class.
    fn alive(&self, slots: &[Slot], now: i64) -> [u32; LENGTH_CLASSES] {
        let mut counts = [0; LENGTH_CLASSES];
        for slot in slots.iter().filter(|slot| slot.end().as_millis() > now) {
            for count in &mut counts[..self.lengths.classes(slot.span().as_millis())] {
                *count += 1;
            }
        }
        counts
    }
}
