//! The choice in a plan: which alternative of each job, and what that comes to.

use super::cheaper::{CheaperItem, WholePrices};
use super::clearing::PlannedClearing;
use super::improvement::PlannedImprovement;
use super::write::{money, time};
use crate::number::Num;
use crate::scenario::Scenario;
use crate::sentence::infeasible_text;
use crate::unit::{MONEY_DECIMALS, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use walras_core::Alternatives;
use walras_core::choose::{AppliedLimits, NoCombination, ObjectiveName, Totals, VoPolicy};
use walras_core::plan::{BatchChoice, BatchPlan, LeftOut, NoChoice, Proven, Unimproved};
use walras_core::prefer::Source;
use walras_model::JobId;

/// Gaps are given to the millionth, rounded up.
pub(super) const GAP_DECIMALS: u32 = 6;

/// What was chosen; its keys stand in the plan itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedChoice {
    /// What made one combination better than another.
    pub objective: ObjectiveName,
    /// How it ended.
    pub status: ChoiceStatus,
    /// How far the value may be from the best, relative to the larger of the two; `None` without a combination.
    pub gap: Option<Num>,
    /// How far the choice can be above any plan for the same jobs, listed or not, as a share of the least that such a plan
    /// could come to, rounded up; `None` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_any_plan: Option<Num>,
    /// What all that is chosen may come to.
    pub limits: PlannedLimits,
    /// What it comes to.
    pub totals: PlannedTotals,
    /// One alternative for each job served, in the order of the batch.
    pub chosen: Vec<ChosenAlternative>,
    /// Jobs that have alternatives and were left out to keep the limits.
    pub left_out: Vec<String>,
    /// Those of them whose alternative was given up to keep the owners' quotas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out_by_quota: Vec<String>,
    /// What came of improving it by search, where that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub improvement: Option<PlannedImprovement>,
    /// `on-the-fly`, `in-units` or `too-large`: why that was not tried, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unimproved: Option<Unimproved>,
    /// What prices that clear the market prove of it, where they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearing: Option<PlannedClearing>,
    /// Why there is no combination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infeasible: Option<InfeasibleItem>,
}

/// How the choice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceStatus {
    /// Proven best of the listed alternatives.
    Optimal,
    /// A limit on work was hit before the proof; `gap` says how far off it may be.
    Feasible,
    /// The limits cannot be kept.
    Infeasible,
    /// No job has an alternative.
    NothingToChoose,
    /// A limit on work was hit before anything was found.
    Unknown,
}

/// The limits in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedLimits {
    /// T*, on the sum of run times.
    pub time: Option<Num>,
    /// B*, on the sum of costs.
    pub budget: Option<Num>,
}

/// What the chosen alternatives come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTotals {
    /// The sum of costs, in credits.
    pub cost: Num,
    /// The sum of run times.
    pub time: Num,
    /// When the last job ends; `None` when nothing is chosen.
    pub makespan: Option<Num>,
    /// How many jobs are served.
    pub jobs: u64,
}

/// The alternative chosen for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenAlternative {
    /// The job's name.
    pub job: String,
    /// Its position in the plan's alternatives, from 0.
    pub alternative: usize,
    /// When all tasks start.
    pub start: Num,
    /// When the last task ends.
    pub end: Num,
    /// What all tasks cost.
    pub cost: Num,
    /// How long the longest task takes.
    pub time: Num,
    /// Where asking for a little less would cost less, in the very same place and time: each of these alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cheaper: Vec<CheaperItem>,
}

/// The limit that cannot be kept, and by how much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InfeasibleItem {
    /// The budget, the time, or both together.
    pub limit: BrokenLimit,
    /// What the limit allows; of both limits, the budget.
    pub allowed: Num,
    /// The least that would do; of both limits, the least cost within the time.
    pub needed: Num,
    /// Their difference.
    pub short_by: Num,
    /// The same in words.
    pub text: String,
}

/// Which limit cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BrokenLimit {
    /// T*: even the shortest alternatives take longer.
    Time,
    /// B*: even the cheapest alternatives cost more.
    Budget,
    /// Each alone could be kept, but not both.
    Both,
}

impl PlannedChoice {
    /// What a plan chose. `None` when it was not to choose, what was wanted made no sense, or the numbers were too large
    /// to be summed.
    pub fn new(scenario: &Scenario, policy: &VoPolicy, plan: &BatchPlan) -> Option<PlannedChoice> {
        let made = match &plan.choice {
            BatchChoice::Made(made) => made,
            BatchChoice::None(NoChoice::Combination(reason, limits)) => {
                return without(scenario.unit, policy, *limits, reason);
            }
            BatchChoice::None(_) | BatchChoice::Unwanted => return None,
        };
        let (status, gap) = match made.proven {
            Proven::Best => (ChoiceStatus::Optimal, relative(0, 0)),
            Proven::Within(bound) => (ChoiceStatus::Feasible, relative(made.value, bound)),
            Proven::Nothing => (ChoiceStatus::Feasible, relative(1, 0)),
        };
        let mut windows: Vec<Option<usize>> = made.picks.iter().copied().map(window).collect();
        windows.resize(scenario.batch.requests().len(), None);
        let with_window: BTreeSet<JobId> = plan.found.found.iter().map(|it| it.job).collect();
        let left_out = with_window.into_iter().filter(|job| windows[job.index()].is_none());
        let name = |job: JobId| scenario.batch.request(job).name.clone();
        let prices = WholePrices::of(scenario);
        let by_quota = plan.left_out.iter().filter(|(_, reason)| *reason == LeftOut::Quota);
        Some(PlannedChoice {
            objective: policy.objective.name(),
            status,
            gap: Some(gap),
            above_any_plan: None,
            limits: limits(scenario.unit, made.limits),
            totals: totals(scenario.unit, made.totals),
            chosen: windows.iter().flatten().map(|place| chosen(&prices, &plan.found, *place)).collect(),
            left_out: left_out.map(name).collect(),
            left_out_by_quota: by_quota.map(|(job, _)| name(*job)).collect(),
            improvement: made.improvement.map(PlannedImprovement::new),
            unimproved: made.unimproved,
            clearing: None,
            infeasible: None,
        })
    }

