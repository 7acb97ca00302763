//! Cycles: one at a time, step by step, with a batch whose order can be explained.

use crate::Auditor;
use crate::finding::{FindingKind, Thing};
use crate::jobs::next;
use crate::look::Look;
use crate::state::{After, Cycle, Decided, Job, JobPhase};
use crate::sums::{MILLION, millis_between};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::decision::{PlanBound, Verdict};
use walras_broker::event::CycleEvent;
use walras_broker::id::{CycleNumber, ReservationNumber};
use walras_broker::rank::Ranked;
use walras_model::{SiteId, Time};

impl Auditor {
    pub(crate) fn cycle_event(&mut self, look: &mut Look<'_>, event: &CycleEvent) {
        match event {
            CycleEvent::Opened { cycle, batch, asked, until, demand } => {
                if *until < look.now || demand.len() != self.places.count() {
                    look.report(FindingKind::CycleStep { cycle: *cycle, step: "opened" });
                }
                self.opened(look, *cycle, batch, asked, *until);
            }
            CycleEvent::OffersReceived { site, cycle, .. }
            | CycleEvent::OffersChanged { site, cycle, .. } => {
                self.places.changed(*site, look.position);
                self.offered(look, *site, *cycle);
            }
            CycleEvent::Closed { cycle, until } => {
                let now = look.now;
                // With nobody in the batch there must be somebody whose window may move, or who may be planned ahead.
                let movable =
                    |job: &Job| job.phase == JobPhase::Planned || job.waits && job.spec.array.is_none();
                let movable = self.jobs.values().any(movable);
                let open = self.open_cycle(*cycle);
                let open = open.filter(|open| !open.closed && (movable || !open.batch.is_empty()));
                match open.filter(|open| open.unanswered.is_empty() || now >= open.until) {
                    Some(open) => (open.closed, open.until) = (true, *until),
                    None => look.report(FindingKind::CycleStep { cycle: *cycle, step: "closed" }),
                }
            }
            CycleEvent::Decided { cycle, verdict } => self.decided(look, *cycle, verdict),
            CycleEvent::Bounded { cycle, bound } => self.bounded(look, *cycle, bound),
            CycleEvent::Ended(cycle) => self.cycle_ended(look, *cycle),
        }
    }

    fn open_cycle(&mut self, number: CycleNumber) -> Option<&mut Cycle> {
        self.cycle.as_mut().filter(|open| open.number == number)
    }

    fn opened(
        &mut self,
        look: &mut Look<'_>,
        number: CycleNumber,
        batch: &[Ranked],
        asked: &[SiteId],
        until: Time,
    ) {
        self.last.cycle = next(look, Thing::Cycle, number.get(), self.last.cycle);
        if self.cycle.is_some() {
            look.report(FindingKind::CycleStep { cycle: number, step: "opened" });
        }
        self.counts.cycles += 1;
        let mut unanswered = BTreeSet::new();
        for site in asked {
            if !unanswered.insert(*site) || !self.places.site_stands(*site) {
                look.report(FindingKind::AskedWrongly { cycle: number, site: *site });
            }
        }
        self.check_batch(look, number, batch);
        for ranked in batch {
            if let Some(job) = self.jobs.get_mut(&ranked.job) {
                (job.phase, job.since) = (JobPhase::Planning, look.position);
            }
        }
        let batch = batch.iter().map(|ranked| ranked.job).collect();
        let opened_at = look.now;
        self.cycle =
            Some(Cycle { number, opened_at, batch, unanswered, closed: false, until, rules_changed: false });
        // Requests that are too old to be repeated are forgotten when a cycle begins.
        let forget = i128::from(look.now.as_millis()) - i128::from(self.policy.repeat_within.as_millis());
        self.requests.retain(|_, (_, at)| i128::from(at.as_millis()) >= forget);
    }

