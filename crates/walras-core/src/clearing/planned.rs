//! What no plan of those who wait can beat.
//!
//! **Problem.** Everybody who waits is planned somewhere, and may move. How far is that from the best plan for the same jobs, in any windows?
//! Cost alone does not tell: a plan that is dearer may be chosen because it ends sooner.
//!
//! **Method.** The same prices as for a plan ([`super::clear`]), three times over. What is bounded: what these jobs cost together
//! ([`PlannedBound::cost_least`]); what they *lose* together, which is their cost and what the delay of their ends is worth to them
//! ([`PlannedBound::loss_least`]), and is what each of them is planned by; and how many of all who wait could be served
//! ([`PlannedBound::served_most`]). A job ends no sooner after its start than its tasks take on the fastest nodes that could hold them: so much of a delay
//! is counted, so that on nodes of different speeds the bound of what is lost is lower than it might be, and never above.
//!
//! **Complexity.** Bounded by [`ClearingLimits`], all three together.

use super::grid::{Grid, Prices, UNITS_MAX};
use super::market::{self, ClearingMarket, Effort};
use super::single::{Hint, Search};
use super::want::{Delay, Want};
use super::{ClearingLimits, MOVES_A_CELL, SEATS_MAX, cell_length, least_cost, most_served};
use crate::agenda::{Terms, Worth};
use crate::search::{Algorithm, View};
use std::collections::BTreeMap;
use walras_model::offer::Offers;
use walras_model::quantity::{Factor, rounding};
use walras_model::request::Request;

/// Without prices the first window that is found is as good as any.
const PRECISION: u32 = 100;

/// Somebody who waits with a window.
#[derive(Clone, Copy, Debug)]
pub struct PlannedWant<'a> {
    /// What it needs, and what it must keep.
    pub request: &'a Request,
    /// Its window.
    pub window: Terms,
    /// What its delay is worth to it.
    pub worth: Worth,
}

/// What no plan of those who wait can beat; amounts are in micro-credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedBound {
    /// Of how many jobs it speaks: of those with a window that could have one of what is for sale.
    pub served: usize,
    /// What they cost together.
    pub cost: i128,
    /// No plan in which each of them has a window costs less.
    pub cost_least: i128,
    /// What they cost, and what the delay of their ends is worth, rounded up.
    pub loss: i128,
    /// No plan in which each of them has a window loses less.
    pub loss_least: i128,
    /// No plan gives windows to more of them and of the others.
    pub served_most: usize,
    /// How many searches for one job it took.
    pub searches: u64,
    /// Whether a bound on work ended it.
    pub limit_hit: bool,
}

