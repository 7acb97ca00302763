//! Asking sites for a way: checked, paid for, and then all or nothing.

use super::Draft;
use crate::account::{Account, Purpose, Transaction};
use crate::check::{self, Asked, Prices};
use crate::event::{Event, Origin};
use crate::id::{JobNumber, ReservationNumber};
use crate::job::{Job, JobSpec, Why};
use crate::plan::{Remaining, remaining};
use crate::sabotage::{Sabotage, sabotaged};
use crate::state::State;
use crate::way::Way;
use std::collections::BTreeSet;
use walras_model::{Money, Request, SiteId, TaskId, Time};

/// What a job wants now.
pub(crate) struct Wanted {
    pub(crate) job: JobNumber,
    pub(crate) user: String,
    pub(crate) request: Request,
    pub(crate) remaining: Option<Remaining>,
}

impl Wanted {
    /// What is left of a job: its budget less what it has spent, its workflow less what is done.
    pub(crate) fn new(
        state: &State,
        job: JobNumber,
        spec: &JobSpec,
        done: &BTreeSet<TaskId>,
        spent: Money,
    ) -> Wanted {
        let mut request = spec.request.clone();
        request.name = format!("job {job}");
        request.user = Some(spec.user.clone());
        let budget = request.budget_limit(state.policy.search.budget_factor);
        request.budget =
            budget.map(|budget| budget.checked_sub(spent).unwrap_or(Money::ZERO).max(Money::ZERO));
        Wanted { job, user: spec.user.clone(), request, remaining: remaining(spec, done) }
    }

    /// What is left of a job that is there.
    pub(crate) fn of(state: &State, job: &Job) -> Wanted {
        Wanted::new(state, job.number, &job.spec, &job.done, job.spent)
    }

    /// The same for planning: no more than its user can pay now.
    pub(crate) fn payable(mut self, state: &State, now: Time) -> Wanted {
        let funds = if sabotaged(Sabotage::NoFunds) { Money::MAX } else { funds(state, &self.user, now) };
        let budget = self.request.budget.unwrap_or(Money::MAX).min(funds);
        self.request.budget = Some(budget.max(Money::ZERO));
        self
    }
}

/// What a user can spend now: what is in the account, within all budgets.
fn funds(state: &State, user: &str, now: Time) -> Money {
    let account = state.books.available(&Account::User(user.to_owned()));
    let budgets = Draft::spenders(state, user);
    let left = budgets.iter().filter_map(|spender| state.budgets.get(spender)).map(|budget| budget.left(now));
    left.fold(account, Money::min)
}

/// Whether a way is free, allowed, and what the job wants, at the right price.
pub(crate) fn stands(draft: &mut Draft<'_>, wanted: &Wanted, way: &Way, prices: Prices) -> Result<(), Why> {
    let (state, now) = (draft.state, draft.now);
    let asked = Asked { request: &wanted.request, remaining: wanted.remaining.as_ref() };
    if let Some(gone) = draft.gone(way) {
        return Err(Why::Outdated(vec![gone]));
    }
    let wrong = check::violations(state, draft.ground(), now, &asked, way, prices);
    if !wrong.is_empty() {
        return Err(Why::Outdated(wrong));
    }
    admitted(state, &wanted.user, way)
}

/// Reserves a way, or says why not. `before` are events that belong before it.
pub(crate) fn reserve(
    draft: &mut Draft<'_>,
    wanted: &Wanted,
    way: &Way,
    spares: Vec<Way>,
    origin: Origin,
    prices: Prices,
    before: Vec<Event>,
) -> Result<ReservationNumber, Why> {
    stands(draft, wanted, way, prices)?;
    let (state, now) = (draft.state, draft.now);
    let cost = way.cost();
    let transaction =
        Transaction::transfer(Purpose::Lien, Account::User(wanted.user.clone()), Account::Held, cost);
    if !sabotaged(Sabotage::NoFunds) {
        draft.books().check(&transaction).map_err(Why::NoMoney)?;
    }
    draft.spend(&wanted.user, cost).map_err(Why::OverBudget)?;
    let posted = draft.post(&transaction);
    debug_assert!(posted.is_ok() || sabotaged(Sabotage::NoFunds), "the lien was checked");
    draft.hold(way);
    draft.last.reservation = draft.last.reservation.next();
    let reservation = draft.last.reservation;
    for event in before {
        draft.push(event);
    }
    // What is held must be held before it begins; in a queue that is only expected.
    let latest = if way.is_queue() { Time::MAX } else { way.start() };
    let until = now.checked_add(state.policy.prepare_within).unwrap_or(latest).min(latest);
    let expiry = until.checked_add(state.policy.confirm_within).unwrap_or(latest).min(latest);
    draft.push(Event::ReservationAsked {
        reservation,
        job: wanted.job,
        origin,
        way: Box::new(way.clone()),
        spares,
        transaction,
        until,
        expiry,
    });
    Ok(reservation)
}

/// Whether the owners' rules let a user in.
fn admitted(state: &State, user: &str, way: &Way) -> Result<(), Why> {
    let group = state.users.get(user).and_then(|user| user.user.group.as_deref());
    let refuses = |(site, hold): (SiteId, &crate::way::Hold)| {
        let rules = state.site(site).map(|site| &site.spec.access);
        rules.is_some_and(|rules| rules.admit(user, group, hold.interval, state.policy.calendar).is_err())
    };
    if way.holds().any(refuses) { Err(Why::NotAdmitted) } else { Ok(()) }
}
