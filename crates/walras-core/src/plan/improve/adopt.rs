//! A better plan as the pipeline has it: alternatives listed anew, and what is chosen of them.

use super::basis::Basis;
use super::limits::Improvement;
use super::relist;
use super::state::Place;
use crate::plan::{MadeChoice, Proven, choice, negotiation};
use crate::prefer::{Negotiation, Source, WishError, valued};
use crate::search::Alternatives;
use walras_model::window::Window;

/// A better plan, in the terms of the pipeline.
pub(in crate::plan) struct Improved {
    pub(in crate::plan) found: Alternatives,
    pub(in crate::plan) negotiation: Option<Result<Negotiation, WishError>>,
    pub(in crate::plan) made: MadeChoice,
}

/// What a job is given in the end.
pub(super) enum Given {
    Nothing,
    Window(Window),
    Queue(usize),
}

/// What every job is given by its place; `None` when one is no place of its job.
pub(super) fn given(basis: &Basis<'_>, places: &[Place]) -> Option<Vec<Given>> {
    let given = |(job, place): (usize, &Place)| {
        Some(match place {
            Place::Out => Given::Nothing,
            Place::Window(held) => Given::Window(held.window.clone()),
            Place::Queue(at) => Given::Queue(basis.queues[job].get(*at)?.queue),
        })
    };
    places.iter().enumerate().map(given).collect()
}

/// The choice of a plan, on alternatives that are listed anew. `None` when what everybody wants cannot be weighed there.
pub(super) fn adopted(
    basis: &Basis<'_>,
    found: &Alternatives,
    made: &MadeChoice,
    given: &[Given],
    (improvement, proven): (Improvement, Proven),
) -> Option<Improved> {
    let (problem, batch) = (basis.problem, basis.batch);
    let window = |given: &Given| match given {
        Given::Window(window) => Some(window.clone()),
        Given::Nothing | Given::Queue(_) => None,
    };
    let windows: Vec<Option<Window>> = given.iter().map(window).collect();
    let (found, places) = relist::relisted(basis.sold.offers, problem.search, found, &windows)?;
    let negotiation = negotiation::negotiate(problem, batch, &found);
    let options = negotiation::options(batch, &found, negotiation.as_ref());
    let mut picks = Vec::with_capacity(places.len());
    for (given, place) in given.iter().zip(places) {
        picks.push(match given {
            Given::Nothing => None,
            Given::Window(_) => Some(Source::Window(place?)),
            Given::Queue(queue) => Some(Source::Queue(*queue)),
        });
    }
    let chosen = positions(&options, &picks)?;
    let compromise = match &negotiation {
        Some(Ok(negotiation)) => valued(&negotiation.problem, &chosen),
        Some(Err(_)) => return None,
        None => None,
    };
    let over_quota = made.over_quota.iter().copied().filter(|job| picks[job.index()].is_none()).collect();
    let made = MadeChoice {
        totals: choice::totals(&found, &picks),
        picks,
        limits: basis.limits,
        value: improvement.after.value[0],
        proven,
        compromise,
        over_quota,
        improvement: Some(improvement),
        unimproved: None,
    };
    Some(Improved { found, negotiation, made })
}

/// The places of what is picked among each job's options; `None` when something is none of them.
pub(super) fn positions(options: &[Vec<Source>], picks: &[Option<Source>]) -> Option<Vec<Option<usize>>> {
    let position = |(options, pick): (&Vec<Source>, &Option<Source>)| match pick {
        None => Some(None),
        Some(pick) => options.iter().position(|it| it == pick).map(Some),
    };
    options.iter().zip(picks).map(position).collect()
}
