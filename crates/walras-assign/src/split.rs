//! Jobs that may be split over sites (the paper's MGN): the optimum, as an integer programme.
//!
//! **Problem.** A job of kind [`Split`](walras_model::market::Splitting::Split) takes whole processors on any sites that are fast enough, as
//! many in all as it has tasks; each is paid until the job's longest task ends on that site, and all together must be
//! within its budget. Jobs of kind [`SingleSite`](walras_model::market::Splitting::SingleSite) go to one site or nowhere. First the greatest
//! weight is served, then the cost is made least.
//!
//! **Method.** One column of processors per split job and site, one yes or no per whole job and site, one yes or no
//! per job; rows for sites, jobs and for those budgets that could be exceeded at all. Without such budgets and with split
//! jobs only this is a transportation problem: the linear relaxation is whole, and the solver needs no branching. Serving
//! everything is tried first; only if that cannot be is the greatest weight a question of its own.
//!
//! The solver's floats only say who goes where. Costs, budgets and capacities are counted again in whole numbers, and
//! a division that breaks one is thrown away and solved again with a margin.
//!
//! [`divide`] takes any [`Solver`]; `walras-solve` has one.

use super::market::MarketRules;
use crate::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_model::market::{CapacityMarket, Splitting, Worth};

/// Processors of one site for one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The site, by position.
    pub site: u32,
    /// How many of its processors; at least one.
    pub processors: u32,
}

/// Where every job's tasks go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The shares of each job in order of site; none means back to the queue.
    pub shares: Vec<Vec<Share>>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// Where the tasks go.
    pub division: Division,
    /// What that is worth.
    pub worth: Worth,
    /// Whether no other division is better, up to the solver's tolerances; if not, the effort was spent before.
    pub proven: bool,
}

impl Division {
    /// Nothing placed.
    pub fn empty(jobs: usize) -> Division {
        Division { shares: vec![Vec::new(); jobs] }
    }

    /// What it is worth; `None` when it is for another market or breaks any rule of it.
    pub fn worth(&self, market: &CapacityMarket) -> Option<Worth> {
        if self.shares.len() != market.jobs.len() {
            return None;
        }
        let mut left: Vec<u32> = market.sites.iter().map(|site| site.processors).collect();
        let mut worth = Worth { weight: 0, jobs: 0, cost: 0 };
        for (job, shares) in self.shares.iter().enumerate().filter(|(_, shares)| !shares.is_empty()) {
            worth.cost = worth.cost.checked_add(cost_of(market, job, shares)?)?;
            worth.weight += u64::from(market.jobs[job].weight);
            worth.jobs += 1;
            for share in shares {
                let room = &mut left[share.site as usize];
                *room = room.checked_sub(share.processors)?;
            }
        }
        Some(worth)
    }
}

/// What one job's shares cost; `None` when they break a rule of the job.
fn cost_of(market: &CapacityMarket, job: usize, shares: &[Share]) -> Option<i64> {
    let demand = &market.jobs[job];
    let in_order = shares.is_sorted_by(|one, next| one.site < next.site);
    let mut processors = 0_u32;
    let mut cost = 0_i64;
    for share in shares {
        let site = share.site as usize;
        if site >= market.sites.len() || share.processors == 0 || !market.in_time(job, site) {
            return None;
        }
        processors = processors.checked_add(share.processors)?;
        let each = market.terms(job, site)?.cost.as_micros();
        cost = cost.checked_add(each.checked_mul(i64::from(share.processors))?)?;
    }
    let whole = demand.kind == Splitting::Split || shares.len() == 1;
    let within = demand.budget.is_none_or(|budget| cost <= budget.as_micros());
    (in_order && whole && within && processors == demand.tasks).then_some(cost)
}

/// Attempts with a margin on budgets, when a division breaks one by the solver's tolerance.
const MARGINS: [f64; 3] = [0.0, 1e-6, 1e-4];

