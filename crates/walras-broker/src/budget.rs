//! Budgets: what a user, a group or the whole VO may spend in a period.
//!
//! Periods follow each other without a gap from time 0 on. A lien counts in the period in which it was placed; what is
//! given back of it counts no more, while that period lasts.

use serde::{Deserialize, Serialize};
use std::fmt;
use walras_model::{Money, Span, Time};

/// Whose spending is limited.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spender {
    /// One user.
    User(String),
    /// All users of a group together.
    Group(String),
    /// Everybody.
    Vo,
}

/// How much may be spent in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// How long a period lasts; at least a millisecond.
    pub period: Span,
    /// What may be spent in it.
    pub amount: Money,
}

/// A budget and what was spent of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetUse {
    /// The budget.
    pub budget: Budget,
    /// Only liens placed from then on count.
    since: Time,
    period: i64,
    used: Money,
}

/// Why a budget does not allow a lien.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overspent {
    /// Whose budget.
    pub spender: Spender,
    /// What is left of it in this period.
    pub left: Money,
    /// What is needed.
    pub needed: Money,
}

impl fmt::Display for Overspent {
    /// The data as it is; sentences for people are in `walras-api`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Overspent {}

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
        self.budget.amount.checked_sub(used).unwrap_or(Money::ZERO)
    }

    /// Counts a lien placed at a moment.
    pub fn spend(&mut self, at: Time, amount: Money) {
        let period = self.period_of(at);
        if period != self.period {
            (self.period, self.used) = (period, Money::ZERO);
        }
        self.used = self.used + amount;
    }

    /// Gives back part of a lien that was placed at a moment.
    pub fn give_back(&mut self, at: Time, amount: Money) {
        if at >= self.since && self.period_of(at) == self.period {
            self.used = self.used.checked_sub(amount).unwrap_or(Money::ZERO).max(Money::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
