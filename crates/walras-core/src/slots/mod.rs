//! Ordered slot lists that lose time and stay ordered, with an index that lets searches skip.
//!
//! **Problem.** Searches walk all slots in order of start; every window found takes time out of the list.
//! The list must stay ordered under millions of such cuts, and a search that cannot succeed in a stretch of
//! the list should not have to read it.
//!
//! **Method.** A B+-tree of fixed height: groups of blocks of slots. A block covers a range of keys that its
//! `from` key opens and the next block's closes. Each block and group carries a summary: the longest
//! slot, the cheapest rate, the fastest node, the latest end, and the most slots alive at once, the last also
//! for slots of at least some lengths. Summaries are upper bounds. A cut only takes time away, so they stay
//! true without any work; they are lowered by one where a cut covers a whole block, and recomputed for a
//! block when enough cuts have ended or begun in it.
//!
//! **Complexity.** Building: O(n log m) for m slots alive at once. A cut: two binary searches and a move
//! within one block of bounded size, plus one step per block that the window covers; recomputing is
//! amortised over the cuts that asked for it.
//!
//! ```
//! use walras_core::slots::SlotList;
//! use walras_model::{Interval, NodeId, Performance, Rate, Slot, Time};
//! let time = |s: i64| Time::from_millis(s * 1_000).unwrap();
//! let rate = Rate::from_micros_per_second(1_000_000).unwrap();
//! let slot = Slot::new(NodeId::new(0), Interval::new(time(0), time(60)).unwrap(), rate).unwrap();
//! let list = SlotList::new(vec![slot], &[Performance::ONE]);
//! assert_eq!(list.iter().count(), 1);
//! ```

mod block;
#[cfg(test)]
mod check;
mod cut;
mod ranked;
mod segments;
mod summary;

pub(crate) use block::{Block, Group, SLOTS_PER_BLOCK_MAX};
pub(crate) use ranked::{RankBy, Ranking};
pub(crate) use segments::{Segment, Segments};
pub(crate) use summary::Summary;

use block::{BLOCKS_PER_GROUP, SLOTS_PER_BLOCK};
use summary::{AliveCount, Lengths};
use walras_model::offer::{Offers, Slot, SlotKey};
use walras_model::quantity::Performance;

/// Slots in order of their keys, with an index. See the module's documentation.
#[derive(Clone, Debug)]
pub struct SlotList {
    groups: Vec<Group>,
    /// Millionths, by node.
    performances: Vec<i64>,
    lengths: Lengths,
}

/// A cut was refused: the list does not hold that time as free. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFree {
    /// The slot that the time should have been cut from.
    pub source: SlotKey,
}

// By hand: `source` is a slot here, and not an error that caused this one.
impl std::fmt::Display for NotFree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SlotKey { start, node } = self.source;
        write!(f, "the slot of node {} at {start} s does not hold that time as free", node.number())
    }
}

impl std::error::Error for NotFree {}

impl SlotList {
    /// A list of these slots, in any order; `performances` are those of the nodes, by id.
    ///
    /// Slots of one node must not overlap (as [`Offers`] guarantee).
    pub fn new(mut slots: Vec<Slot>, performances: &[Performance]) -> SlotList {
        if !slots.is_sorted_by_key(Slot::key) {
            slots.sort_unstable_by_key(Slot::key);
        }
        let performances: Vec<i64> =
            performances.iter().map(|performance| performance.as_millionths()).collect();
        let lengths = Lengths::of(&slots);
        let mut alive = AliveCount::default();
        let mut blocks: Vec<Block> = slots
            .chunks(SLOTS_PER_BLOCK)
            .map(|chunk| Block::new(chunk[0].key(), chunk.to_vec(), &performances, &lengths, &mut alive))
            .collect();
        let mut groups = Vec::with_capacity(blocks.len().div_ceil(BLOCKS_PER_GROUP));
        while !blocks.is_empty() {
            let rest = blocks.split_off(blocks.len().min(BLOCKS_PER_GROUP));
            groups.push(Group::new(std::mem::replace(&mut blocks, rest)));
        }
        SlotList { groups, performances, lengths }
    }

    /// The slots of these offers.
    pub fn from_offers(offers: &Offers) -> SlotList {
        let performances: Vec<Performance> = offers.nodes().iter().map(|node| node.performance).collect();
        SlotList::new(offers.whole().slots().to_vec(), &performances)
    }

    /// All slots in order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.groups.iter().flat_map(|group| &group.blocks).flat_map(|block| &block.slots)
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.groups.iter().flat_map(|group| &group.blocks).map(|block| block.slots.len()).sum()
    }

    /// Whether nothing is free.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// Bytes that the list holds on to, index included.
    pub fn memory(&self) -> usize {
        let slots: usize = self.groups.iter().flat_map(|group| &group.blocks).map(Block::memory).sum();
        let blocks: usize = self.groups.iter().map(|group| group.blocks.capacity()).sum();
        slots
            + blocks * size_of::<Block>()
            + self.groups.capacity() * size_of::<Group>()
            + self.performances.capacity() * size_of::<i64>()
    }
}
