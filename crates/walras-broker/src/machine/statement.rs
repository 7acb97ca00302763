//! Statements: what happened on an account in a period, from the journal.
//!
//! The broker's state holds balances only; what they are made of is in the events. A statement reads them once, in
//! time O(events) and memory O(open reservations + lines). A settlement is listed as people read it: what was held comes
//! back, and what was used is charged.

use crate::model::account::{Account, Posting, Purpose, Transaction};
use crate::model::event::{Event, QuoteEvent, ReservationEvent, VoEvent};
use crate::model::id::{JobNumber, ReservationNumber};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::{Interval, Money, Time};

/// What happened on an account in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The account that it is of.
    pub account: Account,
    /// What was in it when the period began.
    pub opening: Money,
    /// What was booked in the period, oldest first.
    pub lines: Vec<Line>,
    /// What is in it when the period ends.
    pub closing: Money,
}

/// One line of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When it was booked: the time of the journal's entry.
    pub at: Time,
    /// Why the money moved.
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
    let mut open = BTreeMap::new();
    for (at, event) in events {
        if at >= period.end() {
            break;
        }
        let booked = match event {
            Event::Vo(event) => of_vo(event).map(|transaction| (transaction.postings.clone(), None)),
            Event::Quote(event) => of_quote(event).map(|transaction| (transaction.postings.clone(), None)),
            Event::Reservation(event) => of_reservation(&mut open, event),
            Event::Site(_) | Event::Job(_) | Event::Cycle(_) => None,
        };
        let Some((postings, job)) = booked else { continue };
        statement.add(at, postings, job, period);
    }
    statement
}

fn of_vo(event: &VoEvent) -> Option<&Transaction> {
    match event {
        VoEvent::Deposited { transaction, .. } => Some(transaction),
        VoEvent::PolicySet(_)
        | VoEvent::UserSet(_)
        | VoEvent::BudgetSet { .. }
        | VoEvent::WishSet { .. }
        | VoEvent::ServiceBack => None,
    }
}

fn of_quote(event: &QuoteEvent) -> Option<&Transaction> {
    match event {
        QuoteEvent::Broken { transaction, .. } => Some(transaction),
        QuoteEvent::Given { .. }
        | QuoteEvent::ChainGiven { .. }
        | QuoteEvent::Accepted { .. }
        | QuoteEvent::ChainAccepted { .. }
        | QuoteEvent::Expired(_) => None,
    }
}

/// The jobs of reservations that are open, and who pays for each.
type Open = BTreeMap<ReservationNumber, (JobNumber, Option<Account>)>;

/// What an event of a reservation books, and for which job.
fn of_reservation(open: &mut Open, event: &ReservationEvent) -> Option<(Vec<Posting>, Option<JobNumber>)> {
    match event {
        ReservationEvent::Asked { reservation, job, transaction, .. } => {
            let payer = transaction.postings.first().map(|posting| posting.account.clone());
            open.insert(*reservation, (*job, payer));
            Some((transaction.postings.clone(), Some(*job)))
        }
        ReservationEvent::Closed { reservation, transaction, .. } => {
            let (job, payer) = open.remove(reservation).unzip();
            let postings = match payer.flatten() {
                Some(payer) => transaction.settled_for(&payer),
                None => transaction.postings.clone(),
            };
            Some((postings, job))
        }
        ReservationEvent::LegPrepared { .. }
        | ReservationEvent::Confirming { .. }
        | ReservationEvent::LegConfirmed { .. }
        | ReservationEvent::Held(_)
        | ReservationEvent::PartsDue { .. }
        | ReservationEvent::LegReady { .. }
        | ReservationEvent::PartStarted { .. }
        | ReservationEvent::PartEnded { .. }
        | ReservationEvent::Rescheduled { .. }
        | ReservationEvent::Files { .. }
        | ReservationEvent::LegReleased { .. } => None,
    }
}

impl Statement {
    fn add(&mut self, at: Time, postings: Vec<Posting>, job: Option<JobNumber>, period: Interval) {
        for posting in postings.into_iter().filter(|posting| posting.account == self.account) {
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
