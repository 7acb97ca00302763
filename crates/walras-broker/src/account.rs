//! Money: accounts, transactions and the books.
//!
//! **Problem.** Everybody must be able to trust the bill: no money appears, vanishes or is spent twice.
//!
//! **Method.** Double entry in whole micro-credits. Every [`Transaction`] is a list of postings that sum to zero; what
//! is held for a reservation (a lien) lies in the account [`Account::Held`] until it is settled. Money from outside
//! comes from [`Account::World`], which may owe any amount; every other account has a limit below which it never goes.
//! So the sum over all accounts is zero after every event.
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

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use walras_model::Money;

/// Whose money it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// Everything outside the VO: deposits come from there, withdrawals go there.
    World,
    /// Money held for reservations.
    Held,
    /// The VO's fees.
    Fee,
    /// A user's.
    User(String),
    /// An owner's.
    Owner(String),
}

/// What a posting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Money that comes in or goes out.
    Deposit,
    /// Money held for a reservation.
    Lien,
    /// Money taken for what was used.
    Charge,
    /// Held money given back.
    Refund,
    /// What an owner earns.
    Income,
    /// What the VO keeps.
    Fee,
    /// What a broken promise costs its owner.
    Compensation,
}

/// One line of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// Whose balance changes.
    pub account: Account,
    /// By how much.
    pub amount: Money,
    /// What for.
    pub purpose: Purpose,
}

/// Postings that sum to zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transaction {
    /// The lines, none of them zero.
    pub postings: Vec<Posting>,
}

/// Why a transaction cannot be posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpayable {
    /// It does not sum to zero.
    Unbalanced,
    /// An account would go below its limit.
    Short {
        /// Which account.
        account: Account,
        /// What it could pay.
        available: Money,
        /// What it would have to.
        needed: Money,
    },
    /// There is no such account.
    NoAccount(Account),
    /// A balance would leave the range of money.
    Overflow,
}

impl Account {
    /// As programs write it: `user:ada`, `owner:campus`, `fee`, `held`, `world`.
    pub fn code(&self) -> String {
        match self {
            Account::World => "world".to_owned(),
            Account::Held => "held".to_owned(),
            Account::Fee => "fee".to_owned(),
            Account::User(name) => format!("user:{name}"),
            Account::Owner(name) => format!("owner:{name}"),
        }
    }
}

impl fmt::Display for Unpayable {
    /// The data as it is; sentences for people are in `walras-api`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Unpayable {}

impl Transaction {
    /// Moves an amount from one account to another; empty for nothing.
    pub fn transfer(purpose: Purpose, from: Account, to: Account, amount: Money) -> Transaction {
        let mut transaction = Transaction::default();
        transaction.move_money(purpose, from, purpose, to, amount);
        transaction
    }

    /// Adds a pair of lines; nothing for nothing.
    pub fn move_money(
        &mut self,
        purpose_from: Purpose,
        from: Account,
        purpose_to: Purpose,
        to: Account,
        amount: Money,
    ) {
        if amount == Money::ZERO {
            return;
        }
        let negative = Money::from_micros(amount.as_micros().saturating_neg());
        self.postings.push(Posting { account: from, amount: negative, purpose: purpose_from });
        self.postings.push(Posting { account: to, amount, purpose: purpose_to });
    }

    /// The sum of the lines of one account and purpose, in micro-credits.
    pub fn sum(&self, account: &Account, purpose: Purpose) -> i128 {
        let lines = self.postings.iter().filter(|line| line.account == *account && line.purpose == purpose);
        lines.map(|line| i128::from(line.amount.as_micros())).sum()
    }

    /// What is taken from one account for a purpose.
    pub fn taken(&self, account: &Account, purpose: Purpose) -> Money {
        Money::from_micros(i64::try_from(-self.sum(account, purpose)).unwrap_or(0))
    }
}

/// All balances, and how low each may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    balances: BTreeMap<Account, Money>,
    lowest: BTreeMap<Account, Money>,
}

impl Books {
    /// Opens an account, or changes how low it may go (zero or negative).
    pub fn open(&mut self, account: Account, lowest: Money) {
        self.balances.entry(account.clone()).or_insert(Money::ZERO);
        self.lowest.insert(account, lowest);
    }

    /// What is in an account.
    pub fn balance(&self, account: &Account) -> Money {
        self.balances.get(account).copied().unwrap_or(Money::ZERO)
    }

    /// Whether there is such an account.
    pub fn has(&self, account: &Account) -> bool {
        matches!(account, Account::World | Account::Held | Account::Fee)
            || self.balances.contains_key(account)
    }

    /// What an account can pay before it reaches its limit; nothing limits the world.
    pub fn available(&self, account: &Account) -> Money {
        if *account == Account::World {
            return Money::MAX;
        }
        let lowest = self.lowest.get(account).copied().unwrap_or(Money::ZERO);
        self.balance(account).checked_sub(lowest).unwrap_or(Money::MAX)
    }

    /// Every account with its balance, in order.
    pub fn balances(&self) -> impl Iterator<Item = (&Account, Money)> {
        self.balances.iter().map(|(account, balance)| (account, *balance))
    }

    /// The sum over all accounts: zero, always.
    pub fn total(&self) -> i128 {
        self.balances.values().map(|balance| i128::from(balance.as_micros())).sum()
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
        let available = self.available(account);
        if change < 0 && *account != Account::World && -change > i128::from(available.as_micros()) {
            let needed = Money::from_micros(i64::try_from(-change).map_err(|_| Unpayable::Overflow)?);
            return Err(Unpayable::Short { account: account.clone(), available, needed });
        }
        Ok(())
    }

    /// Posts a transaction that was checked.
    pub fn post(&mut self, transaction: &Transaction) {
        for posting in &transaction.postings {
            let balance = self.balances.entry(posting.account.clone()).or_insert(Money::ZERO);
            *balance = balance.checked_add(posting.amount).unwrap_or(*balance);
        }
    }
}
