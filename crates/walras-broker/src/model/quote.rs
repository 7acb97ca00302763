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
    /// The job that was asked about; accepting makes it a job.
    pub spec: Arc<JobSpec>,
    /// The alternatives.
    pub options: Arc<[QuoteOption]>,
    /// Until when it binds, unless an alternative starts before.
    pub until: Time,
    /// Why there is no alternative, and what would help.
    pub why: Option<Box<Explanation>>,
    /// By alternative: the job that it becomes when it is taken, where sites are asked to hold it meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<JobNumber>,
    /// When it was asked for. Quotes in states that were kept before this was known do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Time>,
}

impl Quote {
    /// Until when an alternative can be taken; it may be past. What has begun cannot. In a queue nothing begins at a time: whoever joins it
    /// later is likely to end as much later, and must not be late by that.
    pub fn option_until(&self, option: &QuoteOption) -> Time {
        if !option.allocation.is_queue() {
            return self.until.min(option.start);
        }
        let spare = |deadline: Time| deadline.span_since(option.finish).unwrap_or(Span::ZERO);
        let joined_by = |asked: Time| asked.checked_add(spare(self.spec.request.deadline?));
        self.asked.and_then(joined_by).map_or(self.until, |last| last.min(self.until))
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
    /// How long it is likely to run, at performance 1.
    pub expected: Span,
    /// The job ends in the time that it asks for with at least this probability.
    pub at_least: Share,
    /// How many jobs that is from.
    pub jobs: u32,
    /// Nine of ten such jobs run no longer, at performance 1; where there are enough of them to say so, and where it is less than the job
    /// asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nine_in_ten: Option<Span>,
    /// How far off such expectations are. Quotes that were given before this was known say nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<RunSpread>,
}

/// How far off an expected run time is, at performance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpread {
    /// Of late, as the root of the mean square.
    pub deviation: Span,
    /// The longest that it could be, by the worst of late.
    pub max: Span,
    /// The mean error of such predictions so far.
    pub error: Span,
}

/// What somebody was shown, and what they took of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The alternatives: when each ends after it was taken, and what it costs.
    pub shown: Vec<(Span, Money)>,
    /// The place of the one that was taken; the others were declined.
    pub taken: u32,
}

impl Quote {
    /// What is known of its user when one of several alternatives is taken.
    pub(crate) fn chosen(&self, option: u32, at: Time) -> Option<Chosen> {
        let several = self.options.len() > 1 && (option as usize) < self.options.len();
        let shown = |it: &QuoteOption| (it.finish.span_since(at).unwrap_or(Span::ZERO), it.price);
        several.then(|| Chosen { shown: self.options.iter().map(shown).collect(), taken: option })
    }
}

/// What was found for a quote: alternatives, each with what its user loses by it; without any, why. Nothing about it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// To none of them another is at once no later and no dearer; earliest first.
    pub allocations: Vec<(Allocation, i64)>,
    /// Why there is none.
    pub why: Option<Explanation>,
}
