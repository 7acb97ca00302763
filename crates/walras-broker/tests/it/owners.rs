//! Owners drain nodes, sell them again, and need them for themselves.

use crate::promises::policy;
use crate::vo::{MINUTE, Vo, at, user};
use walras_broker::account::{Account, Purpose};
use walras_broker::event::{JobEvent, ReservationEvent, SiteEvent};
use walras_broker::id::JobNumber;
use walras_broker::job::{Phase, Why};
use walras_broker::price::PriceRules;
use walras_broker::refusal::BadSite;
use walras_broker::site::{SiteSpec, SiteTerms};
use walras_broker::{Event, Input, Refusal};
use walras_core::prefer::{AccessRule, Rules, Who};
use walras_model::{Interval, Money, NodeId, Rate, SiteId, Time};

const SITE: SiteId = SiteId::new(0);

/// One site with two nodes that have sold something before.
fn vo() -> Vo {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(policy())));
    vo.submit(vo.job("first", 1, 1));
    vo.run_until(5 * MINUTE);
    vo
}

fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().map(|number| NodeId::new(*number)).collect()
}

fn minutes(from: i64, until: i64) -> Interval {
    Interval::new(at(from * MINUTE), at(until * MINUTE)).unwrap()
}

/// The node that a job was last planned for or reserved on.
fn node_of(vo: &Vo, number: JobNumber) -> Option<NodeId> {
    vo.events.iter().rev().find_map(|event| match event {
        Event::Job(JobEvent::Planned { job, plan, .. }) if *job == number => {
            plan.places.first().map(|place| place.0)
        }
        Event::Reservation(ReservationEvent::Asked { job, allocation, .. }) if *job == number => {
            allocation.legs.first().and_then(|leg| leg.holds.first()?.node)
        }
        _ => None,
    })
}

#[test]
fn what_is_drained_sells_nothing_new_and_keeps_what_is_held() {
    let mut vo = vo();
    let running = vo.submit(vo.job("running", 1, 30));
    vo.run_until(vo.now + MINUTE);
    assert!(vo.started(running).is_some());
    let held = node_of(&vo, running).unwrap();
    let interval = Interval::new(at(vo.now), Time::MAX).unwrap();
    vo.say(Input::Drain { site: SITE, nodes: vec![held], interval });
    // Two that could run side by side run one after the other, on the node that is left.
    let others: Vec<JobNumber> = ["a", "b"].map(|name| vo.submit(vo.job(name, 1, 10))).to_vec();
    vo.run_until(60 * MINUTE);
    for number in &others {
        assert_ne!(node_of(&vo, *number), Some(held));
        assert!(vo.started(*number).is_some());
    }
    assert_eq!(vo.broker.state().totals.done, 4, "what was held there has ended well");
    // With both nodes drained nobody can be served; sold again, they can.
    vo.say(Input::Drain { site: SITE, nodes: nodes(&[0, 1]), interval });
    let waiting = vo.submit(vo.job("waiting", 1, 10));
    vo.run_until(70 * MINUTE);
    assert_eq!(vo.broker.state().jobs[&waiting].phase, Phase::Queued);
    vo.say(Input::Resume { site: SITE, nodes: nodes(&[0, 1]) });
    vo.run_until(90 * MINUTE);
    assert!(vo.started(waiting).is_some());
    assert_eq!(vo.broker.state().totals.done, 5);
}

#[test]
fn plans_that_nobody_holds_leave_a_drained_node() {
    let mut vo = vo();
    let begun = vo.now;
    let long: Vec<JobNumber> = ["a", "b"].map(|name| vo.submit(vo.job(name, 1, 60))).to_vec();
    vo.run_until(begun + MINUTE);
    let next = vo.submit(vo.job("next", 1, 10));
    vo.run_until(begun + 2 * MINUTE);
    let before = node_of(&vo, next).unwrap();
    assert_eq!(vo.broker.state().jobs[&next].phase, Phase::Planned);
    let interval = minutes(0, 100_000);
    vo.say(Input::Drain { site: SITE, nodes: vec![before], interval });
    vo.run_until(begun + 3 * MINUTE);
    assert_eq!(node_of(&vo, next), Some(NodeId::new(1 - before.number())));
    vo.run_until(begun + 100 * MINUTE);
    assert!(long.iter().chain([&next]).all(|number| vo.started(*number).is_some()));
}

#[test]
fn what_is_reclaimed_is_given_up_and_paid_for_by_the_owner() {
    let mut vo = vo();
    let begun = vo.now;
    let running = vo.submit(vo.job("wide", 2, 30));
    vo.run_until(begun + 2 * MINUTE);
    assert!(vo.started(running).is_some());
    let (ada, owner) = (user("ada"), Account::Owner("owner-0".to_owned()));
    let interval = Interval::new(at(vo.now), at(begun + 40 * MINUTE)).unwrap();
    // Both nodes are taken before anybody goes elsewhere: nobody moves from one to the other.
    vo.say(Input::Reclaim { site: SITE, nodes: nodes(&[0, 1, 0]), interval });
    let taken = vo.events.iter().filter(|event| matches!(event, Event::Site(SiteEvent::NodeTaken { .. })));
    assert_eq!(taken.count(), 2);
    let closed = vo.events.iter().find_map(|event| match event {
        Event::Reservation(ReservationEvent::Closed {
            why: Some(Why::TakenBack(_)), transaction, ..
        }) => Some(transaction.clone()),
        _ => None,
    });
    let closed = closed.expect("the job is stopped, by the owner");
    assert!(closed.taken(&owner, Purpose::Compensation) > Money::ZERO);
    assert!(vo.balance(&ada) > Money::ZERO);
    vo.run_until(begun + 80 * MINUTE);
    assert!(vo.started(running).is_some(), "it runs again when the nodes are free");
    assert_eq!(vo.broker.state().totals.done, 2);
}

