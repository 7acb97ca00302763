//! When a job could be planned that waits for others, as far as that can be foreseen.
//!
//! **Method.** What it waits for ends when its window does. Who has none yet is taken to begin at once, and who waits in turn when what
//! that waits for has ended. Where chains are planned ahead and all of it has a window, it is when the plan would have it. Nothing is known
//! of arrays, of workflows without a window, and of who waits for their user, or was left out of a plan: then nothing is said. Nothing is
//! promised by it.
//!
//! **Complexity.** O(log jobs) for each job that is waited for, directly or not; at most `LOOKED_AT_MAX` of them.

use crate::model::gate::{Condition, Waits, Which};
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::state::State;
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_core::agenda::Terms;
use walras_model::Time;

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
    let mut known = BTreeMap::new();
    let others = waits.on.iter().map(|(number, on)| (*number, on.condition));
    let namesake = state.first_namesake(spec).filter(|_| waits.singleton);
    let all = others.chain(namesake.map(|number| (number, Condition::Any)));
    let mut latest = None;
    for (number, condition) in all {
        match state.met_at(now, number, condition, &mut known) {
            Some(at) => latest = latest.max(Some(at)),
            None => return Foreseen::Unknown,
        }
    }
    match latest.map(|at| state.planned_from(now, spec, waits).unwrap_or(at)) {
        None => Foreseen::Now,
        // Beyond what is planned ahead nobody knows what is free.
        Some(at) if at - now >= state.policy.horizon.as_millis() => Foreseen::Unknown,
        Some(at) => Foreseen::From(at),
    }
}

/// Of which jobs something is still to happen before a job that came now could be planned, as they are called.
pub fn awaited(state: &State, spec: &JobSpec) -> Vec<Which> {
    let waits = state.waits_of(spec);
    waits.on.iter().map(|(_, on)| on.on).collect()
}

impl State {
    /// From when on a chain is planned ahead, where all that a job waits for has a window: as long after these as a plan leaves between.
    fn planned_from(&self, now: Time, spec: &JobSpec, waits: Waits) -> Option<Time> {
        let job = Job::new(self.last.job.next(), &Arc::new(spec.clone()), now);
        let job = Job { waits, ..job };
        let from = self.follows_from(&job).filter(|_| self.goes_ahead(&job));
        from.filter(|from| *from < Time::MAX)
    }

    /// When a condition is likely to be met of a job that has not ended.
    fn met_at(
        &self,
        now: Time,
        number: JobNumber,
        condition: Condition,
        known: &mut BTreeMap<JobNumber, Option<(Time, Time)>>,
    ) -> Option<Time> {
        let (start, finish) = self.course(now, number, known)?;
        Some(if condition == Condition::Started { start } else { finish })
    }

    /// When a job is likely to start and to end.
    fn course(
        &self,
        now: Time,
        number: JobNumber,
        known: &mut BTreeMap<JobNumber, Option<(Time, Time)>>,
    ) -> Option<(Time, Time)> {
        if let Some(course) = known.get(&number) {
            return *course;
        }
        if known.len() >= LOOKED_AT_MAX {
            return None;
        }
        // Jobs wait for lower numbers only, so that this ends; what is asked for meanwhile is not known.
        known.insert(number, None);
        let job = self.jobs.get(&number)?;
        let course = match job.phase {
            Phase::Reserved(reservation) => {
                self.reservations.get(&reservation).map(|it| (it.start(), it.finish()))
            }
            Phase::Planned => self.planned_terms(job).map(|Terms { start, finish, .. }| (start, finish)),
            Phase::Queued | Phase::Planning if job.why.is_none() => from(job, now),
            Phase::Queued | Phase::Planning => None,
            Phase::Waiting => self.freed(now, job, known).and_then(|at| from(job, at)),
        };
        known.insert(number, course);
        course
    }

    /// When a job that waits is likely not to any more.
    fn freed(
        &self,
        now: Time,
        job: &Job,
        known: &mut BTreeMap<JobNumber, Option<(Time, Time)>>,
    ) -> Option<Time> {
        if job.waits.held || job.waits.never.is_some() {
            return None;
        }
        let mut latest = now;
        for (number, on) in &job.waits.on {
            latest = latest.max(self.met_at(now, *number, on.condition, known)?);
        }
        let namesake = self.first_namesake(&job.spec).filter(|it| job.waits.singleton && *it < job.number);
        match namesake {
            Some(number) => Some(latest.max(self.met_at(now, number, Condition::Any, known)?)),
            None => Some(latest),
        }
    }
}

/// A course that begins at a moment, on the slowest node that fits.
fn from(job: &Job, start: Time) -> Option<(Time, Time)> {
    let request = &job.spec.request;
    let start = request.earliest.map_or(start, |earliest| earliest.max(start));
    let plain = job.spec.workflow.is_none();
    let runs = request.work.runtime_on(request.performance_min).filter(|_| plain)?;
    Some((start, start.checked_add(runs)?))
}
