//! Promises: every plan of a job keeps what it was promised, and what was promised stays unless what it rested on has changed.

use crate::Auditor;
use crate::finding::{FindingKind, Thing};
use crate::look::Look;
use crate::state::{After, Job, JobPhase};
use crate::sums::{cost_of, holds, price_of, runtime_of, units_needed};
use std::sync::Arc;
use walras_broker::allocation::{Allocation, Hold, Leg, Part};
use walras_broker::id::JobNumber;
use walras_broker::job::Planned;
use walras_broker::policy::Deciding;
use walras_core::agenda::{Late, Promise};
use walras_model::{Interval, Money, NodeId, SiteId, Span, Time};

impl Auditor {
    pub(crate) fn planned(
        &mut self,
        look: &mut Look<'_>,
        number: JobNumber,
        plan: &Arc<Planned>,
        promise: Promise,
        renewed: bool,
    ) {
        let Some(job) = self.jobs.get(&number) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        let once = look.planned.insert(number);
        let chained = self.is_as_chained(look, number, plan, promise);
        let decided = look.decided.as_ref().filter(|_| once);
        let may = match job.phase {
            JobPhase::Planned => decided.is_some(),
            JobPhase::Queued | JobPhase::Waiting if chained => true,
            JobPhase::Queued | JobPhase::Loose(After::Plan) => {
                decided.is_some_and(|decided| decided.batch.contains(&number))
            }
            JobPhase::Waiting => decided.is_some() && job.waits,
            JobPhase::Drawing | JobPhase::Planning | JobPhase::Reserved(_) | JobPhase::Loose(_) => false,
        };
        let allocation = self.allocation_of(job, plan);
        let may_be_late = matches!(self.policy.deciding, Deciding::Promise(rules) if rules.late == Late::Run);
        let bound = Some(promise).filter(|_| may_be_late).or(job.promise);
        let faults = allocation.as_ref().map(|it| self.allocation_faults(look, job, bound, it));
        // Whoever waits for others starts when these have come that far, if what they are promised is kept.
        let met = self.met_by(number, job);
        let follows = !job.waits || !job.held && met.is_some_and(|met| met <= plan.start);
        let stands = allocation.is_some() && job.spec.workflow.is_none() && follows;
        if !may || !stands || faults.as_ref().is_some_and(|faults| !faults.is_empty()) {
            let fault = faults.and_then(|faults| faults.into_iter().next());
            look.report(FindingKind::BadPlan { job: number, fault });
        }
        if allocation.as_ref().is_some_and(|allocation| !keeps(allocation, &promise)) {
            look.report(FindingKind::PromiseBroken { job: number });
        }
        // It may become firmer: earlier, and cheaper.
        let same = job.promise.is_none_or(|before| {
            promise.start <= before.start && promise.finish <= before.finish && promise.cost <= before.cost
        });
        // Nobody needs another promise whose window keeps the one that it has.
        let kept = |before: Promise| allocation.as_ref().is_some_and(|it| keeps(it, &before));
        let needless = renewed && job.promise.is_some_and(kept);
        let lost = renewed && self.has_lost_ground(look, job);
        if !same && !lost || needless {
            look.report(FindingKind::PromiseChanged { job: number });
        }
        self.counts.promises_renewed += u64::from(renewed);
        if let Some(job) = self.jobs.get_mut(&number) {
            (job.phase, job.since) = (JobPhase::Planned, look.position);
            (job.plan, job.promise) = (Some(Arc::clone(plan)), Some(promise));
        }
    }

    /// Whether what a job was planned for may not be there any more: it was returned, or a site of it has said something since.
    pub(crate) fn has_lost_ground(&self, look: &Look<'_>, job: &Job) -> bool {
        let Some(plan) = job.plan.as_deref().filter(|_| job.phase == JobPhase::Planned) else { return true };
        let gone = self
            .allocation_of(job, plan)
            .is_none_or(|it| !self.allocation_faults(look, job, job.promise, &it).is_empty());
        let sites = plan.places.iter().filter_map(|(node, _)| self.places.site_of(*node));
        gone || sites.into_iter().any(|site| self.places.last_change(site) > job.since)
    }

    /// Whether a reservation is just what was planned, and keeps what was promised.
    pub(crate) fn is_as_planned(&self, job: &Job, allocation: &Allocation) -> bool {
        let planned = job.plan.as_deref().and_then(|plan| self.allocation_of(job, plan));
        let kept = job.promise.is_some_and(|promise| keeps(allocation, &promise));
        kept && planned.is_some_and(|planned| planned.legs == allocation.legs)
    }

    /// What a plan holds, worked out here once more: every node from the start on for as long as it needs.
    fn allocation_of(&self, job: &Job, plan: &Planned) -> Option<Allocation> {
        let mut legs: Vec<Leg> = Vec::new();
        for (node, rate) in &plan.places {
            let site = self.places.site_of(*node)?;
            let interval = self.interval_of(job, site, *node, plan.start)?;
            let cost = i64::try_from(cost_of(*rate, crate::sums::length(interval))).ok()?;
            let machine = self.places.machine(site, Some(*node))?;
            let units = units_needed(&job.spec.request.requires, machine.attributes, machine.division)?;
            let cost = Money::from_micros(cost);
            let hold = Hold { node: Some(*node), units, interval, rate: *rate, cost };
            match legs.iter_mut().find(|leg| leg.site == site) {
                Some(leg) => leg.holds.push(hold),
                None => legs.push(Leg { site, holds: vec![hold] }),
            }
        }
        legs.sort_by_key(|leg| leg.site);
        let mut parts = Vec::new();
        for leg in &legs {
            for (hold, place) in leg.holds.iter().zip(0_u32..) {
                let (start, end) = (hold.interval.start(), hold.interval.end());
                parts.push(Part { task: None, site: leg.site, hold: place, start, end, after: Vec::new() });
            }
        }
        Some(Allocation { legs, parts, supports: Vec::new(), late: Vec::new() })
    }

    fn interval_of(&self, job: &Job, site: SiteId, node: NodeId, start: Time) -> Option<Interval> {
        let machine = self.places.machine(site, Some(node))?;
        let millis = i64::try_from(runtime_of(job.spec.request.work, machine.performance)).ok()?;
        Interval::new(start, start.checked_add(Span::from_millis(millis)?)?)
    }
}

fn keeps(allocation: &Allocation, promise: &Promise) -> bool {
    let all = || holds(allocation).map(|(_, _, hold)| hold.interval);
    let start = all().map(|interval| interval.start()).min();
    let finish = all().map(|interval| interval.end()).max();
    start.is_some_and(|start| start <= promise.start)
        && finish.is_some_and(|finish| finish <= promise.finish)
        && price_of(allocation) <= i128::from(promise.cost.as_micros())
}
