//! Arrays: one submission, many elements, of which only some are jobs at a time.

use crate::vo::{MINUTE, Vo, at, credits};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::gate::{Condition, Dependency, Which};
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobEnd, JobSpec, PartEnd, Phase, Why};
use walras_broker::policy::Policy;
use walras_broker::ranks::Ranks;
use walras_broker::refusal::BadJob;
use walras_broker::{Broker, Effect, Event, Input, Refusal};
use walras_model::Money;

fn array(vo: &Vo, name: &str, minutes: i64, indices: &str) -> JobSpec {
    JobSpec { array: Some(indices.parse().unwrap()), ..vo.job(name, 1, minutes) }
}

fn policies() -> [Policy; 2] {
    [crate::vo::policy(), crate::promises::policy()]
}

fn with(policy: Policy, nodes: usize) -> Vo {
    let mut vo = Vo::new(&[(nodes, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(policy)));
    vo
}

fn element(vo: &Vo, array: JobNumber, index: u32) -> JobNumber {
    vo.broker.state().number_of(Which { job: array, element: Some(index) }).unwrap()
}

fn end_of(vo: &Vo, number: JobNumber) -> Option<JobEnd> {
    vo.events.iter().find_map(|event| match event {
        Event::Job(JobEvent::Ended { job, end }) if *job == number => Some(end.clone()),
        _ => None,
    })
}

fn cancel(vo: &mut Vo, job: JobNumber) {
    vo.say(Input::CancelJob { user: "ada".to_owned(), job });
}

/// How many jobs of an array were begun and not ended at once, at the most; and how often each element began.
fn course(vo: &Vo, array: JobNumber, count: u64) -> (usize, BTreeMap<u64, u32>) {
    let (mut jobs, mut running, mut most) = (BTreeMap::new(), BTreeSet::new(), 0);
    let mut begun: BTreeMap<u64, u32> = BTreeMap::new();
    for event in &vo.events {
        match event {
            Event::Reservation(ReservationEvent::Asked { reservation, job, .. }) => {
                jobs.insert(*reservation, job.get());
            }
            Event::Reservation(ReservationEvent::PartStarted { reservation, .. }) => {
                let rank = jobs[reservation].wrapping_sub(array.get() + 1);
                if rank < count {
                    *begun.entry(rank).or_default() += 1;
                    running.insert(rank);
                    most = most.max(running.len());
                }
            }
            Event::Reservation(ReservationEvent::PartEnded { reservation, .. }) => {
                running.remove(&jobs[reservation].wrapping_sub(array.get() + 1));
            }
            _ => {}
        }
    }
    (most, begun)
}

#[test]
fn every_element_runs_once_and_no_more_than_the_limit_at_once() {
    for policy in policies() {
        let mut vo = with(policy, 8);
        let first = vo.submit(array(&vo, "many", 10, "1-19:2,30%3"));
        let next = vo.submit(vo.job("next", 1, 1));
        assert_eq!(next.get(), first.get() + 12, "its elements have the numbers after its own");
        vo.run_until(400 * MINUTE);
        let (most, begun) = course(&vo, first, 11);
        assert_eq!(most, 3);
        assert_eq!(begun, (0..11).map(|rank| (rank, 1)).collect());
        assert_eq!(end_of(&vo, first), Some(JobEnd::Done));
        let places: BTreeSet<u32> = vo
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Start { program, .. } => program.array,
                _ => None,
            })
            .map(|place| {
                assert_eq!((place.array, place.count, place.lowest, place.highest), (first, 11, 1, 30));
                place.index
            })
            .collect();
        assert_eq!(places, (1..=19).step_by(2).chain([30]).collect());
        let state = vo.broker.state();
        assert_eq!((state.totals.done, state.arrays.len(), state.jobs.len()), (2, 0, 0));
        let told = |effect: &&Effect| matches!(effect, Effect::Notify { job, .. } if *job != next);
        assert_eq!(vo.effects.iter().filter(told).count(), 1, "one is told of the whole");
        assert_eq!(state.users["ada"].tally.work, 0);
        assert_eq!(state.which(element(&vo, first, 30)).to_string(), format!("{first}_30"));
    }
}

