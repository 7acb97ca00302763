//! Changes that are named to who has no window are tried: planned again, the job must be served.
//!
//! **Problem.** The smallest changes are exact for the windows that are listed. Which jobs an improved plan then serves is another matter:
//! with the change made, it may serve others in the place of who asked, and a workflow may take a window of another size. What
//! is named should do what it says.
//!
//! **Method.** Every change is tried as it is named, by planning the batch again. Where that does not serve the job, laxer values are tried, a few
//! steps further each time, and the first that does is named; where none does, none is named.
//!
//! **Complexity.** Every plan is as much work as the first. That is counted in searches for one job × slots, and for each workflow
//! [`PAIR_WORK`] for every pair of its tasks, up to [`WORKFLOW_WORK`], more; when all plans together come to [`WORK_MAX`] of these, the others are not tried: who is concerned is said.

use super::{BatchChoice, BatchPlan, BatchProblem, LeftOut, plan_batch};
use crate::explain::{below, lessen};
use walras_model::SmallestChange;
use walras_model::id::JobId;
use walras_model::quantity::{Money, Performance, Rate, Time, rounding};
use walras_model::request::{Batch, Request};

/// About so much work goes into trying changes, in searches for one job × slots: as long as improving a plan of a few hundred jobs takes.
const WORK_MAX: u128 = 24_000_000;
/// What sizing, placing and improving a workflow counts as: so much for every pair of tasks, and at most so much, for effort is bounded.
const PAIR_WORK: u128 = 5_000;
const WORKFLOW_WORK: u128 = 2_000_000;
/// How far values go beyond the one that was named, in sixteenths.
const STEPS: [i64; 5] = [1, 2, 4, 8, 16];

/// What is not certain of the changes that are named to a job without a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Unconfirmed {
    /// Not all of them were tried: there are too many, or planning again takes too long.
    Untried,
    /// None is named: with any that gives the job a window, others are served in its place.
    OthersInstead,
}

/// Tries the changes that are named to jobs without a window, and names only what works; gives the jobs of which something is not certain.
pub fn confirm_changes(problem: &BatchProblem<'_>, plan: &mut BatchPlan) -> Vec<(JobId, Unconfirmed)> {
    let BatchChoice::Made(made) = &plan.choice else { return Vec::new() };
    let exact = |job: JobId| problem.job(job.index()).workflow.is_none() && made.improvement.is_none();
    let without = plan.left_out.iter().filter(|(_, why)| *why == LeftOut::NoWindow).map(|(job, _)| *job);
    let mut unsure: Vec<JobId> = without.filter(|job| !exact(*job)).collect();
    // Nobody is there to be served in the place of who is alone.
    unsure.retain(|job| plan.batch.requests().len() > 1 || problem.job(job.index()).workflow.is_some());
    let searches = made.improvement.map_or(0, |improvement| u128::from(improvement.searches));
    let slots = problem.offers.slots().len() as u128;
    let tasks = problem
        .jobs
        .iter()
        .filter_map(|job| job.workflow)
        .map(|(workflow, _)| workflow.tasks().len() as u128);
    let workflows: u128 = tasks.map(|tasks| (tasks * tasks * PAIR_WORK).min(WORKFLOW_WORK)).sum();
    let mut trial = Trial {
        problem,
        each: searches * slots + u128::from(plan.found.slots_scanned) + workflows + 1,
        left: WORK_MAX,
        untried: false,
    };
    let mut unconfirmed = Vec::new();
    for it in plan.found.unscheduled.iter_mut().filter(|it| unsure.contains(&it.job)) {
        let named = it.explanation.smallest_change.clone();
        if named == SmallestChange::default() {
            continue;
        }
        trial.untried = false;
        it.explanation.smallest_change = trial.confirmed(it.job, &named);
        if trial.untried {
            unconfirmed.push((it.job, Unconfirmed::Untried));
        } else if it.explanation.smallest_change == SmallestChange::default() {
            unconfirmed.push((it.job, Unconfirmed::OthersInstead));
        }
    }
    unconfirmed
}

struct Trial<'a> {
    problem: &'a BatchProblem<'a>,
    /// What one plan takes.
    each: u128,
    left: u128,
    /// Whether some change stands as it was named.
    untried: bool,
}

impl Trial<'_> {
    fn confirmed(&mut self, job: JobId, named: &SmallestChange) -> SmallestChange {
        let horizon = self.problem.offers.horizon();
        let own = self.problem.batch.request(job).performance_min;
        let slower: Vec<Performance> = below(self.problem.offers, own);
        let more = |value: i64| STEPS.map(|step| value.saturating_add(part(value, step)));
        let later = |value: i64| {
            let rest = horizon.end().as_millis().saturating_sub(value).max(0);
            STEPS.map(|step| value.saturating_add(part(rest, step)))
        };
        SmallestChange {
            budget: named.budget.and_then(|first| {
                let values = more(first.as_micros()).map(Money::from_micros);
                self.first(job, first, &values, |request, value| request.budget = Some(value))
            }),
            price_max: named.price_max.and_then(|first| {
                let values: Vec<Rate> = more(first.as_micros_per_second())
                    .into_iter()
                    .filter_map(Rate::from_micros_per_second)
                    .collect();
                self.first(job, first, &values, |request, value| request.price_max = Some(value))
            }),
            deadline: named.deadline.and_then(|first| {
                let values: Vec<Time> =
                    later(first.as_millis()).into_iter().filter_map(Time::from_millis).collect();
                self.first(job, first, &values, |request, value| request.deadline = Some(value))
            }),
            tasks: named.tasks.and_then(|first| {
                let fewer: Vec<u32> = (1..first).rev().take(STEPS.len()).collect();
                self.first(job, first, &fewer, |request, value| request.tasks = value)
            }),
            performance_min: named.performance_min.and_then(|first| {
                let lower = slower.iter().rev().copied().filter(|it| *it < first);
                let lower: Vec<Performance> = lower.take(STEPS.len()).collect();
                self.first(job, first, &lower, |request, value| request.performance_min = value)
            }),
            resources: (named.resources.iter())
                .filter_map(|(name, most)| {
                    let change = |request: &mut Request, amount| lessen(request, name, amount);
                    Some((name.clone(), self.first(job, *most, &[], change)?))
                })
                .collect(),
        }
    }

    /// The first of these values with which the job is served; the one that was named where the work does not suffice for trying it.
    fn first<T: Copy + PartialEq>(
        &mut self,
        job: JobId,
        named: T,
        laxer: &[T],
        change: impl Fn(&mut Request, T),
    ) -> Option<T> {
        for (place, value) in [named].iter().chain(laxer).enumerate() {
            if place > 1 && laxer[..place - 1].contains(value) {
                continue;
            }
            if self.left < self.each {
                // What was tried and does not do is not named.
                self.untried |= place == 0;
                return Some(named).filter(|_| place == 0);
            }
            self.left -= self.each;
            if self.serves(job, |request| change(request, *value)) {
                return Some(*value);
            }
        }
        None
    }

    fn serves(&self, job: JobId, change: impl FnOnce(&mut Request)) -> bool {
        let mut requests = self.problem.batch.requests().to_vec();
        change(&mut requests[job.index()]);
        let batch = Batch::new(requests);
        let plan = plan_batch(&BatchProblem { batch: &batch, ..*self.problem });
        plan.served.iter().any(|served| served.job == job)
    }
}

/// So many sixteenths of a value, rounded up.
fn part(value: i64, sixteenths: i64) -> i64 {
    i64::try_from(rounding::up(i128::from(value) * i128::from(sixteenths), 16)).unwrap_or(i64::MAX)
}
