//! Rules for quotes, as policy files have them.

use super::setting::{set, share, span};
use crate::described::JsonSchema;
use crate::error::Problem;
use crate::number::Num;
use serde::{Deserialize, Serialize};
use walras_broker::policy::{Policy, QuotePolicy};
use walras_model::{Share, Span};

/// Rules for quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "QuoteRules")]
pub struct QuotesFile {
    /// How long a quote binds.
    pub valid_for: Option<Num>,
    /// At most so many alternatives.
    pub options_max: Option<u32>,
    /// What a quote that cannot be honoured is worth to its user, as a share of its price.
    pub compensation: Option<Num>,
    /// Offers older than this are not quoted from.
    pub offers_age_max: Option<Num>,
    /// So many quotes of one user are held by sites at a time.
    pub held_max: Option<u32>,
    /// What an alternative that was held and not taken costs its user, as a share of its price.
    pub hold_fee: Option<Num>,
    /// What is quoted starts no earlier than this after it was asked for, so that there is time to take it.
    pub lead: Option<Num>,
}

impl QuotesFile {
    /// As it is set.
    pub(super) fn of(quotes: &QuotePolicy) -> QuotesFile {
        let seconds = |span: Span| Some(Num::of_span(span));
        let share = |share: Share| Some(Num::of_millionths(share.as_millionths()));
        QuotesFile {
            valid_for: seconds(quotes.valid_for),
            options_max: Some(quotes.options_max),
            compensation: share(quotes.compensation),
            offers_age_max: seconds(quotes.offers_age_max),
            held_max: Some(quotes.held_max),
            hold_fee: share(quotes.hold_fee),
            lead: seconds(quotes.lead),
        }
    }

    pub(super) fn change(&self, policy: &mut Policy) -> Result<(), Problem> {
        span(&mut policy.quotes.valid_for, self.valid_for.as_ref(), "valid_for")?;
        span(&mut policy.quotes.lead, self.lead.as_ref(), "lead")?;
        span(&mut policy.quotes.offers_age_max, self.offers_age_max.as_ref(), "offers_age_max")?;
        set(&mut policy.quotes.options_max, self.options_max);
        set(&mut policy.quotes.held_max, self.held_max);
        share(&mut policy.quotes.hold_fee, self.hold_fee.as_ref(), "hold_fee")?;
        share(&mut policy.quotes.compensation, self.compensation.as_ref(), "compensation")
    }
}
