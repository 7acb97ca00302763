//! How far a plan of windows that may move is from what no plan could beat, beside the plan.
//!
//! Nobody waits for it: it follows from what the plan was made of and from the plan, and may be worked out whenever there is time. What is compared is everybody whom the
//! agenda plans, within what they were promised before this plan; who is new is bound by what its request says. Workflows, places in queues, whoever
//! is reserved at once and whoever is planned behind others are left out.

use super::{PlanningAgenda, PlanningProblem};
use crate::model::decision::{Decision, LossBound, PlanBound};
use crate::model::id::JobNumber;
use crate::model::job::Planned;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::agenda::{Terms, Worth};
use walras_core::clearing::{ClearingLimits, PlannedBound, PlannedWant, bound_of_planned};
use walras_model::{Money, Offers, Request, Span};

/// So many of those who wait are asked, by when they are planned.
const JOBS_MAX: usize = 200;
/// And fewer where there are more jobs × slots than this.
const SEATS_MAX: usize = 1 << 20;
/// Nobody waits: so many times as many searches as are allowed beside a plan that is waited for.
const PATIENCE: u64 = 8;
/// So many places are looked at, for every search.
const LOOKS_OF_A_SEARCH: u64 = 2_000;

/// What no plan can beat of the jobs that this one gives windows that may move; `None` where it gives none, the policy allows no searches, or nodes are
/// sold in units.
pub(crate) fn bound(problem: &PlanningProblem, decision: &Decision) -> Option<PlanBound> {
    let agenda = problem.agenda.as_deref()?;
    let searches_max = problem.policy.bound_searches_max.saturating_mul(PATIENCE);
    if searches_max == 0 || problem.offers.is_divided() {
        return None;
    }
    let mut jobs = planned(problem, agenda, decision);
    jobs.sort_by_key(|job| job.window.start);
    let slots = problem.offers.slots().len().max(1);
    let most = JOBS_MAX.min(SEATS_MAX.checked_div(slots).unwrap_or(0));
    let others: Vec<&Request> = if jobs.len() <= most { unplanned(problem, decision) } else { Vec::new() };
    let others = others.get(..most.saturating_sub(jobs.len()).min(others.len())).unwrap_or_default();
    jobs.truncate(most);
    let wants: Vec<PlannedWant<'_>> = jobs.iter().map(Wanted::as_want).collect();
    let looks_max = searches_max.saturating_mul(LOOKS_OF_A_SEARCH);
    let limits =
        ClearingLimits { searches_max, looks_max, moves_max: looks_max, ..ClearingLimits::default() };
    plan_bound(&bound_of_planned(&problem.offers, &wants, others, &limits)?)
}

/// In the broker's terms; `None` beyond the range of money.
fn plan_bound(bound: &PlannedBound) -> Option<PlanBound> {
    let money = |micros: i128| i64::try_from(micros).ok().map(Money::from_micros);
    Some(PlanBound {
        jobs: u32::try_from(bound.served).ok()?,
        cost: money(bound.cost)?,
        cost_least: money(bound.cost_least)?,
        jobs_most: u32::try_from(bound.served_most).ok()?,
        searches: bound.searches,
        limit_hit: bound.limit_hit,
        loss: Some(LossBound { loss: money(bound.loss)?, loss_least: money(bound.loss_least)? }),
    })
}

/// A job with a window in the plan.
struct Wanted {
    request: Request,
    window: Terms,
    worth: Worth,
}

impl Wanted {
    fn as_want(&self) -> PlannedWant<'_> {
        PlannedWant { request: &self.request, window: self.window, worth: self.worth }
    }
}

/// Everybody whom the agenda has planned.
fn planned(problem: &PlanningProblem, agenda: &PlanningAgenda, decision: &Decision) -> Vec<Wanted> {
    let new: BTreeMap<JobNumber, &Planned> = decision.planned.iter().map(|it| (it.job, &it.plan)).collect();
    let renewed = decision.planned.iter().filter(|it| it.renewed).map(|it| it.job);
    let renewed: BTreeSet<JobNumber> = renewed.collect();
    let mut jobs = Vec::with_capacity(agenda.planned.len() + new.len());
    for known in &agenda.planned {
        let window = match new.get(&known.number) {
            Some(plan) => terms(&problem.offers, &known.request, plan),
            None => known.window.as_deref().map(Terms::of),
        };
        let Some(window) = window else { continue };
        let mut request = known.request.clone();
        if !renewed.contains(&known.number) {
            request.deadline = Some(known.promise.finish);
        }
        jobs.push(Wanted { request, window, worth: known.worth });
    }
    for job in &problem.jobs {
        let plan = new.get(&job.number).and_then(|plan| terms(&problem.offers, &job.request, plan));
        if let Some(window) = plan {
            jobs.push(Wanted {
                request: job.request.clone(),
                window,
                worth: agenda.terms_of(job.number).worth,
            });
        }
    }
    for job in &mut jobs {
        // Who is run although it is late has no deadline any more.
        job.request.deadline = job.request.deadline.filter(|deadline| job.window.finish <= *deadline);
    }
    jobs
}

/// Who could have had a window that may move, and has nothing.
fn unplanned<'a>(problem: &'a PlanningProblem, decision: &Decision) -> Vec<&'a Request> {
    let planned = decision.planned.iter().map(|it| it.job);
    let has: BTreeSet<JobNumber> = planned.chain(decision.chosen.iter().map(|it| it.job)).collect();
    let left = problem.jobs.iter().filter(|job| !has.contains(&job.number));
    left.filter(|job| job.workflow.is_none() && job.search.is_none()).map(|job| &job.request).collect()
}

/// A window as its user sees it.
fn terms(offers: &Offers, request: &Request, plan: &Planned) -> Option<Terms> {
    let (mut longest, mut cost) = (Span::ZERO, Money::ZERO);
    for (node, rate) in &plan.places {
        let span = request.work.runtime_on(offers.nodes().get(node.index())?.performance)?;
        longest = longest.max(span);
        cost = cost.checked_add(rate.cost_of(span)?)?;
    }
    Some(Terms { start: plan.start, finish: plan.start.checked_add(longest)?, cost })
}
