//! The slot generator.

use super::{RealRange, UNITS_PER_SECOND, WholeRange, interval, performance, rate};
use crate::config::{Check, ConfigError};
use serde::{Deserialize, Serialize};
use walras_model::{Attributes, Node, NodeId, Offers, Performance, Rate, Site, SiteId, Slot};
use walras_random::Stream;

/// How the slot list of a cycle is drawn; the defaults are the papers' values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlotGenerator {
    /// How many slots there are.
    pub count: WholeRange,
    /// How long a slot is, in time units.
    pub length: WholeRange,
    /// The performance of its node.
    pub performance: RealRange,
    /// The probability that a slot starts when the one before it does.
    pub same_start: f64,
    /// Otherwise it starts so many time units later.
    pub gap: WholeRange,
    /// A node of performance P costs `price_base`^P per time unit …
    pub price_base: f64,
    /// … times a number from this range, drawn for each slot.
    pub price_spread: RealRange,
}

impl Default for SlotGenerator {
    fn default() -> Self {
        SlotGenerator {
            count: WholeRange(120, 150),
            length: WholeRange(50, 300),
            performance: RealRange(1.0, 3.0),
            same_start: 0.4,
            gap: WholeRange(0, 10),
            price_base: 1.7,
            price_spread: RealRange(0.75, 1.25),
        }
    }
}

/// Slots in a list, at most.
const COUNT_MAX: u32 = 100_000;
/// Time units in a slot, a job or a gap, at most.
pub(super) const LENGTH_MAX: u32 = 1_000_000_000;
/// One slot may be worth so many credits, and all of them a thousand times as much.
const VALUE_MAX: f64 = 1e9;

impl SlotGenerator {
    /// Whether every parameter makes sense.
    pub(crate) fn check(&self, check: Check<'_>) -> Result<(), ConfigError> {
        self.count.check(check.field("count"), 1, COUNT_MAX)?;
        self.length.check(check.field("length"), 1, LENGTH_MAX)?;
        self.performance.check(check.field("performance"), 0.001, 1_000.0)?;
        check.field("same_start").real(self.same_start, 0.0, 1.0)?;
        self.gap.check(check.field("gap"), 0, LENGTH_MAX)?;
        check.field("price_base").real(self.price_base, 0.001, 1_000.0)?;
        self.price_spread.check(check.field("price_spread"), 0.001, 1_000.0)?;
        let RealRange(slow, fast) = self.performance;
        let price = self.price_base.powf(slow).max(self.price_base.powf(fast)) * self.price_spread.1;
        let value = price * f64::from(self.length.largest());
        if value > VALUE_MAX || value * f64::from(self.count.largest()) > VALUE_MAX * 1_000.0 {
            return check.fail(format!(
                "slots would be worth up to {value:.2e} credits: at most {VALUE_MAX:e} each and a thousand times \
                 that in all"
            ));
        }
        Ok(())
    }

    /// The performance of a node, and what it costs per time unit.
    fn power_and_price(&self, stream: &mut Stream) -> (f64, f64) {
        let power = self.performance.draw(stream);
        (power, self.price_base.powf(power) * self.price_spread.draw(stream))
    }

    /// A node's performance, and its price in credits a second for the papers' money per time unit.
    pub(crate) fn draw_node(&self, stream: &mut Stream) -> Option<(Performance, Rate)> {
        let (power, price) = self.power_and_price(stream);
        Some((performance(power)?, rate(price / UNITS_PER_SECOND)?))
    }

    /// The offers of one cycle: a list of slots, each on a node of its own.
    pub fn draw(&self, stream: &mut Stream) -> Result<Offers, ConfigError> {
        let refused = || ConfigError::new("slots", "a slot cannot be made of these parameters");
        let count = self.count.draw(stream);
        let mut nodes = Vec::with_capacity(count as usize);
        let mut slots = Vec::with_capacity(count as usize);
        let (mut start, mut end) = (0, 1);
        for number in 0..count {
            if number > 0 && stream.share() >= self.same_start {
                start += i64::from(self.gap.draw(stream));
            }
            let slot_end = start + i64::from(self.length.draw(stream));
            let (power, price) = self.power_and_price(stream);
            nodes.push(Node {
                division: Default::default(),
                name: format!("n{number}"),
                site: SiteId::new(0),
                performance: performance(power).ok_or_else(refused)?,
                watts: None,
                attributes: Attributes::new(),
            });
            slots.push(slot(NodeId::new(number), (start, slot_end), price).ok_or_else(refused)?);
            end = end.max(slot_end);
        }
        let horizon = interval(0, end).ok_or_else(refused)?;
        Offers::new(horizon, vec![Site { name: "vo".into() }], nodes, slots).map_err(|_| refused())
    }
}

fn slot(node: NodeId, (start, end): (i64, i64), price: f64) -> Option<Slot> {
    Slot::new(node, interval(start, end)?, rate(price)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Purpose;

    #[test]
    fn slots_stay_in_the_printed_ranges() {
        let generator = SlotGenerator::default();
        let (mut same, mut neighbours, mut count) = (0, 0, 0);
        for cycle in 0..200 {
            let offers = generator.draw(&mut Purpose::Slots.stream(1, cycle)).unwrap();
            assert!((120..150).contains(&offers.slots().len()));
            assert_eq!(offers.slots().len(), offers.nodes().len());
            count += offers.slots().len();
            for slot in offers.slots() {
                let performance = offers.node(slot.node()).performance.as_millionths();
                assert!((50..300).contains(&slot.span().as_millis()));
                assert!((1_000_000..=3_000_000).contains(&performance));
                let base = 1.7_f64.powf(performance as f64 / 1e6);
                let price = slot.rate().as_micros_per_second() as f64 / 1e9;
                assert!((0.749_99..1.250_01).contains(&(price / base)));
            }
            for pair in offers.slots().windows(2) {
                let gap = pair[1].start() - pair[0].start();
                assert!((0..10).contains(&gap));
                neighbours += 1;
                same += u32::from(gap == 0);
            }
        }
        // A gap of 0 is drawn, too: 0.4 + 0.6 / 10.
        let share = f64::from(same) / f64::from(neighbours);
        assert!((share - 0.46).abs() < 0.01, "{share}");
        let mean = count as f64 / 200.0;
        assert!((mean - 134.5).abs() < 2.0, "{mean}");
    }

    #[test]
    fn the_same_stream_gives_the_same_list() {
        let generator = SlotGenerator::default();
        let draw = |cycle| generator.draw(&mut Purpose::Slots.stream(5, cycle)).unwrap();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }
}
