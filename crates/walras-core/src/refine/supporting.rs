//! Supporting schedules: what to do when a node is lost or a task is late, prepared before it happens.
//!
//! **Problem.** A schedule runs. A node disappears, or a task takes longer than it should. What has begun elsewhere
//! goes on; everything else needs a new place, at once.
//!
//! **Method.** For each node that the schedule uses: the node is lost when its first task should start. Tasks that
//! begin before that moment stay; the others are placed anew on the other nodes, from that moment on. For each of the
//! tasks on the critical chain, which leads from the last end through whatever each task waited for, its data or its node: it ends late by a share of its run time. Tasks that begin before its
//! planned end stay; the others are placed anew. Two ways are tried, the old nodes in the old order and list
//! scheduling by upward rank, and the better one is kept.
//!
//! A node that is lost later than its first task only makes it easier: what has ended by then stays ended, and the
//! schedule for the earlier loss still holds for the rest.
//!
//! **Complexity.** Two list passes an event: O(events · (tasks · lanes + edges)).

use super::checked::Question;
use super::instance::{Instance, NEVER};
use super::list::{Board, by_priority};
use super::schedule::Placed;
use super::strategy::{Goal, Strategy};
use super::{TaskSchedule, rank, schedule};
use std::sync::Arc;
use walras_model::id::{NodeId, TaskId};
use walras_model::quantity::{Multiplier, Span, TIME_LIMIT, Time};
use walras_model::workflow::Terms;
use walras_model::workflow::{Platform, Workflow};

/// What may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// A node is gone from its first task on.
    NodeLost {
        /// The node that is lost.
        node: NodeId,
        /// When its first task should have started.
        at: Time,
    },
    /// A task takes longer.
    TaskLate {
        /// The task that is late.
        task: TaskId,
        /// How much longer.
        by: Span,
    },
}

/// A schedule that is ready for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// For which event.
    pub event: Disturbance,
    /// What then holds, under the verifier too; `None` when deadline, budget or free time leave no way.
    pub schedule: Option<TaskSchedule>,
}

/// How many events to prepare for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupportLimits {
    /// At most so many lost nodes, those with most tasks first.
    pub nodes_max: usize,
    /// At most so many late tasks, those that end last first.
    pub tasks_max: usize,
    /// A late task takes this much of its run time more.
    pub late: Multiplier,
}

impl Default for SupportLimits {
    fn default() -> Self {
        SupportLimits { nodes_max: 8, tasks_max: 8, late: Multiplier::QUARTER }
    }
}

/// Schedules for the events that may come, beside `main`, which must be a schedule of the same workflow. None for workflows with tasks that
/// take several nodes.
pub fn supporting_schedules(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    strategy: Strategy,
    main: &TaskSchedule,
    limits: &SupportLimits,
) -> Vec<Support> {
    if workflow.widest() > 1 {
        return Vec::new();
    }
    let Ok(instance) = Instance::new(workflow, platform, terms) else { return Vec::new() };
    let Some(placed) = placed(&instance, platform, main) else { return Vec::new() };
    let mut supports = Vec::new();
    for (node, first) in nodes_lost(platform, &placed, limits.nodes_max) {
        let changed = without_node(&instance, platform, node);
        let keep = |task: usize| {
            placed.start[task] < first && platform.lanes[placed.lane[task] as usize].node != node
        };
        let Some(at) = Time::from_millis(first) else { continue };
        let event = Disturbance::NodeLost { node, at };
        let left = platform.without(node);
        let question = Question { workflow, platform: &left, terms };
        let schedule = again(&changed, platform, &placed, first, keep, strategy.goal());
        supports.push(Support {
            event,
            schedule: schedule.filter(|schedule| question.violation(schedule).is_none()),
        });
    }
    for task in tasks_late(&instance, &placed, limits.tasks_max) {
        let lane = placed.lane[task] as usize;
        let late = late_by(instance.runtime(task, lane), limits.late);
        let changed = with_late_task(&instance, task, late);
        let known_at = placed.end[task];
        let keep = |other: usize| other == task || placed.start[other] < known_at;
        let (Some(id), Some(by)) = (TaskId::from_index(task), Span::from_millis(late)) else { continue };
        let event = Disturbance::TaskLate { task: id, by };
        let schedule = again(&changed, platform, &placed, known_at, keep, strategy.goal());
        let longer = lasting(workflow, platform, &changed, task);
        let question = longer.as_ref().map(|workflow| Question { workflow, platform, terms });
        let holds = |schedule: &TaskSchedule| question.is_some_and(|it| it.violation(schedule).is_none());
        supports.push(Support { event, schedule: schedule.filter(holds) });
    }
    supports
}

