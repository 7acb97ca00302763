//! How much can be served at all: jobs by size, sites by capacity, costs aside.
//!
//! Jobs of one size and weight are alike here, and so are sites of one capacity. Which mixes of sizes the sites hold is then a
//! small programme: for every capacity, how many sites hold which mix. Where a job may go nowhere else is left out, so
//! its optimum bounds what any assignment can serve; and the mixes are a packing to begin with.

use crate::program::{Answer, LinearProgram, Solver, SolverEffort};
use std::collections::BTreeMap;
use walras_model::market::Instance;

/// The most mixes in one programme.
const MIXES_MAX: usize = 20_000;
const NODES: u64 = 5_000;

/// What can be served, and how.
pub(super) struct Packing {
    /// No assignment serves more weight.
    pub(super) weight: u64,
    /// A site for jobs, where there is one: a packing that serves as much, if jobs could go everywhere.
    pub(super) sites: Vec<Option<u32>>,
}

/// A size and a weight.
type Class = (u32, u32);

/// The most that can be served; `None` when a job takes different amounts, or there are too many mixes.
pub(super) fn pack(instance: &Instance, solver: &dyn Solver) -> Option<Packing> {
    let mut jobs: BTreeMap<Class, Vec<usize>> = BTreeMap::new();
    for job in 0..instance.jobs() {
        let pairs = instance.pairs(job);
        let Some(first) = pairs.first() else { continue };
        if first.takes == 0 || pairs.iter().any(|pair| pair.takes != first.takes) {
            return None;
        }
        jobs.entry((first.takes, instance.weight(job))).or_default().push(job);
    }
    let mut sites: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (site, capacity) in (0..).zip(instance.capacities()) {
        sites.entry(*capacity).or_default().push(site);
    }
    let classes: Vec<Class> = jobs.keys().copied().collect();
    let (program, columns) = programme(&jobs, &sites, &classes)?;
    let effort = SolverEffort { seconds: None, nodes: Some(NODES), gap_absolute: 0.0 };
    let (point, bound) = match solver.solve(&program, None, &effort) {
        Answer::Optimal(point) => {
            let bound = point.objective;
            (point, bound)
        }
        Answer::Feasible { best, bound } => (best, bound),
        _ => return None,
    };
    let weight = u64::try_from(super::table::whole(-bound + 1e-6)).ok()?;
    let counts =
        columns.iter().zip(&point.values).map(|(mix, count)| (mix, super::table::whole(count + 0.5)));
    Some(Packing { weight, sites: place(instance, &jobs, &sites, &classes, counts) })
}

/// A mix: a capacity, and how many of each class.
type Mix = (u32, Vec<u32>);

fn programme(
    jobs: &BTreeMap<Class, Vec<usize>>,
    sites: &BTreeMap<u32, Vec<u32>>,
    classes: &[Class],
) -> Option<(LinearProgram, Vec<Mix>)> {
    let mut program = LinearProgram::default();
    let mut columns: Vec<Mix> = Vec::new();
    let mut held: Vec<Vec<(usize, f64)>> = vec![Vec::new(); classes.len()];
    for (capacity, these) in sites {
        let mut mixes = Vec::new();
        let most: Vec<usize> = classes.iter().map(|class| jobs[class].len()).collect();
        mix(classes, &most, *capacity, &mut Vec::new(), &mut mixes);
        if columns.len() + mixes.len() > MIXES_MAX {
            return None;
        }
        let mut each = Vec::new();
        for counts in mixes {
            let column = program.column(0.0, 0.0, these.len() as f64, true);
            each.push((column, 1.0));
            for (held, count) in held.iter_mut().zip(&counts).filter(|(_, count)| **count > 0) {
                held.push((column, f64::from(*count)));
            }
            columns.push((*capacity, counts));
        }
        program.row(f64::NEG_INFINITY, these.len() as f64, each);
    }
    for (class, mut terms) in classes.iter().zip(held) {
        let served = program.column(-f64::from(class.1), 0.0, jobs[class].len() as f64, false);
        terms.push((served, -1.0));
        program.row(0.0, f64::INFINITY, terms);
    }
    Some((program, columns))
}

/// All mixes to which nothing can be added; stops beyond the limit.
fn mix(classes: &[Class], most: &[usize], room: u32, counts: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    if found.len() > MIXES_MAX {
        return;
    }
    let at = counts.len();
    let Some((takes, _)) = classes.get(at) else {
        let full = (0..at).all(|other| classes[other].0 > room || counts[other] as usize >= most[other]);
        if full {
            found.push(counts.clone());
        }
        return;
    };
    let fits = (room / takes).min(u32::try_from(most[at]).unwrap_or(u32::MAX));
    for count in (0..=fits).rev() {
        counts.push(count);
        mix(classes, most, room - count * takes, counts, found);
        counts.pop();
    }
}

/// Gives jobs to sites as the mixes say, each site its cheapest of each class.
fn place<'m>(
    instance: &Instance,
    jobs: &BTreeMap<Class, Vec<usize>>,
    sites: &BTreeMap<u32, Vec<u32>>,
    classes: &[Class],
    counts: impl Iterator<Item = (&'m Mix, i64)>,
) -> Vec<Option<u32>> {
    let mut left: Vec<Vec<usize>> = classes.iter().map(|class| jobs[class].clone()).collect();
    let mut free = sites.clone();
    let mut placed = vec![None; instance.jobs()];
    for ((capacity, mix), count) in counts {
        for _ in 0..count {
            let Some(site) = free.get_mut(capacity).and_then(Vec::pop) else { break };
            for (left, wanted) in left.iter_mut().zip(mix) {
                for _ in 0..*wanted {
                    let cost = |job: &usize| instance.pair(*job, site).map(|pair| pair.cost);
                    let best = (0..left.len()).filter_map(|at| Some((cost(&left[at])?, at))).min();
                    let Some((_, at)) = best else { break };
                    placed[left.swap_remove(at)] = Some(site);
                }
            }
        }
    }
    placed
}
