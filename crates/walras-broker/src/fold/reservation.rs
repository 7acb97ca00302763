//! What happens to reservations, from being asked for to the last leg's release.

use crate::account::{Account, Purpose, Transaction};
use crate::decide::Draft;
use crate::event::{Event, Origin};
use crate::id::{JobNumber, ReservationNumber};
use crate::job::{PartEnd, Phase, Why};
use crate::quote::features;
use crate::sabotage::{Sabotage, sabotaged};
use crate::state::{LegState, PartState, Reservation, ReservationPhase, State};
use crate::way::{Part, Way};
use walras_model::{SiteId, Span, TaskId, Time};

impl State {
    pub(super) fn fold_reservation(&mut self, event: &Event) {
        match event {
            Event::ReservationAsked { reservation, job, origin, way, spares, transaction, until, expiry } => {
                self.books.post(transaction);
                self.last.reservation = self.last.reservation.max(*reservation);
                self.asked(*reservation, *job, *origin, way, *until, *expiry);
                if let Some(job) = self.jobs.get_mut(job) {
                    job.phase = Phase::Reserved(*reservation);
                    job.spares = spares.clone();
                }
            }
            Event::LegPrepared { reservation, site } => self.set_leg(*reservation, *site, LegState::Prepared),
            Event::LegConfirmed { reservation, site } => {
                self.set_leg(*reservation, *site, LegState::Confirmed)
            }
            Event::Confirming { reservation, until } => {
                self.set_reservation(*reservation, ReservationPhase::Confirming(*until));
            }
            Event::ReservationHeld(reservation) => self.held_now(*reservation),
            Event::PartsDue { reservation, parts } => {
                for part in parts {
                    self.set_part(*reservation, *part, |_| PartState::Due);
                }
            }
            Event::PartStarted { reservation, part, at } => {
                self.set_part(*reservation, *part, |_| PartState::Running(*at));
            }
            Event::PartEnded { reservation, part, at, end } => self.set_part(*reservation, *part, |state| {
                let since = match state {
                    PartState::Running(since) => since,
                    _ => *at,
                };
                PartState::Ended { since, at: *at, end: *end }
            }),
            Event::Rescheduled { reservation, parts, .. } => {
                if let Some(state) = self.reservations.get_mut(reservation) {
                    state.way.parts = parts.clone();
                }
            }
            Event::ReservationClosed { reservation, why, transaction, kept } => {
                self.books.post(transaction);
                self.closed(*reservation, why.as_ref(), transaction, kept);
            }
            Event::LegReleased { reservation, site } => self.leg_released(*reservation, *site),
            _ => {}
        }
    }

    fn asked(
        &mut self,
        number: ReservationNumber,
        job: JobNumber,
        origin: Origin,
        way: &Way,
        until: Time,
        expiry: Time,
    ) {
        let user = self.jobs.get(&job).map(|job| job.spec.user.clone()).unwrap_or_default();
        let lien = way.cost();
        let spenders = Draft::spenders(self, &user);
        for spender in &spenders {
            if let Some(budget) = self.budgets.get_mut(spender) {
                budget.spend(self.clock, lien);
            }
        }
        let reservation = Reservation {
            job,
            user,
            origin,
            way: way.clone(),
            legs: way.legs.iter().map(|leg| (leg.site, LegState::Asked)).collect(),
            parts: vec![PartState::Waiting; way.parts.len()],
            phase: ReservationPhase::Preparing(until),
            lien,
            spenders,
            asked_at: self.clock,
            expiry,
        };
        self.reservations.insert(number, reservation);
    }

    fn set_leg(&mut self, reservation: ReservationNumber, site: SiteId, leg: LegState) {
        if let Some(state) = self.reservations.get_mut(&reservation).and_then(|it| it.legs.get_mut(&site)) {
            *state = leg;
        }
    }

    fn set_reservation(&mut self, reservation: ReservationNumber, phase: ReservationPhase) {
        if let Some(state) = self.reservations.get_mut(&reservation) {
            state.phase = phase;
        }
    }