/// The best division that the solver finds within the effort, which is for each of at most three programmes.
pub fn divide(market: &CapacityMarket, solver: &dyn Solver, effort: &SolverEffort) -> Divided {
    let nothing = Division::empty(market.jobs.len());
    for margin in MARGINS {
        let model = Model::new(market, margin);
        let Some((values, proven)) = model.solve(solver, effort) else { break };
        if values.len() != model.program.columns.len() {
            break;
        }
        let division = model.division(market, &values);
        // What the solver counts as served must be so in whole numbers too.
        let served = model.served.iter().filter(|(_, column)| values[*column] > 0.5).count();
        if let Some(worth) = division.worth(market).filter(|worth| worth.jobs == served) {
            return Divided { division, worth, proven: proven && margin == 0.0 };
        }
    }
    Divided { division: nothing, worth: Worth { weight: 0, jobs: 0, cost: 0 }, proven: false }
}

/// A column that stands for processors of a site for a job.
#[derive(Clone, Copy)]
struct Use {
    job: usize,
    site: usize,
    /// How many processors one unit of the column is.
    processors: u32,
    /// What one unit costs.
    cost: i64,
}

/// The programme, and what its columns mean: first one per use, then one per job that can be served.
struct Model {
    program: LinearProgram,
    uses: Vec<Use>,
    /// The job and the column that says whether it is served.
    served: Vec<(usize, usize)>,
    weights: Vec<f64>,
}

/// Costs are scaled so that the dearest unit costs this.
const COST_SCALE: f64 = 1e4;

impl Model {
    fn new(market: &CapacityMarket, margin: f64) -> Model {
        let jobs = (0..market.jobs.len()).filter(|job| market.unfit(*job).is_none());
        let jobs: Vec<(usize, Vec<Use>)> = jobs.map(|job| (job, uses(market, job))).collect();
        let dearest = jobs.iter().flat_map(|(_, uses)| uses).map(|each| each.cost).max().unwrap_or(1).max(1);
        let scale = COST_SCALE / dearest as f64;
        let mut model = Model {
            program: LinearProgram::default(),
            uses: Vec::new(),
            served: Vec::new(),
            weights: Vec::new(),
        };
        let mut on_site = vec![Vec::new(); market.sites.len()];
        for (_, uses) in &jobs {
            for each in uses {
                let most = units_max(market, each);
                let column = model.program.column(each.cost as f64 * scale, 0.0, most, true);
                on_site[each.site].push((column, f64::from(each.processors)));
                model.uses.push(*each);
            }
        }
        for (site, terms) in on_site.into_iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            model.program.row(f64::NEG_INFINITY, f64::from(market.sites[site].processors), terms);
        }
        let mut first = 0;
        for (job, uses) in &jobs {
            model.add_job(market, *job, first..first + uses.len(), margin);
            first += uses.len();
        }
        model
    }

    /// The rows of one job, whose uses are these columns.
    fn add_job(&mut self, market: &CapacityMarket, job: usize, columns: std::ops::Range<usize>, margin: f64) {
        let demand = &market.jobs[job];
        let served = self.program.column(0.0, 0.0, 1.0, true);
        self.served.push((job, served));
        self.weights.push(f64::from(demand.weight));
        let units = columns.clone().map(|column| (column, f64::from(self.uses[column].processors)));
        let mut terms: Vec<(usize, f64)> = units.collect();
        terms.push((served, -f64::from(demand.tasks)));
        self.program.row(0.0, 0.0, terms);
        let dearest = columns.clone().map(|column| self.uses[column].cost).max().unwrap_or(0);
        let most = i128::from(dearest) * i128::from(demand.tasks);
        // A budget that even the dearest processors keep needs no row; nor do whole jobs, whose uses all keep it.
        let budget =
            demand.budget.map(walras_model::Money::as_micros).filter(|budget| most > i128::from(*budget));
        if let (Splitting::Split, Some(budget)) = (demand.kind, budget) {
            let scale = COST_SCALE / budget.max(1) as f64;
            let terms = columns.map(|column| (column, self.uses[column].cost as f64 * scale)).collect();
            self.program.row(f64::NEG_INFINITY, COST_SCALE * (1.0 - margin), terms);
        }
    }

    /// The best values, and whether they are proven so.
    fn solve(&self, solver: &dyn Solver, effort: &SolverEffort) -> Option<(Vec<f64>, bool)> {
        let mut all = self.program.clone();
        self.served.iter().for_each(|(_, column)| all.columns[*column].lower = 1.0);
        match solver.solve(&all, None, effort) {
            Answer::Optimal(point) => return Some((point.values, true)),
            Answer::Feasible { best, .. } => return Some((best.values, false)),
            Answer::Infeasible | Answer::Unbounded | Answer::Unknown => {}
        }
        let (start, weight, proven) = self.greatest_weight(solver, effort)?;
        let mut least = self.program.clone();
        // Half a unit of weight absorbs the solver's tolerance: weights are whole.
        let weights = self.served.iter().zip(&self.weights).map(|((_, column), weight)| (*column, *weight));
        least.row(weight - 0.5, f64::INFINITY, weights.collect());
        match solver.solve(&least, Some(&start), effort) {
            Answer::Optimal(point) => Some((point.values, proven)),
            Answer::Feasible { best, .. } => Some((best.values, false)),
            Answer::Infeasible | Answer::Unbounded | Answer::Unknown => Some((start, false)),
        }
    }

    /// A division that serves the greatest weight at whatever cost, that weight, and whether it is proven.
    fn greatest_weight(&self, solver: &dyn Solver, effort: &SolverEffort) -> Option<(Vec<f64>, f64, bool)> {
        let mut most = self.program.clone();
        most.columns.iter_mut().for_each(|column| column.cost = 0.0);
        for ((_, column), weight) in self.served.iter().zip(&self.weights) {
            most.columns[*column].cost = -weight;
        }
        let effort = SolverEffort { gap_absolute: effort.gap_absolute.min(0.5), ..*effort };
        match solver.solve(&most, None, &effort) {
            Answer::Optimal(point) => Some((point.values, (-point.objective).round(), true)),
            Answer::Feasible { best, .. } => Some((best.values, (-best.objective).round(), false)),
            Answer::Infeasible | Answer::Unbounded | Answer::Unknown => None,
        }
    }

    /// What the values mean; whether it keeps the rules is for [`Division::worth`] to say.
    fn division(&self, market: &CapacityMarket, values: &[f64]) -> Division {
        let mut division = Division::empty(market.jobs.len());
        for (each, value) in self.uses.iter().zip(values) {
            let units = whole(*value);
            if let (1.., Ok(site)) = (units, u32::try_from(each.site)) {
                let processors = units.saturating_mul(each.processors);
                division.shares[each.job].push(Share { site, processors });
            }
        }
        division
    }
}

