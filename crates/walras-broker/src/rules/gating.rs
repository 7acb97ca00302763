//! Who may be planned, and who waits for others first.
//!
//! **Problem.** A job may wait for what becomes of others, for earlier jobs of its own name, and for its user's word. It must be freed by
//! the very event that brings the last of it, after any number of restarts, however many wait.
//!
//! **Method.** What a job still waits for is kept with it and struck off as it happens; an index from each job to those who wait for it
//! says whom an event concerns, so that nothing is ever looked through for it. Jobs wait for lower numbers only, so that there is no
//! circle. What ended is remembered for the latest jobs by number, so that those who come later may name it.
//!
//! **Complexity.** O(log jobs) for an event that concerns nobody, and for each whom it concerns.

use crate::model::array::rank_at;
use crate::model::digest::digest_of;
use crate::model::gate::{AFTER_MAX, Condition, Dependency, NeverMet, Outlook, Waits};
use crate::model::id::JobNumber;
use crate::model::input::Refusal;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::refusal::BadJob;
use crate::model::reservation::PartState;
use crate::model::state::State;
use std::sync::Arc;

/// Where a job stands that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It does not wait, or it still has to.
    Stays,
    /// Nothing is in its way any more.
    Free,
    /// It is given up, because of this.
    Never(Dependency),
}

impl State {
    /// What a dependency comes to, and whose job it is about; `None` where the job is not known.
    fn outlook(&self, number: JobNumber, on: &Dependency) -> Option<(Outlook, &str)> {
        if let Some(job) = self.jobs.get(&number).filter(|job| job.offered.is_none()) {
            return Some((on.condition.while_open(self.has_begun(job)), &job.spec.user));
        }
        if let Some(array) = self.arrays.get(&number) {
            return Some((on.condition.while_open(array.begun), &array.spec.user));
        }
        if let Some((array, rank)) = self.array_of(number) {
            let outlook = match array.pending.contains(rank) {
                true => on.condition.while_open(false),
                false => on.condition.after_end(!array.unwell.contains(rank)),
            };
            return Some((outlook, &array.spec.user));
        }
        let (of, past) = self.past.range(..=number).next_back()?;
        let element = past.array.as_ref().and_then(|it| {
            let rank = rank_at(*of, it.indices.count(), number)?;
            Some(!it.unwell.contains(rank))
        });
        let well = if *of == number { Some(past.well) } else { element }?;
        Some((on.condition.after_end(well), &past.user))
    }

    /// Whether a part of a job has ever begun. Jobs that were written down before that was kept are known by what runs.
    fn has_begun(&self, job: &Job) -> bool {
        let runs = |state: PartState| matches!(state, PartState::Running(_) | PartState::Ended { .. });
        job.begun
            || match job.phase {
                Phase::Reserved(number) => self
                    .reservations
                    .get(&number)
                    .is_some_and(|it| it.parts.iter().any(|part| runs(part.state))),
                Phase::Waiting | Phase::Queued | Phase::Planning | Phase::Planned => false,
            }
    }

    /// What a job that comes now waits for.
    pub(crate) fn waits_of(&self, spec: &JobSpec) -> Waits {
        let mut waits = Waits { held: spec.gate.held, ..Waits::default() };
        for on in &spec.gate.after {
            let Some(number) = self.number_of(on.on) else { continue };
            match self.outlook(number, on) {
                Some((Outlook::Open, _)) => {
                    waits.on.insert((number, *on));
                }
                Some((Outlook::Met, _)) => {}
                Some((Outlook::Never, _)) | None => waits.never = waits.never.or(Some(*on)),
            }
        }
        waits.singleton = spec.gate.singleton && self.first_namesake(spec).is_some();
        waits
    }

    /// The first job that has not ended, of the user and name of another.
    pub(crate) fn first_namesake(&self, spec: &JobSpec) -> Option<JobNumber> {
        let digest = digest_of(&[&spec.user, &spec.request.name]);
        let alike = self.namesakes.range((digest, JobNumber::default())..=(digest, JobNumber::new(u64::MAX)));
        let mut alike = alike.map(|((_, number), ())| *number);
        // Two names may have one digest.
        alike.find(|number| {
            let other = self.spec_of(*number);
            other.is_some_and(|it| it.user == spec.user && it.request.name == spec.request.name)
        })
    }

