//! Workflows in a batch: how large a window they need, whether it holds them, and where their tasks go.

use super::served::PlacedTasks;
use super::{BatchJob, BatchProblem};
use crate::refine::{
    RefineEffort, Refined, SizeOption, SupportLimits, best_size, refine_window, size_options,
    supporting_schedules,
};
use crate::search::{Alternatives, Unscheduled};
use std::collections::BTreeSet;
use walras_model::id::JobId;
use walras_model::request::{Batch, Request};
use walras_model::window::Window;
use walras_model::workflow::{Platform, Terms};
use walras_model::{Explanation, Reason};

/// The batch, the request of each workflow as large as the best window for it; and the sizes that were looked at, by job.
pub(super) fn sized(problem: &BatchProblem<'_>, batch: Batch) -> (Batch, Vec<Vec<SizeOption>>) {
    let mut sizes = vec![Vec::new(); batch.requests().len()];
    if problem.jobs.iter().all(|job| job.workflow.is_none()) {
        return (batch, sizes);
    }
    let mut requests: Vec<Request> = batch.requests().to_vec();
    for (job, (request, options)) in requests.iter_mut().zip(&mut sizes).enumerate() {
        let Some((workflow, strategy)) = problem.job(job).workflow else { continue };
        *options = size_options(workflow, problem.offers, problem.network, request, strategy, problem.search);
        // Without any that fits, the smallest says why there is no window.
        let best = best_size(options, strategy).or(options.first().map(|option| option.size));
        if let Some(best) = best {
            (request.tasks, request.work) = (best.nodes, best.work);
        }
    }
    (Batch::new(requests), sizes)
}

/// Leaves out the windows that do not hold their workflow. Jobs that are left without any are unscheduled.
pub(super) fn keep_fitting(problem: &BatchProblem<'_>, batch: &Batch, found: &mut Alternatives) {
    if problem.jobs.iter().all(|job| job.workflow.is_none()) {
        return;
    }
    let (mut kept, mut lost) = (BTreeSet::new(), BTreeSet::new());
    found.found.retain(|alternative| {
        let job = alternative.job;
        let workflow = problem.job(job.index()).workflow;
        let holds = workflow.is_none() || fill(problem, batch, job, &alternative.window, 0).is_some();
        if holds { &mut kept } else { &mut lost }.insert(job);
        holds
    });
    let explanation = || Explanation { reasons: vec![Reason::TasksDoNotFit], ..Explanation::default() };
    let unscheduled = |job: &JobId| Unscheduled { job: *job, explanation: explanation() };
    found.unscheduled.extend(lost.difference(&kept).map(unscheduled));
    found.unscheduled.sort_by_key(|unscheduled| unscheduled.job);
}

/// The tasks of a workflow in a window, so that it keeps the deadline.
fn fill(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    job: JobId,
    window: &Window,
    units_max: u64,
) -> Option<Refined> {
    let (workflow, strategy) = problem.job(job.index()).workflow?;
    let effort = RefineEffort { units_max, ..RefineEffort::default() };
    let refined =
        refine_window(workflow, problem.offers, problem.network, window, strategy, &effort).found()?;
    let deadline = batch.request(job).deadline;
    deadline.is_none_or(|deadline| refined.schedule.finish() <= deadline).then_some(refined)
}

/// Where the tasks of a workflow go in a window, and where they would go without one of its nodes.
pub(super) fn place(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    job: JobId,
    window: &Window,
    units_max: u64,
) -> Option<PlacedTasks> {
    let BatchJob { workflow, .. } = problem.job(job.index());
    let (workflow, strategy) = workflow?;
    let refined = fill(problem, batch, job, window, units_max)?;
    let mut supports = Vec::new();
    if problem.limits.supports {
        let platform = Platform::of_window(problem.offers, window, problem.network);
        let terms = Terms { earliest: Some(window.start()), deadline: Some(window.end()), budget: None };
        // A late task is told by its site; only a lost node must be answered before anybody can plan again.
        let limits = SupportLimits { tasks_max: 0, ..SupportLimits::default() };
        supports = supporting_schedules(workflow, &platform, &terms, strategy, &refined.schedule, &limits);
    }
    Some(PlacedTasks { refined, supports })
}
