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

use crate::model::gate::{AFTER_MAX, Dependency, NeverMet, Outlook, Waits, Which};
use crate::model::id::JobNumber;
use crate::model::input::Refusal;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::refusal::BadJob;
use crate::model::repeated::digest_of;
use crate::model::reservation::PartState;
use crate::model::state::State;

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
    /// The number of what is named; `None` where there is no such element.
    pub(crate) fn number_of(&self, which: Which) -> Option<JobNumber> {
        match which.element {
            None => Some(which.job),
            Some(_) => None,
        }
    }

    /// What a dependency comes to, and whose job it is about; `None` where the job is not known.
    fn outlook(&self, number: JobNumber, on: &Dependency) -> Option<(Outlook, &str)> {
        if let Some(job) = self.jobs.get(&number).filter(|job| job.offered.is_none()) {
            return Some((on.condition.while_open(self.has_begun(job)), &job.spec.user));
        }
        let past = self.past.get(&number)?;
        Some((on.condition.after_end(past.well), &past.user))
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
            let other = self.jobs.get(number).map(|job| &job.spec);
            other.is_some_and(|it| it.user == spec.user && it.request.name == spec.request.name)
        })
    }

    /// Those who wait for a job.
    pub(crate) fn dependents_of(&self, number: JobNumber) -> Vec<JobNumber> {
        let all = self.dependents.range((number, JobNumber::default())..=(number, JobNumber::new(u64::MAX)));
        all.map(|((_, dependent), ())| *dependent).collect()
    }

    /// Where a job stands.
    pub(crate) fn standing(&self, number: JobNumber) -> Standing {
        let Some(job) = self.jobs.get(&number).filter(|job| job.phase == Phase::Waiting) else {
            return Standing::Stays;
        };
        let (spec, waits) = (&job.spec, &job.waits);
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
        match own(number) {
            None => return bad(BadJob::NoDependency(*on)),
            Some(Outlook::Never) if state.policy.never_met == NeverMet::Cancel => {
                return bad(BadJob::NeverMet(*on));
            }
            Some(Outlook::Never | Outlook::Met | Outlook::Open) => {}
        }
    }
    Ok(())
}
