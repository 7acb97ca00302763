//! A bound that knows of capacities: what they are worth, as prices.
//!
//! With a price on every unit of every capacity each job takes what is cheapest to it, and what the prices earn beyond
//! the capacities is paid back: whatever the prices, that sum is at most the least sum of weighted losses that any
//! assignment has (Lagrange). Prices rise where too much is taken and fall where there is room. The greatest weighted
//! loss is at least the mean of all, so that a bound of the sum bounds both terms of the aggregate. Prices are integers,
//! and so is the bound: exact.

use super::preference::Aggregation;
use super::problem::Voice;
use super::state::Model;
use crate::quantity::MILLION;

/// How often prices are changed.
const ROUNDS: i128 = 60;

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
    let counts = model.job_counts();
    // A user's loss is the mean of the jobs', rounded down once: a unit of weight is lost for each user at most.
    let rounding: i128 = problem.weights.iter().map(|weight| i128::from(*weight)).sum();
    let cost = |job: usize, loss: i64| {
        let user = problem.jobs[job].user;
        i128::from(problem.weights[user]) * i128::from(loss) / i128::from(counts[user].max(1))
    };
    let mut prices = vec![0_i128; problem.capacities.len()];
    let (mut best, mut pace) = (0, 0);
    for round in 0..ROUNDS {
        let mut taken = vec![0_i128; prices.len()];
        let (mut sum, mut spread) = (0_i128, 0_i128);
        for (job, entry) in problem.jobs.iter().enumerate() {
            let priced = |option: &super::ProblemOption| {
                let toll: i128 =
                    option.takes.iter().map(|(place, units)| prices[*place] * i128::from(*units)).sum();
                cost(job, option.loss) + toll
            };
            let Some(least) = entry.options.iter().min_by_key(|option| priced(option)) else { continue };
            sum += priced(least);
            spread += entry.options.iter().map(|option| cost(job, option.loss)).max().unwrap_or(0);
            least.takes.iter().for_each(|(place, units)| taken[*place] += i128::from(*units));
        }
        let paid_back: i128 =
            prices.iter().zip(&problem.capacities).map(|(price, most)| price * i128::from(*most)).sum();
        best = best.max(sum - paid_back - rounding);
        if round == 0 {
            pace = spread / i128::try_from(problem.jobs.len().max(1)).unwrap_or(1);
        }
        for ((price, taken), most) in prices.iter_mut().zip(&taken).zip(&problem.capacities) {
            let most = i128::from(*most).max(1);
            *price = (*price + pace * (taken - most) / (most * (round + 2))).clamp(0, PRICE_MAX);
        }
    }
    best
}

/// Prices beyond this help nobody, and products of them might not fit.
const PRICE_MAX: i128 = 1_000_000_000_000_000;
