//! Files of tasks are brought to where they are read, as soon as they are there.

use super::draft::Draft;
use crate::model::event::ReservationEvent;
use crate::model::id::ReservationNumber;
use crate::model::moving::MoveStep;
use walras_model::TaskId;

/// Begins to bring what is read elsewhere and is not on its way; of one task, or of all that ended well.
pub(super) fn stage(draft: &mut Draft<'_>, number: ReservationNumber, only: Option<TaskId>) {
    for wanted in draft.state().moves(number, only) {
        let state = draft.state();
        let reservation = state.reservations.get(&number);
        let files = reservation.map(|it| state.files_for(it, wanted.task, wanted.to)).unwrap_or_default();
        let step = MoveStep::Begun { from: wanted.from, files };
        draft.push(ReservationEvent::Files { reservation: number, task: wanted.task, to: wanted.to, step });
    }
}
