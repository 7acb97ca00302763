//! Chains are planned ahead: windows and promises before what is waited for has happened, and nothing held before it has.

use crate::promises::policy;
use crate::vo::{MINUTE, Vo, at, span};
use std::collections::BTreeMap;
use walras_broker::event::{JobEvent, ReservationEvent, SiteEvent};
use walras_broker::foreseen::{Foreseen, awaited, foreseen};
use walras_broker::gate::{Condition, Dependency, Gate, NeverMet, Which};
use walras_broker::id::JobNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{Job, JobEnd, JobSpec, PartEnd, Phase, Why};
use walras_broker::policy::Policy;
use walras_broker::{Broker, Event, Input};
use walras_model::NodeId;

fn vo(sites: &[(usize, i64)]) -> Vo {
    let mut vo = Vo::new(sites);
    vo.say(Input::SetPolicy(Box::new(policy())));
    // The first job of all teaches how fast the sites answer.
    vo.submit(vo.job("teacher", 1, 1));
    vo.run_until(5 * MINUTE);
    vo
}

fn after(spec: JobSpec, on: &[(JobNumber, Condition)]) -> JobSpec {
    let after =
        on.iter().map(|(job, condition)| Dependency { on: Which::whole(*job), condition: *condition });
    JobSpec { gate: Gate { after: after.collect(), ..Gate::default() }, ..spec }
}

fn job(vo: &Vo, number: JobNumber) -> &Job {
    vo.broker.state().jobs.get(&number).expect("the job has not ended")
}

fn end_of(vo: &Vo, number: JobNumber) -> Option<JobEnd> {
    vo.events.iter().find_map(|event| match event {
        Event::Job(JobEvent::Ended { job, end }) if *job == number => Some(end.clone()),
        _ => None,
    })
}

/// One after another, each when the one before it is done.
fn chain(vo: &mut Vo, minutes: &[i64]) -> Vec<JobNumber> {
    let mut all: Vec<JobNumber> = Vec::new();
    for (link, minutes) in minutes.iter().enumerate() {
        let spec = vo.job(&format!("link-{link}"), 1, *minutes);
        let on: Vec<_> = all.last().map(|before| (*before, Condition::Ok)).into_iter().collect();
        let number = vo.submit(after(spec, &on));
        all.push(number);
    }
    all
}

/// What sites are asked for, and what happens to the jobs that are waited for: nothing is asked for before all of that has happened.
fn nobody_is_held_too_soon(vo: &Vo) {
    let mut gates: BTreeMap<JobNumber, Gate> = BTreeMap::new();
    let mut ends: BTreeMap<JobNumber, bool> = BTreeMap::new();
    let (mut begun, mut of) = (BTreeMap::new(), BTreeMap::new());
    for event in &vo.events {
        match event {
            Event::Job(JobEvent::Queued { job, spec, .. }) => {
                gates.insert(*job, spec.gate.clone());
            }
            Event::Job(JobEvent::Ended { job, end }) => {
                ends.insert(*job, *end == JobEnd::Done);
            }
            Event::Reservation(ReservationEvent::PartStarted { reservation, .. }) => {
                begun.insert(of[reservation], ());
            }
            Event::Reservation(ReservationEvent::Asked { job, reservation, .. }) => {
                of.insert(*reservation, *job);
                for on in &gates[job].after {
                    let end = ends.get(&on.on.job).copied();
                    let met = match on.condition {
                        Condition::Ok => end == Some(true),
                        Condition::Failed => end == Some(false),
                        Condition::Any => end.is_some(),
                        Condition::Started => end.is_some() || begun.contains_key(&on.on.job),
                    };
                    assert!(met, "job {job} is reserved before {on:?} is met");
                }
            }
            _ => {}
        }
    }
}

