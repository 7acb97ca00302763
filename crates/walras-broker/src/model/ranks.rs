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

    /// Takes all these away; whether all were there.
    pub fn remove_all(&mut self, gone: &Ranks) -> bool {
        // What is drawn is what comes first.
        let mut rest = self.clone();
        if rest.take(gone.len()) == *gone {
            *self = rest;
            return true;
        }
        let mut all = true;
        for rank in gone.iter() {
            all &= self.remove(rank);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranks_are_a_set(steps in prop::collection::vec((0_u8..4, 0_u32..24), 0..60)) {
            let (mut ranks, mut set) = (Ranks::first(12), (0..12).collect::<BTreeSet<u32>>());
            for (step, rank) in steps {
                match step {
                    0 => { ranks.insert(rank); set.insert(rank); }
                    1 => prop_assert_eq!(ranks.remove(rank), set.remove(&rank)),
                    2 => {
                        let taken = ranks.take(rank / 4);
                        for rank in taken.iter() { prop_assert_eq!(set.pop_first(), Some(rank)); }
                    }
                    _ => {
                        let gone = Ranks(vec![(rank, rank + 3)]);
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
