//! What a job was promised is kept by every later plan; within that, its window moves.

use crate::vo::{MINUTE, Vo, at, credits, span};
use walras_broker::account::Unpayable;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{DelayCost, Job, JobEnd, Phase, Why};
use walras_broker::policy::{Deciding, Policy, PromisePolicy};
use walras_broker::{Answer, Event, Input, WorthInquiry};
use walras_core::agenda::{Late, Until};
use walras_core::prefer::{Aggregation, Criterion, Preference, Weighted};
use walras_model::NodeId;

/// Short times, and promises.
pub(crate) fn policy() -> Policy {
    Policy { deciding: Deciding::Promise(PromisePolicy::default()), lead: span(2_000), ..crate::vo::policy() }
}

pub(crate) fn vo(sites: &[(usize, i64)]) -> Vo {
    let mut vo = Vo::new(sites);
    vo.say(Input::SetPolicy(Box::new(policy())));
    // The first job of all teaches how fast the sites answer.
    vo.submit(vo.job("first", 1, 1));
    vo.run_until(5 * MINUTE);
    vo
}

pub(crate) fn job(vo: &Vo, number: JobNumber) -> &Job {
    vo.broker.state().jobs.get(&number).expect("the job has not ended")
}

#[test]
fn a_job_that_fits_starts_within_seconds() {
    let mut vo = vo(&[(2, 1_000)]);
    let submitted = vo.now;
    let number = vo.submit(vo.job("small", 1, 10));
    vo.run_until(submitted + MINUTE);
    let start = vo.started(number).expect("it has started");
    assert!((submitted + 2_000..submitted + 2_010).contains(&start), "{start}");
}

#[test]
fn who_waits_moves_up_when_somebody_ends_early() {
    let mut vo = vo(&[(1, 1_000)]);
    vo.takes = 10;
    let begun = vo.now;
    vo.submit(vo.job("long", 1, 100));
    vo.run_until(begun + MINUTE);
    let number = vo.submit(vo.job("next", 1, 10));
    vo.run_until(begun + 2 * MINUTE);
    let next = job(&vo, number);
    let promise = next.promise.expect("it is promised something");
    assert_eq!(next.phase, Phase::Planned);
    let planned = next.plan.as_ref().expect("it is planned").start;
    assert!(planned >= at(begun + 100 * MINUTE) && planned <= at(begun + 101 * MINUTE), "{planned}");
    assert!(promise.start > at(begun + 120 * MINUTE), "a quarter of the wait on top");
    // The long job ends after a tenth of its time.
    vo.run_until(begun + 15 * MINUTE);
    let start = vo.started(number).expect("it has started");
    assert!(start <= begun + 11 * MINUTE, "{start}");
}

/// A window that moves by a minute is nothing to tell whoever waits for hours; one that moves by an hour is.
#[test]
fn users_are_told_of_what_concerns_them() {
    for (takes, told) in [(99, 200), (50, 150)] {
        let mut vo = vo(&[(1, 1_000)]);
        vo.takes = takes;
        let begun = vo.now;
        for name in ["one", "two"] {
            vo.submit(vo.job(name, 1, 100));
            vo.run_until(vo.now + 10_000);
        }
        let number = vo.submit(vo.job("three", 1, 100));
        vo.run_until(begun + 2 * MINUTE);
        let about = |time: walras_model::Time, minutes: i64| {
            let (from, to) = (begun + minutes * MINUTE, begun + (minutes + 1) * MINUTE);
            assert!(
                (from..to).contains(&time.as_millis()),
                "{time} is not about {minutes} min after {begun}"
            );
        };
        about(job(&vo, number).told.clone().expect("its user was told of it").start, 200);
        // The first job ends before its time, and all move up.
        vo.run_until(begun + 100 * MINUTE);
        let third = job(&vo, number);
        about(third.plan.as_ref().expect("it is planned").start, 100 + takes);
        about(third.told.clone().expect("its user was told of it").start, told);
    }
}

