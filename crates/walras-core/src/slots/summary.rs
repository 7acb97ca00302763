//! What a search must know of a stretch of slots before it reads it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::offer::Slot;

/// How many length classes the index counts separately. Class 0 holds all slots.
pub(crate) const LENGTH_CLASSES: usize = 6;

/// The least length, in milliseconds, of the slots of each class.
///
/// Class c > 0 holds the longest 2⁻ᶜ of the slots: half, a quarter, and so on, so that a search for long
/// run times can count only slots that are long enough.
#[derive(Clone, Debug)]
pub(crate) struct Lengths([i64; LENGTH_CLASSES]);

impl Lengths {
    pub(crate) fn of(slots: &[Slot]) -> Lengths {
        let mut lengths: Vec<i64> = slots.iter().map(|slot| slot.span().as_millis()).collect();
        let mut thresholds = [0; LENGTH_CLASSES];
        let mut below = 0;
        for threshold in &mut thresholds[1..] {
            // What lies below `below` is smaller already: select only within the longer part.
            let long = &mut lengths[below..];
            let middle = long.len() / 2;
            *threshold = if long.is_empty() { i64::MAX } else { *long.select_nth_unstable(middle).1 };
            below += middle;
        }
        Lengths(thresholds)
    }

    /// The highest class that every slot of at least `length` milliseconds belongs to.
    pub(crate) fn class_of(&self, length: i64) -> usize {
        self.0.iter().rposition(|threshold| *threshold <= length).unwrap_or(0)
    }

    /// One more than the highest class that a slot of this length is counted in.
    pub(crate) fn classes(&self, length: i64) -> usize {
        self.class_of(length) + 1
    }
}

/// Bounds over a stretch of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The longest slot, in milliseconds.
    pub(crate) longest: i64,
    /// The lowest rate, in micro-credits per second.
    pub(crate) rate_min: i64,
    /// The fastest node, in millionths.
    pub(crate) performance_max: i64,
    /// The latest end, in milliseconds.
    pub(crate) end_max: i64,
    /// The most slots of each length class alive at one time within the stretch, whether they start in it
    /// or before it.
    pub(crate) alive_max: [u32; LENGTH_CLASSES],
}

impl Summary {
    /// Of no slots.
    pub(crate) const EMPTY: Summary = Summary {
        longest: 0,
        rate_min: i64::MAX,
        performance_max: 0,
        end_max: i64::MIN,
        alive_max: [0; LENGTH_CLASSES],
    };

    /// Takes in what a slot itself says; counts are the caller's.
    pub(crate) fn include(&mut self, slot: &Slot, performances: &[i64]) {
        self.longest = self.longest.max(slot.span().as_millis());
        self.rate_min = self.rate_min.min(slot.rate().as_micros_per_second());
        self.performance_max = self.performance_max.max(performances[slot.node().index()]);
        self.end_max = self.end_max.max(slot.end().as_millis());
    }

    /// Widens the bounds to hold for both stretches.
    pub(crate) fn merge(&mut self, other: &Summary) {
        self.longest = self.longest.max(other.longest);
        self.rate_min = self.rate_min.min(other.rate_min);
        self.performance_max = self.performance_max.max(other.performance_max);
        self.end_max = self.end_max.max(other.end_max);
        for (mine, theirs) in self.alive_max.iter_mut().zip(other.alive_max) {
            *mine = (*mine).max(theirs);
        }
    }
}

/// How many slots of each length class are alive, swept forward over slots in order of start.
#[derive(Default)]
pub(crate) struct AliveCount {
    /// End and number of classes of every slot that is alive.
    ends: BinaryHeap<Reverse<(i64, usize)>>,
    counts: [u32; LENGTH_CLASSES],
}

impl AliveCount {
    /// Drops what has ended by `now`.
    pub(crate) fn advance(&mut self, now: i64) {
        while let Some(Reverse((end, classes))) = self.ends.peek().copied() {
            if end > now {
                break;
            }
            self.ends.pop();
            for count in &mut self.counts[..classes] {
                *count -= 1;
            }
        }
    }

    /// Adds a slot that has started.
    pub(crate) fn join(&mut self, slot: &Slot, lengths: &Lengths) {
        let classes = lengths.classes(slot.span().as_millis());
        self.ends.push(Reverse((slot.end().as_millis(), classes)));
        for count in &mut self.counts[..classes] {
            *count += 1;
        }
    }

    /// Raises `alive_max` to what is alive now.
    pub(crate) fn raise(&self, alive_max: &mut [u32; LENGTH_CLASSES]) {
        for (max, count) in alive_max.iter_mut().zip(self.counts) {
            *max = (*max).max(count);
        }
    }
}
