//! Windows over several sites begin on all of them, or on none.

use crate::vo::{MINUTE, Vo, at, policy, rate, span};
use walras_broker::account::{Account, Purpose};
use walras_broker::event::ReservationEvent;
use walras_broker::id::ReservationNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::Why;
use walras_broker::policy::{Deciding, Policy, PromisePolicy};
use walras_broker::price::PriceRules;
use walras_broker::site::{SiteKind, Timing};
use walras_broker::{Effect, Event, Input};
use walras_model::{Money, SiteId};

/// Sites of one node each: those that can hold parts back, and those that cannot.
fn vo(deciding: Deciding, sites: &[bool]) -> Vo {
    let mut vo = Vo::new(&[]);
    vo.say(Input::SetPolicy(Box::new(Policy { deciding, ..policy() })));
    let needy = Timing { before: span(9_000), after: span(5_000), ahead: span(30_000), ..Timing::NOTHING };
    for together in sites {
        vo.timing = if *together { Timing { together: true, ..needy } } else { Timing::NOTHING };
        vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(1_000)));
    }
    vo
}

fn both() -> [Deciding; 2] {
    [Deciding::AtOnce, Deciding::Promise(PromisePolicy::default())]
}

/// The first window that is sent to a site: its number and its start.
fn sent(vo: &mut Vo, to: u32) -> (ReservationNumber, i64) {
    for _ in 0..100_000 {
        let window = vo.effects.iter().find_map(|effect| match effect {
            Effect::Start { site, reservation, parts, .. } if *site == SiteId::new(to) => {
                Some((*reservation, parts[0].start.as_millis()))
            }
            _ => None,
        });
        if let Some(window) = window {
            return window;
        }
        vo.run_until(vo.now + 10);
    }
    panic!("nothing is sent to site {to}");
}

/// Which sites were told to begin something.
fn gone(vo: &Vo, number: ReservationNumber) -> Vec<u32> {
    let goes = vo.effects.iter().filter_map(|effect| match effect {
        Effect::Go { site, reservation } if *reservation == number => Some(site.number()),
        _ => None,
    });
    goes.collect()
}

/// Whether anything of a window has begun, and why it was given up.
fn outcome(vo: &Vo, number: ReservationNumber) -> (bool, Option<Why>) {
    let (mut begun, mut closed) = (false, None);
    for event in &vo.events {
        match event {
            Event::Reservation(ReservationEvent::PartStarted { reservation, .. })
                if *reservation == number =>
            {
                begun = true;
            }
            Event::Reservation(ReservationEvent::Closed { reservation, why, transaction, .. })
                if *reservation == number =>
            {
                closed.clone_from(why);
                if closed.is_some() {
                    let charged = transaction.taken(&Account::Held, Purpose::Charge);
                    assert_eq!(charged, Money::ZERO, "nothing is charged for {why:?}");
                }
            }
            _ => {}
        }
    }
    (begun, closed)
}

#[test]
fn all_sites_are_told_when_all_are_ready() {
    for deciding in both() {
        let mut vo = vo(deciding, &[true, true, true]);
        vo.unready.insert(SiteId::new(2));
        vo.submit(vo.job("wide", 3, 10));
        let (number, start) = sent(&mut vo, 2);
        vo.run_until(start - 1_001);
        assert_eq!((gone(&vo, number), outcome(&vo, number)), (Vec::new(), (false, None)));
        vo.heard(2, SiteMessage::Ready(number));
        assert_eq!(gone(&vo, number), [0, 1, 2]);
        // Who has not heard it is told again; nobody else.
        let outstanding = vo.broker.outstanding();
        assert!(!outstanding.iter().any(|effect| matches!(effect, Effect::Go { .. })), "{outstanding:?}");
        vo.run_until(start + 60 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 1);
        assert_eq!(outcome(&vo, number), (true, None));
    }
}

