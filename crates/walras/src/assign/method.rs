//! The methods by name, and what each makes of an instance.

use clap::ValueEnum;
use std::time::{Duration, Instant};
use walras_assign::exact::{self, ExactLimits, Watch};
use walras_assign::genetic::{self, Evolution};
use walras_assign::greedy::{self, Ranking};
use walras_assign::program::{Solver, SolverEffort};
use walras_assign::split::{self, Divided};
use walras_assign::{MarketRules, mmc};
use walras_model::market::{Assignment, CapacityMarket, Instance};
use walras_random::Purpose;
use walras_solve::NoSolver;
use walras_verify::{ClaimedAssignment, ClaimedBound, ClaimedPlacement};

/// How to find an assignment.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// One job after the other, earliest deadline first, to the site with the lowest price per second
    Greedy,
    /// The same, to the site where the job costs least
    GreedyCost,
    /// The linear relaxation made whole, then greedy for the rest (see --complete)
    Mmc,
    /// A genetic algorithm that starts from greedy
    Hga,
    /// A genetic algorithm that starts from mmc
    Lpga,
    /// The best assignment, or the best found within the time limit with a proven gap
    Exact,
    /// Jobs that may be split are, as an integer programme
    #[value(alias = "mgn")]
    Split,
}

/// By what mmc, and lpga that starts from it, place the jobs that the relaxation cannot keep whole.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Completion {
    /// Both of the others, and the better result is taken
    Best,
    /// Each to the site where it costs least
    Cost,
    /// Each to the site with the lowest price per second, as the paper's greedy does
    Price,
}

impl Method {
    /// Whether it cannot work without a solver of programmes.
    #[cfg(feature = "simulator")]
    pub(super) fn needs_solver(self) -> bool {
        matches!(self, Method::Mmc | Method::Lpga | Method::Exact | Method::Split)
    }

    /// The same as reports name it.
    pub(super) fn reported(self) -> walras_assign::method::Method {
        use walras_assign::method::Method as Reported;
        match self {
            Method::Greedy => Reported::Greedy,
            Method::GreedyCost => Reported::GreedyCost,
            Method::Mmc => Reported::Mmc,
            Method::Hga => Reported::Hga,
            Method::Lpga => Reported::Lpga,
            Method::Exact => Reported::Exact,
            Method::Split => Reported::Split,
        }
    }
}

/// How long, how random and how parallel.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) completion: Completion,
    /// Which round of several, from 1 on: each draws anew. 0 where there is one.
    pub(super) round: u32,
    pub(super) seconds: f64,
    pub(super) seed: u64,
    pub(super) threads: usize,
}

/// What a method found.
pub(super) struct Found {
    /// The assignment, as the verifier reads it; `None` when there is none.
    pub(super) claim: Option<ClaimedAssignment>,
    pub(super) iterations: u64,
}

/// Whole jobs by a method, and in how many iterations.
#[cfg(feature = "simulator")]
pub(super) struct Assigned {
    pub(super) assignment: Assignment,
    pub(super) iterations: u64,
}

/// Whole jobs by a method; jobs that may be split are not.
#[cfg(feature = "simulator")]
pub(super) fn assignment(
    method: Method,
    instance: &Instance,
    market: Option<&CapacityMarket>,
    options: &Options,
) -> Result<Assigned, NoSolver> {
    let found = run(if method == Method::Split { Method::Exact } else { method }, instance, market, options)?;
    let mut assignment = Assignment::empty(instance.jobs());
    for placement in found.claim.iter().flat_map(|claim| &claim.placements) {
        assignment.sites[placement.job] = u32::try_from(placement.site).ok();
    }
    Ok(Assigned { assignment, iterations: found.iterations })
}

