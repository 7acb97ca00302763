//! When a job could be planned that waits for others, as far as that can be foreseen.
//!
//! **Method.** What it waits for ends when its window does. Who has none yet is taken to begin at once, and who waits in turn when what
//! that waits for has ended. Where chains are planned ahead, whoever may be planned ahead is so after the latest that is promised of those before, and as long
//! after it as a plan leaves between; what is promised of those who have no window yet is what would be promised of the one they are taken to get, so
//! that of a chain that comes in one breath it is said of every link what the plan then has. Nothing is known
//! of arrays, of workflows without a window, and of who waits for their user, or was left out of a plan: then nothing is said. Nothing is
//! promised by it.
//!
//! **Complexity.** O(log jobs) for each job that is waited for, directly or not; at most `LOOKED_AT_MAX` of them.

use crate::model::gate::{Condition, Which};
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::state::State;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_core::agenda::{PromiseLimits, Terms};
use walras_model::{Money, Time};

/// Who waits for more is not looked at.
const LOOKED_AT_MAX: usize = 1_000;

/// When what a job waits for is likely to be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreseen {
    /// It waits for nothing.
    Now,
    /// About then.
    From(Time),
    /// Nobody knows.
    Unknown,
}

/// When a job that came now could be planned.
pub fn foreseen(state: &State, now: Time, spec: &JobSpec) -> Foreseen {
    let waits = state.waits_of(spec);
    if waits.held || waits.never.is_some() {
        return Foreseen::Unknown;
    }
    if waits.on.is_empty() && state.first_namesake(spec).filter(|_| waits.singleton).is_none() {
        return Foreseen::Now;
    }
    let job = Job::new(state.last.job.next(), &Arc::new(spec.clone()), now);
    match state.freed(now, &Job { waits, ..job }, &mut BTreeMap::new()) {
        // Beyond what is planned ahead nobody knows what is free.
        Some(at) if at - now < state.policy.horizon.as_millis() => Foreseen::From(at),
        Some(_) | None => Foreseen::Unknown,
    }
}

/// Of which jobs something is still to happen before a job that came now could be planned, as they are called, each once; and whether that
/// is that they fail.
pub fn awaited(state: &State, spec: &JobSpec) -> BTreeMap<Which, bool> {
    let mut all = BTreeMap::new();
    for (_, on) in state.waits_of(spec).on {
        *all.entry(on.on).or_default() |= on.condition == Condition::Failed;
    }
    all
}

/// When a job is likely to start and to end, and the latest of both by what it is promised, or would be.
#[derive(Clone, Copy)]
struct Course {
    likely: (Time, Time),
    latest: (Time, Time),
}

impl State {
    /// When a condition is likely to be met of a job that has not ended; at the latest, for whoever is planned ahead.
    fn met_at(
        &self,
        now: Time,
        (number, condition): (JobNumber, Condition),
        ahead: bool,
        known: &mut BTreeMap<JobNumber, Option<Course>>,
    ) -> Option<Time> {
        let course = self.course(now, number, known)?;
        let (start, finish) = if ahead { course.latest } else { course.likely };
        Some(if condition == Condition::Started { start } else { finish })
    }

    /// How it is likely to go with a job.
    fn course(
        &self,
        now: Time,
        number: JobNumber,
        known: &mut BTreeMap<JobNumber, Option<Course>>,
    ) -> Option<Course> {
        if let Some(course) = known.get(&number) {
            return *course;
        }
        if known.len() >= LOOKED_AT_MAX {
            return None;
        }
        // Jobs wait for lower numbers only, so that this ends; what is asked for meanwhile is not known.
        known.insert(number, None);
        let job = self.jobs.get(&number)?;
        let windowed = |likely: (Time, Time)| {
            let latest = self.latest_of(number, false).zip(self.latest_of(number, true));
            Course { likely, latest: latest.unwrap_or(likely) }
        };
        let course = match job.phase {
            Phase::Reserved(reservation) => {
                self.reservations.get(&reservation).map(|it| windowed((it.start(), it.finish())))
            }
            Phase::Planned => {
                self.planned_terms(job).map(|Terms { start, finish, .. }| windowed((start, finish)))
            }
            Phase::Queued | Phase::Planning if job.why.is_none() => self.begins(now, job, now),
            Phase::Queued | Phase::Planning => None,
            Phase::Waiting => self.freed(now, job, known).and_then(|at| self.begins(now, job, at)),
        };
        known.insert(number, course);
        course
    }

    /// When a job that waits is likely not to any more, or may be planned ahead.
    fn freed(&self, now: Time, job: &Job, known: &mut BTreeMap<JobNumber, Option<Course>>) -> Option<Time> {
        if job.waits.held || job.waits.never.is_some() {
            return None;
        }
        // Elements have their turn when their array does not wait any more.
        let ahead = job.spec.array.is_none() && self.goes_ahead(job);
        let others = job.waits.on.iter().map(|(number, on)| (*number, on.condition));
        let namesake = self.first_namesake(&job.spec).filter(|it| job.waits.singleton && *it < job.number);
        let mut latest = now;
        for on in others.chain(namesake.map(|number| (number, Condition::Any))) {
            latest = latest.max(self.met_at(now, on, ahead, known)?);
        }
        if ahead { latest.checked_add(self.chain_lag()) } else { Some(latest) }
    }

    /// The course of a job that begins at a moment, on the slowest node that fits.
    fn begins(&self, now: Time, job: &Job, start: Time) -> Option<Course> {
        let request = &job.spec.request;
        let start = request.earliest.map_or(start, |earliest| earliest.max(start));
        let plain = job.spec.workflow.is_none();
        let runs = request.work.runtime_on(request.performance_min).filter(|_| plain)?;
        let finish = start.checked_add(runs)?;
        let likely = (start, finish);
        let Some(rules) = self.promises() else { return Some(Course { likely, latest: likely }) };
        let limits = PromiseLimits { deadline: request.deadline, ..PromiseLimits::NONE };
        let window = Terms { start, finish, cost: Money::ZERO };
        let promise = rules.rules().promise(now, window, limits);
        Some(Course { likely, latest: (promise.start, promise.finish) })
    }
}
