//! Cycles planned again: under other rules, without a job, or just so.

use super::page::DecidedAlternative;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// What other rules would have decided in the latest cycles, beside what the rules of then do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialView {
    /// The cycles that were planned again, newest first: of those since the service started the latest in which anybody waited.
    pub cycles: Vec<TrialCycle>,
    /// How many more are remembered, for which there was no time.
    pub left: u32,
    /// All of them together, as they were.
    pub before: TrialFigures,
    /// And under the other rules.
    pub after: TrialFigures,
}

/// A cycle planned twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialCycle {
    /// Its number.
    pub cycle: u64,
    /// When it was planned.
    pub at: Stamp,
    /// How many jobs are served otherwise than before: later, sooner, elsewhere at another price, or not at all.
    pub changed: u32,
    /// As it was.
    pub before: TrialFigures,
    /// Under the other rules.
    pub after: TrialFigures,
}

/// What plans come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialFigures {
    /// How many jobs waited.
    pub jobs: u32,
    /// How many of them have a window.
    pub served: u32,
    /// What these cost, in credits.
    pub cost: Num,
    /// How long these wait from being submitted until they start, in seconds, on average; none when there are none.
    pub wait: Option<Num>,
    /// And until they have ended.
    pub response: Option<Num>,
    /// How content everybody is on average, from 0 to 1; none where nobody was asked.
    pub satisfaction: Option<Num>,
}

/// Whether a plan is the one that follows from what was known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayView {
    /// The cycle's number.
    pub cycle: u64,
    /// Whether planning again gives the same decision, to the last digit.
    pub same: bool,
}

/// What a job's window has cost others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DisplacedView {
    /// The job.
    pub job: u64,
    /// The others that a plan without it would have served otherwise.
    pub others: Vec<DisplacedJob>,
}

/// A job that would have run otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DisplacedJob {
    /// Its number.
    pub job: u64,
    /// Its name.
    pub name: String,
    /// When it would have started, ended, and for how much; none where it would have no window.
    pub without: Option<DecidedAlternative>,
    /// When it starts and ends, and for how much; none where it has no window.
    pub with: Option<DecidedAlternative>,
}
