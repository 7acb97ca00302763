//! All methods on one market.

use super::Config;
use crate::experiment::CycleError;
use walras_assign::exact::{ExactLimits, NoWatch, solve};
use walras_assign::genetic::{Evolution, Evolved, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::program::{Solver, SolverEffort};
use walras_assign::split::divide;
use walras_assign::{MarketRules, mmc};
use walras_model::market::{Assignment, CapacityMarket, Instance, Splitting, Worth};
use walras_random::Stream;

/// The methods, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    GreedyPrice,
    GreedyCost,
    Hga,
    MmcPrice,
    MmcCost,
    Mmc,
    Lpga,
    Exact,
    Division,
}

impl Method {
    pub(super) const ALL: [Method; 9] = [
        Method::GreedyPrice,
        Method::GreedyCost,
        Method::Hga,
        Method::MmcPrice,
        Method::MmcCost,
        Method::Mmc,
        Method::Lpga,
        Method::Exact,
        Method::Division,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::GreedyPrice => "greedy by price",
            Method::GreedyCost => "greedy by cost",
            Method::Hga => "HGA",
            Method::MmcPrice => "MMC completed by price",
            Method::MmcCost => "MMC completed by cost",
            Method::Mmc => "MMC",
            Method::Lpga => "LPGA",
            Method::Exact => "exact",
            Method::Division => "MGN",
        }
    }
}

/// What a method came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) jobs: usize,
    pub(super) cost: i64,
    /// Of the genetic algorithms; none of the others.
    pub(super) generations: u32,
    /// Whether nothing better can be; said by the exact methods only.
    pub(super) proven: bool,
}

impl Measured {
    fn new(worth: Worth, generations: u32, proven: bool) -> Measured {
        Measured { jobs: worth.jobs, cost: worth.cost, generations, proven }
    }
}

/// What all methods came to on a market, in the order of [`Method::ALL`].
pub(super) type Row = [Measured; Method::ALL.len()];

/// Runs all methods; the two genetic ones draw from these streams.
pub(super) fn run(
    config: &Config,
    market: &CapacityMarket,
    chance: [Stream; 2],
    solver: &dyn Solver,
) -> Result<Row, CycleError> {
    let out_of_range = |error| CycleError::law(format!("costs stay within the range of numbers: {error:?}"));
    let instance = market.instance().map_err(out_of_range)?;
    let by_price = Ranking::by_price(market, &instance);
    let by_cost = Ranking::by_cost(&instance, greedy::order(market));
    let [cheap_rates, cheap_jobs] = [&by_price, &by_cost].map(|ranking| greedy::assign(&instance, ranking));
    let relaxed = mmc::relax(&instance, solver, &SolverEffort::UNLIMITED)
        .ok_or_else(|| CycleError::law("every relaxation is solved"))?;
    let [mmc_price, mmc_cost] = [&by_price, &by_cost].map(|ranking| mmc::round(&instance, ranking, &relaxed));
    let mmc = mmc::assign_best(&instance, &[&by_cost, &by_price], solver, &SolverEffort::UNLIMITED);
    let [mut one, mut other] = chance;
    let hga = evolved(config, &instance, &by_price, &cheap_rates, &mut one);
    let lpga = evolved(config, &instance, &by_price, &mmc, &mut other);
    let (exact, exact_proven) = exact(&instance, solver);
    let division = divide(&of_kind(market, Splitting::Split), solver, &EXACT_EFFORT);
    let plain =
        |assignment: &Assignment| Ok::<_, CycleError>(Measured::new(valid(&instance, assignment)?, 0, false));
    let row = [
        plain(&cheap_rates)?,
        plain(&cheap_jobs)?,
        Measured::new(valid(&instance, &hga.assignment)?, hga.generations, false),
        plain(&mmc_price)?,
        plain(&mmc_cost)?,
        plain(&mmc)?,
        Measured::new(valid(&instance, &lpga.assignment)?, lpga.generations, false),
        Measured::new(exact, 0, exact_proven),
        Measured::new(division.worth, 0, division.proven),
    ];
    check_order(&row)?;
    Ok(row)
}

