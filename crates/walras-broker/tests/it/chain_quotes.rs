//! Quotes for whole chains: all of its jobs are taken as they were quoted, or none.

use crate::promises::policy;
use crate::vo::{MINUTE, Vo, at, span};
use std::sync::Arc;
use walras_broker::account::{Account, Unpayable};
use walras_broker::chain::{BadChain, ChainMember, ChainQuote};
use walras_broker::event::{JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::gate::Condition;
use walras_broker::id::{JobNumber, QuoteNumber};
use walras_broker::job::{JobSpec, Phase, Why};
use walras_broker::quoting::Inquiry;
use walras_broker::{Answer, Event, Input, Refusal};
use walras_model::{Reason, Time};

fn vo(sites: &[(usize, i64)]) -> Vo {
    let mut vo = Vo::new(sites);
    let mut policy = policy();
    policy.quotes.lead = span(60_000);
    vo.say(Input::SetPolicy(Box::new(policy)));
    // The first job of all teaches how fast the sites answer.
    vo.submit(vo.job("teacher", 1, 1));
    vo.run_until(5 * MINUTE);
    vo
}

/// Jobs of so many minutes, each when the one before it is done.
fn chain(vo: &Vo, minutes: &[i64]) -> Vec<ChainMember> {
    let member = |(place, minutes): (usize, &i64)| ChainMember {
        job: Arc::new(vo.job(&format!("link-{place}"), 1, *minutes)),
        after: place
            .checked_sub(1)
            .map(|before| (u32::try_from(before).unwrap(), Condition::Ok))
            .into_iter()
            .collect(),
    };
    minutes.iter().enumerate().map(member).collect()
}

fn ask(key: &str, members: Vec<ChainMember>) -> Input {
    Input::AskChain { key: key.to_owned(), members }
}

fn quoted(vo: &mut Vo, key: &str, members: Vec<ChainMember>) -> (QuoteNumber, ChainQuote) {
    let answer = vo.say(ask(key, members));
    let Some(Answer::Quote(number)) = answer else { panic!("it is quoted: {answer:?}") };
    (number, vo.broker.state().chains[&number].clone())
}

fn accept(key: &str, quote: QuoteNumber) -> Input {
    Input::Accept { user: Some("ada".to_owned()), key: key.to_owned(), quote, option: 0 }
}

fn refused(vo: &Vo, input: &Input) -> Refusal {
    vo.broker.decide(at(vo.now), input).unwrap_err()
}

#[test]
fn a_chain_is_taken_as_it_was_quoted() {
    let mut vo = vo(&[(2, 1_000)]);
    let asked = vo.now;
    let members = chain(&vo, &[10, 20, 30]);
    let (number, quote) = quoted(&mut vo, "q", members.clone());
    assert_eq!(quote.members.len(), 3);
    for pair in quote.members.windows(2) {
        assert!(pair[1].window.start >= pair[0].promise.finish, "{pair:?}");
        assert!(pair[1].promise.is_kept_by(&pair[1].window));
    }
    // Who asks again under the same key is told the same, and who asks for something else is not.
    assert_eq!(vo.say(ask("q", members)), Some(Answer::Quote(number)));
    let others = ask("q", chain(&vo, &[10, 20]));
    assert_eq!(refused(&vo, &others), Refusal::KeyUsed("q".to_owned()));
    // Nothing is there before it is accepted.
    assert!(vo.broker.state().jobs.is_empty());
    vo.run_until(asked + 1_000);
    let Some(Answer::Chain(jobs)) = vo.say(accept("yes", number)) else { panic!("it is honoured") };
    assert_eq!(vo.say(accept("yes", number)), Some(Answer::Chain(jobs.clone())));
    for (job, quoted) in jobs.iter().zip(quote.members.iter()) {
        let job = &vo.broker.state().jobs[job];
        assert_eq!((job.phase, job.promise), (Phase::Planned, Some(quoted.promise)));
        assert_eq!(job.plan.as_deref(), Some(&quoted.plan));
        assert_eq!(job.waits.on.len(), quoted.member.after.len());
    }
    vo.run_until(asked + 120 * MINUTE);
    let mut last: Option<Time> = None;
    for (job, quoted) in jobs.iter().zip(quote.members.iter()) {
        let start = at(vo.started(*job).expect("it has started"));
        assert!(start <= quoted.promise.start, "{start} by {quoted:?}");
        assert!(last.is_none_or(|last| start >= last));
        last = Some(start);
    }
    assert_eq!(vo.broker.state().totals.done, 4);
    let renewed = |event: &&Event| matches!(event, Event::Job(JobEvent::Planned { renewed: true, .. }));
    assert_eq!(vo.events.iter().filter(renewed).count(), 0);
}

/// Somebody takes the time of one of its jobs: none of them is there, and the user is paid for that.
#[test]
fn a_chain_is_taken_whole_or_not_at_all() {
    let mut vo = vo(&[(1, 1_000)]);
    vo.join("eve", None, 1_000);
    vo.say(Input::Deposit { key: "fees".to_owned(), account: Account::Fee, amount: crate::vo::credits(100) });
    let asked = vo.now;
    let members = chain(&vo, &[10, 20]);
    let (number, quote) = quoted(&mut vo, "q", members);
    // Eve's job is planned between the two, or in the place of one of them.
    let eve = JobSpec { user: "eve".to_owned(), ..vo.job("eves", 1, 25) };
    vo.submit(eve);
    vo.run_until(asked + 3_000);
    let before = vo.balance(&crate::vo::user("ada"));
    let Some(Answer::Broken { why, compensation }) = vo.say(accept("yes", number)) else {
        panic!("it cannot be honoured")
    };
    assert!(matches!(why, Why::Outdated(_)), "{why:?}");
    assert_eq!(compensation, vo.broker.state().policy.quotes.compensation.of(quote.price()));
    assert_eq!(vo.balance(&crate::vo::user("ada")), before + compensation);
    let state = vo.broker.state();
    assert!(state.chains.is_empty() && state.jobs.values().all(|job| job.spec.user == "eve"));
}

#[test]
fn a_chain_that_nobody_takes_ends_and_changes_nothing() {
    let mut vo = vo(&[(2, 1_000)]);
    let members = chain(&vo, &[10, 20]);
    let (number, quote) = quoted(&mut vo, "q", members);
    let tally = vo.broker.state().users["ada"].tally;
    assert_eq!(tally.quotes, 2);
    vo.run_until(quote.until.as_millis() + 1);
    let expired = |event: &&Event| matches!(event, Event::Quote(QuoteEvent::Expired(it)) if *it == number);
    assert_eq!(vo.events.iter().filter(expired).count(), 1);
    assert_eq!(refused(&vo, &accept("late", number)), Refusal::NoQuote(number));
    let state = vo.broker.state();
    assert!(state.chains.is_empty() && state.jobs.is_empty());
    assert_eq!(state.users["ada"].tally.quotes, 0);
    let asked = |event: &&Event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. }));
    assert_eq!(vo.events.iter().filter(asked).count(), 1, "the teacher's alone");
}

