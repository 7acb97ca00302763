//! What becomes of a choice: a place for every task, spares, and the reasons of those who are left out.

use super::{BatchProblem, workflow};
use crate::prefer::Source;
use crate::refine::{Refined, Support};
use crate::search::{Alternatives, SharedTime, find_window, has_window_on};
use crate::slots::SlotList;
use std::collections::BTreeSet;
use walras_model::id::JobId;
use walras_model::request::Batch;

/// A job that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The job, by its place in the batch.
    pub job: JobId,
    /// How it runs.
    pub run: Run,
    /// How else it could run, ready for when that fails; none overlaps anything that was chosen.
    pub spares: Vec<Run>,
}

/// One alternative of a job, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The window or the queue.
    pub source: Source,
    /// Where its tasks go, where the job is a workflow.
    pub tasks: Option<PlacedTasks>,
}

/// The tasks of a workflow in its window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedTasks {
    /// Where and when they run.
    pub refined: Refined,
    /// What is ready for nodes that may be lost.
    pub supports: Vec<Support>,
}

/// Why a job is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It has no window; [`Alternatives::unscheduled`] says why.
    NoWindow,
    /// Owners' rules refuse all that it could have.
    NotAdmitted,
    /// What is chosen leaves it no room.
    NoRoom,
    /// What was picked for it broke an owner's quota, or took more than a queue had left.
    Quota,
    /// Only overdue jobs are served until this one finds something.
    MakingRoom(JobId),
}

/// Who is served how, and who is not.
pub(super) fn serve(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    found: &Alternatives,
    options: &[Vec<Source>],
    picks: &[Option<Source>],
    over_quota: &[JobId],
) -> (Vec<Served>, Vec<(JobId, LeftOut)>) {
    let room_for = room_for(problem, batch, picks);
    let mut all = Vec::new();
    for (index, pick) in picks.iter().enumerate() {
        let waits = room_for.is_some() && !problem.job(index).overdue;
        let (Some(job), Some(source)) = (JobId::from_index(index), pick.filter(|_| !waits)) else { continue };
        let run = |source, units_max| self::run(problem, batch, found, job, source, units_max);
        let Some(first) = run(source, problem.limits.refine_units_max) else { continue };
        let others = others(found, &options[index], source).into_iter();
        let spares = others.filter_map(|place| run(Source::Window(place), 0));
        let spares = spares.take(problem.limits.spares_max).collect();
        all.push(Served { job, run: first, spares });
    }
    let served: BTreeSet<JobId> = all.iter().map(|served| served.job).collect();
    let left_out = unserved(batch, found, options).filter(|(job, _)| !served.contains(job));
    let left_out = left_out.map(|(job, reason)| match (reason, room_for) {
        (LeftOut::NoRoom, Some(first)) if first != job => (job, LeftOut::MakingRoom(first)),
        (LeftOut::NoRoom, _) if over_quota.contains(&job) => (job, LeftOut::Quota),
        _ => (job, reason),
    });
    let left_out = left_out.collect();
    (all, left_out)
}

/// Why each job would be left out, were it not chosen.
fn unserved<'a>(
    batch: &Batch,
    found: &Alternatives,
    options: &'a [Vec<Source>],
) -> impl Iterator<Item = (JobId, LeftOut)> + use<'a> {
    let no_window: BTreeSet<JobId> = found.unscheduled.iter().map(|it| it.job).collect();
    let jobs = (0..batch.requests().len()).filter_map(JobId::from_index);
    jobs.zip(options).map(move |(job, options)| {
        let admitted = if options.is_empty() { LeftOut::NotAdmitted } else { LeftOut::NoRoom };
        (job, if no_window.contains(&job) { LeftOut::NoWindow } else { admitted })
    })
}

/// The first overdue job that was given nothing, but would find a window if nothing were held: until it does, only overdue
/// jobs are served, so that what is held runs out and nobody starves.
fn room_for(problem: &BatchProblem<'_>, batch: &Batch, picks: &[Option<Source>]) -> Option<JobId> {
    let open = problem.open?;
    let mut waiting = batch.requests().iter().zip(picks).enumerate();
    let found = waiting.find(|(job, (request, pick))| {
        problem.job(*job).overdue && pick.is_none() && {
            let config = problem.search_of(*job);
            if open.is_divided() {
                has_window_on(&SharedTime::new(open), open, request, config, &mut 0)
            } else {
                find_window(&SlotList::from_offers(open), open, request, config).found().is_some()
            }
        }
    });
    found.and_then(|(job, _)| JobId::from_index(job))
}

/// The other windows of a job: those that end first, then the cheaper ones.
fn others(found: &Alternatives, options: &[Source], chosen: Source) -> Vec<usize> {
    let window = |source: &Source| match source {
        Source::Window(place) if *source != chosen => Some(*place),
        Source::Window(_) | Source::Queue(_) => None,
    };
    let mut others: Vec<usize> = options.iter().filter_map(window).collect();
    others.sort_by_key(|place| {
        let window = &found.found[*place].window;
        (window.end(), window.cost(), *place)
    });
    others
}

/// An alternative ready to run; `None` when it does not hold the job's workflow.
pub(super) fn run(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    found: &Alternatives,
    job: JobId,
    source: Source,
    units_max: u64,
) -> Option<Run> {
    let tasks = match (source, problem.job(job.index()).workflow) {
        (Source::Window(place), Some(_)) => {
            Some(workflow::place(problem, batch, job, &found.found[place].window, units_max)?)
        }
        _ => None,
    };
    Some(Run { source, tasks })
}
