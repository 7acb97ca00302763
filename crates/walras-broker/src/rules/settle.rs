//! Settling a reservation: what was used is charged, the rest of the lien goes back.
//!
//! Whose fault it is decides. A job that ended well, failed by itself, vanished or was cancelled pays for the time from the start
//! of each hold to the end of the last part on it, and for what the policy keeps of the unused rest. When a node, a
//! site or an owner failed, only tasks of a workflow whose results are kept are paid for. An owner who broke a promise
//! pays the user a compensation, as far as the owner's account allows. What was held for a quote and not taken is paid with a share of its
//! price.

use crate::model::account::{Account, Purpose, Transaction};
use crate::model::allocation::Hold;
use crate::model::reservation::{PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::State;
use std::collections::BTreeMap;
use walras_model::{Interval, Money, NodeId, SiteId, Span, TaskId, Time};

/// Whose fault the end of a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nobody's, or the job's own: what was used is paid for.
    Job,
    /// Nobody's: it was held for a quote and not taken, and a share of its price is paid once it was held.
    NotTaken,
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

/// Settles a reservation at a moment. What is held covers every charge and the refund, and a compensation is never more
/// than its owner has, so that the transaction can always be posted.
///
/// # Panics
/// When the reservation was never checked: its sites are not there, or its holds cost more than can be counted.
pub(crate) fn settle(state: &State, reservation: &Reservation, now: Time, fault: Fault) -> Settlement {
    let mut charges: BTreeMap<SiteId, i64> = BTreeMap::new();
    for charged in charges_by_hold(state, reservation, now, fault) {
        *charges.entry(charged.site).or_default() += charged.amount;
    }
    let user = Account::User(reservation.user.clone());
    let mut transaction = Transaction::default();
    let mut left = reservation.lien.as_micros();
    for (site, charge) in charges {
        let charge = charge.min(left);
        left -= charge;
        charge_for(state, &mut transaction, site, charge);
    }
    let refund = Money::from_micros(left);
    transaction.move_money(Purpose::Refund, Account::Held, Purpose::Refund, user.clone(), refund);
    if let Fault::Owner(site) = fault {
        compensate(state, reservation, site, user, &mut transaction);
    }
    let kept = reservation.parts.iter().filter_map(kept_for).map(|(task, _)| task).collect();
    Settlement { transaction, kept }
}

/// What one hold of a reservation comes to.
pub(crate) struct HoldCharge {
    pub(crate) site: SiteId,
    pub(crate) node: Option<NodeId>,
    /// In micro-credits.
    pub(crate) amount: i64,
    /// The time on it that is paid for: from its first use on.
    pub(crate) used: Option<Interval>,
}

/// What every hold of a reservation comes to, leg by leg.
pub(crate) fn charges_by_hold(
    state: &State,
    reservation: &Reservation,
    now: Time,
    fault: Fault,
) -> Vec<HoldCharge> {
    let mut charges = Vec::new();
    for leg in &reservation.legs {
        for (hold, place) in leg.holds.iter().zip(0_u32..) {
            let parts = || parts_on(reservation, leg.site, place);
            let (amount, used) = match fault {
                Fault::Job => (used_cost(state, parts, hold, now), used_time(parts, hold, now)),
                Fault::NotTaken if reservation.phase == ReservationPhase::Held => {
                    (state.policy.quotes.hold_fee.of(hold.cost).as_micros(), None)
                }
                Fault::NotTaken => (0, None),
                Fault::Machine | Fault::Owner(_) => (kept_cost(parts(), hold), kept_time(parts())),
            };
            charges.push(HoldCharge { site: leg.site, node: hold.node, amount, used });
        }
    }
    charges
}

fn owner_of(state: &State, site: SiteId) -> Account {
    let site = state.site(site).expect("a site that holds something is there: none ever leaves");
    Account::Owner(site.spec.owner.clone())
}

/// Takes a charge from what is held: the fee for the VO, the rest for the site's owner.
fn charge_for(state: &State, transaction: &mut Transaction, site: SiteId, charge: i64) {
    let charge = Money::from_micros(charge);
    let fee = state.policy.money.fee.of(charge);
    let income = Money::from_micros(charge.as_micros() - fee.as_micros());
    let owner = owner_of(state, site);
    transaction.move_money(Purpose::Charge, Account::Held, Purpose::Income, owner, income);
    transaction.move_money(Purpose::Charge, Account::Held, Purpose::Fee, Account::Fee, fee);
}

/// What an owner pays for a broken promise: a share of the price, as far as their account allows.
fn compensate(
    state: &State,
    reservation: &Reservation,
    site: SiteId,
    user: Account,
    transaction: &mut Transaction,
) {
    let owner = owner_of(state, site);
    let share = state.policy.money.compensation.of(reservation.lien);
    let amount = share.min(state.books.available(&owner)).max(Money::ZERO);
    transaction.move_money(Purpose::Compensation, owner, Purpose::Compensation, user, amount);
}

/// The parts on one hold.
fn parts_on(reservation: &Reservation, site: SiteId, place: u32) -> impl Iterator<Item = &ReservedPart> {
    reservation.parts.iter().filter(move |part| part.plan.site == site && part.plan.hold == place)
}

/// The cost of a hold up to the end of its last part, and of what the policy keeps of the rest.
fn used_cost<'a, I: Iterator<Item = &'a ReservedPart>>(
    state: &State,
    parts: impl Fn() -> I,
    hold: &Hold,
    now: Time,
) -> i64 {
    let used = used_time(parts, hold, now).map_or(Span::ZERO, |used| used.span());
    let cost = hold.rate.cost_of(used).expect("some of a hold costs no more than all of it");
    let cost = cost.min(hold.cost).as_micros();
    let unused = Money::from_micros(hold.cost.as_micros() - cost);
    cost + unused.as_micros() - state.policy.money.early_refund.of(unused).as_micros()
}

/// The time of a hold up to the end of its last part; none where nothing of it was used.
fn used_time<'a, I: Iterator<Item = &'a ReservedPart>>(
    parts: impl Fn() -> I,
    hold: &Hold,
    now: Time,
) -> Option<Interval> {
    let ends = parts().filter_map(|part| match part.state {
        PartState::Waiting => None,
        PartState::Due | PartState::Running(_) => Some(now),
        PartState::Ended { at, .. } => Some(at),
    });
    let begin = if hold.node.is_some() { Some(hold.interval.start()) } else { began(parts()) }?;
    let used = ends.max()?.span_since(begin)?.min(hold.interval.span());
    Interval::new(begin, begin.checked_add(used)?)
}

/// The time from the first to the last of the tasks whose results are kept.
fn kept_time<'a>(parts: impl Iterator<Item = &'a ReservedPart>) -> Option<Interval> {
    let times = parts.filter(|part| kept_for(part).is_some()).filter_map(|part| match part.state {
        PartState::Ended { since, at, .. } => Some((since, at)),
        PartState::Waiting | PartState::Due | PartState::Running(_) => None,
    });
    let (start, end) = times.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    Interval::new(start, end)
}

