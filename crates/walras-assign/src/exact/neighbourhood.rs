//! Large neighbourhoods: some sites are emptied and filled again by a general solver, all else staying as it is.
//!
//! A site is taken together with those where its jobs would also promise well; up to a hundred or so of them make a programme
//! that is solved in well under a second; how many follows from whether the last one was. Sites take turns, those first that are farthest from what the prices allow.

use super::knapsack::{Item, Knapsack};
use super::limits::Watch;
use super::patterns::of_site;
use super::placing::{NONE, Placing};
use super::programme::{Columns, Ended, Part};
use super::table::Table;
use crate::program::{Answer, Solver, SolverEffort};
use std::collections::BTreeMap;
use walras_model::market::Pair;

const SITES_FIRST: usize = 16;
const SITES_MOST: usize = 120;
const SITES_LEAST: usize = 4;
/// The most nodes and seconds for one neighbourhood.
const NODES: u64 = 400;
const SECONDS: f64 = 0.7;
/// The most sets of jobs in one neighbourhood.
const SETS_MAX: usize = 4_000;

/// Which site is next, and how many are taken together.
pub(super) struct Neighbourhoods {
    core: Option<Table>,
    order: Vec<u32>,
    sites: usize,
}

impl Default for Neighbourhoods {
    fn default() -> Neighbourhoods {
        Neighbourhoods { core: None, order: Vec::new(), sites: SITES_FIRST }
    }
}

impl Neighbourhoods {
    /// Whether every site had its turn.
    pub(super) fn is_done(&self) -> bool {
        self.order.is_empty()
    }

    /// Begins a round over all sites, those last in the list first.
    pub(super) fn begin(&mut self, core: Table, order: Vec<u32>) {
        self.order = order;
        self.core = Some(core);
    }

    /// One neighbourhood, where one is left.
    pub(super) fn search(
        &mut self,
        prices: &[i64],
        out: Option<usize>,
        best: &mut Placing,
        solver: &dyn Solver,
        watch: &dyn Watch,
    ) {
        let (Some(core), Some(site)) = (&self.core, self.order.pop()) else { return };
        let sites = around(core, best, site, self.sites);
        let effort = SolverEffort { seconds: seconds_of(watch), nodes: Some(NODES), gap_absolute: 0.0 };
        if best.missing == 0 && !sites.iter().any(|site| Some(*site as usize) == out) {
            let ended = by_sets(core, &sites, prices, best, solver, &effort);
            if ended != Ended::TooMany {
                return self.resize(ended == Ended::Settled);
            }
        }
        let part = Part::new(core, best, &sites);
        let answer = solver.solve(&part.program, part.start.as_deref(), &effort);
        let settled = matches!(answer, Answer::Optimal(_));
        if let Answer::Optimal(point) | Answer::Feasible { best: point, .. } = answer {
            part.apply(&point, best);
        }
        self.resize(settled);
    }

    /// Takes more sites together next time when these were settled, fewer when they were not.
    fn resize(&mut self, settled: bool) {
        self.sites = if settled {
            (self.sites * 5 / 4).min(SITES_MOST)
        } else {
            (self.sites * 3 / 4).max(SITES_LEAST)
        };
    }
}

/// The seconds for one neighbourhood, where time is limited at all.
fn seconds_of(watch: &dyn Watch) -> Option<f64> {
    let left = watch.seconds_left();
    left.is_finite().then(|| left.min(SECONDS))
}

/// Fills some sites anew by combining sets of their jobs.
///
/// A better filling loses less than the present one altogether, so no set of it loses as much by itself.
fn by_sets(
    core: &Table,
    sites: &[u32],
    prices: &[i64],
    best: &mut Placing,
    solver: &dyn Solver,
    effort: &SolverEffort,
) -> Ended {
    let jobs: Vec<usize> =
        sites.iter().flat_map(|site| best.at(*site as usize)).map(|job| *job as usize).collect();
    let mut offered: BTreeMap<u32, Vec<(usize, Pair)>> =
        sites.iter().map(|site| (*site, Vec::new())).collect();
    let mut loss = 0;
    let mut knapsack = Knapsack::default();
    for job in &jobs {
        for pair in core.pairs(*job) {
            if let Some(offered) = offered.get_mut(&pair.site) {
                offered.push((*job, *pair));
            }
        }
    }
    for (site, offered) in &offered {
        let profit = |(job, pair): &(usize, Pair)| prices[*job] - pair.cost;
        let items = offered.iter().filter(|item| profit(item) > 0);
        let mut items: Vec<Item> =
            items.map(|item| Item { profit: profit(item), takes: item.1.takes, job: 0 }).collect();
        loss += knapsack.solve(&mut items, core.capacities[*site as usize]);
        loss -= offered.iter().filter(|(job, _)| best.sites[*job] == *site).map(profit).sum::<i64>();
    }
    let mut columns = Columns::new(jobs.into_iter(), prices, loss as f64);
    let mut left = SETS_MAX;
    for (site, offered) in &offered {
        let Some(found) = of_site(core, *site as usize, offered, prices, loss, left) else {
            return Ended::TooMany;
        };
        left -= found.len();
        columns.add_site(found);
    }
    let start = columns.start(best);
    columns.solve(Some(&start), effort, best, solver)
}

/// Sites in order of what their jobs lose beside the prices, the most last.
pub(super) fn by_loss(core: &Table, promise: &[Vec<(i64, Pair)>], best: &Placing) -> Vec<u32> {
    let mut losses = vec![0_i64; core.sites()];
    for (job, site) in best.sites.iter().enumerate() {
        if *site == NONE {
            continue;
        }
        let loss = promise[job]
            .iter()
            .find(|(_, pair)| pair.site == *site)
            .map_or(i64::MAX / 1_000_000, |(loss, _)| *loss);
        losses[*site as usize] = losses[*site as usize].saturating_add(loss);
    }
    let mut order: Vec<u32> = (0..).take(core.sites()).collect();
    order.sort_by_key(|site| losses[*site as usize]);
    order
}

/// A site and those that share most pairs with it, over one or two steps.
pub(super) fn around(core: &Table, best: &Placing, site: u32, count: usize) -> Vec<u32> {
    let mut chosen = vec![site];
    let mut near: BTreeMap<u32, usize> = BTreeMap::new();
    let missing =
        best.sites.iter().enumerate().filter(|(_, site)| **site == NONE).map(|(job, _)| job).take(3);
    for job in missing {
        for pair in core.pairs(job) {
            *near.entry(pair.site).or_default() += 1;
        }
    }
    let mut next = 0;
    while chosen.len() < count {
        if let Some(site) = chosen.get(next).copied() {
            for job in best.at(site as usize).iter().take(SITES_MOST) {
                for pair in core.pairs(*job as usize) {
                    *near.entry(pair.site).or_default() += 1;
                }
            }
            next += 1;
        }
        let candidate =
            near.iter().filter(|(site, _)| !chosen.contains(site)).max_by_key(|(_, shared)| **shared);
        let Some((site, _)) = candidate else { break };
        chosen.push(*site);
    }
    chosen
}
