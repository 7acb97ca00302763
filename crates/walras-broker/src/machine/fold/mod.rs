//! Events into state: nothing is decided here, only written down.
//!
//! Events were checked when they were decided, so that one that does not fit the state can only come from a journal that
//! was damaged, or from a mistake in the broker. Either way nobody may go on from there: the fold stops with what is
//! broken, in every build.

mod array;
mod cycle;
mod files;
mod gate;
mod job;
mod notice;
mod quote;
mod reservation;
mod site;
mod vo;

use crate::model::event::Event;
use crate::model::input::{Answer, RequestKey};
use crate::model::place::no_waits;
use crate::model::policy::Deciding;
use crate::model::repeated::{Asked, Remembered};
use crate::model::sharing::Tally;
use crate::model::state::State;
use std::sync::Arc;
use walras_core::predict::{Predictor, Quantity};
use walras_model::Time;

impl State {
    /// Takes in what has happened.
    ///
    /// # Panics
    /// When the event does not fit: the journal is damaged.
    pub(crate) fn fold(&mut self, now: Time, event: &Event) {
        self.clock = self.clock.max(now);
        self.version += 1;
        match event {
            Event::Vo(event) => self.fold_vo(event),
            Event::Site(event) => self.fold_site(event),
            Event::Job(event) => self.fold_job(event),
            Event::Quote(event) => self.fold_quote(event),
            Event::Cycle(event) => self.fold_cycle(event),
            Event::Reservation(event) => self.fold_reservation(event),
        }
    }

    /// A copy to try events on, in constant time. It has no history, so that nothing is predicted and learnt twice: no decision
    /// follows from what the same input has taught.
    pub(crate) fn for_draft(&self) -> State {
        State {
            clock: self.clock,
            policy: Arc::clone(&self.policy),
            users: self.users.clone(),
            sites: self.sites.clone(),
            nodes: self.nodes.clone(),
            books: self.books.clone(),
            budgets: self.budgets.clone(),
            jobs: self.jobs.clone(),
            arrays: self.arrays.clone(),
            quotes: self.quotes.clone(),
            chains: self.chains.clone(),
            reservations: self.reservations.clone(),
            wishes: Arc::clone(&self.wishes),
            cycle: self.cycle.clone(),
            next_cycle_at: self.next_cycle_at,
            requests: self.requests.clone(),
            notices: self.notices.clone(),
            last: self.last,
            history: Predictor::new(Quantity::RunTime),
            waits: no_waits(),
            totals: self.totals,
            version: self.version,
            unsettled: self.unsettled,
            helped_at: self.helped_at,
            freed_at: self.freed_at,
            back_at: self.back_at,
            assigned_at: self.assigned_at,
            past: self.past.clone(),
            measured: self.measured,
            dependents: self.dependents.clone(),
            known: self.known.clone(),
            namesakes: self.namesakes.clone(),
        }
    }

    /// A copy to look at, in constant time.
    pub fn shown(&self) -> State {
        self.clone()
    }

    /// Something has changed that another plan could make use of.
    fn unsettle(&mut self) {
        self.unsettled = matches!(self.policy.deciding, Deciding::Promise(_));
    }

    /// Something has come that a job that fits nowhere could make use of.
    fn help(&mut self) {
        self.helped_at = self.clock;
    }

    fn remember(&mut self, key: &RequestKey, answer: Answer, asked: Option<Asked>) {
        if !self.requests.contains_key(key) {
            self.tally_up(&key.by, Tally::KEY);
        }
        let at = self.clock;
        self.requests.insert(Arc::new(key.clone()), Remembered { answer, at, asked });
    }
}
