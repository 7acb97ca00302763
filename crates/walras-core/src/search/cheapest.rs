//! The n candidates of least value among those alive, under arrivals and expiries.
//!
//! **Problem.** A window search adds candidates in order of start; each expires at a time of its own. After
//! every arrival it must know the sum of the n smallest values alive. Sorting anew each time is quadratic.
//!
//! **Method.** Three heaps. `chosen` holds the n smallest, its greatest on top; `rest` holds the others, its
//! smallest on top; `expiries` holds what was ever chosen, by expiry. Members that expire leave the sum at
//! once and are replaced from `rest`. Entries of `rest`, and dead entries deep in `chosen`, are left lying
//! until they surface; when a heap has doubled since it was last compacted, its dead entries are dropped.
//!
//! **Complexity.** O(log m) amortised per arrival for m alive; O(1) on average for an arrival that is not
//! among the n smallest.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use walras_model::id::NodeId;
use walras_model::offer::SlotKey;
use walras_model::quantity::Time;

/// A heap is compacted when it holds more than this, and twice what was alive at the last compaction.
const COMPACT_FROM: usize = if cfg!(test) { 4 } else { 1_024 };

/// So few keys are looked through faster than searched.
const FEW: usize = if cfg!(test) { 2 } else { 8 };

/// A candidate: ordered by value, then by its slot's place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) value: i64,
    // The slot's key in its parts, which makes an entry a quarter smaller.
    start: Time,
    node: NodeId,
    /// The last start at which the candidate can still be used.
    pub(crate) expiry: i64,
    /// Whether `expiries` knows it.
    tracked: bool,
}

impl Entry {
    pub(crate) fn new(value: i64, key: SlotKey, expiry: i64) -> Entry {
        Entry { value, start: key.start, node: key.node, expiry, tracked: false }
    }

    pub(crate) fn key(&self) -> SlotKey {
        SlotKey { start: self.start, node: self.node }
    }

    fn rank(&self) -> (i64, SlotKey) {
        (self.value, self.key())
    }
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct Cheapest {
    n: usize,
    chosen: BinaryHeap<Entry>,
    /// Entries of `chosen` that are alive; never more than `n`.
    members: usize,
    sum: i128,
    /// The greatest member's rank when there are `n`: everything alive above it is in `rest`.
    ceiling: Option<(i64, SlotKey)>,
    rest: BinaryHeap<Reverse<Entry>>,
    rest_compact_at: usize,
    expiries: BinaryHeap<Reverse<(i64, i64, SlotKey)>>,
    /// What was withdrawn while `expiries` knew it.
    withdrawn: BTreeSet<(i64, i64, SlotKey)>,
    now: i64,
}

impl Cheapest {
    pub(crate) fn new(n: usize) -> Cheapest {
        Cheapest {
            n,
            chosen: BinaryHeap::new(),
            members: 0,
            sum: 0,
            ceiling: None,
            rest: BinaryHeap::new(),
            rest_compact_at: COMPACT_FROM,
            expiries: BinaryHeap::new(),
            withdrawn: BTreeSet::new(),
            now: i64::MIN,
        }
    }

    /// Drops what cannot start at `now`; time never goes back.
    #[inline]
    pub(crate) fn advance(&mut self, now: i64) {
        self.now = now;
        match self.expiries.peek() {
            Some(Reverse((expiry, ..))) if *expiry < now => self.expire(),
            _ => {}
        }
    }

    /// Adds a candidate that can start at the time last advanced to.
    #[inline]
    pub(crate) fn join(&mut self, entry: Entry) {
        match self.ceiling {
            Some(ceiling) if entry.rank() > ceiling => self.put_aside(entry),
            Some(_) => {
                self.choose(entry);
                self.evict_greatest();
                self.set_ceiling();
            }
            None => {
                self.choose(entry);
                self.set_ceiling();
            }
        }
    }

    /// The sum of the n smallest values, when n are alive.
    #[inline]
    pub(crate) fn sum(&self) -> Option<i128> {
        self.ceiling.map(|_| self.sum)
    }

    /// The n smallest, in no particular order.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Entry> {
        self.chosen.iter().filter(|entry| entry.expiry >= self.now)
    }

    fn choose(&mut self, mut entry: Entry) {
        if !entry.tracked {
            entry.tracked = true;
            self.expiries.push(Reverse((entry.expiry, entry.value, entry.key())));
        }
        self.sum += i128::from(entry.value);
        self.members += 1;
        self.chosen.push(entry);
        if self.chosen.len() > 2 * self.members + COMPACT_FROM {
            let now = self.now;
            self.chosen.retain(|entry| entry.expiry >= now);
        }
    }