/// The main schedule by lanes; `None` when it is not one of this instance.
fn placed(instance: &Instance, platform: &Platform, main: &TaskSchedule) -> Option<Placed> {
    let mut placed = Placed::new(instance.tasks);
    for placement in main.placements() {
        let (start, end) = (placement.start.as_millis(), placement.end.as_millis());
        let holds = |lane: &&usize| {
            let of = &platform.lanes[**lane];
            (of.node, of.part) == (placement.node, placement.part)
                && instance.free[**lane].iter().any(|(from, to)| *from <= start && end <= *to)
        };
        let lanes: Vec<usize> = (0..instance.lanes).collect();
        let lane = *lanes.iter().find(holds)?;
        placed.put(placement.task.index(), lane, start, end);
    }
    placed.is_complete().then_some(placed)
}

/// The nodes in use with their first starts, those with most tasks first.
fn nodes_lost(platform: &Platform, placed: &Placed, most: usize) -> Vec<(NodeId, i64)> {
    let mut nodes: std::collections::BTreeMap<NodeId, (usize, i64)> = std::collections::BTreeMap::new();
    for (lane, start) in placed.lane.iter().zip(&placed.start) {
        let entry = nodes.entry(platform.lanes[*lane as usize].node).or_insert((0, *start));
        *entry = (entry.0 + 1, entry.1.min(*start));
    }
    let mut nodes: Vec<(NodeId, (usize, i64))> = nodes.into_iter().collect();
    nodes.sort_by_key(|(node, (tasks, _))| (std::cmp::Reverse(*tasks), *node));
    nodes.into_iter().take(most).map(|(node, (_, first))| (node, first)).collect()
}

/// The tasks whose delay moves the end, those that end last first: back from the last one along what each waits for.
fn tasks_late(instance: &Instance, placed: &Placed, most: usize) -> Vec<usize> {
    let mut tasks = Vec::new();
    let mut next = (0..instance.tasks).max_by_key(|task| (placed.end[*task], std::cmp::Reverse(*task)));
    while let Some(task) = next.filter(|_| tasks.len() < most) {
        let lane = placed.lane[task] as usize;
        // What takes no time cannot take longer.
        tasks.extend((instance.runtime(task, lane) > 0).then_some(task));
        let arrived = |flow: &super::instance::Flow| {
            let from = flow.task as usize;
            placed.end[from] + instance.transfer(flow, placed.lane[from] as usize, lane)
        };
        let before =
            instance.before.of(task).iter().max_by_key(|flow| (arrived(flow), std::cmp::Reverse(flow.task)));
        // Its data, or its node: whichever came last.
        let data = before.map(|flow| (arrived(flow), flow.task as usize));
        // What takes no time holds nobody up, and nobody is held up by those who come later: the chain ends.
        let on_node = |other: &usize| {
            *other != task
                && placed.lane[*other] as usize == lane
                && placed.end[*other] <= placed.start[task]
                && instance.runtime(*other, lane) > 0
        };
        let node = (0..instance.tasks).filter(on_node).map(|other| (placed.end[other], other));
        let node = node.max_by_key(|(end, other)| (*end, placed.start[*other], std::cmp::Reverse(*other)));
        let later = |(end, _): &(i64, usize)| data.is_none_or(|(arrived, _)| *end > arrived);
        next = node.filter(later).or(data).map(|(_, task)| task);
    }
    tasks
}

