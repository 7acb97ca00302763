//! Choosing in an experiment: the papers' four problems with the papers' limits.

use super::CycleError;
use walras_core::choose::{Combination, LeaveOut, Limit, Menu, Objective, VoPolicy};
use walras_core::choose::{AppliedLimits, Totals, backward, problem, time_limit};
use walras_core::Money;

/// The papers' limits of a menu: T* and B*.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaperLimits {
    /// T* in time units.
    pub(super) time: i128,
    /// B* in micro-credits: the greatest income under T*.
    pub(super) budget: i128,
}

impl PaperLimits {
    /// The limits, and the combination that B* comes from.
    pub(super) fn of(menu: &Menu) -> Result<(PaperLimits, Combination), CycleError> {
        let time = time_limit(menu);
        let richest = best(menu, Objective::MaxIncome, PaperLimits { time, budget: 0 })?;
        Ok((PaperLimits { time, budget: richest.totals.cost }, richest))
    }
}

/// The best combination of a problem under its limit; that there is one is a law.
pub(super) fn best(menu: &Menu, objective: Objective, limits: PaperLimits) -> Result<Combination, CycleError> {
    let time_first = matches!(objective, Objective::MinTime | Objective::MaxUse);
    let sign = if matches!(objective, Objective::MaxUse | Objective::MaxIncome) { -1 } else { 1 };
    let limit = if time_first { limits.budget } else { limits.time };
    let classes = menu.jobs.iter().map(|job| {
        job.items.iter().map(|item| {
            let (t, c) = (i128::from(item.time.as_millis()), i128::from(item.cost.as_micros()));
            let (v, z) = if time_first { (t, c) } else { (c, t) };
            problem::Candidate { value: sign * v, takes: vec![z] }
        }).collect()
    }).collect();
    let problem = problem::Problem { classes, limits: vec![limit] };
    let solution = backward::solve(&problem, usize::MAX).ok().flatten().ok_or_else(|| CycleError::law("T* feasible"))?;
    let mut totals = Totals::default();
    for (job, index) in menu.jobs.iter().zip(&solution.chosen) {
        let item = &job.items[*index];
        totals.served += 1;
        totals.cost += i128::from(item.cost.as_micros());
        totals.time += i128::from(item.time.as_millis());
    }
    Ok(Combination { items: solution.chosen.iter().copied().map(Some).collect(), totals, limits: AppliedLimits::default(), value: solution.value })
}