#[test]
fn a_hundred_thousand_elements_are_few_jobs_and_few_bytes() {
    for policy in policies() {
        let mut vo = with(policy, 4);
        let before = vo.events.len();
        let mut spec = array(&vo, "huge", 10, "0-99999");
        spec.script = Some(format!("#!/bin/sh\n{}", "#".repeat(10_000)));
        let huge = vo.submit(spec);
        vo.run_until(30 * MINUTE);
        let state = vo.broker.state();
        let of = &state.arrays[&huge];
        assert_eq!(of.pending.len() + of.live.len() + of.counts.done, 100_000);
        assert!(of.counts.done > 0 && of.pending.ranges().count() == 1);
        // Windows that are reserved ahead fill the nodes until the horizon; beside them only so many wait.
        let waiting = state.jobs.values().filter(|job| !matches!(job.phase, Phase::Reserved(_))).count();
        assert!(waiting <= 1_000 && state.jobs.len() < 1_300, "{waiting} of {}", state.jobs.len());
        let bytes = |event: &Event| match event {
            Event::Job(JobEvent::Queued { .. } | JobEvent::Drawn { .. }) => {
                serde_json::to_string(event).unwrap().len()
            }
            _ => 0,
        };
        let written: usize = vo.events[before..].iter().map(bytes).sum();
        assert!(written < 15_000, "{written}: what was submitted is written once");
        let state = vo.broker.state().clone();
        assert_eq!(Broker::from_state(state.clone()).state(), &state);
        cancel(&mut vo, huge);
        assert_eq!(end_of(&vo, huge), Some(JobEnd::Cancelled));
        vo.run_until(40 * MINUTE);
        assert!(vo.broker.state().jobs.is_empty() && vo.broker.state().reservations.is_empty());
    }
}

#[test]
fn the_budget_is_for_all_elements_together() {
    for policy in policies() {
        // Ten minutes at a thousandth of a credit a second cost 0.6.
        let mut vo = with(policy, 4);
        let mut enough = array(&vo, "enough", 10, "1-5");
        enough.request.budget = Some(credits(3));
        let enough = vo.submit(enough);
        let mut short = array(&vo, "short", 10, "1-5");
        short.request.budget = Some(Money::from_micros(2_999_995));
        let short = vo.submit(short);
        vo.run_until(40 * MINUTE);
        assert_eq!(end_of(&vo, enough), Some(JobEnd::Done));
        let of = &vo.broker.state().arrays[&short];
        assert_eq!((of.counts.done, of.spent, of.live.len()), (0, Money::ZERO, 5));
        let why = vo.broker.state().jobs.values().find_map(|job| job.why.clone());
        assert!(matches!(why, Some(Why::NoFit(_))), "{why:?}");
        // With one element less there is enough for the others.
        let fourth = element(&vo, short, 4);
        cancel(&mut vo, fourth);
        vo.run_until(80 * MINUTE);
        assert_eq!(end_of(&vo, short), Some(JobEnd::Cancelled));
        assert_eq!(course(&vo, short, 5).1.len(), 4);
    }
}

#[test]
fn elements_are_cancelled_one_by_one_or_all_at_once() {
    for policy in policies() {
        let mut vo = with(policy, 8);
        let some = vo.submit(array(&vo, "some", 10, "5-9%2"));
        let all = vo.submit(array(&vo, "all", 10, "1-50%2"));
        vo.run_until(5 * MINUTE);
        let (runs, pending) = (element(&vo, some, 5), element(&vo, some, 8));
        assert!(vo.started(runs).is_some() && !vo.broker.state().jobs.contains_key(&pending));
        cancel(&mut vo, runs);
        cancel(&mut vo, pending);
        let again = Input::CancelJob { user: "ada".to_owned(), job: pending };
        assert_eq!(vo.broker.decide(at(vo.now), &again).unwrap_err(), Refusal::NoJob(pending));
        let eves = Input::CancelJob { user: "eve".to_owned(), job: all };
        assert_eq!(vo.broker.decide(at(vo.now), &eves).unwrap_err(), Refusal::NotYours(all));
        cancel(&mut vo, all);
        assert_eq!(end_of(&vo, all), Some(JobEnd::Cancelled));
        vo.run_until(100 * MINUTE);
        let (_, begun) = course(&vo, some, 5);
        assert_eq!(begun.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 4]);
        assert_eq!(end_of(&vo, some), Some(JobEnd::Cancelled));
        assert_eq!(course(&vo, all, 50).1.len(), 2);
    }
}

