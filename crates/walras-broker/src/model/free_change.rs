//! What has changed of a site's free time since it last said what is free, so that a journal keeps changes and not the whole.
//!
//! Sites say what is free from now to the horizon, both of which move with every cycle: were that a change, everything would have changed.
//! So the old list is moved first: what lies before the new beginning is cut off, and what was free to the end of the old list is free to
//! the end of the new one. Only what then still differs is kept.
//!
//! ```text
//!   old        |--n1--------------|        gone: nothing
//!   moved            |--n1--------------|  new: the second interval of n1, when an owner's job splits it
//! ```
//!
//! Time O(n log n) in the intervals. Lists in any other order than by node and start have no change: they are kept whole.

use super::site::FreeTime;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use walras_model::{Interval, NodeId, Time};

/// What has changed of a list of free intervals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeChange {
    /// Nothing is free before this.
    pub from: Time,
    /// What was free to the end of the old list is free until this.
    pub until: Time,
    /// Of what that comes to, this is not free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<FreeTime>,
    /// And this is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<FreeTime>,
}

fn place(time: &FreeTime) -> (NodeId, Time, Time, Option<u32>) {
    (time.node, time.interval.start(), time.interval.end(), time.units)
}

/// The old list as it would be if nothing but the time had changed.
fn moved(old: &[FreeTime], from: Time, until: Time) -> Vec<FreeTime> {
    let end = old.iter().map(|it| it.interval.end()).max();
    let moved = |it: &FreeTime| {
        let to = if Some(it.interval.end()) == end { until } else { it.interval.end() };
        let interval = Interval::new(it.interval.start().max(from), to)?;
        Some(FreeTime { interval, ..*it })
    };
    let mut all: Vec<FreeTime> = old.iter().filter_map(moved).collect();
    all.sort_by_key(place);
    all
}

impl FreeChange {
    /// The change from one list to another; nothing where it is no shorter than the other list.
    pub fn between(old: &[FreeTime], new: &[FreeTime]) -> Option<FreeChange> {
        let from = new.iter().map(|it| it.interval.start()).min()?;
        let until = new.iter().map(|it| it.interval.end()).max()?;
        let before = moved(old, from, until);
        let mut change = FreeChange { from, until, gone: Vec::new(), new: Vec::new() };
        let (mut gone, mut come) = (before.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (gone.peek(), come.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => place(one).cmp(&place(other)),
            };
            if order != Ordering::Less {
                let next = come.next();
                change.new.extend(next.filter(|_| order == Ordering::Greater));
            }
            if order != Ordering::Greater {
                let next = gone.next();
                change.gone.extend(next.filter(|_| order == Ordering::Less));
            }
        }
        let shorter = change.gone.len() + change.new.len() < new.len();
        (shorter && change.applied(old) == new).then_some(change)
    }

    /// What is free by now, of what was.
    pub fn applied(&self, old: &[FreeTime]) -> Vec<FreeTime> {
        let mut gone = self.gone.iter().map(place).peekable();
        let stays = |it: &FreeTime| {
            while gone.next_if(|gone| *gone < place(it)).is_some() {}
            gone.next_if(|gone| *gone == place(it)).is_none()
        };
        let mut all: Vec<FreeTime> = moved(old, self.from, self.until);
        all.retain(stays);
        all.extend(&self.new);
        all.sort_by_key(place);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn time(millis: i64) -> Time {
        Time::from_millis(millis).unwrap()
    }

    fn free(node: u32, from: i64, to: i64) -> FreeTime {
        FreeTime::whole(NodeId::new(node), Interval::new(time(from), time(to)).unwrap())
    }

    #[test]
    fn only_what_others_did_is_a_change() {
        let old = [free(0, 10, 100), free(1, 10, 40), free(1, 60, 100)];
        let later = [free(0, 20, 110), free(1, 20, 40), free(1, 60, 110)];
        let nothing = FreeChange { from: time(20), until: time(110), gone: Vec::new(), new: Vec::new() };
        assert_eq!(FreeChange::between(&old, &later), Some(nothing));
        // An owner's job splits the first.
        let split = [free(0, 20, 50), free(0, 70, 110), free(1, 20, 40), free(1, 60, 110)];
        let change = FreeChange::between(&old, &split).unwrap();
        assert_eq!((change.gone.as_slice(), change.new.as_slice()), (&[free(0, 20, 110)][..], &split[..2]));
        // A list in another order is kept as it is.
        assert_eq!(FreeChange::between(&old, &[later[2], later[0], later[1]]), None);
        assert_eq!(FreeChange::between(&old, &[]), None);
        assert_eq!(FreeChange::between(&[], &later), None);
    }

    #[test]
    fn where_nothing_changes_next_to_nothing_is_kept() {
        let list = |now: i64| -> Vec<FreeTime> {
            let of = |node| [free(node, now, 5_000_000), free(node, 6_000_000, now + 9_000_000)];
            (0..12_500).flat_map(of).collect()
        };
        let change = FreeChange::between(&list(1_000), &list(61_000)).unwrap();
        assert!(serde_json::to_vec(&change).unwrap().len() < 100);
    }

    #[test]
    fn other_units_of_the_same_time_are_a_change() {
        let (whole, part) = (free(0, 20, 110), FreeTime { units: Some(3), ..free(0, 20, 110) });
        let rest = [free(1, 20, 110), free(2, 20, 110), free(3, 20, 110)];
        let list = |first| [vec![first], rest.to_vec()].concat();
        let change = FreeChange::between(&list(whole), &list(part)).unwrap();
        assert_eq!((change.gone.as_slice(), change.new.as_slice()), (&[whole][..], &[part][..]));
        assert_eq!(change.applied(&list(whole)), list(part));
    }

    fn lists() -> impl Strategy<Value = Vec<FreeTime>> {
        proptest::collection::vec((0_u32..3, 0_i64..40, 1_i64..12), 0..8).prop_map(|mut all| {
            all.sort_unstable();
            all.into_iter().map(|(node, from, long)| free(node, from, from + long)).collect()
        })
    }

    proptest! {
        /// Whatever was said before, and in whichever order: a change is worth the whole.
        #[test]
        fn a_change_is_worth_the_whole(old in lists(), new in lists(), turn in any::<bool>()) {
            let mut new = new;
            if turn {
                new.reverse();
            }
            if let Some(change) = FreeChange::between(&old, &new) {
                prop_assert_eq!(change.applied(&old), new);
            }
        }

        /// Nothing in a journal, however odd, makes applying it fail.
        #[test]
        fn any_change_can_be_applied(old in lists(), gone in lists(), new in lists(), from in 0_i64..40, until in 0_i64..60) {
            FreeChange { from: time(from), until: time(until), gone, new }.applied(&old);
        }
    }
}