    /// Those who wait for a job.
    pub(crate) fn dependents_of(&self, number: JobNumber) -> Vec<JobNumber> {
        self.dependents_within(number, number.next()).map(|(_, dependent)| dependent).collect()
    }

    /// Those who wait for jobs of these numbers, the end not among them; and for which.
    pub(crate) fn dependents_within(
        &self,
        first: JobNumber,
        end: JobNumber,
    ) -> impl Iterator<Item = (JobNumber, JobNumber)> {
        let all = self.dependents.range((first, JobNumber::default())..(end, JobNumber::default()));
        all.map(|(pair, ())| *pair)
    }

    /// What was submitted as a job or an array that has not ended.
    pub(crate) fn spec_of(&self, number: JobNumber) -> Option<&Arc<JobSpec>> {
        let array = || self.arrays.get(&number).map(|array| &array.spec);
        self.jobs.get(&number).map(|job| &job.spec).or_else(array)
    }

    /// Whose a job or an array is, and what it waits for.
    pub(crate) fn waits_for(&self, number: JobNumber) -> Option<(&str, &Waits)> {
        if let Some(array) = self.arrays.get(&number) {
            return Some((&array.spec.user, &array.waits));
        }
        let job = self.jobs.get(&number).filter(|job| job.offered.is_none())?;
        Some((&job.spec.user, &job.waits))
    }

    /// Where a job stands.
    pub(crate) fn standing(&self, number: JobNumber) -> Standing {
        let array = self.arrays.get(&number).filter(|array| array.waiting);
        let array = array.map(|array| (&array.spec, &array.waits));
        // Who is planned ahead waits as well.
        let waits = |job: &&Job| job.phase == Phase::Waiting || job.ahead;
        let job = || self.jobs.get(&number).filter(waits);
        let Some((spec, waits)) = array.or_else(|| job().map(|job| (&job.spec, &job.waits))) else {
            return Standing::Stays;
        };
        match (waits.never, self.policy.never_met) {
            (Some(never), NeverMet::Cancel) => return Standing::Never(never),
            (Some(_), NeverMet::Wait) => return Standing::Stays,
            (None, NeverMet::Cancel | NeverMet::Wait) => {}
        }
        let after_others = waits.singleton && self.first_namesake(spec).is_some_and(|first| first < number);
        if waits.held || !waits.on.is_empty() || after_others { Standing::Stays } else { Standing::Free }
    }
}

/// Whether what a job waits for is known, its user's own, and can come about.
pub(crate) fn check_gate(state: &State, spec: &JobSpec) -> Result<(), Refusal> {
    let bad = |why: BadJob| Err(Refusal::BadJob(why));
    let dependencies = spec.gate.after.len();
    if dependencies > AFTER_MAX {
        return bad(BadJob::TooManyDependencies { dependencies, most: AFTER_MAX });
    }
    for on in &spec.gate.after {
        // What one may not see is not there.
        let own = |number: JobNumber| {
            state.outlook(number, on).filter(|(_, user)| *user == spec.user).map(|(outlook, _)| outlook)
        };
        if own(on.on.job).is_none() {
            return bad(BadJob::NoDependency(*on));
        }
        let Some(number) = state.number_of(on.on) else { return bad(BadJob::NoElement(*on)) };
        // An array of which an element ended otherwise does not end well any more.
        let unwell = state.arrays.get(&number).is_some_and(|array| !array.unwell.is_empty());
        let outlook = if unwell && on.condition == Condition::Ok {
            own(number).map(|_| Outlook::Never)
        } else {
            own(number)
        };
        match outlook {
            None => return bad(BadJob::NoDependency(*on)),
            Some(Outlook::Never) if state.policy.never_met == NeverMet::Cancel => {
                return bad(BadJob::NeverMet(*on));
            }
            Some(Outlook::Never | Outlook::Met | Outlook::Open) => {}
        }
    }
    Ok(())
}
