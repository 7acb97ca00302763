//! Plans: `walras.plan/1`, the output of `walras plan --json` and the input of `walras verify`.
//!
//! Numbers are in the scenario's units and exact: they are kept as decimal text from the core's integers to
//! the file and back.

mod cheaper;
pub(crate) mod choice;
mod clearing;
mod file;
mod fill;
mod improvement;
mod listing;
mod read;
mod satisfaction;
mod violation;
mod workflow;
mod write;

use crate::described::JsonSchema;
use crate::number::Num;
use crate::unit::Unit;
pub use cheaper::CheaperItem;
pub use choice::{
    BrokenLimit, ChoiceStatus, ChosenAlternative, InfeasibleItem, PlannedChoice, PlannedLimits, PlannedTotals,
};
pub use clearing::{NodeWorthItem, PlannedClearing, ScarceItem};
pub use improvement::{PlannedImprovement, PlannedStanding};
pub use listing::{Listed, UnlistedWindows};
pub use read::read_plan;
pub use satisfaction::{
    ParetoPoint, PlannedPareto, PlannedSatisfaction, QueuedJob, QueuedPick, StakeholderItem,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub use violation::{PlanViolation, WorkflowAt, WorkflowViolation};
use walras_core::plan::Unconfirmed;
use walras_core::{Algorithm, LimitHit, Mode};
use walras_model::Factor;
pub use workflow::{PlannedSize, PlannedWorkflow};

/// What a plan file must call itself: the value of its key `schema`.
const PLAN_TAG: &str = "walras.plan/1";

/// Ways to run every job, why some have none, and which were chosen.
///
/// Read it with [`read_plan`]: some of its keys only make sense together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// `walras.plan/1`
    pub schema: String,
    /// The unit of all times, and of the time in prices.
    pub unit: Unit,
    /// How it was found.
    pub search: SearchSummary,
    /// What was chosen, unless nobody asked for a choice.
    #[serde(flatten)]
    pub choice: Option<PlannedChoice>,
    /// How content everybody is with what was chosen, where the scenario states preferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satisfaction: Option<PlannedSatisfaction>,
    /// What else could have been chosen, by two totals, where somebody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto: Option<PlannedPareto>,
    /// In the order found.
    pub alternatives: Vec<PlannedAlternative>,
    /// How many more were found, by job, where not all are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<UnlistedWindows>,
    /// Jobs for which no window was found.
    pub unscheduled: Vec<UnscheduledJob>,
    /// Jobs that are workflows: the size of their windows, and where every task is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<PlannedWorkflow>,
    /// Values of workflows' files that cannot be, and what was assumed in their place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What was wrong with the plan that search had improved, where that of two phases stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How a plan was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSummary {
    /// `alp`, `amp` or `criterion=NAME`
    #[serde(with = "read::algorithm_name")]
    pub algorithm: Algorithm,
    /// `all-alternatives` or `first-on-the-fly`
    #[serde(with = "read::mode_name")]
    pub mode: Mode,
    /// k of the budget S = k · price_max · t · tasks.
    #[serde(with = "read::factor_number")]
    pub budget_factor: Factor,
    /// How many slots were read.
    pub slots_scanned: u64,
    /// Whether a limit ended some part of the search.
    pub bound_hit: bool,
    /// Which limits did.
    #[serde(with = "read::limit_names")]
    pub limits_hit: Vec<LimitHit>,
    /// Whether it ended because more alternatives could not change the choice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enough: bool,
}

/// One way to run one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedAlternative {
    /// The job's name.
    pub job: String,
    /// When all tasks start.
    pub start: Num,
    /// When the last task ends.
    pub end: Num,
    /// What all tasks cost, in credits.
    pub cost: Num,
    /// The tasks.
    pub slots: Vec<PlannedSlot>,
    /// Set when a limit was hit before this was proven best: no window has a value below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Num>,
}

/// One task of an alternative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedSlot {
    /// The site's name.
    pub site: String,
    /// The node's name within the site.
    pub node: String,
    /// When the task starts.
    pub start: Num,
    /// When it ends.
    pub end: Num,
    /// What it costs, in credits.
    pub cost: Num,
    /// How many of its node's units it takes; left out where it is one, as of every node that is sold whole.
    #[serde(default = "one_unit", skip_serializing_if = "is_one_unit")]
    pub units: u32,
    /// Whether the node is one of the free processors that a site sells as capacity.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capacity: bool,
}

fn one_unit() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_one_unit(units: &u32) -> bool {
    *units == 1
}

/// A job without a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnscheduledJob {
    /// The job's name.
    pub job: String,
    /// All that stands in the way.
    pub reasons: Vec<ReasonItem>,
    /// Each of these alone would give the job a window.
    pub smallest_change: SmallestChangeItem,
    /// `untried`: not all of these were tried by planning again, so that an improved plan may still serve others in the job's place;
    /// `others-instead`: it would with any that gives the job a window, so that none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<Unconfirmed>,
}

/// One thing that stands in the way of a job; which numbers are there depends on the kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasonItem {
    /// What it is.
    pub kind: ReasonKind,
    /// The requirement that too few nodes pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// The criterion that too few nodes state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// What the job asks of performance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub performance_min: Option<Num>,
    /// How many nodes there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Num>,
    /// How many nodes there are at once, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Num>,
    /// The shortest run time of a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_min: Option<Num>,
    /// What the job may spend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Num>,
    /// What a slot may cost per unit of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_max: Option<Num>,
    /// When the job must have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Num>,
    /// What it would take, of the same kind as what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Num>,
    /// How much the budget lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_by: Option<Num>,
    /// The same in words.
    pub text: String,
}

/// What stands in the way of a job; see [`walras_model::Reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is documented at the variant of Reason of the same name")]
pub enum ReasonKind {
    RequirementUnmet,
    KeptForOthers,
    TooSlow,
    CriterionUnstated,
    TooFewNodes,
    SlotsTooShort,
    TooFewAtOnce,
    BudgetTooSmall,
    PriceCapTooLow,
    DeadlineTooEarly,
    SeveralLimits,
    TakenByOthers,
    LeftForOthers,
    TasksDoNotFit,
    NotExamined,
}

/// The least change of each kind that alone gives a job a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallestChangeItem {
    /// In credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Num>,
    /// In credits per unit of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_max: Option<Num>,
    /// A point in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Num>,
    /// A number of tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Num>,
    /// A performance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub performance_min: Option<Num>,
    /// By name: how much a task takes of its node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Num>,
}
