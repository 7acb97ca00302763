//! What everybody makes of what was found.

use super::{BatchProblem, Unstated};
use crate::choose::Limit;
use crate::prefer::{
    Negotiation, NegotiationTerms, Preference, PreferenceError, Source, Stakeholders, WishError,
};
use crate::search::Alternatives;
use std::borrow::Cow;
use walras_model::request::Batch;

/// What everybody wants, where anybody is asked: by satisfaction everybody is, also those who said nothing.
pub(super) fn stakeholders<'a>(problem: &BatchProblem<'a>, batch: &Batch) -> Option<Cow<'a, Stakeholders>> {
    let plain = || Cow::Owned(Stakeholders::plain(problem.offers, batch));
    problem.stakeholders.map(Cow::Borrowed).or_else(|| problem.by_satisfaction().then(plain))
}

/// What there is to agree on; `None` where nobody is asked.
pub(super) fn negotiate(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    found: &Alternatives,
) -> Option<Result<Negotiation, WishError>> {
    let mut stakeholders = stakeholders(problem, batch)?;
    // Tasks of workflows need nodes and times of their own, which no queue gives.
    let windows_only: Vec<bool> = problem.jobs.iter().map(|job| job.workflow.is_some()).collect();
    let mut terms = NegotiationTerms { windows_only: &windows_only, ..NegotiationTerms::default() };
    if problem.by_satisfaction() {
        // What the administrator limits holds for a compromise as for every other choice.
        if let Limit::Given(money) = problem.policy.budget_limit {
            terms.budget_max = Some(money);
        }
        if let Limit::Given(span) = problem.policy.time_limit {
            terms.time_max = Some(span);
        }
    }
    loop {
        let error = match stakeholders.negotiate(problem.offers, batch, found, &terms) {
            Ok(negotiation) => return Some(Ok(negotiation)),
            Err(error) => error,
        };
        match &error {
            WishError::Job(name, why) if problem.unstated != Unstated::Refuse => {
                let place = batch.requests().iter().position(|request| request.name == *name);
                let preference = place.map(|place| &mut stakeholders.to_mut().jobs[place].preference);
                match preference.filter(|it| **it != Preference::plain()) {
                    Some(preference) => *preference = others(preference, why, problem.unstated),
                    None => return Some(Err(error)),
                }
            }
            _ => return Some(Err(error)),
        }
    }
}

/// What is left of what a job wants, where nothing is said of some of it.
fn others(preference: &Preference, why: &PreferenceError, unstated: Unstated) -> Preference {
    let left = match why {
        PreferenceError::Missing(criterion) if unstated == Unstated::LeaveOut => {
            preference.without(criterion)
        }
        _ => None,
    };
    left.unwrap_or_else(Preference::plain)
}

/// By job: what it may be given. Without a negotiation, all windows; nothing when it failed.
pub(super) fn options<'a>(
    batch: &Batch,
    found: &Alternatives,
    negotiation: Option<&'a Result<Negotiation, WishError>>,
) -> Cow<'a, [Vec<Source>]> {
    match negotiation {
        Some(Ok(negotiation)) => Cow::Borrowed(&negotiation.sources),
        Some(Err(_)) => Cow::Owned(vec![Vec::new(); batch.requests().len()]),
        None => {
            let mut options = vec![Vec::new(); batch.requests().len()];
            for (place, alternative) in found.found.iter().enumerate() {
                options[alternative.job.index()].push(Source::Window(place));
            }
            Cow::Owned(options)
        }
    }
}