/// The sites that a job may use, and what a unit is there: a processor, or the whole job.
fn uses(market: &CapacityMarket, job: usize) -> Vec<Use> {
    let demand = &market.jobs[job];
    if demand.kind == Splitting::SingleSite {
        let pairs = market.pairs(job).into_iter();
        return pairs
            .map(|pair| Use { job, site: pair.site as usize, processors: pair.takes, cost: pair.cost })
            .collect();
    }
    let sites = (0..market.sites.len()).filter(|site| market.in_time(job, *site));
    let each = sites.filter_map(|site| {
        let cost = market.terms(job, site)?.cost.as_micros();
        Some(Use { job, site, processors: 1, cost })
    });
    each.filter(|each| units_max(market, each) >= 1.0).collect()
}

/// How many units of a site a job can use at most, were it alone.
fn units_max(market: &CapacityMarket, each: &Use) -> f64 {
    let demand = &market.jobs[each.job];
    let room = market.sites[each.site].processors.min(demand.tasks) / each.processors.max(1);
    let paid = demand.budget.map_or(i64::MAX, |budget| budget.as_micros() / each.cost.max(1));
    f64::from(room.min(u32::try_from(paid.max(0)).unwrap_or(u32::MAX)))
}

/// A value that the solver means to be whole; none where it is not a small number.
fn whole(value: f64) -> u32 {
    let rounded = value.round();
    if !(0.0..=f64::from(u32::MAX)).contains(&rounded) {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just checked")]
    let units = rounded as u32;
    units
}