#[test]
fn a_chain_is_planned_in_one_plan_and_promised_from_what_is_promised() {
    let mut vo = vo(&[(2, 1_000)]);
    let submitted = vo.now;
    let jobs = chain(&mut vo, &[10, 20, 30]);
    vo.run_until(submitted + 30_000);
    // One plan gave a window to all of them.
    let planned_by = |entry: &&walras_broker::journal::Entry| {
        let planned = |number: &JobNumber| {
            let is_it =
                |event: &Event| matches!(event, Event::Job(JobEvent::Planned { job, .. }) if job == number);
            entry.events.iter().any(is_it)
        };
        jobs.iter().all(planned)
    };
    assert_eq!(vo.entries.iter().filter(planned_by).count(), 1);
    let promises: Vec<_> = jobs.iter().map(|number| job(&vo, *number).promise.unwrap()).collect();
    for (pair, number) in promises.windows(2).zip(&jobs[1..]) {
        let follower = job(&vo, *number);
        let start = follower.plan.as_ref().expect("it is planned").start;
        assert!(start >= pair[0].finish && start <= pair[1].start, "{pair:?}, planned at {start}");
        assert_eq!((follower.phase, follower.waits.on.len()), (Phase::Planned, 1));
    }
    // All that it takes is known from the beginning: an hour, and what hearing and asking takes.
    assert!(promises[2].finish < at(submitted + 100 * MINUTE), "{promises:?}");
    vo.run_until(submitted + 120 * MINUTE);
    for (promise, number) in promises.iter().zip(&jobs) {
        let started = vo.started(*number).expect("it has started");
        assert!(at(started) <= promise.start, "{started} by {promise:?}");
        assert_eq!(end_of(&vo, *number), Some(JobEnd::Done));
    }
    nobody_is_held_too_soon(&vo);
    let renewed = |event: &&Event| matches!(event, Event::Job(JobEvent::Planned { renewed: true, .. }));
    assert_eq!(vo.events.iter().filter(renewed).count(), 0);
}

#[test]
fn who_follows_moves_forward_when_those_before_end_early() {
    let mut vo = vo(&[(2, 1_000)]);
    vo.takes = 10;
    let submitted = vo.now;
    let jobs = chain(&mut vo, &[100, 100, 100]);
    vo.run_until(submitted + MINUTE);
    let planned: Vec<_> = jobs[1..].iter().map(|it| job(&vo, *it).plan.as_ref().unwrap().start).collect();
    assert!(planned[0] >= at(submitted + 100 * MINUTE) && planned[1] >= at(submitted + 200 * MINUTE));
    vo.run_until(submitted + 40 * MINUTE);
    let starts: Vec<i64> = jobs.iter().map(|number| vo.started(*number).expect("it has started")).collect();
    for pair in starts.windows(2) {
        assert!((pair[0] + 10 * MINUTE..pair[0] + 11 * MINUTE).contains(&pair[1]), "{starts:?}");
    }
    nobody_is_held_too_soon(&vo);
}

