//! What runs: when a part begins and ends, and what of it was told.

use super::{SimulatedPart, SimulatedSite};
use crate::contract::{
    JobNumber, Offering, PartEnd, ReservationNumber, SiteAnswer, SiteError, SiteMessage, SiteRefusal, Start,
};
use crate::reported::Report;
use crate::store::Store;
use walras_model::Time;
use walras_random::Stream;

impl SimulatedPart {
    /// Whether it has begun by then, and when and how it has ended.
    fn outcome(&self, now: Time) -> (bool, Option<(Time, PartEnd)>) {
        let due = self.begins <= now;
        if self.waits {
            return (false, due.then_some((self.begins, PartEnd::Lost)));
        }
        (due, (self.ends <= now).then_some((self.ends, self.end)))
    }
}

impl<S: Store> SimulatedSite<S> {
    /// Runs parts on what is held; those that were started before go on as they are.
    pub fn start(&mut self, now: Time, start: &Start<'_>, chance: &mut Stream) -> SiteAnswer {
        let Start { reservation, job, parts, .. } = *start;
        if self.health.lost {
            return Ok(Vec::new());
        }
        let Some(mut booking) = self.book.confirmed(reservation).cloned() else {
            return Ok(vec![SiteMessage::Refused { reservation, refusal: SiteRefusal::Unknown }]);
        };
        booking.check(start)?;
        let in_queue = matches!(self.offering, Offering::Queue(_));
        let before = booking.parts.len();
        let mut messages = Vec::new();
        for part in parts {
            if booking.parts.contains_key(&part.part) {
                continue;
            }
            let hold = booking.hold_of(reservation, part)?;
            let started = self.behaviour.begin(now, job, part, &hold, in_queue, chance);
            // A task of a workflow that will be late is known to be.
            if part.task.is_some() && started.ends > part.end && started.end == PartEnd::Done {
                messages.push(SiteMessage::Late { reservation, part: part.part, until: started.ends });
            }
            booking.parts.insert(part.part, SimulatedPart { waits: start.together, ..started });
        }
        // Nothing has to come up here.
        if booking.parts.values().any(|part| part.waits && part.begins > now) {
            messages.push(SiteMessage::Ready(reservation));
        }
        if booking.parts.len() > before {
            self.book.put(reservation, booking)?;
        }
        messages.extend(self.pass(now));
        Ok(messages)
    }

    /// What waits for the other sites of its window begins at its time; what should have begun never does.
    pub fn go(&mut self, now: Time, reservation: ReservationNumber) -> Result<(), SiteError> {
        let Some(mut booking) = self.book.confirmed(reservation).cloned() else { return Ok(()) };
        for part in booking.parts.values_mut().filter(|part| part.begins > now) {
            part.waits = false;
        }
        self.book.put(reservation, booking)
    }

    /// Says again what has become of the parts of a reservation.
    pub fn observe(&mut self, now: Time, reservation: ReservationNumber) -> Vec<SiteMessage> {
        if self.health.lost {
            return Vec::new();
        }
        self.reported.forget(reservation);
        self.pass(now)
    }

    /// What has begun and ended by now and was not told.
    pub fn pass(&mut self, now: Time) -> Vec<SiteMessage> {
        let mut messages = Vec::new();
        if self.health.lost {
            return messages;
        }
        for (reservation, booking) in self.book.iter() {
            for (place, part) in &booking.parts {
                let told = self.reported.of(reservation, *place);
                let (begun, ended) = part.outcome(now);
                let report = Report { start: part.begins <= now, end: ended.is_some() };
                if begun && !told.start {
                    let (parts, at) = (vec![*place], part.begins);
                    messages.push(SiteMessage::Started { reservation, parts, at });
                }
                if let Some((at, end)) = ended.filter(|_| !told.end) {
                    let part = *place;
                    messages.push(SiteMessage::Ended { reservation, part, at, end, used: None });
                }
                let report = Report { start: report.start || told.start, end: report.end || told.end };
                if report != told {
                    self.reported.note(reservation, *place, report);
                }
            }
        }
        messages
    }

    /// When something begins or ends next.
    pub fn next(&self) -> Option<Time> {
        let moments = self.book.iter().flat_map(|(number, booking)| {
            booking.parts.iter().flat_map(move |(place, part)| {
                let told = self.reported.of(number, *place);
                let begins = (!told.start).then_some(part.begins);
                begins.into_iter().chain((!told.end).then_some(part.ends))
            })
        });
        moments.min().filter(|_| !self.health.lost)
    }

    /// Jobs of which something runs now, with the reservation.
    pub fn running(&self, now: Time) -> Vec<(JobNumber, ReservationNumber)> {
        let running = self.book.iter().filter_map(|(number, booking)| {
            let part = booking.parts.values().find(|part| part.outcome(now) == (true, None))?;
            Some((part.job, number))
        });
        running.collect()
    }
}
