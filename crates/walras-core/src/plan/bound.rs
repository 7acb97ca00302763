//! What no plan can be below, whatever windows it uses.
//!
//! **Problem.** A choice is best among the alternatives that were listed. How far can it be from the best of *all* plans
//! that serve the same jobs?
//!
//! **Method.** Each job served, alone on everything that is free: no plan gives it a cheaper window than its cheapest, nor
//! one that ends before the first to end. The sum of the first, and the latest of the second, bound the total cost and the
//! last end of every plan. Jobs that are in each other's way make the bound loose, never wrong. Workflows could run in
//! windows of many sizes, and queues guarantee nothing: with one of them among those served, nothing is said.
//!
//! **Complexity.** One scan for each job, at most [`SLOTS_READ_MAX`] slots in all; beyond that nothing is said.

use super::{BatchChoice, BatchPlan, BatchProblem};
use crate::choose::Objective;
use crate::prefer::Source;
use crate::search::{Criterion, View, best_by};
use crate::slots::SlotList;
use walras_model::quantity::rounding;

/// After so many slots the bound is given up.
const SLOTS_READ_MAX: u64 = 20_000_000;

/// How far a choice can be above every plan for the same jobs, in millionths of the least, rounded up; `None` where that is
/// not known.
///
/// Known for least cost and least makespan; makespans are counted from the beginning of the horizon.
pub fn above_any_plan(problem: &BatchProblem<'_>, plan: &BatchPlan) -> Option<i128> {
    let BatchChoice::Made(made) = &plan.choice else { return None };
    let criterion = match problem.policy.objective {
        Objective::MinCost => Criterion::Cost,
        Objective::MinMakespan => Criterion::Finish,
        _ => return None,
    };
    // The searches below know nodes that are sold whole.
    if problem.offers.is_divided() {
        return None;
    }
    let list = SlotList::from_offers(problem.offers);
    let origin = problem.offers.horizon().start();
    let (mut reached, mut least, mut slots_read) = (0_i128, 0_i128, 0_u64);
    for (job, source) in made.picks.iter().enumerate() {
        let Some(source) = source else { continue };
        let Source::Window(place) = source else { return None };
        if problem.job(job).workflow.is_some() || slots_read > SLOTS_READ_MAX {
            return None;
        }
        let request = plan.batch.requests().get(job)?;
        let search = problem.search_of(job);
        let view = View::new(problem.offers, request, &search.algorithm, search.budget_factor);
        let best = best_by(&list, problem.offers, &view, &criterion, &mut slots_read)?;
        let chosen = &plan.found.found.get(*place)?.window;
        if criterion == Criterion::Cost {
            reached += i128::from(chosen.cost().as_micros());
            least += i128::from(best.cost().as_micros());
        } else {
            reached = reached.max(i128::from(chosen.end() - origin));
            least = least.max(i128::from(best.end() - origin));
        }
    }
    let above = (reached - least).checked_mul(1_000_000)?;
    (least > 0).then(|| rounding::up(above, least))
}
