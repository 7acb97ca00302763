//! Budgets: what a user, a group or the whole VO may spend in a period.
//!
//! Periods follow each other without a gap from time 0 on. A lien counts in the period in which it was placed; what is
//! given back of it counts no more, while that period lasts.

use serde::{Deserialize, Serialize};
use walras_model::{Money, Span, Time};

/// Whose spending is limited.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spender {
    /// One user.
    User(String),
    /// All users of a group together.
    Group(String),
    /// All users together.
    Vo,
}

/// How much may be spent in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// How long a period lasts; at least a millisecond.
    pub period: Span,
    /// What may be spent in it.
    pub amount: Money,
}

/// A budget and what was spent of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetUse {
    /// The budget.
    pub budget: Budget,
    /// Only liens placed from then on count.
    pub(crate) since: Time,
    /// The number of the period that was counted last.
    pub(crate) period: i64,
    pub(crate) used: Money,
}

/// Why a budget does not allow a lien.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{self:?}")]
pub struct Overspent {
    /// Whose budget is too small.
    pub spender: Spender,
    /// What is left of it in this period.
    pub left: Money,
    /// What is needed.
    pub needed: Money,
}
