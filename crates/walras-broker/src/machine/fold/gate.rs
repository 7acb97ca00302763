//! Who waits for whom: struck off as it happens.

use crate::model::gate::{Condition, Outlook, Past};
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::limits::PAST_MAX;
use crate::model::repeated::digest_of;
use crate::model::state::State;
use std::sync::Arc;

impl State {
    /// Nothing is waited for any more.
    pub(super) fn job_freed(&mut self, number: JobNumber) {
        let clock = self.clock;
        let job = self.jobs.get_mut(&number).filter(|job| job.phase == Phase::Waiting);
        let job = job.unwrap_or_else(|| panic!("job {number} is freed and did not wait"));
        (job.phase, job.freed_at) = (Phase::Queued, Some(clock));
        job.waits = Default::default();
        self.unsettle();
    }

    /// Its user lets a job go.
    pub(super) fn job_released(&mut self, number: JobNumber) {
        let job = self.jobs.get_mut(&number).filter(|job| job.waits.held);
        job.unwrap_or_else(|| panic!("job {number} is released and was not held")).waits.held = false;
    }

    /// A part of a job has begun; those who waited for that wait no more.
    pub(super) fn job_begun(&mut self, number: JobNumber) {
        let Some(job) = self.jobs.get(&number).filter(|job| !job.begun) else { return };
        debug_assert_eq!(job.number, number);
        if let Some(job) = self.jobs.get_mut(&number) {
            job.begun = true;
        }
        self.tell(number, |condition| condition.while_open(true));
    }

    /// A job has ended; those who waited for it are told, and what came of it is remembered.
    pub(super) fn job_past(&mut self, number: JobNumber, spec: &JobSpec, well: bool) {
        self.namesakes.remove(&(name_digest(spec), number));
        let dependents = self.tell(number, |condition| condition.after_end(well));
        for dependent in dependents {
            self.dependents.remove(&(number, dependent));
        }
        self.past.insert(number, Past { user: Arc::from(spec.user.as_str()), well });
        if self.past.len() > PAST_MAX {
            self.past.remove_first();
        }
    }

    fn tell(&mut self, number: JobNumber, outlook: impl Fn(Condition) -> Outlook) -> Vec<JobNumber> {
        let dependents = self.dependents_of(number);
        for dependent in &dependents {
            if let Some(job) = self.jobs.get_mut(dependent) {
                job.waits.hear(number, &outlook);
            }
        }
        dependents
    }

    /// Notes by whom and for whom a job waits.
    pub(super) fn note(&mut self, job: &Job) {
        if job.offered.is_none() {
            self.namesakes.insert((name_digest(&job.spec), job.number), ());
        }
        for (on, _) in &job.waits.on {
            self.dependents.insert((*on, job.number), ());
        }
    }

    /// Forgets for whom a job waited that is no more.
    pub(super) fn forget(&mut self, job: &Job) {
        for (on, _) in &job.waits.on {
            self.dependents.remove(&(*on, job.number));
        }
    }

    /// Notes all of them, after the state was read from where that is not written.
    pub(crate) fn note_again(&mut self) {
        let jobs = self.jobs.clone();
        for job in jobs.values() {
            self.note(job);
        }
    }
}

fn name_digest(spec: &JobSpec) -> u64 {
    digest_of(&[&spec.user, &spec.request.name])
}
