//! What a workflow's strategy means for the choice of its window, where the policy has it so.
//!
//! Inside a window a strategy places tasks; which window it is decides more. `asap` and `fastest` look for the window that ends first,
//! `cheapest` for the one that costs least. `alap` looks from as late on as the deadline allows even if all tasks had to take turns on the
//! slowest node that fits; a workflow that found nothing there is looked at like any other from then on. Time O(tasks + edges).

use crate::model::job::{JobSearch, JobSpec};
use crate::model::policy::StrategyUse;
use crate::model::state::State;
use crate::plan::Remaining;
use walras_core::refine::Strategy;
use walras_core::{Algorithm, Criterion, SearchConfig};
use walras_model::{Request, Time};

/// So many windows are listed for a workflow by its strategy.
const ALTERNATIVES: u32 = 3;

/// The search of a job: its own, or what its strategy asks for.
pub(crate) fn search_of(state: &State, spec: &JobSpec) -> Option<SearchConfig> {
    let by_strategy = || {
        let of = spec.workflow.as_ref().filter(|_| state.policy.strategies == StrategyUse::Windows)?;
        let criterion = match of.strategy {
            Strategy::Asap | Strategy::Fastest => Criterion::Finish,
            Strategy::Cheapest => Criterion::Cost,
            Strategy::Alap | Strategy::Balanced => return None,
        };
        Some(JobSearch { algorithm: Algorithm::Criterion(criterion), alternatives: ALTERNATIVES })
    };
    let search = spec.search.clone().or_else(by_strategy)?;
    Some(search.config(&state.policy.search))
}

/// Before when a workflow is not looked for, by its strategy: `alap` starts late. `missed` says that it has found nothing there before.
pub(crate) fn earliest(
    state: &State,
    request: &Request,
    remaining: Option<&Remaining>,
    missed: bool,
) -> Option<Time> {
    let of = remaining.filter(|of| of.strategy == Strategy::Alap && !missed);
    let (of, deadline) =
        of.filter(|_| state.policy.strategies == StrategyUse::Windows).zip(request.deadline)?;
    let network = state.network();
    let tasks = of.workflow.tasks().iter().filter_map(|task| task.work);
    let work: i128 = tasks.map(|work| work.millis_on(request.performance_min)).sum();
    let slowest = |data| network.within_site.time_for(data).max(network.between_sites.time_for(data));
    let moves = of.workflow.edges().iter().filter_map(|edge| slowest(edge.data));
    let moves: i128 = moves.map(|span| i128::from(span.as_millis())).sum();
    let late = i128::from(deadline.as_millis()) - work - moves - i128::from(state.policy.lead.as_millis());
    let late = i64::try_from(late).ok().and_then(Time::from_millis)?;
    Some(request.earliest.map_or(late, |earliest| earliest.max(late)))
}
