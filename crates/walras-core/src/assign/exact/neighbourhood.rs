//! Large neighbourhoods: some sites are emptied and filled again by a general solver, all else staying as it is.
//!
//! A site is taken together with those where its jobs would also promise well; ten to forty of them make a programme that is
//! solved in well under a second. Sites take turns, those first that are farthest from what the prices allow.

use super::super::instance::Pair;
use super::Watch;
use super::knapsack::{Item, Knapsack};
use super::patterns::of_site;
use super::placing::{NONE, Placing};
use super::table::Table;
use crate::program::{Answer, Effort, Point, Program, Solver};
use std::collections::BTreeMap;

const SITES_FIRST: usize = 16;
const SITES_MOST: usize = 120;
const SITES_LEAST: usize = 4;
/// The most nodes and seconds for one neighbourhood.
const NODES: u64 = 400;
const SECONDS: f64 = 1.5;
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

    /// One neighbourhood; false when there is none.
    pub(super) fn search(&mut self, prices: &[i64], out: Option<usize>, best: &mut Placing, solver: &dyn Solver, watch: &dyn Watch) -> bool {
        let (Some(core), Some(site)) = (&self.core, self.order.pop()) else { return false };
        let sites = around(core, best, site, self.sites);
        let seconds = SECONDS.min(watch.seconds_left());
        if best.missing == 0 && !sites.iter().any(|site| Some(*site as usize) == out) {
            let before = best.cost;
            let ended = by_sets(core, &sites, prices, best, solver, seconds);
            match ended {
                Ended::Settled => {
                    self.sites = (self.sites * 5 / 4).min(SITES_MOST);
                    return true;
                }
                Ended::Open => {
                    self.sites = (self.sites * 3 / 4).max(SITES_LEAST);
                    return true;
                }
                Ended::TooMany => {}
            }
        }
        let part = Part::new(core, best, &sites);
        let effort = Effort { seconds: Some(seconds), nodes: Some(NODES), gap_absolute: 0.0 };
        let answer = solver.solve(&part.program, part.start.as_deref(), &effort);
        self.sites = match answer {
            Answer::Optimal(_) => (self.sites * 5 / 4).min(SITES_MOST),
            _ => (self.sites * 3 / 4).max(SITES_LEAST),
        };
        let before = best.cost;
        if let Answer::Optimal(point) | Answer::Feasible { best: point, .. } = answer {
            part.apply(&point, best);
        }
        true
    }
}

/// Fills some sites anew by combining sets of their jobs.
///
/// A better filling loses less than the present one altogether, so no set of it loses as much by itself.
fn by_sets(core: &Table, sites: &[u32], prices: &[i64], best: &mut Placing, solver: &dyn Solver, seconds: f64) -> Ended {
    let jobs: Vec<usize> = sites.iter().flat_map(|site| best.at(*site as usize)).map(|job| *job as usize).collect();
    let mut offered: BTreeMap<u32, Vec<(usize, Pair)>> = sites.iter().map(|site| (*site, Vec::new())).collect();
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
    let mut program = Program::default();
    let mut columns: Vec<Vec<(usize, Pair)>> = Vec::new();
    let mut start = Vec::new();
    let mut once: BTreeMap<usize, Vec<(usize, f64)>> = jobs.iter().map(|job| (*job, Vec::new())).collect();
    let mut left = SETS_MAX;
    let unit = (loss as f64).max(1.0);
    for (site, offered) in &offered {
        let Some(found) = of_site(core, *site as usize, offered, prices, loss, left) else { return Ended::TooMany };
        left -= found.len();
        let mut row = Vec::new();
        for pattern in found.into_iter().filter(|pattern| !pattern.jobs.is_empty()) {
            let cost: i64 = pattern.jobs.iter().map(|(job, pair)| pair.cost - prices[*job]).sum();
            let column = program.column(cost as f64 / unit, 0.0, 1.0, true);
            row.push((column, 1.0));
            for (job, _) in &pattern.jobs {
                once.entry(*job).or_default().push((column, 1.0));
            }
            let here = best.at(*site as usize);
            let same = here.len() == pattern.jobs.len() && pattern.jobs.iter().all(|(job, _)| best.sites[*job] == *site);
            start.push(if same { 1.0 } else { 0.0 });
            columns.push(pattern.jobs);
        }
        program.row(f64::NEG_INFINITY, 1.0, row);
    }
    for row in once.into_values() {
        program.row(1.0, 1.0, row);
    }
    let effort = Effort { seconds: Some(seconds), nodes: Some(NODES), gap_absolute: 0.0 };
    let (point, ended) = match solver.solve(&program, Some(&start), &effort) {
        Answer::Optimal(point) => (point, Ended::Settled),
        Answer::Feasible { best, .. } => (best, Ended::Open),
        _ => return Ended::Open,
    };
    apply(columns.iter().zip(&point.values).filter(|(_, value)| **value > 0.5).flat_map(|(jobs, _)| jobs), best);
    ended
}

