//! Budgets: what was spent in the running period, counted again.
//!
//! Every lien remembers which budgets counted it, so that a refund only ever goes back to where the lien was counted: a
//! budget that was set again, or another group's, does not grow by it. Time O(log budgets) for a lien or a refund.

use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::Counted;
use std::collections::BTreeMap;
use walras_broker::budget::{Budget, Spender};
use walras_model::Time;

/// A budget as it was set, and what was spent of it.
#[derive(Clone, Debug)]
struct Spending {
    budget: Budget,
    /// Which of the budgets that were ever set this is.
    set: u64,
    period: i64,
    used: i128,
}

/// All budgets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budgets {
    all: BTreeMap<Spender, Spending>,
    sets: u64,
}

impl Spending {
    fn period_of(&self, at: Time) -> i64 {
        at.as_millis().div_euclid(self.budget.period.as_millis().max(1))
    }
}

impl Budgets {
    /// A budget is set, or lifted.
    pub(crate) fn set(&mut self, spender: &Spender, budget: Option<Budget>) {
        self.sets += 1;
        match budget {
            Some(budget) => {
                let spending = Spending { budget, set: self.sets, period: i64::MIN, used: 0 };
                self.all.insert(spender.clone(), spending);
            }
            None => {
                self.all.remove(spender);
            }
        }
    }

    /// Counts a lien; says whose budget it overspends.
    pub(crate) fn spend(&mut self, look: &mut Look<'_>, spenders: Vec<Spender>, lien: i128) -> Vec<Counted> {
        let mut counted = Vec::new();
        for spender in spenders {
            let Some(spending) = self.all.get_mut(&spender) else { continue };
            let period = spending.period_of(look.now);
            if period != spending.period {
                (spending.period, spending.used) = (period, 0);
            }
            let left = i128::from(spending.budget.amount.as_micros()) - spending.used;
            if lien > left {
                look.report(FindingKind::OverBudget { spender: spender.clone(), left, needed: lien });
            }
            spending.used += lien;
            counted.push(Counted { spender, set: spending.set, period });
        }
        counted
    }

    /// Gives a refund back to the budgets that counted its lien, while their period lasts.
    pub(crate) fn give_back(&mut self, counted: &[Counted], refund: i128) {
        for place in counted {
            let spending = self.all.get_mut(&place.spender);
            if let Some(spending) = spending.filter(|it| it.set == place.set && it.period == place.period) {
                spending.used -= refund;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::Input;
    use walras_model::{Money, Span};

    #[test]
    fn a_refund_goes_back_only_to_the_budget_that_counted_its_lien() {
        let input = Input::Tick;
        let mut look = Look::new(0, Time::from_millis(10).unwrap(), &input);
        let budget = Budget { period: Span::from_millis(100).unwrap(), amount: Money::from_micros(10) };
        let mut budgets = Budgets::default();
        budgets.set(&Spender::Vo, Some(budget));
        let early = budgets.spend(&mut look, vec![Spender::Vo], 10);
        budgets.set(&Spender::Vo, Some(budget));
        let late = budgets.spend(&mut look, vec![Spender::Vo], 10);
        budgets.give_back(&early, 10);
        assert!(look.found.is_empty());
        budgets.spend(&mut look, vec![Spender::Vo], 1);
        assert_eq!(look.found.len(), 1, "nothing was left");
        budgets.give_back(&late, 5);
        budgets.spend(&mut look, vec![Spender::Vo], 4);
        assert_eq!(look.found.len(), 1);
    }
}
