//! Where a job that was chosen would pay less for asking for a little less, in a plan.

use super::write::money;
use crate::number::Num;
use crate::scenario::Scenario;
use crate::sentence::cheaper_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_core::explain::{Cheaper, Taken, cheaper};
use walras_model::{Alternative, NodeId, Placement, Rate, Slot};

/// Less of something for less money, in the window that was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheaperItem {
    /// By name: how much a task would ask for.
    pub resources: BTreeMap<String, Num>,
    /// What the window would cost, in credits.
    pub cost: Num,
    /// How much less that is.
    pub saves: Num,
    /// The same in words.
    pub text: String,
}

impl CheaperItem {
    fn new(cheaper: &Cheaper) -> CheaperItem {
        let amount = |(name, (amount, _)): (&String, &(walras_model::Fixed, _))| {
            (name.clone(), Num::of_millionths(amount.as_millionths()))
        };
        CheaperItem {
            resources: cheaper.resources.iter().map(amount).collect(),
            cost: money(cheaper.cost),
            saves: money(cheaper.saves),
            text: cheaper_text(cheaper),
        }
    }
}

/// What nodes that are sold in units cost as a whole, moment by moment.
pub(super) struct WholePrices<'a> {
    pub(super) scenario: &'a Scenario,
    /// Those of a node in order of time.
    slots: BTreeMap<NodeId, Vec<&'a Slot>>,
}

impl<'a> WholePrices<'a> {
    /// The prices of a scenario; time O(slots).
    pub(super) fn of(scenario: &'a Scenario) -> WholePrices<'a> {
        let mut slots: BTreeMap<NodeId, Vec<&Slot>> = BTreeMap::new();
        let divided = |slot: &&Slot| scenario.offers.node(slot.node()).division.is_divided();
        for slot in scenario.offers.slots().iter().filter(divided) {
            slots.entry(slot.node()).or_default().push(slot);
        }
        WholePrices { scenario, slots }
    }

    /// Where a job would pay less for asking for less; of workflows nothing is named.
    pub(super) fn cheaper(&self, alternative: &Alternative) -> Vec<CheaperItem> {
        let request = self.scenario.batch.request(alternative.job);
        let workflow = self.scenario.workflows.get(alternative.job.index()).is_some_and(Option::is_some);
        if self.slots.is_empty() || workflow {
            return Vec::new();
        }
        let task = |it: &Placement| {
            let node = self.scenario.offers.node(it.node);
            let rate =
                if node.division.is_divided() { self.rate_at(it, request.user.as_deref())? } else { it.rate };
            Some(Taken::of(node, rate, it.interval.span()))
        };
        let tasks: Option<Vec<Taken<'_>>> = alternative.window.placements().iter().map(task).collect();
        let found = tasks.map(|tasks| cheaper(request, &tasks)).unwrap_or_default();
        found.iter().map(CheaperItem::new).collect()
    }

    fn rate_at(&self, placement: &Placement, user: Option<&str>) -> Option<Rate> {
        let slots = self.slots.get(&placement.node)?;
        let begun = slots.partition_point(|slot| slot.start() <= placement.interval.start());
        let slot = slots.get(begun.checked_sub(1)?)?;
        Some(self.scenario.offers.rate_for(slot, user))
    }
}