/// What no plan can beat for those who have a window, and how many of the `others` could be served besides. `None` where nobody is planned, nodes are sold
/// in units, there are more than four million jobs × slots, or the limits do not suffice for asking everybody once.
pub fn bound_of_planned(
    offers: &Offers,
    jobs: &[PlannedWant<'_>],
    others: &[&Request],
    limits: &ClearingLimits,
) -> Option<PlannedBound> {
    let all = jobs.len() + others.len();
    if offers.is_divided() || all.saturating_mul(offers.slots().len()) > SEATS_MAX {
        return None;
    }
    let want =
        |request: &Request| Want::new(offers, &View::new(offers, request, &Algorithm::Amp, Factor::ONE));
    let mut planned: Vec<(&PlannedWant<'_>, Want)> =
        jobs.iter().map(|job| (job, want(job.request))).collect();
    let mut effort = Effort { searches: 0, searches_max: 0, looks_max: 0, moves: 0, moves_max: 0 };
    // What is for sale may have changed since somebody was planned: nothing is said of who could have no window by now.
    let cells_max = usize::try_from(limits.moves_max >> MOVES_A_CELL).unwrap_or(usize::MAX);
    let once = Grid::new(offers, i64::MAX, cells_max);
    let nothing = Prices::new(&once, &vec![0; once.free.len()]);
    planned.retain(|(_, want)| {
        effort.searches += 1;
        Search::default().best(want, &nothing, &mut Hint::default(), PRECISION).is_some()
    });
    if planned.is_empty() {
        return None;
    }
    let (jobs, mut wants): (Vec<&PlannedWant<'_>>, Vec<Want>) = planned.into_iter().unzip();
    let grid = Grid::new(offers, cell_length(&wants), cells_max);
    let waiting: Vec<Want> = others.iter().map(|request| want(request)).collect();

    let cost: i128 = jobs.iter().map(|job| i128::from(job.window.cost.as_micros())).sum();
    effort.grant(limits, 3);
    let (cleared, cost_least, scale) = least_cost(offers, &grid, &mut wants, cost, &mut effort)?;
    let mut limit_hit = cleared.limit_hit;

    let score = |job: &PlannedWant<'_>| job.worth.score_of(job.window.cost, job.window.finish);
    let loss = rounding::up(jobs.iter().map(|job| score(job)).sum(), 1_000);
    effort.grant(limits, if waiting.is_empty() { 1 } else { 2 });
    let (loss_least, enough) = least_loss(&grid, &jobs, &mut wants, scale, &mut effort)?;
    limit_hit |= !enough;

    let served = jobs.len();
    let mut served_most = served;
    if !waiting.is_empty() {
        effort.grant(limits, 1);
        wants.iter_mut().for_each(|want| want.delay = None);
        let (most, enough) = most_served(&grid, wants, waiting, &mut effort);
        served_most = most;
        limit_hit |= !enough;
    }
    Some(PlannedBound {
        served,
        cost,
        // Who was planned at other prices than those of now may have paid less: nothing is claimed against that.
        cost_least: cost_least.min(cost),
        loss,
        loss_least: loss_least.min(loss),
        served_most,
        searches: effort.searches,
        limit_hit,
    })
}

impl Effort {
    /// Allows an equal share of what is left, where so many are still to come.
    fn grant(&mut self, limits: &ClearingLimits, parts: u64) {
        let share = |done: u64, all: u64| all.saturating_sub(done).checked_div(parts).unwrap_or(0);
        self.searches_max = self.searches + share(self.searches, limits.searches_max);
        // Every search for prices counts its looks anew.
        self.looks_max = limits.looks_max.checked_div(3).unwrap_or(0);
        self.moves_max = self.moves + share(self.moves, limits.moves_max);
    }
}

/// The least that the jobs lose, in micro-credits, and whether the limits sufficed.
fn least_loss(
    grid: &Grid,
    jobs: &[&PlannedWant<'_>],
    wants: &mut [Want],
    scale: i64,
    effort: &mut Effort,
) -> Option<(i128, bool)> {
    let mut known = 0_i128;
    for (want, job) in wants.iter_mut().zip(jobs) {
        let each = rounding::down(i128::from(job.worth.per_second.max(0)) * i128::from(scale), 1_000);
        let from = job.worth.from.as_millis().saturating_sub(shortest(want));
        // A delay beyond what can be counted counts as much as can.
        let each = i64::try_from(each).unwrap_or(UNITS_MAX).min(UNITS_MAX);
        want.delay = Some(Delay { from, each });
        known += i128::from(job.window.cost.as_micros()) * i128::from(scale)
            + want.delayed(job.window.start.as_millis());
    }
    let cleared = market::clear(&ClearingMarket { grid, wants, reward: None, known }, effort)?;
    let least = rounding::down(cleared.bound, scale.into()).max(0);
    Some((least, !cleared.limit_hit))
}

/// What a window of the job takes no less than: its tasks are on as many nodes.
fn shortest(want: &Want) -> i64 {
    let of_pool = |pool: &Vec<super::want::Seat>| {
        let nodes: BTreeMap<usize, i64> = pool.iter().map(|seat| (seat.node, seat.runtime)).collect();
        let mut runtimes: Vec<i64> = nodes.into_values().collect();
        runtimes.sort_unstable();
        runtimes.get(want.tasks.checked_sub(1)?).copied()
    };
    want.pools.iter().filter_map(of_pool).min().unwrap_or(0)
}