/// Nobody was there when a job was to start; it starts as soon as somebody is again, within its promise, and not behind those who came later.
#[test]
fn who_was_missed_goes_first() {
    let mut vo = vo(&[(1, 1_000)]);
    let begun = vo.now;
    let numbers: Vec<JobNumber> = ["a", "b", "c", "d"].map(|name| vo.submit(vo.job(name, 1, 20))).to_vec();
    vo.run_until(begun + 10 * MINUTE);
    let (planned, promise) =
        (job(&vo, numbers[1]).plan.as_ref().unwrap().start, job(&vo, numbers[1]).promise.unwrap());
    // The first ends, and the service is away until a minute after the second was to start.
    vo.run_until(planned.as_millis() - 10_000);
    assert_eq!(job(&vo, numbers[1]).phase, Phase::Planned, "it is not held yet");
    vo.now = planned.as_millis() + MINUTE;
    assert!(at(vo.now) < promise.start);
    vo.run_until(vo.now + 5 * MINUTE);
    let start = vo.started(numbers[1]).expect("it has started");
    assert!(at(start) <= promise.start, "{start} by {promise:?}");
}

/// What sites say is free is used for a while: a job that takes almost as long as is planned ahead starts all the same where nodes are idle.
#[test]
fn a_job_almost_as_long_as_the_horizon_does_not_wait_for_news() {
    let mut vo = vo(&[(2, 1_000)]);
    vo.submit(vo.job("small", 1, 1));
    // Sites were asked just now, and are not asked again for some minutes.
    vo.run_until(vo.now + 3 * MINUTE);
    let (submitted, horizon) = (vo.now, policy().horizon.as_millis() / MINUTE);
    let number = vo.submit(vo.job("long", 1, horizon - 1));
    vo.run_until(submitted + MINUTE);
    assert!(vo.started(number).is_some());
}

/// Nothing that comes later makes a job start or end later, or cost more, than it was promised.
#[test]
fn every_promise_is_kept_whatever_comes_after_it() {
    let mut vo = vo(&[(3, 1_000), (2, 2_000)]);
    vo.takes = 60;
    for round in 0..60_i64 {
        let tasks = 1 + u32::try_from(round % 3).unwrap();
        let mut job = vo.job(&format!("job-{round}"), tasks, 1 + (round * 7) % 40);
        job.request.scope.same_site = round % 4 == 0;
        vo.submit(job);
        vo.run_until(vo.now + (round % 5) * 2 * MINUTE);
    }
    vo.run_until(vo.now + 2_000 * MINUTE);
    let mut promised = std::collections::BTreeMap::new();
    let mut moved = 0;
    for event in &vo.events {
        match event {
            Event::Job(JobEvent::Planned { job, promise, renewed, .. }) => {
                assert!(!renewed, "job {job}");
                let before = promised.insert(*job, *promise);
                assert!(before.is_none_or(|before| before == *promise), "job {job}");
                moved += i32::from(before.is_some());
            }
            Event::Reservation(ReservationEvent::Asked { job, allocation, .. }) => {
                let promise = promised[job];
                assert!(allocation.start() <= promise.start && allocation.finish() <= promise.finish);
                assert!(allocation.cost() <= promise.cost);
            }
            _ => {}
        }
    }
    assert_eq!(vo.broker.state().totals.done, 61);
    assert!(moved > 20, "windows move: {moved}");
}

#[test]
fn a_plan_on_a_node_that_fails_is_made_again() {
    let mut vo = vo(&[(1, 1_000), (1, 1_000)]);
    let begun = vo.now;
    for name in ["one", "two"] {
        vo.submit(vo.job(name, 1, 30));
    }
    vo.run_until(begun + MINUTE);
    let number = vo.submit(vo.job("third", 1, 10));
    vo.run_until(begun + 2 * MINUTE);
    let node = job(&vo, number).plan.as_ref().expect("it is planned").places[0].0;
    vo.heard(node.number(), SiteMessage::NodeLost { node, at: at(vo.now) });
    vo.run_until(begun + 3 * MINUTE);
    let other = job(&vo, number).plan.as_ref().expect("it is planned again").places[0].0;
    assert_eq!(other, NodeId::new(1 - node.number()));
}

/// Money that is promised to one job is not promised to another.
#[test]
fn nobody_is_promised_more_than_they_can_pay() {
    let mut vo = vo(&[(1, 1_000_000)]);
    vo.join("bob", None, 100);
    for number in 0..3 {
        let mut job = vo.job(&format!("b{number}"), 1, 1);
        job.user = "bob".to_owned();
        vo.submit(job);
    }
    vo.run_until(vo.now + 20_000);
    let state = vo.broker.state();
    let bobs = || state.jobs.values().filter(|job| job.spec.user == "bob");
    assert_eq!(bobs().filter(|job| job.promise.is_some()).count(), 1);
    for left in bobs().filter(|job| job.promise.is_none()) {
        let Some(Why::NoMoney(Unpayable::Short { available, needed, .. })) = &left.why else {
            panic!("{:?}", left.why)
        };
        assert_eq!((*available, *needed), (credits(40), credits(60)));
    }
}

