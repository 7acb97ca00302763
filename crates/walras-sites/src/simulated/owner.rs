//! What an owner runs on their own nodes, for ever: a function of a seed and of time.
//!
//! Time is cut into periods of `mean / share`, and in each the owner uses a node once: for `mean` on average, at any moment
//! of the period. So a share of all time is taken, nothing has to be written down, and every look gives the same answer.
//!
//! ```
//! use walras_model::{Interval, NodeId, Share, Span, Time};
//! use walras_sites::simulated::Load;
//! let minute = Span::from_millis(60_000).unwrap();
//! let load = Load::new(7, Share::percent(25), minute).unwrap();
//! let hour = Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(3_600_000).unwrap()).unwrap();
//! assert_eq!(load.of(NodeId::new(0), hour).len(), 15);
//! ```

use crate::clock::later;
use walras_model::quantity::rounding;
use walras_model::{Interval, NodeId, Share, Span, Time};
use walras_random::Stream;

/// At most so many uses are looked at; what lies beyond counts as free.
const USES_MAX: i64 = 100_000;

/// Keeps the streams of neighbouring seeds apart.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// How much of their nodes an owner uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    seed: u64,
    period: i64,
    shortest: i64,
    longest: i64,
}

impl Load {
    /// A share of all time, in uses of that mean length; `None` for no share, or no length.
    pub fn new(seed: u64, share: Share, mean: Span) -> Option<Load> {
        let mean = mean.as_millis();
        if share == Share::NOTHING || mean < 1 {
            return None;
        }
        // A length of which a thousand are beyond every range is none.
        let thousand = i128::from(mean.checked_mul(1_000)?);
        let period = rounding::down(1_000 * thousand, i128::from(share.as_millionths()));
        let period = i64::try_from(period).ok()?;
        let longest = period.min(mean.checked_mul(3)? / 2);
        Some(Load { seed, period, shortest: (2 * mean).saturating_sub(longest).min(longest), longest })
    }

    /// Once in so much time the owner uses each node.
    pub fn period(self) -> Span {
        Span::from_millis(self.period).expect("a period is a length of time")
    }

    /// When the owner uses a node, as far as it touches an interval, in order.
    pub fn of(self, node: NodeId, within: Interval) -> Vec<Interval> {
        let first = within.start().as_millis().div_euclid(self.period);
        let last = (within.end().as_millis() - 1).div_euclid(self.period).min(first.saturating_add(USES_MAX));
        let uses = (first..=last).filter_map(|period| self.of_period(node, period));
        uses.filter(|used| used.overlaps(within)).collect()
    }

    fn of_period(self, node: NodeId, period: i64) -> Option<Interval> {
        let mut chance =
            Stream::open(self.seed.wrapping_mul(SPREAD) ^ period.unsigned_abs(), u64::from(node.number()));
        let length = chance.between(self.shortest, self.longest);
        let after = chance.between(0, self.period - length);
        let start = later(Time::from_millis(period.checked_mul(self.period)?)?, after);
        Interval::new(start, later(start, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(from: i64, to: i64) -> Interval {
        Interval::new(Time::from_millis(from).unwrap(), Time::from_millis(to).unwrap()).unwrap()
    }

    #[test]
    fn the_share_is_taken_and_every_look_sees_the_same() {
        let mean = Span::from_millis(30_000).unwrap();
        let (node, all) = (NodeId::new(3), interval(1_000_000, 901_000_000));
        for share in [1, 100, 500, 900, 1_000] {
            let load = Load::new(5, Share::of_whole(share.into(), 1_000), mean).unwrap();
            let used = load.of(node, all);
            assert!(used.windows(2).all(|pair| pair[0].end() <= pair[1].start()));
            let taken: i64 = used.iter().map(|used| used.span().as_millis()).sum();
            let expected = 900_000 * share;
            assert!((taken - expected).abs() <= 200_000 + expected / 50, "{share}: {taken}");
            let part = interval(400_000_000, 400_100_000);
            let seen: Vec<Interval> = used.iter().copied().filter(|it| it.overlaps(part)).collect();
            assert_eq!(load.of(node, part), seen);
        }
    }

    #[test]
    fn senseless_loads_are_none() {
        let mean = Span::from_millis(1).unwrap();
        assert_eq!(Load::new(1, Share::NOTHING, mean), None);
        assert_eq!(Load::new(1, Share::percent(1), Span::ZERO), None);
    }
}
