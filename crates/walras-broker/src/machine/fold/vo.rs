//! The VO: rules, users, budgets, money from outside.

use crate::model::account::{Account, Purpose};
use crate::model::budget::BudgetUse;
use crate::model::event::VoEvent;
use crate::model::input::{Answer, User};
use crate::model::sharing::{Served, Tally};
use crate::model::state::{State, UserState};
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::{Money, Time};

impl State {
    pub(super) fn fold_vo(&mut self, event: &VoEvent) {
        match event {
            VoEvent::PolicySet(policy) => {
                self.policy = Arc::new((**policy).clone());
                self.unsettle();
                self.help();
            }
            VoEvent::UserSet(user) => self.user_set(user),
            VoEvent::BudgetSet { spender, budget: Some(budget) } => {
                self.budgets.insert(Arc::new(spender.clone()), BudgetUse::new(*budget, self.clock));
                self.help();
            }
            VoEvent::BudgetSet { spender, budget: None } => {
                self.budgets.remove(spender);
                self.help();
            }
            VoEvent::WishSet { of, wish } => {
                let wishes = Arc::make_mut(&mut self.wishes);
                match (wishes.binary_search_by_key(of, |(who, _)| *who), wish) {
                    (Ok(place), Some(wish)) => wishes[place].1 = (**wish).clone(),
                    (Ok(place), None) => drop(wishes.remove(place)),
                    (Err(place), Some(wish)) => wishes.insert(place, (*of, (**wish).clone())),
                    (Err(_), None) => {}
                }
                self.unsettle();
            }
            VoEvent::Deposited { key, account, transaction } => {
                self.books.post(transaction);
                let amount = i64::try_from(transaction.sum(account, Purpose::Deposit));
                let amount = amount.expect("a deposit that was posted can be counted");
                self.remember(key, Answer::Deposited(Money::from_micros(amount)), None);
                if let Account::User(user) = account {
                    self.funded(user);
                }
            }
            VoEvent::ServiceBack => self.back_at = self.clock,
        }
    }

    fn user_set(&mut self, user: &User) {
        self.books.open(Account::User(user.name.clone()), user.lowest);
        let number = i64::try_from(self.users.len()).expect("users can be counted");
        match self.users.get_mut(user.name.as_str()) {
            Some(known) => known.user = user.clone(),
            None => {
                let state = UserState {
                    user: user.clone(),
                    number,
                    usage: 0,
                    served: Served::default(),
                    funded_at: Time::MIN,
                    strange: BTreeMap::new(),
                    choices: Default::default(),
                    tally: Tally::default(),
                };
                self.users.insert(user.name.as_str().into(), state);
            }
        }
        self.funded(&user.name);
    }

    /// A user has more to spend: what waits for money may go on.
    fn funded(&mut self, user: &str) {
        let clock = self.clock;
        let user = self.users.get_mut(user).expect("only a user who is there has an account");
        user.funded_at = clock;
        if self.policy.sharing.is_some() {
            self.unsettle();
        }
    }
}
