//! Quotes: several ways, binding, honoured or refused with a reason.

use crate::vo::{MINUTE, Vo, at, credits, policy, rate, span, user};
use walras_broker::account::Account;
use walras_broker::event::QuoteEvent;
use walras_broker::id::QuoteNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Why, WorkflowSpec};
use walras_broker::mismatch::Mismatch;
use walras_broker::policy::{Policy, StrategyUse};
use walras_broker::price::PriceRules;
use walras_broker::quote::Findings;
use walras_broker::quoting::Inquiry;
use walras_broker::site::SiteKind;
use walras_broker::{Answer, Event, Input, Refusal};
use walras_core::refine::Strategy;
use walras_model::{Interval, Money, NodeId, Performance, Reason, SiteId, Task, Work, Workflow};

/// A slow cheap site and a dear one that is free at once: ada's cheap site is busy for the first hour.
fn market() -> Vo {
    let mut vo = Vo::new(&[(1, 1_000), (1, 9_000)]);
    let interval = Interval::new(at(0), at(60 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    vo.say(Input::CycleNow);
    vo
}

fn ask(vo: &mut Vo, key: &str, job: JobSpec) -> QuoteNumber {
    match vo.say(Input::AskQuote { key: key.to_owned(), job: Box::new(job), findings: None, hold: None }) {
        Some(Answer::Quote(quote)) => quote,
        other => panic!("no quote: {other:?}"),
    }
}

fn accept(vo: &mut Vo, quote: QuoteNumber, option: u32) -> Option<Answer> {
    let given = vo.broker.state().quotes.get(&quote);
    let user = Some(given.map_or("ada", |quote| &quote.spec.user).to_owned());
    vo.say(Input::Accept { user, key: format!("accept-{quote}"), quote, option })
}

#[test]
fn who_repeats_a_request_later_is_told_the_same_although_now_has_moved() {
    let mut vo = market();
    let mut job = vo.job("j", 1, 10);
    job.request.deadline = Some(at(300 * MINUTE));
    let quote = ask(&mut vo, "q", job.clone());
    job.request.deadline = Some(at(300 * MINUTE + 200));
    assert_eq!(ask(&mut vo, "q", job.clone()), quote);
    job.request.tasks = 2;
    let other = Input::AskQuote { key: "q".to_owned(), job: Box::new(job), findings: None, hold: None };
    assert_eq!(vo.broker.decide(at(vo.now), &other), Err(Refusal::KeyUsed("q".to_owned())));
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
    let Some(Answer::Broken { why: Why::Outdated(wrong), .. }) = accept(&mut vo, other, 0) else {
        panic!("two quotes for the same time were accepted");
    };
    assert!(
        matches!(wrong.as_slice(), [Mismatch::NotFree { node, .. }] if *node == NodeId::new(1)),
        "{wrong:?}"
    );
}

#[test]
fn a_quote_for_what_fits_nowhere_says_what_would() {
    let mut vo = market();
    let mut job = vo.job("j", 1, 10);
    job.request.budget = Some(credits(0));
    ask(&mut vo, "q", job);
    let given = vo.events.iter().rev().find_map(|event| match event {
        Event::Quote(QuoteEvent::Given { options, why, .. }) => Some((options.len(), why.clone())),
        _ => None,
    });
    let (options, why) = given.unwrap();
    assert_eq!(options, 0);
    assert_eq!(why.unwrap().smallest_change.budget.map(|budget| budget.as_micros()), Some(600_000));
}

fn ask_with(vo: &mut Vo, key: &str, job: &JobSpec, findings: &Findings) -> QuoteNumber {
    let findings = Some(Box::new(findings.clone()));
    match vo.say(Input::AskQuote { key: key.to_owned(), job: Box::new(job.clone()), findings, hold: None }) {
        Some(Answer::Quote(quote)) => quote,
        other => panic!("no quote: {other:?}"),
    }
}

#[test]
fn what_was_found_before_asking_gives_the_same_quote() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let findings = Inquiry::new(vo.broker.state(), at(vo.now), &job, None).unwrap().unwrap().search();
    let (own, found) = (ask(&mut vo, "own", job.clone()), ask_with(&mut vo, "found", &job, &findings));
    let quotes = &vo.broker.state().quotes;
    assert_eq!(quotes[&own].options, quotes[&found].options);
    assert_eq!(quotes[&found].options.len(), 2);
}

#[test]
fn of_what_was_found_before_only_what_stands_is_quoted() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let mut findings = Inquiry::new(vo.broker.state(), at(vo.now), &job, None).unwrap().unwrap().search();
    let late = vo.broker.state().clone();
    // Somebody takes the early one meanwhile.
    let other = ask(&mut vo, "other", job.clone());
    assert!(matches!(accept(&mut vo, other, 0), Some(Answer::Accepted { .. })));
    let quote = ask_with(&mut vo, "q", &job, &findings);
    let options = vo.broker.state().quotes[&quote].options.clone();
    assert_eq!(options.len(), 1, "{options:#?}");
    assert_eq!(options[0].allocation, findings.allocations[1].0);
    // Where nothing of it stands, for example because it is sold too cheaply, whoever asks must search again.
    findings.allocations.iter_mut().for_each(|(it, _)| it.legs[0].holds[0].cost = credits(0));
    let findings = Some(Box::new(findings));
    let cheap = Input::AskQuote { key: "cheap".to_owned(), job: Box::new(job.clone()), findings, hold: None };
    assert_eq!(vo.broker.decide(at(vo.now), &cheap), Err(Refusal::Outdated));
    // A job that cannot be is refused before anything is searched.
    let nobody = JobSpec { user: "nobody".to_owned(), ..job };
    assert_eq!(
        Inquiry::new(&late, at(vo.now), &nobody, None).err(),
        Some(Refusal::NoUser("nobody".to_owned()))
    );
}

