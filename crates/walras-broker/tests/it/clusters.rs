//! What real clusters do: nodes that do not answer, users without an account, offers of which little changes.

use crate::vo::{MINUTE, Vo, at, rate, span};
use walras_broker::effect::Peer;
use walras_broker::event::{CycleEvent, ReservationEvent};
use walras_broker::id::{JobNumber, ReservationNumber};
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Phase, SiteRefusal, Why};
use walras_broker::price::PriceRules;
use walras_broker::reservation::PartState;
use walras_broker::site::{Free, SiteKind, Timing};
use walras_broker::{Effect, Event, Input};
use walras_model::{NodeId, SiteId};

/// Runs until something of a job runs; gives the reservation and the node of its first part.
fn running(vo: &mut Vo, job: JobNumber) -> (ReservationNumber, NodeId) {
    for _ in 0..10_000 {
        let found = vo.broker.state().reservations.iter().find(|(_, it)| {
            it.job == job && it.parts.iter().any(|part| matches!(part.state, PartState::Running(_)))
        });
        if let Some((number, it)) = found {
            return (*number, it.hold_of(&it.parts[0].plan).unwrap().node.unwrap());
        }
        vo.run_until(vo.now + 500);
    }
    panic!("nothing of it runs");
}

fn starts(vo: &Vo, job: JobNumber) -> Vec<ReservationNumber> {
    let of = |effect: &Effect| match effect {
        Effect::Start { reservation, job: of, .. } if *of == job => Some(*reservation),
        _ => None,
    };
    vo.effects.iter().filter_map(of).collect()
}

#[test]
fn what_runs_on_a_node_that_does_not_answer_is_waited_for() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let job = vo.submit(vo.job("a", 1, 10));
    let (number, node) = running(&mut vo, job);
    let down = SiteMessage::NodeDown { node, at: at(vo.now) };
    vo.heard(0, down.clone());
    let events = vo.events.len();
    // Said again, it is nothing new.
    vo.heard(0, down);
    assert_eq!(vo.events.len(), events);
    // Nothing is planned there: another job has the other node.
    let other = vo.submit(vo.job("b", 1, 1));
    let (_, elsewhere) = running(&mut vo, other);
    assert_ne!(node, elsewhere);
    assert_eq!(starts(&vo, job), [number]);
    // It was heard of after all.
    vo.run_until(60 * MINUTE);
    assert_eq!((vo.broker.state().totals.done, starts(&vo, job)), (2, vec![number]));
}

#[test]
fn what_has_not_begun_there_goes_elsewhere_and_what_is_lost_for_good_too() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let job = vo.submit(vo.job("a", 1, 10));
    while vo.broker.state().reservations.values().all(|it| it.job != job) {
        vo.run_until(vo.now + 500);
    }
    let node = vo.broker.state().reservations.values().next().unwrap().legs[0].holds[0].node.unwrap();
    vo.heard(0, SiteMessage::NodeDown { node, at: at(vo.now) });
    let (_, elsewhere) = running(&mut vo, job);
    assert_ne!(node, elsewhere);
    // Now the other: first it does not answer, and then it is certain that nothing runs there.
    vo.heard(0, SiteMessage::NodeDown { node: elsewhere, at: at(vo.now) });
    assert_eq!(starts(&vo, job).len(), 1);
    vo.heard(0, SiteMessage::NodeBack { node, at: at(vo.now + 1) });
    vo.heard(0, SiteMessage::NodeLost { node: elsewhere, at: at(vo.now + 1) });
    let (_, again) = running(&mut vo, job);
    assert_eq!((again, starts(&vo, job).len()), (node, 2));
}

#[test]
fn who_may_run_twice_does_not_wait() {
    for rerun in [false, true] {
        let mut vo = Vo::new(&[(1, 1_000), (1, 2_000)]);
        let job = vo.submit(JobSpec { rerun, ..vo.job("a", 1, 10) });
        let (first, node) = running(&mut vo, job);
        let site = vo.broker.state().node(node).unwrap().site;
        // The site hears nothing, so that it cannot say that nothing runs.
        vo.silent.insert(site);
        vo.heard(site.number(), SiteMessage::NodeDown { node, at: at(vo.now) });
        vo.run_until(vo.now + 5 * MINUTE);
        let twice = starts(&vo, job).iter().any(|number| *number != first);
        assert_eq!(twice, rerun);
    }
}

