//! Quotes that sites hold: accepting one cannot fail, and not taking it costs its share.

use crate::vo::{MINUTE, Vo, at, credits, policy, span, user};
use walras_broker::account::Account;
use walras_broker::event::{JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::id::QuoteNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Phase};
use walras_broker::refusal::Countable;
use walras_broker::reservation::ReservationPhase;
use walras_broker::{Answer, Effect, Event, Input, Refusal};
use walras_model::{Interval, Money, NodeId, Share, SiteId};

/// A cheap site that is busy for the first hour and a dear one; what is held and not taken costs a tenth.
fn market() -> Vo {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    let mut policy = policy();
    policy.quotes.hold_fee = Share::percent(10);
    vo.say(Input::SetPolicy(Box::new(policy)));
    let interval = Interval::new(at(0), at(60 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    vo.say(Input::CycleNow);
    vo
}

fn asking(job: JobSpec, key: &str, seconds: i64) -> Input {
    Input::AskQuote { key: key.into(), job: Box::new(job), findings: None, hold: Some(span(seconds * 1_000)) }
}

fn held(vo: &mut Vo, key: &str) -> QuoteNumber {
    let job = vo.job(key, 1, 10);
    match vo.say(asking(job, key, 60)) {
        Some(Answer::Quote(quote)) => quote,
        other => panic!("no quote: {other:?}"),
    }
}

fn accept(vo: &mut Vo, quote: QuoteNumber, option: u32) -> Option<Answer> {
    vo.say(Input::Accept { user: None, key: format!("accept-{quote}-{option}"), quote, option })
}

fn price(vo: &Vo, quote: QuoteNumber, option: usize) -> Money {
    vo.broker.state().quotes[&quote].options[option].price
}

fn owner(number: usize) -> Account {
    Account::Owner(format!("owner-{number}"))
}

fn tenth(money: Money) -> Money {
    Share::percent(10).of(money)
}

#[test]
fn what_is_held_can_be_had_although_others_want_it() {
    let mut vo = market();
    let quote = held(&mut vo, "held");
    let state = vo.broker.state();
    let jobs = state.quotes[&quote].holds.clone();
    assert_eq!(jobs.len(), 2);
    for job in &jobs {
        let Phase::Reserved(of) = state.jobs[job].phase else { panic!("{job} is not reserved") };
        assert_eq!(state.reservations[&of].phase, ReservationPhase::Held);
    }
    let (early, cheap) = (price(&vo, quote, 0), price(&vo, quote, 1));
    assert_eq!(vo.balance(&Account::Held), early.checked_add(cheap).unwrap());
    // Others fill everything around it.
    for number in 0..60 {
        vo.submit(vo.job(&format!("other-{number}"), 1, 10));
    }
    vo.run_until(50_000);
    let answer = accept(&mut vo, quote, 0);
    assert!(matches!(answer, Some(Answer::Accepted { job, .. }) if job == jobs[0]), "{answer:?}");
    assert_eq!(accept(&mut vo, quote, 0), answer);
    // The other one is given back, and its owner has something for it.
    assert!(!vo.broker.state().jobs.contains_key(&jobs[1]));
    assert_eq!(vo.balance(&owner(0)), tenth(cheap));
    vo.run_until(20 * MINUTE);
    let ended = |event: &Event| matches!(event, Event::Job(JobEvent::Ended { job, .. }) if *job == jobs[0]);
    assert!(vo.events.iter().any(ended), "it has run");
    assert_eq!(vo.broker.state().totals.quotes_kept, 1);
}

#[test]
fn what_is_not_taken_is_given_back_for_a_share_and_never_starts() {
    let mut vo = market();
    let before = vo.balance(&user("ada"));
    let quote = held(&mut vo, "left");
    let fees = [tenth(price(&vo, quote, 0)), tenth(price(&vo, quote, 1))];
    vo.run_until(100 * MINUTE);
    let state = vo.broker.state();
    assert!(state.jobs.is_empty() && state.quotes.is_empty() && state.reservations.is_empty());
    assert_eq!((vo.balance(&owner(1)), vo.balance(&owner(0))), (fees[0], fees[1]));
    let lost = before.checked_sub(vo.balance(&user("ada"))).unwrap();
    assert_eq!(lost, fees[0].checked_add(fees[1]).unwrap());
    assert!(!vo.did(|effect| matches!(effect, Effect::Start { .. })));
    assert_eq!(vo.balance(&Account::Held), Money::ZERO);
}

#[test]
fn an_alternative_whose_node_fails_is_held_no_more_and_costs_nothing() {
    let mut vo = market();
    let quote = held(&mut vo, "unlucky");
    let jobs = vo.broker.state().quotes[&quote].holds.clone();
    let before = vo.balance(&user("ada"));
    let early = price(&vo, quote, 0);
    vo.heard(1, SiteMessage::NodeLost { node: NodeId::new(1), at: at(1) });
    assert!(!vo.broker.state().jobs.contains_key(&jobs[0]) && vo.broker.state().jobs.contains_key(&jobs[1]));
    assert_eq!(vo.balance(&user("ada")), before.checked_add(early).unwrap());
    // The other can still be taken.
    assert!(matches!(accept(&mut vo, quote, 1), Some(Answer::Accepted { job, .. }) if job == jobs[1]));
}

#[test]
fn a_site_that_refuses_holds_nothing_and_the_quote_is_as_any_other() {
    let mut vo = market();
    vo.refusing.insert(SiteId::new(1));
    let quote = held(&mut vo, "refused");
    let state = vo.broker.state();
    let jobs = state.quotes[&quote].holds.clone();
    assert_eq!(jobs.iter().map(|job| state.jobs.contains_key(job)).collect::<Vec<_>>(), [false, true]);
    vo.refusing.clear();
    // Nobody else has taken it: it is asked for again, and what was held beside it is given back.
    let Some(Answer::Accepted { job, .. }) = accept(&mut vo, quote, 0) else { panic!("not accepted") };
    assert!(!jobs.contains(&job) && !vo.broker.state().jobs.contains_key(&jobs[1]));
}

#[test]
fn how_long_and_how_many_is_limited() {
    let mut vo = market();
    let decide = |vo: &Vo, key: &str, seconds: i64| {
        vo.broker.decide(at(vo.now), &asking(vo.job(key, 1, 10), key, seconds)).err()
    };
    let most = vo.broker.state().policy.quotes.valid_for;
    assert_eq!(decide(&vo, "a", 301), Some(Refusal::BadHold { asked: span(301_000), most }));
    assert_eq!(decide(&vo, "a", 0), Some(Refusal::BadHold { asked: span(0), most }));
    for number in 0..4 {
        held(&mut vo, &format!("q{number}"));
    }
    assert_eq!(decide(&vo, "b", 60), Some(Refusal::TooMany { what: Countable::HeldQuotes, most: 4 }));
    vo.run_until(2 * MINUTE);
    held(&mut vo, "again");
}

#[test]
fn who_cannot_pay_what_would_be_held_is_refused() {
    let mut vo = market();
    vo.join("poor", None, 1);
    let job = JobSpec { user: "poor".into(), ..vo.job("dear", 1, 10) };
    // A credit pays the cheap one alone.
    let answer = vo.say(asking(job, "q", 60));
    let Some(Answer::Quote(quote)) = answer else { panic!("no quote: {answer:?}") };
    assert_eq!(vo.broker.state().quotes[&quote].options.len(), 1);
    assert!(vo.balance(&Account::Held) < credits(1));
}

#[test]
fn nothing_of_a_held_quote_begins_before_it_ends() {
    let mut vo = market();
    let quote = held(&mut vo, "later");
    let given = &vo.broker.state().quotes[&quote];
    assert!(given.options.iter().all(|option| option.start >= given.until));
    assert!(given.options.iter().all(|option| given.option_until(option) == given.until));
    let asked = |event: &Event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. }));
    assert_eq!(vo.events.iter().filter(|event| asked(event)).count(), 2);
    assert!(vo.events.iter().any(|event| matches!(event, Event::Quote(QuoteEvent::Given { .. }))));
}
