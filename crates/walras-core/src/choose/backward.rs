//! The backward-run dynamic programme of the papers.
//!
//! **Problem.** One alternative sᵢ of every job i, least Σ gᵢ(sᵢ) with Σ zᵢ(sᵢ) ≤ Z*.
//!
//! **Method.** fᵢ(Zᵢ) is the best value of jobs i, …, n when they may take Zᵢ:
//!
//! > fᵢ(Zᵢ) = min over sᵢ of gᵢ(sᵢ) + fᵢ₊₁(Zᵢ - zᵢ(sᵢ)), with fₙ₊₁ ≡ 0.
//!
//! fᵢ is a step function that falls as Zᵢ grows, so it is kept as the list of its steps: pairs (taken, value) of
//! which none is dominated. It is built from the last job to the first and read forward, Z₁ = Z*,
//! Zᵢ₊₁ = Zᵢ - zᵢ(sᵢ).
//!
//! **Complexity.** The number of steps, at most the product of the numbers of alternatives or Z* + 1; `None` when it
//! passes `steps_max`. Used at small sizes, and as the oracle of the other method.
//!
//! Source: Toporkov et al., formula (1).

use super::knapsack::{Knapsack, Solution};

/// A step of fᵢ: taking this much gives this value, by this candidate first.
#[derive(Clone, Copy, Debug)]
struct Step {
    taken: i128,
    value: i128,
    candidate: usize,
}

/// The optimum of a problem with one limit; `None` when no choice keeps it. `Err` beyond `steps_max`.
pub fn solve(problem: &Knapsack, steps_max: usize) -> Result<Option<Solution>, TooManySteps> {
    let limit = problem.limits.first().copied().unwrap_or(0);
    let mut functions = vec![vec![Step { taken: 0, value: 0, candidate: 0 }]];
    let mut total = 0;
    for class in problem.classes.iter().rev() {
        let next = &functions[functions.len() - 1];
        let mut steps = Vec::with_capacity(next.len() * class.len());
        for (candidate, offer) in class.iter().enumerate() {
            let takes = offer.takes.first().copied().unwrap_or(0);
            let reachable = next.iter().take_while(|step| step.taken + takes <= limit);
            steps.extend(reachable.map(|step| Step {
                taken: step.taken + takes,
                value: step.value + offer.value,
                candidate,
            }));
            total += next.len();
            if total > steps_max {
                return Err(TooManySteps);
            }
        }
        functions.push(undominated(steps));
    }
    functions.reverse();
    Ok(read_forward(problem, &functions, limit))
}

/// The dynamic programme would have grown past its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the dynamic programme would have more steps than its bound")]
pub struct TooManySteps;

/// Only steps that take more for a better value, in order.
fn undominated(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_unstable_by_key(|step| (step.taken, step.value, step.candidate));
    let mut kept: Vec<Step> = Vec::new();
    for step in steps {
        if kept.last().is_none_or(|last| step.value < last.value) {
            kept.push(step);
        }
    }
    kept
}

/// Follows the best steps from the first job to the last.
fn read_forward(problem: &Knapsack, functions: &[Vec<Step>], limit: i128) -> Option<Solution> {
    let best = functions[0].last()?;
    let mut rest = limit;
    let mut chosen = Vec::with_capacity(problem.classes.len());
    for (class, steps) in problem.classes.iter().zip(functions) {
        let step = &steps[steps.partition_point(|step| step.taken <= rest).checked_sub(1)?];
        rest -= class[step.candidate].takes.first().copied().unwrap_or(0);
        chosen.push(step.candidate);
    }
    Some(Solution { chosen, value: best.value, bound: best.value })
}