#[test]
fn what_is_no_chain_or_does_not_fit_is_refused_by_its_job() {
    let vo = vo(&[(2, 1_000)]);
    let bad = |members: Vec<ChainMember>| match refused(&vo, &ask("bad", members)) {
        Refusal::BadChain(why) => why,
        other => panic!("{other:?}"),
    };
    let two = || chain(&vo, &[10, 20]);
    assert_eq!(bad(two()[..1].to_vec()), BadChain::TooShort);
    assert_eq!(bad(chain(&vo, &[1; 101])), BadChain::TooLong { jobs: 101, most: 100 });
    let with = |change: fn(&mut ChainMember)| {
        let mut members = two();
        change(&mut members[1]);
        members
    };
    assert_eq!(
        bad(with(|it| it.after = [(1, Condition::Ok)].into())),
        BadChain::NotBefore { job: 1, named: 1 }
    );
    assert_eq!(bad(with(|it| it.after = [(0, Condition::Failed)].into())), BadChain::ForFailure(1));
    assert_eq!(bad(with(|it| Arc::make_mut(&mut it.job).gate.held = true)), BadChain::NotPlain(1));
    assert_eq!(bad(with(|it| Arc::make_mut(&mut it.job).array = "1-3".parse().ok())), BadChain::NotPlain(1));
    assert_eq!(bad(with(|it| Arc::make_mut(&mut it.job).user = "eve".to_owned())), BadChain::SeveralUsers);
    // The second needs three nodes, of two: nobody looks beyond the first that does not fit.
    let wide = with(|it| Arc::make_mut(&mut it.job).request.tasks = 3);
    let Refusal::ChainUnfit { member: 1, from: Some(from) } = refused(&vo, &ask("wide", wide)) else {
        panic!("it does not fit")
    };
    assert!(from > at(vo.now + 10 * MINUTE));
    let late = with(|it| Arc::make_mut(&mut it.job).request.deadline = Some(at(20 * MINUTE)));
    assert!(matches!(refused(&vo, &ask("late", late)), Refusal::ChainUnfit { member: 1, .. }));
    let at_once = Vo::new(&[(2, 1_000)]);
    let members = chain(&at_once, &[10, 20]);
    assert_eq!(refused(&at_once, &ask("none", members)), Refusal::BadChain(BadChain::NoPromises));
}

