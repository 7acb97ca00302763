//! Rounds: jobs are assigned to sites that sell capacity by the VO's method, once a period, and run there in no other way.
//!
//! Whether an assignment was the best the journal does not tell; that it was a round of the VO's does. Time O(served + legs).

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{Cycle, Job, Round};
use crate::sums::{millis_between, runtime_of};
use std::collections::BTreeSet;
use walras_broker::allocation::Allocation;
use walras_broker::decision::{AssignedRound, Verdict};
use walras_broker::id::JobNumber;
use walras_broker::policy::{Deciding, Method};
use walras_core::agenda::Late;
use walras_model::Time;

impl Auditor {
    /// Rules were set: of a plan that was under way nobody knows by which it is made.
    pub(crate) fn rules_changed(&mut self) {
        if let Some(open) = &mut self.cycle {
            open.rules_changed = true;
        }
    }

    /// A plan is there: its round must be one.
    pub(crate) fn round(
        &mut self,
        look: &mut Look<'_>,
        open: &Cycle,
        batch: &BTreeSet<JobNumber>,
        verdict: &Verdict,
    ) {
        let round = verdict.assigned.as_deref();
        if !open.rules_changed {
            if round.is_some_and(|round| !self.is_round(open, batch, verdict, round)) {
                look.report(FindingKind::BadRound { cycle: open.number });
            }
            look.round = self.policy.assign.map(|method| Round {
                start: round.map(|round| round.start),
                splits: method == Method::Split,
                served: round.iter().flat_map(|round| round.served.iter().copied()).collect(),
            });
        }
        if round.is_some() {
            self.assigned_at = Some(open.opened_at);
        }
    }

    fn is_round(
        &self,
        open: &Cycle,
        batch: &BTreeSet<JobNumber>,
        verdict: &Verdict,
        round: &AssignedRound,
    ) -> bool {
        let unserved: BTreeSet<JobNumber> = verdict.unserved.iter().map(|unserved| unserved.job).collect();
        let period = i128::from(self.policy.cycle_every.as_millis());
        let due = self.assigned_at.is_none_or(|last| millis_between(last, open.opened_at) >= period);
        let mut seen = BTreeSet::new();
        let plain = |job: &JobNumber| self.jobs.get(job).is_some_and(is_plain);
        let served = |job: &JobNumber| {
            seen.insert(*job) && batch.contains(job) && !unserved.contains(job) && plain(job)
        };
        due && self.policy.assign == Some(round.method)
            && round.served.iter().all(served)
            && round.served.len() <= round.jobs as usize
    }

    /// What a cycle reserves for a job: if a round serves it, as a round does; and nothing of such sites otherwise.
    pub(crate) fn check_round(
        &self,
        look: &mut Look<'_>,
        number: JobNumber,
        job: &Job,
        allocation: &Allocation,
    ) {
        let Some(round) = &look.round else { return };
        let assigned_to = |site| self.places.is_assigned_to(site);
        let right = if round.served.contains(&number) {
            let together = allocation.legs.len() == 1 || round.splits && !job.spec.request.scope.same_site;
            let mut starts = allocation.parts.iter().map(|part| Some(part.start));
            together
                && allocation.legs.iter().all(|leg| assigned_to(leg.site))
                && starts.all(|start| start == round.start)
        } else {
            !is_plain(job)
                || round.start.is_some_and(|start| self.runs_late(job, start))
                || !allocation.legs.iter().any(|leg| assigned_to(leg.site))
        };
        if !right {
            look.report(FindingKind::OutOfRound { job: number });
        }
    }
}

impl Auditor {
    /// Whether a job may be too late for a round, and is run all the same by the VO's rules: then by a window, wherever that is.
    fn runs_late(&self, job: &Job, start: Time) -> bool {
        let by_rule = match &self.policy.deciding {
            Deciding::Promise(rules) => rules.late == Late::Run,
            Deciding::AtOnce => false,
        };
        let request = &job.spec.request;
        let left = request.deadline.map(|deadline| millis_between(start, deadline));
        by_rule
            && left.is_some_and(|left| {
                let mut machines = self.places.assigned_machines();
                machines.any(|performance| runtime_of(request.work, performance) > left)
            })
    }
}

/// Whether a job is assigned at all: one of parallel tasks, without a search of its own, that was promised no window.
fn is_plain(job: &Job) -> bool {
    job.spec.workflow.is_none() && job.spec.search.is_none() && job.promise.is_none()
}