#[test]
fn a_quote_is_accepted_by_whom_it_was_given_to() {
    let mut vo = market();
    vo.join("eve", None, 1_000);
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    let by =
        |user: &str| Input::Accept { user: Some(user.to_owned()), key: "k".to_owned(), quote, option: 0 };
    assert_eq!(vo.broker.decide(at(vo.now), &by("eve")), Err(Refusal::NoQuote(quote)));
    let answer = vo.say(by("ada"));
    assert!(matches!(answer, Some(Answer::Accepted { .. })), "{answer:?}");
    // The same key of somebody else is another key.
    assert_eq!(vo.broker.decide(at(vo.now), &by("eve")), Err(Refusal::NoQuote(quote)));
    assert_eq!(vo.say(by("ada")), answer);
}

#[test]
fn who_breaks_a_quote_is_not_paid_for_it() {
    let mut vo = market();
    let mut paying = policy();
    paying.quotes.compensation = walras_model::Share::percent(5);
    vo.say(Input::SetPolicy(Box::new(paying)));
    vo.say(Input::Deposit { key: "fees".to_owned(), account: Account::Fee, amount: credits(100) });
    vo.join("eve", None, 1_000);
    let (job, other) = (vo.job("a", 1, 10), JobSpec { user: "eve".to_owned(), ..vo.job("b", 1, 10) });
    let quotes = [ask(&mut vo, "1", job.clone()), ask(&mut vo, "2", job), ask(&mut vo, "3", other)];
    assert!(matches!(accept(&mut vo, quotes[0], 0), Some(Answer::Accepted { .. })));
    // Ada has taken the time herself; eve is told that it is gone, and paid.
    let Some(Answer::Broken { compensation, .. }) = accept(&mut vo, quotes[1], 0) else {
        panic!("accepted twice")
    };
    assert_eq!(compensation, credits(0));
    let Some(Answer::Broken { compensation, .. }) = accept(&mut vo, quotes[2], 0) else {
        panic!("accepted twice")
    };
    assert!(compensation > credits(0));
}

#[test]
fn an_alternative_whose_time_has_begun_is_no_broken_promise() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    let begins = vo.broker.state().quotes[&quote].options[0].start;
    let late = Input::Accept { user: None, key: "late".to_owned(), quote, option: 0 };
    assert_eq!(vo.broker.decide(begins, &late), Err(Refusal::OptionPast(0)));
}

/// Whoever joins a queue later ends as much later.
#[test]
fn an_option_in_a_queue_binds_while_its_job_can_still_end_in_time() {
    let mut vo = Vo::new(&[]);
    vo.add_site(Vo::queue_kind(), 0, PriceRules::flat(rate(1_000)));
    vo.say(Input::CycleNow);
    let mut job = vo.job("j", 1, 10);
    let deadline = at(vo.now + 13 * MINUTE);
    job.request.deadline = Some(deadline);
    let quote = ask(&mut vo, "q", job);
    let given = vo.broker.state().quotes[&quote].clone();
    let (option, asked) = (&given.options[0], given.asked.unwrap());
    let last = given.option_until(option);
    assert!(last < given.until && last - asked == deadline - option.finish, "{last:?}");
    let take = Input::Accept { user: None, key: "take".to_owned(), quote, option: 0 };
    assert_eq!(vo.broker.decide(last, &take), Err(Refusal::OptionPast(0)));
    let before = at(last.as_millis() - 1);
    assert!(vo.broker.decide(before, &take).is_ok());
}

#[test]
fn a_quote_binds_no_longer_than_it_says() {
    let mut vo = market();
    let job = vo.job("j", 1, 10);
    let quote = ask(&mut vo, "q", job);
    vo.run_until(6 * MINUTE);
    let late = Input::Accept { user: None, key: "late".to_owned(), quote, option: 0 };
    assert_eq!(vo.broker.decide(at(vo.now), &late), Err(Refusal::NoQuote(quote)));
}

