//! What time is worth while people wait for it.
//!
//! **Problem.** Jobs wait, each planned somewhere and free to move. What would a node's time be worth to them, hour by hour? Where all nodes
//! cost the same no plan is cheaper than another, and only delays tell.
//!
//! **Method.** The same prices as for a plan ([`super::clear`]), where a later start counts as much as the delay is worth to the job. What is
//! known is where they are planned. A job that would have to pay more than all of them come to stays at home, so that one that
//! finds no window any more spoils nothing.
//!
//! **Complexity.** Bounded by [`ClearingLimits`].

use super::grid::{Grid, UNITS_MAX};
use super::market::{self, ClearingMarket, Effort};
use super::want::{Delay, Want};
use super::{ClearingLimits, MOVES_A_CELL, SEATS_MAX, Worth, cell_length, scale, worth};
use crate::search::{Algorithm, View};
use walras_model::offer::Offers;
use walras_model::quantity::{Factor, Money, Time, rounding};
use walras_model::request::Request;

/// Somebody who waits, and where it is planned.
#[derive(Clone, Copy, Debug)]
pub struct WaitingJob<'a> {
    /// What it needs.
    pub request: &'a Request,
    /// When it is planned to start.
    pub start: Time,
    /// What that costs.
    pub cost: Money,
    /// What a delay costs it, in micro-credits a second; not negative.
    pub delay: i64,
    /// From when on it does.
    pub from: Time,
}

/// What nodes' time is worth to those who wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeWorth {
    /// On top of what it costs.
    pub worth: Worth,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
}

/// Finds prices for those who wait; `None` when nobody does, when there are more than four million jobs × slots, or when the limits do not
/// suffice for asking everybody once.
pub fn worth_of_time(offers: &Offers, jobs: &[WaitingJob<'_>], limits: &ClearingLimits) -> Option<TimeWorth> {
    if jobs.is_empty() || jobs.len().saturating_mul(offers.slots().len()) > SEATS_MAX {
        return None;
    }
    let want = |job: &WaitingJob<'_>| {
        Want::new(offers, &View::new(offers, job.request, &Algorithm::Amp, Factor::ONE))
    };
    let mut wants: Vec<Want> = jobs.iter().map(want).collect();
    let scale = scale(offers, &wants);
    let mut known = 0_i128;
    for (want, job) in wants.iter_mut().zip(jobs) {
        want.count_costs(scale);
        let each = rounding::down(i128::from(job.delay.max(0)) * i128::from(scale), 1_000);
        want.delay = i64::try_from(each).ok().map(|each| Delay { from: job.from.as_millis(), each });
        let cost = i128::from(job.cost.as_micros()) * i128::from(scale);
        known += cost + want.delayed(job.start.as_millis());
    }
    let count = jobs.len() as i128;
    let reward = i64::try_from(known.saturating_add(1)).unwrap_or(UNITS_MAX);
    let searches_max = limits.searches_max.min(limits.searches_per_job_max.saturating_mul(jobs.len() as u64));
    let mut effort = Effort {
        searches: 0,
        searches_max: searches_max.max(limits.searches_least),
        looks_max: limits.looks_max,
        moves: 0,
        moves_max: limits.moves_max,
    };
    let cells_max = usize::try_from(limits.moves_max >> MOVES_A_CELL).unwrap_or(usize::MAX);
    let grid = Grid::new(offers, cell_length(&wants), cells_max);
    let known = known.saturating_sub(count.saturating_mul(reward.into()));
    let market = ClearingMarket { grid: &grid, wants: &wants, reward: Some(reward), known };
    let cleared = market::clear(&market, &mut effort)?;
    let worth = worth::of_prices(offers, &grid, &cleared.prices, scale);
    Some(TimeWorth { worth, searches: effort.searches, limit_hit: cleared.limit_hit })
}
