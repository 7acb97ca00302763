//! `scenario/1` as it stands in a file.
//!
//! The comments of these types are the descriptions in the published JSON Schema.

#[cfg(feature = "schema")]
use super::described::Prices;
use super::names::{KindName, LeaveOutName};
use super::values::{
    Entries, LimitSpec, List, Pair, Scalar, TaskSpec, TestSpec, objects, present, present_object,
    present_objects,
};
use super::wishes::PreferencesEntry;
use super::word::Word;
use crate::described::JsonSchema;
use crate::number::Number;
use crate::unit::Unit;
use serde::Deserialize;
use walras_core::choose::{ObjectiveName, Total};
#[cfg(feature = "schema")]
use walras_model::capacity::PROCESSORS_MAX;

/// Sites with priced free time, and the jobs that want it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "scenario")]
#[schemars(title = "Walras scenario/1")]
pub(crate) struct ScenarioFile {
    /// The format and its version.
    #[schemars(extend("const" = super::SCENARIO_TAG))]
    pub(crate) walras: String,
    /// The time that is planned, as [start, end): the end is the first point after it.
    pub(crate) horizon: Pair,
    /// The unit of times and work, and of the time in prices: seconds or milliseconds.
    #[serde(default)]
    pub(crate) unit: Unit,
    /// The clusters that offer time; names are unique.
    #[serde(deserialize_with = "objects")]
    #[schemars(length(min = 1))]
    pub(crate) sites: List<SiteEntry>,
    /// The jobs to plan; names are unique.
    #[serde(deserialize_with = "objects")]
    #[schemars(length(min = 1))]
    pub(crate) jobs: List<JobEntry>,
    /// What the VO wants of the combination that is chosen.
    // Said as if it were written, so that the schema does not name a default.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "PolicyEntry")]
    pub(crate) policy: Option<PolicyEntry>,
    /// What users, owners and the administrator want.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "PreferencesEntry")]
    pub(crate) preferences: Option<PreferencesEntry>,
    /// How fast data moves between the tasks of workflows.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "NetworkEntry")]
    pub(crate) network: Option<NetworkEntry>,
}

/// How fast data moves between nodes; data that stays on its node takes no time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "network")]
pub(crate) struct NetworkEntry {
    /// Between nodes of one site: 125 MB/s without latency where not stated.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "LinkEntry")]
    pub(crate) within_site: Option<LinkEntry>,
    /// Between sites: 12.5 MB/s after 50 ms where not stated.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "LinkEntry")]
    pub(crate) between_sites: Option<LinkEntry>,
}

/// A link: data takes the latency, and its volume over the bandwidth.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "link")]
pub(crate) struct LinkEntry {
    /// In megabytes per second.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(crate) bandwidth: Number,
    /// In the scenario's unit of time.
    #[serde(default = "zero")]
    #[schemars(range(min = 0))]
    pub(crate) latency: Number,
}

/// What the VO wants of the combination that is chosen. `weights` belong to the objective weighted, `order` to
/// lexicographic.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "policy")]
pub struct PolicyEntry {
    /// What makes one combination better than another.
    #[serde(default)]
    pub(crate) objective: Word<ObjectiveName>,
    /// How much each total counts: per credit, and per unit of time. Not all zero.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "WeightsEntry")]
    pub(crate) weights: Option<WeightsEntry>,
    /// The first total decides, the next only among equals, and so on; none twice.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<Word<Total>>", length(min = 1))]
    pub(crate) order: Option<List<Word<Total>>>,
    /// What all that is chosen may come to.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "LimitsEntry")]
    pub(crate) limits: Option<LimitsEntry>,
    /// Whether jobs that have windows may be left out to keep the limits.
    #[serde(default)]
    pub(crate) leave_out: LeaveOutName,
    /// k of the budget S = k * price_max * t * tasks.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub(crate) budget_factor: Option<Number>,
}

/// How much each total counts; what is not given does not count.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "weights")]
pub(crate) struct WeightsEntry {
    /// Per credit of the total cost; less is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) cost: Option<Number>,
    /// Per unit of the total time; less is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) time: Option<Number>,
    /// Per unit of the sum of all ends; less is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) finish: Option<Number>,
    /// Per credit of the owners' income; more is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) income: Option<Number>,
    /// Per credit that the budget limit leaves; more is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) spare_budget: Option<Number>,
    /// Per unit of time that the time limit leaves; more is better.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0, max = 1_000_000))]
    pub(crate) spare_time: Option<Number>,
}

/// Limits on what all chosen windows come to together.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "limits")]
pub(crate) struct LimitsEntry {
    /// On the sum of all run times: a number, derived, or none.
    #[serde(default)]
    pub(crate) time: LimitSpec,
    /// On the sum of all costs: a number of credits, derived, or none.
    #[serde(default)]
    pub(crate) budget: LimitSpec,
}

/// One owner's cluster. It offers either nodes or capacity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "site")]
#[schemars(extend("oneOf" = [{"required": ["nodes"]}, {"required": ["capacity"]}]))]
pub(crate) struct SiteEntry {
    /// Unique among the sites.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// The machines of the site.
    #[serde(default, deserialize_with = "present_objects")]
    #[schemars(with = "List<NodeEntry>", length(min = 1))]
    pub(crate) nodes: Option<List<NodeEntry>>,
    /// Free processors instead of nodes.
    #[serde(default, deserialize_with = "present_object")]
    #[schemars(with = "CapacityEntry")]
    pub(crate) capacity: Option<CapacityEntry>,
}

