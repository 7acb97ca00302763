//! The events of one input, and what they come to.
//!
//! **Problem.** One input may bring several decisions, and each must see what those before it took: money, budgets, time
//! on nodes, numbers.
//!
//! **Method.** Whoever looks at the state sees every event before it folded onto a copy, by the fold itself. The copy is
//! cheap (see [`crate::model::table`]), and is thrown away with the draft. It is made, and events are folded, only when
//! somebody looks: an input that brings one decision, as a submission does, pays for neither.
//!
//! What is held on nodes is worked out of the state once, and then kept up with what is decided, since a plan of a
//! thousand jobs would otherwise go through all holds a thousand times. That it comes to what the fold comes to is
//! asserted at the end of every draft in debug builds, those of tests and of simulated worlds.

use crate::machine::change::Change;
use crate::model::allocation::Allocation;
use crate::model::event::{Event, JobEvent, ReservationEvent};
use crate::model::id::ReservationNumber;
use crate::model::input::Answer;
use crate::model::job::{Job, Phase};
use crate::model::reservation::{Reservation, ReservationPhase};
use crate::model::state::State;
use crate::rules::check::Occupancy;
use walras_model::Time;

/// The events of one input so far.
pub(crate) struct Draft<'a> {
    /// What was known before this input.
    pub(crate) before: &'a State,
    pub(crate) now: Time,
    /// What is known with the first events, and how many that are.
    state: Option<(State, usize)>,
    events: Vec<Event>,
    occupancy: Option<Occupancy>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(before: &'a State, now: Time) -> Draft<'a> {
        Draft { before, now, state: None, events: Vec::new(), occupancy: None }
    }

    /// What is known with everything that this input has come to so far.
    pub(crate) fn state(&mut self) -> &State {
        if self.events.is_empty() {
            return self.before;
        }
        let (state, folded) = self.state.get_or_insert_with(|| (self.before.for_draft(), 0));
        for event in &self.events[*folded..] {
            state.fold(self.now, event);
        }
        *folded = self.events.len();
        state
    }

    /// How many there are so far.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// One more fact.
    pub(crate) fn push(&mut self, event: impl Into<Event>) {
        let event = event.into();
        if let Event::Job(JobEvent::Ended { job, .. }) = &event
            && self.occupancy.is_some()
        {
            // Who was planned ahead ends with what it waited for.
            let planned = self.state().jobs.get(job).filter(|job| job.phase == Phase::Planned).cloned();
            planned.iter().for_each(|job| self.release(job));
        }
        if let Event::Reservation(ReservationEvent::Asked { allocation, .. }) = &event
            && let Some(occupancy) = &mut self.occupancy
        {
            occupancy.keep(self.before, allocation);
        }
        self.events.push(event);
    }

    pub(crate) fn finish(mut self, answer: Answer) -> Change {
        debug_assert!(self.is_kept_up(), "what is held differs from what the fold comes to");
        Change { events: self.events, answer }
    }

    /// Whether what is known as held is what the state says that is.
    fn is_kept_up(&mut self) -> bool {
        self.occupancy.take().is_none_or(|occupancy| occupancy.holds_what(self.state()))
    }

    /// A reservation that has not been closed.
    pub(crate) fn open_reservation(&mut self, number: ReservationNumber) -> Option<(&State, &Reservation)> {
        let state = self.state();
        let reservation = state.reservations.get(&number)?;
        Some((state, reservation)).filter(|(_, it)| it.phase != ReservationPhase::Closing)
    }

    /// Free time on nodes, and what is held of it; worked out when it is first asked for, and kept up from then on.
    pub(crate) fn occupancy(&mut self) -> (&State, &Occupancy) {
        self.state();
        let state = self.state.as_ref().map_or(self.before, |(state, _)| state);
        (state, self.occupancy.get_or_insert_with(|| Occupancy::of(state, self.now)))
    }

    /// From here on, the time for which a job is planned counts as free.
    pub(crate) fn release(&mut self, job: &Job) {
        self.occupancy();
        let state = self.state.as_ref().map_or(self.before, |(state, _)| state);
        if let Some(occupancy) = &mut self.occupancy {
            occupancy.release(state, job);
        }
    }

    /// Only so many events count, and what was counted as held or free does not.
    pub(crate) fn take_back(&mut self, events: usize) {
        self.events.truncate(events);
        self.state = self.state.take().filter(|(_, folded)| *folded <= events);
        self.forget();
    }

    /// What was counted as held or free on the way, and came to nothing, counts no more.
    pub(crate) fn forget(&mut self) {
        self.occupancy = None;
    }

    /// From here on, the time of an alternative counts as held.
    pub(crate) fn hold(&mut self, allocation: &Allocation) {
        if let Some(occupancy) = &mut self.occupancy {
            occupancy.hold(allocation);
        }
    }
}
