//! Which strategy a workflow has, and what it means for the choice of its window, where the policy has it so.
//!
//! A workflow whose user asks for no strategy gets that of the first of the VO's rules that fits it when it is submitted or quoted: by whose
//! it is, by the hour, by what its budget is for each second of its work. A rule whose strategy needs a deadline or a budget fits only what
//! has one. Time O(rules + tasks).
//!
//! Inside a window a strategy places tasks; which window it is decides more. `asap` and `fastest` look for the window that ends first,
//! `cheapest`, `alap` and `balanced` for the one that costs least. `alap` looks from as late on as the deadline allows even if all tasks had to take turns on the
//! slowest node that fits; a workflow that found nothing there is looked at like any other from then on. Time O(tasks + edges).

use crate::model::job::{JobSearch, JobSpec};
use crate::model::policy::StrategyUse;
use crate::model::state::State;
use crate::model::strategy_rule::{StrategyBy, StrategyRule};
use crate::plan::Remaining;
use std::borrow::Cow;
use walras_core::prefer::Calendar;
use walras_core::refine::Strategy;
use walras_core::{Algorithm, Criterion, SearchConfig};
use walras_model::{Rate, Request, Time};

/// A job with the strategy that the VO's rules give it at a moment, where its user asks for none.
pub(crate) fn given<'a>(state: &State, now: Time, spec: &'a JobSpec) -> Cow<'a, JobSpec> {
    let rules = &state.policy.give_strategies;
    let asks = spec.strategy_by == StrategyBy::Nobody && spec.workflow.is_some();
    if !asks || rules.is_empty() {
        return Cow::Borrowed(spec);
    }
    let group = state.users.get(spec.user.as_str()).and_then(|user| user.user.group.as_deref());
    let first = rules.iter().zip(0..).find(|(rule, _)| fits(rule, spec, group, now, state.policy.calendar));
    let Some((rule, place)) = first else { return Cow::Borrowed(spec) };
    let mut given = spec.clone();
    given.strategy_by = StrategyBy::Rule(place);
    if let Some(workflow) = &mut given.workflow {
        workflow.strategy = rule.strategy;
    }
    Cow::Owned(given)
}

/// Whether a rule speaks of such a job at a moment.
fn fits(rule: &StrategyRule, spec: &JobSpec, group: Option<&str>, now: Time, calendar: Calendar) -> bool {
    let (budget, deadline) = (spec.request.budget, spec.request.deadline);
    // Each element of an array does all of the work, and the budget is for all of them together.
    let elements = spec.array.as_ref().map_or(1, |array| array.count().max(1));
    let seconds_of = |rate: Rate| {
        let work = spec.work_millis().saturating_mul(elements.into());
        i128::from(rate.as_micros_per_second()).saturating_mul(work)
    };
    let has = |least: fn(i128, i128) -> bool, bound: Option<Rate>| {
        let budget = budget.map(|budget| i128::from(budget.as_micros()) * 1_000);
        bound.is_none_or(|bound| budget.is_some_and(|budget| least(budget, seconds_of(bound))))
    };
    rule.who.names(&spec.user, group)
        && rule.hours.is_none_or(|hours| hours.hold(now, calendar))
        && has(|budget, bound| budget >= bound, rule.budget_from)
        && has(|budget, bound| budget < bound, rule.budget_below)
        && (deadline.is_some() || !rule.strategy.needs_deadline())
        && (budget.is_some() || !rule.strategy.needs_budget())
}

/// So many windows are listed for a workflow by its strategy.
const ALTERNATIVES: u32 = 3;

/// The search of a job: its own, or what its strategy asks for.
pub(crate) fn search_of(state: &State, spec: &JobSpec) -> Option<SearchConfig> {
    let by_strategy = || {
        let of = spec.workflow.as_ref().filter(|_| state.policy.strategies == StrategyUse::Windows)?;
        let criterion = match of.strategy {
            Strategy::Asap | Strategy::Fastest => Criterion::Finish,
            Strategy::Cheapest | Strategy::Alap | Strategy::Balanced => Criterion::Cost,
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