#[test]
fn what_is_not_theirs_or_over_is_refused() {
    let mut vo = Vo::new(&[(2, 1_000), (1, 1_000)]);
    let queue = vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(crate::vo::rate(1_000)));
    vo.run_until(10 * MINUTE);
    let refusal = |input: Input| vo.broker.decide(at(vo.now), &input).err();
    let interval = minutes(0, 100);
    let drain = |site, numbers: &[u32]| Input::Drain { site, nodes: nodes(numbers), interval };
    let bad = |fault| Some(Refusal::BadSite(fault));
    assert_eq!(refusal(drain(SITE, &[0, 2])), bad(BadSite::OtherNode(NodeId::new(2))));
    assert_eq!(refusal(drain(SITE, &[9])), bad(BadSite::OtherNode(NodeId::new(9))));
    assert_eq!(refusal(drain(queue, &[])), bad(BadSite::QueueHasNoNodes));
    assert_eq!(refusal(drain(SITE, &[])), bad(BadSite::NoNodesNamed));
    assert_eq!(refusal(drain(SiteId::new(7), &[0])), Some(Refusal::NoSite(SiteId::new(7))));
    let over = Input::Reclaim { site: SITE, nodes: nodes(&[0]), interval: minutes(0, 5) };
    assert_eq!(refusal(over), bad(BadSite::Over(at(5 * MINUTE))));
    for number in 0..100 {
        vo.say(Input::Drain { site: SITE, nodes: nodes(&[0]), interval: minutes(100, 200 + number) });
    }
    let most = Input::Drain { site: SITE, nodes: nodes(&[0]), interval: minutes(100, 500) };
    let refused = vo.broker.decide(at(vo.now), &most).err();
    assert_eq!(refused, bad(BadSite::DrainedTooOften { node: NodeId::new(0), most: 100 }));
}

#[test]
fn a_site_that_leaves_keeps_what_it_holds_and_sells_nothing_new() {
    let mut vo = vo();
    let running = vo.submit(vo.job("running", 1, 30));
    vo.run_until(vo.now + MINUTE);
    assert!(vo.started(running).is_some());
    vo.say(Input::RemoveSite(SITE));
    assert!(!vo.broker.state().has_left(SITE), "something runs there");
    let waiting = vo.submit(vo.job("waiting", 1, 10));
    vo.run_until(vo.now + 60 * MINUTE);
    let state = vo.broker.state();
    assert_eq!(
        (state.totals.done, state.jobs[&waiting].phase),
        (2, Phase::Queued),
        "what ran has ended well"
    );
    assert!(state.has_left(SITE));
    // The same site is welcome again, and nobody else under its name.
    let spec = SiteSpec::clone(&state.sites[0].spec);
    let other = SiteSpec { owner: "other".to_owned(), ..spec.clone() };
    let refused = vo.broker.handle(at(vo.now), &Input::AddSite(Box::new(other))).unwrap_err();
    assert_eq!(refused, Refusal::BadSite(BadSite::OtherBefore));
    let prices = PriceRules { base: Rate::from_micros_per_second(3).unwrap(), ..spec.prices.clone() };
    vo.say(Input::AddSite(Box::new(SiteSpec { prices: prices.clone(), ..spec })));
    assert_eq!(vo.broker.state().sites[0].spec.prices, prices);
    vo.run_until(vo.now + 30 * MINUTE);
    assert!(vo.started(waiting).is_some());
    assert!(!vo.broker.state().has_left(SITE));
}

#[test]
fn plans_that_nobody_holds_leave_a_site_that_leaves() {
    let mut vo = vo();
    let long: Vec<JobNumber> = ["a", "b"].map(|name| vo.submit(vo.job(name, 1, 60))).to_vec();
    vo.run_until(vo.now + MINUTE);
    let next = vo.submit(vo.job("next", 1, 10));
    vo.run_until(vo.now + MINUTE);
    assert!(node_of(&vo, next).is_some(), "it is planned behind the others");
    vo.say(Input::RemoveSite(SITE));
    vo.run_until(vo.now + 120 * MINUTE);
    assert!(long.iter().all(|number| vo.started(*number).is_some()));
    assert!(vo.started(next).is_none());
    assert_eq!(vo.broker.state().jobs[&next].phase, Phase::Queued);
}

#[test]
fn who_may_run_on_a_site_changes_while_it_is_there() {
    let mut vo = vo();
    let terms = vo.broker.state().sites[0].spec.terms();
    let nobody = AccessRule { who: Who::Everybody, allow: false, hours: None };
    let closed = SiteTerms { access: Rules { access: vec![nobody], quotas: Vec::new() }, ..terms.clone() };
    vo.say(Input::ChangeSite { site: SITE, terms: Box::new(closed) });
    let waiting = vo.submit(vo.job("waiting", 1, 10));
    vo.run_until(vo.now + 10 * MINUTE);
    assert!(vo.started(waiting).is_none());
    vo.say(Input::ChangeSite { site: SITE, terms: Box::new(terms) });
    vo.run_until(vo.now + 10 * MINUTE);
    assert!(vo.started(waiting).is_some());
}
