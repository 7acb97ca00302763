//! Money: accounts, transactions and the books.
//!
//! **Problem.** Everybody must be able to trust the bill: no money appears, vanishes or is spent twice.
//!
//! **Method.** Double entry in whole micro-credits. Every [`Transaction`] is a list of postings that sum to zero; what
//! is held for a reservation (a lien) lies in the account [`Account::Held`] until it is settled. Money from outside
//! comes from [`Account::World`], which may owe any amount; every other account has a limit below which it never goes.
//! So the sum over all accounts is zero after every event.

use super::table::Table;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
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
    /// Why it moves; statements show it.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{self:?}")]
#[serde(rename_all = "kebab-case")]
pub enum Unpayable {
    /// It does not sum to zero.
    Unbalanced,
    /// An account would go below its limit.
    Short {
        /// The account that has too little.
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
        let negative = amount.as_micros().checked_neg().map(Money::from_micros);
        let negative = negative.expect("an amount that is moved has a negative");
        self.postings.push(Posting { account: from, amount: negative, purpose: purpose_from });
        self.postings.push(Posting { account: to, amount, purpose: purpose_to });
    }

    /// The sum of the lines of one account and purpose, in micro-credits.
    pub fn sum(&self, account: &Account, purpose: Purpose) -> i128 {
        let lines = self.postings.iter().filter(|line| line.account == *account && line.purpose == purpose);
        lines.map(|line| i128::from(line.amount.as_micros())).sum()
    }

    /// What is taken from one account for a purpose.
    ///
    /// # Panics
    /// When the lines sum to more than can be counted, which no transaction that was checked does.
    pub fn taken(&self, account: &Account, purpose: Purpose) -> Money {
        let sum = i64::try_from(-self.sum(account, purpose));
        Money::from_micros(sum.expect("what a transaction takes can be counted"))
    }
}

impl Transaction {
    /// The lines of a settlement as a statement lists them: all that was held comes back to whoever has paid, and the charge is taken
    /// from it. No account's sum is another by that.
    ///
    /// # Panics
    /// When the lines sum to more than can be counted, which no transaction that was checked does.
    pub fn settled_for(&self, payer: &Account) -> Vec<Posting> {
        let mut lines = self.postings.clone();
        let charge = self.taken(&Account::Held, Purpose::Charge);
        if charge == Money::ZERO {
            return lines;
        }
        let line = |amount, purpose| Posting { account: payer.clone(), amount, purpose };
        let is_refund = |line: &Posting| line.account == *payer && line.purpose == Purpose::Refund;
        let place = lines.iter().position(is_refund).unwrap_or_else(|| {
            lines.push(line(Money::ZERO, Purpose::Refund));
            lines.len() - 1
        });
        let back = lines[place].amount.checked_add(charge);
        lines[place].amount = back.expect("what was held can be counted");
        lines.insert(place + 1, line(Money::from_micros(-charge.as_micros()), Purpose::Charge));
        lines
    }
}

/// What is in an account, and how low it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Balance {
    pub(crate) amount: Money,
    pub(crate) lowest: Money,
}

/// All balances, and how low each may go. A limit of accounts and money from outside together keeps every balance, and
/// every sum of balances, within the range of money: see [`Books::check`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    pub(crate) accounts: Table<Arc<Account>, Balance>,
    /// What all accounts together may owe; zero or negative.
    pub(crate) credit: Money,
}

impl Default for Books {
    fn default() -> Self {
        Books { accounts: Table::default(), credit: Money::ZERO }
    }
}

impl Books {
    /// What is in an account.
    pub fn balance(&self, account: &Account) -> Money {
        self.accounts.get(account).map_or(Money::ZERO, |balance| balance.amount)
    }

    /// Whether there is such an account.
    pub fn has(&self, account: &Account) -> bool {
        matches!(account, Account::World | Account::Held | Account::Fee)
            || self.accounts.contains_key(account)
    }

    /// What an account can pay before it reaches its limit; nothing limits the world.
    ///
    /// # Panics
    /// When that is more than can be counted, which the limit of all credit rules out.
    pub fn available(&self, account: &Account) -> Money {
        if *account == Account::World {
            return Money::MAX;
        }
        let Some(balance) = self.accounts.get(account) else { return Money::ZERO };
        balance.amount.checked_sub(balance.lowest).expect("what an account can pay can be counted")
    }

    /// Every account with its balance, in order.
    pub fn balances(&self) -> impl Iterator<Item = (&Account, Money)> {
        self.accounts.iter().map(|(account, balance)| (&**account, balance.amount))
    }

    /// The sum over all accounts: zero, always.
    pub fn total(&self) -> i128 {
        self.balances().map(|(_, balance)| i128::from(balance.as_micros())).sum()
    }
}
