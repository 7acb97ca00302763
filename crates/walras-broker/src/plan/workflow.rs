//! Workflows of a cycle: what is left of them, and the parts that their placed tasks become.

use super::allocation::holds_of;
use super::{PlanningProblem, Remaining};
use crate::model::allocation::{Allocation, LateParts, Part, SupportingParts};
use crate::model::job::JobSpec;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::plan::PlacedTasks;
use walras_core::refine::{Disturbance, Support, TaskPlacement, TaskSchedule};
use walras_model::workflow::{Network, next_part};
use walras_model::{Edge, NodeId, SiteId, Span, TaskId, Window, Workflow};

/// What is left of a job's workflow when some tasks are done; `None` when it is no workflow, or nothing is left.
pub(crate) fn remaining(spec: &JobSpec, done: &BTreeSet<TaskId>) -> Option<Remaining> {
    let whole = spec.workflow.as_ref()?;
    if done.is_empty() {
        // As it was read: tens of thousands of tasks need not be checked again.
        let tasks = (0..whole.workflow.tasks().len()).map(TaskId::from_index).collect::<Option<_>>()?;
        let (workflow, strategy) = (whole.workflow.clone(), whole.strategy);
        return Some(Remaining { workflow, tasks, strategy, nodes_max: None, next: None });
    }
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
    Some(Remaining { workflow, tasks, strategy: whole.strategy, nodes_max: None, next: None })
}

/// By node, and part of it that is held: the site, and which of its holds that is.
type HoldOfPart = BTreeMap<(NodeId, u32), (SiteId, u32)>;

/// What is reserved for a workflow in a window: a part for each task, and what is ready for lost nodes and late tasks.
pub(super) fn allocation(
    problem: &PlanningProblem,
    remaining: &Remaining,
    window: &Window,
    tasks: &PlacedTasks,
) -> Option<Allocation> {
    let legs = Allocation::legs_of(holds_of(&problem.offers, window));
    let mut counted = BTreeMap::new();
    let mut places: HoldOfPart = BTreeMap::new();
    for leg in &legs {
        for (hold, place) in leg.holds.iter().zip(0_u32..) {
            let Some(node) = hold.node else { continue };
            places.insert((node, next_part(&mut counted, node)), (leg.site, place));
        }
    }
    let parts = |schedule: &TaskSchedule| self::parts(remaining, schedule, &places, problem.policy.network);
    let support = |support: &Support| match (support.event, &support.schedule) {
        (Disturbance::NodeLost { node, .. }, Some(schedule)) => {
            Some(SupportingParts { lost: node, parts: parts(schedule)? })
        }
        (Disturbance::NodeLost { .. }, None) | (Disturbance::TaskLate { .. }, _) => None,
    };
    let late = |support: &Support| match (support.event, &support.schedule) {
        (Disturbance::TaskLate { task, .. }, Some(schedule)) => {
            Some(LateParts { task: *remaining.tasks.get(task.index())?, parts: parts(schedule)? })
        }
        (Disturbance::TaskLate { .. }, None) | (Disturbance::NodeLost { .. }, _) => None,
    };
    Some(Allocation {
        legs,
        parts: parts(&tasks.refined.schedule)?,
        supports: tasks.supports.iter().filter_map(support).collect(),
        late: tasks.supports.iter().filter_map(late).collect(),
    })
}

/// A schedule as parts, in order of the tasks that are left; after them, those on the other nodes of gangs. What waits for a gang waits for
/// all of it, and a gang waits with its first part: it starts together.
fn parts(
    remaining: &Remaining,
    schedule: &TaskSchedule,
    places: &HoldOfPart,
    network: Network,
) -> Option<Vec<Part>> {
    let placed = schedule.placements();
    let mut parts = Vec::with_capacity(placed.len());
    for (placement, task) in placed.iter().zip(&remaining.tasks) {
        let (site, hold) = *places.get(&(placement.node, placement.part))?;
        let (start, end) = (placement.start, placement.end);
        parts.push(Part { task: Some(*task), site, hold, start, end, after: Vec::new() });
    }
    let mut others: BTreeMap<TaskId, Vec<u32>> = BTreeMap::new();
    for (placement, task) in placed.iter().zip(&remaining.tasks) {
        for node in schedule.others(placement.task) {
            // The places of gangs are on nodes of their own.
            let (site, hold) = *places.get(&(*node, 0))?;
            let (start, end) = (placement.start, placement.end);
            others.entry(placement.task).or_default().push(u32::try_from(parts.len()).ok()?);
            parts.push(Part { task: Some(*task), site, hold, start, end, after: Vec::new() });
        }
    }
    for edge in remaining.workflow.edges() {
        let (from, to) = (&placed[edge.from.index()], &placed[edge.to.index()]);
        let site = |of: &TaskPlacement| Some(places.get(&(of.node, of.part))?.0);
        let link = if site(from)? == site(to)? { network.within_site } else { network.between_sites };
        let (givers, takers) = (others.get(&edge.from), others.get(&edge.to));
        let stays = from.node == to.node && givers.is_none() && takers.is_none();
        let lag = if stays { Span::ZERO } else { link.time_for(edge.data)? };
        let givers = givers.into_iter().flatten().copied();
        let after = std::iter::once(edge.from.number()).chain(givers).map(|giver| (giver, lag));
        parts[edge.to.index()].after.extend(after);
    }
    Some(parts)
}
