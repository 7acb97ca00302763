//! What else could have been chosen.

use super::negotiation::stakeholders;
use super::{BatchPlan, BatchProblem};
use crate::prefer::{Criterion, Point, WishError};

/// The combinations to which none is better by the total of one criterion and not worse by the other, and whether these
/// are all of them; `None` when nobody was asked. At most so many partial combinations are kept for each job.
pub fn trade_off(
    problem: &BatchProblem<'_>,
    plan: &BatchPlan,
    criteria: [&Criterion; 2],
    labels_max: usize,
) -> Option<Result<(Vec<Point>, bool), WishError>> {
    let negotiation = plan.negotiation.as_ref()?.as_ref().ok()?;
    let stakeholders = stakeholders(problem, &plan.batch)?;
    let front =
        stakeholders.trade_off(problem.offers, &plan.batch, &plan.found, negotiation, criteria, labels_max);
    Some(front)
}
