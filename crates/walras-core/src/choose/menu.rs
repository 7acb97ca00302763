//! The menu of a batch: for each job the alternatives that there are to choose from, reduced to cost, time and end.

use crate::search::Alternatives;
use walras_model::id::JobId;
use walras_model::quantity::{Money, Span, Time};
use walras_model::request::{Batch, Request};
use walras_model::window::Window;

/// One alternative as the choice sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MenuItem {
    /// What it costs.
    pub cost: Money,
    /// How long its longest task takes.
    pub time: Span,
    /// When it ends.
    pub finish: Time,
    /// Where it is in [`Alternatives::found`], or any number by which the caller knows it.
    pub source: usize,
}

/// The alternatives of one job, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuJob {
    /// Whose they are.
    pub job: JobId,
    /// How much it counts to serve the job; at least 1.
    pub weight: u64,
    /// The alternatives in the order found.
    pub items: Vec<MenuItem>,
}

/// All that there is to choose from: the jobs that have an alternative, in batch order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    /// The jobs.
    pub jobs: Vec<MenuJob>,
}

impl MenuItem {
    /// A window as the choice sees it.
    pub fn of_window(window: &Window, source: usize) -> MenuItem {
        MenuItem { cost: window.cost(), time: window.runtime(), finish: window.end(), source }
    }
}

/// How much it counts to serve a job: its priority above the batch's lowest, plus one.
pub(crate) fn priority_weight(request: &Request, lowest: i64) -> u64 {
    request.priority.abs_diff(lowest).saturating_add(1)
}

impl Menu {
    /// The menu of a search's result. A job's weight is its priority above the batch's lowest, plus one.
    pub fn new(alternatives: &Alternatives, batch: &Batch) -> Menu {
        let lowest = batch.requests().iter().map(|request| request.priority).min().unwrap_or(0);
        let mut jobs: Vec<MenuJob> = Vec::with_capacity(batch.requests().len());
        for (index, request) in batch.requests().iter().enumerate() {
            let Some(job) = JobId::from_index(index) else { break };
            let weight = priority_weight(request, lowest);
            jobs.push(MenuJob { job, weight, items: Vec::new() });
        }
        for (source, found) in alternatives.found.iter().enumerate() {
            let item = MenuItem::of_window(&found.window, source);
            jobs[found.job.index()].items.push(item);
        }
        jobs.retain(|job| !job.items.is_empty());
        Menu { jobs }
    }
}
