//! Jobs that wait for others: freed by what they wait for, at once, and by nothing else.
//!
//! What became of every job is remembered here for good, so that it does not matter for how long the broker knows it. Time O(log jobs) for
//! each job that waits for one that began or ended; O(jobs) for one that waits for its namesakes.

use crate::Auditor;
use crate::finding::{FindingKind, Thing};
use crate::look::Look;
use crate::state::{Job, JobPhase};
use walras_broker::gate::{Dependency, NeverMet};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::job::JobSpec;

impl Auditor {
    /// Where a job is that has just come.
    pub(crate) fn phase_of_new(
        &mut self,
        look: &mut Look<'_>,
        number: JobNumber,
        spec: &JobSpec,
    ) -> JobPhase {
        for on in &spec.gate.after {
            let of = self.number_of(on.on).unwrap_or(on.on.job);
            let known = self.jobs.contains_key(&of) || self.awaited.ended.contains_key(&of);
            if of >= number || !known && !self.is_pending(of) {
                look.report(FindingKind::NotThere { thing: Thing::Job, number: of.get() });
            }
            self.awaited.dependents.entry(of).or_default().push(number);
        }
        if spec.gate.singleton {
            self.awaited.singletons.insert(number);
        }
        if !spec.gate.held && self.is_let_through(number, spec) {
            free_phase(spec)
        } else {
            JobPhase::Waiting
        }
    }

    fn holds(&self, on: &Dependency) -> Option<bool> {
        self.awaited.holds(self.number_of(on.on)?, on.condition)
    }

    /// Whether all that a job waits for has happened, but for its user's word.
    fn is_let_through(&self, number: JobNumber, spec: &JobSpec) -> bool {
        let met = spec.gate.after.iter().all(|on| self.holds(on) == Some(true));
        met && (!spec.gate.singleton || self.is_alone(number, spec))
    }

    /// Whether no job of the same name and user is there that came before.
    pub(crate) fn is_alone(&self, number: JobNumber, spec: &JobSpec) -> bool {
        let alike = |it: &Job| it.spec.user == spec.user && it.spec.request.name == spec.request.name;
        let mut before = self.jobs.range(..number);
        !before.any(|(_, it)| it.offered.is_none() && it.element.is_none() && alike(it))
    }

    pub(crate) fn freed(&mut self, look: &mut Look<'_>, number: JobNumber) {
        let Some(job) = self.jobs.get(&number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        let here = matches!(job.phase, JobPhase::Waiting | JobPhase::Planned);
        if !here || !job.waits || job.held || !self.is_let_through(number, &job.spec) {
            look.report(FindingKind::FreedWrongly { job: number });
        }
        self.awaited.singletons.remove(&number);
        if let Some(job) = self.jobs.get_mut(&number) {
            (job.waits, job.ready_at) = (false, look.now);
            // Who has a window already keeps it.
            if job.phase != JobPhase::Planned {
                (job.phase, job.since) = (free_phase(&job.spec), look.position);
            }
        }
    }

    pub(crate) fn let_go(&mut self, look: &mut Look<'_>, number: JobNumber) {
        match self.jobs.get_mut(&number).filter(|job| job.held) {
            Some(job) => job.held = false,
            None => look.report(FindingKind::FreedWrongly { job: number }),
        }
        look.concerned.insert(number);
    }

    /// A part of a reservation's job has begun.
    pub(crate) fn begun_part(&mut self, look: &mut Look<'_>, reservation: ReservationNumber) {
        let Some(number) = self.reservations.get(&reservation).map(|it| it.job) else { return };
        let array = self.jobs.get(&number).and_then(|job| job.element);
        for number in [Some(number), array].into_iter().flatten() {
            if self.awaited.begun.insert(number) {
                look.concerned.extend(self.awaited.dependents.get(&number).into_iter().flatten());
            }
        }
    }

    /// A job has ended.
    pub(crate) fn over(&mut self, look: &mut Look<'_>, number: JobNumber, job: &Job, well: bool) {
        self.ended_number(look, number, well);
        let alike = |other: &&JobNumber| {
            let other = self.jobs.get(other).map(|it| &it.spec);
            other.is_some_and(|it| it.user == job.spec.user && it.request.name == job.spec.request.name)
        };
        look.concerned.extend(self.awaited.singletons.iter().filter(alike));
    }

    /// A job or an element has ended: those who wait for it are concerned.
    pub(crate) fn ended_number(&mut self, look: &mut Look<'_>, number: JobNumber, well: bool) {
        let awaited = &mut self.awaited;
        awaited.ended.insert(number, well);
        awaited.begun.remove(&number);
        awaited.singletons.remove(&number);
        look.concerned.extend(awaited.dependents.remove(&number).into_iter().flatten());
    }

    /// Whether a job can really never have what it waits for.
    pub(crate) fn is_never_met(&self, job: &Job, on: &Dependency) -> bool {
        let never = job.spec.gate.after.contains(on) && self.holds(on) == Some(false);
        never && job.waits && self.policy.never_met == NeverMet::Cancel
    }

    /// Whoever waits for nothing any more must have been freed, and whoever waits in vain be given up.
    pub(crate) fn left_behind(&self, look: &mut Look<'_>) {
        for number in std::mem::take(&mut look.concerned) {
            let waits = |job: &&Job| job.waits;
            let Some(job) = self.jobs.get(&number).filter(waits) else { continue };
            let never = |on: &Dependency| self.holds(on) == Some(false);
            let vain = self.policy.never_met == NeverMet::Cancel && job.spec.gate.after.iter().any(never);
            if vain || !job.held && self.is_let_through(number, &job.spec) {
                look.report(FindingKind::LeftBehind { job: number });
            }
        }
    }
}

/// Where a job is that waits for nothing but a window.
fn free_phase(spec: &JobSpec) -> JobPhase {
    if spec.array.is_some() { JobPhase::Drawing } else { JobPhase::Queued }
}
