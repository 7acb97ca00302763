//! Files of tasks on their way, as listeners and a job's history are told.

use super::Context;
use crate::error::echo;
use walras_broker::State;
use walras_broker::id::ReservationNumber;
use walras_broker::moving::{MoveFault, MoveStep};
use walras_model::{SiteId, TaskId};

/// A number of bytes as people say it.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes / 100 % 10),
        1_000_000..1_000_000_000 => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}

/// What has happened to the files of a task, for a reservation.
pub(super) fn files_text(
    state: &State,
    number: ReservationNumber,
    task: TaskId,
    to: SiteId,
    step: &MoveStep,
) -> String {
    let context = Context::of_service(state);
    let job = state.reservations.get(&number).and_then(|it| state.jobs.get(&it.job));
    let workflow = job.and_then(|job| job.spec.workflow.as_ref());
    let name = workflow.and_then(|of| of.workflow.tasks().get(task.index())).map(|task| echo(&task.name));
    let name = name.unwrap_or_else(|| task.number().to_string());
    let to = context.site(to);
    match step {
        MoveStep::Begun { from } => {
            format!("The files of task {name} go from {} to {to}.", context.site(*from))
        }
        MoveStep::Done { files: 1, bytes } => {
            format!("One file of task {name} has come to {to}: {}.", size(*bytes))
        }
        MoveStep::Done { files, bytes } => {
            format!("{files} files of task {name} have come to {to}: {}.", size(*bytes))
        }
        MoveStep::Failed(fault) => {
            let why = fault_text(&context, fault);
            format!("The files of task {name} did not come to {to}: {why}. It is tried again.")
        }
        MoveStep::Lost(fault) => {
            let why = fault_text(&context, fault);
            format!("The files of task {name} cannot be had at {to}: {why}. It runs again.")
        }
    }
}

fn fault_text(context: &Context<'_>, fault: &MoveFault) -> String {
    match fault {
        MoveFault::Silent(site) => format!("site {} does not say where they are", context.site(*site)),
        MoveFault::NotThere(file) => format!("{} is not there", echo(file)),
        MoveFault::Outside(file) => format!("{} leads out of the job's directory", echo(file)),
        MoveFault::TooLarge(file) => format!("{} is larger than what is moved", echo(file)),
        MoveFault::Damaged(file) => format!("{} was damaged on its way", echo(file)),
        MoveFault::Refused(file) => format!("the system would not read or write {}", echo(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_sentence() {
        let state = State::default();
        let text = |step: &MoveStep| {
            files_text(&state, ReservationNumber::new(1), TaskId::new(7), SiteId::new(2), step)
        };
        let file = || "a/b".to_owned();
        for (step, expected) in [
            (MoveStep::Begun { from: SiteId::new(1) }, "The files of task 7 go from 1 to 2."),
            (MoveStep::Done { files: 1, bytes: 999 }, "One file of task 7 has come to 2: 999 bytes."),
            (MoveStep::Done { files: 2, bytes: 1_250 }, "2 files of task 7 have come to 2: 1.2 kB."),
            (MoveStep::Done { files: 2, bytes: 9_950_000 }, "2 files of task 7 have come to 2: 9.9 MB."),
            (
                MoveStep::Done { files: 2, bytes: 100_000_000_000 },
                "2 files of task 7 have come to 2: 100.0 GB.",
            ),
            (
                MoveStep::Failed(MoveFault::Silent(SiteId::new(1))),
                "The files of task 7 did not come to 2: site 1 does not say where they are. It is tried again.",
            ),
            (
                MoveStep::Lost(MoveFault::NotThere(file())),
                "The files of task 7 cannot be had at 2: a/b is not there. It runs again.",
            ),
            (
                MoveStep::Lost(MoveFault::Outside(file())),
                "The files of task 7 cannot be had at 2: a/b leads out of the job's directory. It runs again.",
            ),
            (
                MoveStep::Lost(MoveFault::TooLarge(file())),
                "The files of task 7 cannot be had at 2: a/b is larger than what is moved. It runs again.",
            ),
            (
                MoveStep::Failed(MoveFault::Damaged(file())),
                "The files of task 7 did not come to 2: a/b was damaged on its way. It is tried again.",
            ),
            (
                MoveStep::Failed(MoveFault::Refused(file())),
                "The files of task 7 did not come to 2: the system would not read or write a/b. It is tried again.",
            ),
        ] {
            assert_eq!(text(&step), expected);
        }
    }
}
