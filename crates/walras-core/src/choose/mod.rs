//! Choosing for the whole batch: one alternative for each job.
//!
//! **Problem.** Every job has several alternatives, each with a cost and a time. The VO wants the combination that
//! is best by its objective and keeps its limits: T* on the total time, B* on the total cost.
//!
//! **Method.** Each objective becomes a value per alternative, less being better: the time, the cost, their
//! negatives, or a sum of several. What is left is a multiple-choice knapsack ([`knapsack`]). Where jobs may be left
//! out, leaving one out is one more candidate whose value outweighs everything else in proportion to the job's
//! weight, so that serving more comes first. The least makespan is found by bisection over the ends.
//!
//! T* = Σᵢ floor(mean time of job i's alternatives), which can always be kept; B* is the greatest income under T*.
//! (The papers' formula (2) floors every term of the mean, which makes most cycles infeasible.)
//!
//! Source: Toporkov et al., formulas (1) to (3).

pub mod backward;
mod baseline;
pub mod core;
mod fix;
mod hulls;
mod integer;
pub mod knapsack;
mod labels;
mod menu;
mod names;
mod objective;
mod policy;
mod polish;
mod relax;
pub mod several;

pub use baseline::{choose_first, choose_random};
pub(crate) use menu::priority_weight;
pub use menu::{Menu, MenuItem, MenuJob};
pub use names::{Named, ObjectiveName};
pub use policy::{
    AppliedLimits, ChoiceLimits, Combination, LeaveOut, Limit, NoCombination, Objective, Total, Totals,
    VoPolicy,
};

use objective::choose_within;
use walras_model::outcome::Outcome;

/// The best combination under a policy, proven or with a bound.
pub fn choose_combination(
    menu: &Menu,
    policy: &VoPolicy,
    limits: &ChoiceLimits,
) -> Outcome<Combination, NoCombination> {
    let applied = match applied_limits(menu, policy, limits) {
        Ok(applied) => applied,
        Err(reason) => return Outcome::Infeasible(reason),
    };
    choose_within(menu, policy, applied, limits)
}

/// The limits that a policy puts on a menu.
pub fn applied_limits(
    menu: &Menu,
    policy: &VoPolicy,
    limits: &ChoiceLimits,
) -> Result<AppliedLimits, NoCombination> {
    if menu.jobs.is_empty() {
        return Err(NoCombination::NothingToChoose);
    }
    let (needs_time, needs_budget) = policy.objective.needs();
    let time = match policy.time_limit {
        Limit::Given(span) => Some(i128::from(span.as_millis())),
        Limit::Derived if needs_time => Some(time_limit(menu)),
        Limit::Derived | Limit::Unlimited => None,
    };
    let budget = match policy.budget_limit {
        Limit::Given(money) => Some(i128::from(money.as_micros())),
        Limit::Derived if needs_budget => {
            let time = time.unwrap_or_else(|| time_limit(menu));
            Some(greatest_income(menu, time, policy.leave_out, limits)?)
        }
        Limit::Derived | Limit::Unlimited => None,
    };
    Ok(AppliedLimits { time, budget })
}

/// T* = Σᵢ floor(mean time of job i's alternatives), in milliseconds.
pub fn time_limit(menu: &Menu) -> i128 {
    let mean = |job: &MenuJob| {
        let sum: i128 = job.items.iter().map(|item| i128::from(item.time.as_millis())).sum();
        sum / i128::try_from(job.items.len().max(1)).unwrap_or(i128::MAX)
    };
    menu.jobs.iter().map(mean).sum()
}

/// B*: the greatest total cost under a limit on the total time, in micro-credits.
fn greatest_income(
    menu: &Menu,
    time: i128,
    leave_out: LeaveOut,
    limits: &ChoiceLimits,
) -> Result<i128, NoCombination> {
    let policy = VoPolicy {
        objective: Objective::MaxIncome,
        time_limit: Limit::Derived,
        budget_limit: Limit::Unlimited,
        leave_out,
    };
    let applied = AppliedLimits { time: Some(time), budget: None };
    match choose_within(menu, &policy, applied, limits) {
        Outcome::Optimal(best) | Outcome::Feasible { best, .. } => Ok(best.totals.cost),
        Outcome::Infeasible(reason) => Err(reason),
    }
}
