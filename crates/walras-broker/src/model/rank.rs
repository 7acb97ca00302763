//! The order of the queue as it is written down, with what it is made of.

use super::id::JobNumber;
use serde::{Deserialize, Serialize};

/// A job in the order of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranked {
    /// The job that has the rank.
    pub job: JobNumber,
    /// The weighted sum.
    pub score: i64,
    /// Whether it has waited so long that it goes before all that have not.
    pub overdue: bool,
    /// What the sum is made of, before weighting, in millionths.
    pub aspects: Aspects,
}

/// What a rank is made of, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aspects {
    /// What it may pay per time and task, against the most in the queue.
    pub price: i64,
    /// How near the deadline is, against the horizon.
    pub deadline: i64,
    /// Failed attempts, against the most allowed.
    pub attempts: i64,
    /// How long it has waited, in horizons.
    pub waiting: i64,
    /// Priority, against the highest in the queue.
    pub priority: i64,
    /// How little its user has used, against their share.
    pub fair_share: i64,
}