#[test]
fn who_can_never_start_has_no_window_any_more() {
    for rule in [NeverMet::Cancel, NeverMet::Wait] {
        let mut vo = vo(&[(2, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(Policy { never_met: rule, ..policy() })));
        let submitted = vo.now;
        let jobs = chain(&mut vo, &[10, 20, 30]);
        let anyhow = vo.submit(after(vo.job("anyhow", 1, 5), &[(jobs[0], Condition::Any)]));
        vo.run_until(submitted + 5 * MINUTE);
        assert!(jobs[1..].iter().all(|number| job(&vo, *number).phase == Phase::Planned));
        let Phase::Reserved(reservation) = job(&vo, jobs[0]).phase else { panic!("it runs") };
        let end = PartEnd::Failed(1);
        vo.heard(0, SiteMessage::Ended { reservation, part: 0, at: at(vo.now), end, used: None });
        vo.run_until(submitted + 20 * MINUTE);
        let never = |of: usize| Dependency { on: Which::whole(jobs[of]), condition: Condition::Ok };
        match rule {
            NeverMet::Cancel => {
                assert_eq!(end_of(&vo, jobs[1]), Some(JobEnd::GivenUp(Why::NeverMet(never(0)))));
                assert_eq!(end_of(&vo, jobs[2]), Some(JobEnd::GivenUp(Why::NeverMet(never(1)))));
            }
            NeverMet::Wait => {
                for number in &jobs[1..] {
                    let stuck = job(&vo, *number);
                    assert_eq!((stuck.phase, stuck.plan.is_some()), (Phase::Waiting, false));
                }
                assert_eq!(job(&vo, jobs[1]).waits.never, Some(never(0)));
            }
        }
        assert_eq!(end_of(&vo, anyhow), Some(JobEnd::Done));
        nobody_is_held_too_soon(&vo);
    }
}

/// The site says late that the first has ended: nothing of the second starts before, and it is planned again.
#[test]
fn who_waits_for_somebody_late_is_planned_again() {
    let mut vo = vo(&[(2, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(Policy { grace: span(10 * MINUTE), ..policy() })));
    let submitted = vo.now;
    let jobs = chain(&mut vo, &[10, 20]);
    vo.run_until(submitted + 5 * MINUTE);
    let Phase::Reserved(reservation) = job(&vo, jobs[0]).phase else { panic!("it runs") };
    let held = vo.broker.state().reservations[&reservation].finish();
    let late = held.as_millis() + 5 * MINUTE;
    vo.put_off(reservation, 0, at(late));
    vo.run_until(submitted + 40 * MINUTE);
    let given_back = |event: &&Event| matches!(event, Event::Job(JobEvent::Returned { job, why: Why::Waits(_) }) if *job == jobs[1]);
    assert!(vo.events.iter().filter(given_back).count() > 0);
    let start = vo.started(jobs[1]).expect("it has started");
    assert!((late..late + MINUTE).contains(&start), "{start} after {late}");
    assert_eq!(end_of(&vo, jobs[1]), Some(JobEnd::Done));
    nobody_is_held_too_soon(&vo);
}

/// The node fails on which the first is planned, and there is no other: it is promised another time, and so is who waits for it.
#[test]
fn a_chain_is_promised_anew_with_what_it_rests_on() {
    let mut vo = vo(&[(1, 1_000), (1, 1_000)]);
    let submitted = vo.now;
    for name in ["one", "two"] {
        vo.submit(vo.job(name, 1, 30));
    }
    vo.run_until(submitted + MINUTE);
    let jobs = chain(&mut vo, &[60, 20]);
    let other = vo.submit(vo.job("other", 1, 200));
    vo.run_until(submitted + 2 * MINUTE);
    let promised = [0, 1].map(|of: usize| job(&vo, jobs[of]).promise.expect("it is promised something"));
    let node = job(&vo, jobs[0]).plan.as_ref().expect("it is planned").places[0].0;
    vo.heard(node.number(), SiteMessage::NodeLost { node, at: at(vo.now) });
    vo.run_until(submitted + 4 * MINUTE);
    let again = [0, 1].map(|of: usize| job(&vo, jobs[of]).promise.expect("it is promised something"));
    assert!(again[1].start >= again[0].finish, "{again:?}");
    let lost = |event: &&Event| matches!(event, Event::Site(SiteEvent::NodeLost { .. }));
    assert_eq!(vo.events.iter().filter(lost).count(), 1);
    let renewed = |number: JobNumber| {
        let is_it = |event: &&Event| matches!(event, Event::Job(JobEvent::Planned { job, renewed: true, .. }) if *job == number);
        vo.events.iter().filter(is_it).count()
    };
    // Whoever can keep the promise has no other.
    for (of, number) in jobs.iter().enumerate() {
        assert_eq!(again[of] != promised[of], renewed(*number) > 0, "{of}: {promised:?} {again:?}");
    }
    vo.heard(node.number(), SiteMessage::NodeBack { node: NodeId::new(node.number()), at: at(vo.now) });
    vo.run_until(submitted + 500 * MINUTE);
    assert!([jobs[0], jobs[1], other].iter().all(|number| end_of(&vo, *number) == Some(JobEnd::Done)));
    nobody_is_held_too_soon(&vo);
}

/// Who waits for a start, or for several, is planned after the latest of them; whoever waits for what nobody can know is not planned.
#[test]
fn what_is_known_of_those_before_says_who_is_planned() {
    let mut vo = vo(&[(4, 1_000)]);
    let submitted = vo.now;
    let (long, short) = (vo.submit(vo.job("long", 1, 60)), vo.submit(vo.job("short", 1, 10)));
    let both = vo.submit(after(vo.job("both", 1, 5), &[(long, Condition::Ok), (short, Condition::Any)]));
    let beside = vo.submit(after(vo.job("beside", 1, 5), &[(long, Condition::Started)]));
    let unlikely = vo.submit(after(vo.job("unlikely", 1, 5), &[(short, Condition::Failed)]));
    let mut held = vo.job("held", 1, 5);
    held.gate.held = true;
    let held = vo.submit(held);
    let behind = vo.submit(after(vo.job("behind", 1, 5), &[(held, Condition::Any)]));
    vo.run_until(submitted + MINUTE);
    let end = job(&vo, long).promise.unwrap().finish;
    assert!(job(&vo, both).plan.as_ref().expect("it is planned").start >= end);
    assert!(vo.started(beside).expect("it has started") >= vo.started(long).unwrap());
    for number in [unlikely, held, behind] {
        let waits = job(&vo, number);
        assert_eq!((waits.phase, waits.promise), (Phase::Waiting, None));
    }
    vo.say(Input::Release { user: "ada".to_owned(), job: held });
    vo.run_until(submitted + 90 * MINUTE);
    assert!(vo.started(both).expect("it has started") >= vo.started(long).unwrap() + 60 * MINUTE);
    assert_eq!(end_of(&vo, behind), Some(JobEnd::Done));
    nobody_is_held_too_soon(&vo);
}

/// Whoever is written down and read again in the middle goes on as if nothing had been.
#[test]
fn chains_survive_a_restart() {
    let story = |restarts: bool| {
        let mut vo = vo(&[(2, 1_000)]);
        let submitted = vo.now;
        let jobs = chain(&mut vo, &[10, 20, 30]);
        for moment in 1..30 {
            vo.run_until(submitted + moment * 4 * MINUTE);
            if restarts {
                vo.broker = Broker::from_state(vo.broker.state().clone());
            }
        }
        nobody_is_held_too_soon(&vo);
        jobs.iter().map(|number| vo.started(*number).expect("it has started")).collect::<Vec<_>>()
    };
    assert_eq!(story(false), story(true));
}

/// A user can pay for so much of a chain as they can.
#[test]
fn nobody_is_promised_a_chain_that_they_cannot_pay() {
    let mut vo = vo(&[(2, 1_000_000)]);
    vo.join("bob", None, 100);
    let mut before = None;
    let mut jobs = Vec::new();
    for link in 0..3 {
        let mut spec = vo.job(&format!("b{link}"), 1, 1);
        spec.user = "bob".to_owned();
        let on: Vec<_> = before.map(|before| (before, Condition::Ok)).into_iter().collect();
        let number = vo.submit(after(spec, &on));
        before = Some(number);
        jobs.push(number);
    }
    vo.run_until(vo.now + 10_000);
    assert_eq!(jobs.iter().filter(|number| job(&vo, **number).promise.is_some()).count(), 1);
}

/// What is said of a job before it is submitted is what the plan then has.
#[test]
fn when_a_follower_could_start_is_known_as_soon_as_the_one_before_it_has_a_window() {
    let mut vo = vo(&[(2, 1_000)]);
    let first = chain(&mut vo, &[20])[0];
    vo.run_until(7 * MINUTE);
    let spec = after(vo.job("next", 1, 10), &[(first, Condition::Ok)]);
    let said = foreseen(vo.broker.state(), at(vo.now), &spec);
    assert_eq!(awaited(vo.broker.state(), &spec), BTreeMap::from([(Which::whole(first), false)]));
    let next = vo.submit(spec);
    vo.run_until(vo.now + 2 * MINUTE);
    let Foreseen::From(from) = said else { panic!("{said:?}") };
    let start = job(&vo, next).plan.as_ref().map(|plan| plan.start);
    assert_eq!(start, Some(from), "{:?}", job(&vo, next));
}

/// The same of every link of a chain that comes in one breath, before anybody has a window, and while only the first have one.
#[test]
fn what_is_said_of_a_chain_in_one_breath_is_what_the_plan_then_has() {
    for pause in [0, 3_000] {
        let mut vo = vo(&[(2, 1_000)]);
        let (mut links, mut said): (Vec<JobNumber>, Vec<i64>) = (Vec::new(), Vec::new());
        for minutes in [10, 20, 30, 40] {
            let on: Vec<_> = links.last().map(|before| (*before, Condition::Ok)).into_iter().collect();
            let spec = after(vo.job(&format!("link-{}", links.len()), 1, minutes), &on);
            match foreseen(vo.broker.state(), at(vo.now), &spec) {
                Foreseen::From(from) => said.push(from.as_millis()),
                Foreseen::Now => said.push(vo.now),
                Foreseen::Unknown => panic!("it is known of link {}", links.len()),
            }
            links.push(vo.submit(spec));
            vo.run_until(vo.now + pause);
        }
        vo.run_until(vo.now + MINUTE);
        for (number, said) in links.iter().zip(said).skip(1) {
            let start = job(&vo, *number).plan.as_ref().expect("it is planned").start.as_millis();
            assert!((said - start).abs() < MINUTE, "said {said}, planned at {start}");
        }
    }
}

/// What is waited for in two ways is named once, and that it has to fail is said.
#[test]
fn what_is_waited_for_is_named_once() {
    let mut vo = vo(&[(2, 1_000)]);
    let first = chain(&mut vo, &[20])[0];
    let whole = Which::whole(first);
    let of = |conditions: &[Condition]| {
        let on: Vec<_> = conditions.iter().map(|condition| (first, *condition)).collect();
        awaited(vo.broker.state(), &after(vo.job("next", 1, 1), &on))
    };
    assert_eq!(of(&[Condition::Ok, Condition::Any]), BTreeMap::from([(whole, false)]));
    assert_eq!(of(&[Condition::Any, Condition::Failed]), BTreeMap::from([(whole, true)]));
}
