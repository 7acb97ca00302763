//! The best compromise: exact where that fits the limit on work, otherwise as good as local search gets it.

use super::best::Best;
use super::bound;
use super::local::{self, LocalEffort};
use super::problem::{Compromise, CompromiseProblem};
use super::relax;
use super::state::{Model, Pick, State};
use walras_model::id::JobId;
use walras_model::outcome::Outcome;

/// How much work a compromise may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferLimits {
    /// Branches of the exact search.
    pub branches_max: u64,
    /// Steps of local search: one for every option that is looked at, twenty for every one that is tried.
    pub steps_max: u64,
    /// How often local search starts again from a shaken best.
    pub restarts_max: u32,
    /// What it is shaken by.
    pub seed: u64,
}

impl Default for PreferLimits {
    fn default() -> Self {
        PreferLimits { branches_max: 200_000, steps_max: 20_000_000, restarts_max: 2_000, seed: 1 }
    }
}

/// Why there is no compromise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCompromise {
    /// There is no job.
    #[error("there is no job")]
    NothingToChoose,
}

/// Of the steps, local search may take one in so many before the exact search.
const FIRST_SHARE: u64 = 4;

/// The best compromise, proven or with a bound.
pub fn compromise(problem: &CompromiseProblem, limits: &PreferLimits) -> Outcome<Compromise, NoCompromise> {
    if problem.jobs.is_empty() {
        return Outcome::Infeasible(NoCompromise::NothingToChoose);
    }
    let model = Model::new(problem);
    let bound = root_bound(&model).max(relax::bound(&model));
    let mut best = Best::none();
    let first = LocalEffort { steps: limits.steps_max / FIRST_SHARE, restarts: 2, seed: limits.seed };
    local::improve(&model, &mut best, first);
    let proven = best.value == bound || bound::prove(&model, &mut best, limits.branches_max);
    if !proven {
        let steps = limits.steps_max - limits.steps_max / FIRST_SHARE;
        let rest =
            LocalEffort { steps, restarts: limits.restarts_max, seed: limits.seed ^ 0x5851_f42d_4c95_7f2d };
        local::improve(&model, &mut best, rest);
    }
    let proven = proven || best.value == bound;
    match best.finish() {
        None => Outcome::Infeasible(NoCompromise::NothingToChoose),
        Some(best) if proven => Outcome::Optimal(best),
        Some(best) => Outcome::Feasible { best, bound },
    }
}

/// What no assignment can beat: every job at its best, whatever the capacities.
fn root_bound(model: &Model<'_>) -> i128 {
    let mut state = State::new(model);
    for (job, entry) in model.problem.jobs.iter().enumerate() {
        if entry.options.is_empty() {
            state.set(job, Pick::Out);
        }
    }
    state.value()
}

/// What an assignment is worth that somebody else made; `None` when it is not one of this problem's, or takes more
/// than there is.
pub fn valued(problem: &CompromiseProblem, picks: &[Option<usize>]) -> Option<Compromise> {
    assigned(&Model::new(problem), picks)?.finish()
}

/// A compromise that is sought from an assignment on, and never worse than it; `None` when that is not one of this problem's, or
/// takes more than there is.
pub fn compromise_from(
    problem: &CompromiseProblem,
    picks: &[Option<usize>],
    limits: &PreferLimits,
) -> Option<Compromise> {
    let model = Model::new(problem);
    let mut best = assigned(&model, picks)?;
    let effort = LocalEffort { steps: limits.steps_max, restarts: limits.restarts_max, seed: limits.seed };
    local::improve(&model, &mut best, effort);
    bound::prove(&model, &mut best, limits.branches_max);
    best.finish()
}

fn assigned(model: &Model<'_>, picks: &[Option<usize>]) -> Option<Best> {
    let jobs = &model.problem.jobs;
    if picks.len() != jobs.len() {
        return None;
    }
    let mut state = State::new(model);
    for (job, pick) in picks.iter().enumerate() {
        let fits = |option: usize| option < jobs[job].options.len() && state.fits(job, option);
        if pick.is_some_and(|option| !fits(option)) {
            return None;
        }
        state.set(job, pick.map_or(Pick::Out, Pick::Option));
    }
    let mut best = Best::none();
    best.offer(&state);
    Some(best)
}

/// Drops the picks that take more than there is left, looking at jobs in the order given; gives the jobs they were of.
///
/// What comes first keeps its pick, so with the highest priority first the lowest are dropped. One pass is enough: what
/// fits beside those before it fits beside fewer as well.
pub fn drop_over_capacity(
    problem: &CompromiseProblem,
    picks: &mut [Option<usize>],
    order: &[JobId],
) -> Vec<JobId> {
    let mut left = problem.capacities.clone();
    let mut dropped = Vec::new();
    for job in order {
        let Some(pick) = picks.get_mut(job.index()).filter(|pick| pick.is_some()) else { continue };
        let jobs = problem.jobs.get(job.index());
        let option = jobs.zip(*pick).and_then(|(entry, option)| entry.options.get(option));
        let takes = option.map_or(&[][..], |option| &option.takes);
        if takes.iter().all(|(place, units)| *units <= left[*place]) {
            takes.iter().for_each(|(place, units)| left[*place] -= units);
        } else {
            *pick = None;
            dropped.push(*job);
        }
    }
    dropped
}
