//! What comes of bringing files of tasks: they are there, are tried again, or given up.

use super::draft::Draft;
use super::failover::{close, go_on};
use super::gate::end_job;
use super::tick::{due, start};
use crate::model::event::ReservationEvent;
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{JobEnd, Why};
use crate::model::moving::{MoveEnd, MoveFault, MoveStep, TRIES_MAX};
use walras_model::{SiteId, TaskId};

/// Files have been brought, or not. What nobody waits for any more changes nothing.
pub(super) fn moved(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    task: TaskId,
    to: SiteId,
    end: &MoveEnd,
) {
    let now = draft.now;
    let Some((_, reservation)) = draft.open_reservation(number) else { return };
    let Some(moving) = reservation.moving.get(&(task, to)).copied() else { return };
    let job = reservation.job;
    let happens = |step: MoveStep| ReservationEvent::Files { reservation: number, task, to, step };
    match end {
        MoveEnd::Done { files, bytes } => {
            draft.push(happens(MoveStep::Done { files: *files, bytes: *bytes }));
            let Some((state, after)) = draft.open_reservation(number) else { return };
            let due = due(state, after, now);
            start(draft, number, due);
        }
        MoveEnd::Failed(fault) if fault.is_lasting() => {
            let why = not_brought(draft, job, task, to, fault);
            close(draft, number, Some(why.clone()), None);
            end_job(draft, job, JobEnd::Failed(why));
        }
        MoveEnd::Failed(fault) if moving.failed + 1 < TRIES_MAX => {
            draft.push(happens(MoveStep::Failed(fault.clone())));
        }
        MoveEnd::Failed(fault) => {
            let why = not_brought(draft, job, task, to, fault);
            close(draft, number, Some(why.clone()), None);
            draft.push(happens(MoveStep::Lost(fault.clone())));
            go_on(draft, job, why);
        }
    }
}

/// The reason by which a job loses its window.
fn not_brought(draft: &Draft<'_>, job: JobNumber, task: TaskId, to: SiteId, fault: &MoveFault) -> Why {
    Why::NotBrought { task: draft.before.task_name(job, task), to, fault: fault.clone() }
}
