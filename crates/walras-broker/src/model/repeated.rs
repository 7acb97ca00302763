//! Requests that may be repeated: what was answered, and what had been asked.

use super::id::QuoteNumber;
use super::input::Answer;
use serde::{Deserialize, Serialize};
use walras_model::Time;

/// A request that may be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// What it was answered with.
    pub answer: Answer,
    /// When it was answered; the policy says for how long that is remembered.
    pub at: Time,
    /// What was asked; what was remembered before that was kept does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// What was asked, so that another request under the same key is told from the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// A job, or a quote for one: the digest of what was submitted.
    Job(u64),
    /// One of a quote's alternatives.
    Accept {
        /// The quote, by its number.
        quote: QuoteNumber,
        /// The alternative, by its place from 0 on.
        option: u32,
    },
}
