//! Statements: what happened on an account in a period, from the journal.
//!
//! The broker's state holds balances only; what they are made of is in the events. A statement reads them once, in
//! time O(events) and memory O(open reservations + lines).

use crate::model::account::{Account, Purpose, Transaction};
use crate::model::event::{Event, QuoteEvent, ReservationEvent, VoEvent};
use crate::model::id::{JobNumber, ReservationNumber};
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
        let booked = match event {
            Event::Vo(event) => of_vo(event).map(|transaction| (transaction, None)),
            Event::Quote(event) => of_quote(event).map(|transaction| (transaction, None)),
            Event::Reservation(event) => of_reservation(&mut jobs, event),
            Event::Site(_) | Event::Job(_) | Event::Cycle(_) => None,
        };
        let Some((transaction, job)) = booked else { continue };
        statement.add(at, transaction, job, period);
    }
    statement
}

fn of_vo(event: &VoEvent) -> Option<&Transaction> {
    match event {
        VoEvent::Deposited { transaction, .. } => Some(transaction),
        VoEvent::PolicySet(_) | VoEvent::UserSet(_) | VoEvent::BudgetSet { .. } | VoEvent::WishSet { .. } => {
            None
        }
    }
}

fn of_quote(event: &QuoteEvent) -> Option<&Transaction> {
    match event {
        QuoteEvent::Broken { transaction, .. } => Some(transaction),
        QuoteEvent::Given { .. } | QuoteEvent::Accepted { .. } | QuoteEvent::Expired(_) => None,
    }
}

/// What an event of a reservation books, and for which job.
fn of_reservation<'a>(
    jobs: &mut BTreeMap<ReservationNumber, JobNumber>,
    event: &'a ReservationEvent,
) -> Option<(&'a Transaction, Option<JobNumber>)> {
    match event {
        ReservationEvent::Asked { reservation, job, transaction, .. } => {
            jobs.insert(*reservation, *job);
            Some((transaction, Some(*job)))
        }
        ReservationEvent::Closed { reservation, transaction, .. } => {
            Some((transaction, jobs.remove(reservation)))
        }
        ReservationEvent::LegPrepared { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::LegConfirmed { .. }
        | ReservationEvent::Held(_)
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::PartStarted { .. }
        | ReservationEvent::PartEnded { .. }
        | ReservationEvent::Rescheduled { .. }
        | ReservationEvent::LegReleased { .. } => None,
    }
}

impl Statement {
    fn add(&mut self, at: Time, transaction: &Transaction, job: Option<JobNumber>, period: Interval) {
        for posting in transaction.postings.iter().filter(|posting| posting.account == self.account) {
            let sum = self.closing.checked_add(posting.amount);
            self.closing = sum.expect("no account of a sound journal leaves the range of money");
            if at < period.start() {
                self.opening = self.closing;
            } else {
                self.lines.push(Line { at, purpose: posting.purpose, job, amount: posting.amount });
            }
        }
    }
}
