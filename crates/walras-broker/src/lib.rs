//! The broker: one deterministic machine for jobs, reservations and money.
//!
//! **Problem.** Plans must be decided over time, by a program that may be stopped at any moment, with sites that refuse,
//! fall silent or answer twice, and with other people's money.
//!
//! **Method.** A state machine without I/O. An [`Input`] (a request, a site's answer, a plan, time passing) is validated
//! into [`Event`]s, facts that are written to a journal before anything acts on them ([`Broker::decide`]). Folding an
//! event changes the state and gives [`Effect`]s, things to be done as data ([`Broker::step`]). State is nothing but the
//! fold of the journal, so a broker that was killed is rebuilt from it; effects that nobody has acknowledged are given
//! again ([`Broker::outstanding`]), and do no harm when done twice. The same code runs live, in simulation and in replay.
//!
//! Reservations are made in two phases: every site of a window prepares under one number, which expires; the price is
//! held on the user's account; when all have prepared, all confirm; when any refuses or keeps silent, all let go. Nothing
//! starts before all have confirmed, and nothing starts while an earlier attempt of the same job may still run.
//!
//! ```
//! use walras_broker::account::Account;
//! use walras_broker::input::{Answer, Input, User};
//! use walras_broker::Broker;
//! use walras_model::{Money, Time};
//! let mut broker = Broker::default();
//! let now = Time::from_millis(0).unwrap();
//! let ada = User { name: "ada".into(), group: None, share: 1, lowest: Money::ZERO };
//! broker.handle(now, &Input::SetUser(ada)).unwrap();
//! let account = Account::User("ada".into());
//! let deposit = Input::Deposit { key: "1".into(), account: account.clone(), amount: Money::from_micros(5) };
//! broker.handle(now, &deposit).unwrap();
//! // Said twice, done once.
//! let done = broker.handle(now, &deposit).unwrap();
//! assert_eq!((done.answer, done.events.len()), (Answer::Deposited(Money::from_micros(5)), 0));
//! assert_eq!(broker.state().books.balance(&account), Money::from_micros(5));
//! ```

pub mod account;
pub mod budget;
mod check;
mod decide;
pub mod effect;
pub mod event;
mod fold;
pub mod id;
pub mod input;
pub mod job;
pub mod journal;
mod market;
pub mod mismatch;
mod notice;
mod outstanding;
pub mod plan;
pub mod policy;
pub mod price;
pub mod quote;
pub mod rank;
pub mod refusal;
pub mod sabotage;
mod settle;
pub mod site;
pub mod state;
pub mod statement;
mod timer;
mod violation;
pub mod way;

pub use effect::Effect;
pub use event::{Change, Event};
pub use input::{Answer, Input, Refusal};
pub use market::Market;
pub use state::State;

use id::CycleNumber;
use walras_model::Time;

/// The broker.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    state: State,
}

/// What became of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handled {
    /// What happened.
    pub events: Vec<Event>,
    /// What has to be done.
    pub effects: Vec<Effect>,
    /// What whoever sent the input is told.
    pub answer: Answer,
}

impl Broker {
    /// A broker that knows what another knew: its state as it was written down, instead of the events before it.
    pub fn from_state(state: State) -> Broker {
        Broker { state }
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
        decide::decide(&self.state, self.moment(now), input)
    }

    /// Takes in an event; gives what has to be done.
    pub fn step(&mut self, now: Time, event: &Event) -> Vec<Effect> {
        let notices = self.state.last.notice;
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
    pub fn problem(&self, cycle: CycleNumber) -> Option<plan::Problem> {
        decide::problem(&self.state).filter(|problem| problem.cycle == cycle)
    }

    /// The next moment at which something is due, and a [`Input::Tick`] is wanted.
    pub fn next_timer(&self) -> Option<Time> {
        self.state.next_timer()
    }
}
