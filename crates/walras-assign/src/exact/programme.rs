//! Questions about placings as programmes for a general solver: over pairs, and over sets of jobs.
//!
//! Over pairs, a column is one job on one site, and sites have room. Over sets, a column is all that one site gets
//! (see [`patterns`](super::patterns)): many more columns, but a relaxation as tight as the bound by prices, so what can be
//! listed is soon solved.

use super::patterns::of_site;
use super::placing::{NONE, Placing};
use super::table::Table;
use crate::program::{Answer, LinearProgram, Point, Solver, SolverEffort};
use std::collections::BTreeMap;
use walras_model::market::Pair;

/// Some sites with the jobs on them, as a programme.
pub(super) struct Part {
    pub(super) program: LinearProgram,
    /// For every column: its job and its pair.
    pairs: Vec<(usize, Pair)>,
    /// Costs are given to the solver in this unit, above the cheapest of each job.
    unit: f64,
    pub(super) start: Option<Vec<f64>>,
}

impl Part {
    pub(super) fn new(core: &Table, best: &Placing, sites: &[u32]) -> Part {
        let mut jobs: Vec<usize> =
            sites.iter().flat_map(|site| best.at(*site as usize)).map(|job| *job as usize).collect();
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
        Part::build(&offered, &rooms, best, false)
    }

    /// Jobs without a place in `best` may stay without one, at a penalty, unless that is `strict`ly refused.
    fn build(
        offered: &[(usize, Vec<Pair>)],
        rooms: &BTreeMap<u32, i64>,
        best: &Placing,
        strict: bool,
    ) -> Part {
        let unit = offered
            .iter()
            .filter_map(|(_, pairs)| pairs.last())
            .map(|pair| pair.cost)
            .max()
            .unwrap_or(1)
            .max(1) as f64;
        let mut program = LinearProgram::default();
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
            if best.sites[*job] == NONE && !strict {
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
        Part { program, pairs: columns, unit, start: Some(start) }
    }

    /// Places the jobs as the point says, when that is better and fits.
    pub(super) fn apply(&self, point: &Point, best: &mut Placing) {
        let chosen = self.pairs.iter().zip(&point.values).filter(|(_, value)| **value > 0.5);
        apply(chosen.map(|(pair, _)| pair), best);
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

/// A choice of one set of jobs per site that lose at most `most`, so that every job is in one.
pub(super) struct Sets<'a> {
    pub(super) table: &'a Table,
    pub(super) promise: &'a [Vec<(i64, Pair)>],
    pub(super) prices: &'a [i64],
    /// The site that stands for staying out: it may hold too many jobs for sets, so it keeps single pairs.
    pub(super) out: Option<usize>,
    pub(super) most: i64,
    pub(super) sets_max: usize,
    pub(super) effort: SolverEffort,
}

impl Sets<'_> {
    /// Solves it; a better placing replaces `best`.
    pub(super) fn solve(&self, best: &mut Placing, solver: &dyn Solver) -> Ended {
        let table = self.table;
        let mut offered: Vec<Vec<(usize, Pair)>> = vec![Vec::new(); table.sites()];
        for (job, kept) in self.promise.iter().enumerate() {
            for (_, pair) in kept.iter().filter(|(loss, _)| *loss <= self.most) {
                offered[pair.site as usize].push((job, *pair));
            }
        }
        let mut columns = Columns::new(0..table.jobs(), self.prices, best.cost as f64 / table.jobs() as f64);
        let mut left = self.sets_max;
        for (site, offered) in offered.iter().enumerate() {
            if Some(site) == self.out {
                let pairs = offered.iter().map(|item| (columns.add(vec![*item]), f64::from(item.1.takes)));
                let row = pairs.collect();
                columns.program.row(f64::NEG_INFINITY, f64::from(table.capacities[site]), row);
                continue;
            }
            let Some(found) = of_site(table, site, offered, self.prices, self.most, left) else {
                return Ended::TooMany;
            };
            left -= found.len();
            columns.add_site(found);
        }
        columns.solve(None, &self.effort, best, solver)
    }
}

/// Columns of sets, and the rows that tie them.
pub(super) struct Columns<'a> {
    program: LinearProgram,
    sets: Vec<Vec<(usize, Pair)>>,
    once: BTreeMap<usize, Vec<(usize, f64)>>,
    prices: &'a [i64],
    unit: f64,
}

