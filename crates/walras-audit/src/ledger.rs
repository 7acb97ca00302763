//! Money: balances, limits and what is held, counted again from the postings.
//!
//! Time O(postings · log accounts) for a transaction.

use crate::finding::FindingKind;
use crate::look::Look;
use std::collections::BTreeMap;
use walras_broker::account::{Account, Posting, Purpose, Transaction};

/// What a transaction belongs to, which decides what may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// Money comes in or goes out.
    Deposit,
    /// A reservation is asked for.
    Lien,
    /// A reservation is settled.
    Settlement,
    /// A quote is broken.
    Broken,
}

/// All balances in micro-credits, and how low each may go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    balances: BTreeMap<Account, i128>,
    lowest: BTreeMap<Account, i128>,
    /// The liens of reservations that are not settled.
    pub(crate) liens: i128,
    /// By how much what is held differed from the liens when it was last looked at.
    differed: i128,
}

impl Ledger {
    /// There is such an account from now on, or its limit is another.
    pub(crate) fn open(&mut self, look: &mut Look<'_>, account: Account, lowest: i128) {
        let balance = *self.balances.entry(account.clone()).or_default();
        self.lowest.insert(account.clone(), lowest);
        if balance < lowest {
            look.report(FindingKind::BelowLimit { account, balance, lowest });
        }
    }

    pub(crate) fn balance(&self, account: &Account) -> i128 {
        self.balances.get(account).copied().unwrap_or(0)
    }

    /// The sum over all accounts.
    pub(crate) fn total(&self) -> i128 {
        self.balances.values().sum()
    }

    /// Takes a transaction in, and says what is wrong with it.
    pub(crate) fn post(&mut self, look: &mut Look<'_>, transaction: &Transaction, occasion: Occasion) {
        let mut changes: BTreeMap<&Account, i128> = BTreeMap::new();
        for posting in &transaction.postings {
            if !is_allowed(posting, occasion) {
                let Posting { account, purpose, amount } = posting.clone();
                look.report(FindingKind::BadPosting { account, purpose, amount });
            }
            *changes.entry(&posting.account).or_default() += i128::from(posting.amount.as_micros());
        }
        let sum: i128 = changes.values().sum();
        if sum != 0 {
            look.report(FindingKind::Unbalanced { sum });
        }
        for (account, change) in changes {
            self.change(look, account, change);
        }
    }

    fn change(&mut self, look: &mut Look<'_>, account: &Account, change: i128) {
        let common = matches!(account, Account::World | Account::Held | Account::Fee);
        if !common && !self.balances.contains_key(account) {
            look.report(FindingKind::NoAccount(account.clone()));
        }
        let balance = self.balances.entry(account.clone()).or_default();
        *balance += change;
        let lowest = self.lowest.get(account).copied().unwrap_or(0);
        if *account != Account::World && change < 0 && *balance < lowest {
            look.report(FindingKind::BelowLimit { account: account.clone(), balance: *balance, lowest });
        }
    }

    /// What is held must be the sum of the open liens; a difference is told once.
    pub(crate) fn compare_held(&mut self, look: &mut Look<'_>) {
        let held = self.balance(&Account::Held);
        let differs = held - self.liens;
        if differs != self.differed && differs != 0 {
            look.report(FindingKind::HeldDiffers { held, liens: self.liens });
        }
        self.differed = differs;
    }
}

/// Whether a posting may be made on this occasion.
fn is_allowed(posting: &Posting, occasion: Occasion) -> bool {
    let amount = posting.amount.as_micros();
    let (gives, gets) = (amount < 0, amount > 0);
    let account = &posting.account;
    let (held, fee) = (*account == Account::Held, *account == Account::Fee);
    let (user, owner) = (matches!(account, Account::User(_)), matches!(account, Account::Owner(_)));
    match occasion {
        Occasion::Deposit => posting.purpose == Purpose::Deposit && !held && amount != 0,
        Occasion::Lien => posting.purpose == Purpose::Lien && ((user && gives) || (held && gets)),
        Occasion::Settlement => match posting.purpose {
            Purpose::Charge => held && gives,
            Purpose::Refund => (held && gives) || (user && gets),
            Purpose::Income => owner && gets,
            Purpose::Fee => fee && gets,
            Purpose::Compensation => (owner && gives) || (user && gets),
            Purpose::Deposit | Purpose::Lien => false,
        },
        Occasion::Broken => posting.purpose == Purpose::Compensation && ((fee && gives) || (user && gets)),
    }
}

/// The sums of a transaction by account and purpose, without those that are nothing.
pub(crate) fn sums(transaction: &Transaction) -> BTreeMap<(Account, Purpose), i128> {
    let mut sums: BTreeMap<(Account, Purpose), i128> = BTreeMap::new();
    for posting in &transaction.postings {
        let key = (posting.account.clone(), posting.purpose);
        *sums.entry(key).or_default() += i128::from(posting.amount.as_micros());
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}
