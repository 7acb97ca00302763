//! Which plan is made, within which bounds, and what is known of it.

use super::aim::Value;

/// Which plan is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum PlanScheme {
    /// The papers' two phases: windows that do not overlap, then the best combination of them.
    Papers,
    /// What the two phases found, improved by search.
    #[default]
    Improved,
}

/// Bounds of the improvement. Hitting one shows in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImproveLimits {
    /// At most this many searches for one job, for each job of the batch.
    pub searches_per_job_max: u64,
    /// At most this many searches for one job in all.
    pub searches_max: u64,
    /// At most about this many slots are read, for each job of the batch; for each beyond the first hundred, a quarter.
    pub slots_per_job_max: u64,
    /// At most about this many slots are read in all.
    pub slots_max: u64,
    /// What is drawn follows from this.
    pub seed: u64,
}

impl Default for ImproveLimits {
    fn default() -> Self {
        ImproveLimits {
            searches_per_job_max: 5_000,
            searches_max: 40_000,
            slots_per_job_max: 100_000,
            slots_max: 40_000_000,
            seed: 1,
        }
    }
}

/// How good a plan is: who is left out comes first, then the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    /// The weight of the jobs that are left out; less is better.
    pub left_out: u128,
    /// The objective's sums in order, less is better; for the makespan the last end, then the cost. Unused ones are 0.
    pub value: [i128; 3],
    /// How many jobs are served.
    pub served: usize,
}

/// What became of a choice that was to be improved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// What the two phases chose.
    pub before: Standing,
    /// What is chosen now; never worse.
    pub after: Standing,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
    /// The first of the sums is lower in no plan that serves everybody who can be served; known only where this one does.
    pub bound: Option<i128>,
}

/// Why a choice that was to be improved was not even tried to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Unimproved {
    /// Some nodes are sold in units: so said plans of earlier versions.
    InUnits,
    /// There are more jobs × nodes, or tasks × slots, than can be kept in memory.
    TooLarge,
}

/// What plans are compared by.
pub(super) type Rank = (u128, Value);
