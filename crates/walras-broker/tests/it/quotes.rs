//! Quotes: several ways, binding, honoured or refused with a reason.

use crate::vo::{MINUTE, Vo, at, credits, rate, user};
use walras_broker::id::QuoteNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Why};
use walras_broker::price::PriceRules;
use walras_broker::quote::{Findings, Inquiry};
use walras_broker::{Answer, Event, Input, Refusal};
use walras_core::{Interval, NodeId, SiteId};

/// A slow cheap site and a dear one that is free at once: ada's cheap site is busy for the first hour.
fn market() -> Vo {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    let interval = Interval::new(at(0), at(60 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    vo.say(Input::CycleNow);
    vo
}

fn ask(vo: &mut Vo, key: &str, job: JobSpec) -> QuoteNumber {
    match vo.say(Input::AskQuote { key: key.to_owned(), job: Box::new(job), findings: None }) {
        Some(Answer::Quote(quote)) => quote,
        other => panic!("no quote: {other:?}"),
    }
}

fn accept(vo: &mut Vo, quote: QuoteNumber, option: u32) -> Option<Answer> {
    vo.say(Input::Accept { key: format!("accept-{quote}"), quote, option })
}

#[test]
fn a_quote_gives_the_choice_between_early_and_cheap() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    let options = &vo.broker.state().quotes[&quote].options;
    assert_eq!(options.len(), 2, "{options:#?}");
    assert!(options[0].finish < options[1].finish && options[0].price > options[1].price);
    assert_eq!(
        (options[0].sites.as_slice(), options[1].sites.as_slice()),
        (&[SiteId::new(1)][..], &[SiteId::new(0)][..])
    );
}

#[test]
fn an_accepted_quote_keeps_its_price_when_prices_rise() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    let price = vo.broker.state().quotes[&quote].options[0].price;
    vo.say(Input::SetPrices { site: SiteId::new(1), prices: PriceRules::flat(rate(90_000)) });
    let answer = accept(&mut vo, quote, 0);
    assert!(matches!(answer, Some(Answer::Accepted { .. })), "{answer:?}");
    vo.run_until(30 * MINUTE);
    let spent = credits(1_000).checked_sub(vo.balance(&user("ada"))).unwrap();
    assert_eq!(spent, price);
    // Said again, it is answered again.
    assert_eq!(accept(&mut vo, quote, 0), answer);
    assert_eq!(vo.broker.state().totals.quotes_kept, 1);
}

#[test]
fn a_quote_whose_time_is_taken_is_refused_with_the_reason() {
    let mut vo = market();
    let (first, second) = (vo.job("a", 1, 10), vo.job("b", 1, 10));
    let (one, other) = (ask(&mut vo, "q1", first), ask(&mut vo, "q2", second));
    assert!(matches!(accept(&mut vo, one, 0), Some(Answer::Accepted { .. })));
    let Some(Answer::Broken { why: Why::Outdated(sentences), .. }) = accept(&mut vo, other, 0) else {
        panic!("two quotes for the same time were accepted");
    };
    assert!(sentences[0].contains("free"), "{sentences:?}");
}

#[test]
fn a_quote_for_what_fits_nowhere_says_what_would() {
    let mut vo = market();
    let mut job = vo.job("j", 1, 10);
    job.request.budget = Some(credits(0));
    ask(&mut vo, "q", job);
    let given = vo.events.iter().rev().find_map(|event| match event {
        Event::QuoteGiven { options, why, .. } => Some((options.len(), why.clone())),
        _ => None,
    });
    let (options, why) = given.unwrap();
    assert_eq!(options, 0);
    assert_eq!(why.unwrap().smallest_change.budget.map(|budget| budget.as_micros()), Some(600_000));
}

fn ask_with(vo: &mut Vo, key: &str, job: &JobSpec, findings: &Findings) -> QuoteNumber {
    let findings = Some(Box::new(findings.clone()));
    match vo.say(Input::AskQuote { key: key.to_owned(), job: Box::new(job.clone()), findings }) {
        Some(Answer::Quote(quote)) => quote,
        other => panic!("no quote: {other:?}"),
    }
}

#[test]
fn what_was_found_before_asking_gives_the_same_quote() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let findings = Inquiry::new(vo.broker.state(), at(vo.now), &job).unwrap().unwrap().search();
    let (own, found) = (ask(&mut vo, "own", job.clone()), ask_with(&mut vo, "found", &job, &findings));
    let quotes = &vo.broker.state().quotes;
    assert_eq!(quotes[&own].options, quotes[&found].options);
    assert_eq!(quotes[&found].options.len(), 2);
}

#[test]
fn of_what_was_found_before_only_what_stands_is_quoted() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let mut findings = Inquiry::new(vo.broker.state(), at(vo.now), &job).unwrap().unwrap().search();
    let late = vo.broker.state().clone();
    // Somebody takes the early one meanwhile.
    let other = ask(&mut vo, "other", job.clone());
    assert!(matches!(accept(&mut vo, other, 0), Some(Answer::Accepted { .. })));
    let quote = ask_with(&mut vo, "q", &job, &findings);
    let options = vo.broker.state().quotes[&quote].options.clone();
    assert_eq!(options.len(), 1, "{options:#?}");
    assert_eq!(options[0].way, findings.ways[1].0);
    // Where nothing of it stands, for example because it is sold too cheaply, the broker searches itself.
    findings.ways.iter_mut().for_each(|(way, _)| way.legs[0].holds[0].cost = credits(0));
    let quote = ask_with(&mut vo, "cheap", &job, &findings);
    let options = &vo.broker.state().quotes[&quote].options;
    assert!(!options.is_empty() && options.iter().all(|option| option.price > credits(0)), "{options:#?}");
    // A job that makes no sense is refused before anything is searched.
    let nobody = JobSpec { user: "nobody".to_owned(), ..job };
    assert_eq!(Inquiry::new(&late, at(vo.now), &nobody).err(), Some(Refusal::NoUser("nobody".to_owned())));
}

#[test]
fn a_quote_binds_no_longer_than_it_says() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    vo.run_until(6 * MINUTE);
    let late = Input::Accept { key: "late".to_owned(), quote, option: 0 };
    assert_eq!(vo.broker.decide(at(vo.now), &late), Err(Refusal::NoQuote(quote)));
}
