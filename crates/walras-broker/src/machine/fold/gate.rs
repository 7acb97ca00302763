//! Who waits for whom: struck off as it happens.

use super::notice;
use crate::model::digest::digest_of;
use crate::model::gate::{Condition, Outlook, Past, Waits};
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec, Phase};
use crate::model::limits::PAST_MAX;
use crate::model::state::State;

impl State {
    /// Nothing is waited for any more.
    pub(super) fn job_freed(&mut self, number: JobNumber) {
        let clock = self.clock;
        if let Some(array) = self.arrays.get_mut(&number).filter(|array| array.waiting) {
            (array.waiting, array.freed_at) = (false, Some(clock));
            array.waits = Waits::default();
        } else {
            let waits = |job: &&mut Job| job.phase == Phase::Waiting || job.ahead;
            let job = self.jobs.get_mut(&number).filter(waits);
            let job = job.unwrap_or_else(|| panic!("job {number} is freed and did not wait"));
            // Who has a window already keeps it.
            if job.phase == Phase::Waiting {
                job.phase = Phase::Queued;
            }
            (job.freed_at, job.waits, job.ahead) = (Some(clock), Waits::default(), false);
        }
        self.unsettle();
    }

    fn waits_mut(&mut self, number: JobNumber) -> Option<&mut Waits> {
        if self.arrays.contains_key(&number) {
            return self.arrays.get_mut(&number).map(|array| &mut array.waits);
        }
        self.jobs.get_mut(&number).map(|job| &mut job.waits)
    }

    /// Its user lets a job go.
    pub(super) fn job_released(&mut self, number: JobNumber) {
        let waits = self.waits_mut(number).filter(|waits| waits.held);
        waits.unwrap_or_else(|| panic!("job {number} is released and was not held")).held = false;
    }

    /// A part of a job has begun; those who waited for that wait no more.
    pub(super) fn job_begun(&mut self, number: JobNumber) {
        if self.jobs.get(&number).expect("a job that begins is there").begun {
            return;
        }
        let job = self.jobs.get_mut(&number).expect("it was there just now");
        job.begun = true;
        let element = job.element;
        self.tell(number, |condition| condition.while_open(true));
        notice::of_begin(self, number);
        let array = element.and_then(|of| self.arrays.get_mut(&of.array));
        if let Some(array) = array.filter(|array| !array.begun) {
            array.begun = true;
            let number = array.number;
            self.tell(number, |condition| condition.while_open(true));
            notice::of_begin(self, number);
        }
    }

    /// A job has ended; those who waited for it are told, and what came of it is remembered.
    pub(super) fn job_past(&mut self, number: JobNumber, spec: &JobSpec, past: Past) {
        self.namesakes.remove(&(name_digest(spec), number));
        self.tell_end(number, past.well);
        self.past.insert(number, past);
        if self.past.len() > PAST_MAX {
            self.past.remove_first();
        }
    }

    /// A job or an element has ended; those who waited for it are told.
    pub(super) fn tell_end(&mut self, number: JobNumber, well: bool) {
        for dependent in self.tell(number, |condition| condition.after_end(well)) {
            self.dependents.remove(&(number, dependent));
        }
    }

    fn tell(&mut self, number: JobNumber, outlook: impl Fn(Condition) -> Outlook) -> Vec<JobNumber> {
        let dependents = self.dependents_of(number);
        for dependent in &dependents {
            let Some(waits) = self.waits_mut(*dependent) else { continue };
            waits.hear(number, &outlook);
            if !waits.on.iter().any(|(of, _)| *of == number) {
                self.dependents.remove(&(number, *dependent));
            }
        }
        dependents
    }

    /// Notes by which name a job is known, and for whom it waits.
    pub(super) fn note(&mut self, number: JobNumber, spec: &JobSpec, waits: &Waits) {
        self.namesakes.insert((name_digest(spec), number), ());
        for (on, _) in &waits.on {
            self.dependents.insert((*on, number), ());
        }
    }

    /// Forgets for whom a job waited that is no more.
    pub(super) fn forget(&mut self, number: JobNumber, waits: &Waits) {
        for (on, _) in &waits.on {
            self.dependents.remove(&(*on, number));
        }
    }

    /// Notes all of them, after the state was read from where that is not written.
    pub(crate) fn note_again(&mut self) {
        let (jobs, arrays) = (self.jobs.clone(), self.arrays.clone());
        for job in jobs.values().filter(|job| job.offered.is_none() && job.element.is_none()) {
            self.note(job.number, &job.spec, &job.waits);
        }
        for array in arrays.values() {
            self.note(array.number, &array.spec, &array.waits);
        }
    }
}

fn name_digest(spec: &JobSpec) -> u64 {
    digest_of(&[&spec.user, &spec.request.name])
}
