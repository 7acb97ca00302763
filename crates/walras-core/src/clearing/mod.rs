//! Prices that clear the market, and what no plan can cost less than.
//!
//! **Problem.** A plan is best among the windows that somebody listed or tried. How much could another plan for the same jobs save, in
//! *any* windows? And what is nodes' time worth, hour by hour, when all of them want it?
//!
//! **Method.** Prices on cells of nodes' time (`grid`) rise where more is wanted than there is (`market`); at any prices, what each job's
//! best window comes to (`single`), less all prices together, bounds what every plan of these jobs costs. The best prices
//! found give the bound, and tell owners and users what is scarce (`worth`).
//!
//! **What is bounded.** Two things apart. [`Clearing::cost_least`]: no plan in which each of the jobs that the plan at hand serves has a
//! window costs less for them, whatever else it does. [`Clearing::served_most`]: no plan gives windows to more of the jobs
//! that could have one. Windows are those that the search may find: they keep the request's limits, at the prices of its user. Limits that bind all
//! together (T* and B*, quotas, hours of access) are not counted on, so that the bounds hold with them and without. Workflows, which could run in
//! windows of many sizes, and jobs in queues are left out, and named. Of those who are planned and may move, what they lose by being
//! late is bounded besides (`planned`).
//!
//! **Complexity.** Bounded by [`ClearingLimits`]: in searches for one job, in seats that these look at, and in prices that
//! are moved in between. Hitting a bound shows.
//!
//! Source: Walras' tâtonnement; Lagrangian relaxation of the time-indexed problem (Fisher 1973).

mod grid;
mod market;
mod planned;
mod single;
#[cfg(test)]
mod tests;
mod waiting;
mod want;
mod worth;

pub use planned::{PlannedBound, PlannedWant, bound_of_planned};
pub use waiting::{TimeWorth, WaitingJob, worth_of_time};
pub use worth::{KindWorth, ScarcePeriod, Worth};

use crate::plan::{BatchChoice, BatchPlan, BatchProblem};
use crate::prefer::Source;
use crate::search::View;
use grid::{Grid, UNITS_MAX};
use market::{Cleared, ClearingMarket, Effort};
use walras_model::id::JobId;
use walras_model::offer::Offers;
use walras_model::quantity::rounding;
use want::Want;

/// The finest unit that prices are counted in: so many to the micro-credit.
const SCALE_MAX: i64 = 1 << 20;
/// Batches of more jobs × slots are not looked at.
const SEATS_MAX: usize = 4 << 20;
/// A task of the shortest run time covers about 2^this cells.
const CELLS_A_TASK: u32 = 3;
/// A cell's price can be moved 2^this times within the limits, or cells are longer.
const MOVES_A_CELL: u32 = 8;
/// Prices may rise to so many times the dearest slot's.
const PRICES_OVER_RATES: i128 = 16;

/// Bounds of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearingLimits {
    /// At most this many searches for one job, for each job of the batch; or the next, where that is more.
    pub searches_per_job_max: u64,
    /// So many in all are within the limits of every batch.
    pub searches_least: u64,
    /// At most this many searches for one job in all.
    pub searches_max: u64,
    /// About so many places for a task are looked at, at most.
    pub looks_max: u64,
    /// Prices of cells are moved about so often, at most.
    pub moves_max: u64,
}

impl Default for ClearingLimits {
    fn default() -> Self {
        ClearingLimits {
            searches_per_job_max: 29,
            searches_least: 1_000,
            searches_max: 20_000,
            looks_max: 200_000_000,
            moves_max: 4_000_000_000,
        }
    }
}

/// What prices prove of a plan, and what they say of nodes' time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clearing {
    /// Jobs that nothing is said of: workflows, and those in queues.
    pub beside: Vec<JobId>,
    /// What the jobs served in windows cost together, in micro-credits, without those that nothing is said of.
    pub cost: i128,
    /// No plan that serves these jobs costs less for them.
    pub cost_least: i128,
    /// How many they are.
    pub served: usize,
    /// No plan serves more, of all jobs but those that nothing is said of.
    pub served_most: usize,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
    /// What nodes' time is worth on top of what it costs.
    pub worth: Worth,
}

impl Clearing {
    /// How far the cost is above the least, in millionths of that, rounded up; `None` when the least is nothing.
    pub fn above(&self) -> Option<i128> {
        let above = (self.cost - self.cost_least).checked_mul(1_000_000)?;
        (self.cost_least > 0).then(|| rounding::up(above, self.cost_least))
    }
}

