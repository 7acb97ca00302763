//! Statements: what happened on an account in a period, from the journal.
//!
//! The broker's state holds balances only; what they are made of is in the events. A statement reads them once, in
//! time O(events) and memory O(open reservations + lines).

use crate::account::{Account, Purpose, Transaction};
use crate::event::Event;
use crate::id::{JobNumber, ReservationNumber};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, Money, Time};

/// What happened on an account in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Whose.
    pub account: Account,
    /// What was in it when the period began.
    pub opening: Money,
    /// What happened.
    pub lines: Vec<Line>,
    /// What is in it when the period ends.
    pub closing: Money,
}

/// One line of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When.
    pub at: Time,
    /// What for.
    pub purpose: Purpose,
    /// For which job, where it is for one.
    pub job: Option<JobNumber>,
    /// How much came, or went when negative.
    pub amount: Money,
}

/// The statement of an account over a period, from all events up to its end.
pub fn statement<'a>(
    events: impl IntoIterator<Item = (Time, &'a Event)>,
    account: &Account,
    period: Interval,
) -> Statement {
    let zero = Money::ZERO;
    let mut statement =
        Statement { account: account.clone(), opening: zero, lines: Vec::new(), closing: zero };
    let mut jobs: BTreeMap<ReservationNumber, JobNumber> = BTreeMap::new();
    for (at, event) in events {
        if at >= period.end() {
            break;
        }
        let (transaction, job) = match event {
            Event::Deposited { transaction, .. } | Event::QuoteBroken { transaction, .. } => {
                (transaction, None)
            }
            Event::ReservationAsked { reservation, job, transaction, .. } => {
                jobs.insert(*reservation, *job);
                (transaction, Some(*job))
            }
            Event::ReservationClosed { reservation, transaction, .. } => {
                (transaction, jobs.remove(reservation))
            }
            _ => continue,
        };
        statement.add(at, transaction, job, period);
    }
    statement
}

impl Statement {
    fn add(&mut self, at: Time, transaction: &Transaction, job: Option<JobNumber>, period: Interval) {
        for posting in transaction.postings.iter().filter(|posting| posting.account == self.account) {
            self.closing = self.closing + posting.amount;
            if at < period.start() {
                self.opening = self.closing;
            } else {
                self.lines.push(Line { at, purpose: posting.purpose, job, amount: posting.amount });
            }
        }
    }
}