fn valid(instance: &Instance, assignment: &Assignment) -> Result<Worth, CycleError> {
    assignment.worth(instance).ok_or_else(|| CycleError::law("every method's assignment fits"))
}

/// One method that serves whole jobs on one market: what it assigns, and in how many generations.
pub(super) fn assign(
    config: &Config,
    method: Method,
    (market, instance): (&CapacityMarket, &Instance),
    chance: &mut Stream,
    solver: &dyn Solver,
) -> (Assignment, u32) {
    let by_price = Ranking::by_price(market, instance);
    let by_cost = || Ranking::by_cost(instance, greedy::order(market));
    let relaxed = || mmc::assign_best(instance, &[&by_cost(), &by_price], solver, &SolverEffort::UNLIMITED);
    let evolved = |first: &Assignment, chance: &mut Stream| {
        let evolved = evolved(config, instance, &by_price, first, chance);
        (evolved.assignment, evolved.generations)
    };
    match method {
        Method::GreedyPrice => (greedy::assign(instance, &by_price), 0),
        Method::GreedyCost => (greedy::assign(instance, &by_cost()), 0),
        Method::MmcPrice => (mmc::assign(instance, &by_price, solver, &SolverEffort::UNLIMITED), 0),
        Method::MmcCost => (mmc::assign(instance, &by_cost(), solver, &SolverEffort::UNLIMITED), 0),
        Method::Mmc => (relaxed(), 0),
        Method::Hga => evolved(&greedy::assign(instance, &by_price), chance),
        Method::Lpga => evolved(&relaxed(), chance),
        // Divided jobs are not whole; the best whole ones stand for them.
        Method::Exact | Method::Division => {
            let limits = ExactLimits { rounds: EXACT_ROUNDS, ..ExactLimits::default() };
            let solved = solve(instance, solver, &limits, &NoWatch);
            (solved.assignment.unwrap_or_else(|| Assignment::empty(instance.jobs())), 0)
        }
    }
}

fn evolved(
    config: &Config,
    instance: &Instance,
    ranking: &Ranking,
    first: &Assignment,
    chance: &mut Stream,
) -> Evolved {
    let evolution = Evolution {
        population: config.population as usize,
        stalled_max: config.stalled_generations,
        mutation_permille: config.mutation_permille,
        ..Evolution::default()
    };
    evolve(instance, ranking, first.clone(), &evolution, &mut |below| chance.index(below))
}

/// Rounds and nodes, not seconds: results must not depend on the machine.
const EXACT_ROUNDS: usize = 8;
const EXACT_EFFORT: SolverEffort = SolverEffort { seconds: None, nodes: Some(2_000), gap_absolute: 0.0 };

fn of_kind(market: &CapacityMarket, kind: Splitting) -> CapacityMarket {
    let mut market = market.clone();
    market.jobs.iter_mut().for_each(|job| job.kind = kind);
    market
}

/// The best assignment of whole jobs, and whether it is proven.
fn exact(instance: &Instance, solver: &dyn Solver) -> (Worth, bool) {
    let limits = ExactLimits { rounds: EXACT_ROUNDS, ..ExactLimits::default() };
    let solved = solve(instance, solver, &limits, &NoWatch);
    (solved.worth, solved.is_optimal())
}

/// The laws of the methods.
fn check_order(row: &Row) -> Result<(), CycleError> {
    let worth = |method: Method| {
        let Measured { jobs, cost, .. } = row[method as usize];
        Worth { weight: jobs as u64, jobs, cost }
    };
    let mut pairs = vec![
        (Method::Lpga, Method::Mmc),
        (Method::Hga, Method::GreedyPrice),
        (Method::Mmc, Method::MmcPrice),
        (Method::Mmc, Method::MmcCost),
    ];
    for best in [Method::Exact, Method::Division] {
        if row[best as usize].proven {
            pairs.extend(Method::ALL.into_iter().take(best as usize).map(|method| (best, method)));
        }
    }
    for (better, worse) in pairs {
        if worth(worse).beats(&worth(better)) {
            let (better, worse) = (better.name(), worse.name());
            return Err(CycleError::law(format!("{better} is at least as good as {worse}: {row:?}")));
        }
    }
    Ok(())
}
