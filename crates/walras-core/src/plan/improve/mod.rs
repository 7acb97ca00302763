//! The second stage of planning: what two phases found, improved by search.
//!
//! **Problem.** Two phases (list windows that do not overlap, then choose among them) lose what no listed window can give: the
//! windows of one job stand in the way of another's. Given a choice, find a better one in bounded work: first serve more, then a
//! better value by the VO's objective, with windows that nobody listed.
//!
//! **Method.** An exact search for one job on what the others leave ([`single`]) is used thousands of times.
//!
//! 1. The two-phase choice is taken over, and held against list scheduling ([`list`]); the better one is where it starts.
//! 2. Sums are improved by large-neighbourhood search ([`neighbours`]); the makespan by a target that is lowered ([`makespan`]).
//! 3. The best ever seen is held against the two-phase choice: what is not better is not taken. So no plan is worse than before.
//! 4. Jobs that could end earlier at no loss are moved forward ([`earlier`]).
//! 5. Alternatives are listed anew ([`relist`]), since they never overlap.
//!
//! A window must keep all that the search for alternatives keeps (requirements, price caps or budgets, deadlines, sites) and all
//! that the choice keeps (T* and B* as they were, owners' hours and quotas, the units of queues); a workflow's must hold its tasks.
//! Satisfaction is no sum: there windows are gathered by several sums, and everybody agrees on some of them ([`content`]). What was
//! given out on the fly is improved like any other choice, and everybody keeps one window.
//!
//! Where nodes are sold in units, jobs are searched on lanes of them, and windows take units ([`ground`]).
//!
//! **What is known.** Nothing is proven best by the search. Where everybody who could be served alone is served, the sum of what
//! each would come to alone bounds every plan ([`bound`]).
//!
//! **Complexity.** Bounded by [`ImproveLimits`]: in searches for one job, and in slots read. The same seed gives the same plan.
//!
//! Source: list scheduling and large-neighbourhood search (Shaw 1998) with the windows of Toporkov et al.

mod adopt;
mod aim;
mod basis;
mod best;
mod bound;
mod content;
mod dearest;
mod earlier;
mod exclusion;
mod free;
mod ground;
mod limits;
mod list;
mod makespan;
mod neighbours;
mod ranks;
mod relist;
mod single;
mod sold;
mod state;
#[cfg(test)]
mod tests;

pub use limits::{ImproveLimits, Improvement, PlanScheme, Standing, Unimproved};

use super::{BatchProblem, MadeChoice, Proven};
use crate::choose::Objective;
use crate::prefer::{Negotiation, Source};
use crate::search::Alternatives;
pub(super) use adopt::Improved;
use adopt::{adopted, given};
use aim::Aim;
use basis::Basis;
use best::Best;
use bound::Alone;
pub(super) use sold::Sold;
use state::{Effort, Place, State};
use walras_model::request::Batch;
use walras_random::Draws;

/// Why a choice is not even tried to be improved.
pub(super) fn unimproved(sold: &Sold<'_>, batch: &Batch) -> Option<Unimproved> {
    sold.is_too_large(batch).then_some(Unimproved::TooLarge)
}

/// Improves a choice. What became of it is noted in the choice; where it is better, all that follows from that is given.
pub(super) fn improve(
    (problem, sold): (&BatchProblem<'_>, &Sold<'_>),
    batch: &Batch,
    found: &Alternatives,
    negotiation: Option<&Negotiation>,
    options: &[Vec<Source>],
    made: &mut MadeChoice,
) -> Option<Improved> {
    if problem.policy.objective == Objective::Satisfaction {
        return content::improve((problem, sold), batch, found, negotiation?, made);
    }
    let aim = Aim::of(&problem.policy.objective)?;
    let mut basis = Basis::new((problem, sold), batch, options, negotiation, made.limits, aim);
    basis.limits = bound::with_unlisted(&basis, options);
    let (best, improvement, moved) = searched(&basis, found, &made.picks)?;
    made.improvement = Some(improvement);
    if improvement.after == improvement.before && !moved {
        return None;
    }
    let given = given(&basis, &best.places);
    let proven = proven(&improvement, best.is_settled());
    let better = given.and_then(|given| adopted(&basis, found, made, &given, (improvement, proven)));
    if better.is_none() {
        made.improvement = Some(Improvement { after: improvement.before, bound: None, ..improvement });
    }
    better
}

/// The best plan that the search sees, what became of it, and whether jobs were moved forward in the end; `None` when what was chosen cannot be taken over.
fn searched<'a>(
    basis: &'a Basis<'a>,
    found: &Alternatives,
    picks: &[Option<Source>],
) -> Option<(Best, Improvement, bool)> {
    let limits = &basis.problem.limits.improve;
    let mut effort = Effort::new(limits, basis.jobs());
    let alone = Alone::new(basis, &mut effort);
    let mut state = State::new(basis, effort);
    state.take_over(&found.found, picks)?;
    let before = state.standing();
    let single = basis.aim.is_single() && !basis.by_makespan();
    let floor = alone.as_ref().filter(|_| single).map(|alone| alone.floor(basis));
    let mut best = Best { standing: before, places: state.places.clone(), floor };
    let mut draws = Draws::new(limits.seed);
    if !best.is_settled() {
        if basis.by_makespan() {
            let bound = alone.as_ref().map_or(i64::MIN, Alone::last_end);
            makespan::least(&mut state, &mut best, bound, &mut draws);
        } else {
            list::starts(&mut state, &mut best);
            let all = state.effort.searches_max;
            neighbours::search(&mut state, &mut best, &mut draws, i64::MAX, all);
        }
    }
    let limit_hit = state.effort.spent();
    let moved = earlier::move_earlier(&mut state, &mut best);
    let served = |job: usize| !matches!(best.places[job], Place::Out);
    let improvement = Improvement {
        before,
        after: best.standing,
        searches: state.effort.searches,
        limit_hit,
        bound: alone.and_then(|alone| alone.bound(basis, served)),
    };
    Some((best, improvement, moved))
}

fn proven(improvement: &Improvement, settled: bool) -> Proven {
    match improvement.bound {
        Some(_) if settled => Proven::Best,
        Some(bound) => Proven::Within(bound),
        None => Proven::Nothing,
    }
}
