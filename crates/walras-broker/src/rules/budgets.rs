//! What budgets allow: a lien must fit into those of its user, of the user's group and of the VO.

use crate::model::account::Account;
use crate::model::budget::{Budget, BudgetUse, Overspent, Spender};
use crate::model::state::State;
use walras_model::{Money, Time};

/// Whose budgets a user's spending counts in.
pub(crate) fn spenders(state: &State, user: &str) -> Vec<Spender> {
    let group = state.users.get(user).and_then(|user| user.user.group.clone());
    let mut spenders = vec![Spender::User(user.to_owned()), Spender::Vo];
    spenders.extend(group.map(Spender::Group));
    spenders
}

/// Whether the budgets of a user allow a lien at a moment.
pub(crate) fn check(state: &State, user: &str, now: Time, amount: Money) -> Result<(), Overspent> {
    for spender in spenders(state, user) {
        let left = state.budgets.get(&spender).map(|budget| budget.left(now));
        if let Some(left) = left.filter(|left| *left < amount) {
            return Err(Overspent { spender, left, needed: amount });
        }
    }
    Ok(())
}

/// What a user can spend now: what is in the account, within all budgets.
pub(crate) fn funds(state: &State, user: &str, now: Time) -> Money {
    let account = state.books.available(&Account::User(user.to_owned()));
    let budgets = spenders(state, user);
    let left = budgets.iter().filter_map(|spender| state.budgets.get(spender)).map(|budget| budget.left(now));
    left.fold(account, Money::min)
}

impl BudgetUse {
    /// A budget that counts from a moment on.
    pub fn new(budget: Budget, since: Time) -> BudgetUse {
        BudgetUse { budget, since, period: i64::MIN, used: Money::ZERO }
    }

    /// The number of the period that a moment lies in.
    fn period_of(&self, at: Time) -> i64 {
        at.as_millis().div_euclid(self.budget.period.as_millis().max(1))
    }

    /// What may still be spent at a moment.
    pub fn left(&self, at: Time) -> Money {
        let used = if self.period == self.period_of(at) { self.used } else { Money::ZERO };
        self.budget.amount.checked_sub(used).expect("amounts that are not negative have a difference")
    }

    /// Counts a lien placed at a moment.
    ///
    /// # Panics
    /// When all liens of a period are more than can be counted: none beyond the budget's amount is placed.
    pub fn spend(&mut self, at: Time, amount: Money) {
        let period = self.period_of(at);
        if period != self.period {
            (self.period, self.used) = (period, Money::ZERO);
        }
        self.used = self.used.checked_add(amount).expect("what a budget allows can be counted");
    }

    /// Gives back part of a lien that was placed at a moment.
    pub fn give_back(&mut self, at: Time, amount: Money) {
        if at >= self.since && self.period_of(at) == self.period {
            let used =
                self.used.checked_sub(amount).expect("amounts that are not negative have a difference");
            // A lien of the very millisecond in which the budget was set may have been placed before it.
            self.used = used.max(Money::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_model::Span;

    #[test]
    fn a_new_period_starts_with_the_whole_budget() {
        let budget = Budget { period: Span::from_millis(100).unwrap(), amount: Money::from_micros(10) };
        let mut used = BudgetUse::new(budget, Time::MIN);
        let at = |millis| Time::from_millis(millis).unwrap();
        used.spend(at(10), Money::from_micros(7));
        assert_eq!(used.left(at(99)), Money::from_micros(3));
        assert_eq!(used.left(at(100)), Money::from_micros(10));
        used.give_back(at(10), Money::from_micros(2));
        assert_eq!(used.left(at(50)), Money::from_micros(5));
        used.spend(at(150), Money::from_micros(1));
        used.give_back(at(10), Money::from_micros(5));
        assert_eq!(used.left(at(199)), Money::from_micros(9), "what an earlier period gives back is gone");
    }
}
