//! Resource lines: nodes that are idle and busy in turn over a horizon.
//!
//! The two-tier paper speaks of "resource lines" with local schedules and prints nothing of their lengths. All numbers here are
//! *fitted*.

use super::{RealRange, WholeRange, interval, performance, rate};
use crate::config::{Check, ConfigError};
use serde::{Deserialize, Serialize};
use walras_model::{Attributes, Interval, Node, NodeId, Offers, Site, SiteId, Slot};
use walras_random::Stream;

/// How the lines of a cycle are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceLines {
    /// How many nodes there are.
    pub nodes: u32,
    /// How far their schedules reach, in time units.
    pub horizon: u32,
    /// How long a node is idle, in time units.
    pub idle: WholeRange,
    /// How long it is busy between.
    pub busy: WholeRange,
    /// How long it is busy before it is idle for the first time.
    pub first_busy: WholeRange,
    /// Out of so many nodes, how many have performance 1, 2, 3 and so on.
    pub performances: Vec<u32>,
    /// A node of performance P costs `price_base`^P per time unit …
    pub price_base: f64,
    /// … times a number from this range, drawn for each slot or each node …
    pub price_spread: RealRange,
    /// … drawn for each slot rather than for each node …
    pub price_per_slot: bool,
    /// … times this many credits.
    pub money_unit: f64,
}

impl Default for ResourceLines {
    fn default() -> Self {
        ResourceLines {
            nodes: 62,
            horizon: 600,
            idle: WholeRange(50, 101),
            busy: WholeRange(25, 51),
            first_busy: WholeRange(0, 51),
            performances: vec![1, 2, 1],
            price_base: 1.7,
            price_spread: RealRange(0.75, 1.25),
            price_per_slot: false,
            money_unit: 1.42,
        }
    }
}

impl ResourceLines {
    /// Whether every parameter makes sense.
    pub(crate) fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        check.field("nodes").whole(self.nodes, 1, 10_000)?;
        check.field("horizon").whole(self.horizon, 1, 1_000_000)?;
        self.idle.check(check.field("idle"), 1, 1_000_000)?;
        self.busy.check(check.field("busy"), 1, 1_000_000)?;
        self.first_busy.check(check.field("first_busy"), 0, 1_000_000)?;
        let performances = check.field("performances");
        self.performances.iter().try_for_each(|weight| performances.whole(*weight, 0, 1_000_000))?;
        if self.performances.len() > 20 || self.performances.iter().sum::<u32>() == 0 {
            return performances.fail("1 to 20 numbers are needed, one of them above 0".to_owned());
        }
        check.field("price_base").real(self.price_base, 0.001, 10.0)?;
        self.price_spread.check(check.field("price_spread"), 0.001, 1_000.0)?;
        check.field("money_unit").real(self.money_unit, 0.001, 1_000.0)
    }

    /// The offers of one cycle.
    pub fn draw(&self, stream: &mut Stream) -> Result<Offers, ConfigError> {
        let refused = || ConfigError::new("lines", "a resource line cannot be made of these parameters");
        let (mut nodes, mut slots) = (Vec::new(), Vec::new());
        for number in 0..self.nodes {
            let power = self.draw_performance(stream);
            let price = self.money_unit * self.price_base.powf(power);
            let of_node = self.price_spread.draw(stream);
            nodes.push(Node {
                division: Default::default(),
                name: format!("n{number}"),
                site: SiteId::new(0),
                performance: performance(power).ok_or_else(refused)?,
                watts: None,
                attributes: Attributes::new(),
            });
            for idle in self.draw_idle(stream) {
                let spread = if self.price_per_slot { self.price_spread.draw(stream) } else { of_node };
                let rate = rate(price * spread).ok_or_else(refused)?;
                slots.push(Slot::new(NodeId::new(number), idle, rate).ok_or_else(refused)?);
            }
        }
        slots.sort_by_key(|slot| (slot.start(), slot.node()));
        let horizon = interval(0, i64::from(self.horizon)).ok_or_else(refused)?;
        Offers::new(horizon, vec![Site { name: "vo".into() }], nodes, slots).map_err(|_| refused())
    }

    fn draw_performance(&self, stream: &mut Stream) -> f64 {
        let mut drawn = stream.below(self.performances.iter().map(|weight| u64::from(*weight)).sum());
        for (power, weight) in (1_u32..).zip(&self.performances) {
            match drawn.checked_sub(u64::from(*weight)) {
                Some(left) => drawn = left,
                None => return f64::from(power),
            }
        }
        1.0
    }

    /// Idle times until the horizon.
    fn draw_idle(&self, stream: &mut Stream) -> Vec<Interval> {
        let horizon = i64::from(self.horizon);
        let mut idle = Vec::new();
        let mut now = i64::from(self.first_busy.draw(stream));
        while now < horizon {
            let end = now + i64::from(self.idle.draw(stream));
            idle.extend(interval(now, end.min(horizon)));
            now = end + i64::from(self.busy.draw(stream));
        }
        idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Purpose;

    #[test]
    fn lines_keep_their_ranges() {
        let lines = ResourceLines::default();
        let mut by_performance = [0; 4];
        for cycle in 0..100 {
            let offers = lines.draw(&mut Purpose::Slots.stream(1, cycle)).unwrap();
            assert_eq!(offers.nodes().len(), 62);
            for node in offers.nodes() {
                by_performance[usize::try_from(node.performance.as_millionths() / 1_000_000).unwrap()] += 1;
            }
            for slot in offers.slots() {
                let (length, end) = (slot.span().as_millis(), slot.end().as_millis());
                assert!(length <= 100 && end <= 600 && (length >= 50 || end == 600), "{slot:?}");
            }
        }
        assert_eq!(by_performance[0], 0);
        assert!((f64::from(by_performance[2]) / 6_200.0 - 0.5).abs() < 0.03, "{by_performance:?}");
    }
}
