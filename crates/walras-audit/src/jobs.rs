//! Jobs: queued once, ended at most once, and always somewhere.

use crate::Auditor;
use crate::finding::{EndFault, FindingKind, Thing};
use crate::look::Look;
use crate::state::{After, Job, JobPhase};
use std::sync::Arc;
use walras_broker::event::JobEvent;
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::input::Input;
use walras_broker::job::{JobEnd, JobSpec, Why};
use walras_model::TaskId;

impl Auditor {
    pub(crate) fn job_event(&mut self, look: &mut Look<'_>, event: &JobEvent) {
        match event {
            JobEvent::Queued { job, key, spec } => {
                self.request(look, key);
                // What was quoted has the strategy that it was quoted with.
                if matches!(look.input, Input::Submit { .. }) {
                    self.strategy_given(look, spec);
                }
                self.queued(look, *job, spec, None);
            }
            JobEvent::Offered { job, quote, spec } => {
                self.queued(look, *job, spec, Some(*quote));
                look.offered.insert(*job, *quote);
            }
            JobEvent::Withdrawn(job) => self.withdrawn(look, *job),
            JobEvent::Returned { job, why } => self.returned(look, *job, why),
            JobEvent::Planned { job, plan, promise, renewed } => {
                self.planned(look, *job, plan, *promise, *renewed);
            }
            JobEvent::Freed(job) => self.freed(look, *job),
            JobEvent::Released(job) => self.let_go(look, *job),
            JobEvent::Drawn { array, elements } => self.drawn(look, *array, elements),
            JobEvent::Cut { array, elements, end, whole } => self.cut(look, *array, elements, end, *whole),
            JobEvent::Ended { job, end } => self.ended(look, *job, end),
            JobEvent::Noticed(_) => {}
        }
    }

    fn queued(
        &mut self,
        look: &mut Look<'_>,
        number: JobNumber,
        spec: &Arc<JobSpec>,
        offered: Option<QuoteNumber>,
    ) {
        self.last.job = next(look, Thing::Job, number.get(), self.last.job);
        if !self.users.contains_key(&spec.user) {
            look.report(FindingKind::NoSuchUser(spec.user.clone()));
        }
        self.counts.jobs += u64::from(offered.is_none());
        let phase = self.phase_of_new(look, number, spec);
        let job = Job { offered, ..Job::new(spec, look.now, look.position, phase) };
        self.jobs.insert(number, job);
        if let Some(indices) = &spec.array {
            self.array_queued(number, indices);
        }
    }

