//! Files on their way: which must be brought where before a task can begin.
//!
//! A task that ended well has left its files on the site where it ran. A task that reads them elsewhere begins when they have been brought
//! there. Where files are is a job's matter and not a reservation's: what has been brought stays when the job gets another window.

use crate::model::allocation::Part;
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{Job, PartEnd, WorkflowSpec};
use crate::model::reservation::{PartState, Reservation, ReservationPhase};
use crate::model::state::State;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{SiteId, Span, TaskId, Time};

/// Files of a task that are to be brought to another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) task: TaskId,
    pub(crate) to: SiteId,
    pub(crate) from: SiteId,
}

/// The files that one task writes and another reads.
pub(crate) fn passed(of: &WorkflowSpec, from: TaskId, to: TaskId) -> Vec<&String> {
    let (Some(writer), Some(reader)) = (of.program(from), of.program(to)) else { return Vec::new() };
    let read: BTreeSet<&String> = reader.inputs.iter().collect();
    writer.outputs.iter().filter(|file| read.contains(file)).collect()
}

impl State {
    fn workflow_of(&self, reservation: &Reservation) -> Option<(&Job, &WorkflowSpec)> {
        let job = self.jobs.get(&reservation.job)?;
        let of = job.spec.workflow.as_ref().filter(|of| !of.programs.is_empty())?;
        Some((job, of))
    }

    /// Whether the files that a part reads are on its site. Time O(edges).
    pub(crate) fn has_files(&self, reservation: &Reservation, part: &Part) -> bool {
        let Some(((job, of), task)) = self.workflow_of(reservation).zip(part.task) else { return true };
        of.sources(task).iter().all(|from| job.copies.get(from).is_some_and(|at| at.contains(&part.site)))
    }

    /// Whether a part's predecessors have all ended, and what they give it has arrived by then.
    pub(crate) fn has_what_it_waits_for(&self, reservation: &Reservation, part: &Part, now: Time) -> bool {
        self.there_from(reservation, part).is_some_and(|there| there <= now)
    }

    /// From when on what a part waits for is there; `None` while a predecessor has not ended well.
    ///
    /// Of files that are named it is known when they are there ([`State::has_files`]). Other data is on its way for as long as was planned.
    pub(crate) fn there_from(&self, reservation: &Reservation, part: &Part) -> Option<Time> {
        let mut there = Time::MIN;
        let mut known: Option<BTreeSet<TaskId>> = None;
        for (before, lag) in &part.after {
            let before = reservation.parts.get(*before as usize)?;
            let ended = match before.state {
                PartState::Ended { at, end: PartEnd::Done, .. } => at,
                PartState::Waiting | PartState::Due | PartState::Running(_) | PartState::Ended { .. } => {
                    return None;
                }
            };
            let mut is_named =
                |task: TaskId| known.get_or_insert_with(|| self.sources(reservation, part)).contains(&task);
            let lag = if *lag > Span::ZERO && before.plan.task.is_some_and(&mut is_named) {
                Span::ZERO
            } else {
                *lag
            };
            there = there.max(ended.checked_add(lag)?);
        }
        Some(there)
    }

    /// The tasks whose files a part reads. Time O(edges · files).
    fn sources(&self, reservation: &Reservation, part: &Part) -> BTreeSet<TaskId> {
        let of = self.workflow_of(reservation).zip(part.task);
        of.map_or_else(BTreeSet::new, |((_, of), task)| of.sources(task))
    }

    /// What is to be brought somewhere and is not on its way; of one task, or of all that ended well. Time O(edges · log tasks).
    pub(crate) fn moves(&self, number: ReservationNumber, only: Option<TaskId>) -> BTreeSet<Move> {
        let mut moves = BTreeSet::new();
        let held = |it: &&Reservation| it.phase == ReservationPhase::Held && !self.is_offered(it);
        let Some(reservation) = self.reservations.get(&number).filter(held) else { return moves };
        let Some((job, of)) = self.workflow_of(reservation) else { return moves };
        let waiting = reservation.parts.iter().filter(|part| part.state == PartState::Waiting);
        let waiting: BTreeMap<TaskId, SiteId> =
            waiting.filter_map(|part| Some((part.plan.task?, part.plan.site))).collect();
        let wanted = |from: TaskId| only.is_none_or(|only| only == from);
        for edge in of.workflow.edges().iter().filter(|edge| wanted(edge.from)) {
            let (Some(at), Some(to)) = (job.copies.get(&edge.from), waiting.get(&edge.to)) else { continue };
            let there = at.contains(to) || reservation.moving.contains_key(&(edge.from, *to));
            if there || passed(of, edge.from, edge.to).is_empty() {
                continue;
            }
            let stands = |site: &&SiteId| self.site(**site).is_some_and(|site| !site.lost);
            if let Some(from) = at.iter().find(stands).or(at.first()) {
                moves.insert(Move { task: edge.from, to: *to, from: *from });
            }
        }
        moves
    }

    /// What a task of a job is called; its number, where nobody knows.
    pub(crate) fn task_name(&self, job: JobNumber, task: TaskId) -> String {
        let of = self.jobs.get(&job).and_then(|job| job.spec.workflow.as_ref());
        let known = of.and_then(|of| of.workflow.tasks().get(task.index()));
        known.map_or_else(|| task.number().to_string(), |task| task.name.clone())
    }

    /// The files of a task that are read by those who wait for it on a site.
    pub(crate) fn files_for(&self, reservation: &Reservation, task: TaskId, to: SiteId) -> Vec<String> {
        let Some((_, of)) = self.workflow_of(reservation) else { return Vec::new() };
        let here: BTreeSet<TaskId> = reservation
            .parts
            .iter()
            .filter(|part| part.plan.site == to)
            .filter_map(|part| part.plan.task)
            .collect();
        let readers = of.workflow.edges().iter().filter(|edge| edge.from == task && here.contains(&edge.to));
        let files: BTreeSet<&String> = readers.flat_map(|edge| passed(of, task, edge.to)).collect();
        files.into_iter().cloned().collect()
    }
}
