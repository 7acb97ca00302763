//! To which site a job goes.

use super::local::Local;
use crate::record::{Fate, Site};
use crate::workload::Job;
use serde::{Deserialize, Serialize};
use walras_model::Money;

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
    /// The one where it starts first, by what is planned (minimum start time).
    StartFirst,
    /// The one where it ends first, by what is planned (minimum completion time).
    EndFirst,
}

/// The site of a job, and how long it says that it will run there.
pub(super) fn choose(
    sites: &[Site],
    locals: &[Local],
    placement: Placement,
    now: i64,
    job: &Job,
) -> Result<(usize, i64), Fate> {
    let wide = sites.iter().enumerate().filter(|(_, site)| job.nodes <= site.nodes);
    let stated = wide.filter_map(|(index, site)| {
        let estimate = site.takes(job.estimate)?;
        Some((index, estimate.as_millis(), site.cost(job.nodes, estimate)?))
    });
    let mut stated = stated.peekable();
    stated.peek().ok_or(Fate::TooWide)?;
    let within = |cost: &Money| job.budget.is_none_or(|budget| *cost <= budget);
    let able: Vec<(usize, i64, Money)> = stated.filter(|(_, _, cost)| within(cost)).collect();
    let seen = |estimate: i64| if placement.knows_speed { estimate } else { job.estimate.as_millis() };
    let start =
        |(index, estimate, _): &(usize, i64, Money)| locals[*index].forecast(now, job.nodes, seen(*estimate));
    let chosen = match placement.rule {
        _ if able.len() == 1 => able.first(),
        Rule::FirstFit => able
            .iter()
            .find(|(index, estimate, _)| locals[*index].fits_now(now, job.nodes, seen(*estimate)))
            .or(able.first()),
        Rule::Cheapest if placement.knows_speed => able.iter().min_by_key(|(_, _, cost)| *cost),
        Rule::Cheapest => able.iter().min_by_key(|(index, _, _)| sites[*index].price),
        Rule::StartFirst => able.iter().min_by_key(|site| start(site)),
        Rule::EndFirst => able.iter().min_by_key(|site| start(site).saturating_add(seen(site.1))),
    };
    chosen.map(|(index, estimate, _)| (*index, *estimate)).ok_or(Fate::TooDear)
}
