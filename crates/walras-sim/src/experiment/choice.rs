//! Choosing in an experiment: the papers' four problems under the papers' limits.

use super::CycleError;
use walras_core::choose::{
    ChoiceLimits, Combination, LeaveOut, Limit, Menu, Objective, VoPolicy, choose_combination, time_limit,
};
use walras_model::{Money, Outcome, Span};

/// The papers' limits of a menu.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaperLimits {
    /// T* in time units.
    pub(super) time: i128,
    /// B* in micro-credits.
    pub(super) budget: i128,
}

impl PaperLimits {
    /// The limits as printed: B* is the greatest income under T*. With the combination that it comes from.
    pub(super) fn of(menu: &Menu) -> Result<(PaperLimits, Combination), CycleError> {
        let limits = PaperLimits { time: time_limit(menu), budget: 0 };
        let richest = best(menu, Objective::MaxIncome, limits)?;
        Ok((PaperLimits { budget: richest.totals.cost, ..limits }, richest))
    }
}

/// The best combination of a problem under its limit; that there is one, and that it is proven, are laws.
pub(super) fn best(
    menu: &Menu,
    objective: Objective,
    limits: PaperLimits,
) -> Result<Combination, CycleError> {
    let under_budget = matches!(objective, Objective::MinTime | Objective::MaxUse);
    let time = i64::try_from(limits.time).ok().and_then(Span::from_millis).map(Limit::Given);
    let money = i64::try_from(limits.budget).ok().map(|micros| Limit::Given(Money::from_micros(micros)));
    let (Some(time), Some(money)) = (time, money) else {
        return Err(CycleError::law(format!("limits stay within the range of money and time: {limits:?}")));
    };
    let policy = VoPolicy {
        time_limit: if under_budget { Limit::Unlimited } else { time },
        budget_limit: if under_budget { money } else { Limit::Unlimited },
        objective,
        leave_out: LeaveOut::Never,
    };
    match choose_combination(menu, &policy, &ChoiceLimits::default()) {
        Outcome::Optimal(best) => Ok(best),
        Outcome::Feasible { .. } => {
            Err(CycleError::law(format!("{} is proven best within the limit on work", policy.objective)))
        }
        Outcome::Infeasible(reason) => {
            Err(CycleError::law(format!("{} has a solution under its limit: {reason:?}", policy.objective)))
        }
    }
}