/// However many they are, those that are no jobs yet are cut in one event, and everything of one input is written down in one entry.
#[test]
fn many_elements_are_cancelled_in_one_event() {
    let mut vo = with(crate::vo::policy(), 8);
    let many = vo.submit(array(&vo, "many", 10, "1-60000%2"));
    let mut follower = vo.job("follower", 1, 1);
    let last = Which { job: many, element: Some(50_000) };
    follower.gate.after.insert(Dependency { on: last, condition: Condition::Any });
    let follower = vo.submit(follower);
    vo.run_until(5 * MINUTE);
    let told = vo.events.len();
    let every_other = (0..50_000).filter(|rank| rank % 2 == 1).collect::<Ranks>();
    let asked = |elements: Ranks| Input::CancelElements { user: "ada".to_owned(), array: many, elements };
    let eves = Input::CancelElements { user: "eve".to_owned(), array: many, elements: Ranks::one(7) };
    assert_eq!(vo.broker.decide(at(vo.now), &eves).unwrap_err(), Refusal::NotYours(many));
    vo.say(asked(every_other.clone()));
    vo.say(asked(Ranks::first(50_000)));
    let events = &vo.events[told..];
    assert!(events.len() < 60, "{} events", events.len());
    let cuts: u32 = events
        .iter()
        .map(|it| match it {
            Event::Job(JobEvent::Cut { elements, .. }) => elements.len(),
            _ => 0,
        })
        .sum();
    let ended =
        events.iter().filter(|it| matches!(it, Event::Job(JobEvent::Ended { end: JobEnd::Cancelled, .. })));
    assert_eq!(cuts as usize + ended.count(), 50_000);
    let of = &vo.broker.state().arrays[&many];
    assert_eq!((of.counts.cancelled, of.left()), (50_000, 10_000));
    // Two ran, and what they took until then is known.
    let (start, used) = (of.took.start.expect("they ran"), of.took.used.expect("for a while"));
    assert_eq!(used.as_millis(), 2 * (vo.now - start.as_millis()));
    assert_eq!((of.took.sites.len(), of.took.code), (1, None));
    assert!(!matches!(vo.broker.state().jobs[&follower].phase, Phase::Waiting), "it waits for nothing now");
    // Not all of it can end well any more.
    let mut hopeful = vo.job("hopeful", 1, 1);
    let on = Dependency { on: Which::whole(many), condition: Condition::Ok };
    hopeful.gate.after.insert(on);
    let asked_now = Input::Submit { key: "hopeful".to_owned(), job: Box::new(hopeful) };
    let refused = vo.broker.decide(at(vo.now), &asked_now).unwrap_err();
    assert_eq!(refused, Refusal::BadJob(BadJob::NeverMet(on)));
    for gone in [asked(every_other), asked(Ranks::one(70_000)), asked(Ranks::default())] {
        assert_eq!(vo.broker.decide(at(vo.now), &gone).unwrap_err(), Refusal::NoJob(many));
    }
}

