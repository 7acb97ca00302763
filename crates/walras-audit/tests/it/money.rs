//! Corrupted money, and what is found in it.

use crate::corrupt::check;
use crate::edit::{change, edit};
use crate::world::credits;
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::account::{Account, Purpose};
use walras_broker::event::{QuoteEvent, ReservationEvent, VoEvent};
use walras_model::Money;

fn plus(amount: &mut Money, micros: i64) {
    *amount = Money::from_micros(amount.as_micros() + micros);
}

#[test]
fn money() {
    check(&[
        (
            "unbalanced",
            |it| change!(it, Event::Vo(VoEvent::Deposited { transaction, .. }) => { plus(&mut transaction.postings[1].amount, 1); true }),
            |it| *it == FindingKind::Unbalanced { sum: 1 },
        ),
        (
            "purpose",
            |it| change!(it, Event::Reservation(ReservationEvent::Asked { transaction, .. }) => { transaction.postings[1].purpose = Purpose::Income; true }),
            |it| {
                matches!(it, FindingKind::BadPosting { account: Account::Held, purpose: Purpose::Income, .. })
            },
        ),
        (
            "account",
            |it| change!(it, Event::Reservation(ReservationEvent::Asked { transaction, .. }) => { transaction.postings[0].account = Account::User("eve".into()); true }),
            |it| *it == FindingKind::NoAccount(Account::User("eve".into())),
        ),
        (
            "limit",
            |it| change!(it, Event::Vo(VoEvent::Deposited { account: Account::User(_), transaction, .. }) => { transaction.postings.clear(); true }),
            |it| matches!(it, FindingKind::BelowLimit { account: Account::User(name), .. } if name == "ada"),
        ),
        (
            "limit raised",
            |it| change!(it, Event::Vo(VoEvent::UserSet(user)) => { user.lowest = credits(1); true }),
            |it| matches!(it, FindingKind::BelowLimit { lowest: 1_000_000, .. }),
        ),
        (
            "held",
            |it| change!(it, Event::Reservation(ReservationEvent::Closed { transaction, .. }) => { transaction.postings.clear(); true }),
            |it| matches!(it, FindingKind::HeldDiffers { liens: 0.., .. }),
        ),
        (
            "lien",
            |it| {
                edit(it, |event, _| match event {
                    Event::Reservation(ReservationEvent::Asked { transaction, .. }) => {
                        plus(&mut transaction.postings[0].amount, -1);
                        plus(&mut transaction.postings[1].amount, 1);
                        true
                    }
                    _ => false,
                })
            },
            |it| matches!(it, FindingKind::WrongLien { expected, posted, .. } if expected + 1 == *posted),
        ),
        (
            "fee",
            |it| {
                edit(it, |event, _| {
                    let Event::Reservation(ReservationEvent::Closed { transaction, .. }) = event else {
                        return false;
                    };
                    let all = &mut transaction.postings;
                    let Some(fee) = all.iter().position(|it| it.purpose == Purpose::Fee) else {
                        return false;
                    };
                    plus(&mut all[fee].amount, 1);
                    plus(&mut all[fee - 1].amount, -1);
                    true
                })
            },
            |it| matches!(it, FindingKind::WrongSettlement { purpose: Purpose::Fee, .. }),
        ),
        (
            "refund",
            |it| {
                edit(it, |event, _| {
                    let Event::Reservation(ReservationEvent::Closed { transaction, .. }) = event else {
                        return false;
                    };
                    let before = transaction.postings.len();
                    transaction.postings.retain(|it| it.purpose != Purpose::Refund);
                    transaction.postings.len() < before
                })
            },
            |it| matches!(it, FindingKind::WrongSettlement { purpose: Purpose::Refund, posted: 0, .. }),
        ),
        (
            "compensation of an owner",
            |it| {
                edit(it, |event, _| {
                    let Event::Reservation(ReservationEvent::Closed { transaction, .. }) = event else {
                        return false;
                    };
                    let before = transaction.postings.len();
                    transaction.postings.retain(|it| it.purpose != Purpose::Compensation);
                    transaction.postings.len() < before
                })
            },
            |it| matches!(it, FindingKind::WrongSettlement { purpose: Purpose::Compensation, posted: 0, .. }),
        ),
        (
            "deposit",
            |it| {
                edit(it, |event, _| match event {
                    Event::Vo(VoEvent::Deposited { transaction, .. }) => {
                        plus(&mut transaction.postings[0].amount, -1);
                        plus(&mut transaction.postings[1].amount, 1);
                        true
                    }
                    _ => false,
                })
            },
            |it| *it == FindingKind::WrongDeposit { account: Account::User("ada".into()) },
        ),
        (
            "compensation",
            |it| change!(it, Event::Quote(QuoteEvent::Broken { compensation, .. }) => { plus(compensation, 1); true }),
            |it| matches!(it, FindingKind::WrongCompensation { .. }),
        ),
        (
            "budget",
            |it| change!(it, Event::Vo(VoEvent::BudgetSet { budget: Some(budget), .. }) => { budget.amount = credits(1); true }),
            |it| matches!(it, FindingKind::OverBudget { left: 1_000_000, .. }),
        ),
        (
            "kept",
            |it| change!(it, Event::Reservation(ReservationEvent::Closed { kept, .. }) => kept.pop().is_some()),
            |it| matches!(it, FindingKind::WrongKept { .. }),
        ),
    ]);
}
