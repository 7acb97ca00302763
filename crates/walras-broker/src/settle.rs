//! Settling a reservation: what was used is charged, the rest of the lien goes back.
//!
//! Whose fault it is decides. A job that ended well, failed by itself or was cancelled pays for the time from the start
//! of each hold to the end of the last part on it, and for what the policy keeps of the unused rest. When a node, a
//! site or an owner failed, only tasks of a workflow whose results are kept are paid for. An owner who broke a promise
//! pays the user a compensation, as far as the owner's account allows.

use crate::account::{Account, Books, Purpose, Transaction};
use crate::job::PartEnd;
use crate::sabotage::{Sabotage, sabotaged};
use crate::state::{PartState, Reservation, State};
use crate::way::{Hold, Part};
use std::collections::BTreeMap;
use walras_model::{Money, SiteId, Span, TaskId, Time};

/// Whose fault the end of a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nobody's, or the job's own: what was used is paid for.
    Job,
    /// A machine's: the user pays only for what is kept.
    Machine,
    /// The owner's of that site: as above, and the owner pays a compensation.
    Owner(SiteId),
}

/// How a reservation is settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settlement {
    pub(crate) transaction: Transaction,
    pub(crate) kept: Vec<TaskId>,
}

/// Settles a reservation at a moment.
pub(crate) fn settle(
    state: &State,
    books: &Books,
    reservation: &Reservation,
    now: Time,
    fault: Fault,
) -> Settlement {
    let mut charges: BTreeMap<SiteId, i64> = BTreeMap::new();
    for leg in &reservation.way.legs {
        for (hold, place) in leg.holds.iter().zip(0_u32..) {
            let charge = match fault {
                Fault::Job => used_cost(state, reservation, leg.site, place, hold, now),
                Fault::Machine | Fault::Owner(_) => kept_cost(reservation, leg.site, place, hold),
            };
            *charges.entry(leg.site).or_default() += charge;
        }
    }
    let user = Account::User(reservation.user.clone());
    let mut transaction = Transaction::default();
    let mut left = reservation.lien.as_micros();
    for (site, charge) in charges {
        let charge = if sabotaged(Sabotage::ChargeTwice) { 2 * charge } else { charge.min(left) };
        left = (left - charge).max(0);
        charge_for(state, &mut transaction, site, charge);
    }
    let refund = if sabotaged(Sabotage::KeepRefund) { Money::ZERO } else { Money::from_micros(left) };
    transaction.move_money(Purpose::Refund, Account::Held, Purpose::Refund, user.clone(), refund);
    if let Fault::Owner(site) = fault {
        compensate(state, books, reservation, site, user, &mut transaction);
    }
    let kept = kept_parts(reservation).filter_map(|(part, _)| part.task).collect();
    Settlement { transaction, kept }
}

/// Takes a charge from what is held: the fee for the VO, the rest for the site's owner.
fn charge_for(state: &State, transaction: &mut Transaction, site: SiteId, charge: i64) {
    let Some(of_site) = state.site(site) else { return };
    let fee = state.policy.money.fee.of(Money::from_micros(charge)).as_micros();
    let owner = Account::Owner(of_site.spec.owner.clone());
    let income = Money::from_micros(charge - fee);
    transaction.move_money(Purpose::Charge, Account::Held, Purpose::Income, owner, income);
    transaction.move_money(
        Purpose::Charge,
        Account::Held,
        Purpose::Fee,
        Account::Fee,
        Money::from_micros(fee),
    );
}

/// What an owner pays for a broken promise: a share of the price, as far as their account allows.
fn compensate(
    state: &State,
    books: &Books,
    reservation: &Reservation,
    site: SiteId,
    user: Account,
    transaction: &mut Transaction,
) {
    let Some(of_site) = state.site(site) else { return };
    let owner = Account::Owner(of_site.spec.owner.clone());
    let share = state.policy.money.compensation.of(reservation.lien);
    let amount = share.min(books.available(&owner)).max(Money::ZERO);
    transaction.move_money(Purpose::Compensation, owner, Purpose::Compensation, user, amount);
}

/// The cost of a hold up to the end of its last part, and of what the policy keeps of the rest.
fn used_cost(
    state: &State,
    reservation: &Reservation,
    site: SiteId,
    place: u32,
    hold: &Hold,
    now: Time,
) -> i64 {
    let parts = reservation.way.parts.iter().zip(&reservation.parts);
    let on_hold = parts.filter(|(part, _)| part.site == site && part.hold == place);
    let ends = on_hold.filter_map(|(_, state)| match state {
        PartState::Waiting => None,
        PartState::Due | PartState::Running(_) => Some(now),
        PartState::Ended { at, .. } => Some(*at),
    });
    let begin =
        if hold.node.is_some() { Some(hold.interval.start()) } else { began(reservation, site, place) };
    let used = ends.max().zip(begin).and_then(|(end, begin)| end.span_since(begin)).unwrap_or(Span::ZERO);
    let used = used.min(hold.interval.span());
    let cost = hold.rate.cost_of(used).unwrap_or(hold.cost).min(hold.cost).as_micros();
    let unused = Money::from_micros(hold.cost.as_micros() - cost);
    cost + unused.as_micros() - state.policy.money.early_refund.of(unused).as_micros()
}

/// When the part on a queue's hold began.
fn began(reservation: &Reservation, site: SiteId, place: u32) -> Option<Time> {
    let parts = reservation.way.parts.iter().zip(&reservation.parts);
    let since =
        parts.filter(|(part, _)| part.site == site && part.hold == place).map(|(_, state)| match state {
            PartState::Running(since) | PartState::Ended { since, .. } => Some(*since),
            PartState::Waiting | PartState::Due => None,
        });
    since.flatten().min()
}

/// The cost of the tasks on a hold whose results are kept.
fn kept_cost(reservation: &Reservation, site: SiteId, place: u32, hold: &Hold) -> i64 {
    let kept = kept_parts(reservation).filter(|(part, _)| part.site == site && part.hold == place);
    let cost = kept.map(|(_, span)| hold.rate.cost_of(span).unwrap_or(hold.cost).as_micros());
    cost.sum::<i64>().min(hold.cost.as_micros())
}

/// The tasks of a workflow that ended well, and how long each ran.
fn kept_parts(reservation: &Reservation) -> impl Iterator<Item = (&Part, Span)> {
    let parts = reservation.way.parts.iter().zip(&reservation.parts);
    parts.filter_map(|(part, state)| match state {
        PartState::Ended { since, at, end: PartEnd::Done } if part.task.is_some() => {
            Some((part, at.span_since(*since).unwrap_or(Span::ZERO)))
        }
        _ => None,
    })
}
