//! Dives: from prices to a placing, fixing a few jobs at a time and asking the sites again.
//!
//! At the best prices the sites still disagree: some jobs are wanted by several, some by none. While prices move a
//! little around there, a job that belongs to a site in the best divided solution is wanted by it most of the time: the
//! share of passes in which a site wants a job comes close to that solution (Barahona and Anbil's volume algorithm
//! rests on the same). A dive fixes the tenth of the jobs that are wanted most steadily, moves the prices of the others
//! in what is left of the sites, and so on down to the last job; chains of moves then settle what is left.
//!
//! A dive starts from nothing, or from the best placing with some of its sites emptied. Chance (which sites, and a
//! little noise in the order of jobs) makes every dive another. One dive takes about as many steps as
//! [`PASSES`] / [`FIXED_SHARE`] passes over the pairs given.

use super::dual::Dual;
use super::neighbourhood::around;
use super::placing::{NONE, Placing};
use super::repair::place_missing;
use super::table::{Table, id};
use walras_model::market::Pair;
use walras_random::Draws;

/// Passes over the sites between two fixings.
const PASSES: usize = 20;
/// The share of the jobs left that is fixed at once.
const FIXED_SHARE: f64 = 0.1;
/// How far prices move in a pass.
const LENGTH: f64 = 0.3;
/// How much chance has to say in the order of jobs.
const NOISE: f64 = 0.2;
/// One dive in so many starts from nothing.
const FRESH_EVERY: usize = 8;
/// Chains that place jobs for which a dive found no room, and that settle its end.
const DEPTH_MISSING: usize = 3;
const DEPTH: usize = 2;

/// The steps of settling, beside the pairs that there are.
const SETTLING: u64 = 500;

/// What dives start from.
pub(super) struct Dives<'a> {
    /// All pairs.
    pub(super) table: &'a Table,
    /// The pairs that promise most.
    pub(super) core: &'a Table,
    /// Prices of a good bound.
    pub(super) prices: &'a [i64],
    /// By how much the bound could still rise.
    pub(super) missing: f64,
    /// Whether to come to an end.
    pub(super) late: &'a dyn Fn() -> bool,
}

impl Dives<'_> {
    /// One dive; `best` is what it starts from, and stays what it is.
    pub(super) fn dive(&self, best: &Placing, dice: &mut Draws, work: &mut u64) -> Placing {
        let fresh = best.missing > 0 || dice.below(FRESH_EVERY) == 0;
        let mut placing = best.clone();
        let emptied = if fresh { vec![true; self.core.sites()] } else { self.some_sites(best, dice) };
        let freed: Vec<usize> = (0..self.core.jobs())
            .filter(|job| emptied.get(best.sites[*job] as usize).is_none_or(|emptied| *emptied))
            .collect();
        for job in freed.iter().filter(|job| best.sites[**job] != NONE) {
            placing.take(*job);
        }
        self.fill(&mut placing, freed.clone(), dice, work);
        let all = self.core.pairs_all() as u64 * SETTLING;
        let mut settling = all;
        for depth in DEPTH..=DEPTH_MISSING {
            place_missing(self.core, &mut placing, depth, &mut settling);
        }
        place_missing(self.table, &mut placing, 1, &mut settling);
        placing.settle(self.core, freed, DEPTH, &mut settling);
        *work = work.saturating_sub(all - settling);
        placing
    }

    /// Which sites to empty: some around one, or some anywhere.
    fn some_sites(&self, best: &Placing, dice: &mut Draws) -> Vec<bool> {
        let sites = self.core.sites();
        let percent = dice.below(100);
        if dice.below(2) == 0 {
            return (0..sites).map(|_| dice.below(100) <= percent).collect();
        }
        let centre = id(dice.below(sites));
        let mut emptied = vec![false; sites];
        for site in around(self.core, best, centre, 2 + sites * percent / 100) {
            emptied[site as usize] = true;
        }
        emptied
    }

    /// Places the jobs given, those first about which the sites are most steady.
    fn fill(&self, placing: &mut Placing, mut left: Vec<usize>, dice: &mut Draws, work: &mut u64) {
        let mut prices = self.prices.to_vec();
        while !left.is_empty() && !(self.late)() {
            let table = self.rest(placing, &left);
            *work = work.saturating_sub((table.pairs_all() * PASSES) as u64);
            let missing = self.missing * left.len() as f64 / self.core.jobs() as f64;
            let wanted = wanted(&table, &mut prices, &left, missing);
            let mut fixed = fixing_order(&wanted, dice);
            let quota = (left.len() as f64 * FIXED_SHARE).ceil();
            let mut count = 0.0;
            fixed.retain(|(job, at)| {
                let pair = table.pairs(*job)[*at];
                let fits = count < quota && placing.room(pair.site as usize) >= i64::from(pair.takes);
                if fits {
                    placing.put(left[*job], &pair);
                    count += 1.0;
                }
                fits
            });
            if fixed.is_empty() {
                return;
            }
            left.retain(|job| placing.sites[*job] == NONE);
        }
    }

    /// What is left of the sites, for the jobs that are left.
    fn rest(&self, placing: &Placing, left: &[usize]) -> Table {
        let room = |site| u32::try_from(placing.room(site)).unwrap_or(0);
        let capacities = (0..self.core.sites()).map(room).collect();
        let fits = |pair: &&Pair| i64::from(pair.takes) <= placing.room(pair.site as usize);
        let jobs = left.iter().map(|job| self.core.pairs(*job).iter().filter(fits).copied().collect());
        Table::part(capacities, jobs.collect(), self.core.shift)
    }
}

/// How often each pair is wanted while the prices of the jobs that are left move.
fn wanted(table: &Table, prices: &mut [i64], left: &[usize], missing: f64) -> Vec<Vec<u32>> {
    let mut dual = Dual::new(table, left.iter().map(|job| prices[*job]).collect());
    let mut wanted: Vec<Vec<u32>> = (0..table.jobs()).map(|job| vec![0; table.pairs(job).len()]).collect();
    for _ in 0..PASSES {
        dual.evaluate(table);
        for (job, (takers, wanted)) in dual.takers.iter().zip(&mut wanted).enumerate() {
            for site in takers {
                if let Some(at) = table.pairs(job).iter().position(|pair| pair.site == *site) {
                    wanted[at] += 1;
                }
            }
        }
        if !dual.step(LENGTH, missing) {
            break;
        }
    }
    for (job, price) in left.iter().zip(&dual.prices) {
        prices[*job] = *price;
    }
    wanted
}

/// The most wanted pair of every job that is wanted at all, the steadiest first, but for a little chance.
fn fixing_order(wanted: &[Vec<u32>], dice: &mut Draws) -> Vec<(usize, usize)> {
    let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(wanted.len());
    for (job, counts) in wanted.iter().enumerate() {
        let most = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
        if let Some((at, count)) = most.filter(|(_, count)| **count > 0) {
            order.push((f64::from(*count) * (1.0 - NOISE * share(dice)), job, at));
        }
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().map(|(_, job, at)| (job, at)).collect()
}

/// A number from zero to below one.
fn share(dice: &mut Draws) -> f64 {
    const PARTS: usize = 1 << 30;
    dice.below(PARTS) as f64 / PARTS as f64
}
