//! Settlements: what a reservation had to come to, counted again from what its parts did.
//!
//! A job that ended well, failed by itself or was cancelled pays for each hold from its start to the end of the last part
//! on it, and for what the policy keeps of the rest. In every other case only tasks whose results are kept are paid for,
//! and an owner who broke a promise pays a compensation, as far as the owner's account allows. The VO's fee is a share of
//! every site's charge, rounded down. What was held for a quote and not taken is paid with the policy's share of each hold. Time O(parts + holds · parts on a hold).

use crate::Auditor;
use crate::closing::is_own_fault;
use crate::finding::FindingKind;
use crate::ledger::sums;
use crate::look::Look;
use crate::state::{PartState, Phase, Reservation};
use crate::sums::{cost_of, holds, length, millis_between, share_of};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::account::{Account, Purpose, Transaction};
use walras_broker::allocation::{Hold, Part};
use walras_broker::id::ReservationNumber;
use walras_broker::job::{PartEnd, SiteRefusal, Why};
use walras_model::{SiteId, TaskId, Time};

/// The parts on every hold.
type ByHold<'a> = BTreeMap<(SiteId, u32), Vec<(&'a Part, PartState)>>;

impl Auditor {
    /// Every account's part in a settlement must be what it had to be.
    pub(crate) fn check_settlement(
        &self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        reservation: &Reservation,
        why: Option<&Why>,
        transaction: &Transaction,
    ) {
        let expected = self.settlement(look.now, reservation, why);
        let posted = sums(transaction);
        let keys: BTreeSet<_> = expected.keys().chain(posted.keys()).collect();
        for key in keys {
            let (should, is) = (expected.get(key).copied(), posted.get(key).copied());
            if should != is {
                let (account, purpose) = key.clone();
                let (expected, posted) = (should.unwrap_or(0), is.unwrap_or(0));
                let reservation = number;
                look.report(FindingKind::WrongSettlement { reservation, account, purpose, expected, posted });
            }
        }
    }

    fn settlement(
        &self,
        now: Time,
        reservation: &Reservation,
        why: Option<&Why>,
    ) -> BTreeMap<(Account, Purpose), i128> {
        let mut sums: BTreeMap<(Account, Purpose), i128> = BTreeMap::new();
        let mut add = |account: Account, purpose: Purpose, amount: i128| {
            *sums.entry((account, purpose)).or_default() += amount;
        };
        let mut left = reservation.lien;
        for (site, charge) in self.charges(now, reservation, why) {
            let fee = share_of(charge, self.policy.money.fee.as_millionths());
            left -= charge;
            add(Account::Held, Purpose::Charge, -charge);
            add(Account::Fee, Purpose::Fee, fee);
            let owner = self.places.owner(site).unwrap_or_default().to_owned();
            add(Account::Owner(owner), Purpose::Income, charge - fee);
        }
        let user = Account::User(reservation.user.clone());
        add(Account::Held, Purpose::Refund, -left);
        add(user.clone(), Purpose::Refund, left);
        let breaker = why.and_then(|why| self.breaker(reservation, why));
        if let Some(owner) = breaker.and_then(|site| self.places.owner(site)) {
            let owner = Account::Owner(owner.to_owned());
            let share = share_of(reservation.lien, self.policy.money.compensation.as_millionths());
            let amount = share.min(self.ledger.balance(&owner)).max(0);
            add(owner, Purpose::Compensation, -amount);
            add(user, Purpose::Compensation, amount);
        }
        sums.retain(|_, sum| *sum != 0);
        sums
    }

    /// The site whose owner broke a promise.
    fn breaker(&self, reservation: &Reservation, why: &Why) -> Option<SiteId> {
        match why {
            Why::TakenBack(node) => self.places.site_of(*node),
            Why::PartEnded { part, end: PartEnd::TakenBack } => {
                reservation.allocation.parts.get(*part as usize).map(|part| part.site)
            }
            Why::Refused { site, refusal } => {
                let promised = matches!(refusal, SiteRefusal::PriceChanged | SiteRefusal::Unwilling);
                (promised || reservation.phase == Phase::Held).then_some(*site)
            }
            Why::NoFit(_)
            | Why::LeftOut
            | Why::OverQuota
            | Why::NodesHad { .. }
            | Why::MakingRoom(_)
            | Why::Unassigned(_)
            | Why::NotAdmitted
            | Why::NoMoney(_)
            | Why::OverBudget(_)
            | Why::Outdated(_)
            | Why::Silent(_)
            | Why::NodeLost(_)
            | Why::SiteLost(_)
            | Why::PartEnded { .. }
            | Why::Late
            | Why::StartMissed
            | Why::FilesLost(_)
            | Why::NotBrought { .. }
            | Why::NoOutput { .. }
            | Why::NotPlanned
            | Why::DeadlinePassed
            | Why::TooOften(_)
            | Why::Cancelled
            | Why::NotTaken
            | Why::Waits(_)
            | Why::NeverMet(_)
            | Why::Elements(_) => None,
        }
    }