/// Sites in order of what their jobs lose beside the prices, the most last.
pub(super) fn by_loss(core: &Table, promise: &[Vec<(i64, Pair)>], best: &Placing) -> Vec<u32> {
    let mut losses = vec![0_i64; core.sites()];
    for (job, site) in best.sites.iter().enumerate() {
        if *site == NONE {
            continue;
        }
        let loss = promise[job].iter().find(|(_, pair)| pair.site == *site).map_or(i64::MAX / 1_000_000, |(loss, _)| *loss);
        losses[*site as usize] = losses[*site as usize].saturating_add(loss);
    }
    let mut order: Vec<u32> = (0..).take(core.sites()).collect();
    order.sort_by_key(|site| losses[*site as usize]);
    order
}

/// A site and those that share most pairs with it, over one or two steps.
fn around(core: &Table, best: &Placing, site: u32, count: usize) -> Vec<u32> {
    let mut chosen = vec![site];
    let mut near: BTreeMap<u32, usize> = BTreeMap::new();
    let missing = best.sites.iter().enumerate().filter(|(_, site)| **site == NONE).map(|(job, _)| job).take(3);
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
        let candidate = near.iter().filter(|(site, _)| !chosen.contains(site)).max_by_key(|(_, shared)| **shared);
        let Some((site, _)) = candidate else { break };
        chosen.push(*site);
    }
    chosen
}

/// Some sites with the jobs on them, as a programme.
struct Part {
    program: Program,
    /// For every column: its job and its pair.
    pairs: Vec<(usize, Pair)>,
    start: Option<Vec<f64>>,
}

impl Part {
    fn new(core: &Table, best: &Placing, sites: &[u32]) -> Part {
        let mut jobs: Vec<usize> = sites.iter().flat_map(|site| best.at(*site as usize)).map(|job| *job as usize).collect();
        jobs.extend(best.sites.iter().enumerate().filter(|(_, site)| **site == NONE).map(|(job, _)| job));
        let offered = jobs.iter().map(|job| {
            let pairs = core.pairs(*job).iter().filter(|pair| sites.contains(&pair.site)).copied();
            (*job, pairs.collect())
        });
        let offered: Vec<(usize, Vec<Pair>)> = offered.collect();
        let mut rooms: BTreeMap<u32, i64> =
            sites.iter().map(|site| (*site, best.room(*site as usize))).collect();
        for (job, pairs) in &offered {
            let home = best.sites[*job];
            if let Some(pair) = pairs.iter().find(|pair| pair.site == home) {
                *rooms.entry(home).or_default() += i64::from(pair.takes);
            }
        }
        Part::build(&offered, &rooms, best)
    }

    fn build(offered: &[(usize, Vec<Pair>)], rooms: &BTreeMap<u32, i64>, best: &Placing) -> Part {
        let unit = offered.iter().filter_map(|(_, pairs)| pairs.last()).map(|pair| pair.cost).max().unwrap_or(1).max(1) as f64;
        let mut program = Program::default();
        let mut columns = Vec::new();
        let mut start = Vec::new();
        let mut loads: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
        for (job, pairs) in offered {
            let mut once = Vec::with_capacity(pairs.len() + 1);
            let base = pairs.first().map_or(0, |pair| pair.cost);
            for pair in pairs {
                let column = program.column((pair.cost - base) as f64 / unit, 0.0, 1.0, true);
                once.push((column, 1.0));
                loads.entry(pair.site).or_default().push((column, f64::from(pair.takes)));
                columns.push((*job, *pair));
                start.push(if best.sites[*job] == pair.site { 1.0 } else { 0.0 });
            }
            if best.sites[*job] == NONE {
                let column = program.column(3.0, 0.0, 1.0, true);
                once.push((column, 1.0));
                columns.push((*job, Pair { site: NONE, takes: 0, cost: 0 }));
                start.push(1.0);
            }
            program.row(1.0, 1.0, once);
        }
        for (site, terms) in loads {
            let room = rooms.get(&site).copied().unwrap_or(0);
            program.row(f64::NEG_INFINITY, room as f64, terms);
        }
        Part { program, pairs: columns, start: Some(start) }
    }

    /// Places the jobs as the point says, when that is better and fits.
    fn apply(&self, point: &Point, best: &mut Placing) -> bool {
        apply(self.pairs.iter().zip(&point.values).filter(|(_, value)| **value > 0.5).map(|(pair, _)| pair), best)
    }
}

/// How a programme over sets ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Too many sets.
    TooMany,
    /// The solver gave up, perhaps with something better.
    Open,
    /// There is nothing better among these sets.
    Settled,
}

