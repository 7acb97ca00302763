//! Workflows in a batch: how large a window they need, whether it holds them, and the parts that they become.

use super::{Problem, Remaining, holds_of};
use crate::job::{JobSpec, Why};
use crate::way::{Hold, Part, SupportingParts, Way};
use std::collections::{BTreeMap, BTreeSet};
use walras_core::Alternatives;
use walras_core::refine::{
    Disturbance, RefineEffort, SupportLimits, TaskSchedule, best_size, refine_window, size_options,
    supporting_schedules,
};
use walras_model::workflow::Network;
use walras_model::workflow::Terms;
use walras_model::{
    Batch, Edge, Explanation, JobId, NodeId, Platform, Reason, Request, SiteId, Span, TaskId, Window,
    Workflow,
};

/// What is left of a job's workflow when some tasks are done; `None` when it is no workflow, or nothing is left.
pub(crate) fn remaining(spec: &JobSpec, done: &BTreeSet<TaskId>) -> Option<Remaining> {
    let whole = spec.workflow.as_ref()?;
    let mut places: BTreeMap<TaskId, TaskId> = BTreeMap::new();
    let mut tasks = Vec::new();
    for index in 0..whole.workflow.tasks().len() {
        let id = TaskId::from_index(index)?;
        if !done.contains(&id) {
            places.insert(id, TaskId::from_index(tasks.len())?);
            tasks.push(id);
        }
    }
    let edge = |edge: &Edge| {
        Some(Edge { from: *places.get(&edge.from)?, to: *places.get(&edge.to)?, data: edge.data })
    };
    let edges = whole.workflow.edges().iter().filter_map(edge).collect();
    let kept = tasks.iter().map(|task| whole.workflow.task(*task).clone()).collect();
    let workflow = Workflow::new(whole.workflow.name(), kept, edges).ok()?;
    Some(Remaining { workflow, tasks, strategy: whole.strategy })
}

/// Sets the size of every workflow's request to the best there is.
pub(super) fn sized(problem: &Problem, batch: Batch) -> Batch {
    if problem.jobs.iter().all(|job| job.workflow.is_none()) {
        return batch;
    }
    let size = |(job, request): (&super::ProblemJob, &Request)| {
        let mut request = request.clone();
        if let Some(remaining) = &job.workflow {
            let (network, search) = (problem.policy.network, &problem.policy.search);
            let options = size_options(
                &remaining.workflow,
                &problem.offers,
                network,
                &request,
                remaining.strategy,
                search,
            );
            let best = best_size(&options, remaining.strategy).or(options.first().map(|option| option.size));
            if let Some(best) = best {
                (request.tasks, request.work) = (best.nodes, best.work);
            }
        }
        request
    };
    Batch::new(problem.jobs.iter().zip(batch.requests()).map(size).collect())
}

/// Drops windows that do not hold their workflow; gives the jobs that had windows and have none left.
pub(super) fn keep_fitting(problem: &Problem, batch: &Batch, found: &mut Alternatives) -> BTreeSet<JobId> {
    let mut lost = BTreeSet::new();
    let mut kept = BTreeSet::new();
    found.found.retain(|alternative| {
        let job = alternative.job;
        let holds = problem.jobs[job.index()].workflow.as_ref().is_none_or(|remaining| {
            let schedule = fill(problem, remaining, &alternative.window, 0);
            let deadline = batch.request(job).deadline;
            schedule.is_some_and(|schedule| deadline.is_none_or(|deadline| schedule.finish() <= deadline))
        });
        if holds {
            kept.insert(job)
        } else {
            lost.insert(job)
        };
        holds
    });
    lost.difference(&kept).copied().collect()
}

/// The reason of a job none of whose windows holds its workflow.
pub(super) fn does_not_fit() -> Why {
    let explanation = Explanation { reasons: vec![Reason::TasksDoNotFit], ..Explanation::default() };
    Why::NoFit(Box::new(explanation))
}

fn fill(problem: &Problem, remaining: &Remaining, window: &Window, units_max: u64) -> Option<TaskSchedule> {
    let effort = RefineEffort { units_max, ..RefineEffort::default() };
    let (network, strategy) = (problem.policy.network, remaining.strategy);
    let refined = refine_window(&remaining.workflow, &problem.offers, network, window, strategy, &effort);
    refined.found().map(|refined| refined.schedule)
}

/// The way that a window is for a workflow: a part for each task, and what is ready for lost nodes.
pub(super) fn way(
    problem: &Problem,
    job: &super::ProblemJob,
    remaining: &Remaining,
    window: &Window,
    effort: u64,
) -> Option<Way> {
    let legs = Way::legs_of(holds_of(&problem.offers, window, job.request.user.as_deref()));
    let places: BTreeMap<NodeId, (SiteId, u32)> = legs
        .iter()
        .flat_map(|leg| {
            let place = |(hold, place): (&Hold, u32)| Some((hold.node?, (leg.site, place)));
            leg.holds.iter().zip(0_u32..).filter_map(place)
        })
        .collect();
    let schedule = fill(problem, remaining, window, effort)?;
    let network = problem.policy.network;
    let parts = parts(remaining, &schedule, &places, network)?;
    let platform = Platform::of_window(&problem.offers, window, network);
    let terms = Terms { earliest: Some(window.start()), deadline: Some(window.end()), budget: None };
    let limits = SupportLimits { tasks_max: 0, ..SupportLimits::default() };
    let supports =
        supporting_schedules(&remaining.workflow, &platform, &terms, remaining.strategy, &schedule, &limits);
    let support = |support: &walras_core::refine::Support| match (support.event, &support.schedule) {
        (Disturbance::NodeLost { node, .. }, Some(schedule)) => {
            Some(SupportingParts { lost: node, parts: self::parts(remaining, schedule, &places, network)? })
        }
        _ => None,
    };
    let supports = supports.iter().filter_map(support).collect();
    Some(Way { legs, parts, supports })
}

/// A schedule as parts, in order of the tasks that are left.
fn parts(
    remaining: &Remaining,
    schedule: &TaskSchedule,
    places: &BTreeMap<NodeId, (SiteId, u32)>,
    network: Network,
) -> Option<Vec<Part>> {
    let placed = schedule.placements();
    let mut parts = Vec::with_capacity(placed.len());
    for (placement, task) in placed.iter().zip(&remaining.tasks) {
        let (site, hold) = *places.get(&placement.node)?;
        let (start, end) = (placement.start, placement.end);
        parts.push(Part { task: Some(*task), site, hold, start, end, after: Vec::new() });
    }
    for edge in remaining.workflow.edges() {
        let (from, to) = (&placed[edge.from.index()], &placed[edge.to.index()]);
        let link = if places.get(&from.node)?.0 == places.get(&to.node)?.0 {
            network.within_site
        } else {
            network.between_sites
        };
        let lag = if from.node == to.node { Span::ZERO } else { link.time_for(edge.data)? };
        parts[edge.to.index()].after.push((edge.from.number(), lag));
    }
    Some(parts)
}
