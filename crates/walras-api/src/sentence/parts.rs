//! Parts of reservations as users know them: by the tasks of their workflows.

use super::Context;
use walras_broker::State;
use walras_broker::id::ReservationNumber;
use walras_model::TaskId;

/// By part of a reservation: the name of its task, where it is one of a workflow's and still known.
pub(super) fn tasks_of_parts(state: &State, reservation: &ReservationNumber) -> Vec<Option<String>> {
    let Some(reservation) = state.reservations.get(reservation) else { return Vec::new() };
    let spec = state.jobs.get(&reservation.job).map(|job| &job.spec);
    let Some(workflow) = spec.and_then(|spec| spec.workflow.as_ref()) else { return Vec::new() };
    let name = |task: TaskId| workflow.workflow.task(task).name.clone();
    reservation.parts.iter().map(|part| part.plan.task.map(name)).collect()
}

/// A part as its user knows it.
pub(super) fn part_of(state: &State, reservation: &ReservationNumber, part: u32) -> String {
    Context::of_service(state).with_parts(&tasks_of_parts(state, reservation)).part(part)
}
