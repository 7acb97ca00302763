//! Slots, capacity and queues take part alike.

use crate::vo::{MINUTE, Vo, at, credits, rate, user};
use walras_broker::event::ReservationEvent;
use walras_broker::price::{Crossing, PriceRules};
use walras_broker::quoting::Inquiry;
use walras_broker::site::SiteKind;
use walras_broker::{Answer, Event, Input};
use walras_model::SiteId;

/// A VO with one site of each kind, at rising prices.
fn all_kinds() -> Vo {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.add_site(SiteKind::Capacity, 2, PriceRules::flat(rate(2_000)));
    vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(3_000)));
    vo
}

#[test]
fn a_job_runs_on_every_kind_of_site() {
    for site in 0..3 {
        let mut vo = all_kinds();
        let mut job = vo.job("j", 2, 10);
        job.request.scope.sites = Some(vec![SiteId::new(site)]);
        vo.submit(job);
        vo.run_until(60 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 1, "site {site}");
        let used = vo.events.iter().find_map(|event| match event {
            Event::Reservation(ReservationEvent::Asked { allocation, .. }) => Some(allocation.legs[0].site),
            _ => None,
        });
        assert_eq!(used, Some(SiteId::new(site)));
    }
}

#[test]
fn a_queue_without_any_wait_runs_jobs_too() {
    let mut vo = Vo::new(&[]);
    vo.wait = 0;
    vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(3_000)));
    vo.submit(vo.job("j", 2, 10));
    vo.run_until(30 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
    let job = vo.job("quoted", 1, 10);
    let findings =
        Inquiry::new(vo.broker.state(), at(vo.now), &job, None).unwrap().map(|it| Box::new(it.search()));
    vo.say(Input::AskQuote { key: "q".into(), job: Box::new(job), findings, hold: None });
    let quote = vo.broker.state().last.quote;
    let accept = Input::Accept { user: None, key: "yes".into(), quote, option: 0 };
    let answer = vo.say(accept);
    assert!(matches!(answer, Some(Answer::Accepted { .. })), "{answer:?}");
}

/// Free from 0:00 to 10:00, nights until 8:00 are cheap, and everything is sold at the price of the day.
#[test]
fn what_is_sold_whole_keeps_its_price_when_some_of_it_is_held() {
    let mut vo = Vo::new(&[]);
    let times = |millionths| walras_model::Multiplier::from_millionths(millionths).unwrap();
    let hours = (0..24).map(|hour| times(if hour < 8 { 500_000 } else { 1_000_000 })).collect();
    let prices = PriceRules { hours, crossing: Crossing::Dearest, ..PriceRules::flat(rate(100_000)) };
    vo.add_site(SiteKind::Slots, 1, prices);
    for name in ["a", "b", "c"] {
        vo.submit(vo.job(name, 1, 10));
    }
    vo.run_until(2 * MINUTE);
    assert_eq!(vo.broker.state().reservations.len(), 3, "all three were reserved by the first plan");
    vo.run_until(60 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 3);
    let spent = credits(1_000).checked_sub(vo.balance(&user("ada"))).unwrap();
    assert_eq!(spent, credits(180), "ten minutes at a tenth of a credit, three times");
}

#[test]
fn a_batch_mixes_them() {
    let mut vo = all_kinds();
    for number in 0..3 {
        vo.submit(vo.job(&format!("j{number}"), 2, 300));
    }
    let mut policy = crate::vo::policy();
    policy.choice.objective = walras_core::choose::Objective::MinMakespan;
    policy.horizon = crate::vo::span(400 * MINUTE);
    vo.say(walras_broker::Input::SetPolicy(Box::new(policy)));
    vo.run_until(2 * MINUTE);
    let state = vo.broker.state();
    let used: std::collections::BTreeSet<SiteId> =
        state.reservations.values().map(|reservation| reservation.legs[0].site).collect();
    assert_eq!(used.len(), 3, "each job on another kind of site");
}
