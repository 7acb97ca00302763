//! What happens to reservations, from being asked for to the last leg's release.

use super::notice;
use crate::model::account::{Account, Purpose, Transaction};
use crate::model::allocation::{Allocation, Hold, Part};
use crate::model::event::ReservationEvent;
use crate::model::glance::KeptGlance;
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{PartEnd, Phase, SiteRefusal, Why};
use crate::model::reservation::{
    LegState, Origin, PartState, Readiness, Reservation, ReservationPhase, ReservedLeg, ReservedPart,
};
use crate::model::state::State;
use crate::rules::budgets::spenders;
use crate::rules::predicting::{announcement_of, features};
use std::collections::BTreeMap;
use walras_core::predict::Announcement;
use walras_model::{SiteId, Span, TaskId, Time};

impl State {
    pub(super) fn fold_reservation(&mut self, event: &ReservationEvent) {
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
                self.books.post(transaction);
                self.asked(*reservation, *job, *origin, allocation, *until, *expiry);
                let job = self.jobs.get_mut(job).expect("the job of a reservation is there");
                job.phase = Phase::Reserved(*reservation);
                (job.plan, job.missed) = (None, None);
                job.spares = spares.clone();
            }
            ReservationEvent::LegPrepared { reservation, site } => {
                self.set_leg(*reservation, *site, LegState::Prepared);
            }
            ReservationEvent::LegConfirmed { reservation, site } => {
                self.set_leg(*reservation, *site, LegState::Confirmed);
                self.answered(*reservation, *site);
            }
            ReservationEvent::Confirming { reservation, until } => {
                self.known_reservation(*reservation).phase = ReservationPhase::Confirming(*until);
            }
            ReservationEvent::Held(reservation) => self.held_now(*reservation),
            ReservationEvent::PartsDue { reservation, parts, sooner } => {
                let reservation = self.known_reservation(*reservation);
                for part in parts {
                    let part = known_part(reservation, *part);
                    part.state = PartState::Due;
                    if let Some(start) = sooner {
                        part.plan.move_to(*start);
                    }
                }
            }
            ReservationEvent::LegReady { reservation, site } => {
                self.known_leg(*reservation, *site).readiness = Some(Readiness::Ready);
            }
            ReservationEvent::PartStarted { reservation, part, at } => {
                self.learn_wait(*reservation, *part, *at);
                known_part(self.known_reservation(*reservation), *part).state = PartState::Running(*at);
                let job = self.known_reservation(*reservation).job;
                self.job_begun(job);
            }
            ReservationEvent::PartEnded { reservation, part, at, end, used } => {
                let place = *part;
                let part = known_part(self.known_reservation(*reservation), *part);
                let since = match part.state {
                    PartState::Running(since) => since,
                    // Its start was never heard of.
                    PartState::Waiting | PartState::Due | PartState::Ended { .. } => *at,
                };
                assert!(since <= *at, "a part ended at {at} s and began at {since} s");
                part.state = PartState::Ended { since, at: *at, end: *end };
                part.used = *used;
                self.left_files(*reservation, place, *end);
                let job = self.known_reservation(*reservation).job;
                self.job_begun(job);
            }
            ReservationEvent::Files { reservation, task, to, step } => {
                self.files_step(*reservation, *task, *to, step);
            }
            ReservationEvent::Rescheduled { reservation, parts, why } => {
                self.rescheduled(*reservation, parts, why);
            }
            ReservationEvent::Closed { reservation, why, transaction, kept } => {
                self.books.post(transaction);
                self.closed(*reservation, why.as_ref(), transaction, kept);
            }
            ReservationEvent::LegReleased { reservation, site } => self.leg_released(*reservation, *site),
        }
    }

    /// A reservation, to be changed.
    pub(super) fn reservation_mut(&mut self, number: ReservationNumber) -> Option<&mut Reservation> {
        self.reservations.get_mut(&number).map(Reservation::changing)
    }

    fn known_reservation(&mut self, number: ReservationNumber) -> &mut Reservation {
        self.reservation_mut(number)
            .unwrap_or_else(|| panic!("an event names reservation {number}, which is not there"))
    }

    fn asked(
        &mut self,
        number: ReservationNumber,
        job: JobNumber,
        origin: Origin,
        allocation: &Allocation,
        until: Time,
        expiry: Time,
    ) {
        assert!(number > self.last.reservation, "the number {number} was given to a reservation before");
        self.last.reservation = number;
        let user = self.jobs.get(&job).expect("the job of a reservation is there").spec.user.clone();
        let lien = allocation.cost();
        let spenders = spenders(self, &user);
        for spender in &spenders {
            if let Some(budget) = self.budgets.get_mut(spender) {
                budget.spend(self.clock, lien);
            }
        }
        let waits = |site: SiteId| self.site(site).is_some_and(|site| site.spec.timing.together);
        let reservation = Reservation {
            job,
            user,
            origin,
            legs: Reservation::legs_asked(allocation, waits),
            parts: Reservation::parts_waiting(allocation),
            supports: allocation.supports.clone(),
            late: allocation.late.clone(),
            phase: ReservationPhase::Preparing(until),
            lien,
            spenders,
            asked_at: self.clock,
            moving: BTreeMap::new(),
            expiry,
            glance: KeptGlance::default(),
        };
        self.reservations.insert(number, reservation);
    }

    fn set_leg(&mut self, number: ReservationNumber, site: SiteId, state: LegState) {
        self.known_leg(number, site).state = state;
    }

    fn known_leg(&mut self, number: ReservationNumber, site: SiteId) -> &mut ReservedLeg {
        let mut legs = self.known_reservation(number).legs.iter_mut();
        let leg = legs.find(|leg| leg.site == site);
        leg.unwrap_or_else(|| panic!("site {} holds nothing of reservation {number}", site.number()))
    }

    /// How long a site takes to hold what is asked for: the longest of late, less an eighth with every answer.
    fn answered(&mut self, number: ReservationNumber, site: SiteId) {
        let took = self.clock.span_since(self.known_reservation(number).asked_at).unwrap_or(Span::ZERO);
        let site = self.known_site(site);
        let before = site.answers_in.map_or(0, |before| before.as_millis() - before.as_millis() / 8);
        site.answers_in = Some(took.max(Span::from_millis(before).unwrap_or(Span::ZERO)));
    }

    fn held_now(&mut self, number: ReservationNumber) {
        let reservation = self.known_reservation(number);
        reservation.phase = ReservationPhase::Held;
        let reservation = reservation.clone();
        self.totals.quotes_kept += u64::from(matches!(reservation.origin, Origin::Quote(_)));
        // Who has not taken it is not told that it is theirs.
        if !self.is_offered(&reservation) {
            notice::of_held(self, &reservation);
        }
    }

    fn rescheduled(&mut self, number: ReservationNumber, parts: &[Part], why: &Why) {
        let reservation = self.known_reservation(number);
        assert_eq!(parts.len(), reservation.parts.len(), "reservation {number} has other parts than before");
        for (part, plan) in reservation.parts.iter_mut().zip(parts) {
            part.plan = plan.clone();
        }
        let (user, job) = (reservation.user.clone(), reservation.job);
        notice::of_rescheduled(self, user, job, why);
    }

    fn closed(
        &mut self,
        number: ReservationNumber,
        why: Option<&Why>,
        transaction: &Transaction,
        kept: &[TaskId],
    ) {
        self.learn(number, why);
        let clock = self.clock;
        let half_life = self.policy.sharing.map(|rules| rules.half_life);
        let part =
            |hold: &Hold, millis: i64| i64::try_from(self.part_of(hold, millis.into())).unwrap_or(millis);
        let used = self.reservations.get(&number).map_or(0, |it| it.used_millis(clock, part));
        let reservation = self.known_reservation(number);
        let missed =
            |leg: &&ReservedLeg| leg.readiness == Some(Readiness::Awaited) && why == Some(&Why::StartMissed);
        let unready: Vec<SiteId> = reservation.legs.iter().filter(missed).map(|leg| leg.site).collect();
        let unheld = !matches!(reservation.phase, ReservationPhase::Held);
        let broken = unheld && matches!(reservation.origin, Origin::Quote(_)) && why != Some(&Why::Cancelled);
        reservation.phase = ReservationPhase::Closing;
        for leg in reservation.legs.iter_mut().filter(|leg| leg.state != LegState::Gone) {
            leg.state = LegState::Leaving;
        }
        let (user, job, asked_at) = (reservation.user.clone(), reservation.job, reservation.asked_at);
        let spenders = reservation.spenders.clone();
        self.totals.quotes_broken += u64::from(broken);
        let charge = transaction.taken(&Account::Held, Purpose::Charge);
        let refund = transaction.taken(&Account::Held, Purpose::Refund);
        for spender in &spenders {
            if let Some(budget) = self.budgets.get_mut(spender) {
                budget.give_back(asked_at, refund);
            }
        }
        let of_user = self.users.get_mut(user.as_str()).expect("the user of a reservation is there");
        // What was used only weighs in the order of the queue, and more than all there is weighs no more.
        of_user.usage = of_user.usage.saturating_add(charge.as_micros());
        if let Some(half_life) = half_life {
            of_user.served.add(clock, half_life, used);
        }
        if let Some(Why::Refused { site, refusal: SiteRefusal::NoAccount }) = why {
            of_user.strange.insert(*site, clock);
        }
        let of_job = self.jobs.get_mut(&job).expect("the job of a reservation is there");
        of_job.done.extend(kept);
        of_job.spent = of_job.spent.checked_add(charge).expect("what a job was charged can be counted");
        of_job.fences.insert(number);
        let element = of_job.element;
        of_job.attempts += u32::from(why.is_some_and(Why::is_failure));
        of_job.vanished += u32::from(why.is_some_and(Why::is_vanishing));
        of_job.phase = Phase::Queued;
        if of_job.offered.is_none() {
            notice::of_closed(self, user, job, why);
        }
        if let Some(of) = element {
            self.element_closed(of, number, charge);
        }
        if let Some(Why::Silent(sites)) = why {
            for site in sites {
                // Nothing is known of how long it takes, but that it was too long.
                self.known_site(*site).answers_in = None;
            }
        }
        self.outdate(why.map_or(&[][..], changed_sites));
        self.outdate(&unready);
        self.unsettle();
        self.freed_at = clock;
    }

    /// A site that others use too has changed when it refuses, is silent, or is not ready in time: what it said is free is no longer sold, and asked for again.
    fn outdate(&mut self, sites: &[SiteId]) {
        for site in sites {
            let site = self.known_site(*site);
            if site.spec.timing.is_of_cluster() {
                site.free = None;
            }
        }
    }

    /// A parallel job that ended well says how long jobs like it take; one that needed more time than it had, that they take longer than
    /// that.
    fn learn(&mut self, number: ReservationNumber, why: Option<&Why>) {
        let overran = matches!(why, Some(Why::PartEnded { end: PartEnd::TimedOut, .. }))
            && self.policy.predictions.is_some();
        if why.is_some() && !overran {
            return;
        }
        let reservation = self.reservations.get(&number).expect("what is closed was there");
        let job = self.jobs.get(&reservation.job).expect("the job of a reservation is there");
        if job.spec.workflow.is_some() {
            return;
        }
        let took = reservation.parts.iter().filter_map(|part| self.work_done(reservation, part)).max();
        let past_all = Span::from_millis(job.spec.request.work.as_millis().saturating_add(1));
        let took = if overran { took.max(past_all) } else { took };
        if let Some(took) = took {
            // What was said when it came is what is judged.
            let forecast =
                self.history.forecast(&features(self, &job.spec)).with_announcement(announcement_of(job));
            // A time that no job can have had teaches nothing.
            let _ = self.history.learn(&forecast, took);
        }
    }

    /// A job that begins says how long jobs like it wait: here, when nothing but the others was in its way; and in a queue.
    fn learn_wait(&mut self, number: ReservationNumber, part: u32, at: Time) {
        let reservation = self.reservations.get(&number).expect("a part starts of what is there");
        let begun = |part: &ReservedPart| !matches!(part.state, PartState::Waiting | PartState::Due);
        if reservation.parts.iter().any(begun) {
            return;
        }
        let job = self.jobs.get(&reservation.job).expect("the job of a reservation is there");
        let features = features(self, &job.spec);
        let plan = reservation.parts.get(part as usize).map(|part| &part.plan);
        let queue = plan.filter(|plan| self.site(plan.site).is_some_and(|it| it.spec.queue().is_some()));
        let asked = reservation.asked_at;
        let queue = queue.map(|plan| (plan.site, plan.start.span_since(asked).unwrap_or(Span::ZERO)));
        let waited = |since: Time| at.span_since(since).unwrap_or(Span::ZERO);
        let (here, there) = (waited(job.ready_at()), waited(asked));
        let planned = matches!(reservation.origin, Origin::Cycle(_) | Origin::Plan);
        // How long an element waits says more of its array than of the queue.
        let plain = job.element.is_none() && job.spec.request.earliest.is_none();
        if planned && job.attempts == 0 && plain {
            let forecast = self.waits.forecast(&features).with_announcement(job.wait);
            let _ = self.waits.learn(&forecast, here);
        }
        if let Some((queue, likely)) = queue {
            let waits = &mut self.known_site(queue).waits;
            let forecast =
                waits.forecast(&features).with_announcement(Some(Announcement { likely, nine_in_ten: None }));
            let _ = waits.learn(&forecast, there);
        }
    }

    /// How long a part would have taken at performance 1, where it had its time.
    fn work_done(&self, reservation: &Reservation, part: &ReservedPart) -> Option<Span> {
        let PartState::Ended { since, at, end: PartEnd::Done | PartEnd::TimedOut } = part.state else {
            return None;
        };
        let performance = match reservation.hold_of(&part.plan)?.node {
            Some(node) => self.node_spec(node)?.performance,
            None => {
                self.site(part.plan.site)
                    .filter(|_| self.policy.predictions.is_some())?
                    .spec
                    .queue()?
                    .performance
            }
        };
        let millis = performance.work_in_millis(at - since);
        Span::from_millis(i64::try_from(millis).ok()?)
    }

    fn leg_released(&mut self, number: ReservationNumber, site: SiteId) {
        self.set_leg(number, site, LegState::Gone);
        self.unsettle();
        let reservation = self.known_reservation(number);
        let over = reservation.phase == ReservationPhase::Closing;
        if over && reservation.legs.iter().all(|leg| leg.state == LegState::Gone) {
            let job = reservation.job;
            self.reservations.remove(&number);
            // The job may have ended long ago.
            if let Some(job) = self.jobs.get_mut(&job) {
                job.fences.remove(&number);
            }
        }
    }
}

