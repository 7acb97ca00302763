//! Files of tasks: a part begins when all that it reads is on its site, and nothing is brought from where it is not.
//!
//! Time O(files · log files) for each part that is started.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::Reservation;
use std::collections::BTreeMap;
use walras_broker::id::ReservationNumber;
use walras_broker::moving::MoveStep;
use walras_model::{SiteId, TaskId};

impl Auditor {
    /// Where every file that a task reads was written, by the job's own words; those that come with the job are nobody's.
    fn files_are_missing(&self, number: ReservationNumber, part: u32) -> Option<String> {
        let reservation = self.reservations.get(&number)?;
        let planned = reservation.allocation.parts.get(part as usize)?;
        let job = self.jobs.get(&reservation.job)?;
        let programs = &job.spec.workflow.as_ref()?.programs;
        let reads = &programs.get(planned.task?.index())?.inputs;
        let mut writers: BTreeMap<&String, TaskId> = BTreeMap::new();
        for (index, program) in programs.iter().enumerate().filter(|_| !reads.is_empty()) {
            let task = TaskId::from_index(index)?;
            writers.extend(program.outputs.iter().map(|file| (file, task)));
        }
        let missing = |file: &&String| {
            writers.get(file).is_some_and(|task| !job.copies.contains(&(*task, planned.site)))
        };
        reads.iter().find(missing).cloned()
    }

    /// Whether one part writes a file that another reads, by the job's own words.
    pub(crate) fn passes_files(&self, reservation: &Reservation, from: u32, to: u32) -> bool {
        let program = |part: u32| {
            let task = reservation.allocation.parts.get(part as usize)?.task?;
            let of = self.jobs.get(&reservation.job)?.spec.workflow.as_ref()?;
            of.programs.get(task.index())
        };
        let both = program(from).zip(program(to));
        both.is_some_and(|(writer, reader)| writer.outputs.iter().any(|file| reader.inputs.contains(file)))
    }

    pub(crate) fn files_are_there(&self, look: &mut Look<'_>, number: ReservationNumber, part: u32) {
        if let Some(file) = self.files_are_missing(number, part) {
            look.report(FindingKind::BeforeFiles { reservation: number, part, file });
        }
    }

    /// A task that ended well has left its files where it ran.
    pub(crate) fn left_files(&mut self, number: ReservationNumber, part: u32) {
        let Some(reservation) = self.reservations.get(&number) else { return };
        let Some(planned) = reservation.allocation.parts.get(part as usize) else { return };
        let (Some(task), site) = (planned.task, planned.site) else { return };
        let Some(job) = self.jobs.get_mut(&reservation.job) else { return };
        // A gang has when all of it has ended well.
        let is_gang = job
            .spec
            .workflow
            .as_ref()
            .and_then(|of| of.workflow.tasks().get(task.index()))
            .is_some_and(|task| task.nodes > 1);
        let mut parts = reservation.allocation.parts.iter().zip(&reservation.parts);
        if !is_gang || parts.all(|(part, state)| part.task != Some(task) || state.is_done()) {
            job.copies.insert((task, site));
        }
    }

    pub(crate) fn files_step(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        task: TaskId,
        to: SiteId,
        step: &MoveStep,
    ) {
        let Some(reservation) = self.reservations.get_mut(&number) else {
            return look.report(FindingKind::FilesStep { reservation: number, task, step: "brought" });
        };
        let Some(job) = self.jobs.get_mut(&reservation.job) else { return };
        let (fits, name) = match step {
            MoveStep::Begun { from, files } => {
                let new = reservation.moving.insert((task, to), *from).is_none();
                let of = job.spec.workflow.as_ref().and_then(|of| of.program(task));
                let own = files.iter().all(|file| of.is_some_and(|of| of.outputs.contains(file)));
                (new && own && job.copies.contains(&(task, *from)) && from != &to, "begun")
            }
            MoveStep::Done { .. } => {
                job.copies.insert((task, to));
                (reservation.moving.remove(&(task, to)).is_some(), "done")
            }
            MoveStep::Failed(_) => (reservation.moving.contains_key(&(task, to)), "failed"),
            MoveStep::Lost(_) => {
                job.done.remove(&task);
                job.copies.retain(|(whose, _)| *whose != task);
                (reservation.moving.remove(&(task, to)).is_some(), "lost")
            }
        };
        if !fits {
            look.report(FindingKind::FilesStep { reservation: number, task, step: name });
        }
    }
}