    fn held_now(&mut self, number: ReservationNumber) {
        self.set_reservation(number, ReservationPhase::Held);
        let origin = self.reservations.get(&number).map(|reservation| reservation.origin);
        self.totals.quotes_kept += u64::from(matches!(origin, Some(Origin::Quote(_))));
    }

    fn set_part(&mut self, reservation: ReservationNumber, part: u32, to: impl Fn(PartState) -> PartState) {
        let parts = self.reservations.get_mut(&reservation).map(|it| &mut it.parts);
        if let Some(state) = parts.and_then(|parts| parts.get_mut(part as usize)) {
            *state = to(*state);
        }
    }

    fn closed(
        &mut self,
        number: ReservationNumber,
        why: Option<&Why>,
        transaction: &Transaction,
        kept: &[TaskId],
    ) {
        self.learn(number, why.is_none());
        let Some(reservation) = self.reservations.get_mut(&number) else { return };
        let unheld = !matches!(reservation.phase, ReservationPhase::Held);
        let broken = unheld && matches!(reservation.origin, Origin::Quote(_)) && why != Some(&Why::Cancelled);
        self.totals.quotes_broken += u64::from(broken);
        reservation.phase = ReservationPhase::Closing;
        for leg in reservation.legs.values_mut().filter(|leg| **leg != LegState::Gone) {
            *leg = if sabotaged(Sabotage::NoRelease) { LegState::Gone } else { LegState::Leaving };
        }
        let (user, job, asked_at) = (reservation.user.clone(), reservation.job, reservation.asked_at);
        let spenders = reservation.spenders.clone();
        let charge = transaction.taken(&Account::Held, Purpose::Charge);
        let refund = transaction.taken(&Account::Held, Purpose::Refund);
        for spender in &spenders {
            if let Some(budget) = self.budgets.get_mut(spender) {
                budget.give_back(asked_at, refund);
            }
        }
        if let Some(user) = self.users.get_mut(&user) {
            user.usage = user.usage.saturating_add(charge.as_micros());
        }
        if let Some(job) = self.jobs.get_mut(&job) {
            job.done.extend(kept);
            job.spent = job.spent + charge;
            job.fences.insert(number);
            job.attempts += u32::from(why.is_some_and(Why::is_failure));
            job.phase = Phase::Queued;
        }
    }

    /// A parallel job that ended well says how long jobs like it take.
    fn learn(&mut self, number: ReservationNumber, well: bool) {
        let Some(reservation) = self.reservations.get(&number).filter(|_| well) else { return };
        let Some(job) = self.jobs.get(&reservation.job).filter(|job| job.spec.workflow.is_none()) else {
            return;
        };
        let parts = reservation.way.parts.iter().zip(&reservation.parts);
        let work = parts.filter_map(|(part, state)| self.work_done(reservation, part, *state)).max();
        if let Some(work) = work {
            let forecast = self.history.forecast(&features(self, &job.spec));
            // A time that no job can have had teaches nothing.
            let _ = self.history.learn(&forecast, work);
        }
    }

    /// How long a part would have taken at performance 1.
    fn work_done(&self, reservation: &Reservation, part: &Part, state: PartState) -> Option<Span> {
        let PartState::Ended { since, at, end: PartEnd::Done } = state else { return None };
        let node = reservation.way.hold_of(part)?.node?;
        let performance = self.node_spec(node)?.performance;
        let millis = performance.work_in_millis(at - since);
        Span::from_millis(i64::try_from(millis).ok()?)
    }

    fn leg_released(&mut self, number: ReservationNumber, site: SiteId) {
        self.set_leg(number, site, LegState::Gone);
        let Some(reservation) = self.reservations.get(&number) else { return };
        let over = reservation.phase == ReservationPhase::Closing;
        if over && reservation.legs.values().all(|leg| *leg == LegState::Gone) {
            let job = reservation.job;
            self.reservations.remove(&number);
            if let Some(job) = self.jobs.get_mut(&job) {
                job.fences.remove(&number);
            }
        }
    }
}
