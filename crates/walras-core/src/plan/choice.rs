//! Choosing for the batch: by an objective that sums, or so that everybody is content.

use super::{BatchProblem, Improvement, QueueUse, Unimproved};
use crate::choose::{
    AppliedLimits, LeaveOut, Menu, MenuItem, MenuJob, NoCombination, Totals, VoPolicy, applied_limits,
    choose_combination, priority_weight,
};
use crate::prefer::{
    Compromise, Negotiation, PreferLimits, Source, WishError, compromise, drop_over_capacity, valued,
};
use crate::search::Alternatives;
use std::cmp::Reverse;
use walras_model::id::JobId;
use walras_model::outcome::Outcome;
use walras_model::quantity::Money;
use walras_model::request::{Batch, Request};

/// How many overdue jobs are weighed before everything else; the others count as much as their priority.
const OVERDUE_MAX: usize = 20;

/// What choosing came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchChoice {
    /// Nothing was to be chosen.
    Unwanted,
    /// A combination.
    Made(Box<MadeChoice>),
    /// There is none.
    None(NoChoice),
}

/// A combination that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeChoice {
    /// For each job of the batch what it is given.
    pub picks: Vec<Option<Source>>,
    /// What the chosen windows come to; queues guarantee nothing and are left out.
    pub totals: Totals,
    /// The limits that were kept.
    pub limits: AppliedLimits,
    /// The objective's value in its own integer unit, less is better; as it was before picks were dropped. Of an improved
    /// choice, the first number of its [`Standing`](super::Standing).
    pub value: i128,
    /// How much of it is proven.
    pub proven: Proven,
    /// What everybody makes of it, where anybody was asked.
    pub compromise: Option<Compromise>,
    /// Jobs whose picks were dropped because an owner's quota or a queue had no room for them.
    pub over_quota: Vec<JobId>,
    /// What came of improving it, where that was tried.
    pub improvement: Option<Improvement>,
    /// Why that was not tried, where the scheme asks for it.
    pub unimproved: Option<Unimproved>,
}

/// What is proven of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proven {
    /// None is better: of the listed alternatives, or, of an improved choice, of all plans.
    Best,
    /// A limit on work was hit; no combination has a lower value than this, or, of an improved choice, no plan that serves as many.
    Within(i128),
    /// Nothing: picks were dropped to keep quotas, which are no part of what the objective sums, or the choice was improved
    /// without a bound.
    Nothing,
}

/// Why there is no choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoChoice {
    /// What somebody wants cannot be weighed; [`super::BatchPlan::negotiation`] says what.
    Wishes,
    /// There is no job.
    NoJobs,
    /// Quotas, the units of queues or limits do not suffice for everybody, and nobody may be left out.
    SomebodyLeftOut,
    /// No combination keeps the limits.
    Combination(NoCombination, AppliedLimits),
}

/// Chooses, unless nothing is to be chosen.
pub(super) fn choose(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    found: &Alternatives,
    negotiation: Option<&Result<Negotiation, WishError>>,
    options: &[Vec<Source>],
) -> BatchChoice {
    if !problem.choose {
        return BatchChoice::Unwanted;
    }
    let Ok(negotiation) = negotiation.map(Result::as_ref).transpose() else {
        return BatchChoice::None(NoChoice::Wishes);
    };
    let made = match negotiation {
        Some(negotiation) if problem.by_satisfaction() => by_satisfaction(problem, found, negotiation),
        _ => by_objective(problem, batch, found, negotiation, options),
    };
    match made {
        Ok(made) => BatchChoice::Made(Box::new(made)),
        Err(reason) => BatchChoice::None(*reason),
    }
}

/// Where nobody may be left out, nothing is chosen once somebody is who has something to choose from: quotas may do that.
pub(super) fn of_all(policy: &VoPolicy, options: &[Vec<Source>], choice: BatchChoice) -> BatchChoice {
    let leaves_out = |made: &MadeChoice| {
        let mut all = made.picks.iter().zip(options);
        all.any(|(pick, options)| pick.is_none() && !options.is_empty())
    };
    match choice {
        BatchChoice::Made(made) if policy.leave_out == LeaveOut::Never && leaves_out(&made) => {
            BatchChoice::None(NoChoice::SomebodyLeftOut)
        }
        choice => choice,
    }
}

fn by_satisfaction(
    problem: &BatchProblem<'_>,
    found: &Alternatives,
    negotiation: &Negotiation,
) -> Result<MadeChoice, Box<NoChoice>> {
    let (compromise, proven) = match compromise(&negotiation.problem, &PreferLimits::default()) {
        Outcome::Optimal(best) => (best, Proven::Best),
        Outcome::Feasible { best, bound } => (best, Proven::Within(bound)),
        Outcome::Infeasible(_) => return Err(Box::new(NoChoice::NoJobs)),
    };
    let mut served = compromise.picks.iter().zip(&negotiation.sources);
    let unserved = served.any(|(pick, options)| pick.is_none() && !options.is_empty());
    if problem.policy.leave_out == LeaveOut::Never && unserved {
        return Err(Box::new(NoChoice::SomebodyLeftOut));
    }
    let picks = sources(&negotiation.sources, &compromise.picks);
    Ok(MadeChoice {
        totals: totals(found, &picks),
        picks,
        limits: problem.policy.given_limits(),
        value: compromise.value,
        proven,
        compromise: Some(compromise),
        over_quota: Vec::new(),
        improvement: None,
        unimproved: None,
    })
}