fn known_part(reservation: &mut Reservation, place: u32) -> &mut ReservedPart {
    let part = reservation.parts.get_mut(place as usize);
    part.unwrap_or_else(|| panic!("an event names part {place} of a reservation, which is not there"))
}

/// The sites that are not as they said, by what was learnt of them.
fn changed_sites(why: &Why) -> &[SiteId] {
    match why {
        Why::Refused { site, .. } => std::slice::from_ref(site),
        Why::Silent(sites) => sites,
        Why::NoFit(_)
        | Why::LeftOut
        | Why::OverQuota
        | Why::NodesHad { .. }
        | Why::MakingRoom(_)
        | Why::Unassigned(_)
        | Why::NotAdmitted
        | Why::NoMoney(_)
        | Why::OverBudget(_)
        | Why::Outdated(_)
        | Why::NodeLost(_)
        | Why::SiteLost(_)
        | Why::TakenBack(_)
        | Why::PartEnded { .. }
        | Why::Late
        | Why::StartMissed
        | Why::FilesLost(_)
        | Why::NotBrought { .. }
        | Why::NoOutput { .. }
        | Why::NotPlanned
        | Why::DeadlinePassed
        | Why::TooOften(_)
        | Why::Cancelled
        | Why::NotTaken
        | Why::Waits(_)
        | Why::NeverMet(_)
        | Why::Elements(_) => &[],
    }
}
