//! Sites that need time around what they hold, and are told of starts ahead of them.

use crate::vo::{MINUTE, Vo, at, policy, rate, span};
use walras_broker::policy::{Deciding, PromisePolicy};
use walras_broker::price::PriceRules;
use walras_broker::site::{SiteKind, Timing};
use walras_broker::{Effect, Input};
use walras_model::{Interval, SiteId};

/// One node of a site that needs 9 s before and 5 s after every hold, and hears of starts 30 s ahead.
fn needy(deciding: Deciding) -> Vo {
    let mut vo = Vo::new(&[]);
    vo.say(Input::SetPolicy(Box::new(walras_broker::policy::Policy { deciding, ..policy() })));
    vo.timing = Timing { before: span(9_000), after: span(5_000), ahead: span(30_000), ..Timing::NOTHING };
    vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(1_000)));
    vo
}

fn held(vo: &Vo) -> Vec<Interval> {
    let holds = vo.effects.iter().filter_map(|effect| match effect {
        Effect::Prepare { holds, .. } => Some(holds),
        _ => None,
    });
    let mut all: Vec<Interval> = holds.flatten().map(|hold| hold.interval).collect();
    all.sort_by_key(|interval| interval.start());
    all
}

#[test]
fn holds_keep_apart_and_nothing_is_asked_for_too_late() {
    for deciding in [Deciding::AtOnce, Deciding::Promise(PromisePolicy::default())] {
        let mut vo = needy(deciding);
        for name in ["a", "b", "c"] {
            vo.submit(vo.job(name, 1, 10));
        }
        vo.run_until(60 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 3, "{deciding:?}");
        let held = held(&vo);
        assert!(held.len() >= 3);
        for pair in held.windows(2) {
            assert!(pair[1].start() - pair[0].end() >= 14_000, "{held:?}");
        }
        // It answers, and then comes up.
        assert!(held[0].start().as_millis() >= 9_000 + 2_000, "{held:?}");
    }
}

#[test]
fn a_start_is_sent_ahead_and_names_its_time() {
    let mut vo = needy(Deciding::AtOnce);
    vo.submit(vo.job("a", 1, 10));
    let sent = |vo: &Vo| {
        vo.effects.iter().find_map(|effect| match effect {
            Effect::Start { parts, .. } => parts.first().map(|part| part.start.as_millis()),
            _ => None,
        })
    };
    let start = loop {
        match sent(&vo) {
            Some(start) => break start,
            None => vo.run_until(vo.now + 100),
        }
    };
    let hold = held(&vo)[0].start().as_millis();
    assert_eq!(start, hold);
    assert!((start - 30_000..=start - 29_800).contains(&vo.now), "sent at {} for {start}", vo.now);
}

#[test]
fn a_site_that_refuses_is_asked_again_what_is_free() {
    let mut vo = needy(Deciding::Promise(PromisePolicy::default()));
    vo.refusing.insert(SiteId::new(0));
    vo.submit(vo.job("a", 1, 10));
    while held(&vo).is_empty() {
        vo.run_until(vo.now + 100);
    }
    let asked =
        |vo: &Vo| vo.effects.iter().filter(|effect| matches!(effect, Effect::AskOffers { .. })).count();
    let before = asked(&vo);
    vo.refusing.clear();
    while held(&vo).len() < 2 {
        vo.run_until(vo.now + 100);
    }
    assert!(asked(&vo) > before, "it was planned again from what was no longer so");
}

/// Others are given time to answer; one that answers at once begins with the next moment, and its jobs end as well.
#[test]
fn a_site_that_answers_at_once_begins_at_once() {
    let mut vo = Vo::new(&[]);
    let deciding = Deciding::Promise(PromisePolicy::default());
    vo.say(Input::SetPolicy(Box::new(walras_broker::policy::Policy { deciding, ..policy() })));
    vo.timing = Timing { at_once: true, ..Timing::NOTHING };
    vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(1_000)));
    vo.run_until(10 * MINUTE);
    vo.submit(vo.job("a", 2, 10));
    let came = vo.now;
    vo.run_until(came + 1_000);
    let starts: Vec<i64> = held(&vo).iter().map(|interval| interval.start().as_millis()).collect();
    // The sites around are told the time a moment later; others would be given 40 s.
    assert!(
        starts.len() == 2 && starts.iter().all(|start| (came + 1..came + 10).contains(start)),
        "{starts:?}"
    );
    vo.run_until(came + 30 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
}

/// As long as nothing is known of a site it is given all the time that the rules allow; one that says how long it takes is believed.
#[test]
fn the_first_job_of_a_site_does_not_wait_for_what_is_known_of_it() {
    for (answers, within) in [(None, 5_000..=20_000), (Some(span(500)), 1_000..=2_000)] {
        let mut vo = Vo::new(&[]);
        let deciding = Deciding::Promise(PromisePolicy::default());
        let (lead, longest) = (span(100), span(5_000));
        let rules = walras_broker::policy::Policy { deciding, lead, ..policy() };
        let rules =
            walras_broker::policy::Policy { prepare_within: longest, confirm_within: longest, ..rules };
        vo.say(Input::SetPolicy(Box::new(rules)));
        vo.timing = Timing { answers, ..Timing::NOTHING };
        vo.add_site(SiteKind::Slots, 2, PriceRules::flat(rate(1_000)));
        vo.run_until(10 * MINUTE);
        let came = vo.now;
        let number = vo.submit(vo.job("a", 2, 10));
        vo.run_until(came + MINUTE);
        let waited = vo.started(number).expect("it has started") - came;
        assert!(within.contains(&waited), "{answers:?}: {waited}");
    }
}

/// In a queue the site decides when a job starts: one that must not start yet does not join it yet.
#[test]
fn what_must_not_start_yet_does_not_join_a_queue() {
    let mut vo = Vo::new(&[]);
    // By what is said of the queue, it would not be its turn before that anyway.
    vo.wait = 30 * MINUTE;
    vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(1_000)));
    let mut job = vo.job("later", 1, 10);
    job.request.earliest = Some(at(20 * MINUTE));
    vo.submit(job);
    let sent = |vo: &Vo| vo.effects.iter().any(|effect| matches!(effect, Effect::Start { .. }));
    vo.run_until(20 * MINUTE - 1);
    assert_eq!((vo.broker.state().reservations.len(), sent(&vo)), (1, false), "it is planned, and not sent");
    vo.run_until(21 * MINUTE);
    assert!(sent(&vo));
    vo.run_until(60 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
}

/// What is held cannot be passed by whoever comes: a site that answers at once is asked just before, and another as early as the rules say.
#[test]
fn a_window_is_held_no_sooner_than_its_site_needs() {
    for (early, within) in [(false, 2_000..=3_000), (true, 59_000..=60_000)] {
        let mut vo = Vo::new(&[(1, 1_000)]);
        let deciding = Deciding::Promise(PromisePolicy { early, ..PromisePolicy::default() });
        let lead = span(1_000);
        vo.say(Input::SetPolicy(Box::new(walras_broker::policy::Policy { deciding, lead, ..policy() })));
        // Nothing is known of the site before it has answered once.
        for name in ["first", "second"] {
            vo.submit(vo.job(name, 1, 10));
        }
        let asked = loop {
            vo.run_until(vo.now + 100);
            if held(&vo).len() == 2 {
                break vo.now;
            }
        };
        let before = held(&vo)[1].start().as_millis() - asked;
        assert!(within.contains(&before), "asked {before} ms before the start, early: {early}");
        vo.run_until(60 * MINUTE);
        assert_eq!(vo.broker.state().totals.done, 2);
    }
}
