//! Pictures of task schedules.

use walras_api::Unit;
use walras_core::refine::TaskSchedule;
use walras_model::{Batch, Interval, Offers, Slot, Workflow};
use walras_picture::{Scene, TaskMark, TimeUnit, gantt};

/// The unit of a picture.
pub(crate) fn time_unit(unit: Unit) -> TimeUnit {
    match unit {
        Unit::Seconds => TimeUnit::Seconds,
        Unit::Milliseconds => TimeUnit::Milliseconds,
    }
}

/// One workflow on its nodes, from the origin to the end of the last task. Tasks of one level have one colour.
pub(crate) fn of_tasks(workflow: &Workflow, offers: &Offers, unit: Unit, schedule: &TaskSchedule) -> String {
    let levels = levels(workflow);
    let marks = marks(workflow, schedule, |task| levels[task]);
    let shown = cut(offers, schedule);
    let note = format!(
        "makespan {} {} · {} credits",
        unit.span_text(schedule.makespan()),
        unit.symbol(),
        schedule.cost()
    );
    let batch = Batch::default();
    let scene = Scene::new(workflow.name(), shown.as_ref().unwrap_or(offers), &batch, &[]);
    gantt(&Scene { unit: time_unit(unit), tasks: &marks, note: Some(&note), ..scene })
}

/// The tasks of a schedule that take time.
pub(crate) fn marks<'a>(
    workflow: &'a Workflow,
    schedule: &TaskSchedule,
    colour: impl Fn(usize) -> usize,
) -> Vec<TaskMark<'a>> {
    let mark = |placement: &walras_core::refine::TaskPlacement| {
        Some(TaskMark {
            name: &workflow.task(placement.task).name,
            node: placement.node,
            interval: Interval::new(placement.start, placement.end)?,
            colour: colour(placement.task.index()),
            cost: placement.cost,
        })
    };
    schedule.placements().iter().filter_map(mark).collect()
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
