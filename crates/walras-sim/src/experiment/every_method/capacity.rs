//! The MetaBroker's methods over the broker's periods.

use super::Config;
use super::market::{DrawnMarket, Got};
use super::windows::Decision;
use crate::experiment::CycleError;
use crate::rolling::{Periods, roll};
use walras_assign::exact::{ExactLimits, NoWatch, solve};
use walras_assign::genetic::{Evolution, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::mmc;
use walras_assign::program::{Solver, SolverEffort};
use walras_model::Span;
use walras_model::market::{Assignment, CapacityMarket, Instance};
use walras_random::{Purpose, Stream};

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    GreedyPrice,
    GreedyCost,
    Mmc,
    Hga,
    Lpga,
    Exact,
}

impl Method {
    pub(super) const ALL: [Method; 6] =
        [Method::GreedyPrice, Method::GreedyCost, Method::Mmc, Method::Hga, Method::Lpga, Method::Exact];

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::GreedyPrice => "greedy by price",
            Method::GreedyCost => "greedy by cost",
            Method::Mmc => "MMC",
            Method::Hga => "HGA",
            Method::Lpga => "LPGA",
            Method::Exact => "exact, round by round",
        }
    }
}

/// After so many rounds whoever still waits is left over.
const ROUNDS_MAX: u32 = 1_000;
/// Streams of evolution in a cycle.
const STREAMS: u32 = 16;

/// What every method decides, in the order of [`Method::ALL`].
pub(super) fn run(
    config: &Config,
    market: &DrawnMarket,
    (seed, number): (u64, u32),
    solver: &dyn Solver,
) -> Result<Vec<Decision>, CycleError> {
    let (sites, jobs) = (market.capacities(), market.submissions());
    let interval = Span::from_millis(i64::from(config.interval) * 1_000).unwrap_or(Span::ZERO);
    let periods = Periods { interval, rounds_max: ROUNDS_MAX };
    let mut decisions = Vec::new();
    for (index, method) in (0_u32..).zip(Method::ALL) {
        let mut chance = Purpose::Evolution.stream(seed, number.wrapping_mul(STREAMS).wrapping_add(index));
        let mut one = |market: &CapacityMarket, instance: &Instance| {
            assign(method, market, instance, &mut chance, solver)
        };
        let course = roll(&sites, &jobs, periods, &mut one)
            .map_err(|error| CycleError::law(format!("{} can be followed: {error}", method.name())))?;
        let mut decision = vec![None; jobs.len()];
        for run in course.runs {
            decision[run.job] = Some(Got { cost: run.cost.as_micros(), finish: run.end.as_millis() });
        }
        decisions.push(decision);
    }
    Ok(decisions)
}

fn assign(
    method: Method,
    market: &CapacityMarket,
    instance: &Instance,
    chance: &mut Stream,
    solver: &dyn Solver,
) -> Assignment {
    let by_price = Ranking::by_price(market, instance);
    let by_cost = Ranking::by_cost(instance, greedy::order(market));
    let relaxed = || mmc::assign_best(instance, &[&by_cost, &by_price], solver, &SolverEffort::UNLIMITED);
    let mut evolved = |first| {
        evolve(instance, &by_price, first, &Evolution::default(), &mut |below| chance.index(below)).assignment
    };
    match method {
        Method::GreedyPrice => greedy::assign(instance, &by_price),
        Method::GreedyCost => greedy::assign(instance, &by_cost),
        Method::Mmc => relaxed(),
        Method::Hga => evolved(greedy::assign(instance, &by_price)),
        Method::Lpga => evolved(relaxed()),
        Method::Exact => {
            let solved = solve(instance, solver, &ExactLimits::default(), &NoWatch);
            solved.assignment.unwrap_or_else(|| Assignment::empty(instance.jobs()))
        }
    }
}
