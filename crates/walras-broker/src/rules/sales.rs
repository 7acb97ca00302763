//! What owners have sold: a settled reservation, hold by hold.
//!
//! A settlement is booked by account; an owner wants to know which site and which node earned it, by whom, and for which time. The
//! holds' charges are worked out as for the settlement itself, and a site's income is shared out among its holds in proportion to
//! them, in whole micro-credits: what the holds of a site earn adds up to what was booked, always. Time O(holds · parts).
//!
//! Example: two holds of a site are charged 2 and 1, and the VO keeps 1 of the 3 as its fee: the income of 2 is 1 and 1.

use super::settle::{HoldCharge, charges_by_site};
use crate::model::job::Why;
use crate::model::reservation::Reservation;
use crate::model::state::State;
use walras_model::quantity::rounding;
use walras_model::{Interval, Money, NodeId, Share, SiteId, Time};

/// What one hold has earned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sale {
    /// The site that held it.
    pub site: SiteId,
    /// On which node; none in a queue.
    pub node: Option<NodeId>,
    /// What the user was charged for it.
    pub charged: Money,
    /// What of that the owner gets; the rest is the VO's fee.
    pub income: Money,
    /// The time on it that was paid for.
    pub used: Option<Interval>,
    /// How much of the node it was.
    pub part: Share,
}

/// What the holds of a reservation earned that is closed at a moment, and why; none that earned nothing and were not used.
pub fn sales(state: &State, reservation: &Reservation, now: Time, why: Option<&Why>) -> Vec<Sale> {
    let mut sales = Vec::new();
    for at in charges_by_site(state, reservation, now, why) {
        let (site, holds) = (at.site, at.holds);
        let (charges, incomes) = (shared(at.charged, &holds), shared(at.income, &holds));
        for ((hold, charged), income) in holds.iter().zip(charges).zip(incomes) {
            let used = hold.used.filter(|used| used.start() < used.end());
            if charged != Money::ZERO || used.is_some() {
                sales.push(Sale { site, node: hold.node, charged, income, used, part: hold.part });
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
        let until = if all == 0 { 0 } else { rounding::down(i128::from(sum) * so_far, all) };
        let share = i64::try_from(until - given).expect("a part of a sum is no more than the sum");
        shares.push(Money::from_micros(share));
        given = until;
    }
    shares
}
