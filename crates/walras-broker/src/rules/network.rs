//! How long data takes: what the policy says, and what moves really took where that is slower.
//!
//! Moves teach two things: small ones how long even nothing takes, large ones how fast the rest goes. Both are means in which what is old
//! loses an eighth of its weight with every move. What was measured only ever makes plans more careful than the policy, so that
//! whoever checks a plan needs to know the policy alone.

use crate::model::moving::Measured;
use crate::model::state::State;
use walras_model::{Bandwidth, Link, Network, Span};

/// Moves of fewer bytes say nothing of the bandwidth.
const LARGE: u64 = 1_000_000;

impl Measured {
    /// What another move of so many bytes that took so long teaches.
    pub(crate) fn learn(&mut self, bytes: u64, took: Span) {
        let took = u64::try_from(took.as_millis()).unwrap_or(0);
        if bytes < LARGE {
            let before = if self.small == 0 { took } else { self.latency };
            self.latency = (before.saturating_mul(7).saturating_add(took)) / 8;
            self.small = self.small.saturating_add(1);
        } else {
            let less = |sum: u64| sum - sum / 8;
            self.bytes = less(self.bytes).saturating_add(bytes);
            self.millis = less(self.millis).saturating_add(took.saturating_sub(self.latency).max(1));
        }
    }

    /// A link as it is planned with: as slow as the policy says, or as moves really were.
    pub(crate) fn slower(&self, link: Link) -> Link {
        let span = |millis: u64| i64::try_from(millis).ok().and_then(Span::from_millis);
        let latency = span(self.latency).unwrap_or(Span::ZERO).max(link.latency);
        let bytes = self.bytes.saturating_mul(1_000).checked_div(self.millis).map(|bytes| bytes.max(1));
        let measured =
            bytes.and_then(|bytes| i64::try_from(bytes).ok()).and_then(Bandwidth::from_bytes_per_second);
        let bandwidth = match (link.bandwidth, measured) {
            (Some(said), Some(measured)) => Some(said.min(measured)),
            (said, measured) => said.or(measured),
        };
        Link { latency, bandwidth }
    }
}

impl State {
    /// The network as it is planned with.
    pub(crate) fn network(&self) -> Network {
        let said = self.policy.network;
        Network { between_sites: self.measured.slower(said.between_sites), ..said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Data;

    fn millis(link: Link, bytes: i64) -> i64 {
        link.time_for(Data::from_bytes(bytes).unwrap()).unwrap().as_millis()
    }

    fn span(millis: i64) -> Span {
        Span::from_millis(millis).unwrap()
    }

    #[test]
    fn what_moves_took_counts_where_it_is_slower() {
        let mut measured = Measured::default();
        assert_eq!(measured.slower(Link::INSTANT), Link::INSTANT);
        // A kilobyte a millisecond, after 100 ms.
        measured.learn(10, span(100));
        for _ in 0..10 {
            measured.learn(2_000_000, span(2_100));
        }
        assert_eq!(millis(measured.slower(Link::INSTANT), 0), 100);
        // Whole milliseconds are kept of what was: a little more than it took.
        let about = |link| (1_000_100..1_001_000).contains(&millis(measured.slower(link), 1_000_000_000));
        assert!(about(Link::INSTANT));
        let slow = Link { latency: span(500), bandwidth: Bandwidth::from_bytes_per_second(1_000) };
        assert_eq!(measured.slower(slow), slow, "the policy is more careful");
        let fast = Link { latency: span(5), bandwidth: Bandwidth::from_bytes_per_second(1_000_000_000) };
        assert!(about(fast));
    }

    #[test]
    fn what_is_long_ago_is_forgotten() {
        let mut measured = Measured::default();
        for _ in 0..5 {
            measured.learn(1_000_000, span(1_000_000));
        }
        for _ in 0..200 {
            measured.learn(1_000_000, span(1_000));
        }
        let time = millis(measured.slower(Link::INSTANT), 1_000_000);
        assert!((1_000..1_100).contains(&time), "{time}");
    }

    #[test]
    fn nothing_is_beyond_counting() {
        let mut measured = Measured::default();
        for _ in 0..100 {
            measured.learn(u64::MAX, Span::from_millis(i64::MAX).unwrap_or(Span::ZERO));
            measured.learn(0, span(0));
        }
        assert!(measured.slower(Link::INSTANT).bandwidth.is_some());
    }
}
