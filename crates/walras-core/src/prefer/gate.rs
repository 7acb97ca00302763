//! What owners' rules say of windows that no search for alternatives found.
//!
//! A plan that is improved asks of thousands of windows whether they are let in and what they take of quotas. The answers come from
//! the same code that makes a negotiation, so that both agree.

use super::negotiate::Builder;
use super::stakeholders::{NegotiationTerms, Stakeholders};
use walras_model::id::SiteId;
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::request::Batch;
use walras_model::window::Window;

/// Owners' rules over a batch.
pub(crate) struct Gate<'a>(Builder<'a>);

impl<'a> Gate<'a> {
    pub(crate) fn new(wishes: &'a Stakeholders, offers: &'a Offers, batch: &'a Batch) -> Gate<'a> {
        Gate(Builder::new(wishes, offers, batch, &[], &NegotiationTerms::default()))
    }

    /// What there is of each capacity: the units of queues, then quotas.
    pub(crate) fn capacities(&self) -> &[i64] {
        self.0.capacities()
    }

    /// How much a window takes of which capacities.
    pub(crate) fn takes(&self, job: usize, window: &Window) -> Vec<(usize, i64)> {
        self.0.takes_of_window(job, window)
    }

    /// The quotas that a job counts against: the site of each, and its capacity.
    pub(crate) fn quotas_of(&self, job: usize) -> Vec<(SiteId, usize)> {
        self.0.quotas_of(job)
    }

    /// Whether the hours of any site are limited to somebody.
    pub(crate) fn has_access_rules(&self) -> bool {
        self.0.has_access_rules()
    }

    /// Whether a site lets a job in during an interval.
    pub(crate) fn admits(&self, job: usize, site: SiteId, interval: Interval) -> bool {
        self.0.admits(job, site, interval)
    }
}