    fn check_batch(&self, look: &mut Look<'_>, cycle: CycleNumber, batch: &[Ranked]) {
        let mut seen = BTreeSet::new();
        let mut strangers = false;
        for ranked in batch {
            let job = self.jobs.get(&ranked.job).filter(|job| job.phase == JobPhase::Queued);
            match job.filter(|_| seen.insert(ranked.job)) {
                Some(job) => self.check_rank(look, cycle, ranked, job),
                None => {
                    strangers = true;
                    look.report(FindingKind::BatchStranger { cycle, job: ranked.job });
                }
            }
        }
        let shared = self.policy.sharing.is_some();
        self.check_order(look, cycle, batch, shared);
        // What this entry itself has returned, and what may still run somewhere, may wait for another cycle.
        let runs =
            |earlier: &ReservationNumber| self.reservations.get(earlier).is_some_and(|it| self.may_run(it));
        let waits = |job: &&Job| {
            let open = job.spec.rerun || !job.earlier.iter().any(runs);
            job.phase == JobPhase::Queued && job.since < look.position && open
        };
        let queued = self.jobs.values().filter(waits).count();
        let room = self.policy.batch_max as usize;
        // Where the queue is shared, a job may be left out for its user's sake, or rest.
        let few = !shared && batch.len() < room && batch.len() < queued;
        if !strangers && (batch.len() > room || few) {
            look.report(FindingKind::BatchSize { cycle, queued, batch: batch.len() });
        }
    }

    /// By rank; where the queue is shared, those of one user are.
    fn check_order(&self, look: &mut Look<'_>, cycle: CycleNumber, batch: &[Ranked], shared: bool) {
        let mut last: BTreeMap<&str, &Ranked> = BTreeMap::new();
        let key = |ranked: &Ranked| (Reverse(ranked.overdue), Reverse(ranked.score), ranked.job);
        for ranked in batch {
            let user = self.jobs.get(&ranked.job).map_or("", |job| job.spec.user.as_str());
            let before = last.insert(if shared { user } else { "" }, ranked);
            if before.is_some_and(|before| key(before) > key(ranked)) {
                look.report(FindingKind::BatchOrder { cycle, job: ranked.job });
            }
        }
    }

    /// A rank is the weighted sum of its aspects; those that follow from the job alone are counted again.
    fn check_rank(&self, look: &mut Look<'_>, cycle: CycleNumber, ranked: &Ranked, job: &Job) {
        let policy = &self.policy;
        let horizon = i128::from(policy.horizon.as_millis().max(1));
        let waited = millis_between(job.ready_at, look.now).max(0);
        let left = |deadline| horizon - millis_between(look.now, deadline).max(0);
        let deadline = job.spec.request.deadline.map_or(0, |it| left(it).max(0) * MILLION / horizon);
        let most = i128::from(policy.attempts_max.max(1));
        let attempts = (i128::from(job.attempts) * MILLION / most).min(MILLION);
        let (aspects, weights) = (&ranked.aspects, &policy.rank);
        let overdue = waited > i128::from(policy.overdue_after.as_millis());
        let terms = [
            (weights.price, aspects.price),
            (weights.deadline, aspects.deadline),
            (weights.attempts, aspects.attempts),
            (weights.waiting, aspects.waiting),
            (weights.priority, aspects.priority),
            (weights.fair_share, aspects.fair_share),
        ];
        let sum: i128 = terms.iter().map(|(weight, it)| i128::from(*weight) * i128::from(*it)).sum();
        let whole = |share: i64| i128::from(share).clamp(0, MILLION);
        let checks = [
            ("score", sum.min(i128::from(i64::MAX)), i128::from(ranked.score)),
            ("waiting time", waited * MILLION / horizon, i128::from(aspects.waiting)),
            ("being overdue", i128::from(overdue), i128::from(ranked.overdue)),
            ("nearness of the deadline", deadline, i128::from(aspects.deadline)),
            ("share of attempts", attempts, i128::from(aspects.attempts)),
            ("price", whole(aspects.price), i128::from(aspects.price)),
            ("priority", whole(aspects.priority), i128::from(aspects.priority)),
            ("fair share", whole(aspects.fair_share), i128::from(aspects.fair_share)),
        ];
        for (aspect, expected, found) in checks.into_iter().filter(|(_, expected, found)| expected != found) {
            look.report(FindingKind::WrongRank { cycle, job: ranked.job, aspect, expected, found });
        }
    }

