//! Reservations: asked, prepared, confirmed, held, closed, released; all sites or none.

use crate::closing::{after, is_failure};
use crate::finding::{AllocationFault, EndFault, FindingKind, Gone, Thing};
use crate::jobs::next;
use crate::ledger::{Occasion, sums};
use crate::look::Look;
use crate::state::{After, JobPhase, LegState, PartState, Phase, Reservation};
use crate::sums::{hold_of, holds, meet, price_of};
use crate::{Auditor, reasons};
use std::collections::BTreeMap;
use walras_broker::account::{Account, Purpose, Transaction};
use walras_broker::allocation::Allocation;
use walras_broker::event::ReservationEvent;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::Input;
use walras_broker::job::{PartEnd, Why};
use walras_broker::reservation::Origin;
use walras_model::{SiteId, Time};

impl Auditor {
    pub(crate) fn reservation_event(&mut self, look: &mut Look<'_>, event: &ReservationEvent) {
        match event {
            ReservationEvent::Asked {
                reservation,
                job,
                origin,
                allocation,
                spares,
                transaction,
                until,
                expiry,
            } => {
                let nodes = holds(allocation).filter(|(_, _, hold)| hold.node.is_some());
                let first = nodes.map(|(_, _, hold)| hold.interval.start()).min();
                if *until < look.now || until > expiry || first.is_some_and(|first| *expiry > first) {
                    look.report(FindingKind::BadAllocation {
                        reservation: *reservation,
                        fault: AllocationFault::WrongExpiry,
                    });
                }
                self.leave_place(look, *reservation, *job, *origin, allocation);
                self.asked(look, *reservation, *job, allocation, transaction, *until);
                if let Some(it) = self.reservations.get_mut(reservation) {
                    it.of_cycle = matches!(origin, Origin::Cycle(_));
                }
                self.check_widths(look, *reservation);
                if let Some(job) = self.jobs.get_mut(job) {
                    (job.phase, job.since) = (JobPhase::Reserved(*reservation), look.position);
                    job.spares = spares.clone();
                }
            }
            ReservationEvent::LegPrepared { reservation, site } => {
                let now = look.now;
                let preparing = |phase| matches!(phase, Phase::Preparing(until) if now < until);
                self.leg(look, *reservation, *site, preparing, LegState::Asked, LegState::Prepared);
            }
            ReservationEvent::LegConfirmed { reservation, site } => {
                let now = look.now;
                let confirming = |phase| matches!(phase, Phase::Confirming(until) if now < until);
                self.leg(look, *reservation, *site, confirming, LegState::Prepared, LegState::Confirmed);
            }
            ReservationEvent::Confirming { reservation, until } => {
                let preparing = |phase| matches!(phase, Phase::Preparing(_));
                let to = Phase::Confirming(*until);
                self.step(look, *reservation, preparing, LegState::Prepared, to, "asked to confirm");
            }
            ReservationEvent::Held(reservation) => {
                let confirming = |phase| matches!(phase, Phase::Confirming(_));
                self.step(look, *reservation, confirming, LegState::Confirmed, Phase::Held, "held");
            }
            ReservationEvent::Closed { reservation, why, transaction, kept } => {
                self.closed(look, *reservation, why.as_ref(), transaction, kept);
            }
            ReservationEvent::LegReady { reservation, site } => self.ready(look, *reservation, *site),
            ReservationEvent::LegReleased { reservation, site } => self.released(look, *reservation, *site),
            ReservationEvent::PartsDue { reservation, parts, sooner } => {
                self.parts_due(look, *reservation, parts, *sooner);
            }
            ReservationEvent::PartStarted { reservation, part, at } => {
                self.started(look, *reservation, *part, *at);
                self.begun_part(look, *reservation);
            }
            ReservationEvent::PartEnded { reservation, part, at, end, .. } => {
                self.part_ended(look, *reservation, *part, *at, *end);
                self.begun_part(look, *reservation);
            }
            ReservationEvent::Files { reservation, task, to, step } => {
                self.files_step(look, *reservation, *task, *to, step);
            }
            ReservationEvent::Rescheduled { reservation, parts, why } => {
                self.rescheduled(look, *reservation, parts, why);
            }
        }
    }

    pub(crate) fn known(&self, look: &mut Look<'_>, number: ReservationNumber) -> Option<&Reservation> {
        let reservation = self.reservations.get(&number);
        if reservation.is_none() {
            look.report(FindingKind::NotThere { thing: Thing::Reservation, number: number.get() });
        }
        reservation
    }