    /// Moves the greatest member aside.
    fn evict_greatest(&mut self) {
        self.drop_dead_tops();
        if let Some(entry) = self.chosen.pop() {
            self.sum -= i128::from(entry.value);
            self.members -= 1;
            self.put_aside(entry);
        }
    }

    #[inline]
    fn put_aside(&mut self, entry: Entry) {
        self.rest.push(Reverse(entry));
        if self.rest.len() >= self.rest_compact_at {
            let now = self.now;
            self.rest.retain(|Reverse(entry)| entry.expiry >= now);
            self.rest_compact_at = (2 * self.rest.len()).max(COMPACT_FROM);
        }
    }

    /// Takes expired members out and fills up from the rest.
    fn expire(&mut self) {
        while let Some(Reverse((expiry, value, key))) = self.expiries.peek().copied() {
            if expiry >= self.now {
                break;
            }
            self.expiries.pop();
            if self.withdrawn.remove(&(expiry, value, key)) {
                continue;
            }
            // Above the ceiling it was moved aside before; without a ceiling all that lives is a member.
            if self.ceiling.is_none_or(|ceiling| (value, key) <= ceiling) {
                self.sum -= i128::from(value);
                self.members -= 1;
            }
        }
        self.fill_up();
    }

    /// Moves the least of the rest up until there are n members.
    fn fill_up(&mut self) {
        while self.members < self.n {
            match self.rest.pop() {
                Some(Reverse(entry)) if entry.expiry >= self.now => self.choose(entry),
                Some(_) => {}
                None => break,
            }
        }
        self.set_ceiling();
    }

    /// Takes members out that are no longer to be had, given in order; others move up.
    pub(crate) fn withdraw(&mut self, gone: &[SlotKey]) {
        let (now, withdrawn) = (self.now, &mut self.withdrawn);
        let (mut sum, mut count) = (0, 0);
        self.chosen.retain(|entry| {
            let key = entry.key();
            let leaves =
                if gone.len() <= FEW { gone.contains(&key) } else { gone.binary_search(&key).is_ok() };
            if leaves && entry.expiry >= now {
                sum += i128::from(entry.value);
                count += 1;
                withdrawn.insert((entry.expiry, entry.value, entry.key()));
            }
            !leaves
        });
        self.sum -= sum;
        self.members -= count;
        self.fill_up();
    }

    /// How many entries are held, dead ones included.
    pub(crate) fn len(&self) -> usize {
        self.chosen.len() + self.rest.len() + self.expiries.len()
    }

    fn set_ceiling(&mut self) {
        if self.members < self.n {
            self.ceiling = None;
            return;
        }
        self.drop_dead_tops();
        self.ceiling = self.chosen.peek().map(Entry::rank);
    }

    fn drop_dead_tops(&mut self) {
        while self.chosen.peek().is_some_and(|entry| entry.expiry < self.now) {
            self.chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_sorting_anew(
            n in 1..6_usize,
            arrivals in prop::collection::vec((0..4_i64, 0..10_i64, 0..12_i64), 1..80),
        ) {
            let mut cheapest = Cheapest::new(n);
            let mut all: Vec<Entry> = Vec::new();
            let mut now = 0;
            for (gap, value, life) in arrivals {
                now += gap;
                let node = NodeId::from_index(all.len()).unwrap();
                let key = SlotKey { start: Time::from_millis(now).unwrap(), node };
                let entry = Entry::new(value, key, now + life);
                all.push(entry);
                cheapest.advance(now);
                cheapest.join(entry);

                let mut alive: Vec<&Entry> = all.iter().filter(|entry| entry.expiry >= now).collect();
                alive.sort_by_key(|entry| entry.rank());
                let expected = (alive.len() >= n).then(|| {
                    alive[..n].iter().map(|entry| i128::from(entry.value)).sum::<i128>()
                });
                prop_assert_eq!(cheapest.sum(), expected);
                if expected.is_some() {
                    let mut members: Vec<_> = cheapest.members().map(Entry::rank).collect();
                    members.sort_unstable();
                    let ranks: Vec<_> = alive[..n].iter().map(|entry| entry.rank()).collect();
                    prop_assert_eq!(members, ranks);
                }
            }
        }
    }
}
