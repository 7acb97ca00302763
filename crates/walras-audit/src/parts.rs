//! Parts: started in time, after what they wait for, and never while an earlier attempt may still run.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{LegState, PartState, Phase, Reservation};
use crate::sums::{hold_of, is_queue, millis_between};
use walras_broker::id::ReservationNumber;
use walras_broker::input::Input;
use walras_broker::job::PartEnd;
use walras_model::Time;

impl Auditor {
    /// Parts are to be started.
    pub(crate) fn parts_due(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        parts: &[u32],
        sooner: Option<Time>,
    ) {
        self.runs_twice(look, number);
        for part in parts {
            if let Some(start) = sooner {
                self.sooner(look, number, *part, start);
            }
            self.due(look, number, *part);
        }
    }

    /// Nothing of the job's earlier reservations may still run when another is started, unless it may run twice.
    fn runs_twice(&self, look: &mut Look<'_>, number: ReservationNumber) {
        let Some(job) = self.known(look, number).and_then(|it| self.jobs.get(&it.job)) else { return };
        if job.spec.rerun {
            return;
        }
        for earlier in job.earlier.iter().filter(|earlier| **earlier != number) {
            let runs = self.reservations.get(earlier).is_some_and(|it| self.may_run(it));
            if runs {
                look.report(FindingKind::RunsTwice { reservation: number, earlier: *earlier });
            }
        }
    }

    /// Whether anything may run: asked to start on a site that has not let go, on what has not failed. Only a site's word
    /// counts, never the clock.
    pub(crate) fn may_run(&self, reservation: &Reservation) -> bool {
        reservation.allocation.parts.iter().zip(&reservation.parts).any(|(part, state)| {
            let node = hold_of(&reservation.allocation, part).and_then(|hold| hold.node);
            let stands =
                self.places.site_stands(part.site) && node.is_none_or(|node| self.places.node_may_run(node));
            let there = reservation.legs.get(&part.site).is_some_and(|leg| *leg != LegState::Released);
            state.may_run() && there && stands
        })
    }

    /// The state of a part of a reservation that is held.
    fn part_of(&self, look: &mut Look<'_>, number: ReservationNumber, part: u32) -> Option<PartState> {
        let reservation = self.known(look, number)?;
        reservation.parts.get(part as usize).copied().filter(|_| reservation.phase == Phase::Held)
    }

    fn set_part(&mut self, number: ReservationNumber, part: u32, to: PartState) {
        let parts = self.reservations.get_mut(&number).map(|it| &mut it.parts);
        if let Some(state) = parts.and_then(|parts| parts.get_mut(part as usize)) {
            *state = to;
        }
    }

    fn due(&mut self, look: &mut Look<'_>, number: ReservationNumber, part: u32) {
        let Some(reservation) = self.reservations.get(&number) else { return };
        let state = reservation.parts.get(part as usize);
        let planned = reservation.allocation.parts.get(part as usize);
        let held = reservation.phase == Phase::Held;
        let Some(planned) = planned.filter(|_| held && state == Some(&PartState::Waiting)) else {
            return look.report(FindingKind::PartStep { reservation: number, part, step: "started" });
        };
        // In a queue the site decides when it starts, as soon as its job may.
        let sent_at = match is_queue(&reservation.allocation) {
            false => Some(self.places.sent_at(planned)),
            true => self.jobs.get(&reservation.job).and_then(|job| job.spec.request.earliest),
        };
        // Where nobody can hold it back it is sent when all are ready.
        let alone = !reservation.unready.is_empty() && !self.places.begins_together(planned.site);
        if alone || sent_at.is_some_and(|at| at > look.now) {
            look.report(FindingKind::TooSoon { reservation: number, part });
        }
        for (after, lag) in &planned.after {
            let there = match reservation.parts.get(*after as usize) {
                // Files that are named are looked for where they are; other data takes as long as was planned.
                Some(PartState::Ended { at, end: PartEnd::Done, .. }) => {
                    self.passes_files(reservation, *after, part)
                        || millis_between(*at, look.now) >= i128::from(lag.as_millis())
                }
                Some(PartState::Waiting | PartState::Due | PartState::Running(_)) => false,
                Some(PartState::Ended { .. }) | None => false,
            };
            if !there {
                look.report(FindingKind::BeforeOthers { reservation: number, part, after: *after });
            }
        }
        self.files_are_there(look, number, part);
        self.set_part(number, part, PartState::Due);
    }

    pub(crate) fn started(&mut self, look: &mut Look<'_>, number: ReservationNumber, part: u32, at: Time) {
        if self.part_of(look, number, part) != Some(PartState::Due) {
            return look.report(FindingKind::PartStep { reservation: number, part, step: "running" });
        }
        let asked_at = self.reservations.get(&number).map_or(at, |it| it.asked_at);
        if at > look.now || at < asked_at {
            look.report(FindingKind::WrongTime { reservation: number, part, at });
        }
        self.said_by_its_site(look, number, part, "part-started");
        self.set_part(number, part, PartState::Running(at));
    }

    pub(crate) fn part_ended(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        part: u32,
        at: Time,
        end: PartEnd,
    ) {
        let since = match self.part_of(look, number, part) {
            Some(PartState::Running(since)) => since,
            // Its start was never heard of.
            Some(PartState::Due) => at,
            Some(PartState::Waiting | PartState::Ended { .. }) | None => {
                return look.report(FindingKind::PartStep { reservation: number, part, step: "ended" });
            }
        };
        if at > look.now || at < since {
            look.report(FindingKind::WrongTime { reservation: number, part, at });
        }
        self.said_by_its_site(look, number, part, "part-ended");
        self.set_part(number, part, PartState::Ended { since, at, end });
        if end == PartEnd::Done {
            self.left_files(number, part);
        }
    }

    /// Only the site on which a part runs can say what has become of it.
    fn said_by_its_site(
        &self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        part: u32,
        event: &'static str,
    ) {
        let planned = self.reservations.get(&number).and_then(|it| it.allocation.parts.get(part as usize));
        if let (Input::Site { site, .. }, Some(planned)) = (look.input, planned)
            && planned.site != *site
        {
            look.report(FindingKind::Unprompted { event });
        }
    }
}
