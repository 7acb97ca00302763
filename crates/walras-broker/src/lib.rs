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
//! The crate has four layers, each of which knows only those below it: machine (inputs to events, events to state, state
//! to effects), rules (what may be sold, at which price, who is first, how it is settled), plan (a batch into a plan, as a
//! pure function) and data, whose modules are named here by what they are about.
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

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event, input or state must not compile until everybody has said what it means to them"
)]

mod machine;
mod model;
pub mod plan;
mod rules;

pub use machine::{Broker, Change, Handled, again, journal, statement};
pub use model::effect::Effect;
pub use model::event::Event;
pub use model::input::{Answer, Input, Refusal};
pub use model::state::State;
pub use model::{
    account, allocation, array, budget, chain, cycle, decision, effect, event, gate, id, indices, input, job,
    limits, mismatch, moving, notice, notify, particulars, policy, price, program, quote, rank, ranks,
    refusal, repeated, reservation, sharing, site, state, strategy_rule, table, told, used, wish,
};
pub use rules::files;
pub use rules::fitting;
pub use rules::foreseen;
pub use rules::lesser;
pub use rules::market::Market;
pub use rules::quoting;
pub use rules::rank::ranked;
pub use rules::sales;
pub use rules::worth::WorthInquiry;
