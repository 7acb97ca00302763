//! Answering a request for a quote: with what was found before, as far as it can be had, or by searching now.

use super::Draft;
use super::reserve::stands;
use crate::model::input::Refusal;
use crate::model::job::JobSpec;
use crate::model::quote::{Findings, QuoteOption};
use crate::rules::check::Prices;
use crate::rules::predicting::confidence;
use crate::rules::quoting::{Inquiry, option, wanted};
use walras_model::{Explanation, Span};

/// What a job would cost, and when it would run.
pub(super) struct Found {
    pub(super) options: Vec<QuoteOption>,
    pub(super) why: Option<Explanation>,
}

/// What of the findings can be had now; searches where there are none, and refuses where none of them stands any more.
pub(super) fn find(
    draft: &mut Draft<'_>,
    spec: &JobSpec,
    findings: Option<&Findings>,
    hold: Option<Span>,
) -> Result<Found, Refusal> {
    let (state, now) = (draft.before, draft.now);
    let wanted = wanted(state, now, spec);
    let confidence = confidence(state, spec);
    let Findings { allocations, why } = match findings {
        Some(findings) => {
            let mut allocations = findings.allocations.clone();
            allocations.retain(|(it, _)| stands(draft, &wanted, it, Prices::AsNow).is_ok());
            if allocations.is_empty() && (!findings.allocations.is_empty() || findings.why.is_none()) {
                return Err(Refusal::Outdated);
            }
            Findings { allocations, why: findings.why.clone() }
        }
        None => Inquiry::new(state, now, spec, hold)?.map_or_else(Findings::unexamined, |it| it.search()),
    };
    let options: Vec<QuoteOption> =
        allocations.into_iter().map(|(it, loss)| option(it, loss, confidence)).collect();
    let why = if options.is_empty() { why } else { None };
    Ok(Found { options, why })
}