/// When the first part on a queue's hold began.
fn began<'a>(parts: impl Iterator<Item = &'a ReservedPart>) -> Option<Time> {
    let since = parts.filter_map(|part| match part.state {
        PartState::Running(since) | PartState::Ended { since, .. } => Some(since),
        PartState::Waiting | PartState::Due => None,
    });
    since.min()
}

/// The cost of the tasks on a hold whose results are kept; at most that of the hold.
fn kept_cost<'a>(parts: impl Iterator<Item = &'a ReservedPart>, hold: &Hold) -> i64 {
    // A task that ran so long that its cost cannot be counted has used all of the hold.
    let cost = |span: Span| hold.rate.cost_of(span).map_or(hold.cost, |cost| cost.min(hold.cost)).as_micros();
    let all: i128 = parts.filter_map(kept_for).map(|(_, span)| i128::from(cost(span))).sum();
    i64::try_from(all).map_or(hold.cost.as_micros(), |all| all.min(hold.cost.as_micros()))
}

/// The task of a workflow that a part was, and how long it ran, when it ended well.
fn kept_for(part: &ReservedPart) -> Option<(TaskId, Span)> {
    let PartState::Ended { since, at, .. } = part.state else { return None };
    let task = part.plan.task.filter(|_| part.state.is_done())?;
    let span = at.span_since(since).expect("no part ends before it begins");
    Some((task, span))
}
