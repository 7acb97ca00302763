//! Jobs: queued, offered, back in the queue, ended.

use super::notice;
use crate::model::event::JobEvent;
use crate::model::gate::Past;
use crate::model::id::{JobNumber, QuoteNumber};
use crate::model::input::Answer;
use crate::model::job::{Job, JobEnd, JobSpec, Phase, Planned, Why};
use crate::model::repeated::Asked;
use crate::model::sharing::Tally;
use crate::model::state::State;
use crate::rules::predicting::expected;
use std::sync::Arc;
use walras_core::agenda::Promise;

impl State {
    pub(super) fn fold_job(&mut self, event: &JobEvent) {
        match event {
            JobEvent::Queued { job, key, spec } => {
                self.remember(key, Answer::Job(*job), Some(Asked::Job(spec.digest())));
                match &spec.array {
                    Some(indices) => self.array_there(*job, spec, indices),
                    None => self.job_there(*job, spec, None),
                }
                self.unsettle();
            }
            JobEvent::Offered { job, quote, spec } => self.job_there(*job, spec, Some(*quote)),
            JobEvent::Withdrawn(job) => self.job_withdrawn(*job),
            JobEvent::Returned { job, why } => {
                assert!(self.jobs.contains_key(job), "job {job} is back in the queue and was never there");
                self.job_returned(*job, why);
                self.unsettle();
            }
            JobEvent::Planned { job, plan, promise, renewed } => {
                self.job_planned(*job, plan, *promise, *renewed);
            }
            JobEvent::Freed(job) => self.job_freed(*job),
            JobEvent::Released(job) => self.job_released(*job),
            JobEvent::Drawn { array, elements } => self.drawn(*array, elements),
            JobEvent::Cut { array, elements, end, whole } => self.array_cut(*array, elements, end, *whole),
            JobEvent::Ended { job, end } => self.ended(*job, end),
            JobEvent::Noticed(notice) => self.notices.remove(notice),
        }
    }

    fn job_there(&mut self, number: JobNumber, spec: &Arc<JobSpec>, offered: Option<QuoteNumber>) {
        assert!(number > self.last.job, "the number {number} was given to a job before");
        self.last.job = number;
        let (expected, wait) = expected(self, spec);
        let waits = self.waits_of(spec);
        let mut job = Job::new(number, spec, self.clock);
        if !waits.is_none() {
            job.phase = Phase::Waiting;
        }
        (job.waits, job.offered, job.expected) = (waits, offered, expected);
        job.wait = wait.filter(|_| offered.is_none());
        self.tally_up(&spec.user, Tally::of_job(spec));
        if offered.is_none() {
            self.note(number, spec, &job.waits);
        }
        self.jobs.insert(number, job);
    }

    fn job_withdrawn(&mut self, number: JobNumber) {
        let job = self.jobs.get(&number).filter(|job| job.offered.is_some());
        let job = job.unwrap_or_else(|| panic!("job {number} is withdrawn and was never offered"));
        let spec = Arc::clone(&job.spec);
        self.tally_down(&spec.user, Tally::of_job(&spec));
        self.jobs.remove(&number);
        self.unsettle();
    }

    /// A job may have ended while it was planned: then there is nothing to return.
    pub(super) fn job_returned(&mut self, number: JobNumber, why: &Why) {
        let clock = self.clock;
        if let Some(job) = self.jobs.get_mut(&number) {
            job.phase = if job.ahead { Phase::Waiting } else { Phase::Queued };
            job.ahead = false;
            (job.plan, job.told) = (None, None);
            job.returns = job.returns.saturating_add(1);
            job.why = Some(why.clone());
            job.spares.clear();
            let left_out = *why == Why::NotPlanned && job.spec.workflow.is_some();
            if left_out || matches!(why, Why::NoFit(_) | Why::NotAdmitted) {
                let times = job.missed.map_or(0, |(times, _)| times);
                job.missed = Some((times.saturating_add(1), clock));
            }
        }
    }

    fn job_planned(&mut self, number: JobNumber, plan: &Arc<Planned>, promise: Promise, renewed: bool) {
        let job = self.jobs.get(&number);
        let job = job.unwrap_or_else(|| panic!("job {number} is planned and was never there"));
        let known = job.told.as_ref().filter(|_| !renewed);
        let told = self.told_of(self.clock, &job.spec, plan, &promise, known);
        let job = self.jobs.get_mut(&number).expect("it is there");
        job.told = told;
        self.totals.promises_renewed += u64::from(renewed);
        let news = if renewed || job.promise != Some(promise) { Some(job.spec.user.clone()) } else { None };
        job.ahead |= job.phase == Phase::Waiting;
        job.phase = Phase::Planned;
        job.plan = Some(Arc::clone(plan));
        job.promise = Some(promise);
        (job.why, job.missed) = (None, None);
        if renewed && !self.dependents_of(number).is_empty() {
            // Those who were planned behind it may have to move.
            self.unsettle();
        }
        if let Some(user) = news {
            notice::of_promise(self, user, number, plan.start, promise, renewed);
        }
    }

    /// A job has ended, an element or a whole array. What is an element of another does not count by itself.
    fn ended(&mut self, number: JobNumber, end: &JobEnd) {
        self.unsettle();
        if let Some(of) = self.jobs.get(&number).and_then(|job| job.element) {
            self.jobs.remove(&number);
            return self.element_ended(number, of, end);
        }
        if self.arrays.contains_key(&number) {
            self.array_ended(number, end);
        } else {
            self.job_ended(number, end);
        }
        let count = match end {
            JobEnd::Done => &mut self.totals.done,
            JobEnd::Failed(_) => &mut self.totals.failed,
            JobEnd::Cancelled => &mut self.totals.cancelled,
            JobEnd::GivenUp(_) => &mut self.totals.given_up,
        };
        *count += 1;
    }

    fn job_ended(&mut self, number: JobNumber, end: &JobEnd) {
        let job = self.jobs.get(&number);
        let job = job.unwrap_or_else(|| panic!("job {number} has ended and was never there"));
        let (spec, waits) = (Arc::clone(&job.spec), job.waits.clone());
        notice::of_end(self, spec.user.clone(), number, end);
        self.tally_down(&spec.user, Tally::of_job(&spec));
        self.forget(number, &waits);
        self.jobs.remove(&number);
        let (user, well) = (Arc::from(spec.user.as_str()), *end == JobEnd::Done);
        self.job_past(number, &spec, Past { user, well, array: None });
    }
}
