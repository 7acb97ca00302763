//! Settling a reservation: what was used is charged, the rest of the lien goes back.
//!
//! Whose fault it is decides. A job that ended well, failed by itself, vanished or was cancelled pays for the time from the start
//! of each hold to the end of the last part on it, and for what the policy keeps of the unused rest. When a node, a
//! site or an owner failed, only tasks of a workflow whose results are kept are paid for. An owner who broke a promise
//! pays the user a compensation, as far as the owner's account allows. What was held for a quote and not taken is paid with a share of its
//! price.

use crate::model::account::{Account, Purpose, Transaction};
use crate::model::allocation::Hold;
use crate::model::job::{PartEnd, Why};
use crate::model::parts::{Gangs, PartsByHold, used_time};
use crate::model::reservation::{PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::State;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{Interval, Money, NodeId, Share, SiteId, Span, TaskId, Time};

/// What is paid of a reservation that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// What was used: that it ends is nobody's fault, or the job's own.
    Used,
    /// A share of its price once it was held: it was held for a quote and not taken.
    Share,
    /// What is kept of it: a machine or an owner failed.
    Kept,
}

impl Due {
    /// Of a reservation that ends for this reason; none is that all went well.
    fn of(why: Option<&Why>) -> Due {
        match why {
            None
            | Some(
                Why::Cancelled
                | Why::NoOutput { .. }
                | Why::PartEnded {
                    end:
                        PartEnd::Done
                        | PartEnd::Failed(_)
                        | PartEnd::TimedOut
                        | PartEnd::Vanished
                        | PartEnd::NoOutput { .. }
                        | PartEnd::OutOfMemory { .. },
                    ..
                },
            ) => Due::Used,
            Some(Why::NotBrought { fault, .. }) if fault.is_lasting() => Due::Used,
            Some(Why::NotTaken) => Due::Share,
            Some(
                Why::PartEnded { end: PartEnd::Lost | PartEnd::TakenBack, .. }
                | Why::NoFit(_)
                | Why::LeftOut
                | Why::OverQuota
                | Why::NodesHad { .. }
                | Why::MakingRoom(_)
                | Why::Unassigned(_)
                | Why::NotAdmitted
                | Why::NoMoney(_)
                | Why::OverBudget(_)
                | Why::Outdated(_)
                | Why::Refused { .. }
                | Why::Silent(_)
                | Why::NodeLost(_)
                | Why::SiteLost(_)
                | Why::TakenBack(_)
                | Why::Late
                | Why::StartMissed
                | Why::FilesLost(_)
                | Why::NotBrought { .. }
                | Why::NotPlanned
                | Why::DeadlinePassed
                | Why::TooOften(_)
                | Why::Waits(_)
                | Why::NeverMet(_)
                | Why::Elements(_),
            ) => Due::Kept,
        }
    }
}

/// How a reservation is settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settlement {
    pub(crate) transaction: Transaction,
    pub(crate) kept: Vec<TaskId>,
}

/// Settles a reservation that ends at a moment, for a reason, and by the broken promise of a site's owner where there is one. What is
/// held covers every charge and the refund, and a compensation is never more than its owner has, so that the transaction can
/// always be posted.
///
/// # Panics
/// When the reservation was never checked: its sites are not there, or its holds cost more than can be counted.
pub(crate) fn settle(
    state: &State,
    reservation: &Reservation,
    now: Time,
    why: Option<&Why>,
    broken_by: Option<SiteId>,
) -> Settlement {
    let user = Account::User(reservation.user.clone());
    let mut transaction = Transaction::default();
    let mut left = reservation.lien.as_micros();
    for at in charges_by_site(state, reservation, now, why) {
        left -= at.charged;
        at.book(state, &mut transaction);
    }
    let refund = Money::from_micros(left);
    transaction.move_money(Purpose::Refund, Account::Held, Purpose::Refund, user.clone(), refund);
    if let Some(site) = broken_by {
        compensate(state, reservation, site, user, &mut transaction);
    }
    let torn = Gangs::of(reservation).torn(reservation);
    let mut seen = BTreeSet::new();
    let kept = reservation.parts.iter().filter_map(|part| kept_for(part, &torn)).map(|(task, _)| task);
    let kept = kept.filter(|task| seen.insert(*task)).collect();
    Settlement { transaction, kept }
}

/// What a site gets of a reservation's lien, and for which of its holds.
pub(crate) struct SiteCharge {
    pub(crate) site: SiteId,
    pub(crate) holds: Vec<HoldCharge>,
    /// What its holds come to, as far as the lien goes; in micro-credits.
    pub(crate) charged: i64,
    /// What of that is the owner's; the rest is the VO's fee.
    pub(crate) income: i64,
}

impl SiteCharge {
    /// Takes it from what is held: the fee for the VO, the rest for the site's owner.
    fn book(&self, state: &State, transaction: &mut Transaction) {
        let (income, fee) = (Money::from_micros(self.income), Money::from_micros(self.charged - self.income));
        let owner = owner_of(state, self.site);
        transaction.move_money(Purpose::Charge, Account::Held, Purpose::Income, owner, income);
        transaction.move_money(Purpose::Charge, Account::Held, Purpose::Fee, Account::Fee, fee);
    }
}

