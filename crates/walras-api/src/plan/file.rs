//! A plan as it stands in a file: the keys of the choice are there together or not at all.

use super::choice::{
    ChoiceStatus, ChosenAlternative, GAP_DECIMALS, InfeasibleItem, PlannedChoice, PlannedLimits,
    PlannedTotals,
};
use super::clearing::PlannedClearing;
use super::improvement::PlannedImprovement;
use super::{
    Plan, PlannedAlternative, PlannedPareto, PlannedSatisfaction, PlannedWorkflow, SearchSummary,
    UnlistedWindows, UnscheduledJob,
};
use crate::error::{Problem, Within};
use crate::number::Num;
use crate::unit::Unit;
use serde::{Deserialize, Deserializer};
use walras_core::choose::ObjectiveName;
use walras_core::plan::Unimproved;

/// The keys of a plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "plan")]
pub(super) struct PlanFile {
    schema: String,
    unit: Unit,
    search: SearchSummary,
    objective: Option<ObjectiveName>,
    status: Option<ChoiceStatus>,
    /// `null` says that there is none, which is not the same as no key.
    #[serde(default, deserialize_with = "nullable")]
    gap: Option<Option<Num>>,
    above_any_plan: Option<Num>,
    limits: Option<PlannedLimits>,
    totals: Option<PlannedTotals>,
    chosen: Option<Vec<ChosenAlternative>>,
    left_out: Option<Vec<String>>,
    #[serde(default)]
    left_out_by_quota: Vec<String>,
    improvement: Option<PlannedImprovement>,
    unimproved: Option<Unimproved>,
    clearing: Option<PlannedClearing>,
    infeasible: Option<InfeasibleItem>,
    satisfaction: Option<PlannedSatisfaction>,
    pareto: Option<PlannedPareto>,
    alternatives: Vec<PlannedAlternative>,
    #[serde(default)]
    unlisted: Vec<UnlistedWindows>,
    unscheduled: Vec<UnscheduledJob>,
    #[serde(default)]
    workflows: Vec<PlannedWorkflow>,
    #[serde(default)]
    warnings: Vec<String>,
    fault: Option<String>,
}

fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl PlanFile {
    /// The plan, unless parts of it contradict each other.
    pub(super) fn plan(mut self) -> Result<Plan, Problem> {
        let choice = self.choice()?;
        let PlanFile {
            schema,
            unit,
            search,
            satisfaction,
            pareto,
            alternatives,
            unlisted,
            unscheduled,
            workflows,
            warnings,
            fault,
            ..
        } = self;
        let plan = Plan {
            schema,
            unit,
            search,
            choice,
            satisfaction,
            pareto,
            alternatives,
            unlisted,
            unscheduled,
            workflows,
            warnings,
            fault,
        };
        check_search(&plan.search).in_field("search")?;
        check_reasons(&plan.unscheduled).in_field("unscheduled")?;
        if let Some(choice) = &plan.choice {
            check_choice(choice)?;
        }
        Ok(plan)
    }

    fn choice(&mut self) -> Result<Option<PlannedChoice>, Problem> {
        let keys = [
            ("objective", self.objective.is_some()),
            ("status", self.status.is_some()),
            ("gap", self.gap.is_some()),
            ("limits", self.limits.is_some()),
            ("totals", self.totals.is_some()),
            ("chosen", self.chosen.is_some()),
            ("left_out", self.left_out.is_some()),
        ];
        let present = keys.iter().find(|(_, present)| *present).map(|(key, _)| *key);
        let Some(present) = present.or(self.infeasible.as_ref().map(|_| "infeasible")) else {
            return Ok(None);
        };
        let missing = keys.iter().find(|(_, present)| !present).map_or("", |(key, _)| *key);
        let incomplete = || {
            let what = format!("is there without `{missing}`: the keys of a choice go together");
            Problem::new(&format!("`{present}`"), what)
        };
        let choice = PlannedChoice {
            objective: self.objective.take().ok_or_else(incomplete)?,
            status: self.status.ok_or_else(incomplete)?,
            gap: self.gap.take().ok_or_else(incomplete)?,
            above_any_plan: self.above_any_plan.take(),
            limits: self.limits.take().ok_or_else(incomplete)?,
            totals: self.totals.take().ok_or_else(incomplete)?,
            chosen: self.chosen.take().ok_or_else(incomplete)?,
            left_out: self.left_out.take().ok_or_else(incomplete)?,
            left_out_by_quota: std::mem::take(&mut self.left_out_by_quota),
            improvement: self.improvement.take(),
            unimproved: self.unimproved.take(),
            clearing: self.clearing.take(),
            infeasible: self.infeasible.take(),
        };
        Ok(Some(choice))
    }
}

