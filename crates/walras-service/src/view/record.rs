//! What an entry adds to the register: jobs that ended, lines of statements, which jobs it is about.

use super::ended::{ended_array, ended_record, state_of_end};
use super::event::event_view;
use super::money::{account_text, purpose_kind};
use super::sold::offered;
use crate::journal::record::Record;
use crate::journal::{EndedJob, Group, LineRecord, SaleRecord};
use std::collections::BTreeMap;
use walras_api::service::EventView;
use walras_broker::account::{Account, Posting};
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent, VoEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::reservation::Reservation;
use walras_broker::sales::sales;
use walras_broker::{Event, State};
use walras_model::Time;

/// Writes down what the events of one entry come to, before the state takes each of them in.
pub struct Scribe<'a> {
    group: &'a mut Group,
    at: Time,
    /// The place of the entry in its group.
    place: usize,
    /// Reservations that this entry has closed, as they were.
    closed: BTreeMap<ReservationNumber, Reservation>,
}

impl<'a> Scribe<'a> {
    /// For the next entry of a group.
    pub fn new(group: &'a mut Group, at: Time) -> Scribe<'a> {
        let place = group.entries.len();
        Scribe { group, at, place, closed: BTreeMap::new() }
    }

    /// Sees an event that the state has not taken in yet; gives what listeners are told of it.
    pub fn before(&mut self, state: &State, position: u64, event: &Event) -> Option<EventView> {
        match event {
            Event::Job(event) => self.of_job(state, event),
            Event::Reservation(event) => self.of_reservation(state, event),
            Event::Cycle(
                CycleEvent::OffersReceived { site, .. } | CycleEvent::OffersChanged { site, .. },
            ) => {
                self.group.offered.extend(offered(state, *site, self.at));
            }
            Event::Cycle(
                CycleEvent::Opened { .. }
                | CycleEvent::Closed { .. }
                | CycleEvent::Decided { .. }
                | CycleEvent::Bounded { .. }
                | CycleEvent::Ended(_),
            )
            | Event::Vo(_)
            | Event::Site(_)
            | Event::Quote(_) => {}
        }
        event_view(state, position, self.at, event)
    }

    fn of_job(&mut self, state: &State, event: &JobEvent) {
        match event {
            JobEvent::Queued { job, .. }
            | JobEvent::Offered { job, .. }
            | JobEvent::Withdrawn(job)
            | JobEvent::Returned { job, .. }
            | JobEvent::Freed(job)
            | JobEvent::Released(job)
            | JobEvent::Planned { job, .. } => {
                self.is_about(*job);
            }
            JobEvent::Ended { job, end } => {
                self.is_about(*job);
                let last = self.closed.iter().rfind(|(_, it)| it.job == *job);
                let last = last.map(|(number, it)| (*number, it));
                let of_job = state.jobs.get(job).map(|of| ended_record(state, of, end, self.at, last));
                let of_array = || state.arrays.get(job).map(|of| ended_array(of, end, self.at));
                if let Some(record) = of_job.or_else(of_array) {
                    let (number, user) = (job.get(), record.user.clone());
                    let array = record.element.map(|of| of.array.get());
                    let (name, queued, at) = (record.name.clone(), record.queued_at, self.at);
                    // What the journal could take, the register can: the same types are written.
                    if let Ok(body) = Record::V1(record).encode() {
                        let state = state_of_end(end).text();
                        let ended = EndedJob { number, user, state, name, queued, at, body, array };
                        self.group.ended.push(ended);
                    }
                }
            }
            JobEvent::Cut { array, .. } => self.is_about(*array),
            JobEvent::Drawn { .. } | JobEvent::Noticed(_) => {}
        }
    }

    fn of_reservation(&mut self, state: &State, event: &ReservationEvent) {
        match event {
            ReservationEvent::Asked { job, .. } => self.is_about(*job),
            ReservationEvent::Held(reservation)
            | ReservationEvent::PartStarted { reservation, .. }
            | ReservationEvent::PartEnded { reservation, .. }
            | ReservationEvent::Files { reservation, .. }
            | ReservationEvent::Rescheduled { reservation, .. } => {
                self.is_about_reservation(state, *reservation);
            }
            ReservationEvent::Closed { reservation, why, .. } => {
                self.is_about_reservation(state, *reservation);
                if let Some(closing) = state.reservations.get(reservation) {
                    let (user, job) = (&closing.user, state.which(closing.job).job.get());
                    let sales = sales(state, closing, self.at, why.as_ref()).into_iter();
                    let record = |sale| SaleRecord { at: self.at, user: user.clone(), job, sale };
                    self.group.sales.extend(sales.map(record));
                    self.closed.insert(*reservation, closing.clone());
                }
            }
            ReservationEvent::LegPrepared { .. }
            | ReservationEvent::Confirming { .. }
            | ReservationEvent::LegConfirmed { .. }
            | ReservationEvent::LegReady { .. }
            | ReservationEvent::PartsDue { .. }
            | ReservationEvent::LegReleased { .. } => {}
        }
    }

    /// Sees the event again once the state has taken it in: balances are known now.
    pub fn after(&mut self, state: &State, event: &Event) {
        let (postings, job) = match event {
            Event::Vo(VoEvent::Deposited { transaction, .. })
            | Event::Quote(QuoteEvent::Broken { transaction, .. }) => (transaction.postings.clone(), None),
            Event::Reservation(ReservationEvent::Asked { job, transaction, .. }) => {
                (transaction.postings.clone(), Some(*job))
            }
            Event::Reservation(ReservationEvent::Closed { reservation, transaction, .. }) => {
                match self.closed.get(reservation) {
                    Some(of) => (transaction.settled_for(&Account::User(of.user.clone())), Some(of.job)),
                    None => (transaction.postings.clone(), None),
                }
            }
            Event::Vo(
                VoEvent::PolicySet(_)
                | VoEvent::UserSet(_)
                | VoEvent::BudgetSet { .. }
                | VoEvent::WishSet { .. }
                | VoEvent::ServiceBack,
            )
            | Event::Quote(
                QuoteEvent::Given { .. }
                | QuoteEvent::ChainGiven { .. }
                | QuoteEvent::Accepted { .. }
                | QuoteEvent::ChainAccepted { .. }
                | QuoteEvent::Expired(_),
            )
            | Event::Reservation(
                ReservationEvent::LegPrepared { .. }
                | ReservationEvent::Confirming { .. }
                | ReservationEvent::LegConfirmed { .. }
                | ReservationEvent::LegReady { .. }
                | ReservationEvent::Held(_)
                | ReservationEvent::PartsDue { .. }
                | ReservationEvent::PartStarted { .. }
                | ReservationEvent::PartEnded { .. }
                | ReservationEvent::Rescheduled { .. }
                | ReservationEvent::Files { .. }
                | ReservationEvent::LegReleased { .. },
            )
            | Event::Site(_)
            | Event::Job(_)
            | Event::Cycle(_) => return,
        };
        // What elements cost is their array's.
        let job = job.map(|job| state.which(job).job);
        self.post(state, &postings, job);
    }

    fn post(&mut self, state: &State, postings: &[Posting], job: Option<JobNumber>) {
        // The state holds the balances after the whole transaction; the lines before its last go back from there.
        let mut later: BTreeMap<&Account, i64> = BTreeMap::new();
        let mut lines = Vec::with_capacity(postings.len());
        for posting in postings.iter().rev() {
            let balance = state.books.balance(&posting.account).as_micros();
            let after = later.entry(&posting.account).or_insert(0);
            lines.push(LineRecord {
                account: account_text(&posting.account),
                at: self.at,
                purpose: purpose_kind(posting.purpose).text(),
                amount: posting.amount.as_micros(),
                balance: balance.saturating_sub(*after),
                job: job.map(JobNumber::get),
            });
            *after = after.saturating_add(posting.amount.as_micros());
        }
        lines.reverse();
        self.group.lines.extend(lines);
    }

    fn is_about(&mut self, job: JobNumber) {
        let row = (job.get(), self.place);
        if self.group.about.last() != Some(&row) {
            self.group.about.push(row);
        }
    }

    fn is_about_reservation(&mut self, state: &State, reservation: ReservationNumber) {
        if let Some(job) = state.reservations.get(&reservation).map(|it| it.job) {
            self.is_about(job);
        }
    }
}
