//! Parts of reservations as users know them: by the tasks of their workflows.

use crate::error::echo;
use walras_broker::State;
use walras_broker::id::ReservationNumber;
use walras_broker::job::JobSpec;
use walras_broker::reservation::Reservation;
use walras_model::TaskId;

/// By part: the name of its task, where it is one of a workflow's and still known.
pub fn task_names(
    spec: Option<&JobSpec>,
    tasks: impl Iterator<Item = Option<TaskId>>,
) -> Vec<Option<String>> {
    let workflow = spec.and_then(|spec| spec.workflow.as_ref());
    workflow
        .map_or_else(Vec::new, |of| tasks.map(|task| Some(of.workflow.task(task?).name.clone())).collect())
}

/// The same of a reservation.
pub(super) fn tasks_of_parts(state: &State, reservation: &ReservationNumber) -> Vec<Option<String>> {
    let Some(reservation) = state.reservations.get(reservation) else { return Vec::new() };
    task_names(spec_of(state, reservation), reservation.parts.iter().map(|part| part.plan.task))
}

/// A part as its user knows it.
pub(super) fn part_of(state: &State, reservation: &ReservationNumber, part: u32) -> String {
    let known = state.reservations.get(reservation);
    let reserved = known.and_then(|it| it.parts.get(usize::try_from(part).ok()?));
    // Every start and end of a part is told: names of others are not looked up for it.
    let names = known
        .zip(reserved)
        .map(|(it, reserved)| task_names(spec_of(state, it), std::iter::once(reserved.plan.task)));
    called(names.unwrap_or_default().into_iter().next().flatten().as_deref(), part)
}

fn spec_of<'a>(state: &'a State, reservation: &Reservation) -> Option<&'a JobSpec> {
    state.jobs.get(&reservation.job).map(|job| &*job.spec)
}

/// What a part is called: by its task, where it has one.
pub(super) fn called(task: Option<&str>, part: u32) -> String {
    task.map_or_else(|| format!("Part {part}"), |task| format!("Task {}", echo(task)))
}
