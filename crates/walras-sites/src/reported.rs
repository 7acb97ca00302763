//! What was said of parts, so that everything is said once, and again to whoever asks.
//!
//! It is not written down: what was said just before a restart may not have been heard, so it is said again.

use crate::book::Book;
use crate::contract::{ReservationNumber, SiteAnswer, SiteMessage};
use crate::store::Store;
use serde::Serialize;
use serde::de::DeserializeOwned;
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

    /// The parts, of one reservation or of all, whose end was not told yet. Of what is leaving nothing is told any more.
    pub(crate) fn open<P, S>(
        &self,
        book: &Book<P, S>,
        only: Option<ReservationNumber>,
    ) -> Vec<(ReservationNumber, u32)>
    where
        P: Clone + Serialize + DeserializeOwned,
        S: Store,
    {
        let wanted = book.iter().filter(|(number, it)| !it.leaving && only.is_none_or(|it| it == *number));
        let parts =
            wanted.flat_map(|(number, booking)| booking.parts.keys().map(move |part| (number, *part)));
        parts.filter(|(number, part)| !self.of(*number, *part).end).collect()
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

/// All messages of some answers: what cannot be looked at does not keep the others from being told. An error is the answer only where
/// nothing else is.
pub(crate) fn gather(answers: impl Iterator<Item = SiteAnswer>) -> SiteAnswer {
    let (mut messages, mut wrong) = (Vec::<SiteMessage>::new(), None);
    for answer in answers {
        match answer {
            Ok(more) => messages.extend(more),
            Err(error) => wrong = Some(error),
        }
    }
    match wrong {
        Some(error) if messages.is_empty() => Err(error),
        _ => Ok(messages),
    }
}