    /// The choice with how far it can be above any plan, in millionths.
    #[must_use]
    pub fn bounded(mut self, above_any_plan: Option<i128>) -> PlannedChoice {
        self.above_any_plan = above_any_plan.map(|millionths| Num::from_units(millionths, GAP_DECIMALS));
        self
    }

    /// Whether there is a combination.
    pub fn found(&self) -> bool {
        matches!(self.status, ChoiceStatus::Optimal | ChoiceStatus::Feasible)
    }
}

/// The place of the window, if it is one.
fn window(source: Option<Source>) -> Option<usize> {
    match source? {
        Source::Window(place) => Some(place),
        Source::Queue(_) => None,
    }
}

fn chosen(prices: &WholePrices<'_>, found: &Alternatives, source: usize) -> ChosenAlternative {
    let (scenario, alternative) = (prices.scenario, &found.found[source]);
    let unit = scenario.unit;
    let window = &alternative.window;
    ChosenAlternative {
        job: scenario.batch.request(alternative.job).name.clone(),
        alternative: source,
        start: time(unit, window.start()),
        end: time(unit, window.end()),
        cost: money(window.cost()),
        time: Num::from_units(window.runtime().as_millis().into(), unit.time_decimals()),
        cheaper: prices.cheaper(alternative),
    }
}

/// A choice without a combination.
fn without(
    unit: Unit,
    policy: &VoPolicy,
    applied: AppliedLimits,
    reason: &NoCombination,
) -> Option<PlannedChoice> {
    let (status, infeasible) = match reason {
        NoCombination::Overflow | NoCombination::NoStakeholders => return None,
        NoCombination::NothingToChoose => (ChoiceStatus::NothingToChoose, None),
        NoCombination::Unknown => (ChoiceStatus::Unknown, None),
        NoCombination::TimeLimit { limit, least } => {
            let broken = broken(BrokenLimit::Time, (*limit, *least), unit.time_decimals(), reason, unit);
            (ChoiceStatus::Infeasible, Some(broken))
        }
        NoCombination::BudgetLimit { limit, least } => {
            let broken = broken(BrokenLimit::Budget, (*limit, *least), MONEY_DECIMALS, reason, unit);
            (ChoiceStatus::Infeasible, Some(broken))
        }
        NoCombination::BothLimits { limits, least_cost } => {
            let figures = (limits.budget.unwrap_or_default(), *least_cost);
            let broken = broken(BrokenLimit::Both, figures, MONEY_DECIMALS, reason, unit);
            (ChoiceStatus::Infeasible, Some(broken))
        }
    };
    Some(PlannedChoice {
        objective: policy.objective.name(),
        status,
        gap: None,
        above_any_plan: None,
        limits: limits(unit, applied),
        totals: totals(unit, Totals::default()),
        chosen: Vec::new(),
        left_out: Vec::new(),
        left_out_by_quota: Vec::new(),
        improvement: None,
        unimproved: None,
        clearing: None,
        infeasible,
    })
}

fn broken(
    limit: BrokenLimit,
    (allowed, needed): (i128, i128),
    decimals: u32,
    reason: &NoCombination,
    unit: Unit,
) -> InfeasibleItem {
    let number = |units| Num::from_units(units, decimals);
    InfeasibleItem {
        limit,
        allowed: number(allowed),
        needed: number(needed),
        short_by: number(needed - allowed),
        text: infeasible_text(reason, unit),
    }
}

fn limits(unit: Unit, applied: AppliedLimits) -> PlannedLimits {
    PlannedLimits {
        time: applied.time.map(|millis| Num::from_units(millis, unit.time_decimals())),
        budget: applied.budget.map(|micros| Num::from_units(micros, MONEY_DECIMALS)),
    }
}

fn totals(unit: Unit, totals: Totals) -> PlannedTotals {
    PlannedTotals {
        cost: Num::from_units(totals.cost, MONEY_DECIMALS),
        time: Num::from_units(totals.time, unit.time_decimals()),
        makespan: totals.makespan.map(|end| time(unit, end)),
        jobs: totals.served.into(),
    }
}

/// |value - bound| / max(|value|, |bound|), rounded up to a millionth.
pub(crate) fn relative(value: i128, bound: i128) -> Num {
    let (difference, scale) = (value.abs_diff(bound), value.unsigned_abs().max(bound.unsigned_abs()));
    // Both are divided alike until the product fits, which may cost a last millionth.
    let excess = 20_u32.saturating_sub(difference.leading_zeros());
    let (difference, scale) = (difference >> excess, (scale >> excess).max(1));
    let millionths = (difference * 1_000_000).div_ceil(scale);
    Num::from_units(i128::try_from(millionths).unwrap_or(i128::MAX), GAP_DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_relative_and_rounded_up() {
        assert_eq!(relative(0, 0).as_str(), "0");
        assert_eq!(relative(100, 98).as_str(), "0.02");
        assert_eq!(relative(-100, -102).as_str(), "0.019608");
        assert_eq!(relative(3, 2).as_str(), "0.333334");
        assert_eq!(relative(i128::MAX, i128::MAX / 2).as_str(), "0.500001");
        assert_eq!(relative(i128::MAX, i128::MIN + 1).as_str(), "2.000001");
    }
}