    /// The job must be waiting for just this reservation.
    fn leave_place(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        job: JobNumber,
        origin: Origin,
        allocation: &Allocation,
    ) {
        let Some(of_job) = self.jobs.get(&job) else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: job.get() });
        };
        let free = match origin {
            Origin::Cycle(cycle) => {
                let decided = look.decided.as_ref().filter(|decided| decided.cycle == cycle);
                decided.is_some_and(|decided| decided.batch.contains(&job))
                    && matches!(of_job.phase, JobPhase::Queued | JobPhase::Loose(After::Plan))
            }
            Origin::Offered(quote) => {
                look.offered.get(&job) == Some(&quote) && of_job.phase == JobPhase::Queued
            }
            Origin::Spare => of_job.phase == JobPhase::Loose(After::Broken),
            Origin::Plan => {
                let moment = matches!(look.input, Input::Tick | Input::Decided { .. });
                moment && of_job.phase == JobPhase::Planned && !of_job.waits
            }
            Origin::Quote(quote) => {
                let accepted = look.accepted.take_if(|it| it.quote == quote);
                if !accepted
                    .as_ref()
                    .is_some_and(|it| it.reservation == number && it.allocation == *allocation)
                {
                    look.report(FindingKind::NotAsQuoted { quote });
                }
                accepted.is_some_and(|it| it.job == job) && of_job.phase == JobPhase::Queued
            }
        };
        if !free {
            look.report(FindingKind::JobNotFree { job });
        }
        if matches!(origin, Origin::Cycle(_)) {
            self.check_round(look, job, of_job, allocation);
        }
        if origin == Origin::Plan && !self.is_as_planned(of_job, allocation) {
            look.report(FindingKind::NotAsPlanned { job });
        }
        if origin == Origin::Spare && of_job.is_used_up(&self.policy) {
            look.report(FindingKind::WrongEnd { job, why: EndFault::Attempts });
        }
        if origin == Origin::Spare && !of_job.spares.iter().any(|spare| spare.legs == allocation.legs) {
            look.report(FindingKind::BadAllocation {
                reservation: number,
                fault: AllocationFault::NotASpare,
            });
        }
    }

    fn asked(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        job: JobNumber,
        allocation: &Allocation,
        transaction: &Transaction,
        until: Time,
    ) {
        self.last.reservation = next(look, Thing::Reservation, number.get(), self.last.reservation);
        self.counts.reservations += 1;
        let of_job = self.jobs.get(&job);
        let mut faults = of_job
            .map(|of_job| self.allocation_faults(look, of_job, of_job.promise, allocation))
            .unwrap_or_default();
        let user = of_job.map(|job| job.spec.user.clone()).unwrap_or_default();
        faults.extend(allocation.legs.iter().flat_map(|leg| self.places.hold(leg, number)));
        for leg in &allocation.legs {
            self.places.crowd(leg.site, look.position);
        }
        for fault in faults {
            look.report(FindingKind::BadAllocation { reservation: number, fault });
        }
        let lien = price_of(allocation);
        let (payer, purpose) = (Account::User(user.clone()), Purpose::Lien);
        let sums = sums(transaction);
        let posted = sums.get(&(Account::Held, purpose)).copied().unwrap_or(0);
        if sums != BTreeMap::from([((payer, purpose), -lien), ((Account::Held, purpose), lien)]) {
            look.report(FindingKind::WrongLien { reservation: number, expected: lien, posted });
        }
        self.ledger.post(look, transaction, Occasion::Lien);
        self.ledger.liens += lien;
        let counted = self.budgets.spend(look, self.spenders(&user), lien);
        let reservation = Reservation {
            job,
            user,
            allocation: allocation.clone(),
            legs: allocation.legs.iter().map(|leg| (leg.site, LegState::Asked)).collect(),
            parts: vec![PartState::Waiting; allocation.parts.len()],
            phase: Phase::Preparing(until),
            of_cycle: false,
            lien,
            asked_at: look.now,
            moving: BTreeMap::new(),
            counted,
            unready: self.waits_for(allocation),
        };
        self.reservations.insert(number, reservation);
        self.element_money(job, lien, 0);
    }

    /// A site is a step further.
    fn leg(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        site: SiteId,
        when: impl Fn(Phase) -> bool,
        from: LegState,
        to: LegState,
    ) {
        let Some(reservation) = self.known(look, number) else { return };
        if !when(reservation.phase) || reservation.legs.get(&site) != Some(&from) {
            let step = if to == LegState::Prepared { "prepared" } else { "confirmed" };
            return look.report(FindingKind::LegStep { reservation: number, site, step });
        }
        if let Some(reservation) = self.reservations.get_mut(&number) {
            reservation.legs.insert(site, to);
        }
        look.stepped.push(number);
    }

    /// The reservation is a step further, when every site is.
    fn step(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        when: impl Fn(Phase) -> bool,
        all: LegState,
        to: Phase,
        step: &'static str,
    ) {
        let Some(reservation) = self.known(look, number) else { return };
        if !when(reservation.phase) || reservation.legs.values().any(|leg| *leg != all) {
            look.report(FindingKind::ReservationStep { reservation: number, step });
        }
        if let Some(reservation) = self.reservations.get_mut(&number) {
            reservation.phase = to;
        }
    }

    fn closed(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        why: Option<&Why>,
        transaction: &Transaction,
        kept: &[walras_model::TaskId],
    ) {
        let Some(reservation) = self.known(look, number) else { return };
        if reservation.phase == Phase::Closed {
            return look.report(FindingKind::ReservationStep { reservation: number, step: "closed" });
        }
        let reservation = reservation.clone();
        if !reasons::is_true(self, look, number, &reservation, why) {
            look.report(FindingKind::WrongReason { reservation: number });
        }
        self.check_settlement(look, number, &reservation, why, transaction);
        self.check_kept(look, number, &reservation, kept);
        self.ledger.post(look, transaction, Occasion::Settlement);
        self.ledger.liens -= reservation.lien;
        let (charge, refund) = self.count_settlement(transaction);
        self.budgets.give_back(&reservation.counted, refund);
        self.element_money(reservation.job, -reservation.lien, charge);
        if let Some(job) = self.jobs.get_mut(&reservation.job) {
            job.done.extend(kept);
            job.spent += charge;
            job.earlier.insert(number);
            job.attempts = job.attempts.saturating_add(u32::from(why.is_some_and(is_failure)));
            let vanished = matches!(why, Some(Why::PartEnded { end: PartEnd::Vanished, .. }));
            job.vanished = job.vanished.saturating_add(u32::from(vanished));
            (job.phase, job.since) = (JobPhase::Loose(after(&reservation, why)), look.position);
            look.loose.push(reservation.job);
        }
        // Of a site that was not ready in time nobody knows any more what is free.
        if why == Some(&Why::StartMissed) {
            reservation.unready.iter().for_each(|site| self.places.changed(*site, look.position));
        }
        if let Some(reservation) = self.reservations.get_mut(&number) {
            reservation.phase = Phase::Closed;
        }
    }

    fn released(&mut self, look: &mut Look<'_>, number: ReservationNumber, site: SiteId) {
        let Some(reservation) = self.known(look, number) else { return };
        let there = reservation.legs.get(&site).is_some_and(|leg| *leg != LegState::Released);
        if !there || reservation.phase != Phase::Closed {
            return look.report(FindingKind::LegStep { reservation: number, site, step: "released" });
        }
        let Some(reservation) = self.reservations.get_mut(&number) else { return };
        reservation.legs.insert(site, LegState::Released);
        if let Some(leg) = reservation.allocation.legs.iter().find(|leg| leg.site == site) {
            self.places.release(leg, number);
        }
        if reservation.legs.values().all(|leg| *leg == LegState::Released) {
            if let Some(job) = self.jobs.get_mut(&reservation.job) {
                job.earlier.remove(&number);
            }
            self.reservations.remove(&number);
        }
    }

    fn may_rerun(&self, reservation: &Reservation) -> bool {
        self.jobs.get(&reservation.job).is_some_and(|job| job.spec.rerun)
    }

    /// When a place is gone, no open reservation may rely on it after that entry.
    pub(crate) fn left_there(&self, look: &mut Look<'_>) {
        for (place, when) in std::mem::take(&mut look.gone) {
            for (number, it) in self.reservations.iter().filter(|(_, it)| it.phase != Phase::Closed) {
                let relies = it.allocation.parts.iter().zip(&it.parts).any(|(part, state)| match place {
                    Gone::Site(site) => it.legs.contains_key(&site),
                    Gone::Node(node) => {
                        let there = hold_of(&it.allocation, part).and_then(|hold| hold.node) == Some(node);
                        let then =
                            when.is_none_or(|when| meet((part.start, part.end), (when.start(), when.end())));
                        // Where a node only does not answer, what was to begin may run; who may run twice need not wait for it.
                        let waits = self.places.node_may_run(node) && when.is_none() && !self.may_rerun(it);
                        let stays = waits && state.may_run();
                        there && then && !stays && !matches!(state, PartState::Ended { .. })
                    }
                });
                if relies {
                    look.report(FindingKind::LeftThere { reservation: *number, place });
                }
            }
        }
    }
}