fn by_objective(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    found: &Alternatives,
    negotiation: Option<&Negotiation>,
    options: &[Vec<Source>],
) -> Result<MadeChoice, Box<NoChoice>> {
    let menu = menu(problem, batch, found, options);
    let (best, mut proven) = match choose_combination(&menu, problem.policy, &problem.limits.choice) {
        Outcome::Optimal(best) => (best, Proven::Best),
        Outcome::Feasible { best, bound } => (best, Proven::Within(bound)),
        Outcome::Infeasible(reason) => {
            let limits = applied_limits(&menu, problem.policy, &problem.limits.choice).unwrap_or_default();
            return Err(Box::new(NoChoice::Combination(reason, limits)));
        }
    };
    let mut picks: Vec<Option<usize>> = vec![None; batch.requests().len()];
    for (job, item) in menu.jobs.iter().zip(&best.items) {
        picks[job.job.index()] = item.map(|item| job.items[item].source);
    }
    let mut over_quota = Vec::new();
    if let Some(negotiation) = negotiation {
        over_quota = drop_over_capacity(&negotiation.problem, &mut picks, &batch.by_priority());
    }
    if !over_quota.is_empty() {
        proven = Proven::Nothing;
    }
    let compromise = negotiation.and_then(|negotiation| valued(&negotiation.problem, &picks));
    let picks = sources(options, &picks);
    Ok(MadeChoice {
        totals: totals(found, &picks),
        picks,
        limits: best.limits,
        value: best.value,
        proven,
        compromise,
        over_quota,
        improvement: None,
        unimproved: None,
    })
}

fn sources(options: &[Vec<Source>], picks: &[Option<usize>]) -> Vec<Option<Source>> {
    let source =
        |(options, pick): (&Vec<Source>, &Option<usize>)| pick.and_then(|pick| options.get(pick).copied());
    options.iter().zip(picks).map(source).collect()
}

pub(super) fn totals(found: &Alternatives, picks: &[Option<Source>]) -> Totals {
    let mut totals = Totals::default();
    for source in picks.iter().flatten() {
        if let Source::Window(place) = source {
            totals.add(&MenuItem::of_window(&found.found[*place].window, *place));
        }
    }
    totals
}

/// What there is to choose from; an item's source is its place among the job's options.
fn menu(problem: &BatchProblem<'_>, batch: &Batch, found: &Alternatives, options: &[Vec<Source>]) -> Menu {
    let lowest = batch.requests().iter().map(|request| request.priority).min().unwrap_or(0);
    let mut jobs = Vec::with_capacity(options.len());
    for (index, (request, options)) in batch.requests().iter().zip(options).enumerate() {
        let item = |(place, source): (usize, &Source)| match source {
            Source::Window(window) => Some(MenuItem::of_window(&found.found.get(*window)?.window, place)),
            Source::Queue(queue) => queue_item(problem, request, *queue, place),
        };
        let items: Vec<MenuItem> = options.iter().enumerate().filter_map(item).collect();
        let Some(job) = JobId::from_index(index).filter(|_| !items.is_empty()) else { continue };
        jobs.push(MenuJob { job, weight: priority_weight(request, lowest), items });
    }
    let overdue = |job: &MenuJob| problem.job(job.job.index()).overdue;
    weigh_overdue(jobs.iter_mut().map(|job| (overdue(job), &mut job.weight)).collect());
    Menu { jobs }
}

/// A queue as the choice sees it, where this objective may send jobs there.
pub(super) fn queue_item(
    problem: &BatchProblem<'_>,
    request: &Request,
    queue: usize,
    place: usize,
) -> Option<MenuItem> {
    let wanted = problem.queues == QueueUse::Always || problem.by_satisfaction();
    let offer = problem.stakeholders?.queues.get(queue).filter(|_| wanted)?;
    let (interval, each) = offer.expected(request, problem.now)?;
    let cost = each.as_micros().checked_mul(i64::from(request.tasks))?;
    Some(MenuItem {
        cost: Money::from_micros(cost),
        time: interval.span(),
        finish: interval.end(),
        source: place,
    })
}

/// How much it counts to serve each job of the batch.
pub(super) fn weights(problem: &BatchProblem<'_>, batch: &Batch) -> Vec<u64> {
    let lowest = batch.requests().iter().map(|request| request.priority).min().unwrap_or(0);
    let mut weights: Vec<u64> =
        batch.requests().iter().map(|request| priority_weight(request, lowest)).collect();
    let overdue = |job: usize| problem.job(job).overdue;
    weigh_overdue(weights.iter_mut().enumerate().map(|(job, weight)| (overdue(job), weight)).collect());
    weights
}

/// The first overdue jobs each outweigh all that come after them.
fn weigh_overdue(weights: Vec<(bool, &mut u64)>) {
    let mut sum: u64 = weights.iter().map(|(_, weight)| **weight).fold(0, u64::saturating_add);
    let overdue = weights.into_iter().filter(|(overdue, _)| *overdue);
    let mut first: Vec<&mut u64> = overdue.map(|(_, weight)| weight).collect();
    first.sort_by_key(|weight| Reverse(**weight));
    for weight in first.iter_mut().take(OVERDUE_MAX).rev() {
        **weight = sum.saturating_add(1);
        sum = sum.saturating_add(**weight);
    }
}
