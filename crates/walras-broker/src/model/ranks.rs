//! Sets of an array's elements, by rank, as ranges: what is taken in order stays one range, however many there are.
//!
//! **Complexity.** O(ranges) for a change, O(log ranges) for a look.
//!
//! ```
//! use walras_broker::ranks::Ranks;
//! let mut ranks = Ranks::first(10);
//! assert!(ranks.remove(4) && !ranks.remove(4));
//! let taken = ranks.take(6);
//! assert_eq!(taken.ranges().collect::<Vec<_>>(), [(0, 4), (5, 7)]);
//! assert_eq!((taken.len(), ranks.len(), ranks.contains(7)), (6, 3, true));
//! ```

use serde::{Deserialize, Serialize};

/// Ranks, as ranges that neither overlap nor touch, in order; each without its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ranks(Vec<(u32, u32)>);

impl FromIterator<u32> for Ranks {
    fn from_iter<I: IntoIterator<Item = u32>>(ranks: I) -> Ranks {
        let mut all = Ranks::default();
        for rank in ranks {
            all.insert(rank);
        }
        all
    }
}

impl Ranks {
    /// The first so many.
    pub fn first(count: u32) -> Ranks {
        Ranks(if count == 0 { Vec::new() } else { vec![(0, count)] })
    }

    /// One of them.
    pub fn one(rank: u32) -> Ranks {
        Ranks(vec![(rank, rank + 1)])
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|(from, to)| to - from).sum()
    }

    /// As ranges, each without its end.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().copied()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|(from, to)| *from..*to)
    }

    /// Whether they are in order, as a set is.
    pub fn is_sound(&self) -> bool {
        self.0.iter().all(|(from, to)| from < to) && self.0.windows(2).all(|pair| pair[0].1 < pair[1].0)
    }

    fn place(&self, rank: u32) -> Option<usize> {
        let place = self.0.partition_point(|(from, _)| *from <= rank).checked_sub(1)?;
        self.0.get(place).filter(|(_, to)| rank < *to).map(|_| place)
    }

    /// Whether it is one of them.
    pub fn contains(&self, rank: u32) -> bool {
        self.place(rank).is_some()
    }

    /// Adds one.
    pub fn insert(&mut self, rank: u32) {
        if self.contains(rank) {
            return;
        }
        let place = self.0.partition_point(|(from, _)| *from <= rank);
        let before = place.checked_sub(1).filter(|before| self.0[*before].1 == rank);
        let after = self.0.get(place).is_some_and(|(from, _)| *from == rank + 1);
        match (before, after) {
            (Some(before), true) => {
                self.0[before].1 = self.0[place].1;
                self.0.remove(place);
            }
            (Some(before), false) => self.0[before].1 = rank + 1,
            (None, true) => self.0[place].0 = rank,
            (None, false) => self.0.insert(place, (rank, rank + 1)),
        }
    }

    /// Takes one away; whether it was there.
    pub fn remove(&mut self, rank: u32) -> bool {
        let Some(place) = self.place(rank) else { return false };
        let (from, to) = self.0[place];
        let rest = [(from, rank), (rank + 1, to)];
        self.0.splice(place..=place, rest.into_iter().filter(|(from, to)| from < to));
        true
    }

    /// Takes the first so many away, and gives them.
    pub fn take(&mut self, count: u32) -> Ranks {
        let mut left = count;
        let mut taken = Vec::new();
        while left > 0
            && let Some((from, to)) = self.0.first().copied()
        {
            let end = to.min(from.saturating_add(left));
            taken.push((from, end));
            left -= end - from;
            if end == to {
                self.0.remove(0);
            } else {
                self.0[0].0 = end;
            }
        }
        Ranks(taken)
    }

    /// Takes all these away; whether all were there. Time O(ranges of both).
    pub fn remove_all(&mut self, gone: &Ranks) -> bool {
        let (mut left, mut taken) = (Vec::with_capacity(self.0.len()), 0);
        let mut gone_ranges = gone.0.iter().peekable();
        for (from, to) in self.0.iter().copied() {
            let mut from = from;
            // One range may take from several, so that it is passed only where it ends.
            while let Some((begin, end)) =
                gone_ranges.peek().copied().copied().filter(|(begin, _)| *begin < to)
            {
                if end > from {
                    left.extend((begin > from).then_some((from, begin)));
                    taken += end.min(to) - begin.max(from);
                    from = from.max(end.min(to));
                }
                if end > to {
                    break;
                }
                gone_ranges.next();
            }
            left.extend((from < to).then_some((from, to)));
        }
        self.0 = left;
        taken == gone.len()
    }

    /// Those that are in both. Time O(ranges of both).
    #[must_use]
    pub fn shared(&self, other: &Ranks) -> Ranks {
        let mut rest = self.clone();
        rest.remove_all(other);
        let mut shared = self.clone();
        shared.remove_all(&rest);
        shared
    }

    /// Adds all these. Time O(ranges of both · log).
    pub fn insert_all(&mut self, added: &Ranks) {
        let mut all: Vec<(u32, u32)> = self.0.iter().chain(&added.0).copied().collect();
        all.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (from, to) in all {
            match merged.last_mut().filter(|last| from <= last.1) {
                Some(last) => last.1 = last.1.max(to),
                None => merged.push((from, to)),
            }
        }
        self.0 = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranks_are_a_set(steps in prop::collection::vec((0_u8..6, 0_u32..24), 0..60)) {
            let (mut ranks, mut set) = (Ranks::first(12), (0..12).collect::<BTreeSet<u32>>());
            for (step, rank) in steps {
                let three = Ranks(vec![(rank, rank + 3)]);
                let both: Vec<u32> = set.iter().copied().filter(|it| three.contains(*it)).collect();
                prop_assert_eq!(ranks.shared(&three).iter().collect::<Vec<_>>(), both);
                match step {
                    4 => { ranks.insert_all(&three); set.extend(three.iter()); }
                    0 => { ranks.insert(rank); set.insert(rank); }
                    1 => prop_assert_eq!(ranks.remove(rank), set.remove(&rank)),
                    2 => {
                        let taken = ranks.take(rank / 4);
                        for rank in taken.iter() { prop_assert_eq!(set.pop_first(), Some(rank)); }
                    }
                    5 => {
                        // Several at once, some of which are there.
                        let gone = Ranks(vec![(rank / 4, rank / 4 + 2), (rank / 4 + 4, rank / 4 + 5), (rank + 9, rank + 12)]);
                        let there = gone.iter().all(|rank| set.contains(&rank));
                        prop_assert_eq!(ranks.remove_all(&gone), there);
                        for rank in gone.iter() { set.remove(&rank); }
                    }
                    _ => {
                        let gone = three;
                        let there = gone.iter().all(|rank| set.contains(&rank));
                        prop_assert_eq!(ranks.remove_all(&gone), there);
                        for rank in gone.iter() { set.remove(&rank); }
                    }
                }
                prop_assert!(ranks.is_sound());
                prop_assert_eq!(ranks.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ranks.len() as usize, set.len());
                prop_assert_eq!(ranks.contains(rank), set.contains(&rank));
            }
        }
    }
}
