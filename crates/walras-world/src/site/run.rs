//! What runs: when a part begins and ends, and what of it was told.

use super::{Behaviour, Booking, Kind, SimPart, SimSite};
use crate::chance::later;
use walras_broker::allocation::Hold;
use walras_broker::effect::StartPart;
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{PartEnd, SiteRefusal};
use walras_model::Time;
use walras_random::Stream;

impl SimSite {
    pub(super) fn start(
        &mut self,
        now: Time,
        reservation: ReservationNumber,
        job: JobNumber,
        parts: &[StartPart],
        chance: &mut Stream,
    ) -> Vec<SiteMessage> {
        let queue = matches!(self.kind, Kind::Queue(_));
        let behaviour = self.behaviour;
        let Some(booking) = self.bookings.get_mut(&reservation).filter(|booking| booking.expiry.is_none())
        else {
            return vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Unknown }];
        };
        booking.job = Some(job);
        let mut said = Vec::new();
        for part in parts {
            let Some(hold) = booking.holds.get(part.hold as usize).copied() else { continue };
            if booking.parts.contains_key(&part.part) {
                continue;
            }
            let started = begin(now, part, &hold, queue.then_some(behaviour.wait), behaviour, chance);
            // A task of a workflow that will be late is known to be.
            if part.task.is_some() && started.ends > part.end && started.end == PartEnd::Done {
                said.push(SiteMessage::Late { reservation, part: part.part, until: started.ends });
            }
            booking.parts.insert(part.part, started);
        }
        said.extend(self.pass(now));
        said
    }

    pub(super) fn observe(&mut self, now: Time, reservation: ReservationNumber) -> Vec<SiteMessage> {
        if let Some(booking) = self.bookings.get_mut(&reservation) {
            for part in booking.parts.values_mut() {
                (part.start_told, part.end_told) = (false, false);
            }
        }
        self.pass(now)
    }

    /// What has begun and ended by now and was not told.
    pub fn pass(&mut self, now: Time) -> Vec<SiteMessage> {
        let mut said = Vec::new();
        if self.lost {
            return said;
        }
        for (reservation, booking) in &mut self.bookings {
            for (place, part) in &mut booking.parts {
                if part.begins <= now && !part.start_told {
                    part.start_told = true;
                    let (reservation, parts, at) = (*reservation, vec![*place], part.begins);
                    said.push(SiteMessage::Started { reservation, parts, at });
                }
                if part.ends <= now && !part.end_told {
                    part.end_told = true;
                    let (reservation, part, at, end) = (*reservation, *place, part.ends, part.end);
                    said.push(SiteMessage::Ended { reservation, part, at, end });
                }
            }
        }
        said
    }

    /// When something begins or ends next.
    pub fn next(&self) -> Option<Time> {
        let parts = self.bookings.values().flat_map(|booking| booking.parts.values());
        let moments = parts.flat_map(|part| {
            let begins = (!part.start_told).then_some(part.begins);
            let ends = (!part.end_told).then_some(part.ends);
            begins.into_iter().chain(ends)
        });
        moments.min().filter(|_| !self.lost)
    }

    /// Jobs of which something runs now, with the reservation.
    pub fn running(&self, now: Time) -> Vec<(JobNumber, ReservationNumber)> {
        let runs =
            |booking: &&Booking| booking.parts.values().any(|part| part.begins <= now && now < part.ends);
        let bookings = self.bookings.iter().filter(|(_, booking)| runs(booking));
        bookings.filter_map(|(number, booking)| Some((booking.job?, *number))).collect()
    }
}

/// When a part begins and ends, and how; `wait` is how long a queue is.
fn begin(
    now: Time,
    part: &StartPart,
    hold: &Hold,
    wait: Option<(i64, i64)>,
    behaviour: Behaviour,
    chance: &mut Stream,
) -> SimPart {
    let (least, most) = behaviour.takes;
    let begins = match wait {
        Some((shortest, longest)) => later(now, chance.between(shortest, longest)),
        None => now.max(hold.interval.start()),
    };
    let whole = if part.task.is_some() { part.end - begins } else { hold.interval.span().as_millis() };
    let takes = whole.max(1) * chance.between(least, most) / 1_000;
    let takes = if chance.happens(behaviour.overruns) { whole.max(1) * 13 / 10 } else { takes };
    let limit = match wait {
        Some(_) => later(begins, hold.interval.span().as_millis()),
        None => hold.interval.end(),
    };
    let ends = later(begins, takes.max(1));
    let (ends, end) = if ends > limit {
        (limit.max(begins), PartEnd::TimedOut)
    } else if chance.happens(behaviour.fails) {
        (ends, PartEnd::Failed(1))
    } else {
        (ends, PartEnd::Done)
    };
    SimPart { hold: part.hold, begins, ends, end, start_told: false, end_told: false }
}
