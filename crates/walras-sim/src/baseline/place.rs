//! To which site a job goes.

use super::offer::{Offer, offers};
use crate::record::{Fate, Site};
use crate::workload::Job;
use serde::{Deserialize, Serialize};
use walras_model::Time;

/// How jobs are sent to sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// By which rule.
    pub rule: Rule,
    /// Whether the rule knows that sites differ in speed; else it takes every node for one of performance 1. What the
    /// jobs then take and cost does not depend on it.
    pub knows_speed: bool,
}

impl Placement {
    /// The first site that fits, for where there is one only.
    pub const FIRST: Placement = Placement { rule: Rule::FirstFit, knows_speed: true };
}

/// By which rule a site is chosen among those that are large enough and, by the estimate, within the budget; ties go to
/// the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The first that can start it at once, else the first.
    FirstFit,
    /// The one where it costs least, whenever that is.
    Cheapest,
    /// The one where it costs least among those where it ends by its deadline, by what is planned; where there is none, the one where
    /// it ends first.
    CheapestInTime,
    /// The one where it starts first, by what is planned (minimum start time).
    StartFirst,
    /// The one where it ends first, by what is planned (minimum completion time).
    EndFirst,
}

/// What a queue says of a job that would come now.
pub(super) trait Forecast {
    /// Whether it could ever start, if nobody else were there.
    fn could_ever(&self, now: i64, nodes: u32, estimate: i64) -> bool;

    /// When it would start, by what is planned.
    fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64;

    /// Whether it would start at once.
    fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool;
}

/// The site of a job, and how long it says that it will run there.
pub(super) fn choose<'a, F: Forecast + 'a>(
    sites: &[Site],
    queue: impl Fn(usize) -> &'a F,
    placement: Placement,
    now: i64,
    job: &Job,
) -> Result<(usize, i64), Fate> {
    let mut able = offers(sites, job)?;
    able.retain(|offer| queue(offer.site).could_ever(now, job.nodes, offer.estimate));
    let seen = |offer: &Offer| if placement.knows_speed { offer.estimate } else { job.estimate.as_millis() };
    let start = |offer: &Offer| queue(offer.site).forecast(now, job.nodes, seen(offer));
    let ends = |offer: &Offer| start(offer).saturating_add(seen(offer));
    let deadline = job.deadline.map_or(i64::MAX, Time::as_millis);
    let price = |offer: &Offer| match placement.knows_speed {
        true => offer.cost,
        false => sites[offer.site].price.as_micros_per_second(),
    };
    let chosen = match placement.rule {
        _ if able.len() == 1 => able.first(),
        Rule::FirstFit => {
            able.iter().find(|offer| queue(offer.site).fits_now(now, job.nodes, seen(offer))).or(able.first())
        }
        Rule::Cheapest => able.iter().min_by_key(|offer| price(offer)),
        Rule::CheapestInTime => able.iter().min_by_key(|offer| {
            let end = ends(offer);
            if end <= deadline { (false, price(offer)) } else { (true, end) }
        }),
        Rule::StartFirst => able.iter().min_by_key(|offer| start(offer)),
        Rule::EndFirst => able.iter().min_by_key(|offer| ends(offer)),
    };
    chosen.map(|offer| (offer.site, offer.estimate)).ok_or(Fate::TooWide)
}
