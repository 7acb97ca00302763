//! Every way to run every job of a batch.

use crate::explain::Explanation;
use crate::id::JobId;
use crate::window::Window;

/// One feasible way to run one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Whose it is.
    pub job: JobId,
    /// Where, when and for how much.
    pub window: Window,
    /// Set when a limit was hit before this window was proven best by the criterion: no window is better
    /// than this value (in the criterion's own integer unit).
    pub bound: Option<i128>,
}

/// A job for which no window was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unscheduled {
    /// Which job.
    pub job: JobId,
    /// Why, and what would help.
    pub explanation: Explanation,
}

/// What a search over a batch found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternatives {
    /// In the order found; they never overlap each other.
    pub found: Vec<Alternative>,
    /// Jobs that found none.
    pub unscheduled: Vec<Unscheduled>,
    /// How many slots were read.
    pub slots_scanned: u64,
    /// Which limits were hit, each once.
    pub limits_hit: Vec<LimitHit>,
}

/// A limit that ended part of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitHit {
    /// Some job has as many alternatives as [`crate::search::Limits::alternatives_per_job_max`] allows.
    AlternativesPerJob,
    /// There are as many alternatives as [`crate::search::Limits::alternatives_max`] allows.
    Alternatives,
    /// Some criterion window is not proven best within [`crate::search::Limits::branches_max`].
    Branches,
}