/// A quote is given from what nobody was promised, and accepting it breaks no promise.
#[test]
fn quotes_and_promises_do_not_meet() {
    let mut vo = vo(&[(1, 1_000)]);
    let begun = vo.now;
    vo.submit(vo.job("long", 1, 30));
    vo.run_until(begun + MINUTE);
    let number = vo.submit(vo.job("next", 1, 30));
    vo.run_until(begun + 2 * MINUTE);
    let promise = job(&vo, number).promise;
    let ask = Input::AskQuote {
        key: "q".into(),
        job: Box::new(vo.job("quoted", 1, 20)),
        findings: None,
        hold: None,
    };
    let Some(Answer::Quote(quote)) = vo.say(ask) else { panic!("a quote is given") };
    let option = &vo.broker.state().quotes[&quote].options[0];
    assert!(option.start >= at(begun + 2_000 + 60 * MINUTE), "{}", option.start);
    let accept = Input::Accept { user: None, key: "yes".into(), quote, option: 0 };
    let Some(Answer::Accepted { .. }) = vo.say(accept) else { panic!("it is honoured") };
    vo.run_until(begun + 3 * MINUTE);
    assert_eq!(job(&vo, number).promise, promise);
    vo.run_until(begun + 200 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 4);
}

/// Who says that a delay costs nothing waits for the cheap node; who is in a hurry pays for the other.
#[test]
fn what_a_delay_is_worth_decides_between_early_and_cheap() {
    let where_planned = |change: fn(&mut walras_broker::job::JobSpec)| {
        let mut vo = vo(&[(1, 1_000), (1, 4_000)]);
        vo.submit(vo.job("cheap", 1, 30));
        vo.run_until(vo.now + MINUTE);
        let mut job = vo.job("asked", 1, 10);
        change(&mut job);
        let number = vo.submit(job);
        vo.run_until(vo.now + MINUTE);
        let asked = vo.events.iter().find_map(|event| match event {
            Event::Job(JobEvent::Planned { job, plan, .. }) if *job == number => Some(plan.places[0].0),
            _ => None,
        });
        asked.expect("it is planned").number()
    };
    assert_eq!(
        where_planned(|_| {}),
        1,
        "half an hour is worth more than three times the price of ten minutes"
    );
    assert_eq!(where_planned(|job| job.delay = Some(DelayCost { per_hour: credits(0), after: None })), 0);
    assert_eq!(where_planned(|job| job.delay = Some(DelayCost { per_hour: credits(100), after: None })), 1);
    // Nothing is lost before tomorrow.
    let tomorrow = |job: &mut walras_broker::job::JobSpec| {
        job.delay = Some(DelayCost { per_hour: credits(100), after: Some(at(24 * 60 * MINUTE)) });
    };
    assert_eq!(where_planned(tomorrow), 0);
    let thrifty = |job: &mut walras_broker::job::JobSpec| {
        let weights = vec![Weighted::new(Criterion::Cost, 9), Weighted::new(Criterion::Finish, 1)];
        job.preference = Some(Preference::new(weights, Aggregation::CRITERIA).unwrap());
    };
    assert_eq!(where_planned(thrifty), 0);
}

/// By its estimate a job cannot end in time, by its run it does: it is given up when its deadline passes, or run.
#[test]
fn who_would_be_late_is_given_up_or_run() {
    for late in [Late::Refused, Late::Run] {
        let mut vo = vo(&[(1, 1_000)]);
        let rules = PromisePolicy { late, ..PromisePolicy::default() };
        vo.say(Input::SetPolicy(Box::new(Policy { deciding: Deciding::Promise(rules), ..policy() })));
        vo.takes = 10;
        let begun = vo.now;
        vo.submit(vo.job("long", 1, 100));
        vo.run_until(begun + MINUTE);
        let mut next = vo.job("next", 1, 45);
        let deadline = at(begun + 50 * MINUTE);
        next.request.deadline = Some(deadline);
        let number = vo.submit(next);
        vo.run_until(begun + 2 * MINUTE);
        let promise = job(&vo, number).promise;
        assert_eq!(promise.is_some_and(|promise| promise.finish > deadline), late == Late::Run);
        // The long job ends after ten minutes; the next would then take until the fifty-fifth.
        vo.run_until(begun + 60 * MINUTE);
        let end = vo.events.iter().find_map(|event| match event {
            Event::Job(JobEvent::Ended { job, end }) if *job == number => Some(end.clone()),
            _ => None,
        });
        let expected = match late {
            Late::Refused => JobEnd::GivenUp(Why::DeadlinePassed),
            Late::Run => JobEnd::Done,
        };
        assert_eq!(end, Some(expected));
        assert_eq!(vo.started(number).is_some_and(|start| start < begun + 12 * MINUTE), late == Late::Run);
    }
}

