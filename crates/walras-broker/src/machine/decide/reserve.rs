//! Asking sites for an alternative: checked, paid for, and then all or nothing.

use super::draft::Draft;
use crate::model::account::{Account, Purpose, Transaction};
use crate::model::allocation::{Allocation, Hold};
use crate::model::event::{Event, ReservationEvent};
use crate::model::id::ReservationNumber;
use crate::model::job::Why;
use crate::model::reservation::Origin;
use crate::model::state::State;
use crate::rules::budgets;
use crate::rules::check::{self, Asked, Prices};
use crate::rules::wanted::Wanted;
use std::sync::Arc;
use walras_model::{SiteId, Time};

/// How an alternative is reserved.
pub(super) struct Terms {
    pub(super) origin: Origin,
    pub(super) prices: Prices,
    /// Other alternatives, for when it fails.
    pub(super) spares: Vec<Arc<Allocation>>,
}

/// Whether an alternative is free, allowed, and what the job wants, at the right price.
pub(super) fn stands(
    draft: &mut Draft<'_>,
    wanted: &Wanted,
    allocation: &Allocation,
    prices: Prices,
) -> Result<(), Why> {
    let now = draft.now;
    let (state, occupancy) = draft.occupancy();
    let asked = Asked { request: &wanted.request, remaining: wanted.remaining.as_ref() };
    let wrong = check::violations(state, occupancy, now, &asked, allocation, prices);
    if !wrong.is_empty() {
        return Err(Why::Outdated(wrong));
    }
    admitted(state, &wanted.user, allocation)
}

/// Reserves an alternative, or says why not. `before` are events that belong before it.
pub(super) fn reserve(
    draft: &mut Draft<'_>,
    wanted: &Wanted,
    allocation: &Allocation,
    terms: Terms,
    before: Vec<Event>,
) -> Result<ReservationNumber, Why> {
    stands(draft, wanted, allocation, terms.prices)?;
    let now = draft.now;
    let state = draft.state();
    let cost = allocation.cost();
    let user = Account::User(wanted.user.clone());
    let transaction = Transaction::transfer(Purpose::Lien, user, Account::Held, cost);
    state.books.check(&transaction).map_err(Why::NoMoney)?;
    budgets::check(state, &wanted.user, now, cost).map_err(Why::OverBudget)?;
    let reservation = state.last.reservation.next();
    // What is held must be held before it begins; in a queue that is only expected.
    let latest = if allocation.is_queue() { Time::MAX } else { allocation.start() };
    let until = now.checked_add(state.policy.prepare_within).map_or(latest, |until| until.min(latest));
    let expiry = until.checked_add(state.policy.confirm_within).map_or(latest, |expiry| expiry.min(latest));
    for event in before {
        draft.push(event);
    }
    draft.push(ReservationEvent::Asked {
        reservation,
        job: wanted.job,
        origin: terms.origin,
        allocation: Arc::new(allocation.clone()),
        spares: terms.spares,
        transaction,
        until,
        expiry,
    });
    Ok(reservation)
}

/// Whether the owners' rules let a user in.
fn admitted(state: &State, user: &str, allocation: &Allocation) -> Result<(), Why> {
    let group = state.users.get(user).and_then(|user| user.user.group.as_deref());
    let refuses = |(site, hold): (SiteId, &Hold)| {
        let rules = state.site(site).map(|site| &site.spec.access);
        rules.is_some_and(|rules| rules.admit(user, group, hold.interval, state.policy.calendar).is_err())
    };
    if allocation.holds().any(refuses) { Err(Why::NotAdmitted) } else { Ok(()) }
}
