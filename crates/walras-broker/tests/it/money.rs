//! Money: what is used is paid for, the rest comes back, and budgets hold.

use crate::vo::{MINUTE, Vo, at, credits, rate, span, user};
use walras_broker::account::{Account, Unpayable};
use walras_broker::budget::{Budget, Spender};
use walras_broker::event::ReservationEvent;
use walras_broker::job::Why;
use walras_broker::statement::statement;
use walras_broker::{Event, Input};
use walras_model::{Interval, Money, Multiplier, Share, SiteId};

#[test]
fn an_early_end_is_refunded_and_the_fee_is_taken() {
    let mut vo = Vo::new(&[(1, 1_000_000)]);
    let mut policy = crate::vo::policy();
    policy.money.fee = walras_model::Share::percent(10);
    policy.money.early_refund = walras_model::Share::percent(50);
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo.takes = 50;
    vo.submit(vo.job("half", 1, 10));
    vo.run_until(30 * MINUTE);
    // 600 s at 1 a second: 300 used, and half of the other 300 kept; a tenth of 450 is the fee.
    assert_eq!(vo.balance(&user("ada")), credits(1_000 - 450));
    assert_eq!(vo.balance(&Account::Owner("owner-0".into())), credits(405));
    assert_eq!(vo.balance(&Account::Fee), credits(45));
    assert_eq!(vo.balance(&Account::Held), Money::ZERO);
}

#[test]
fn nobody_pays_for_what_has_not_begun() {
    for starts in [true, false] {
        let mut vo = Vo::new(&[(1, 1_000_000)]);
        let mut job = vo.job("late", 1, 10);
        job.request.earliest = Some(at(5 * MINUTE));
        let job = vo.submit(job);
        vo.run_until(4 * MINUTE);
        assert_eq!(vo.broker.state().reservations.len(), 1);
        if !starts {
            vo.silent.insert(SiteId::new(0));
        }
        vo.run_until(8 * MINUTE);
        vo.silent.clear();
        vo.say(Input::CancelJob { user: "ada".to_owned(), job });
        // Three minutes at 60 credits, where the site has said that it began.
        let paid = if starts { 180 } else { 0 };
        assert_eq!(vo.balance(&user("ada")), credits(1_000 - paid), "{starts}");
    }
}

#[test]
fn nobody_spends_more_than_they_have() {
    let mut vo = Vo::new(&[(4, 1_000_000)]);
    vo.join("bob", None, 100);
    for number in 0..3 {
        let mut job = vo.job(&format!("b{number}"), 1, 1);
        job.user = "bob".to_owned();
        vo.submit(job);
    }
    vo.run_until(30_000);
    // A minute costs 60 credits, so only one fits into 100 at a time; the money of the others is held.
    let state = vo.broker.state();
    assert_eq!(state.reservations.len(), 1);
    assert_eq!(vo.balance(&user("bob")), credits(40));
    let waiting: Vec<&Why> = state.jobs.values().filter_map(|job| job.why.as_ref()).collect();
    assert_eq!(waiting.len(), 2);
    for why in waiting {
        let Why::NoMoney(Unpayable::Short { available, needed, .. }) = why else { panic!("{why:?}") };
        assert_eq!((*available, *needed), (credits(40), credits(60)));
    }
}

#[test]
fn a_group_keeps_its_budget() {
    let mut vo = Vo::new(&[(4, 1_000_000)]);
    vo.join("bob", Some("physics"), 1_000);
    vo.join("cyd", Some("physics"), 1_000);
    let budget = Budget { period: span(1_000 * MINUTE), amount: credits(150) };
    vo.say(Input::SetBudget { spender: Spender::Group("physics".into()), budget: Some(budget) });
    for (name, owner) in [("b1", "bob"), ("c1", "cyd"), ("b2", "bob"), ("c2", "cyd")] {
        let mut job = vo.job(name, 1, 1);
        job.user = owner.to_owned();
        vo.submit(job);
    }
    vo.run_until(600 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 2, "two jobs of 60 credits fit into 150");
    assert_eq!(vo.broker.state().jobs.len(), 2);
    vo.run_until(1_010 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 4, "a new period, a new budget");
}

#[test]
fn a_statement_says_where_everything_went() {
    let mut vo = Vo::new(&[(1, 1_000_000)]);
    vo.submit(vo.job("one", 1, 1));
    vo.run_until(10 * MINUTE);
    let period = Interval::new(at(0), at(100 * MINUTE)).unwrap();
    let events = vo.events.iter().map(|event| (at(1), event));
    let statement = statement(events, &user("ada"), period);
    let lines: Vec<(String, i64)> = statement
        .lines
        .iter()
        .map(|line| (format!("{:?}", line.purpose), line.amount.as_micros() / 1_000_000))
        .collect();
    let expected = [("Deposit", 1_000), ("Lien", -60), ("Refund", 60), ("Charge", -60)];
    assert_eq!(lines, expected.map(|(purpose, amount)| (purpose.to_owned(), amount)));
    assert_eq!((statement.opening, statement.closing), (Money::ZERO, credits(940)));
    let income = statement_of_owner(&vo, period);
    assert_eq!(income, credits(60));
}

fn statement_of_owner(vo: &Vo, period: Interval) -> Money {
    let events = vo.events.iter().map(|event| (at(1), event));
    statement(events, &Account::Owner("owner-0".into()), period).closing
}

#[test]
fn demand_moves_the_price_inside_the_owners_bounds() {
    let times = |millionths| Multiplier::from_millionths(millionths).unwrap();
    let mut vo = Vo::new(&[]);
    let demand = walras_broker::price::Demand {
        min: times(500_000),
        max: times(1_200_000),
        step: times(100_000),
        low: Share::NOTHING,
        high: Share::from_millionths(1_000).unwrap(),
    };
    let mut prices = walras_broker::price::PriceRules::flat(rate(1_000_000));
    prices.demand = Some(demand);
    vo.add_site(walras_broker::site::SiteKind::Slots, 1, prices);
    for number in 0..6 {
        vo.submit(vo.job(&format!("j{number}"), 1, 5));
        vo.run_until((number + 1) * 2 * MINUTE);
    }
    let rates: Vec<i64> = vo.events.iter().filter_map(rate_of).collect();
    assert_eq!(rates[0], 1_000_000);
    assert!(rates.windows(2).all(|pair| pair[0] <= pair[1]), "{rates:?}");
    assert_eq!(rates.last(), Some(&1_200_000), "{rates:?}");
}

fn rate_of(event: &Event) -> Option<i64> {
    match event {
        Event::Reservation(ReservationEvent::Asked { allocation, .. }) => {
            Some(allocation.legs[0].holds[0].rate.as_micros_per_second())
        }
        _ => None,
    }
}