/// Who is promised its deadline makes room for others until then, and ends by it.
#[test]
fn a_promise_may_last_until_the_deadline() {
    let mut vo = vo(&[(1, 1_000)]);
    let rules = PromisePolicy { until: Until::Deadline, ..PromisePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy { deciding: Deciding::Promise(rules), ..policy() })));
    let begun = vo.now;
    vo.submit(vo.job("before", 1, 20));
    vo.run_until(begun + MINUTE);
    let mut patient = vo.job("patient", 1, 30);
    patient.request.deadline = Some(at(begun + 200 * MINUTE));
    let patient = vo.submit(patient);
    vo.run_until(begun + 2 * MINUTE);
    let promise = job(&vo, patient).promise.expect("it is promised something");
    assert_eq!((promise.start, promise.finish), (at(begun + 170 * MINUTE), at(begun + 200 * MINUTE)));
    let short = vo.submit(vo.job("short", 1, 5));
    vo.run_until(begun + 400 * MINUTE);
    let [patient, short] = [patient, short].map(|number| vo.started(number).expect("it has started"));
    assert!(short < patient && patient <= begun + 170 * MINUTE, "{short} {patient}");
}

/// Nobody is promised much before they are first of those who wait; then what is planned for them, and nothing breaks that.
#[test]
fn a_promise_may_wait_until_one_is_first() {
    let mut vo = vo(&[(1, 1_000)]);
    let slack = walras_model::Share::NOTHING;
    let rules = PromisePolicy { until: Until::First, slack, ..PromisePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy { deciding: Deciding::Promise(rules), ..policy() })));
    let begun = vo.now;
    vo.submit(vo.job("before", 1, 20));
    vo.run_until(begun + MINUTE);
    let first = vo.submit(vo.job("long", 1, 30));
    let second = vo.submit(vo.job("longer", 1, 40));
    vo.run_until(begun + 2 * MINUTE);
    let promised = |vo: &Vo, number| job(vo, number).promise.expect("it is promised something").start;
    let planned =
        |vo: &Vo, number| vo.broker.state().planned_terms(job(vo, number)).expect("it is planned").start;
    assert_eq!(promised(&vo, first), planned(&vo, first));
    let week = promised(&vo, second);
    assert_eq!(week, planned(&vo, second).checked_add(rules.slack_max).unwrap());
    vo.run_until(begun + 30 * MINUTE);
    let firm = promised(&vo, second);
    assert_eq!((firm, firm < week), (planned(&vo, second), true));
    vo.run_until(begun + 200 * MINUTE);
    let started = vo.started(second).expect("it has started");
    assert!(at(started) <= firm && vo.broker.state().totals.done == 4, "{started}");
}

/// What time is worth is seen where somebody waits for it, and not where nobody does.
#[test]
fn time_is_worth_something_where_jobs_wait() {
    let mut vo = vo(&[(1, 10_000)]);
    let worth = |vo: &Vo| WorthInquiry::new(vo.broker.state(), at(vo.now)).expect("time is for sale");
    assert!(worth(&vo).search().is_none() && worth(&vo).waiting() == 0);
    let begun = vo.now;
    for name in ["runs", "waits", "waits longer"] {
        vo.submit(vo.job(name, 1, 20));
    }
    vo.run_until(begun + 2 * MINUTE);
    assert_eq!(worth(&vo).waiting(), 2);
    let found = worth(&vo).search().expect("somebody waits").worth;
    let first = found.periods.first().expect("time is scarce");
    assert!(first.worth > 0 && first.interval.start() <= at(begun + 60 * MINUTE), "{found:?}");
    assert!(found.kinds[0].each > 0 && found.calm_from.is_some_and(|calm| calm > at(vo.now)), "{found:?}");
}
