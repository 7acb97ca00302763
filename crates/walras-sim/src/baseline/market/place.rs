//! Sites, and places at them.

use crate::baseline::profile::{NEVER, Profile};
use crate::record::{Fate, Site};
use crate::workload::Job;
use walras_model::Multiplier;

/// What a job takes and costs at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) site: usize,
    pub(super) estimate: i64,
    /// In micro-credits.
    pub(super) cost: i64,
}

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

/// What a job may use: sites that are large enough, within its budget.
pub(super) fn offers(sites: &[Site], job: &Job) -> Result<Vec<Offer>, Fate> {
    let wide = sites.iter().enumerate().filter(|(_, site)| job.nodes <= site.nodes);
    let all: Vec<Offer> = wide
        .filter_map(|(index, site)| {
            let estimate = site.takes(job.estimate)?;
            let cost = site.cost(job.nodes, estimate)?.as_micros();
            Some(Offer { site: index, estimate: estimate.as_millis(), cost })
        })
        .collect();
    if all.is_empty() {
        return Err(Fate::TooWide);
    }
    let within = |offer: &Offer| job.budget.is_none_or(|budget| offer.cost <= budget.as_micros());
    let able: Vec<Offer> = all.into_iter().filter(within).collect();
    if able.is_empty() { Err(Fate::TooDear) } else { Ok(able) }
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
