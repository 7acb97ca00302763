//! The events of one input, and what they take.

use crate::account::{Books, Transaction, Unpayable};
use crate::budget::{BudgetUse, Overspent, Spender};
use crate::check::Ground;
use crate::event::{Change, Event};
use crate::id::ReservationNumber;
use crate::input::Answer;
use crate::mismatch::Mismatch;
use crate::state::{Numbers, Reservation, State};
use crate::way::Way;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{Interval, Money, NodeId, SiteId, Time};

/// What an input says is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// A whole site.
    Site(SiteId),
    /// A node, for an interval where one is given.
    Node(NodeId, Option<Interval>),
}

/// The events of one input so far.
pub(crate) struct Draft<'a> {
    pub(crate) state: &'a State,
    pub(crate) now: Time,
    pub(crate) last: Numbers,
    events: Vec<Event>,
    books: Option<Books>,
    budgets: Option<BTreeMap<Spender, BudgetUse>>,
    ground: Option<Ground>,
    /// Nodes and sites that this input says are gone, for a while or for good.
    gone: Vec<Gone>,
    /// Reservations as this input has changed them.
    revised: BTreeMap<ReservationNumber, Reservation>,
    /// Reservations that this input has closed.
    pub(crate) closed: BTreeSet<ReservationNumber>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(state: &'a State, now: Time) -> Draft<'a> {
        Draft {
            state,
            now,
            last: state.last,
            events: Vec::new(),
            books: None,
            budgets: None,
            ground: None,
            gone: Vec::new(),
            revised: BTreeMap::new(),
            closed: BTreeSet::new(),
        }
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(crate) fn finish(self, answer: Answer) -> Change {
        Change { events: self.events, answer }
    }

    /// The books with everything that this input has posted.
    pub(crate) fn books(&self) -> &Books {
        self.books.as_ref().unwrap_or(&self.state.books)
    }

    /// Posts a transaction, when that is possible.
    pub(crate) fn post(&mut self, transaction: &Transaction) -> Result<(), Unpayable> {
        self.books().check(transaction)?;
        self.books.get_or_insert_with(|| self.state.books.clone()).post(transaction);
        Ok(())
    }

    /// Whose budgets a user's spending counts in.
    pub(crate) fn spenders(state: &State, user: &str) -> Vec<Spender> {
        let group = state.users.get(user).and_then(|user| user.user.group.clone());
        let mut spenders = vec![Spender::User(user.to_owned()), Spender::Vo];
        spenders.extend(group.map(Spender::Group));
        spenders
    }

    /// Counts a lien in the budgets of a user, when they allow it.
    pub(crate) fn spend(&mut self, user: &str, amount: Money) -> Result<(), Overspent> {
        let budgets = self.budgets.as_ref().unwrap_or(&self.state.budgets);
        let spenders = Draft::spenders(self.state, user);
        for spender in &spenders {
            let left = budgets.get(spender).map(|budget| budget.left(self.now));
            if let Some(left) = left.filter(|left| *left < amount) {
                return Err(Overspent { spender: spender.clone(), left, needed: amount });
            }
        }
        let budgets = self.budgets.get_or_insert_with(|| self.state.budgets.clone());
        for spender in &spenders {
            if let Some(budget) = budgets.get_mut(spender) {
                budget.spend(self.now, amount);
            }
        }
        Ok(())
    }

    /// Gives back to budgets what a lien that was placed at a moment did not need.
    pub(crate) fn give_back(&mut self, spenders: &[Spender], at: Time, amount: Money) {
        if !spenders.iter().any(|spender| self.state.budgets.contains_key(spender)) {
            return;
        }
        let budgets = self.budgets.get_or_insert_with(|| self.state.budgets.clone());
        for spender in spenders {
            if let Some(budget) = budgets.get_mut(spender) {
                budget.give_back(at, amount);
            }
        }
    }

    /// A reservation, as this input has left it.
    pub(crate) fn reservation(&self, number: ReservationNumber) -> Option<&Reservation> {
        self.revised.get(&number).or_else(|| self.state.reservations.get(&number))
    }

    /// What this input makes of a reservation.
    pub(crate) fn revise(&mut self, number: ReservationNumber, reservation: Reservation) {
        self.revised.insert(number, reservation);
    }

    /// From here on, nothing is reserved there.
    pub(crate) fn lose(&mut self, gone: Gone) {
        self.gone.push(gone);
    }

    /// Whether a way uses what this input says is gone.
    pub(crate) fn gone(&self, way: &Way) -> Option<Mismatch> {
        way.holds().find_map(|(site, hold)| {
            self.gone.iter().find_map(|gone| match gone {
                Gone::Site(lost) => (*lost == site).then_some(Mismatch::SiteLost(site)),
                Gone::Node(node, within) => {
                    let touched = within.is_none_or(|within| within.overlaps(hold.interval));
                    (hold.node == Some(*node) && touched).then_some(Mismatch::NodeGone(*node))
                }
            })
        })
    }

    /// Free time on nodes, and what is held of it.
    pub(crate) fn ground(&mut self) -> &Ground {
        let (state, now) = (self.state, self.now);
        self.ground.get_or_insert_with(|| {
            let free = Interval::new(now, Time::MAX).map(|horizon| state.free(horizon)).unwrap_or_default();
            Ground { free, held: state.held() }
        })
    }

    /// Counts a way's time as held.
    pub(crate) fn hold(&mut self, way: &Way) {
        self.ground();
        if let Some(ground) = &mut self.ground {
            for (_, hold) in way.holds() {
                if let Some(node) = hold.node {
                    ground.held.entry(node).or_default().push(hold.interval);
                }
            }
        }
    }
}