/// Free processors of one speed, from the start of the horizon to its end. The speed is either `mips` or
/// `performance`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "capacity")]
#[schemars(extend("oneOf" = [{"required": ["mips"]}, {"required": ["performance"]}]))]
pub(crate) struct CapacityEntry {
    /// How many are free.
    #[schemars(extend("type" = "integer", "minimum" = 1, "maximum" = PROCESSORS_MAX))]
    pub(crate) processors: Number,
    /// Millions of instructions that one does in a second; work is then in millions of instructions.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0))]
    pub(crate) mips: Option<Number>,
    /// Speed relative to the reference node: work w takes w / performance.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0))]
    pub(crate) performance: Option<Number>,
    /// Credits per processor and unit of time.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(crate) price: Number,
    /// The same for users who pay another price, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Prices")]
    pub(crate) prices: Option<Entries<Number>>,
    /// Power that one draws while it computes, in watts.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) watts: Option<Number>,
    /// What else jobs may require, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Scalar>")]
    pub(crate) attributes: Option<Entries<Scalar>>,
}

/// A machine that runs one task at a time, or one on each of its parts. Without `free` and `busy` it is free for the whole horizon;
/// both together are refused.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "node")]
#[schemars(extend("not" = {"required": ["free", "busy"]}))]
pub(crate) struct NodeEntry {
    /// Unique within the site.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// Speed relative to the reference node: work w takes w / performance.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0, "default" = 1))]
    pub(crate) performance: Number,
    /// Credits per unit of time.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(crate) price: Number,
    /// When the node is free; intervals must not overlap, and what lies outside the horizon is cut off.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<Pair>")]
    pub(crate) free: Option<List<Pair>>,
    /// When the owner's own work runs; intervals must not overlap. The node is free at all other times.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<Pair>")]
    pub(crate) busy: Option<List<Pair>>,
    /// Power that the node draws while it computes, in watts.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    pub(crate) watts: Option<Number>,
    /// What else jobs may require, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Scalar>")]
    pub(crate) attributes: Option<Entries<Scalar>>,
    /// What the node has that is counted, such as cores, memory_gb or gpus: whole numbers by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) resources: Option<Entries<Number>>,
    /// In how many equal units the node is sold, each the same part of all resources; a task takes as many as it needs. Whole, without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("type" = "integer", "minimum" = 1))]
    pub(crate) units: Option<Number>,
    /// A task takes, and pays, no fewer units than this, however little it asks for. One, without.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("type" = "integer", "minimum" = 1))]
    pub(crate) least_units: Option<Number>,
    /// By resource of the node: only tasks that ask for so much of one of these have a place on it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) only_for: Option<Entries<Number>>,
}

/// Tasks that run in parallel, one per node or processor. The work of each is either `work`, or the longest of a
/// list of tasks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "job")]
#[schemars(extend(
    "anyOf" = [
        {"required": ["work"], "properties": {"tasks": {"type": "integer"}}},
        {"required": ["tasks"], "properties": {"tasks": {"type": "array"}}, "not": {"required": ["work"]}},
    ],
    "not" = {"required": ["kind", "same_site"]},
))]
pub(crate) struct JobEntry {
    /// Unique among the jobs.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// A file with the job's tasks, relative to the scenario: the size of the window then follows from it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1))]
    pub(crate) workflow: Option<String>,
    /// By which rule the tasks of the workflow are placed: asap, alap, cheapest or balanced.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", extend("enum" = ["asap", "alap", "cheapest", "balanced"]))]
    pub(crate) strategy: Option<String>,
    /// How many nodes the job needs at once; or the work of each task as a list, of which the longest counts for
    /// all.
    #[serde(default = "one_task")]
    pub(crate) tasks: TaskSpec,
    /// Work of each task: its run time on a node of performance 1. Needed unless the job lists its tasks or is a
    /// workflow.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0))]
    pub(crate) work: Option<Number>,
    /// Who pays: owners may have prices for single users.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    pub(crate) user: Option<String>,
    /// The most that a slot may cost per unit of time; without `budget` also the source of the budget.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0))]
    pub(crate) price_max: Option<Number>,
    /// The most that all tasks together may cost, in credits; replaces the budget that follows from
    /// `price_max`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("exclusiveMinimum" = 0))]
    pub(crate) budget: Option<Number>,
    /// Slower nodes do not fit.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0, "default" = 1))]
    pub(crate) performance_min: Number,
    /// When the last task must have ended.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number")]
    pub(crate) deadline: Option<Number>,
    /// No task may start before.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number")]
    pub(crate) earliest: Option<Number>,
    /// Higher goes first; equals go in the order of the file.
    #[serde(default = "zero")]
    #[schemars(extend("type" = "integer", "default" = 0))]
    pub(crate) priority: Number,
    /// What every node must satisfy, by attribute; a node without the attribute does not.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<TestSpec>")]
    pub(crate) requires: Option<Entries<TestSpec>>,
    /// What each task takes of its node, such as cores, memory_gb or gpus: a node that counts them gives it so much, any other must have it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    pub(crate) resources: Option<Entries<Number>>,
    /// Whether all tasks must run on one site, whichever it is.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool", extend("default" = false))]
    pub(crate) same_site: Option<bool>,
    /// Whether each task must have a node of its own, also where nodes are sold in units.
    #[serde(default)]
    #[schemars(extend("default" = false))]
    pub(crate) separate_nodes: bool,
    /// The same in other words: single-site means one site, split means any.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "KindName")]
    pub(crate) kind: Option<KindName>,
    /// The only sites on which tasks may run, by name.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "List<String>", length(min = 1))]
    pub(crate) sites: Option<List<String>>,
}

pub(crate) fn one() -> Number {
    Number::Unsigned(1)
}

pub(crate) fn one_task() -> TaskSpec {
    TaskSpec::Count(one())
}

pub(crate) fn zero() -> Number {
    Number::Unsigned(0)
}