/// What sites get of a reservation's lien, in the order of their numbers: each as much as its holds come to, until nothing is left.
pub(crate) fn charges_by_site(
    state: &State,
    reservation: &Reservation,
    now: Time,
    why: Option<&Why>,
) -> Vec<SiteCharge> {
    let mut by_site: BTreeMap<SiteId, Vec<HoldCharge>> = BTreeMap::new();
    for charge in charges_by_hold(state, reservation, now, Due::of(why)) {
        by_site.entry(charge.site).or_default().push(charge);
    }
    let mut left = reservation.lien.as_micros();
    let of_site = |(site, holds): (SiteId, Vec<HoldCharge>)| {
        let all: i64 = holds.iter().map(|hold| hold.amount).sum();
        let charged = all.min(left);
        left -= charged;
        let fee = state.policy.money.fee.of(Money::from_micros(charged));
        SiteCharge { site, holds, charged, income: charged - fee.as_micros() }
    };
    by_site.into_iter().map(of_site).collect()
}

/// What one hold of a reservation comes to.
pub(crate) struct HoldCharge {
    pub(crate) site: SiteId,
    pub(crate) node: Option<NodeId>,
    /// In micro-credits.
    pub(crate) amount: i64,
    /// The time on it that is paid for: from its first use on.
    pub(crate) used: Option<Interval>,
    /// How much of the node it is.
    pub(crate) part: Share,
}

/// What every hold of a reservation comes to, leg by leg.
fn charges_by_hold(state: &State, reservation: &Reservation, now: Time, due: Due) -> Vec<HoldCharge> {
    let mut charges = Vec::new();
    let by_hold = PartsByHold::of(reservation);
    let torn = Gangs::of(reservation).torn(reservation);
    for leg in &reservation.legs {
        for (hold, place) in leg.holds.iter().zip(0_u32..) {
            let parts = by_hold.on(leg.site, place);
            let (amount, used) = match due {
                Due::Used => {
                    let used = used_time(parts, hold, now);
                    (used_cost(state, hold, used), used)
                }
                Due::Share if reservation.phase == ReservationPhase::Held => {
                    (state.policy.quotes.hold_fee.of(hold.cost).as_micros(), None)
                }
                Due::Share => (0, None),
                Due::Kept => (kept_cost(parts, hold, &torn), kept_time(parts, &torn)),
            };
            let part = state.part_of_node(hold);
            charges.push(HoldCharge { site: leg.site, node: hold.node, amount, used, part });
        }
    }
    charges
}

fn owner_of(state: &State, site: SiteId) -> Account {
    let site = state.site(site).expect("a site that holds something is there: none ever leaves");
    Account::Owner(site.spec.owner.clone())
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

/// The cost of what was used of a hold, and of what the policy keeps of the rest.
fn used_cost(state: &State, hold: &Hold, used: Option<Interval>) -> i64 {
    let used = used.map_or(Span::ZERO, |used| used.span());
    let cost = hold.rate.cost_of(used).expect("some of a hold costs no more than all of it");
    let cost = cost.min(hold.cost).as_micros();
    let unused = Money::from_micros(hold.cost.as_micros() - cost);
    cost + unused.as_micros() - state.policy.money.early_refund.of(unused).as_micros()
}

/// The time from the first to the last of the tasks whose results are kept.
fn kept_time(parts: &[&ReservedPart], torn: &BTreeSet<TaskId>) -> Option<Interval> {
    let kept = parts.iter().filter(|part| kept_for(part, torn).is_some());
    let times = kept.filter_map(|part| match part.state {
        PartState::Ended { since, at, .. } => Some((since, at)),
        PartState::Waiting | PartState::Due | PartState::Running(_) => None,
    });
    let (start, end) = times.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    Interval::new(start, end)
}

/// The cost of the tasks on a hold whose results are kept; at most that of the hold.
fn kept_cost(parts: &[&ReservedPart], hold: &Hold, torn: &BTreeSet<TaskId>) -> i64 {
    // A task that ran so long that its cost cannot be counted has used all of the hold.
    let cost = |span: Span| hold.rate.cost_of(span).map_or(hold.cost, |cost| cost.min(hold.cost)).as_micros();
    let kept = parts.iter().filter_map(|part| kept_for(part, torn));
    let all: i128 = kept.map(|(_, span)| i128::from(cost(span))).sum();
    i64::try_from(all).map_or(hold.cost.as_micros(), |all| all.min(hold.cost.as_micros()))
}

/// The task of a workflow that a part was, and how long it ran, when it ended well, and so did all of its gang.
fn kept_for(part: &ReservedPart, torn: &BTreeSet<TaskId>) -> Option<(TaskId, Span)> {
    let PartState::Ended { since, at, .. } = part.state else { return None };
    let task = part.plan.task.filter(|task| part.state.is_done() && !torn.contains(task))?;
    let span = at.span_since(since).expect("no part ends before it begins");
    Some((task, span))
}