fn check_search(search: &SearchSummary) -> Result<(), Problem> {
    match (search.bound_hit, search.limits_hit.is_empty()) {
        (true, true) => {
            Err(Problem::new("true", "contradicts `limits_hit`, which names none")).in_field("bound_hit")
        }
        (false, false) => {
            Err(Problem::new("false", "contradicts `limits_hit`, which names some")).in_field("bound_hit")
        }
        _ => Ok(()),
    }
}

fn check_reasons(unscheduled: &[UnscheduledJob]) -> Result<(), Problem> {
    match unscheduled.iter().position(|job| job.reasons.is_empty()) {
        None => Ok(()),
        Some(index) => {
            let what = "is an empty list: a job without a window has at least one reason";
            Err(Problem::new("[]", what)).in_field("reasons").in_item(index)
        }
    }
}

/// Whether the status fits what is there.
fn check_choice(choice: &PlannedChoice) -> Result<(), Problem> {
    let (found, status) = (choice.found(), choice.status);
    let contradicts = |value: &str, key: &str| {
        Err(Problem::new(value, format!("contradicts the status {}", status.text()))).in_field(key)
    };
    if found != choice.gap.is_some() {
        return contradicts(choice.gap.as_ref().map_or("null", Num::as_str), "gap");
    }
    if let Some(gap) = &choice.gap {
        check_gap(gap, status).in_field("gap")?;
    }
    if let Some(above) = &choice.above_any_plan {
        let share = above.units(GAP_DECIMALS).filter(|millionths| found && *millionths >= 0);
        let wrong = || Problem::new(above.as_str(), "is not a share of a choice: it must not be negative");
        share.map(|_| ()).ok_or_else(wrong).in_field("above_any_plan")?;
    }
    if !found && !choice.chosen.is_empty() {
        return contradicts("what is chosen", "chosen");
    }
    if !found && !choice.left_out.is_empty() {
        return contradicts("what is left out", "left_out");
    }
    if let Some(job) = choice.left_out_by_quota.iter().find(|job| !choice.left_out.contains(job)) {
        let what = "is not among those who are left out";
        return Err(Problem::new(job, what)).in_field("left_out_by_quota");
    }
    match (&choice.infeasible, status == ChoiceStatus::Infeasible) {
        (Some(_), false) => contradicts("an explanation", "infeasible"),
        (None, true) => {
            let problem = Problem::new("infeasible", "needs the key `infeasible` beside it");
            Err(problem).in_field("status")
        }
        _ => Ok(()),
    }
}

/// A gap is a share of the larger value, which may be of the other sign: at most 2, and none when proven best.
fn check_gap(gap: &Num, status: ChoiceStatus) -> Result<(), Problem> {
    let millionths = gap.units(GAP_DECIMALS);
    match millionths.filter(|millionths| (0..=GAP_MAX).contains(millionths)) {
        None => {
            let what = "is not a gap: it must be from 0 to 2, in whole millionths";
            Err(Problem::new(gap.as_str(), what))
        }
        Some(1..) if status == ChoiceStatus::Optimal => {
            Err(Problem::new(gap.as_str(), "contradicts the status optimal"))
        }
        Some(_) => Ok(()),
    }
}

/// The greatest gap, in millionths; one may be lost to rounding (see [`super::choice`]).
const GAP_MAX: i64 = 2_000_001;

impl ChoiceStatus {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            ChoiceStatus::Optimal => "optimal",
            ChoiceStatus::Feasible => "feasible",
            ChoiceStatus::Infeasible => "infeasible",
            ChoiceStatus::NothingToChoose => "nothing-to-choose",
            ChoiceStatus::Unknown => "unknown",
        }
    }
}
