//! What scarce time is worth: prices as people can use them.
//!
//! A price above nothing says that a millisecond more on that node, then, would let the batch save about so much. So owners see which hours of
//! theirs are worth more than they ask, and what one more node of a kind would bring over the horizon; users see when nothing
//! is scarce, and waiting pays.
//!
//! Prices are summed by site over periods that divide the horizon into at most 24 parts, and by kind of node over all of it.

use super::grid::{Grid, Prices};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::id::{NodeId, SiteId};
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Performance, Rate, Time, rounding};

/// So many periods are shown at most.
const PERIODS_MAX: i64 = 24;
/// Lengths of periods that people think in, in milliseconds: up to a day, and then days.
const PERIODS: [i64; 16] = [
    1_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000,
    7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
];

/// What scarce time is worth on top of what it costs, all of it in micro-credits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    /// By time, then site: the periods in which a site has scarce time.
    pub periods: Vec<ScarcePeriod>,
    /// The kinds of nodes that have scarce time, those that are worth most first.
    pub kinds: Vec<KindWorth>,
    /// From then on no time is scarce; `None` when none is at all.
    pub calm_from: Option<Time>,
}

/// A site's time in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScarcePeriod {
    /// The site that has it.
    pub site: SiteId,
    /// From when until when.
    pub interval: Interval,
    /// What all that is free there is worth on top of what it costs.
    pub worth: i128,
    /// How much that is, in milliseconds of one node.
    pub free: i128,
    /// How many nodes have scarce time then.
    pub nodes: usize,
}

impl ScarcePeriod {
    /// What a node's time is worth on top of what it costs, on average; in micro-credits per second.
    pub fn above(&self) -> i128 {
        rounding::nearest(self.worth.saturating_mul(1_000), self.free.max(1))
    }
}

/// Nodes of one site, speed and price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindWorth {
    /// Whose they are.
    pub site: SiteId,
    /// Their speed; all of them have the same.
    pub performance: Performance,
    /// What they cost per time; the least of a node's slots.
    pub rate: Rate,
    /// How many there are.
    pub nodes: usize,
    /// What the free time of one is worth over the horizon on top of what it costs, on average: about what one more would bring.
    pub each: i128,
}

/// Sums prices, which are so many units to the micro-credit.
pub(super) fn of_prices(offers: &Offers, grid: &Grid, prices: &Prices, scale: i64) -> Worth {
    let (period, origin) =
        (period(offers.horizon().span().as_millis()), offers.horizon().start().as_millis());
    let mut periods: BTreeMap<(i64, SiteId), Sum> = BTreeMap::new();
    let mut by_node = vec![0_i128; offers.nodes().len()];
    let mut calm_from = None;
    for slot in offers.slots() {
        let node = slot.node();
        for (cell, from, until) in
            grid.stretches(node.index(), slot.start().as_millis(), slot.end().as_millis())
        {
            let (price, mut at) = (prices.price(cell), from);
            while at < until {
                let column = (at - origin) / period;
                let next = until.min(origin + (column + 1) * period);
                let units = i128::from(price) * i128::from(next - at);
                by_node[node.index()] += units;
                periods.entry((column, offers.node(node).site)).or_default().add(node, units, next - at);
                at = next;
            }
            if price > 0 {
                calm_from = calm_from.max(Time::from_millis(until));
            }
        }
    }
    let scale = i128::from(scale.max(1));
    let scarce = |((column, site), sum): ((i64, SiteId), Sum)| {
        let from = Time::from_millis(origin + column * period)?;
        let whole = Interval::new(from, Time::from_millis(origin + (column + 1) * period)?)?;
        let worth = rounding::nearest(sum.units, scale);
        let interval = whole.intersection(offers.horizon())?;
        (worth > 0).then_some(ScarcePeriod { site, interval, worth, free: sum.free, nodes: sum.nodes.len() })
    };
    let periods = periods.into_iter().filter_map(scarce).collect();
    Worth { periods, kinds: kinds(offers, &by_node, scale), calm_from }
}

/// A site's period while it is summed.
#[derive(Default)]
struct Sum {
    units: i128,
    free: i128,
    nodes: BTreeSet<NodeId>,
}

impl Sum {
    fn add(&mut self, node: NodeId, units: i128, millis: i64) {
        self.units += units;
        self.free += i128::from(millis);
        if units > 0 {
            self.nodes.insert(node);
        }
    }
}

/// The shortest of the usual periods of which the horizon has at most [`PERIODS_MAX`].
fn period(horizon: i64) -> i64 {
    let least = rounding::up(horizon.into(), PERIODS_MAX.into());
    let usual = PERIODS.into_iter().find(|period| i128::from(*period) >= least);
    let day = i128::from(PERIODS[PERIODS.len() - 1]);
    usual.unwrap_or_else(|| i64::try_from(rounding::up(least, day) * day).unwrap_or(i64::MAX))
}

fn kinds(offers: &Offers, by_node: &[i128], scale: i128) -> Vec<KindWorth> {
    let mut rates: Vec<Option<Rate>> = vec![None; offers.nodes().len()];
    for slot in offers.slots() {
        let rate = &mut rates[slot.node().index()];
        *rate = Some(rate.map_or(slot.rate(), |least| least.min(slot.rate())));
    }
    let mut sums: BTreeMap<(SiteId, Performance, Rate), (usize, i128)> = BTreeMap::new();
    for ((node, rate), units) in offers.nodes().iter().zip(rates).zip(by_node) {
        let Some(rate) = rate else { continue };
        let sum = sums.entry((node.site, node.performance, rate)).or_default();
        *sum = (sum.0 + 1, sum.1 + units);
    }
    let kind = |((site, performance, rate), (nodes, units)): ((SiteId, Performance, Rate), (usize, i128))| {
        let each = rounding::nearest(units, scale.saturating_mul(nodes as i128));
        (each > 0).then_some(KindWorth { site, performance, rate, nodes, each })
    };
    let mut kinds: Vec<KindWorth> = sums.into_iter().filter_map(kind).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.each));
    kinds
}
