//! Bounds by prices for `walras plan`.

use walras_api::{PlannedChoice, PlannedClearing, Scenario};
use walras_core::choose::Objective;
use walras_core::clearing::{Clearing, ClearingLimits, clear};
use walras_core::plan::{BatchPlan, BatchProblem, above_any_plan};

#[derive(clap::Args)]
pub(crate) struct BoundArgs {
    /// Look for prices that show what no plan of the same jobs costs less than, and what scarce time is worth, in at most so
    /// many searches for one job; 0 for none [default: none, and 29 for each job with --json and min-cost]
    #[arg(long, value_name = "N", conflicts_with = "no_choice")]
    bound: Option<u64>,
}

impl BoundArgs {
    /// Whether somebody wants to read what came of it.
    pub(crate) fn asked(&self) -> bool {
        self.bound.is_some()
    }
}

/// The choice with what is known of all other plans.
pub(crate) fn bounded(
    args: &BoundArgs,
    as_data: bool,
    scenario: &Scenario,
    problem: &BatchProblem<'_>,
    planned: &BatchPlan,
    mut choice: PlannedChoice,
) -> PlannedChoice {
    let clearing = limits(args, as_data, problem).and_then(|limits| clear(problem, planned, &limits));
    choice.clearing = clearing.as_ref().map(|clearing| PlannedClearing::new(scenario, clearing));
    // Of all jobs that were chosen, or of none.
    let by_prices = clearing.as_ref().filter(|clearing| clearing.beside.is_empty() && is_least_cost(problem));
    choice.bounded(by_prices.and_then(Clearing::above).or_else(|| above_any_plan(problem, planned)))
}

/// Whoever did not ask for a bound does not wait for it: about a tenth of a second.
const UNASKED: ClearingLimits = ClearingLimits {
    searches_per_job_max: 29,
    searches_least: 1_000,
    searches_max: 20_000,
    looks_max: 10_000_000,
    moves_max: 100_000_000,
};

/// How hard it is tried; `None` for not at all.
fn limits(args: &BoundArgs, as_data: bool, problem: &BatchProblem<'_>) -> Option<ClearingLimits> {
    match args.bound {
        None => (as_data && is_least_cost(problem)).then_some(UNASKED),
        Some(0) => None,
        Some(searches_max) => Some(ClearingLimits {
            searches_per_job_max: u64::MAX,
            searches_least: 0,
            searches_max,
            looks_max: u64::MAX,
            moves_max: u64::MAX,
        }),
    }
}

fn is_least_cost(problem: &BatchProblem<'_>) -> bool {
    problem.policy.objective == Objective::MinCost
}