#[test]
fn where_one_is_not_ready_none_begins_and_nothing_is_charged() {
    for deciding in both() {
        let mut vo = vo(deciding, &[true, true]);
        vo.unready.insert(SiteId::new(1));
        vo.submit(vo.job("wide", 2, 10));
        let (number, start) = sent(&mut vo, 1);
        vo.run_until(start - 1_001);
        assert_eq!(outcome(&vo, number), (false, None));
        let before = vo.effects.iter().filter(|it| matches!(it, Effect::AskOffers { .. })).count();
        vo.run_until(start - 1_000);
        assert_eq!((gone(&vo, number), outcome(&vo, number)), (Vec::new(), (false, Some(Why::StartMissed))));
        // Too late for the others to hear of it.
        vo.heard(1, SiteMessage::Ready(number));
        assert!(gone(&vo, number).is_empty());
        vo.unready.clear();
        let asked = |vo: &Vo| vo.effects.iter().filter(|it| matches!(it, Effect::AskOffers { .. })).count();
        let prepared = |vo: &Vo| vo.effects.iter().filter(|it| matches!(it, Effect::Prepare { .. })).count();
        while prepared(&vo) < 4 {
            vo.run_until(vo.now + 100);
        }
        assert!(asked(&vo) > before, "it was planned again from what was no longer so");
        vo.run_until(start + 120 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 1, "it is planned again");
        assert!(!outcome(&vo, number).0);
    }
}

/// A service that was away when all had to be told finds that it is too late.
#[test]
fn who_was_away_gives_the_window_up() {
    let mut vo = vo(Deciding::AtOnce, &[true, true]);
    vo.unready.extend([SiteId::new(0), SiteId::new(1)]);
    vo.submit(vo.job("wide", 2, 10));
    let (number, start) = sent(&mut vo, 1);
    vo.now = start + 500;
    vo.say(Input::ServiceBack);
    vo.heard(0, SiteMessage::Ready(number));
    vo.say(Input::Tick);
    assert_eq!((gone(&vo, number), outcome(&vo, number)), (Vec::new(), (false, Some(Why::StartMissed))));
}

/// What a site has not acknowledged is said again, also by a broker that was started again.
#[test]
fn the_word_is_repeated() {
    let mut vo = vo(Deciding::AtOnce, &[true, true]);
    vo.unready.insert(SiteId::new(1));
    vo.submit(vo.job("wide", 2, 10));
    let (number, _) = sent(&mut vo, 1);
    vo.silent.insert(SiteId::new(0));
    vo.heard(1, SiteMessage::Ready(number));
    let again = |effect: &Effect| matches!(effect, Effect::Go { site, .. } if *site == SiteId::new(0));
    assert!(vo.broker.outstanding().iter().any(again));
    let started = SiteMessage::Started { reservation: number, parts: vec![0, 1], at: at(vo.now) };
    vo.heard(0, started);
    assert!(!vo.broker.outstanding().iter().any(again));
}

/// Where a site cannot hold its parts back, they are sent when the others are ready.
#[test]
fn who_cannot_wait_is_asked_when_the_others_are_ready() {
    for ready in [true, false] {
        let mut vo = vo(Deciding::AtOnce, &[true, false]);
        if !ready {
            vo.unready.insert(SiteId::new(0));
        }
        vo.submit(vo.job("wide", 2, 10));
        let (number, start) = sent(&mut vo, 0);
        vo.run_until(start + 5_000);
        let to_other = vo.did(|effect| {
            matches!(effect, Effect::Start { site, reservation, .. } if (*site, *reservation) == (SiteId::new(1), number))
        });
        assert_eq!((to_other, outcome(&vo, number).0), (ready, ready));
    }
}

/// On one site nothing waits for anybody's word: a broker that is down misses no start.
#[test]
fn windows_on_one_site_begin_by_themselves() {
    let mut vo = vo(Deciding::AtOnce, &[true]);
    vo.submit(vo.job("narrow", 1, 10));
    let (number, _) = sent(&mut vo, 0);
    assert!(outcome(&vo, number).0 && gone(&vo, number).is_empty());
}
