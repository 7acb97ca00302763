//! Modified MinCost: the linear relaxation, made whole (the paper's Algorithm 1).
//!
//! **Problem.** Without "one site per job" the assignment is a linear programme, whose solution splits a few jobs over
//! sites. Each of them has to go somewhere as a whole.
//!
//! **Method.** Jobs that the relaxation puts on one site stay there (*freeze*). The split ones follow, those on the
//! fewest sites first: a job goes whole to the site that holds the largest part of it and has room beside all that
//! is already fixed. The parts of other split jobs that are too much there move to the sites that the job has left, where they
//! may go (*interchange*), and to nowhere otherwise. A job without such a site is put on the *dummy*; in the end the
//! jobs on the dummy are placed greedily, or stay out.
//!
//! **Errata.** Line 12 asks for more room than the job needs; as much is enough. Line 10 sorts a job's sites by
//! processors where the text says the most economical; we follow the line. The dummy is not there when jobs outnumber
//! sites but always, at twice the dearest cost per weight, since capacity may be short at any size. By what the greedy placement
//! in the end goes is not said: [`assign_best`] takes the better of both readings.
//!
//! A basic solution splits at most as many jobs as there are sites, so rounding is cheap beside the relaxation:
//! O(split jobs · (jobs + pairs)).

use super::greedy::{self, Ranking};
use crate::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_model::market::{Assignment, Instance};

/// A part of a job on a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The site, by position.
    pub site: u32,
    /// How much of the job; above zero.
    pub fraction: f64,
}

/// A solution of the linear relaxation: where the parts of each job are. What is missing to one is on the dummy.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxed {
    /// The parts of each job.
    pub parts: Vec<Vec<Part>>,
}

/// Fractions below this are none, and those within this of one are whole.
const TINY: f64 = 1e-6;
/// Costs are scaled so that the dearest pair costs this.
const COST_SCALE: f64 = 1e3;
/// What the dummy costs per weight, in dearest pairs.
const DUMMY: f64 = 2.0;

/// Solves the relaxation; `None` when the solver finds nothing within the effort.
pub fn relax(instance: &Instance, solver: &dyn Solver, effort: &SolverEffort) -> Option<Relaxed> {
    let program = relaxation(instance);
    let point = match solver.solve(&program, None, effort) {
        Answer::Optimal(point) | Answer::Feasible { best: point, .. } => point,
        Answer::Infeasible | Answer::Unbounded | Answer::Unknown => return None,
    };
    let mut values = point.values.iter();
    let parts = (0..instance.jobs()).map(|job| {
        let parts = instance.pairs(job).iter().zip(values.by_ref());
        parts
            .filter(|(_, value)| **value > TINY)
            .map(|(pair, value)| Part { site: pair.site, fraction: *value })
            .collect()
    });
    Some(Relaxed { parts: parts.collect() })
}

/// One column per pair in order of job and site, then one per job for the dummy.
fn relaxation(instance: &Instance) -> LinearProgram {
    let jobs = 0..instance.jobs();
    let dearest = jobs.clone().flat_map(|job| instance.pairs(job)).map(|pair| pair.cost).max().unwrap_or(1);
    let scale = COST_SCALE / dearest.max(1) as f64;
    let mut program = LinearProgram::default();
    let mut on_site = vec![Vec::new(); instance.capacities().len()];
    let mut of_job = Vec::with_capacity(instance.jobs());
    for job in jobs.clone() {
        let mut terms = Vec::with_capacity(instance.pairs(job).len() + 1);
        for pair in instance.pairs(job) {
            let column = program.column(pair.cost as f64 * scale, 0.0, f64::INFINITY, false);
            on_site[pair.site as usize].push((column, f64::from(pair.takes)));
            terms.push((column, 1.0));
        }
        of_job.push(terms);
    }
    for (job, mut terms) in jobs.zip(of_job) {
        let dummy = DUMMY * COST_SCALE * f64::from(instance.weight(job));
        terms.push((program.column(dummy, 0.0, f64::INFINITY, false), 1.0));
        program.row(1.0, 1.0, terms);
    }
    for (terms, capacity) in on_site.into_iter().zip(instance.capacities()) {
        program.row(f64::NEG_INFINITY, f64::from(*capacity), terms);
    }
    program
}

/// Relaxation and rounding; greedy alone when the relaxation is not solved within the effort.
pub fn assign(
    instance: &Instance,
    ranking: &Ranking,
    solver: &dyn Solver,
    effort: &SolverEffort,
) -> Assignment {
    match relax(instance, solver, effort) {
        Some(relaxed) => round(instance, ranking, &relaxed),
        None => greedy::assign(instance, ranking),
    }
}

/// The relaxation once, made whole and completed by each of these rankings; the best of them, the first among equals. At least
/// one ranking is needed: without any, nobody is placed.
///
/// The paper says only that what cannot be kept is placed by "a greedy approach". By price per second is its greedy, by the
/// job's cost is the cheaper where speeds differ; neither is always better, and rounding is cheap beside the relaxation.
pub fn assign_best(
    instance: &Instance,
    rankings: &[&Ranking],
    solver: &dyn Solver,
    effort: &SolverEffort,
) -> Assignment {
    let relaxed = relax(instance, solver, effort);
    let completed = rankings.iter().map(|ranking| match &relaxed {
        Some(relaxed) => round(instance, ranking, relaxed),
        None => greedy::assign(instance, ranking),
    });
    let mut best: Option<Assignment> = None;
    for assignment in completed {
        let beats = match best.as_ref().and_then(|best| best.worth(instance)) {
            Some(so_far) => assignment.worth(instance).is_some_and(|worth| worth.beats(&so_far)),
            None => true,
        };
        if beats {
            best = Some(assignment);
        }
    }
    best.unwrap_or_else(|| Assignment::empty(instance.jobs()))
}

