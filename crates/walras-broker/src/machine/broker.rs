//! The broker itself: deciding, stepping, and what is outstanding.

use super::again::BegunCycle;
use super::change::Change;
use super::decide::decide;
use crate::model::effect::Effect;
use crate::model::event::Event;
use crate::model::id::CycleNumber;
use crate::model::input::{Answer, Input, Refusal};
use crate::model::state::State;
use crate::plan::PlanningProblem;
use crate::rules::batch::{problem, problem_at};
use std::sync::OnceLock;
use walras_model::Time;

/// The broker.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    state: State,
    /// When something is due next, once somebody has asked; the next event makes that unknown again.
    timer: OnceLock<Option<Time>>,
}

/// What became of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handled {
    /// What it came to, in order; the state has taken all of it in.
    pub events: Vec<Event>,
    /// What has to be done.
    pub effects: Vec<Effect>,
    /// What whoever sent the input is told.
    pub answer: Answer,
}

impl Broker {
    /// A broker that knows what another knew: its state as it was written down, instead of the events before it.
    pub fn from_state(mut state: State) -> Broker {
        state.tally_again();
        state.note_again();
        state.know_again();
        Broker { state, timer: OnceLock::new() }
    }

    /// What it knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The moment that counts: time never goes back.
    pub fn moment(&self, now: Time) -> Time {
        now.max(self.state.clock)
    }

    /// What an input comes to. Nothing changes: the events must be written down, and then each [`Broker::step`]ped.
    pub fn decide(&self, now: Time, input: &Input) -> Result<Change, Refusal> {
        decide(&self.state, self.moment(now), input)
    }

    /// Takes in an event; gives what has to be done.
    pub fn step(&mut self, now: Time, event: &Event) -> Vec<Effect> {
        let notices = self.state.last.notice;
        self.timer = OnceLock::new();
        self.state.fold(now, event);
        self.state.effects_of(event, notices)
    }

    /// Decides and steps at once, for whoever keeps no journal.
    pub fn handle(&mut self, now: Time, input: &Input) -> Result<Handled, Refusal> {
        let now = self.moment(now);
        let Change { events, answer } = self.decide(now, input)?;
        let effects = events.iter().flat_map(|event| self.step(now, event)).collect();
        Ok(Handled { events, effects, answer })
    }

    /// All that was asked for and has not been acknowledged.
    pub fn outstanding(&self) -> Vec<Effect> {
        self.state.outstanding()
    }

    /// What is to be planned in the open cycle.
    pub fn problem(&self, cycle: CycleNumber) -> Option<PlanningProblem> {
        problem(&self.state).filter(|problem| problem.cycle == cycle)
    }

    /// The open cycle as it is when it is planned late, without what takes so long.
    pub fn begun_late(&self, cycle: CycleNumber, now: Time) -> Option<BegunCycle> {
        let problem = problem_at(&self.state, Some(self.moment(now))).filter(|it| it.cycle == cycle)?;
        Some(BegunCycle::new(&self.state, problem))
    }

    /// The open cycle as it is when its planning begins, to be planned and kept.
    pub fn begun(&self, cycle: CycleNumber) -> Option<BegunCycle> {
        self.problem(cycle).map(|problem| BegunCycle::new(&self.state, problem))
    }

    /// The next moment at which something is due, and a [`Input::Tick`] is wanted.
    pub fn next_timer(&self) -> Option<Time> {
        *self.timer.get_or_init(|| self.state.next_timer())
    }
}
