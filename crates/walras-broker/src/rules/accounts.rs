//! What the books allow, and how they change.
//!
//! Two limits keep every balance within the range of money, so that no posting that was allowed can fail later: what has
//! come in from outside, and what all accounts together may owe, are each at most [`MONEY_LIMIT`]. A balance is never
//! more than the two together.
//!
//! ```
//! use walras_broker::account::{Account, Books, Posting, Purpose, Transaction};
//! use walras_model::Money;
//! let ada = Account::User("ada".into());
//! let mut books = Books::default();
//! books.open(ada.clone(), Money::ZERO);
//! let deposit = Transaction::transfer(Purpose::Deposit, Account::World, ada.clone(), Money::from_micros(5));
//! books.check(&deposit).unwrap();
//! books.post(&deposit);
//! let lien = Transaction::transfer(Purpose::Lien, ada.clone(), Account::Held, Money::from_micros(6));
//! assert!(books.check(&lien).is_err());
//! assert_eq!(books.balance(&ada), Money::from_micros(5));
//! assert_eq!(books.total(), 0);
//! ```

use crate::model::account::{Account, Balance, Books, Transaction, Unpayable};
use std::collections::BTreeMap;
use std::sync::Arc;
use walras_model::Money;

/// What may come in from outside, and what all accounts together may owe: a quarter of the range of money each.
pub(crate) const MONEY_LIMIT: i64 = i64::MAX / 4;

impl Books {
    /// What all accounts together could owe if one of them had this limit.
    fn credit_with(&self, account: &Account, lowest: Money) -> Option<Money> {
        let before = self.accounts.get(account).map_or(Money::ZERO, |balance| balance.lowest);
        self.credit.checked_sub(before)?.checked_add(lowest)
    }

    /// Whether an account may have this limit: zero or negative, not above what is owed already, and not so low that all
    /// accounts together could owe too much.
    pub fn may_open(&self, account: &Account, lowest: Money) -> bool {
        let within = |credit: Money| credit.as_micros() >= -MONEY_LIMIT;
        lowest <= Money::ZERO
            && lowest <= self.balance(account)
            && self.credit_with(account, lowest).is_some_and(within)
    }

    /// Opens an account, or changes how low it may go.
    ///
    /// # Panics
    /// When the account may not have this limit ([`Books::may_open`]).
    pub fn open(&mut self, account: Account, lowest: Money) {
        assert!(self.may_open(&account, lowest), "account {account:?} cannot have the limit {lowest}");
        self.credit = self.credit_with(&account, lowest).expect("the credit was checked");
        match self.accounts.get_mut(&account) {
            Some(balance) => balance.lowest = lowest,
            None => self.accounts.insert(Arc::new(account), Balance { amount: Money::ZERO, lowest }),
        }
    }

    /// Whether a transaction can be posted.
    pub fn check(&self, transaction: &Transaction) -> Result<(), Unpayable> {
        let mut changes: BTreeMap<&Account, i128> = BTreeMap::new();
        for posting in &transaction.postings {
            *changes.entry(&posting.account).or_default() += i128::from(posting.amount.as_micros());
        }
        if changes.values().sum::<i128>() != 0 {
            return Err(Unpayable::Unbalanced);
        }
        for (account, change) in changes {
            self.check_change(account, change)?;
        }
        Ok(())
    }

    fn check_change(&self, account: &Account, change: i128) -> Result<(), Unpayable> {
        if !self.has(account) {
            return Err(Unpayable::NoAccount(account.clone()));
        }
        let after = i128::from(self.balance(account).as_micros()) + change;
        if i64::try_from(after).is_err() {
            return Err(Unpayable::Overflow);
        }
        if *account == Account::World {
            let too_much = change < 0 && after < -i128::from(MONEY_LIMIT);
            return if too_much { Err(Unpayable::Overflow) } else { Ok(()) };
        }
        let available = self.available(account);
        if change < 0 && -change > i128::from(available.as_micros()) {
            let needed = Money::from_micros(i64::try_from(-change).map_err(|_| Unpayable::Overflow)?);
            return Err(Unpayable::Short { account: account.clone(), available, needed });
        }
        Ok(())
    }

    /// Posts a transaction that was checked.
    ///
    /// # Panics
    /// When it cannot be posted ([`Books::check`]): nobody would know any more whose money is whose.
    pub fn post(&mut self, transaction: &Transaction) {
        if let Err(why) = self.check(transaction) {
            panic!("a transaction that cannot be posted: {why}: {transaction:?}");
        }
        for posting in &transaction.postings {
            if !self.accounts.contains_key(&posting.account) {
                let balance = Balance { amount: Money::ZERO, lowest: Money::ZERO };
                self.accounts.insert(Arc::new(posting.account.clone()), balance);
            }
            let balance = self.accounts.get_mut(&posting.account).expect("the account was opened");
            let sum = balance.amount.checked_add(posting.amount);
            balance.amount = sum.expect("no line of a transaction leaves the range of money");
        }
    }
}