/// Runs a method. Without a market there are no prices per second: what goes by them goes by the job's cost.
pub(super) fn run(
    method: Method,
    instance: &Instance,
    market: Option<&CapacityMarket>,
    options: &Options,
) -> Result<Found, NoSolver> {
    let order = market.map_or_else(|| (0..instance.jobs()).collect(), greedy::order);
    let by_cost = Ranking::by_cost(instance, order);
    let by_price = market.map_or_else(|| by_cost.clone(), |market| Ranking::by_price(market, instance));
    let effort = SolverEffort { seconds: Some(options.seconds), ..SolverEffort::UNLIMITED };
    let relaxed = || {
        let rankings: &[&Ranking] = match options.completion {
            Completion::Best => &[&by_cost, &by_price],
            Completion::Cost => &[&by_cost],
            Completion::Price => &[&by_price],
        };
        Ok(mmc::assign_best(instance, rankings, walras_solve::solver()?, &effort))
    };
    Ok(match method {
        Method::Greedy => found(instance, &greedy::assign(instance, &by_price), 0),
        Method::GreedyCost => found(instance, &greedy::assign(instance, &by_cost), 0),
        Method::Mmc => found(instance, &relaxed()?, 0),
        Method::Hga => evolved(instance, &by_price, greedy::assign(instance, &by_price), options),
        Method::Lpga => evolved(instance, &by_price, relaxed()?, options),
        Method::Exact => exact(instance, walras_solve::solver()?, options),
        Method::Split => {
            let solver = walras_solve::solver()?;
            let divided = market.map(|market| (market, split::divide(market, solver, &effort)));
            Found { claim: divided.map(|(market, divided)| of_division(market, &divided)), iterations: 0 }
        }
    })
}

/// An assignment of whole jobs, as the verifier reads it.
fn of_assignment(instance: &Instance, assignment: &Assignment) -> ClaimedAssignment {
    let mut claim = ClaimedAssignment::default();
    for (job, site) in assignment.sites.iter().enumerate() {
        match site.and_then(|site| instance.pair(job, site)) {
            None => claim.left_out.push(job),
            Some(pair) => {
                let (site, processors) = (pair.site as usize, pair.takes);
                claim.placements.push(ClaimedPlacement { job, site, processors, cost: pair.cost });
                claim.jobs += 1;
                claim.weight += u64::from(instance.weight(job));
                claim.cost += i128::from(pair.cost);
            }
        }
    }
    claim
}

/// Processors of jobs that may be split, as the verifier reads them.
fn of_division(market: &CapacityMarket, divided: &Divided) -> ClaimedAssignment {
    let mut claim = ClaimedAssignment::default();
    for (job, shares) in divided.division.shares.iter().enumerate() {
        if shares.is_empty() {
            claim.left_out.push(job);
            continue;
        }
        claim.jobs += 1;
        claim.weight += u64::from(market.jobs[job].weight);
        for share in shares {
            let (site, processors) = (share.site as usize, share.processors);
            let each = market.terms(job, site).map_or(0, |terms| terms.cost.as_micros());
            let cost = each.saturating_mul(i64::from(processors));
            claim.placements.push(ClaimedPlacement { job, site, processors, cost });
            claim.cost += i128::from(cost);
        }
    }
    if divided.proven {
        claim.bound = Some(ClaimedBound { weight: claim.weight, cost: claim.cost });
        claim.optimal = true;
    }
    claim
}

fn found(instance: &Instance, assignment: &Assignment, iterations: u64) -> Found {
    Found { claim: Some(of_assignment(instance, assignment)), iterations }
}

fn evolved(instance: &Instance, ranking: &Ranking, first: Assignment, options: &Options) -> Found {
    let mut stream = Purpose::Evolution.stream(options.seed, options.round);
    let evolution = Evolution { threads: options.threads, ..Evolution::default() };
    let evolved = genetic::evolve(instance, ranking, first, &evolution, &mut |below| stream.index(below));
    found(instance, &evolved.assignment, evolved.generations.into())
}

fn exact(instance: &Instance, solver: &dyn Solver, options: &Options) -> Found {
    let clock = Clock { until: Instant::now() + Duration::from_secs_f64(options.seconds) };
    let solved = exact::solve(instance, solver, &ExactLimits::default(), &clock);
    let mut claim = solved.assignment.as_ref().map(|assignment| of_assignment(instance, assignment));
    if let Some(claim) = &mut claim {
        claim.bound = Some(ClaimedBound { weight: solved.weight_bound, cost: solved.cost_bound.into() });
        claim.optimal = solved.is_optimal();
    }
    Found { claim, iterations: solved.passes }
}

/// The time that is left to a search.
struct Clock {
    until: Instant,
}

impl Watch for Clock {
    fn seconds_left(&self) -> f64 {
        self.until.saturating_duration_since(Instant::now()).as_secs_f64()
    }
}