    fn offered(&mut self, look: &mut Look<'_>, site: SiteId, cycle: CycleNumber) {
        let open = self.open_cycle(cycle).filter(|open| !open.closed);
        if !open.is_some_and(|open| open.unanswered.remove(&site)) {
            look.report(FindingKind::OfferUnasked { cycle, site });
        }
    }

    /// With the last answer a cycle goes on.
    pub(crate) fn left_open(&self, look: &mut Look<'_>) {
        let waits = |cycle: &&Cycle| !cycle.closed && cycle.unanswered.is_empty();
        if let Some(cycle) = self.cycle.as_ref().filter(waits) {
            look.report(FindingKind::CycleStep { cycle: cycle.number, step: "left open" });
        }
    }

    fn decided(&mut self, look: &mut Look<'_>, number: CycleNumber, verdict: &Verdict) {
        if self.open_cycle(number).is_none_or(|open| !open.closed) {
            return look.report(FindingKind::CycleStep { cycle: number, step: "decided" });
        }
        let Some(open) = self.cycle.take() else { return };
        let batch: BTreeSet<_> = open.batch.iter().copied().collect();
        self.round(look, &open, &batch, verdict);
        for unserved in &verdict.unserved {
            if !batch.contains(&unserved.job) {
                look.report(FindingKind::BatchStranger { cycle: number, job: unserved.job });
            }
        }
        let unserved: BTreeSet<_> = verdict.unserved.iter().map(|unserved| unserved.job).collect();
        for number in &batch {
            let Some(job) = self.jobs.get_mut(number).filter(|job| job.phase == JobPhase::Planning) else {
                continue;
            };
            job.since = look.position;
            if unserved.contains(number) {
                job.phase = JobPhase::Queued;
                job.spares.clear();
            } else {
                job.phase = JobPhase::Loose(After::Plan);
                look.loose.push(*number);
            }
        }
        look.decided = Some(Decided { cycle: number, batch });
    }

    /// What no plan can beat is said of a cycle that is over, and claims nothing against its own plan.
    fn bounded(&mut self, look: &mut Look<'_>, cycle: CycleNumber, bound: &PlanBound) {
        let begun = cycle.get() <= self.last.cycle && self.open_cycle(cycle).is_none();
        let loses = bound.loss.is_none_or(|it| it.loss_least <= it.loss && bound.cost <= it.loss);
        if !begun || bound.cost_least > bound.cost || !loses || bound.jobs_most < bound.jobs {
            look.report(FindingKind::CycleStep { cycle, step: "bounded" });
        }
    }

    fn cycle_ended(&mut self, look: &mut Look<'_>, number: CycleNumber) {
        // Without a plan: planning took too long; or nobody to plan for, and no offer to wait for.
        let now = look.now;
        let heard = |open: &Cycle| open.batch.is_empty() && open.unanswered.is_empty();
        let fits = |open: &mut Cycle| {
            let unplanned = open.closed || open.batch.is_empty();
            unplanned && now >= open.until || !open.closed && heard(open)
        };
        if !self.open_cycle(number).is_some_and(fits) {
            return look.report(FindingKind::CycleStep { cycle: number, step: "ended" });
        }
        let Some(open) = self.cycle.take() else { return };
        for number in open.batch {
            if let Some(job) = self.jobs.get_mut(&number).filter(|job| job.phase == JobPhase::Planning) {
                (job.phase, job.since) = (JobPhase::Queued, look.position);
                job.spares.clear();
            }
        }
    }
}
