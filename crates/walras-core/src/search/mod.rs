//! Window search: from offers and requests to every way to run every job.
//!
//! [`find_window`] answers for one request, [`find_alternatives`] for a batch. Both run one of three
//! searches over an indexed slot list ([`crate::slots`]): ALP, AMP (both in `first`) or the best by a
//! criterion (`criterion`).

mod again;
mod ahead;
mod alternatives;
mod cheapest;
mod config;
mod criterion;
mod few;
mod first;
mod gathering;
mod job;
mod knapsack;
mod lanes;
mod pricing;
mod ranking;
mod scan;
mod shared;
mod steps;
mod sums;
mod together;
mod view;
mod worst;

pub use alternatives::{
    Alternatives, Beyond, LimitHit, Unscheduled, find_alternatives, find_alternatives_on,
};
pub(crate) use alternatives::{Own, find_alternatives_each};
pub(crate) use cheapest::{Cheapest, Entry};
pub use config::{Algorithm, Criterion, Mode, SearchConfig, SearchLimits};
pub(crate) use knapsack::choose as choose_within;
pub(crate) use lanes::{Lanes, lanes_of, profiles, stretches};
pub(crate) use pricing::{Item, bound_of, reduced};
pub(crate) use scan::{Candidate, Selector, scan};
pub(crate) use shared::SharedTime;
pub(crate) use steps::has_window_on;
pub(crate) use view::{NO_FIT, View, has_user_prices, own_rate_of, runtime_of, states};

use crate::slots::SlotList;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, SlotKey};
use walras_model::outcome::Outcome;
use walras_model::quantity::{Rate, Span, Time};
use walras_model::request::Request;
use walras_model::window::{Placement, Window};

/// A window, and a bound where it is not proven best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) window: Window,
    pub(crate) bound: Option<i128>,
}

/// There is no window; [`crate::explain()`] says why and what would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no window")]
pub struct NoWindow;

/// The first (ALP, AMP) or best (criterion) window of one request.
///
/// `list` holds what is still free of `offers`.
pub fn find_window(
    list: &SlotList,
    offers: &Offers,
    request: &Request,
    config: &SearchConfig,
) -> Outcome<Window, NoWindow> {
    let view = View::new(offers, request, &config.algorithm, config.budget_factor);
    match search(list, offers, &view, config, &mut 0) {
        Some(Found { window, bound: None }) => Outcome::Optimal(window),
        Some(Found { window, bound: Some(bound) }) => Outcome::Feasible { best: window, bound },
        None => Outcome::Infeasible(NoWindow),
    }
}

/// The window of one request, counting the slots read.
pub(crate) fn search_counting(
    list: &SlotList,
    offers: &Offers,
    request: &Request,
    config: &SearchConfig,
    slots_scanned: &mut u64,
) -> Option<Window> {
    let view = View::new(offers, request, &config.algorithm, config.budget_factor);
    search(list, offers, &view, config, slots_scanned).map(|found| found.window)
}

/// Runs the configured search.
pub(crate) fn search(
    list: &SlotList,
    offers: &Offers,
    view: &View,
    config: &SearchConfig,
    slots_scanned: &mut u64,
) -> Option<Found> {
    if view.tasks == 0 || view.nodes_fitting < view.tasks {
        return None;
    }
    match &config.algorithm {
        Algorithm::Alp | Algorithm::Amp => {
            let window = first::first_window(list, view, slots_scanned)?;
            Some(Found { window, bound: None })
        }
        Algorithm::Criterion(criterion) => {
            let branches_max = config.limits.branches_max;
            criterion::best_window(list, offers, view, criterion, branches_max, slots_scanned)
        }
    }
}

/// Whether the request has a window at all.
pub(crate) fn has_window(list: &SlotList, view: &View, slots_read: &mut u64) -> bool {
    view.tasks > 0
        && view.nodes_fitting >= view.tasks
        && first::first_window(list, view, slots_read).is_some()
}

/// The best window of a view by a criterion, whatever the configured search is.
pub(crate) fn best_by(
    list: &SlotList,
    offers: &Offers,
    view: &View,
    criterion: &Criterion,
    slots_read: &mut u64,
) -> Option<Window> {
    if view.tasks == 0 || view.nodes_fitting < view.tasks {
        return None;
    }
    criterion::best_window(list, offers, view, criterion, 0, slots_read).map(|found| found.window)
}

/// The window of these slots at this start.
fn window_of(list: &SlotList, view: &View, start: i64, keys: Vec<SlotKey>) -> Option<Window> {
    let start = Time::from_millis(start)?;
    let placement = |key: SlotKey| {
        let slot = list.get(key)?;
        let runtime = Span::from_millis(view.runtimes[key.node.index()])?;
        let rate = Rate::from_micros_per_second(view.rate_of(slot))?;
        Some(Placement {
            units: slot.units(),
            node: key.node,
            interval: Interval::new(start, start.checked_add(runtime)?)?,
            rate,
            cost: rate.cost_of(runtime)?,
            source: key,
        })
    };
    Window::new(keys.into_iter().map(placement).collect::<Option<Vec<_>>>()?)
}
