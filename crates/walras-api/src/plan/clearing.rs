//! What prices that clear the market prove of a plan, and what they say scarce time is worth.

use super::write::time;
use crate::number::Num;
use crate::scenario::Scenario;
use crate::unit::MONEY_DECIMALS;
use serde::{Deserialize, Serialize};
use walras_core::clearing::{Clearing, KindWorth, ScarcePeriod};

/// Shares are given to the millionth.
const SHARE_DECIMALS: u32 = 6;

/// What no plan can beat, and what nodes' time is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedClearing {
    /// How many jobs it speaks of: those chosen in windows, without workflows.
    pub jobs: usize,
    /// What they cost together, in credits.
    pub cost: Num,
    /// No plan that serves these jobs costs less for them, in whatever windows.
    pub cost_least: Num,
    /// How far the cost is above that, as a share of it, rounded up to a millionth; `None` when the least is nothing.
    pub above: Option<Num>,
    /// No plan serves more jobs in windows, of all but those `beside`.
    pub jobs_most: usize,
    /// Jobs that nothing is said of: workflows, and those in queues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
    /// When sites have time that is worth more than it costs.
    pub scarce: Vec<ScarceItem>,
    /// What one more node of a kind would bring, those that would bring most first.
    pub nodes: Vec<NodeWorthItem>,
    /// From then on no time is scarce; `None` when none is at all.
    pub calm_from: Option<Num>,
}

/// A site's time in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScarceItem {
    /// The site's name.
    pub site: String,
    /// When the period begins.
    pub start: Num,
    /// When it ends.
    pub end: Num,
    /// What a node is worth on top of its price, per unit of time and on average over all that is free.
    pub above_price: Num,
    /// How many nodes have scarce time then.
    pub nodes: usize,
}

/// Nodes of one site, speed and price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeWorthItem {
    /// The site's name.
    pub site: String,
    /// How fast they are.
    pub performance: Num,
    /// What they cost per unit of time.
    pub price: Num,
    /// How many there are.
    pub nodes: usize,
    /// About what one more would bring over the horizon on top of its price, in credits.
    pub one_more: Num,
}

impl PlannedClearing {
    /// What was found for the jobs of a scenario.
    pub fn new(scenario: &Scenario, clearing: &Clearing) -> PlannedClearing {
        let credits = |micros| Num::from_units(micros, MONEY_DECIMALS);
        let share = |millionths| Num::from_units(millionths, SHARE_DECIMALS);
        PlannedClearing {
            jobs: clearing.served,
            cost: credits(clearing.cost),
            cost_least: credits(clearing.cost_least),
            above: clearing.above().map(share),
            jobs_most: clearing.served_most,
            beside: clearing.beside.iter().map(|job| scenario.batch.request(*job).name.clone()).collect(),
            searches: clearing.searches,
            limit_hit: clearing.limit_hit,
            scarce: clearing.worth.periods.iter().map(|period| scarce(scenario, period)).collect(),
            nodes: clearing.worth.kinds.iter().map(|kind| node_worth(scenario, kind)).collect(),
            calm_from: clearing.worth.calm_from.map(|calm| time(scenario.unit, calm)),
        }
    }
}

fn scarce(scenario: &Scenario, period: &ScarcePeriod) -> ScarceItem {
    let unit = scenario.unit;
    ScarceItem {
        site: scenario.offers.sites()[period.site.index()].name.clone(),
        start: time(unit, period.interval.start()),
        end: time(unit, period.interval.end()),
        above_price: Num::from_units(period.above(), unit.rate_decimals()),
        nodes: period.nodes,
    }
}

fn node_worth(scenario: &Scenario, kind: &KindWorth) -> NodeWorthItem {
    let rate = kind.rate.as_micros_per_second();
    NodeWorthItem {
        site: scenario.offers.sites()[kind.site.index()].name.clone(),
        performance: Num::of_millionths(kind.performance.as_millionths()),
        price: Num::from_units(rate.into(), scenario.unit.rate_decimals()),
        nodes: kind.nodes,
        one_more: Num::from_units(kind.each, MONEY_DECIMALS),
    }
}
