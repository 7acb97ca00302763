//! The assignment of whole jobs to sites, proven best or with a proven gap, at every size.
mod dual;
mod flow;
mod knapsack;
mod neighbourhood;
mod packing;
mod patterns;
mod placing;
mod reduce;
mod repair;
mod search;
mod table;

use super::instance::{Assignment, Instance, Serve, Worth};
use crate::program::Solver;
use placing::NONE;
use search::Search;
use table::{Nowhere, Table};

/// How much work may be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Passes over all sites to raise the bound.
    pub passes: usize,
    /// Steps of one local search.
    pub work: u64,
    /// Neighbourhoods that are searched.
    pub neighbourhoods: usize,
    /// The most pairs for which the rest is solved as a whole.
    pub pairs_proven: usize,
    /// The most sets of jobs that are combined at once.
    pub sets: usize,
    /// A relative gap that is good enough.
    pub gap: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { passes: 600, work: 20_000_000, neighbourhoods: 100_000, pairs_proven: 10_000, sets: 12_000, gap: 0.0 }
    }
}

/// How much time is left.
pub trait Watch {
    /// Seconds; infinite for no limit.
    fn seconds_left(&self) -> f64;
}

/// No limit on time: the limits on work end the search, and results repeat exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn seconds_left(&self) -> f64 {
        f64::INFINITY
    }
}

/// What was found, and what is proven of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Where every job goes; `None` when all must be placed and no way to do so was found.
    pub assignment: Option<Assignment>,
    /// What it is worth.
    pub worth: Worth,
    /// No assignment serves more weight.
    pub weight_bound: u64,
    /// No assignment that serves as much weight costs less.
    pub cost_bound: i64,
    /// Passes over all sites.
    pub passes: u64,
}

impl Solved {
    /// Whether it is proven that nothing is better.
    pub fn is_optimal(&self) -> bool {
        self.assignment.is_some() && self.worth.weight == self.weight_bound && self.worth.cost == self.cost_bound
    }

    /// The relative distance of cost and bound.
    pub fn gap(&self) -> f64 {
        if self.worth.cost == 0 { 0.0 } else { (self.worth.cost - self.cost_bound) as f64 / self.worth.cost as f64 }
    }
}

/// The best assignment that the limits allow, with bounds.
pub fn solve(instance: &Instance, solver: &dyn Solver, limits: &Limits, watch: &dyn Watch) -> Solved {
    let all = instance.weight_all();
    let mut most = match instance.serve() {
        Serve::All => all,
        Serve::Most => weight_most(instance),
    };
    let mut packed = None;
    if most < all && instance.serve() == Serve::Most && let Some(packing) = packing::pack(instance, solver) {
        most = most.min(packing.weight);
        packed = Some(packing.sites);
    }
    let mut out = all - most;
    let weight_bound = most;
    let mut passes = 0;
    loop {
        let table = Table::new(instance, nowhere(instance, out));
        let site = (table.sites() > instance.capacities().len()).then_some(instance.capacities().len());
        let mut search = Search::new(table, site, solver, limits, watch);
        if let Some(sites) = &packed {
            search.begin(sites);
        }
        search.run();
        passes += search.passes;
        if search.best.missing == 0 || instance.serve() == Serve::All {
            return solved(instance, &search, weight_bound, passes);
        }
        packed = Some(search.best.sites.iter().map(|site| (*site != NONE).then_some(*site)).collect());
        let missing = search.best.sites.iter().enumerate().filter(|(_, site)| **site == NONE);
        out += missing.map(|(job, _)| u64::from(instance.weight(job))).sum::<u64>();
    }
}

/// What staying out means when jobs of this weight must.
fn nowhere(instance: &Instance, out: u64) -> Nowhere {
    match (instance.serve(), u32::try_from(out)) {
        (Serve::All, _) | (_, Ok(0)) => Nowhere::Closed,
        (Serve::Most, room) => Nowhere::Room(room.unwrap_or(u32::MAX)),
    }
}

/// No assignment serves more weight: jobs fill all sites as if those were one, the weightiest for their size first.
fn weight_most(instance: &Instance) -> u64 {
    let mut jobs: Vec<(u64, u64)> = (0..instance.jobs())
        .filter_map(|job| {
            let takes = instance.pairs(job).iter().map(|pair| pair.takes).min()?;
            Some((u64::from(instance.weight(job)), u64::from(takes)))
        })
        .collect();
    jobs.sort_unstable_by(|a, b| (b.0 * a.1.max(1)).cmp(&(a.0 * b.1.max(1))).then(a.1.cmp(&b.1)));
    let mut room: u64 = instance.capacities().iter().copied().map(u64::from).sum();
    let mut weight = 0;
    for (worth, takes) in jobs {
        if takes > room {
            return weight + worth * room / takes;
        }
        room -= takes;
        weight += worth;
    }
    weight
}

/// What a search found, in terms of the instance.
fn solved(instance: &Instance, search: &Search<'_>, weight_bound: u64, passes: u64) -> Solved {
    let real = instance.capacities().len();
    let site = |site: &u32| (*site != NONE && (*site as usize) < real).then_some(*site);
    let assignment = Assignment { sites: search.best.sites.iter().map(site).collect() };
    let placed = search.best.missing == 0;
    let worth = assignment.worth(instance).filter(|_| placed);
    let unit = 1_i64 << search.table.shift;
    let bound = search.bound.max(0).div_euclid(unit) + i64::from(search.bound.max(0).rem_euclid(unit) != 0);
    match worth {
        Some(worth) => Solved {
            assignment: Some(assignment),
            worth,
            weight_bound,
            cost_bound: bound.min(worth.cost),
            passes,
        },
        None => Solved {
            assignment: None,
            worth: Worth { weight: 0, jobs: 0, cost: 0 },
            weight_bound,
            cost_bound: bound,
            passes,
        },
    }
}
