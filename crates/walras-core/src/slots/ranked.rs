//! The slots of a stretch of time in order of what work on them adds to a criterion.
//!
//! **Problem.** A search for less than a value reads slots in that order until they add too much. Most of those read are too
//! short for the task: pieces that cuts have left.
//!
//! **Method.** Ranks, and the most work that fits on each slot from the opening of the stretch on, are kept apart from the slots
//! themselves, so that what is passed over costs two comparisons of numbers that lie side by side.
//!
//! **Complexity.** Two binary searches for a piece in the place of a slot, which is a few places away where the rank is that of
//! the node; a move of what lies behind where a slot is only added or taken out.
//!
//! Example: slots of the ranks 5, 6 and 9 with room for the work 40, 300 and 80. Work of 60 up to rank 8 reads two of them, and
//! fits on the second.

use std::ops::Range;
use walras_model::offer::{Slot, SlotKey};
use walras_model::quantity::{Time, rounding};

/// Performances are millionths.
const MILLION: i128 = 1_000_000;
/// Of so many slots at once it is noted which have room, without a branch for each.
const PLACES_AT_ONCE: usize = if cfg!(test) { 4 } else { 64 };

/// An order of slots by what a unit of work on them adds to a criterion, less first.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    /// The number by which slots are ordered.
    pub(crate) by: RankBy,
    /// Millionths, by node.
    pub(crate) performances: Vec<i64>,
}

/// What slots are ranked by.
#[derive(Clone, Debug)]
pub(crate) enum RankBy {
    /// Money for work: the rate by the performance, in units of 2⁻¹⁶.
    RateForWork,
    /// The rate.
    Rate,
    /// A number of the node.
    Node(Vec<i64>),
}

impl Ranking {
    pub(super) fn of(&self, slot: &Slot) -> i64 {
        let (node, rate) = (slot.node().index(), slot.rate().as_micros_per_second());
        match &self.by {
            RankBy::RateForWork => {
                let rank = rounding::down(i128::from(rate) << 16, i128::from(self.performances[node]));
                i64::try_from(rank).unwrap_or(i64::MAX)
            }
            RankBy::Rate => rate,
            RankBy::Node(ranks) => ranks[node],
        }
    }

    /// The most work that fits on a slot after `opening`.
    fn work_on(&self, slot: &Slot, opening: Time) -> i64 {
        let length = slot.end().as_millis() - slot.start().max(opening).as_millis();
        let performance = self.performances[slot.node().index()];
        let work = rounding::down(i128::from(length) * i128::from(performance), MILLION);
        i64::try_from(work).unwrap_or(i64::MAX)
    }
}

/// Slots by rank and then key. See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranked {
    ranks: Vec<i64>,
    /// The most work that fits on each slot from the opening on.
    works: Vec<i64>,
    slots: Vec<Slot>,
}

impl Ranked {
    pub(super) fn new<'a>(ranking: &Ranking, opening: Time, slots: impl Iterator<Item = &'a Slot>) -> Ranked {
        let mut all: Vec<(i64, Slot)> = slots.map(|slot| (ranking.of(slot), *slot)).collect();
        all.sort_unstable_by_key(|(rank, slot)| (*rank, slot.key()));
        Ranked {
            ranks: all.iter().map(|(rank, _)| *rank).collect(),
            works: all.iter().map(|(_, slot)| ranking.work_on(slot, opening)).collect(),
            slots: all.into_iter().map(|(_, slot)| slot).collect(),
        }
    }

    /// Puts one slot of a rank in the place of another of the same rank.
    pub(super) fn replace(
        &mut self,
        ranking: &Ranking,
        opening: Time,
        rank: i64,
        before: Option<SlotKey>,
        after: Option<Slot>,
    ) {
        let known = before.map(|key| self.place(rank, key));
        let known = known.filter(|at| self.slots.get(*at).map(Slot::key) == before);
        let Some(slot) = after else {
            if let Some(at) = known {
                self.ranks.remove(at);
                self.works.remove(at);
                self.slots.remove(at);
            }
            return;
        };
        let work = ranking.work_on(&slot, opening);
        let place = self.place(rank, slot.key());
        let Some(at) = known else {
            self.ranks.insert(place, rank);
            self.works.insert(place, work);
            self.slots.insert(place, slot);
            return;
        };
        (self.works[at], self.slots[at]) = (work, slot);
        // All between have the same rank.
        if place > at {
            self.works[at..place].rotate_left(1);
            self.slots[at..place].rotate_left(1);
        } else {
            self.works[place..=at].rotate_right(1);
            self.slots[place..=at].rotate_right(1);
        }
    }

    /// Where a slot of this rank and key is, or would be.
    fn place(&self, rank: i64, key: SlotKey) -> usize {
        let first = self.ranks.partition_point(|other| *other < rank);
        let alike = self.ranks[first..].partition_point(|other| *other == rank);
        first + self.slots[first..first + alike].partition_point(|slot| slot.key() < key)
    }

    /// The ranks in order.
    pub(crate) fn ranks(&self) -> &[i64] {
        &self.ranks
    }

    /// Whether work fits on the slot at this place, from the opening on.
    pub(crate) fn has_room(&self, place: usize, work: i64) -> bool {
        self.works[place] >= work
    }

    /// Names the places, from one to before another, of slots on which work fits from the opening on, in order.
    pub(crate) fn for_each_with_room(&self, places: Range<usize>, work: i64, mut met: impl FnMut(usize)) {
        let mut with_room = [0; PLACES_AT_ONCE];
        let mut first = places.start;
        for works in self.works[places].chunks(PLACES_AT_ONCE) {
            let mut count = 0;
            for (place, room) in (first..).zip(works) {
                with_room[count] = place;
                count += usize::from(*room >= work);
            }
            with_room[..count].iter().for_each(|place| met(*place));
            first += works.len();
        }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }
}
