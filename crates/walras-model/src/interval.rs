//! Half-open intervals of time.

use crate::quantity::{Span, Time};
use std::borrow::Cow;
use std::fmt;

/// `[start, end)` with `start < end`: `[10,20)` and `[20,30)` do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    start: Time,
    end: Time,
}

impl Interval {
    /// `None` when empty or reversed.
    #[inline]
    pub fn new(start: Time, end: Time) -> Option<Interval> {
        (start < end).then_some(Interval { start, end })
    }

    /// The first point inside.
    #[inline]
    pub fn start(self) -> Time {
        self.start
    }

    /// The first point after.
    #[inline]
    pub fn end(self) -> Time {
        self.end
    }

    /// How long it is; never zero.
    #[inline]
    pub fn span(self) -> Span {
        self.end.span_since(self.start).expect("an interval ends after its start")
    }

    /// Whether the two share a point.
    #[inline]
    pub fn overlaps(self, other: Interval) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether all of `other` lies inside.
    #[inline]
    pub fn contains(self, other: Interval) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// What lies in both.
    #[inline]
    pub fn intersection(self, other: Interval) -> Option<Interval> {
        Interval::new(self.start.max(other.start), self.end.min(other.end))
    }
}

impl fmt::Display for Interval {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {})", self.start, self.end)
    }
}

/// The parts of `horizon` that no interval of `busy` covers, in order. `busy` may be unsorted and overlap.
///
/// Time O(n log n).
pub fn complement(horizon: Interval, busy: &[Interval]) -> Vec<Interval> {
    let sorted = sorted(busy);
    let mut free = Vec::new();
    let mut free_from = horizon.start();
    for taken in sorted.iter() {
        free.extend(Interval::new(free_from, taken.start().min(horizon.end())));
        free_from = free_from.max(taken.end());
    }
    free.extend(Interval::new(free_from, horizon.end()));
    free
}

/// The same points with touching and overlapping intervals joined, in order.
///
/// Time O(n log n).
pub fn merge(intervals: &[Interval]) -> Vec<Interval> {
    let sorted = sorted(intervals);
    let mut merged: Vec<Interval> = Vec::with_capacity(sorted.len());
    for next in sorted.iter().copied() {
        match merged.last_mut() {
            Some(last) if next.start() <= last.end() => last.end = last.end.max(next.end()),
            _ => merged.push(next),
        }
    }
    merged
}

/// The same in order; most are already.
fn sorted(intervals: &[Interval]) -> Cow<'_, [Interval]> {
    let mut all = Cow::Borrowed(intervals);
    if !intervals.is_sorted() {
        all.to_mut().sort_unstable();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_millis(start).unwrap(), Time::from_millis(end).unwrap()).unwrap()
    }

    #[test]
    fn touching_intervals_do_not_overlap() {
        assert!(!interval(10, 20).overlaps(interval(20, 30)));
        assert!(interval(10, 21).overlaps(interval(20, 30)));
        assert_eq!(interval(10, 20).intersection(interval(20, 30)), None);
    }

    #[test]
    fn complement_is_what_is_left() {
        let horizon = interval(0, 100);
        let busy = [interval(50, 60), interval(-5, 10), interval(55, 70), interval(90, 200)];
        assert_eq!(complement(horizon, &busy), [interval(10, 50), interval(70, 90)]);
        assert_eq!(complement(horizon, &[]), [horizon]);
        assert_eq!(complement(horizon, &[horizon]), []);
        assert_eq!(complement(horizon, &[interval(200, 300)]), [horizon]);
    }

    #[test]
    fn merge_joins_what_touches() {
        let parts = [interval(20, 30), interval(0, 10), interval(10, 20), interval(40, 50)];
        assert_eq!(merge(&parts), [interval(0, 30), interval(40, 50)]);
    }
}
