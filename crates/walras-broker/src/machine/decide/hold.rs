//! Quotes that sites hold while they are open: each alternative is reserved like a job, and is one when it is taken.
//!
//! **Problem.** A quote that nobody holds can be taken away by somebody else before it is accepted.
//!
//! **Method.** Every alternative gets the number of the job that it would become, and is asked of its sites in two phases as ever, with its
//! price held on the user's account. It starts after the quote ends, so that nothing of it is ever sent to a site before it is taken. When
//! one is taken, its reservation stays as it is; the others, and all of them when the quote ends, are given back, and their owners get the
//! policy's fee for what they held. An alternative that a site does not hold any more is withdrawn; whoever takes it then is served as by a
//! quote that nobody holds.
//!
//! **Complexity.** That of a reservation for each alternative.

use super::draft::Draft;
use super::failover::close;
use super::reserve::{Terms, reserve};
use crate::model::event::JobEvent;
use crate::model::id::{JobNumber, QuoteNumber, ReservationNumber};
use crate::model::input::Refusal;
use crate::model::job::{JobSpec, Phase, Why};
use crate::model::limits::JOBS_MAX;
use crate::model::quote::{Quote, QuoteOption};
use crate::model::refusal::Countable;
use crate::model::reservation::Origin;
use crate::model::sharing::Tally;
use crate::model::state::State;
use crate::rules::check::Prices;
use crate::rules::limiting::check_limits;
use crate::rules::wanted::Wanted;
use std::sync::Arc;
use walras_model::{Money, Span, Time};

/// Whether a user may have a quote held for so long.
pub(super) fn check(state: &State, user: &str, hold: Span) -> Result<(), Refusal> {
    let rules = &state.policy.quotes;
    if hold == Span::ZERO || hold > rules.valid_for {
        return Err(Refusal::BadHold { asked: hold, most: rules.valid_for });
    }
    let own = state.quotes.values().filter(|quote| !quote.holds.is_empty() && quote.spec.user == user);
    let most = rules.held_max as usize;
    if own.count() >= most {
        return Err(Refusal::TooMany { what: Countable::HeldQuotes, most });
    }
    Ok(())
}

/// Asks sites to hold the alternatives until the quote ends. Gives those that can be held side by side and be paid, with their jobs; refuses
/// where there are some, and none of them can.
pub(super) fn ask(
    draft: &mut Draft<'_>,
    quote: QuoteNumber,
    spec: &Arc<JobSpec>,
    options: Vec<QuoteOption>,
    until: Time,
) -> Result<(Vec<QuoteOption>, Vec<JobNumber>), Refusal> {
    let (mut held, mut jobs, mut first) = (Vec::new(), Vec::new(), None);
    for option in options {
        match ask_one(draft, quote, spec, &option, until) {
            Ok(job) => {
                held.push(option);
                jobs.push(job);
            }
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    match first {
        Some(refusal) if held.is_empty() => Err(refusal),
        Some(_) | None => Ok((held, jobs)),
    }
}

fn ask_one(
    draft: &mut Draft<'_>,
    quote: QuoteNumber,
    spec: &Arc<JobSpec>,
    option: &QuoteOption,
    until: Time,
) -> Result<JobNumber, Refusal> {
    if option.allocation.is_queue() || option.start < until {
        return Err(Refusal::Outdated);
    }
    let state = draft.state();
    if state.jobs.len() >= JOBS_MAX {
        return Err(Refusal::TooMany { what: Countable::Jobs, most: JOBS_MAX });
    }
    check_limits(state, &spec.user, Tally::of_job(spec))?;
    let job = state.last.job.next();
    let wanted = Wanted::new(state, job, spec, &Default::default(), Money::ZERO);
    let offered = JobEvent::Offered { job, quote, spec: Arc::clone(spec) };
    let terms = Terms { origin: Origin::Offered(quote), prices: Prices::AsNow, spares: Vec::new() };
    match reserve(draft, &wanted, &option.allocation, terms, vec![offered.into()]) {
        Ok(_) => Ok(job),
        Err(Why::NoMoney(why)) => Err(Refusal::NoMoney(why)),
        Err(Why::OverBudget(why)) => Err(Refusal::OverBudget(why)),
        // It is in the way of another, or something has changed since it was found.
        Err(_) => Err(Refusal::Outdated),
    }
}

/// The job and the reservation of an alternative that sites hold, or are asked to.
pub(super) fn held(state: &State, quote: QuoteNumber, option: u32) -> Option<(JobNumber, ReservationNumber)> {
    let number = *state.quotes.get(&quote)?.holds.get(option as usize)?;
    let job = state.jobs.get(&number).filter(|job| job.offered == Some(quote))?;
    match job.phase {
        Phase::Reserved(reservation) => Some((number, reservation)),
        Phase::Waiting | Phase::Queued | Phase::Planning | Phase::Planned => None,
    }
}

/// Gives back what is held of a quote that ends, but for the alternative that was taken.
pub(super) fn withdraw(draft: &mut Draft<'_>, number: QuoteNumber, quote: &Quote, taken: Option<JobNumber>) {
    let offered = |draft: &Draft<'_>, job: &JobNumber| {
        draft.before.jobs.get(job).filter(|job| job.offered == Some(number)).map(|job| job.phase)
    };
    for job in quote.holds.iter().filter(|job| Some(**job) != taken) {
        let Some(phase) = offered(draft, job) else { continue };
        if let Phase::Reserved(reservation) = phase {
            close(draft, reservation, Some(Why::NotTaken), None);
        }
        draft.push(JobEvent::Withdrawn(*job));
    }
}
