//! Files of tasks on their way, as listeners and a job's history are told.

use super::{Context, listed};
use crate::error::echo;
use walras_broker::State;
use walras_broker::id::ReservationNumber;
use walras_broker::job::JobSpec;
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

/// Files by name: the first of many.
fn named(files: &[String]) -> String {
    /// So many are named.
    const NAMED: usize = 5;
    let mut names: Vec<String> = files.iter().take(NAMED).map(|file| echo(file)).collect();
    let more = files.len().saturating_sub(NAMED);
    names.extend((more > 0).then(|| format!("{more} more")));
    listed(&names)
}

/// What has happened to the files of a task, for a reservation; `spec` is its job's, where that may be over.
pub(super) fn files_text(
    state: &State,
    spec: Option<&JobSpec>,
    number: ReservationNumber,
    task: TaskId,
    to: SiteId,
    step: &MoveStep,
) -> String {
    let context = Context::of_service(state);
    let known = || Some(&*state.jobs.get(&state.reservations.get(&number)?.job)?.spec);
    let workflow = spec.or_else(known).and_then(|spec| spec.workflow.as_ref());
    let name = workflow.and_then(|of| of.workflow.tasks().get(task.index())).map(|task| echo(&task.name));
    let name = name.unwrap_or_else(|| task.number().to_string());
    let to = context.site(to);
    match step {
        MoveStep::Begun { from, files } if files.is_empty() => {
            format!("The files of task {name} go from {} to {to}.", context.site(*from))
        }
        MoveStep::Begun { from, files } => {
            let (noun, go) = if files.len() == 1 { ("file", "goes") } else { ("files", "go") };
            let (files, from) = (named(files), context.site(*from));
            format!("The {noun} {files} of task {name} {go} from {from} to {to}.")
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

impl Context<'_> {
    /// Why a job lost its window, or failed, whose file could not be brought to where it is read.
    pub(super) fn not_brought(&self, task: &str, to: SiteId, fault: &MoveFault) -> String {
        let (to, why) = (self.site(to), fault_text(self, fault));
        format!("A file of task {} could not be brought to {to}: {why}.", echo(task))
    }
}

/// Why a file is not taken that is a link.
pub(super) fn link_text(file: &str) -> String {
    format!(
        "{file} is a link or lies behind one, which may lead out of the job's directory: no link is followed"
    )
}

fn fault_text(context: &Context<'_>, fault: &MoveFault) -> String {
    match fault {
        MoveFault::Silent(site) => format!("site {} does not say where they are", context.site(*site)),
        MoveFault::NotThere(file) => format!("{} is not there", echo(file)),
        MoveFault::Outside(file) => link_text(&echo(file)),
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
            files_text(&state, None, ReservationNumber::new(1), TaskId::new(7), SiteId::new(2), step)
        };
        let file = || "a/b".to_owned();
        for (step, expected) in [
            (
                MoveStep::Begun { from: SiteId::new(1), files: Vec::new() },
                "The files of task 7 go from 1 to 2.",
            ),
            (
                MoveStep::Begun { from: SiteId::new(1), files: vec![file()] },
                "The file a/b of task 7 goes from 1 to 2.",
            ),
            (
                MoveStep::Begun { from: SiteId::new(1), files: vec![file(); 7] },
                "The files a/b, a/b, a/b, a/b, a/b and 2 more of task 7 go from 1 to 2.",
            ),
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
                "The files of task 7 cannot be had at 2: a/b is a link or lies behind one, which may lead out of the job's directory: no link is \
                 followed. It runs again.",
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
