//! Accounts, budgets and what has moved.

use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountView {
    /// Whose: `user:NAME`, `owner:NAME`, `fee`, `held` or `world`, which is all that is outside the VO.
    pub account: String,
    /// What is on it, in credits, with what is held.
    pub balance: Num,
    /// What of it is held for reservations, in credits.
    pub held: Num,
    /// How far below zero it may go, in credits.
    pub credit: Num,
    /// What is left of balance and credit, in credits: balance + credit - held. Budgets may allow less.
    pub available: Num,
    /// Limits on spending that count for it.
    pub budgets: Vec<BudgetView>,
}

/// A limit on spending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetView {
    /// Whose: `user:NAME`, `group:NAME`, `vo`.
    pub spender: String,
    /// How long a period lasts, in seconds.
    pub period: Num,
    /// What may be spent in it, in credits.
    pub amount: Num,
    /// What is left of it now, in credits.
    pub left: Num,
}

/// Accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountsView {
    /// All of them.
    pub accounts: Vec<AccountView>,
}

/// What has moved on an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementView {
    /// The account: `user:NAME`, `owner:NAME`, `fee`, `held` or `world`.
    pub account: String,
    /// Newest first.
    pub lines: Vec<StatementLine>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// What a movement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PurposeKind {
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
    /// What a broken promise costs.
    Compensation,
}

impl PurposeKind {
    /// Every purpose.
    pub const ALL: [PurposeKind; 7] = [
        PurposeKind::Deposit,
        PurposeKind::Lien,
        PurposeKind::Charge,
        PurposeKind::Refund,
        PurposeKind::Income,
        PurposeKind::Fee,
        PurposeKind::Compensation,
    ];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            PurposeKind::Deposit => "deposit",
            PurposeKind::Lien => "lien",
            PurposeKind::Charge => "charge",
            PurposeKind::Refund => "refund",
            PurposeKind::Income => "income",
            PurposeKind::Fee => "fee",
            PurposeKind::Compensation => "compensation",
        }
    }
}

/// One movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementLine {
    /// Its number, in the order of the journal.
    pub line: u64,
    /// When it was booked.
    pub at: Stamp,
    /// Why the money moved.
    pub purpose: PurposeKind,
    /// How much, in credits; negative when it left the account.
    pub amount: Num,
    /// What was on the account after it, without what was held.
    pub balance: Num,
    /// The job that it was for.
    pub job: Option<u64>,
}

/// What jobs moved on an account, the newest first: an array is one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BillsView {
    /// The account: `user:NAME`, `owner:NAME`, `fee`, `held` or `world`.
    pub account: String,
    /// A line for each job.
    pub bills: Vec<BillView>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// What one job moved on an account, all together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BillView {
    /// The job's number; an array's for all of its elements.
    pub job: u64,
    /// Its name, where it is known.
    pub name: Option<String>,
    /// When the first of it moved.
    pub from: Stamp,
    /// When the last of it moved.
    pub until: Stamp,
    /// How many lines of the statement it is.
    pub lines: u64,
    /// All of them together, in credits; negative when it left the account. What is held of it counts.
    pub amount: Num,
}
