//! Walras's file formats: what a file may say, and what that means to the core.
//!
//! There are no rules of the market in here, only shapes, ranges and conversions: a scenario file becomes
//! [`walras_model::Offers`] and a [`walras_model::Batch`]; what a search found becomes a [`Plan`], and a plan
//! file becomes a [`walras_verify::Claim`] to verify. Whatever a file contains, reading it gives a value or a
//! [`ReadError`] that names the file, the place and the value, never a panic.
//!
//! ```
//! use walras_api::{Syntax, read_scenario};
//! let text = "
//! walras: scenario/1
//! horizon: [0, 600]
//! sites: [{name: campus, nodes: [{name: cpu1, price: 5, busy: [[20, 150]]}]}]
//! jobs: [{name: J1, work: 80, price_max: 5}]
//! ";
//! let scenario = read_scenario(text.as_bytes(), "example.yaml", Syntax::Yaml).unwrap();
//! assert_eq!(scenario.offers.slots().len(), 2);
//!
//! let error = read_scenario(text.replace("80", "-80").as_bytes(), "example.yaml", Syntax::Yaml).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "example.yaml:5:25: jobs[0].work: -80 is not an amount of work: it must be greater than 0"
//! );
//! ```

mod amount;
mod assignment;
mod choices;
mod decode;
mod described;
mod error;
mod input;
mod journal;
mod locate;
mod number;
mod orlib;
mod plan;
mod rolling;
mod scenario;
mod schema;
pub mod sentence;
pub mod service;
mod task_plan;
mod unit;
mod workflow;

pub use amount::{Amount, BadDouble, of_double, written, written_by_name, written_if_any};
pub use assignment::{
    AssignmentNames, AssignmentReport, AssignmentRun, AssignmentStatus, LeftOutJob, PlacedJob, UnplacedItem,
    UnplacedKind,
};
pub use choices::{CHOICES_TAG, Choices, read_choices};
pub use error::{ErrorKind, Position, ReadError, echo, echo_message};
pub use input::{PLAN_BYTES_MAX, SCENARIO_BYTES_MAX, Syntax, UnknownExtension, read_limited};
pub use journal::{JOURNAL_LINE_MAX, JOURNAL_TAG, JournalReader, JournalWriter};
pub use number::{NotANumber, Num};
pub use orlib::{ORLIB_BYTES_MAX, read_orlib_gap};
pub use plan::{
    BrokenLimit, CheaperItem, ChoiceStatus, ChosenAlternative, InfeasibleItem, Listed, NodeWorthItem,
    ParetoPoint, Plan, PlanViolation, PlannedAlternative, PlannedChoice, PlannedClearing, PlannedImprovement,
    PlannedLimits, PlannedPareto, PlannedSatisfaction, PlannedSize, PlannedSlot, PlannedStanding,
    PlannedTotals, PlannedWorkflow, QueuedJob, QueuedPick, ReasonItem, ReasonKind, ScarceItem, SearchSummary,
    SmallestChangeItem, StakeholderItem, UnlistedWindows, UnscheduledJob, WorkflowAt, WorkflowViolation,
    read_plan,
};
pub use rolling::{GivenUpJob, RollingReport, RollingRun, RunFacts};
pub use scenario::{Policy, SCENARIO_TAG, Scenario, WorkflowJob, read_scenario, usual_network};
#[cfg(feature = "schema")]
pub use schema::generated as generated_schema;
pub use schema::{SCHEMAS, job_schema, scenario_schema, workflow_schema};
pub use task_plan::{
    BaselineResult, CollisionCounts, Figures, PlannedSupport, PlannedTask, SupportEvent, TASK_PLAN_TAG,
    TaskPlan, TaskPlanStatus, fault_text, no_schedule_text,
};
pub use unit::{MONEY_DECIMALS, Unit};
pub use workflow::{
    ReadWarning, ReadWarnings, Runnable, UnknownWorkflow, WORKFLOW_BYTES_MAX, WORKFLOW_TAG,
    WORKFLOW_TASKS_MAX, WorkflowFormat, read_runnable, read_workflow, read_workflow_leniently, runnable_json,
    workflow_json,
};
