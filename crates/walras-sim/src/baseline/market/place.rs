//! Sites, and places at them.

use crate::baseline::offer::Offer;
use crate::baseline::profile::{NEVER, Profile};
use walras_model::Multiplier;

/// A site, and a start there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offer: Offer,
    pub(super) start: i64,
}

impl Place {
    pub(super) fn end(&self) -> i64 {
        self.start.saturating_add(self.offer.estimate)
    }

    /// In thousandths of a micro-credit: the cost, and the time from a moment to the end at its value.
    pub(super) fn score(&self, nodes: u32, now: i64, value: Multiplier) -> i128 {
        let time = i128::from(self.end()) - i128::from(now);
        let worth = time * i128::from(nodes) * i128::from(value.as_millionths());
        i128::from(self.offer.cost) * 1_000 + worth
    }
}

/// What is free at every site.
#[derive(Clone, Debug)]
pub(super) struct Calendars(pub(super) Vec<Profile>);

impl Calendars {
    /// The earliest place by an offer that ends by a moment.
    pub(super) fn earliest(&self, now: i64, offer: Offer, nodes: u32, by: i64) -> Option<Place> {
        let limit = by.saturating_sub(offer.estimate).saturating_add(1);
        let start = self.0[offer.site].earliest_before(now, limit, NEVER, nodes, offer.estimate)?;
        Some(Place { offer, start })
    }

    pub(super) fn take(&mut self, place: Place, nodes: u32) {
        self.0[place.offer.site].take(place.start, place.end(), nodes);
    }

    pub(super) fn give(&mut self, place: Place, nodes: u32) {
        self.0[place.offer.site].give(place.start, place.end(), nodes);
    }
}
