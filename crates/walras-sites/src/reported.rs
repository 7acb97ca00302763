//! What was said of parts, so that everything is said once, and again to whoever asks.
//!
//! It is not written down: what was said just before a restart may not have been heard, so it is said again.

use crate::contract::ReservationNumber;
use std::collections::BTreeMap;

/// What was said of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// That it has begun.
    pub start: bool,
    /// How it ended.
    pub end: bool,
}

/// What was said of all parts of a site.
#[derive(Clone, Debug, Default)]
pub struct Reported(BTreeMap<(ReservationNumber, u32), Report>);

impl Reported {
    /// What was said of a part.
    pub fn of(&self, reservation: ReservationNumber, part: u32) -> Report {
        self.0.get(&(reservation, part)).copied().unwrap_or_default()
    }

    /// Notes what has been said of a part by now.
    pub fn note(&mut self, reservation: ReservationNumber, part: u32, report: Report) {
        self.0.insert((reservation, part), report);
    }

    /// Everything of one part is to be said again.
    pub fn forget_part(&mut self, reservation: ReservationNumber, part: u32) {
        self.0.remove(&(reservation, part));
    }

    /// Everything of a reservation is to be said again, or never more.
    pub fn forget(&mut self, reservation: ReservationNumber) {
        let of_it = self.0.range((reservation, 0)..=(reservation, u32::MAX)).map(|(key, _)| *key);
        for key in of_it.collect::<Vec<_>>() {
            self.0.remove(&key);
        }
    }
}