#[test]
fn an_array_is_waited_for_as_a_whole_or_by_element_and_waits_itself() {
    let mut vo = with(crate::vo::policy(), 8);
    let gate = vo.submit(vo.job("gate", 1, 5));
    let mut spec = array(&vo, "many", 10, "1-4%1");
    spec.gate.after.insert(Dependency { on: Which::whole(gate), condition: Condition::Ok });
    spec.gate.held = true;
    let many = vo.submit(spec);
    let after = |vo: &mut Vo, name: &str, element: Option<u32>, condition: Condition| {
        let mut job = vo.job(name, 1, 1);
        job.gate.after.insert(Dependency { on: Which { job: many, element }, condition });
        vo.submit(job)
    };
    let whole = after(&mut vo, "whole", None, Condition::Ok);
    let begins = after(&mut vo, "begins", None, Condition::Started);
    let third = after(&mut vo, "third", Some(3), Condition::Ok);
    let fourth = after(&mut vo, "fourth", Some(4), Condition::Failed);
    let mut wrong = vo.job("wrong", 1, 1);
    let missing = Dependency { on: Which { job: many, element: Some(5) }, condition: Condition::Ok };
    wrong.gate.after.insert(missing);
    let submit = Input::Submit { key: "wrong".to_owned(), job: Box::new(wrong) };
    let refused = vo.broker.decide(at(vo.now), &submit).unwrap_err();
    assert_eq!(refused, Refusal::BadJob(BadJob::NoElement(missing)));
    vo.run_until(20 * MINUTE);
    assert!(course(&vo, many, 4).1.is_empty(), "it is held");
    vo.say(Input::Release { user: "ada".to_owned(), job: many });
    vo.run_until(26 * MINUTE);
    let (first, last) = (element(&vo, many, 1), element(&vo, many, 4));
    assert!(vo.started(first).unwrap() >= 20 * MINUTE && vo.started(begins).is_some());
    cancel(&mut vo, last);
    vo.run_until(29 * MINUTE);
    assert!(vo.started(fourth).is_some() && vo.started(third).is_none());
    vo.run_until(120 * MINUTE);
    assert!(vo.started(third).unwrap() >= vo.started(element(&vo, many, 3)).unwrap() + 10 * MINUTE);
    let never = Why::NeverMet(Dependency { on: Which::whole(many), condition: Condition::Ok });
    assert_eq!(end_of(&vo, whole), Some(JobEnd::GivenUp(never)));
    // What an array came to is known element by element after it has ended.
    let ended = |element: u32, condition: Condition| {
        let mut job = vo.job("late", 1, 1);
        let on = Dependency { on: Which { job: many, element: Some(element) }, condition };
        job.gate.after.insert(on);
        vo.broker.decide(at(vo.now), &Input::Submit { key: "late".to_owned(), job: Box::new(job) })
    };
    assert!(ended(3, Condition::Ok).is_ok() && ended(4, Condition::Failed).is_ok());
    assert!(ended(4, Condition::Ok).is_err() && ended(3, Condition::Failed).is_err());
}

#[test]
fn a_deadline_ends_what_has_not_begun_and_a_failure_is_told_of_the_whole() {
    for policy in policies() {
        let mut vo = with(policy, 4);
        let mut late = array(&vo, "late", 10, "1-9%1");
        late.request.deadline = Some(at(26 * MINUTE));
        let late = vo.submit(late);
        let fails = vo.submit(array(&vo, "fails", 30, "1-2"));
        vo.run_until(10 * MINUTE);
        let element = element(&vo, fails, 2);
        let Phase::Reserved(reservation) = vo.broker.state().jobs[&element].phase else {
            panic!("no window")
        };
        let end = PartEnd::Failed(2);
        vo.heard(0, SiteMessage::Ended { reservation, part: 0, at: at(vo.now), end, used: None });
        assert_eq!(end_of(&vo, fails), None);
        vo.run_until(90 * MINUTE);
        let Some(JobEnd::Failed(Why::Elements(counts))) = end_of(&vo, fails) else {
            panic!("it did not fail")
        };
        assert_eq!((counts.done, counts.failed), (1, 1));
        assert_eq!(end_of(&vo, late), Some(JobEnd::GivenUp(Why::DeadlinePassed)));
        assert_eq!(course(&vo, late, 9).1.len(), 2);
    }
}
