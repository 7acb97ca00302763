//! The free time of lanes while tasks are placed on them.
//!
//! Each lane keeps its gaps in order. Finding the first gap that is long enough is a binary search for the first one
//! that reaches past the ready time and a walk from there; taking time splits a gap.

use super::instance::Instance;

/// What is still free on every lane.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    gaps: Vec<Vec<(i64, i64)>>,
}

impl Timeline {
    /// Only the owners' tasks are there.
    pub(super) fn new(instance: &Instance) -> Timeline {
        Timeline { gaps: instance.free.clone() }
    }

    /// Every lane is free all the time.
    pub(super) fn idle(instance: &Instance) -> Timeline {
        Timeline { gaps: vec![vec![(instance.earliest, instance.latest)]; instance.lanes] }
    }

    /// Whether all of `[start, start + length)` is free.
    pub(super) fn is_free(&self, lane: usize, start: i64, length: i64) -> bool {
        self.earliest(lane, start, length) == Some(start)
    }

    /// As if it were new, without giving up the memory.
    pub(super) fn reset(&mut self, instance: &Instance) {
        for (gaps, free) in self.gaps.iter_mut().zip(&instance.free) {
            gaps.clone_from(free);
        }
    }

    /// The earliest start on `lane`, not before `ready`, of something that takes `length`.
    pub(super) fn earliest(&self, lane: usize, ready: i64, length: i64) -> Option<i64> {
        let gaps = &self.gaps[lane];
        // Most tasks go behind all others.
        if let Some((start, end)) = gaps.last()
            && ready >= *start
        {
            return (ready + length <= *end).then_some(ready);
        }
        earliest(gaps, ready, length)
    }

    /// Takes `[start, start + length)`, which must be free. Nothing is nothing.
    pub(super) fn take(&mut self, lane: usize, start: i64, length: i64) {
        if length == 0 {
            return;
        }
        let gaps = &mut self.gaps[lane];
        let at = gaps.partition_point(|(_, end)| *end <= start);
        let Some((from, to)) = gaps.get(at).copied() else { return };
        assert!(from <= start && start + length <= to, "taken time is free");
        match (from < start, start + length < to) {
            (true, true) => {
                gaps[at] = (start + length, to);
                gaps.insert(at, (from, start));
            }
            (true, false) => gaps[at] = (from, start),
            (false, true) => gaps[at] = (start + length, to),
            (false, false) => {
                gaps.remove(at);
            }
        }
    }
}

/// The earliest start in gaps, not before `ready`, of something that takes `length`.
pub(super) fn earliest(gaps: &[(i64, i64)], ready: i64, length: i64) -> Option<i64> {
    let first = gaps.partition_point(|(_, end)| *end < ready + length);
    let fits = |(start, end): &&(i64, i64)| ready.max(*start) + length <= *end;
    gaps[first..].iter().find(fits).map(|(start, _)| ready.max(*start))
}

/// The latest start in gaps, with an end not after `end`, of something that takes `length`.
pub(super) fn latest(gaps: &[(i64, i64)], end: i64, length: i64) -> Option<i64> {
    let after = gaps.partition_point(|(start, _)| *start + length <= end);
    let fits = |(start, to): &&(i64, i64)| *start + length <= end.min(*to);
    gaps[..after].iter().rev().find(fits).map(|(_, to)| end.min(*to) - length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_found_and_split() {
        let mut line = Timeline { gaps: vec![vec![(0, 10), (20, 50)]] };
        assert_eq!(line.earliest(0, 3, 7), Some(3));
        assert_eq!(line.earliest(0, 4, 7), Some(20));
        assert_eq!(line.earliest(0, 45, 6), None);
        assert_eq!(line.earliest(0, 10, 0), Some(10));
        line.take(0, 25, 5);
        line.take(0, 0, 10);
        line.take(0, 40, 0);
        assert_eq!(line.gaps, [vec![(20, 25), (30, 50)]]);
        assert_eq!(line.earliest(0, 0, 5), Some(20));
        assert_eq!(line.earliest(0, 21, 5), Some(30));
        line.take(0, 30, 20);
        assert_eq!(line.gaps, [vec![(20, 25)]]);
        assert_eq!(line.earliest(0, 24, 1), Some(24));
    }
}
