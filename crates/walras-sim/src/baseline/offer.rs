//! The sites that a job may use, and what it takes and costs there.

use crate::record::{Fate, Site};
use crate::workload::Job;

/// What a job takes and costs at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) site: usize,
    pub(super) estimate: i64,
    /// In micro-credits.
    pub(super) cost: i64,
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