/// What its jobs cost together must be there, when it is asked for and when it is taken.
#[test]
fn a_chain_is_paid_as_a_whole() {
    let mut vo = vo(&[(2, 1_000_000)]);
    vo.join("bob", None, 100);
    let bobs = |vo: &Vo, minutes: &[i64]| -> Vec<ChainMember> {
        let mut members = chain(vo, minutes);
        members.iter_mut().for_each(|it| Arc::make_mut(&mut it.job).user = "bob".to_owned());
        members
    };
    // A minute costs 60 credits.
    let two = bobs(&vo, &[1, 1]);
    assert!(matches!(refused(&vo, &ask("dear", two.clone())), Refusal::ChainUnfit { member: 1, .. }));
    // Why is said with what the one before it leaves of bob's money.
    let (inquiry, before) = Inquiry::of_chain(vo.broker.state(), at(vo.now), &two, 1).unwrap().unwrap();
    assert_eq!(before, crate::vo::credits(60));
    let why = inquiry.search().why.expect("there is no window");
    let [Reason::BudgetTooSmall { budget, needed }] = why.reasons[..] else { panic!("{why:?}") };
    assert!(budget < crate::vo::credits(100) && needed == crate::vo::credits(60), "{why:?}");
    vo.say(Input::Deposit {
        key: "more".to_owned(),
        account: crate::vo::user("bob"),
        amount: crate::vo::credits(30),
    });
    let two = bobs(&vo, &[1, 1]);
    let (number, _) = quoted(&mut vo, "q", two);
    // Something else is promised meanwhile.
    let one = JobSpec { user: "bob".to_owned(), ..vo.job("else", 1, 1) };
    vo.submit(one);
    vo.run_until(vo.now + 2_000);
    let input = Input::Accept { user: None, key: "yes".to_owned(), quote: number, option: 0 };
    let Some(Answer::Broken { why, .. }) = vo.say(input) else { panic!("it cannot be paid") };
    assert!(matches!(why, Why::NoMoney(Unpayable::Short { .. })), "{why:?}");
    let jobs: Vec<JobNumber> = vo.broker.state().jobs.keys().copied().collect();
    assert_eq!(jobs.len(), 1);
}