/// Makes a solution of the relaxation whole.
pub fn round(instance: &Instance, ranking: &Ranking, relaxed: &Relaxed) -> Assignment {
    let mut rounding = Rounding::new(instance, relaxed);
    let mut order: Vec<usize> = (0..instance.jobs()).collect();
    order.sort_by_key(|job| rounding.parts[*job].len());
    let (frozen, split): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|job| rounding.is_whole(*job));
    for job in frozen {
        let site = rounding.parts[job].first().map(|part| part.site);
        rounding.place(job, site);
    }
    for job in split {
        let site = rounding.largest_with_room(job);
        rounding.place(job, site);
    }
    greedy::complete(instance, ranking, rounding.assignment)
}

struct Rounding<'a> {
    instance: &'a Instance,
    /// The parts of the jobs that are not placed yet.
    parts: Vec<Vec<Part>>,
    /// What the placed jobs have left of each site.
    room: Vec<u32>,
    assignment: Assignment,
}

impl<'a> Rounding<'a> {
    fn new(instance: &'a Instance, relaxed: &Relaxed) -> Rounding<'a> {
        let known = |job: usize| {
            let parts = relaxed.parts.get(job).into_iter().flatten();
            parts.filter(|part| instance.pair(job, part.site).is_some()).copied().collect()
        };
        Rounding {
            instance,
            parts: (0..instance.jobs()).map(known).collect(),
            room: instance.capacities().to_vec(),
            assignment: Assignment::empty(instance.jobs()),
        }
    }

    fn is_whole(&self, job: usize) -> bool {
        matches!(&self.parts[job][..], [part] if part.fraction > 1.0 - TINY)
    }

    /// What a whole job takes of a site, as a float.
    fn takes(&self, job: usize, site: u32) -> f64 {
        self.instance.pair(job, site).map_or(0.0, |pair| f64::from(pair.takes))
    }

    /// The site with the largest part of a job, in processors, among those that have room for all of it.
    fn largest_with_room(&self, job: usize) -> Option<u32> {
        let mut sites: Vec<Part> = self.parts[job].clone();
        sites.sort_by(|one, other| {
            let amount = |part: &Part| part.fraction * self.takes(job, part.site);
            amount(other).total_cmp(&amount(one)).then(one.site.cmp(&other.site))
        });
        let fits = |site: u32| {
            self.instance.pair(job, site).is_some_and(|pair| pair.takes <= self.room[site as usize])
        };
        sites.into_iter().map(|part| part.site).find(|site| fits(*site))
    }

    /// Fixes a job on a site, or on the dummy, and gives its parts elsewhere to those that it displaces.
    fn place(&mut self, job: usize, site: Option<u32>) {
        let parts = std::mem::take(&mut self.parts[job]);
        let Some(pair) = site.and_then(|site| self.instance.pair(job, site)) else { return };
        let Some(left) = self.room[pair.site as usize].checked_sub(pair.takes) else { return };
        self.room[pair.site as usize] = left;
        self.assignment.sites[job] = Some(pair.site);
        let freed = parts.iter().filter(|part| part.site != pair.site);
        let mut freed: Vec<(u32, f64)> =
            freed.map(|part| (part.site, part.fraction * self.takes(job, part.site))).collect();
        freed.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        self.interchange(pair.site, &mut freed);
    }

    /// Moves what is too much on a site to what was freed elsewhere, as far as jobs may go there.
    fn interchange(&mut self, site: u32, freed: &mut [(u32, f64)]) {
        let mut excess = -f64::from(self.room[site as usize]);
        for (job, parts) in self.parts.iter().enumerate() {
            let here = parts.iter().filter(|part| part.site == site);
            excess += here.map(|part| part.fraction * self.takes(job, site)).sum::<f64>();
        }
        for job in 0..self.parts.len() {
            let takes = self.takes(job, site);
            let Some(at) = self.parts[job].iter().position(|part| part.site == site) else { continue };
            if excess <= TINY || takes <= 0.0 {
                continue;
            }
            let fraction = self.parts[job][at].fraction.min(excess / takes);
            excess -= fraction * takes;
            self.parts[job][at].fraction -= fraction;
            self.move_to(job, fraction, freed);
            self.parts[job].retain(|part| part.fraction > TINY);
        }
    }

    /// Puts a fraction of a job where something was freed; what finds no place is on the dummy.
    fn move_to(&mut self, job: usize, mut fraction: f64, freed: &mut [(u32, f64)]) {
        for (site, amount) in freed {
            let takes = self.takes(job, *site);
            if takes <= 0.0 || fraction <= TINY {
                continue;
            }
            let moved = fraction.min(*amount / takes);
            fraction -= moved;
            *amount -= moved * takes;
            match self.parts[job].iter_mut().find(|part| part.site == *site) {
                Some(part) => part.fraction += moved,
                None => self.parts[job].push(Part { site: *site, fraction: moved }),
            }
        }
    }
}
