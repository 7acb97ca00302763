//! Pictures of task schedules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use walras_api::Unit;
use walras_core::refine::{TaskPlacement, TaskSchedule};
use walras_model::workflow::Edge;
use walras_model::{Batch, Interval, Network, NodeId, Offers, Slot, Span, TaskId, Workflow};
use walras_picture::{Arrow, Scene, TaskColour, TaskMark, TimeUnit, gantt};

/// The unit of a picture.
pub(crate) fn time_unit(unit: Unit) -> TimeUnit {
    match unit {
        Unit::Seconds => TimeUnit::Seconds,
        Unit::Milliseconds => TimeUnit::Milliseconds,
    }
}

/// One workflow on its nodes, from the origin to the end of the last task. Tasks of one level have one colour.
pub(crate) fn of_tasks(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    unit: Unit,
    schedule: &TaskSchedule,
) -> String {
    let levels = levels(workflow);
    let TaskPicture { marks, arrows } =
        drawn(workflow, offers, network, schedule, |task| TaskColour::Level(levels[task]));
    let shown = cut(offers, schedule);
    let note = format!(
        "makespan {} {} · {} credits",
        unit.span_text(schedule.makespan()),
        unit.symbol(),
        schedule.cost()
    );
    let batch = Batch::default();
    let scene = Scene::new(workflow.name(), shown.as_ref().unwrap_or(offers), &batch, &[]);
    gantt(&Scene { unit: time_unit(unit), tasks: &marks, arrows: &arrows, note: Some(&note), ..scene })
}

/// Tasks and the data between them, ready to be drawn.
#[derive(Default)]
pub(crate) struct TaskPicture<'a> {
    pub(crate) marks: Vec<TaskMark<'a>>,
    pub(crate) arrows: Vec<Arrow>,
}

/// The tasks of a schedule that take time, and the data that moves between nodes: that of the critical path first, then
/// most data first.
pub(crate) fn drawn<'a, 'b>(
    workflow: &'a Workflow,
    offers: &Offers,
    network: Network,
    schedule: &'b TaskSchedule,
    colour: impl Fn(usize) -> TaskColour,
) -> TaskPicture<'a> {
    let path = Path::new(workflow, offers, network, schedule);
    let mark = |(placement, node): (&TaskPlacement, NodeId)| {
        Some(TaskMark {
            name: &workflow.task(placement.task).name,
            node,
            part: placement.part,
            interval: Interval::new(placement.start, placement.end)?,
            colour: colour(placement.task.index()),
            cost: placement.cost,
            critical: path.tasks.contains(&placement.task),
        })
    };
    let on = |placement: &'b TaskPlacement| schedule.nodes(placement.task).map(move |node| (placement, node));
    let marks = schedule.placements().iter().flat_map(on).filter_map(mark).collect();
    let arrow = |edge: &Edge| {
        let (from, to) = (path.places.get(&edge.from)?, path.places.get(&edge.to)?);
        let critical = path.edges.contains(&(edge.from, edge.to));
        let arrow = Arrow { from: (from.node, from.end), to: (to.node, to.start), critical };
        (from.node != to.node).then_some(((Reverse(critical), Reverse(edge.data)), arrow))
    };
    let mut arrows: Vec<_> = workflow.edges().iter().filter_map(arrow).collect();
    arrows.sort_by_key(|(rank, _)| *rank);
    TaskPicture { marks, arrows: arrows.into_iter().map(|(_, arrow)| arrow).collect() }
}

/// What the end of a schedule follows from: a chain of tasks, each of which begins as soon as the one before lets it.
struct Path<'a> {
    places: BTreeMap<TaskId, &'a TaskPlacement>,
    tasks: BTreeSet<TaskId>,
    edges: BTreeSet<(TaskId, TaskId)>,
}

impl<'a> Path<'a> {
    /// Back from the task that ends last: to the one whose data arrives just then, or else to the one that its node had
    /// until then.
    fn new(workflow: &Workflow, offers: &Offers, network: Network, schedule: &'a TaskSchedule) -> Path<'a> {
        let places: BTreeMap<_, _> = schedule.placements().iter().map(|it| (it.task, it)).collect();
        let mut before: BTreeMap<TaskId, Vec<&Edge>> = BTreeMap::new();
        for edge in workflow.edges() {
            before.entry(edge.to).or_default().push(edge);
        }
        let mut until: BTreeMap<_, Vec<&TaskPlacement>> = BTreeMap::new();
        for place in schedule.placements() {
            until.entry((place.node, place.part, place.end)).or_default().push(place);
        }
        let mut path = Path { places, tasks: BTreeSet::new(), edges: BTreeSet::new() };
        let mut next = schedule.placements().iter().max_by_key(|it| (it.end, Reverse(it.task)));
        while let Some(place) = next.filter(|place| path.tasks.insert(place.task)) {
            let arrives = |edge: &&&Edge| {
                let from = path.places.get(&edge.from)?;
                Some(from.end.checked_add(transfer(offers, network, edge, from, place)?)? == place.start)
            };
            let edges = before.get(&place.task).map_or(&[][..], Vec::as_slice);
            let edge = edges.iter().find(|edge| arrives(edge) == Some(true));
            next = match edge {
                Some(edge) => {
                    path.edges.insert((edge.from, edge.to));
                    path.places.get(&edge.from).copied()
                }
                None => until
                    .get(&(place.node, place.part, place.start))
                    .and_then(|last| last.iter().find(|last| !path.tasks.contains(&last.task)).copied()),
            };
        }
        path
    }
}

/// How long the data of an edge is on its way.
fn transfer(
    offers: &Offers,
    network: Network,
    edge: &Edge,
    from: &TaskPlacement,
    to: &TaskPlacement,
) -> Option<Span> {
    if from.node == to.node {
        return Some(Span::ZERO);
    }
    let near = offers.node(from.node).site == offers.node(to.node).site;
    if near { network.within_site } else { network.between_sites }.time_for(edge.data)
}

/// By task: how many tasks come before it on the longest way.
fn levels(workflow: &Workflow) -> Vec<usize> {
    let mut level = vec![0; workflow.tasks().len()];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); level.len()];
    for edge in workflow.edges() {
        after[edge.from.index()].push(edge.to.index());
    }
    for task in workflow.order() {
        for next in &after[task.index()] {
            level[*next] = level[*next].max(level[task.index()] + 1);
        }
    }
    level
}

/// The offers up to the end of the schedule; `None` when nothing takes any time.
fn cut(offers: &Offers, schedule: &TaskSchedule) -> Option<Offers> {
    let horizon = Interval::new(offers.horizon().start().min(schedule.origin()), schedule.finish())?;
    let part = |slot: &Slot| slot.part(slot.start(), slot.end().min(horizon.end()));
    let slots = offers.slots().iter().filter_map(part).collect();
    Offers::new(horizon, offers.sites().to_vec(), offers.nodes().to_vec(), slots).ok()
}
