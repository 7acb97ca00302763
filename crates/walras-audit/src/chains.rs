//! Jobs that are planned before what they wait for has happened: when that is at the latest, worked out here once more.
//!
//! Time O(log jobs) for each condition, and O(holds) for each that is about a job that is reserved.

use crate::Auditor;
use crate::look::Look;
use crate::state::{Job, JobPhase, PartState};
use crate::sums::{holds, is_queue};
use walras_broker::gate::{Condition, Dependency};
use walras_broker::id::JobNumber;
use walras_broker::policy::Deciding;
use walras_model::Time;

impl Auditor {
    /// When all that a job waits for has come about at the latest, if promises are kept; `None` where nobody knows, or it never will.
    pub(crate) fn met_by(&self, number: JobNumber, job: &Job) -> Option<Time> {
        if job.spec.gate.singleton && !self.is_alone(number, &job.spec) {
            return None;
        }
        let mut latest = Time::MIN;
        for on in &job.spec.gate.after {
            match self.awaited.holds(self.number_of(on.on)?, on.condition) {
                Some(true) => {}
                Some(false) => return None,
                None => latest = latest.max(self.latest_of(on)?),
            }
        }
        Some(latest)
    }

    /// When the job that is waited for has started, or ended, at the latest; nobody plans for its failure.
    fn latest_of(&self, on: &Dependency) -> Option<Time> {
        let (ended, number) = (on.condition != Condition::Started, self.number_of(on.on)?);
        let job = self.jobs.get(&number).filter(|_| on.condition != Condition::Failed)?;
        let promised = job.promise.map(|promise| if ended { promise.finish } else { promise.start });
        match job.phase {
            JobPhase::Planned => promised,
            JobPhase::Reserved(reservation) => {
                let held = self.reservations.get(&reservation).filter(|it| !is_queue(&it.allocation))?;
                let times = || holds(&held.allocation).map(|(_, _, hold)| hold.interval);
                let own = match ended {
                    true => times().map(|interval| interval.end()).max(),
                    false => times().map(|interval| interval.start()).min(),
                }?;
                let begun = |part: &PartState| !matches!(part, PartState::Waiting | PartState::Due);
                let open = promised.filter(|_| !held.parts.iter().any(begun));
                Some(open.map_or(own, |promised| promised.max(own)))
            }
            JobPhase::Waiting
            | JobPhase::Queued
            | JobPhase::Drawing
            | JobPhase::Planning
            | JobPhase::Loose(_) => None,
        }
    }

    /// Whether what a planned job waits for will not have come about, or may not have, when it would have to be reserved: nothing is
    /// asked of sites longer before its start than the policy says.
    pub(crate) fn may_be_late(&self, look: &Look<'_>, number: JobNumber, job: &Job) -> bool {
        let (Some(plan), Deciding::Promise(rules)) = (job.plan.as_deref(), &self.policy.deciding) else {
            return true;
        };
        let by = plan.start.as_millis().saturating_sub(rules.ahead.as_millis());
        self.met_by(number, job).is_none_or(|met| by < met.max(look.now).as_millis())
    }
}
