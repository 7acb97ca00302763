//! What can be wrong with a policy.

use serde::{Deserialize, Serialize};
use walras_model::Span;

/// What is wrong with a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{self:?}")]
#[serde(rename_all = "kebab-case")]
pub enum BadPolicy {
    /// A span must be longer than nothing.
    NoLength(PolicyField),
    /// The lead is shorter than preparing and confirming may take: a window could start before it is held.
    LeadTooShort {
        /// The lead.
        lead: Span,
        /// How long preparing may take.
        prepare_within: Span,
        /// How long confirming may take.
        confirm_within: Span,
    },
    /// The lead is not shorter than the horizon.
    LeadTooLong {
        /// The lead.
        lead: Span,
        /// The horizon.
        horizon: Span,
    },
    /// A share is not between 0 and a million millionths.
    NotAShare {
        /// The field of the policy that has the share.
        field: PolicyField,
        /// What it is, in millionths.
        millionths: i64,
    },
    /// A weight is not between its least and a million.
    BadWeight {
        /// The field of the policy that has the weight.
        field: PolicyField,
        /// What it is.
        weight: i64,
        /// The least that it may be.
        least: i64,
    },
    /// A count must be at least 1.
    NoneAllowed(PolicyField),
}

/// A field of a policy that has a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyField {
    /// [`Policy::cycle_every`](super::policy::Policy::cycle_every).
    CycleEvery,
    /// [`Policy::horizon`](super::policy::Policy::horizon).
    Horizon,
    /// [`Policy::overdue_after`](super::policy::Policy::overdue_after).
    OverdueAfter,
    /// [`Policy::batch_max`](super::policy::Policy::batch_max).
    BatchMax,
    /// [`MoneyPolicy::fee`](super::policy::MoneyPolicy::fee).
    Fee,
    /// [`MoneyPolicy::early_refund`](super::policy::MoneyPolicy::early_refund).
    EarlyRefund,
    /// [`MoneyPolicy::compensation`](super::policy::MoneyPolicy::compensation).
    Compensation,
    /// [`QuotePolicy::compensation`](super::policy::QuotePolicy::compensation).
    QuoteCompensation,
    /// [`QuotePolicy::options_max`](super::policy::QuotePolicy::options_max).
    OptionsMax,
    /// [`walras_core::SearchLimits::alternatives_per_job_max`].
    AlternativesMax,
    /// [`RankWeights::price`](super::policy::RankWeights::price).
    RankPrice,
    /// [`RankWeights::deadline`](super::policy::RankWeights::deadline).
    RankDeadline,
    /// [`RankWeights::attempts`](super::policy::RankWeights::attempts).
    RankAttempts,
    /// [`RankWeights::waiting`](super::policy::RankWeights::waiting).
    RankWaiting,
    /// [`RankWeights::priority`](super::policy::RankWeights::priority).
    RankPriority,
    /// [`RankWeights::fair_share`](super::policy::RankWeights::fair_share).
    RankFairShare,
    /// [`SharePolicy::half_life`](super::sharing::SharePolicy::half_life).
    HalfLife,
    /// [`SharePolicy::ahead`](super::sharing::SharePolicy::ahead).
    SharedAhead,
    /// [`SharePolicy::rest_max`](super::sharing::SharePolicy::rest_max).
    RestMax,
}
