//! What owners have sold: a settled reservation, hold by hold.
//!
//! A settlement is booked by account; an owner wants to know which site and which node earned it, by whom, and for which time. The
//! holds' charges are worked out as for the settlement itself, and a site's income is shared out among its holds in proportion to
//! them, in whole micro-credits: what the holds of a site earn adds up to what was booked, always. Time O(holds · parts).
//!
//! Example: two holds of a site are charged 2 and 1, and the VO keeps 1 of the 3 as its fee: the income of 2 is 1 and 1.

use super::settle::{Fault, HoldCharge, charges_by_hold};
use crate::model::job::{PartEnd, Why};
use crate::model::reservation::Reservation;
use crate::model::state::State;
use std::collections::BTreeMap;
use walras_model::{Interval, Money, NodeId, SiteId, Time};

/// What one hold has earned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sale {
    /// Where.
    pub site: SiteId,
    /// On which node; none in a queue.
    pub node: Option<NodeId>,
    /// What the user was charged for it.
    pub charged: Money,
    /// What of that the owner gets; the rest is the VO's fee.
    pub income: Money,
    /// The time on it that was paid for.
    pub used: Option<Interval>,
}

/// What the holds of a reservation earned that is closed at a moment, and why; none that earned nothing and were not used.
pub fn sales(state: &State, reservation: &Reservation, now: Time, why: Option<&Why>) -> Vec<Sale> {
    let mut by_site: BTreeMap<SiteId, Vec<HoldCharge>> = BTreeMap::new();
    for charge in charges_by_hold(state, reservation, now, fault_of(why)) {
        by_site.entry(charge.site).or_default().push(charge);
    }
    let mut left = reservation.lien.as_micros();
    let mut sales = Vec::new();
    for (site, holds) in by_site {
        let all: i64 = holds.iter().map(|hold| hold.amount).sum();
        let charged = all.min(left);
        left -= charged;
        let fee = state.policy.money.fee.of(Money::from_micros(charged)).as_micros();
        let (charges, incomes) = (shared(charged, &holds), shared(charged - fee, &holds));
        for ((hold, charged), income) in holds.iter().zip(charges).zip(incomes) {
            let used = hold.used.filter(|used| used.start() < used.end());
            if charged != Money::ZERO || used.is_some() {
                sales.push(Sale { site, node: hold.node, charged, income, used });
            }
        }
    }
    sales
}

/// A sum shared out in proportion to the holds' charges, without a rest.
fn shared(sum: i64, holds: &[HoldCharge]) -> Vec<Money> {
    let all: i128 = holds.iter().map(|hold| i128::from(hold.amount)).sum();
    let (mut so_far, mut given) = (0_i128, 0_i128);
    let mut shares = Vec::with_capacity(holds.len());
    for hold in holds {
        so_far += i128::from(hold.amount);
        let until = if all == 0 { 0 } else { i128::from(sum) * so_far / all };
        let share = i64::try_from(until - given).expect("a part of a sum is no more than the sum");
        shares.push(Money::from_micros(share));
        given = until;
    }
    shares
}

/// By whose fault a reservation is closed, as far as charges go: an owner's and a machine's are charged alike.
fn fault_of(why: Option<&Why>) -> Fault {
    match why {
        None
        | Some(
            Why::Cancelled
            | Why::PartEnded {
                end: PartEnd::Done | PartEnd::Failed(_) | PartEnd::TimedOut | PartEnd::Vanished,
                ..
            },
        ) => Fault::Job,
        Some(Why::NotTaken) => Fault::NotTaken,
        Some(
            Why::PartEnded { end: PartEnd::Lost | PartEnd::TakenBack, .. }
            | Why::NoFit(_)
            | Why::LeftOut
            | Why::OverQuota
            | Why::MakingRoom(_)
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
            | Why::NotPlanned
            | Why::DeadlinePassed
            | Why::TooOften(_)
            | Why::Waits(_)
            | Why::NeverMet(_)
            | Why::Elements(_),
        ) => Fault::Machine,
    }
}