/// How long a task is late: at least a millisecond, and no longer than time reaches.
fn late_by(runtime: i64, late: Multiplier) -> i64 {
    late.of_count(runtime).unwrap_or(TIME_LIMIT).max(1)
}

fn without_node(instance: &Instance, platform: &Platform, node: NodeId) -> Instance {
    let mut changed = instance.clone();
    for (lane, free) in changed.free.iter_mut().enumerate() {
        if platform.lanes[lane].node == node {
            free.clear();
        }
    }
    changed
}

fn with_late_task(instance: &Instance, task: usize, late: i64) -> Instance {
    let mut changed = instance.clone();
    let costs = &instance.costs;
    let mut runtime = costs.runtime.clone();
    for millis in
        runtime[task * instance.lanes..][..instance.lanes].iter_mut().filter(|millis| **millis != NEVER)
    {
        *millis += late;
    }
    changed.costs = Arc::new(super::instance::Costs {
        runtime,
        rate: costs.rate.clone(),
        node: costs.node.clone(),
        side_by_side: costs.side_by_side,
        site: costs.site.clone(),
        performance: costs.performance.clone(),
        mean: costs.mean.clone(),
        fastest: costs.fastest.clone(),
        cheapest: costs.cheapest.clone(),
        ..**costs
    });
    changed
}

/// The workflow with a task that lasts as long on every node as the instance says.
fn lasting(workflow: &Workflow, platform: &Platform, changed: &Instance, task: usize) -> Option<Workflow> {
    let mut tasks = workflow.tasks().to_vec();
    for (lane, millis) in platform.lanes.iter().zip(changed.runtimes(task)) {
        if *millis != NEVER {
            let name = format!("{}/{}", lane.site_name, lane.name);
            tasks[task].estimates.insert(name, Span::from_millis(*millis)?);
        }
    }
    Workflow::new(workflow.name(), tasks, workflow.edges().to_vec()).ok()
}

/// Keeps some tasks where they are and places the others anew, none before `from`.
fn again(
    instance: &Instance,
    platform: &Platform,
    main: &Placed,
    from: i64,
    keep: impl Fn(usize) -> bool,
    goal: Goal,
) -> Option<TaskSchedule> {
    let as_before: Vec<i64> = main.start.iter().map(|start| -start).collect();
    let by_rank = rank::upward(instance);
    let ways = [(as_before, true), (by_rank, false)];
    let tried = ways.iter().filter_map(|(priority, same_lane)| {
        let placed = resume(instance, main, from, &keep, priority, *same_lane)?;
        Some((placed.score(instance, goal), placed))
    });
    let (score, placed) = tried.min_by_key(|(score, _)| *score)?;
    (score.over_budget == 0).then(|| schedule(instance, platform, &placed)).flatten()
}

fn resume(
    instance: &Instance,
    main: &Placed,
    from: i64,
    keep: &impl Fn(usize) -> bool,
    priority: &[i64],
    same_lane: bool,
) -> Option<Placed> {
    let mut later = instance.clone();
    later.earliest = later.earliest.max(from);
    let mut board = Board::new(instance);
    for task in (0..instance.tasks).filter(|task| keep(*task)) {
        let (lane, start) = (main.lane[task] as usize, main.start[task]);
        let length = instance.runtime(task, lane);
        if !board.line.is_free(lane, start, length) {
            return None;
        }
        board.put(task, super::list::Spot { lane, start, end: start + length });
    }
    for task in by_priority(instance, priority).into_iter().map(|task| task as usize) {
        if board.placed.is_placed(task) {
            continue;
        }
        board.arrivals.compute(&later, &board.placed, task);
        let old = if same_lane { board.spot_on(instance, task, main.lane[task] as usize) } else { None };
        match old {
            Some(spot) => board.put(task, spot),
            None if board.place_first(&later, task, |_| 0) => {}
            None => return None,
        }
    }
    Some(board.placed)
}
