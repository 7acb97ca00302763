//! The journal's entries, and replaying them.
//!
//! An entry is one input and what it came to. The whole of the broker follows from the entries' events; and since
//! deciding is a pure function, every entry can be decided again and must come to the same events.

use super::broker::Broker;
use super::change::Change;
use super::once::{restored, shortened};
use crate::model::decision::Decision;
use crate::model::event::Event;
use crate::model::id::CycleNumber;
use crate::model::input::Input;
use crate::model::state::State;
use crate::plan::{plan, plan_briefly};
use crate::rules::batch::problem_at;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::Time;

/// The version of the format that is kept: entries in short.
pub const VERSION: u32 = 3;
/// The first version that is read: entries with every job in input and events.
pub const VERSION_MIN: u32 = 2;

/// One input and what it came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Entry {
    /// The broker's time when it was decided.
    pub at: Time,
    /// What was said.
    pub input: Input,
    /// What it came to; never empty.
    pub events: Vec<Event>,
}

/// An entry as it is written, in short or not.
#[derive(Deserialize)]
struct Written {
    at: Time,
    input: Input,
    events: Vec<Event>,
}

/// An entry in short: a job that stands in the input is not in the events again.
#[derive(Clone, Debug, Serialize)]
pub struct Short<'a> {
    at: Time,
    input: &'a Input,
    events: Cow<'a, [Event]>,
}

impl Entry {
    /// As it is kept; it is read like any other.
    pub fn short(&self) -> Short<'_> {
        let events =
            shortened(&self.input, &self.events).map_or(Cow::Borrowed(self.events.as_slice()), Cow::Owned);
        Short { at: self.at, input: &self.input, events }
    }
}

impl TryFrom<Written> for Entry {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Entry, &'static str> {
        let Written { at, input, events } = written;
        let events = restored(&input, events)?;
        Ok(Entry { at, input, events })
    }
}

/// Where a replay differs from what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The input was refused, or came to other events.
    Events {
        /// What it comes to now; `None` when it is refused.
        now: Option<Vec<Event>>,
    },
    /// The plan of a cycle is another.
    Plan {
        /// Of which cycle.
        cycle: CycleNumber,
        /// The plan as it is made now; `None` when there is nothing to plan.
        now: Option<Box<Decision>>,
    },
}

/// What is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every entry is decided again, and every cycle planned again.
    All,
    /// Only the plan of one cycle; everything else is only folded.
    Cycle(CycleNumber),
}

impl Broker {
    /// Takes in an entry as it was written.
    pub fn restore(&mut self, entry: &Entry) {
        for event in &entry.events {
            self.step(entry.at, event);
        }
    }
}

/// A replay: a broker that is built anew from entries, and decides and plans again.
///
/// A plan was made from what the broker knew when planning began, which is before the entry that brings the plan. So
/// the moments at which plans were begun must be known beforehand: [`Replay::new`] takes them, [`basis_of`] finds them.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    broker: Broker,
    bases: BTreeSet<u64>,
    /// What was known at these moments, while a cycle was open.
    known: BTreeMap<u64, State>,
}

/// How many events had been folded when the plan of an entry was begun, if it brings one.
pub fn basis_of(entry: &Entry) -> Option<(CycleNumber, u64)> {
    let Input::Decided { cycle, decision } = &entry.input else { return None };
    Some((*cycle, decision.basis))
}

impl Replay {
    /// A replay that keeps what is needed to make the plans again that were begun after so many events.
    pub fn new(bases: BTreeSet<u64>) -> Replay {
        Replay { broker: Broker::default(), bases, known: BTreeMap::new() }
    }

    /// The broker as it is by now.
    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Decides an entry again and takes it in; says where it differs from what was written.
    pub fn entry(&mut self, entry: &Entry, scope: Scope) -> Option<Difference> {
        let difference = self.plan_differs(entry, scope).or_else(|| self.events_differ(entry, scope));
        self.broker.restore(entry);
        let version = self.broker.state().version;
        if self.bases.contains(&version) && self.broker.state().cycle.is_some() {
            self.known.insert(version, self.broker.state().clone());
        }
        difference
    }

    fn plan_differs(&mut self, entry: &Entry, scope: Scope) -> Option<Difference> {
        let Input::Decided { cycle, decision } = &entry.input else { return None };
        let known = self.known.remove(&decision.basis);
        if scope != Scope::All && scope != Scope::Cycle(*cycle) {
            return None;
        }
        let problem = known.and_then(|known| problem_at(&known, decision.late));
        let problem = problem.filter(|problem| problem.cycle == *cycle);
        let mut again = problem.as_ref().map(|problem| Box::new(plan(problem)));
        // Verdicts of before it was said among what a plan is best do not say it now.
        if let Some(again) = again.as_mut().filter(|_| decision.verdict.rivals.is_none()) {
            again.verdict.rivals = None;
        }
        // A plan that took too long was replaced by a brief one.
        let brief = || problem.as_ref().is_some_and(|problem| plan_briefly(problem) == **decision);
        if again.as_ref() == Some(decision) || brief() {
            return None;
        }
        Some(Difference::Plan { cycle: *cycle, now: again })
    }

    fn events_differ(&self, entry: &Entry, scope: Scope) -> Option<Difference> {
        if scope != Scope::All {
            return None;
        }
        let again = self.broker.decide(entry.at, &entry.input).ok().map(|Change { events, .. }| events);
        (again.as_ref() != Some(&entry.events)).then_some(Difference::Events { now: again })
    }
}