/// A cluster that has nothing to sell because nobody answers there is asked again at once, and not when its offers are old.
#[test]
fn who_has_nothing_to_sell_is_asked_again() {
    for timing in [Timing::NOTHING, Timing { before: span(1_000), ..Timing::NOTHING }] {
        let mut vo = Vo::new(&[]);
        vo.say(Input::SetPolicy(Box::new(crate::promises::policy())));
        vo.timing = timing;
        vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(1_000)));
        vo.silent.insert(SiteId::new(0));
        let job = vo.submit(vo.job("a", 1, 1));
        let cycle = loop {
            vo.run_until(vo.now + 100);
            if let Some(cycle) = vo.broker.state().cycle.as_ref().filter(|it| it.closed_at.is_none()) {
                break cycle.number;
            }
        };
        vo.heard(0, SiteMessage::Offers { cycle, free: Free::Slots(Vec::new()) });
        vo.silent.clear();
        vo.run_until(vo.now + 100_000);
        let found = vo.broker.state().jobs[&job].phase != Phase::Queued;
        assert_eq!(found, timing != Timing::NOTHING, "{:?}", vo.broker.state().jobs);
    }
}

#[test]
fn a_site_that_has_no_account_for_a_user_is_left_alone_for_a_while() {
    let mut vo = Vo::new(&[(1, 1_000), (1, 2_000)]);
    vo.join("eve", None, 1_000);
    (vo.refusal, vo.refusing) = (SiteRefusal::NoAccount, [SiteId::new(0)].into());
    let job = vo.submit(vo.job("a", 1, 1));
    let (_, node) = running(&mut vo, job);
    assert_eq!(node, NodeId::new(1));
    let why = Why::Refused { site: SiteId::new(0), refusal: SiteRefusal::NoAccount };
    let told = |event: &Event| {
        let Event::Reservation(ReservationEvent::Closed { why: told, .. }) = event else { return false };
        told.as_ref() == Some(&why)
    };
    assert!(vo.events.iter().any(told));
    let asked = |vo: &Vo| {
        let prepare = |effect: &&Effect| matches!(effect, Effect::Prepare { site, .. } if site.number() == 0);
        vo.effects.iter().filter(prepare).count()
    };
    // None of its jobs is tried there again, nor is that a failure of theirs; others are.
    for name in ["b", "c", "d"] {
        vo.submit(vo.job(name, 1, 1));
    }
    vo.run_until(20 * MINUTE);
    assert_eq!((asked(&vo), vo.broker.state().totals.done), (1, 4));
    vo.refusing.clear();
    vo.submit(JobSpec { user: "eve".to_owned(), ..vo.job("e", 1, 1) });
    vo.run_until(30 * MINUTE);
    assert_eq!(asked(&vo), 2);
    // Somebody may have made an account.
    vo.run_until(80 * MINUTE);
    vo.submit(vo.job("f", 1, 1));
    vo.run_until(90 * MINUTE);
    assert_eq!((asked(&vo), vo.broker.state().totals.done), (3, 6));
}

#[test]
fn sites_know_for_whom_and_beside_whom() {
    let mut vo = Vo::new(&[(1, 1_000), (1, 1_000)]);
    vo.join("eve", Some("physics"), 1_000);
    let job = vo.submit(JobSpec { user: "eve".to_owned(), ..vo.job("wide", 2, 5) });
    running(&mut vo, job);
    let of_prepare = |effect: &Effect| match effect {
        Effect::Prepare { customer, .. } => Some(customer.clone()),
        _ => None,
    };
    for customer in vo.effects.iter().filter_map(of_prepare) {
        let group = customer.group.as_deref();
        assert_eq!((customer.job, customer.user.as_str(), group), (job, "eve", Some("physics")));
    }
    let of_start = |effect: &Effect| match effect {
        Effect::Start { size, peers, .. } => Some((*size, peers.to_vec())),
        _ => None,
    };
    let mut starts = vo.effects.iter().filter_map(of_start).peekable();
    assert!(starts.peek().is_some());
    for (size, mut peers) in starts {
        peers.sort_by(|one, other| one.site.cmp(&other.site));
        let places: Vec<(&str, Option<&str>)> =
            peers.iter().map(|Peer { site, node, .. }| (site.as_str(), node.as_deref())).collect();
        assert_eq!((size, places), (2, vec![("site-0", Some("n0")), ("site-1", Some("n0"))]));
    }
}

#[test]
fn offers_are_kept_as_changes() {
    let mut vo = Vo::new(&[(40, 1_000)]);
    vo.submit(vo.job("a", 1, 300));
    vo.run_until(20 * MINUTE);
    let count = |which: fn(&Event) -> bool| vo.events.iter().filter(|event| which(event)).count();
    let whole = count(|event| matches!(event, Event::Cycle(CycleEvent::OffersReceived { .. })));
    let changes = count(|event| matches!(event, Event::Cycle(CycleEvent::OffersChanged { .. })));
    assert!(whole == 1 && changes > 1, "{whole} whole, {changes} changes");
    for event in &vo.events {
        if let Event::Cycle(CycleEvent::OffersChanged { change, .. }) = event {
            assert!(serde_json::to_vec(change).unwrap().len() < 100, "{change:?}");
        }
    }
    // What the site said last is what is known.
    let (_, free) = vo.broker.state().site(SiteId::new(0)).unwrap().free.clone().unwrap();
    assert_eq!(*free, vo.offered.clone().unwrap());
}
