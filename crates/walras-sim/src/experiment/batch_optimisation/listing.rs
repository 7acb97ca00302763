//! The alternatives of the fitted reading: windows of least run time, and which of several such windows is taken.
//!
//! **Problem.** Run times are whole and few, so that many windows of a list have the least one. The paper does not say which of
//! them becomes the alternative, and the gains depend on it.
//!
//! **Method.** The *earliest* of them is what Walras's own search by run time gives. The *cheapest* comes from two of its searches: the first
//! tells the least run time, the second the cheapest window over nodes that are no slower than that asks for.
//!
//! **Complexity.** Two searches for every alternative.

use crate::experiment::{CycleError, search};
use serde::{Deserialize, Serialize};
use walras_core::slots::SlotList;
use walras_core::{Algorithm, Alternatives, Criterion, SearchConfig, find_window};
use walras_model::{Alternative, Batch, Factor, Offers, Outcome, Request, Window};

/// Which of several windows of the same least run time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one that starts first; of those that do, the cheapest.
    Earliest,
    /// The cheapest of them, whenever it starts; of those the first.
    Cheapest,
}

/// Round after round, at most so many windows of least run time for each job.
pub(super) fn alternatives(
    offers: &Offers,
    batch: &Batch,
    (ties, most): (Ties, u32),
    verify: bool,
) -> Result<Alternatives, CycleError> {
    let by = |criterion| search::config(Algorithm::Criterion(criterion), most);
    let quickest = by(Criterion::Runtime);
    match ties {
        Ties::Earliest => search::alternatives(offers, batch, &quickest, verify),
        Ties::Cheapest => {
            let found = in_rounds(offers, batch, [&quickest, &by(Criterion::Cost)], most)?;
            search::verified(found, (offers, batch), &quickest, verify)
        }
    }
}

fn in_rounds(
    offers: &Offers,
    batch: &Batch,
    searches: [&SearchConfig; 2],
    most: u32,
) -> Result<Alternatives, CycleError> {
    let mut list = SlotList::from_offers(offers);
    let mut found = Vec::new();
    let mut active = batch.by_priority();
    for _ in 0..most {
        let mut still_active = Vec::with_capacity(active.len());
        for job in active {
            let Some(window) = cheapest_of_quickest(&list, offers, batch.request(job), searches) else {
                continue;
            };
            list.subtract(&window).map_err(|_| CycleError::law("a window that was found is free"))?;
            found.push(Alternative { job, window, bound: None });
            still_active.push(job);
        }
        active = still_active;
    }
    Ok(Alternatives { found, ..Alternatives::default() })
}

/// The cheapest of all windows of least run time.
fn cheapest_of_quickest(
    list: &SlotList,
    offers: &Offers,
    request: &Request,
    [quickest, cheapest]: [&SearchConfig; 2],
) -> Option<Window> {
    let least = window(find_window(list, offers, request, quickest))?.runtime();
    let performances = offers.nodes().iter().map(|node| node.performance);
    let is_quick = |performance: &_| {
        *performance >= request.performance_min
            && request.work.runtime_on(*performance).is_some_and(|runtime| runtime <= least)
    };
    // What the job may spend follows from what it asks for itself.
    let narrowed = Request {
        performance_min: performances.filter(is_quick).min()?,
        budget: request.budget_limit(Factor::ONE),
        ..request.clone()
    };
    window(find_window(list, offers, &narrowed, cheapest))
}

fn window<R>(outcome: Outcome<Window, R>) -> Option<Window> {
    match outcome {
        Outcome::Optimal(window) | Outcome::Feasible { best: window, .. } => Some(window),
        Outcome::Infeasible(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fitted;
    use super::*;
    use std::collections::BTreeMap;
    use walras_model::{JobId, Money, Span};
    use walras_random::Purpose;

    /// By job what its first window takes and costs.
    fn first(found: &Alternatives) -> BTreeMap<JobId, (Span, Money)> {
        let mut first = BTreeMap::new();
        for it in &found.found {
            first.entry(it.job).or_insert((it.window.runtime(), it.window.cost()));
        }
        first
    }

    #[test]
    fn the_cheapest_is_as_quick_as_the_earliest_and_no_dearer() {
        let environment = Fitted::default().environments[1].clone();
        let mut cheaper = 0;
        for cycle in 0..20 {
            let offers = environment.lines.draw(&mut Purpose::Slots.stream(1, cycle)).unwrap();
            let batch = environment.jobs.draw(&mut Purpose::Jobs.stream(1, cycle)).unwrap();
            // On the same list: what comes after the first job depends on what it took.
            for request in batch.requests() {
                let alone = Batch::new(vec![request.clone()]);
                let of = |ties| first(&alternatives(&offers, &alone, (ties, 1), true).unwrap());
                let (earliest, cheapest) = (of(Ties::Earliest), of(Ties::Cheapest));
                assert_eq!(earliest.len(), cheapest.len());
                for ((took, cost), (own_took, own_cost)) in earliest.values().zip(cheapest.values()) {
                    assert!(took == own_took && own_cost <= cost);
                    cheaper += usize::from(own_cost < cost);
                }
            }
        }
        assert!(cheaper > 50, "only {cheaper} windows differ");
    }
}
