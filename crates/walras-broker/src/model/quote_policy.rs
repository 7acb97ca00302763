//! What binds in quotes, for how long, and what it costs.

use serde::{Deserialize, Serialize};
use walras_model::{Share, Span};

/// Rules for quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotePolicy {
    /// How long a quote binds.
    pub valid_for: Span,
    /// At most so many alternatives.
    pub options_max: u32,
    /// What a quote that cannot be honoured is worth to its user, as a share of its price.
    pub compensation: Share,
    /// Offers are asked for again when they are this old; those of twice that age are not quoted from.
    pub offers_age_max: Span,
    /// So many quotes of one user are held by sites at a time. Policies that were set before quotes could be held allow none.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub held_max: u32,
    /// What an alternative that was held and not taken costs its user, as a share of its price.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub hold_fee: Share,
    /// What is quoted starts no earlier than this after it was asked for, so that there is time to read it and take it; sooner only where nothing
    /// else can be had. Policies that were set before this was known leave no time.
    #[serde(default = "no_time", skip_serializing_if = "is_no_time")]
    pub lead: Span,
}

fn no_time() -> Span {
    Span::ZERO
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_no_time(span: &Span) -> bool {
    *span == Span::ZERO
}

fn nothing() -> Share {
    Share::NOTHING
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_nothing(share: &Share) -> bool {
    *share == Share::NOTHING
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_none_of_them(count: &u32) -> bool {
    *count == 0
}