impl<'a> Columns<'a> {
    /// No columns yet, for these jobs; costs are given to the solver in `unit`.
    pub(super) fn new(jobs: impl Iterator<Item = usize>, prices: &'a [i64], unit: f64) -> Columns<'a> {
        let once = jobs.map(|job| (job, Vec::new())).collect();
        Columns { program: LinearProgram::default(), sets: Vec::new(), once, prices, unit: unit.max(1.0) }
    }

    fn add(&mut self, set: Vec<(usize, Pair)>) -> usize {
        let cost: i64 = set.iter().map(|(job, pair)| pair.cost - self.prices[*job]).sum();
        let column = self.program.column(cost as f64 / self.unit, 0.0, 1.0, true);
        for (job, _) in &set {
            self.once.entry(*job).or_default().push((column, 1.0));
        }
        self.sets.push(set);
        column
    }

    /// All sets of one site; it has at most one of them.
    pub(super) fn add_site(&mut self, sets: Vec<Vec<(usize, Pair)>>) {
        let sets = sets.into_iter().filter(|set| !set.is_empty());
        let row = sets.map(|set| (self.add(set), 1.0)).collect();
        self.program.row(f64::NEG_INFINITY, 1.0, row);
    }

    /// Whether each set is what its site holds now.
    pub(super) fn start(&self, best: &Placing) -> Vec<f64> {
        let holds = |set: &Vec<(usize, Pair)>| {
            let same = set.iter().all(|(job, pair)| best.sites[*job] == pair.site);
            let site = set.first().map_or(NONE, |(_, pair)| pair.site);
            same && site != NONE && best.at(site as usize).len() == set.len()
        };
        self.sets.iter().map(|set| if holds(set) { 1.0 } else { 0.0 }).collect()
    }

    /// The best choice of sets; a better placing replaces `best`.
    pub(super) fn solve(
        mut self,
        start: Option<&[f64]>,
        effort: &SolverEffort,
        best: &mut Placing,
        solver: &dyn Solver,
    ) -> Ended {
        for row in std::mem::take(&mut self.once).into_values() {
            self.program.row(1.0, 1.0, row);
        }
        let (point, ended) = match solver.solve(&self.program, start, effort) {
            Answer::Optimal(point) => (point, Ended::Settled),
            Answer::Feasible { best, .. } => (best, Ended::Open),
            Answer::Infeasible => return Ended::Settled,
            Answer::Unbounded | Answer::Unknown => return Ended::Open,
        };
        let chosen = self.sets.iter().zip(&point.values).filter(|(_, value)| **value > 0.5);
        apply(chosen.flat_map(|(set, _)| set), best);
        ended
    }
}

/// Places jobs as chosen, when that is better and fits.
fn apply<'p>(chosen: impl Iterator<Item = &'p (usize, Pair)> + Clone, best: &mut Placing) {
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
    if placing.is_sound() && placing.beats(best) {
        *best = placing;
    }
}

/// Everything as one programme over the pairs given; a bound on what it costs, when the solver gives one.
pub(super) fn whole(
    table: &Table,
    promise: &[Vec<(i64, Pair)>],
    best: &mut Placing,
    solver: &dyn Solver,
    effort: &SolverEffort,
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
    let mut part = Part::build(&offered, &rooms, best, true);
    // The known placing may use pairs that no better one can: then it is no start.
    let placed = part.start.as_ref().map_or(0, |start| start.iter().filter(|value| **value > 0.5).count());
    if placed < table.jobs() {
        part.start = None;
    }
    let base: i64 = offered.iter().filter_map(|(_, pairs)| pairs.first()).map(|pair| pair.cost).sum();
    match solver.solve(&part.program, part.start.as_deref(), effort) {
        Answer::Optimal(point) => {
            part.apply(&point, best);
            // Either this is the best, or the known one is: pairs left out cannot give a better one.
            Some(best.cost)
        }
        Answer::Feasible { best: point, bound } => {
            part.apply(&point, best);
            let scaled = (bound - 1e-9 * bound.abs()) * part.unit;
            Some((base + super::table::whole(scaled)).min(best.cost))
        }
        // With a complete placing known, it is the best; without one, there is none.
        Answer::Infeasible => Some(if best.missing == 0 { best.cost } else { i64::MAX }),
        Answer::Unbounded | Answer::Unknown => None,
    }
}