    /// What was held for a quote is given up together with its reservation.
    fn withdrawn(&mut self, look: &mut Look<'_>, number: JobNumber) {
        let Some(job) = self.jobs.remove(&number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        if job.offered.is_none() || job.phase != JobPhase::Loose(After::Broken) {
            look.report(FindingKind::WrongEnd { job: number, why: EndFault::NotOffered });
        }
    }

    fn returned(&mut self, look: &mut Look<'_>, number: JobNumber, why: &Why) {
        let planned = look.decided.as_ref().is_some_and(|decided| decided.batch.contains(&number));
        // One that is planned is given back for a reason: what it was planned for is gone, by what is known, or its time. Whoever waits
        // for others is when these will not, or may not, have come that far when it would be reserved, and for nothing else.
        let of_others = matches!(why, Why::Waits(_));
        let stands = |job: &Job| match job.waits {
            true => !of_others || !self.may_be_late(look, number, job),
            false => of_others || matches!(why, Why::Outdated(_)) && !self.has_lost_ground(look, job),
        };
        let stands = self.jobs.get(&number).is_some_and(|job| job.phase == JobPhase::Planned && stands(job));
        let Some(job) = self.jobs.get_mut(&number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        match job.phase {
            JobPhase::Planned if stands => look.report(FindingKind::JobNotReturning { job: number }),
            JobPhase::Loose(After::Broken) if job.is_used_up(&self.policy) => {
                look.report(FindingKind::WrongEnd { job: number, why: EndFault::Attempts });
            }
            JobPhase::Loose(After::Plan | After::Broken) => {}
            JobPhase::Queued if planned => {}
            // It cannot be paid, and is told so instead of being planned.
            JobPhase::Queued if matches!(why, Why::NoMoney(_) | Why::OverBudget(_)) => {}
            // It would have no node, and is told so instead of being planned.
            JobPhase::Queued if matches!(why, Why::NodesHad { .. }) && job.spec.workflow.is_some() => {}
            // What it was planned for could not be reserved.
            JobPhase::Planned => {}
            JobPhase::Waiting
            | JobPhase::Drawing
            | JobPhase::Queued
            | JobPhase::Planning
            | JobPhase::Reserved(_)
            | JobPhase::Loose(After::Well | After::Failed | After::Cancelled) => {
                look.report(FindingKind::JobNotReturning { job: number });
            }
        }
        let phase = if job.waits { JobPhase::Waiting } else { JobPhase::Queued };
        (job.phase, job.since) = (phase, look.position);
        job.spares.clear();
        job.plan = None;
    }

    fn ended(&mut self, look: &mut Look<'_>, number: JobNumber, end: &JobEnd) {
        let Some(job) = self.jobs.remove(&number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        let fault = match job.spec.array.is_some() && job.element.is_none() {
            true => self.array_end_fault(number, end),
            false => self.end_fault(look, number, &job, end),
        };
        if let Some(why) = fault {
            look.report(FindingKind::WrongEnd { job: number, why });
        }
        if let Some(array) = job.element {
            return self.element_over(look, array, number, end);
        }
        self.over(look, number, &job, *end == JobEnd::Done);
        let count = match end {
            JobEnd::Done => &mut self.counts.done,
            JobEnd::Failed(_) => &mut self.counts.failed,
            JobEnd::Cancelled => &mut self.counts.cancelled,
            JobEnd::GivenUp(_) => &mut self.counts.given_up,
        };
        *count += 1;
    }

    fn end_fault(&self, look: &Look<'_>, number: JobNumber, job: &Job, end: &JobEnd) -> Option<EndFault> {
        if matches!(job.phase, JobPhase::Reserved(_)) {
            return Some(EndFault::Reserved);
        }
        if job.offered.is_some() {
            return Some(EndFault::Offered);
        }
        let (fits, fault) = match end {
            JobEnd::Done => (job.phase == JobPhase::Loose(After::Well) && all_done(job), EndFault::NotDone),
            JobEnd::Failed(_) => (job.phase == JobPhase::Loose(After::Failed), EndFault::NotFailed),
            JobEnd::Cancelled => {
                let told = matches!(look.input, Input::CancelJob { user, job: told }
                    if (*told == number || job.element == Some(*told)) && *user == job.spec.user);
                let among = self.is_among(look.input, number, &job.spec.user);
                (told || among, EndFault::NotCancelled)
            }
            JobEnd::GivenUp(Why::DeadlinePassed) => {
                let passed = job.spec.request.deadline.is_some_and(|deadline| deadline <= look.now);
                (passed && matches!(job.phase, JobPhase::Waiting | JobPhase::Queued), EndFault::InTime)
            }
            JobEnd::GivenUp(Why::NeverMet(on)) => (self.is_never_met(job, on), EndFault::NotInVain),
            JobEnd::GivenUp(_) => (
                job.is_used_up(&self.policy) && job.phase == JobPhase::Loose(After::Broken),
                EndFault::Attempts,
            ),
        };
        (!fits).then_some(fault)
    }

    /// Every job that this entry took out of a plan or a reservation must have a phase again.
    pub(crate) fn forgotten(&mut self, look: &mut Look<'_>) {
        for number in std::mem::take(&mut look.loose) {
            let Some(job) = self.jobs.get_mut(&number) else { continue };
            if matches!(job.phase, JobPhase::Loose(_)) {
                look.report(FindingKind::JobForgotten { job: number });
                (job.phase, job.since) = (JobPhase::Queued, look.position);
            }
        }
    }
}

/// Whether nothing of a workflow is left.
fn all_done(job: &Job) -> bool {
    job.spec.workflow.as_ref().is_none_or(|workflow| {
        let tasks = 0..workflow.workflow.tasks().len();
        tasks.filter_map(TaskId::from_index).all(|task| job.done.contains(&task))
    })
}

/// Checks that a number is the next of its kind; gives the highest so far.
pub(crate) fn next(look: &mut Look<'_>, thing: Thing, number: u64, last: u64) -> u64 {
    let expected = last.saturating_add(1);
    if number != expected {
        look.report(FindingKind::NumberOutOfOrder { thing, number, expected });
    }
    last.max(number)
}
