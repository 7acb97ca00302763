//! A bound that knows of capacities: what they are worth, as prices.
//!
//! With a price on every unit of every capacity each job takes what is cheapest to it, and what the prices earn beyond
//! the capacities is paid back: whatever the prices, that sum is at most the least sum of weighted losses that any
//! assignment has (Lagrange). Prices rise where too much is taken and fall where there is room. The greatest weighted
//! loss is at least the mean of all, so that a bound of the sum bounds both terms of the aggregate. Prices are integers,
//! and so is the bound: exact.

use super::preference::Aggregation;
use super::problem::{CompromiseOption, Voice};
use super::state::Model;
use walras_model::quantity::MILLION;

/// How often prices are changed.
const ROUNDS: u32 = 100;
/// The pace at which they begin to change; it falls when the bound has not risen so many times.
const PACE: i128 = 1_000;
const PATIENCE: u32 = 3;
/// Prices beyond this help nobody, and products of them might not fit.
const PRICE_MAX: i128 = 1_000_000_000_000_000;

/// What no assignment that serves every job with options can beat by its aggregate; 0 where prices tell nothing.
pub(super) fn bound(model: &Model<'_>) -> i128 {
    let problem = model.problem;
    let across = problem.across;
    if across == Aggregation::Lexicographic || problem.capacities.is_empty() {
        return 0;
    }
    let sum = least_sum(model).max(0);
    let users = problem.parties.iter().filter(|party| party.voice == Voice::User).count();
    let users = i128::try_from(users.max(1)).unwrap_or(i128::MAX);
    match across {
        // The mean, rounded up, is no more than the greatest.
        Aggregation::Chebyshev { l1 } => {
            (sum + users - 1) / users * i128::from(MILLION) + i128::from(l1) * sum
        }
        Aggregation::Mean | Aggregation::Lexicographic => sum,
    }
}

/// A lower bound of the users' weighted losses, all together.
fn least_sum(model: &Model<'_>) -> i128 {
    let problem = model.problem;
    // A user's loss is the mean of the jobs', rounded down once: a unit of weight is lost for each user at most.
    let rounding: i128 = problem.weights.iter().map(|weight| i128::from(*weight)).sum();
    let costs = costs(model);
    let mut prices = vec![0_i64; problem.capacities.len()];
    let step = first_step(&costs);
    let (mut best, mut pace, mut stalled) = (0, PACE, 0);
    for _ in 0..ROUNDS {
        let (sum, taken) = cheapest(model, &costs, &prices);
        let back = prices.iter().zip(&problem.capacities).map(|(price, most)| wide(*price) * wide(*most));
        let bound = sum - back.sum::<i128>() - rounding;
        stalled = if bound > best { 0 } else { stalled + 1 };
        best = best.max(bound);
        if stalled == PATIENCE {
            (pace, stalled) = (pace * 7 / 10, 0);
        }
        let excess: Vec<i128> =
            taken.iter().zip(&problem.capacities).map(|(it, most)| it - wide(*most)).collect();
        let greatest = excess.iter().map(|it| it.abs()).max().unwrap_or(0).max(1);
        for (price, excess) in prices.iter_mut().zip(&excess) {
            let change = step * pace / PACE * excess / greatest;
            *price = i64::try_from((wide(*price) + change).clamp(0, PRICE_MAX))
                .expect("a price within its bounds fits");
        }
    }
    best
}

/// The weighted loss of every option of every job.
fn costs(model: &Model<'_>) -> Vec<Vec<i64>> {
    let counts = model.job_counts();
    let jobs = model.problem.jobs.iter().map(|entry| {
        let (weight, count) = (model.problem.weights[entry.user], counts[entry.user].max(1));
        let cost = |option: &CompromiseOption| wide(weight) * wide(option.loss) / wide(count);
        entry
            .options
            .iter()
            .map(|option| i64::try_from(cost(option)).expect("a share of a weight and a loss fits"))
            .collect()
    });
    jobs.collect()
}

/// How far the price of what is most in demand goes at first: three tenths of a job's greatest cost, on average.
fn first_step(costs: &[Vec<i64>]) -> i128 {
    let greatest: i128 = costs.iter().filter_map(|job| job.iter().max()).map(|cost| wide(*cost)).sum();
    greatest * 3 / (10 * i128::try_from(costs.len().max(1)).unwrap_or(1))
}

/// What all jobs pay for their cheapest options, and what those take.
fn cheapest(model: &Model<'_>, costs: &[Vec<i64>], prices: &[i64]) -> (i128, Vec<i128>) {
    let mut sum = 0;
    let mut taken = vec![0_i128; prices.len()];
    for (entry, costs) in model.problem.jobs.iter().zip(costs) {
        let mut least: Option<(i128, &CompromiseOption)> = None;
        for (option, cost) in entry.options.iter().zip(costs) {
            let tolls = option.takes.iter().map(|(place, units)| wide(prices[*place]) * wide(*units));
            let priced = tolls.fold(wide(*cost), |sum, toll| sum + toll);
            if least.is_none_or(|(least, _)| priced < least) {
                least = Some((priced, option));
            }
        }
        if let Some((priced, option)) = least {
            sum += priced;
            option.takes.iter().for_each(|(place, units)| taken[*place] += wide(*units));
        }
    }
    (sum, taken)
}

fn wide(number: i64) -> i128 {
    i128::from(number)
}
