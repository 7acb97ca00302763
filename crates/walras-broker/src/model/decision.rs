//! Plans as they are handed to the broker, which trusts nothing of them.

use super::allocation::Allocation;
use super::id::JobNumber;
use super::job::{Planned, Why};
use super::policy::Method;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_core::agenda::Promise;
use walras_core::choose::Objective;
use walras_model::{Money, Share, Time};

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// How many events the broker had folded when planning began, so that the same plan can be made again.
    pub basis: u64,
    /// For when it was planned, where that is later than its cycle was closed: a brief plan, in the place of one that took too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Time>,
    /// What it came to.
    pub verdict: Verdict,
    /// Who is served, and how.
    pub chosen: Vec<Chosen>,
    /// Who is planned, newly or elsewhere than before, where jobs are planned before anything is held for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedJob>,
}

/// What a plan says of one job for which nothing is held yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedJob {
    /// The job that the plan gives a window.
    pub job: JobNumber,
    /// The window that it would have; it may move until sites hold it.
    pub plan: Planned,
    /// What it is promised.
    pub promise: Promise,
    /// Whether what it was promised before cannot be kept.
    #[serde(default)]
    pub renewed: bool,
}

/// What a plan came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// By what it was chosen; `None` when another method than the broker's planner made the plan.
    pub objective: Option<Objective>,
    /// Whether it is proven best.
    pub proof: Proof,
    /// Of what; verdicts that were written before that was said do not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rivals: Option<Rivals>,
    /// The objective's value in its own integer unit. It may be wider than the numbers of JSON: text there.
    #[serde(with = "value_text")]
    pub value: i128,
    /// How many jobs are served.
    pub served: u32,
    /// What all that was chosen costs.
    pub cost: Money,
    /// How content everybody is: users and the administrator by name, owners by site.
    pub satisfaction: BTreeMap<String, Share>,
    /// Who is not served, and why.
    pub unserved: Vec<Unserved>,
    /// What prices that clear the market prove of it, where they were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<PlanBound>,
    /// Workflows whose planned schedule did not hold, so that another stands in its place; the basis tells how to see it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<JobNumber>,
    /// Workflows that were too large to be looked at closely: not all sizes, windows and methods were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plainly: Vec<JobNumber>,
    /// What was assigned to sites that sell capacity, where that was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned: Option<Box<AssignedRound>>,
}

/// A round of assigning to sites that sell capacity: what all of its jobs have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignedRound {
    /// The method that the VO's rules name.
    pub method: Method,
    /// When all that it serves start.
    pub start: Time,
    /// How many it was for.
    pub jobs: u32,
    /// Whom it serves.
    pub served: Vec<JobNumber>,
    /// What that costs.
    pub cost: Money,
    /// Whether no assignment is better.
    pub proof: Proof,
    /// Generations of evolution, passes of the exact method.
    pub iterations: u64,
}

impl AssignedRound {
    /// How many jobs it serves.
    pub fn served_count(&self) -> u32 {
        u32::try_from(self.served.len()).unwrap_or(u32::MAX)
    }
}

/// What no plan can beat, over all windows and not only those that were listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanBound {
    /// How many jobs it speaks of: those that are served in windows, without workflows.
    pub jobs: u32,
    /// What they cost together.
    pub cost: Money,
    /// No plan that serves them costs less for them.
    pub cost_least: Money,
    /// No plan serves more in windows, of all jobs but workflows and those in queues.
    pub jobs_most: u32,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
    /// What they lose, and what no plan can lose less than: where windows may move, these are planned by that, and within what they were promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossBound>,
}

impl PlanBound {
    /// Whether nothing is claimed against the plan itself.
    pub(crate) fn is_sound(&self) -> bool {
        self.cost_least <= self.cost
            && self.loss.is_none_or(|it| it.loss_least <= it.loss && self.cost <= it.loss)
    }
}

/// What jobs cost, and what the delay of their ends is worth to them on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossBound {
    /// Of the plan.
    pub loss: Money,
    /// No plan loses less.
    pub loss_least: Money,
}

/// Whether a combination is proven best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// No combination is better.
    Optimal,
    /// A limit was hit; it is at most so many millionths above the best.
    Gap(i64),
    /// Nothing is proven: there was nothing to choose from, or each job got the best window that was left when its turn came.
    Nothing,
}

/// What a plan was held against when something was proven of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rivals {
    /// The combinations of so many alternatives that were listed; there may be windows that were not.
    Listed(u32),
    /// All plans for the same jobs, in whatever windows.
    AllWindows,
}

/// What a plan says of one job that is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The job that is to be reserved for.
    pub job: JobNumber,
    /// How it runs.
    pub allocation: Allocation,
    /// Other ways, ready for when this one fails; none overlaps anything that was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spares: Vec<Allocation>,
}

/// A job that a plan leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unserved {
    /// The job that gets nothing in this plan.
    pub job: JobNumber,
    /// What kept it out of the plan.
    pub why: Why,
}

/// A value as decimal text.
mod value_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(value: &i128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
