//! Quotes: alternatives with prices that bind for a while.

use super::allocation::Allocation;
use super::id::JobNumber;
use super::job::JobSpec;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_model::{Explanation, Money, Share, SiteId, Span, Time};

/// A quote that binds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// For what.
    pub spec: Arc<JobSpec>,
    /// The alternatives.
    pub options: Arc<[QuoteOption]>,
    /// Until when.
    pub until: Time,
    /// Why there is no alternative, and what would help.
    pub why: Option<Box<Explanation>>,
    /// By alternative: the job that it becomes when it is taken, where sites are asked to hold it meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<JobNumber>,
}

impl Quote {
    /// Until when an alternative can be taken; it may be past. What has begun cannot, and in a queue nothing begins at a time.
    pub fn option_until(&self, option: &QuoteOption) -> Time {
        if option.allocation.is_queue() { self.until } else { self.until.min(option.start) }
    }
}

/// One of a quote's alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteOption {
    /// When it starts; only expected, in a queue.
    pub start: Time,
    /// When it has ended.
    pub finish: Time,
    /// What it costs at most.
    pub price: Money,
    /// Where it runs.
    pub sites: Vec<SiteId>,
    /// How well it suits the user.
    pub satisfaction: Share,
    /// How sure it is that the job ends in the time that it asks for.
    pub confidence: Option<Confidence>,
    /// What would be reserved.
    pub allocation: Allocation,
}

/// What history says of a job's run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// How long jobs like it took, at performance 1.
    pub expected: Span,
    /// The job ends in the time that it asks for with at least this probability (Cantelli's inequality).
    pub at_least: Share,
    /// How many jobs that is from.
    pub jobs: u32,
}

/// What was found for a quote: alternatives, each with what its user loses by it; without any, why. Nothing about it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// To none of them another is at once no later and no dearer; earliest first.
    pub allocations: Vec<(Allocation, i64)>,
    /// Why there is none.
    pub why: Option<Explanation>,
}