    /// What each site is to be paid.
    fn charges(&self, now: Time, reservation: &Reservation, why: Option<&Why>) -> BTreeMap<SiteId, i128> {
        let own = match why {
            None | Some(Why::Cancelled | Why::NoOutput { .. }) => true,
            Some(Why::NotBrought { fault, .. }) => is_own_fault(fault),
            Some(Why::PartEnded { end, .. }) => {
                let own = matches!(end, PartEnd::Failed(_) | PartEnd::TimedOut | PartEnd::Vanished);
                own || matches!(end, PartEnd::NoOutput { .. } | PartEnd::OutOfMemory { .. })
            }
            Some(_) => false,
        };
        let mut by_hold: ByHold<'_> = BTreeMap::new();
        for (part, state) in reservation.allocation.parts.iter().zip(&reservation.parts) {
            by_hold.entry((part.site, part.hold)).or_default().push((part, *state));
        }
        let torn = torn(reservation);
        let mut charges: BTreeMap<SiteId, i128> = BTreeMap::new();
        for (site, place, hold) in holds(&reservation.allocation) {
            let parts = by_hold.get(&(site, place)).map_or(&[][..], Vec::as_slice);
            let most = i128::from(hold.cost.as_micros());
            let charge = if why == Some(&Why::NotTaken) {
                let held = reservation.phase == Phase::Held;
                if held { share_of(most, self.policy.quotes.hold_fee.as_millionths()) } else { 0 }
            } else if own {
                let used = used_cost(hold, parts, now);
                used + (most - used) - share_of(most - used, self.policy.money.early_refund.as_millionths())
            } else {
                kept_cost(hold, parts, &torn)
            };
            *charges.entry(site).or_default() += charge;
        }
        charges
    }

    /// Results are kept of just those tasks that ended well, and of no task twice.
    pub(crate) fn check_kept(
        &self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        reservation: &Reservation,
        kept: &[TaskId],
    ) {
        let parts = reservation.allocation.parts.iter().zip(&reservation.parts);
        let torn = torn(reservation);
        let done = parts.filter(|(_, state)| state.is_done()).filter_map(|(part, _)| part.task);
        let done: BTreeSet<TaskId> = done.filter(|task| !torn.contains(task)).collect();
        if kept.len() != done.len() || !kept.iter().all(|task| done.contains(task)) {
            look.report(FindingKind::WrongKept { reservation: number });
        }
        let before = self.jobs.get(&reservation.job).map(|job| &job.done);
        for task in kept.iter().filter(|task| before.is_some_and(|before| before.contains(task))) {
            look.report(FindingKind::TaskTwice { job: reservation.job, task: *task });
        }
    }

    /// Adds a settlement to the counts; gives what was charged and what was given back.
    pub(crate) fn count_settlement(&mut self, transaction: &Transaction) -> (i128, i128) {
        let (mut charge, mut refund) = (0, 0);
        for posting in &transaction.postings {
            let amount = i128::from(posting.amount.as_micros());
            let held = posting.account == Account::Held;
            let user = matches!(posting.account, Account::User(_));
            match posting.purpose {
                Purpose::Charge if held => charge -= amount,
                Purpose::Refund if held => refund -= amount,
                Purpose::Income => self.counts.income += amount,
                Purpose::Fee => self.counts.fees += amount,
                Purpose::Compensation if user => self.counts.compensations += amount,
                // The other side of the same money.
                Purpose::Charge | Purpose::Refund | Purpose::Compensation => {}
                // No settlement has these.
                Purpose::Deposit | Purpose::Lien => {}
            }
        }
        self.counts.charges += charge;
        self.counts.refunds += refund;
        (charge, refund)
    }
}

/// The cost of a hold up to the end of its last part; a queue's hold begins when its part does.
fn used_cost(hold: &Hold, parts: &[(&Part, PartState)], now: Time) -> i128 {
    let end = parts.iter().filter_map(|(_, state)| match state {
        PartState::Waiting | PartState::Due => None,
        PartState::Running(_) => Some(now),
        PartState::Ended { at, .. } => Some(*at),
    });
    let began = parts.iter().filter_map(|(_, state)| match state {
        PartState::Running(since) | PartState::Ended { since, .. } => Some(*since),
        PartState::Waiting | PartState::Due => None,
    });
    let begin = if hold.node.is_some() { Some(hold.interval.start()) } else { began.min() };
    let used = end.max().zip(begin).map_or(0, |(end, begin)| millis_between(begin, end).max(0));
    cost_of(hold.rate, used.min(length(hold.interval))).min(i128::from(hold.cost.as_micros()))
}

/// Tasks of which a part has not ended well: of a gang nothing is kept then.
fn torn(reservation: &Reservation) -> BTreeSet<TaskId> {
    let parts = reservation.allocation.parts.iter().zip(&reservation.parts);
    parts.filter(|(_, state)| !state.is_done()).filter_map(|(part, _)| part.task).collect()
}

/// The cost of the tasks on a hold whose results are kept.
fn kept_cost(hold: &Hold, parts: &[(&Part, PartState)], torn: &BTreeSet<TaskId>) -> i128 {
    let cost = parts.iter().filter_map(|(part, state)| match state {
        PartState::Ended { since, at, end: PartEnd::Done }
            if part.task.is_some_and(|task| !torn.contains(&task)) =>
        {
            Some(cost_of(hold.rate, millis_between(*since, *at)))
        }
        PartState::Waiting | PartState::Due | PartState::Running(_) | PartState::Ended { .. } => None,
    });
    cost.sum::<i128>().min(i128::from(hold.cost.as_micros()))
}