/// Finds prices for the jobs of a plan; `None` when nobody has a window, when there are more than four million jobs × slots, or when
/// the limits do not suffice for asking everybody once.
pub fn clear(problem: &BatchProblem<'_>, plan: &BatchPlan, limits: &ClearingLimits) -> Option<Clearing> {
    // Cells of time are of nodes that are sold whole.
    if problem.offers.is_divided() {
        return None;
    }
    let Jobs { mut served, waiting, beside, cost } = jobs(problem, plan)?;
    let (count, all) = (served.len(), served.len() + waiting.len());
    let of_jobs = limits.searches_per_job_max.saturating_mul(all as u64).max(limits.searches_least);
    let searches_max = limits.searches_max.min(of_jobs);
    // Where somebody is left out, a third of the work goes into how many could be served.
    let part = |all: u64| if waiting.is_empty() { all } else { all - all.checked_div(3).unwrap_or(0) };
    let (searches_part, looks_part) = (part(searches_max), part(limits.looks_max));
    let moves_part = part(limits.moves_max);
    let mut effort = Effort {
        searches: 0,
        searches_max: searches_part,
        looks_max: looks_part,
        moves: 0,
        moves_max: moves_part,
    };
    let cells_max = usize::try_from(limits.moves_max >> MOVES_A_CELL).unwrap_or(usize::MAX);
    let grid = Grid::new(problem.offers, cell_length(&served), cells_max);
    let (cleared, cost_least, scale) = least_cost(problem.offers, &grid, &mut served, cost, &mut effort)?;
    let (served_most, enough) = if waiting.is_empty() {
        (count, true)
    } else {
        (effort.searches_max, effort.looks_max) = (searches_max, limits.looks_max - looks_part);
        effort.moves_max = limits.moves_max;
        most_served(&grid, served, waiting, &mut effort)
    };
    Some(Clearing {
        beside,
        cost,
        cost_least,
        served: count,
        served_most,
        searches: effort.searches,
        limit_hit: cleared.limit_hit || !enough,
        worth: worth::of_prices(problem.offers, &grid, &cleared.prices, scale),
    })
}

/// The jobs of a plan, as the market sees them.
struct Jobs {
    served: Vec<Want>,
    waiting: Vec<Want>,
    beside: Vec<JobId>,
    /// What those served cost together.
    cost: i128,
}

/// `None` when nobody is served, or when there are too many to be asked.
fn jobs(problem: &BatchProblem<'_>, plan: &BatchPlan) -> Option<Jobs> {
    let BatchChoice::Made(made) = &plan.choice else { return None };
    let seats = plan.batch.requests().len().saturating_mul(problem.offers.slots().len());
    if seats > SEATS_MAX {
        return None;
    }
    let mut jobs = Jobs { served: Vec::new(), waiting: Vec::new(), beside: Vec::new(), cost: 0 };
    for (index, (request, pick)) in plan.batch.requests().iter().zip(&made.picks).enumerate() {
        let (offers, search) = (problem.offers, problem.search_of(index));
        let want = || Want::new(offers, &View::new(offers, request, &search.algorithm, search.budget_factor));
        let is_workflow = problem.jobs.get(index).is_some_and(|job| job.workflow.is_some());
        match pick {
            Some(Source::Window(place)) if !is_workflow => {
                jobs.cost += i128::from(plan.found.found.get(*place)?.window.cost().as_micros());
                jobs.served.push(want());
            }
            None if !is_workflow => jobs.waiting.push(want()),
            Some(_) | None => jobs.beside.extend(JobId::from_index(index)),
        }
    }
    (!jobs.served.is_empty()).then_some(jobs)
}

/// A part of the time that a task takes.
fn cell_length(wants: &[Want]) -> i64 {
    let runtimes = wants.iter().filter_map(|want| want.seats().map(|seat| seat.runtime).min());
    let (sum, count) = runtimes.fold((0_i128, 0_i128), |(sum, count), it| (sum + i128::from(it), count + 1));
    i64::try_from(rounding::down(sum, count.max(1)) >> CELLS_A_TASK).unwrap_or(i64::MAX)
}

/// Prices for what windows cost, the least cost in micro-credits, and the unit of the prices.
fn least_cost(
    offers: &Offers,
    grid: &Grid,
    wants: &mut [Want],
    known: i128,
    effort: &mut Effort,
) -> Option<(Cleared, i128, i64)> {
    let scale = scale(offers, wants);
    for want in wants.iter_mut() {
        want.count_costs(scale);
    }
    let known = known.saturating_mul(scale.into());
    let cleared = market::clear(&ClearingMarket { grid, wants, reward: None, known }, effort)?;
    // Costs are whole micro-credits.
    let least = rounding::up(cleared.bound, scale.into()).max(0);
    Some((cleared, least, scale))
}

/// How many units make a micro-credit, so that neither costs nor prices are too large to be counted.
fn scale(offers: &Offers, wants: &[Want]) -> i64 {
    let dearest = wants.iter().flat_map(Want::seats).map(|seat| seat.cost).max().unwrap_or(0);
    let rate = offers.slots().iter().map(|slot| slot.rate().as_micros_per_second()).max().unwrap_or(0);
    let horizon = i128::from(offers.horizon().span().as_millis());
    let of_horizon = rounding::up(i128::from(rate) * horizon * PRICES_OVER_RATES * 2, 1_000);
    let most = of_horizon.max(i128::from(dearest)).max(1);
    let mut scale = SCALE_MAX;
    while scale > 1 && most * i128::from(scale) > i128::from(UNITS_MAX) {
        scale >>= 1;
    }
    scale
}

/// No plan serves more than so many, and whether the limits sufficed.
fn most_served(grid: &Grid, served: Vec<Want>, waiting: Vec<Want>, effort: &mut Effort) -> (usize, bool) {
    let count = served.len();
    let mut wants = served;
    for want in &mut wants {
        want.count_costs(0);
    }
    wants.extend(waiting);
    let all = wants.len();
    let reward = rounding::down(UNITS_MAX.into(), all.max(1) as i128);
    let known = -(count as i128) * reward;
    let Ok(reward_units) = i64::try_from(reward) else { return (all, false) };
    let market = ClearingMarket { grid, wants: &wants, reward: Some(reward_units), known };
    let Some(cleared) = market::clear(&market, effort) else { return (all, false) };
    let most = rounding::down(-cleared.bound, reward.max(1));
    (usize::try_from(most).unwrap_or(all).clamp(count, all), !cleared.limit_hit)
}