#[test]
fn a_quote_for_a_workflow_names_the_least_budget_over_all_sizes_of_window() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    vo.say(Input::CycleNow);
    let horizon = vo.broker.state().policy.horizon.as_millis();
    // One node would be needed for longer than anybody sells; two side by side would do.
    let task = |name: &str| Task::new(name, Work::from_millis(horizon * 2 / 3));
    let workflow = Workflow::new("pair", vec![task("left"), task("right")], Vec::new()).unwrap();
    let mut job = vo.job("pair", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    let mut quoted = |key: &str, budget: Money| {
        let mut job = job.clone();
        job.request.budget = Some(budget);
        let quote = ask(&mut vo, key, job);
        let quote = &vo.broker.state().quotes[&quote];
        (quote.options.len(), quote.why.clone())
    };
    let (options, why) = quoted("poor", Money::from_micros(1));
    let why = why.unwrap();
    let needed = why.smallest_change.budget.expect("a budget that would do");
    assert_eq!(options, 0);
    assert_eq!(why.reasons, [Reason::BudgetTooSmall { budget: Money::from_micros(1), needed }]);
    assert_eq!(why.smallest_change.tasks, None);
    assert_eq!(quoted("short", Money::from_micros(needed.as_micros() - 1)).0, 0);
    assert!(quoted("enough", needed).0 > 0);
}

/// What is quoted leaves time to be taken; where a deadline leaves none, it starts at once.
#[test]
fn there_is_time_to_take_what_is_quoted() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    let mut policy = crate::vo::policy();
    policy.quotes.lead = span(5 * MINUTE);
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo.say(Input::CycleNow);
    let asked = vo.now;
    let started = |vo: &mut Vo, key: &str, deadline: Option<i64>| {
        let mut job = vo.job(key, 1, 10);
        job.request.deadline = deadline.map(at);
        let asks = Input::AskQuote { key: key.to_owned(), job: Box::new(job), findings: None, hold: None };
        let Some(Answer::Quote(quote)) = vo.say(asks) else { panic!("there is a quote") };
        vo.broker.state().quotes[&quote].options.first().map(|option| option.start.as_millis() - asked)
    };
    let at_once = started(&mut vo, "soon", Some(asked + 12 * MINUTE)).unwrap();
    assert!((0..2 * MINUTE).contains(&at_once), "{at_once}");
    assert_eq!(started(&mut vo, "calm", None), Some(5 * MINUTE));
    assert_eq!(started(&mut vo, "never", Some(asked + 5 * MINUTE)), None);
}

/// The window that is cheapest by a strategy is shown like any other: never beside one that ends before it and costs as little.
#[test]
fn what_a_strategy_asks_for_is_no_reason_to_show_what_nobody_would_take() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    vo.performance = Performance::from_millionths(2_000_000).unwrap();
    vo.add_site(SiteKind::Slots, 1, PriceRules::flat(rate(2_000)));
    let windows = Policy { strategies: StrategyUse::Windows, sharing: None, ..policy() };
    vo.say(Input::SetPolicy(Box::new(windows)));
    vo.say(Input::CycleNow);
    let workflow = Workflow::new("w", vec![Task::new("a", Work::from_millis(10 * MINUTE))], vec![]).unwrap();
    let mut job = vo.job("cheap", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Cheapest, programs: Vec::new() });
    job.request.deadline = Some(at(300 * MINUTE));
    let quote = ask(&mut vo, "q", job);
    let options = &vo.broker.state().quotes[&quote].options;
    let ends: Vec<_> = options.iter().map(|it| (it.finish, it.price, it.sites[0])).collect();
    assert!(ends.len() == 1 && ends[0].2 == SiteId::new(1), "{ends:?}");
}

#[test]
fn who_came_before_and_has_no_plan_yet_is_counted_when_a_job_is_asked_about() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    vo.say(Input::CycleNow);
    let first = |vo: &Vo| {
        let job = vo.job("asked", 1, 10);
        let found = Inquiry::at_once(vo.broker.state(), at(vo.now), &job).unwrap().unwrap().search();
        found.allocations.iter().map(|(it, _)| it.start().as_millis()).min().unwrap()
    };
    assert!(first(&vo) < vo.now + MINUTE);
    for name in ["a", "b"] {
        let key = name.to_owned();
        vo.broker.handle(at(vo.now), &Input::Submit { key, job: Box::new(vo.job(name, 1, 10)) }).unwrap();
    }
    let start = first(&vo);
    assert!(start >= vo.now + 20 * MINUTE && start < vo.now + 22 * MINUTE, "{start}");
}