/// Everything as one programme over sets of jobs per site that lose at most `most`.
///
/// `out` is the site that stands for staying out: it may hold too many jobs for sets, so it keeps single pairs.
pub(super) fn by_patterns(
    table: &Table,
    promise: &[Vec<(i64, Pair)>],
    prices: &[i64],
    best: &mut Placing,
    out: Option<usize>,
    most: i64,
    sets_max: usize,
    solver: &dyn Solver,
    seconds: f64,
) -> Ended {
    let mut offered: Vec<Vec<(usize, Pair)>> = vec![Vec::new(); table.sites()];
    for (job, kept) in promise.iter().enumerate() {
        for (_, pair) in kept {
            offered[pair.site as usize].push((job, *pair));
        }
    }
    let mut program = Program::default();
    let mut columns: Vec<Vec<(usize, Pair)>> = Vec::new();
    let mut once: Vec<Vec<(usize, f64)>> = vec![Vec::new(); table.jobs()];
    let unit = (best.cost as f64 / table.jobs() as f64).max(1.0);
    let mut add = |program: &mut Program, jobs: Vec<(usize, Pair)>| {
        let cost: i64 = jobs.iter().map(|(job, pair)| pair.cost - prices[*job]).sum();
        let column = program.column(cost as f64 / unit, 0.0, 1.0, true);
        for (job, _) in &jobs {
            once[*job].push((column, 1.0));
        }
        columns.push(jobs);
        column
    };
    let mut left = sets_max;
    for site in 0..table.sites() {
        let mut row = Vec::new();
        if Some(site) == out {
            for (job, pair) in &offered[site] {
                row.push((add(&mut program, vec![(*job, *pair)]), f64::from(pair.takes)));
            }
            program.row(f64::NEG_INFINITY, f64::from(table.capacities[site]), row);
            continue;
        }
        let Some(found) = of_site(table, site, &offered[site], prices, most, left) else { return Ended::TooMany };
        left -= found.len();
        for pattern in found.into_iter().filter(|pattern| !pattern.jobs.is_empty()) {
            row.push((add(&mut program, pattern.jobs), 1.0));
        }
        program.row(f64::NEG_INFINITY, 1.0, row);
    }
    for row in once {
        program.row(1.0, 1.0, row);
    }
    let effort = Effort { seconds: Some(seconds), nodes: None, gap_absolute: 0.0 };
    match solver.solve(&program, None, &effort) {
        Answer::Optimal(point) => {
            apply(columns.iter().zip(&point.values).filter(|(_, value)| **value > 0.5).flat_map(|(jobs, _)| jobs), best);
            Ended::Settled
        }
        Answer::Infeasible => Ended::Settled,
        Answer::Feasible { best: point, .. } => {
            apply(columns.iter().zip(&point.values).filter(|(_, value)| **value > 0.5).flat_map(|(jobs, _)| jobs), best);
            Ended::Open
        }
        Answer::Unbounded | Answer::Unknown => Ended::Open,
    }
}

/// Places jobs as chosen, when that is better and fits.
fn apply<'p>(chosen: impl Iterator<Item = &'p (usize, Pair)> + Clone, best: &mut Placing) -> bool {
    let mut placing = best.clone();
    for (job, _) in chosen.clone() {
        if placing.sites[*job] != NONE {
            placing.take(*job);
        }
    }
    for (job, pair) in chosen {
        if pair.site != NONE {
            placing.put(*job, pair);
        }
    }
    let better = placing.is_sound() && placing.cost < best.cost;
    if better {
        *best = placing;
    }
    better
}

/// Everything as one programme over the pairs given; a bound on what it costs, when the solver gives one.
pub(super) fn whole(
    table: &Table,
    promise: &[Vec<(i64, Pair)>],
    best: &mut Placing,
    solver: &dyn Solver,
    seconds: f64,
) -> Option<i64> {
    let offered: Vec<(usize, Vec<Pair>)> = promise
        .iter()
        .enumerate()
        .map(|(job, kept)| {
            let mut pairs: Vec<Pair> = kept.iter().map(|(_, pair)| *pair).collect();
            pairs.sort_unstable_by_key(|pair| (pair.cost, pair.site));
            (job, pairs)
        })
        .collect();
    let rooms = (0..).zip(&table.capacities).map(|(site, room)| (site, i64::from(*room))).collect();
    let mut part = Part::build(&offered, &rooms, best);
    // The known placing may use pairs that no better one can: then it is no start.
    let placed = part.start.as_ref().map_or(0, |start| start.iter().filter(|value| **value > 0.5).count());
    if placed < table.jobs() {
        part.start = None;
    }
    let effort = Effort { seconds: Some(seconds), nodes: None, gap_absolute: 0.0 };
    let base: i64 = offered.iter().filter_map(|(_, pairs)| pairs.first()).map(|pair| pair.cost).sum();
    let unit = offered.iter().filter_map(|(_, pairs)| pairs.last()).map(|pair| pair.cost).max().unwrap_or(1).max(1) as f64;
    match solver.solve(&part.program, part.start.as_deref(), &effort) {
        Answer::Optimal(point) => {
            part.apply(&point, best);
            // Either this is the best, or the known one is: pairs left out cannot give a better one.
            Some(best.cost)
        }
        Answer::Feasible { best: point, bound } => {
            part.apply(&point, best);
            let scaled = (bound - 1e-9 * bound.abs()) * unit;
            Some((base + super::table::whole(scaled)).min(best.cost))
        }
        Answer::Infeasible => Some(best.cost),
        Answer::Unbounded | Answer::Unknown => None,
    }
}
