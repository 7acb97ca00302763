//! Which of the alternatives that were found a plan lists.
//!
//! A plan of thousands of jobs has tens of alternatives for each, which few read. So unless somebody asks for all, it lists
//! what it speaks of: what is chosen and what a front is made of; and one window of every other job that has any, the first, so
//! that everybody is accounted for. Of the rest it says how many there are.

use super::Plan;
use super::write::planned;
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::{Alternatives, SearchConfig};

/// Which alternatives a plan lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// All that were found.
    All,
    /// Those that it speaks of.
    Needed,
}

/// Alternatives of a job that were found and are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnlistedWindows {
    /// The job's name.
    pub job: String,
    /// How many of its alternatives are left out of the plan's list.
    pub windows: usize,
}

impl Plan {
    /// The plan with its alternatives, of which it knows the positions among all that were found.
    #[must_use]
    pub fn listing(
        mut self,
        scenario: &Scenario,
        config: &SearchConfig,
        found: &Alternatives,
        listed: Listed,
    ) -> Plan {
        let places: Vec<usize> = match listed {
            Listed::All => (0..found.found.len()).collect(),
            Listed::Needed => self.needed(found).into_iter().collect(),
        };
        let windows = places.iter().map(|place| &found.found[*place]);
        self.alternatives = windows.map(|window| planned(scenario, &config.algorithm, window)).collect();
        if listed == Listed::Needed {
            self.renumber(&places);
            self.unlisted = unlisted(scenario, found, &places);
        }
        self
    }

    /// The alternatives that the plan speaks of, and the first of each job that has none among them.
    fn needed(&self, found: &Alternatives) -> BTreeSet<usize> {
        let chosen = self.choice.iter().flat_map(|choice| &choice.chosen).map(|chosen| chosen.alternative);
        let points = self.pareto.iter().flat_map(|front| &front.points);
        let of_front = points.flat_map(|point| point.alternatives.iter().copied());
        let mut needed: BTreeSet<usize> = chosen.chain(of_front).collect();
        let mut told: BTreeSet<_> = needed.iter().map(|place| found.found[*place].job).collect();
        for (place, alternative) in found.found.iter().enumerate() {
            if told.insert(alternative.job) {
                needed.insert(place);
            }
        }
        needed
    }

    /// Positions among all alternatives become positions among those at these places, which are in order.
    fn renumber(&mut self, places: &[usize]) {
        let number = |place: &mut usize| *place = places.partition_point(|listed| *listed < *place);
        let chosen = self.choice.iter_mut().flat_map(|choice| &mut choice.chosen);
        chosen.for_each(|chosen| number(&mut chosen.alternative));
        self.workflows.iter_mut().filter_map(|workflow| workflow.alternative.as_mut()).for_each(number);
        let points = self.pareto.iter_mut().flat_map(|front| &mut front.points);
        points.flat_map(|point| &mut point.alternatives).for_each(number);
    }
}

/// By job, in the order of the scenario: how many alternatives are not at these places.
fn unlisted(scenario: &Scenario, found: &Alternatives, places: &[usize]) -> Vec<UnlistedWindows> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let mut places = places.iter().copied().peekable();
    for (place, alternative) in found.found.iter().enumerate() {
        if places.next_if_eq(&place).is_none() {
            *counts.entry(alternative.job).or_default() += 1;
        }
    }
    let of_job = |(job, windows)| UnlistedWindows { job: scenario.batch.request(job).name.clone(), windows };
    counts.into_iter().map(of_job).collect()
}
