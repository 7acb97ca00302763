//! Where the files of tasks are, and what happens to them on their way.

use crate::model::id::ReservationNumber;
use crate::model::job::PartEnd;
use crate::model::moving::{MoveStep, Moving};
use crate::model::reservation::ReservedPart;
use crate::model::state::State;
use walras_model::{SiteId, Span, TaskId};

impl State {
    /// A task that ended well has left its files where it ran.
    pub(super) fn left_files(&mut self, number: ReservationNumber, part: u32, end: PartEnd) {
        if end != PartEnd::Done {
            return;
        }
        let reservation = self.reservations.get(&number).expect("a part ends of a reservation that is there");
        let part = reservation.parts.get(part as usize).expect("a part that ends is one of its reservation");
        // Only tasks of workflows have files to leave.
        let (Some(task), site) = (part.plan.task, part.plan.site) else { return };
        let job = self.jobs.get(&reservation.job).expect("the job of a reservation is there");
        // A gang has when all of it has ended well.
        let is_gang = job
            .spec
            .workflow
            .as_ref()
            .and_then(|of| of.workflow.tasks().get(task.index()))
            .is_some_and(|task| task.nodes > 1);
        let is_open = |other: &ReservedPart| other.plan.task == Some(task) && !other.state.is_done();
        if is_gang && reservation.parts.iter().any(is_open) {
            return;
        }
        let job = self.jobs.get_mut(&reservation.job).expect("the job of a reservation is there");
        let writes = |of: &crate::model::job::WorkflowSpec| {
            of.program(task).is_some_and(|program| !program.outputs.is_empty())
        };
        if job.spec.workflow.as_ref().is_some_and(writes) {
            job.copies.entry(task).or_default().insert(site);
        }
    }

    pub(super) fn files_step(
        &mut self,
        number: ReservationNumber,
        task: TaskId,
        to: SiteId,
        step: &MoveStep,
    ) {
        let clock = self.clock;
        let reservation = self.reservation_mut(number);
        let reservation = reservation
            .unwrap_or_else(|| panic!("files are brought for reservation {number}, which is not there"));
        let job = reservation.job;
        let key = (task, to);
        match step {
            MoveStep::Begun { from, .. } => {
                reservation.moving.insert(key, Moving { from: *from, since: clock, failed: 0 });
            }
            MoveStep::Failed(_) => {
                let moving = reservation.moving.get_mut(&key);
                let moving = moving.unwrap_or_else(|| panic!("files that nobody brings have failed to come"));
                moving.failed += 1;
                moving.since = clock;
            }
            MoveStep::Done { files, bytes } => {
                let moving = reservation.moving.remove(&key);
                let moving = moving.unwrap_or_else(|| panic!("files that nobody brings have come"));
                let took = clock.span_since(moving.since).unwrap_or(Span::ZERO);
                // A site that keeps no files has none to time.
                if *files > 0 {
                    self.measured.learn(*bytes, took);
                }
                let job = self.jobs.get_mut(&job).expect("files are brought for a job that is there");
                job.copies.entry(task).or_default().insert(to);
            }
            MoveStep::Lost(_) => {
                let moving = reservation.moving.remove(&key);
                moving.unwrap_or_else(|| panic!("files that nobody brings are lost"));
                // Its reservation is closed by now, and the job goes on.
                let job = self.jobs.get_mut(&job).expect("files are lost to a job that is there");
                job.done.remove(&task);
                job.copies.remove(&task);
            }
        }
    }
}
