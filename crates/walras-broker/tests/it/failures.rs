//! All or nothing, and what happens when something fails.

use crate::vo::{MINUTE, Vo, at, credits, user};
use std::collections::BTreeMap;
use walras_broker::account::Account;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::id::ReservationNumber;
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobEnd, PartEnd, Phase, SiteRefusal, Why, WorkflowSpec};
use walras_broker::policy::Policy;
use walras_broker::reservation::{Reservation, ReservationPhase};
use walras_broker::used::Used;
use walras_broker::{Effect, Event, Input};
use walras_core::refine::Strategy;
use walras_model::{Data, Edge, Interval, Money, NodeId, SiteId, Span, Task, TaskId, Work, Workflow};

/// One node on each of two sites, so that a job of two tasks needs both.
fn two_sites() -> Vo {
    Vo::new(&[(1, 1_000), (1, 1_000)])
}

fn site(number: u32) -> SiteId {
    SiteId::new(number)
}

#[test]
fn a_refusal_lets_every_site_go_and_gives_the_money_back() {
    let mut vo = two_sites();
    vo.refusing.insert(site(1));
    let job = vo.submit(vo.job("pair", 2, 10));
    vo.run_until(30_000);
    assert!(vo.did(|effect| matches!(effect, Effect::Release { site: it, .. } if *it == site(0))));
    assert!(vo.did(|effect| matches!(effect, Effect::Release { site: it, .. } if *it == site(1))));
    assert!(
        !vo.did(|effect| matches!(effect, Effect::Confirm { .. })),
        "nothing is confirmed that is not all prepared"
    );
    assert_eq!(vo.balance(&user("ada")), credits(1_000));
    assert_eq!(vo.balance(&Account::Held), Money::ZERO);
    let state = &vo.broker.state().jobs[&job];
    assert_eq!(state.phase, Phase::Queued);
    assert!(matches!(state.why, Some(Why::Refused { .. })), "{:?}", state.why);
    vo.refusing.clear();
    vo.run_until(30 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
}

#[test]
fn silence_ends_in_nothing_and_is_repeated_until_it_is_heard() {
    let mut vo = two_sites();
    vo.say(Input::CycleNow);
    vo.silent.insert(site(1));
    let quote =
        Input::AskQuote { key: "q".into(), job: Box::new(vo.job("pair", 2, 10)), findings: None, hold: None };
    vo.say(quote);
    vo.say(Input::Accept { user: None, key: "a".into(), quote: vo.broker.state().last.quote, option: 0 });
    assert_eq!(vo.balance(&Account::Held).as_micros(), 1_200_000);
    vo.run_until(30_000);
    assert_eq!(vo.balance(&Account::Held), Money::ZERO, "time is up");
    let wanted = vo.broker.outstanding();
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::Release { site: it, .. } if *it == site(1))));
    vo.silent.clear();
    vo.heard(1, SiteMessage::Released(vo.broker.state().last.reservation));
    vo.heard(1, SiteMessage::Prepared(vo.broker.state().last.reservation));
    assert!(vo.broker.state().reservations.is_empty(), "a late answer changes nothing");
}

/// What a site has counted of a part is kept with it, and with the array that it is of; of what no site counts nothing is said.
#[test]
fn what_a_part_has_used_is_kept_with_it() {
    for used in [None, Some(Used { processor: Span::from_millis(1_234), memory: Some(5 << 20) })] {
        let mut vo = Vo::new(&[(2, 1_000)]);
        vo.submit(vo.job("two", 2, 10));
        vo.run_until(MINUTE);
        let (reservation, held) = vo.broker.state().reservations.iter().next().expect("it has a window");
        let (reservation, start) = (*reservation, held.start().as_millis());
        vo.run_until(start + 1_000);
        vo.heard(0, SiteMessage::Ended { reservation, part: 1, at: at(vo.now), end: PartEnd::Done, used });
        let parts = &vo.broker.state().reservations[&reservation].parts;
        assert_eq!(parts.iter().map(|part| part.used).collect::<Vec<_>>(), [None, used]);
        let journal = serde_json::to_string(&vo.entries).unwrap();
        assert_eq!(journal.contains("\"used\":{\"processor\":1234,\"memory\":5242880}"), used.is_some());
    }
}

/// What ran and ended while nobody listened did not run in silence: sites have as long as ever to say so, and nothing runs twice.
#[test]
fn nobody_is_silent_who_was_not_listened_to() {
    for listens_again in [true, false] {
        let mut vo = Vo::new(&[(1, 1_000)]);
        vo.submit(vo.job("short", 1, 1));
        vo.run_until(30_000);
        let (reservation, held) = vo.broker.state().reservations.iter().next().expect("it has a window");
        let (reservation, start) = (*reservation, held.start().as_millis());
        vo.run_until(start + 1_000);
        // Nobody is there for an hour; it ends as it should.
        vo.silent.insert(site(0));
        vo.now = start + 60 * MINUTE;
        if listens_again {
            vo.say(Input::ServiceBack);
        }
        vo.say(Input::Tick);
        let end = PartEnd::Done;
        vo.heard(0, SiteMessage::Ended { reservation, part: 0, at: at(start + MINUTE), end, used: None });
        assert_eq!(vo.broker.state().totals.done, u64::from(listens_again), "{:?}", vo.broker.state().jobs);
        if listens_again {
            continue;
        }
        let why = vo.broker.state().jobs.values().next().and_then(|job| job.why.clone());
        assert_eq!(why, Some(Why::Silent(vec![site(0)])), "who hears nothing in all that time is alone");
    }
}

/// A site that says nothing after that either is silent then.
#[test]
fn who_says_nothing_then_either_is_silent() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    vo.submit(vo.job("short", 1, 1));
    vo.run_until(30_000);
    let start = vo.broker.state().reservations.values().next().expect("it has a window").start().as_millis();
    vo.silent.insert(site(0));
    vo.run_until(start + 1_000);
    vo.now = start + 60 * MINUTE;
    vo.say(Input::ServiceBack);
    let grace = vo.broker.state().policy.grace.as_millis();
    let due = vo.broker.next_timer().map(|timer| timer.as_millis());
    assert!(due.is_some_and(|due| due <= vo.now + grace + 1), "it is looked at again: {due:?}");
    let is_lost =
        |vo: &Vo| vo.broker.state().jobs.values().any(|job| matches!(job.why, Some(Why::Silent(_))));
    vo.run_until(start + 60 * MINUTE + grace);
    assert!(!is_lost(&vo));
    vo.run_until(start + 60 * MINUTE + grace + 1_000);
    assert!(is_lost(&vo));
}

#[test]
fn owners_go_first_and_pay_for_it() {
    let mut vo = Vo::new(&[(1, 1_000_000), (1, 2_000_000)]);
    vo.submit(vo.job("earlier", 1, 1));
    vo.run_until(10 * MINUTE);
    let earned = vo.balance(&Account::Owner("owner-0".into()));
    assert_eq!(earned, credits(60));
    vo.submit(vo.job("j", 1, 5));
    vo.run_until(10 * MINUTE + 20_000);
    let interval = Interval::new(at(0), at(100 * MINUTE)).unwrap();
    vo.heard(0, SiteMessage::Taken { node: NodeId::new(0), interval });
    // A tenth of the price of 300 was promised for that.
    assert_eq!(vo.balance(&Account::Owner("owner-0".into())), credits(30));
    let spare = vo.events.iter().any(|event| {
        matches!(
            event,
            Event::Reservation(ReservationEvent::Asked {
                origin: walras_broker::reservation::Origin::Spare,
                ..
            })
        )
    });
    assert!(spare, "the job goes another way at once");
    vo.run_until(100 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 2);
    assert_eq!(vo.balance(&user("ada")), credits(1_000 - 60 + 30 - 600));
}

#[test]
fn a_job_is_given_up_after_too_many_failures() {
    let mut vo = Vo::new(&[(1, 1_000)]);
    vo.refusing.insert(site(0));
    vo.submit(vo.job("unlucky", 1, 10));
    vo.run_until(60 * MINUTE);
    let given_up = vo.events.iter().find_map(|event| match event {
        Event::Job(JobEvent::Ended { end: JobEnd::GivenUp(why), .. }) => Some(why.clone()),
        _ => None,
    });
    let refused = Why::Refused { site: site(0), refusal: SiteRefusal::Busy };
    assert_eq!(given_up, Some(Why::TooOften(Box::new(refused))));
    assert_eq!(vo.balance(&user("ada")), credits(1_000));
}

/// Two chains of two tasks each.
fn workflow() -> WorkflowSpec {
    let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
    let edge = |from, to| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
    let tasks = ["a", "b", "c", "d"].map(task).to_vec();
    let workflow = Workflow::new("chains", tasks, vec![edge(0, 1), edge(2, 3)]).unwrap();
    WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() }
}

#[test]
fn a_workflow_runs_task_by_task() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let mut job = vo.job("flow", 1, 1);
    job.workflow = Some(workflow());
    vo.submit(job);
    vo.run_until(60 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
    let starts = vo
        .effects
        .iter()
        .map(|effect| if let Effect::Start { parts, .. } = effect { parts.len() } else { 0 });
    let starts: Vec<usize> = starts.filter(|parts| *parts > 0).collect();
    assert_eq!(
        (starts[0], starts.iter().sum::<usize>()),
        (2, 4),
        "two tasks at first, and the others after them"
    );
}

#[test]
fn a_lost_node_keeps_what_is_done() {
    let mut vo = Vo::new(&[(2, 1_000)]);
    let mut job = vo.job("flow", 1, 1);
    job.workflow = Some(workflow());
    let number = vo.submit(job);
    vo.run_until(16 * MINUTE);
    vo.heard(0, SiteMessage::NodeLost { node: NodeId::new(1), at: at(16 * MINUTE) });
    vo.run_until(17 * MINUTE);
    let done = vo.broker.state().jobs.get(&number).map(|job| job.done.len());
    assert_eq!(done, Some(2), "the first task of each chain");
    // No other schedule was ready: the rest is planned anew.
    let switched = |event: &Event| matches!(event, Event::Reservation(ReservationEvent::Rescheduled { .. }));
    assert!(!vo.events.iter().any(switched));
    vo.run_until(200 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1);
    let mut started: BTreeMap<ReservationNumber, Vec<u32>> = BTreeMap::new();
    for effect in &vo.effects {
        if let Effect::Start { reservation, parts, .. } = effect {
            started.entry(*reservation).or_default().extend(parts.iter().map(|part| part.part));
        }
    }
    let started: Vec<Vec<u32>> = started.into_values().collect();
    assert_eq!(started, [vec![0, 2, 1, 3], vec![0, 1]], "of four tasks only the two that ran start again");
}

/// Three tasks on two nodes: when the first on the shared node is late, the one behind it would end too late there, and is ready to run on the other.
/// A site may say so, or only not say that it has ended.
#[test]
fn what_was_prepared_for_a_late_task_is_used() {
    let run = |late_tasks_max: u32, told: bool| {
        let mut vo = Vo::new(&[(2, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(Policy { late_tasks_max, ..crate::vo::policy() })));
        let task = |name: &str| Task::new(name, Work::from_millis(10 * MINUTE));
        let workflow = Workflow::new("three", ["a", "b", "c"].map(task).to_vec(), Vec::new()).unwrap();
        let mut job = vo.job("flow", 1, 1);
        job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
        vo.submit(job);
        vo.run_until(5 * MINUTE);
        let (number, held) = vo.broker.state().reservations.iter().next().expect("it has a window");
        let (number, plans) = (*number, held.parts.iter().map(|part| part.plan.clone()).collect::<Vec<_>>());
        let last = plans.iter().max_by_key(|part| part.start).unwrap();
        let before = plans.iter().position(|part| part.hold == last.hold && part.start < last.start).unwrap();
        let until = at(plans[before].end.as_millis() + 2 * MINUTE);
        let part = u32::try_from(before).unwrap();
        if told {
            vo.heard(0, SiteMessage::Late { reservation: number, part, until });
        } else {
            vo.put_off(number, part, until);
            vo.run_until(plans[before].end.as_millis() + 20_000);
        }
        let moved = vo.broker.state().reservations.get(&number).map(|held| {
            let parts = held.parts.iter().map(|part| &part.plan);
            parts.filter(|part| part.task == last.task).any(|part| part.hold != last.hold)
        });
        let late = |event: &Event| {
            matches!(event, Event::Reservation(ReservationEvent::Rescheduled { why: Why::Late, .. }))
        };
        (moved, vo.events.iter().any(late))
    };
    assert_eq!(run(8, true), (Some(true), true));
    assert_eq!(run(8, false), (Some(true), true));
    assert_ne!(run(0, true), (Some(true), true), "without, it is closed and begun again");
    assert_eq!(run(0, false), (Some(false), false), "without, the others wait: it may end any moment");
}

/// A site that starts a job late and stops it when its time is over has not given it its time: the job is run again.
#[test]
fn a_job_that_was_started_too_late_has_not_failed() {
    let ends = |policy: &Policy, length: i64, late: Option<i64>| {
        let mut vo = Vo::new(&[(1, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(policy.clone())));
        let mut job = vo.job("short", 1, 1);
        job.request.work = Work::from_millis(length).unwrap();
        let number = vo.submit(job);
        vo.run_until(30_000);
        let state = vo.broker.state();
        let (reservation, held) = state.reservations.iter().next().expect("it has a window");
        let (reservation, start) = (*reservation, held.start().as_millis());
        vo.silent.insert(site(0));
        if let Some(late) = late {
            vo.run_until(start + late);
            vo.heard(0, SiteMessage::Started { reservation, parts: vec![0], at: at(start + late) });
        }
        vo.run_until(start + length);
        let end = PartEnd::TimedOut;
        vo.heard(0, SiteMessage::Ended { reservation, part: 0, at: at(start + length), end, used: None });
        vo.broker.state().jobs.get(&number).map(|job| (job.attempts, job.spent))
    };
    for policy in [crate::promises::policy(), crate::vo::policy()] {
        let excused = Some((1, Money::ZERO));
        for (length, late, end) in [
            (MINUTE, Some(500), None),
            // However short the time is.
            (2_000, Some(20), None),
            (2_000, Some(21), excused),
            // It had two thirds of it.
            (MINUTE, Some(20_000), excused),
            (10 * MINUTE, Some(6_000), None),
            (10 * MINUTE, Some(6_001), excused),
            // Nobody was there to hear whether it started in time.
            (MINUTE, None, excused),
        ] {
            assert_eq!(ends(&policy, length, late), end, "{length} ms, late by {late:?}");
        }
    }
}

/// A job is tried again after as many failures as the policy allows; one more, and it is given up.
#[test]
fn so_many_failures_are_allowed_and_one_more_is_too_many() {
    for attempts_max in [0_u32, 1, 3] {
        let mut vo = Vo::new(&[(1, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(Policy { attempts_max, ..crate::vo::policy() })));
        vo.refusing.insert(site(0));
        vo.submit(vo.job("unlucky", 1, 10));
        vo.run_until(60 * MINUTE);
        let asked = |event: &&Event| matches!(event, Event::Reservation(ReservationEvent::Asked { .. }));
        assert_eq!(vo.events.iter().filter(asked).count(), attempts_max as usize + 1);
        assert_eq!(vo.broker.state().totals.given_up, 1);
    }
}

/// A part that vanished was used until then, and is paid for; the job is tried again as often as the policy says, and no more.
#[test]
fn what_vanishes_is_paid_for_and_given_up_in_time() {
    let ended = |times: u32, vanished_max: u32| {
        let mut vo = Vo::new(&[(1, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(Policy { vanished_max, ..crate::vo::policy() })));
        let number = vo.submit(vo.job("short", 1, 1));
        let mut spent = Vec::new();
        for _ in 0..times {
            while vo.broker.state().reservations.values().all(|it| it.phase != ReservationPhase::Held) {
                vo.run_until(vo.now + 1_000);
            }
            let is_held = |it: &Reservation| it.phase == ReservationPhase::Held;
            let held = vo.broker.state().reservations.iter().find(|(_, it)| is_held(it));
            let (reservation, start) = held.map(|(number, it)| (*number, it.start().as_millis())).unwrap();
            vo.run_until(start + 20_000);
            let (at, end) = (at(start + 15_000), PartEnd::Vanished);
            vo.heard(0, SiteMessage::Ended { reservation, part: 0, at, end, used: None });
            spent.push(vo.broker.state().jobs.get(&number).map(|job| job.spent));
        }
        (spent, vo)
    };
    let (spent, vo) = ended(2, 1);
    let [Some(first), None] = spent.as_slice() else { panic!("{spent:?}") };
    assert_eq!(*first, Money::from_micros(15 * 1_000), "a quarter of its minute");
    assert_eq!(vo.broker.state().totals.given_up, 1);
    let given_up = vo.events.iter().rev().find_map(|event| match event {
        Event::Job(JobEvent::Ended { end: JobEnd::GivenUp(Why::TooOften(why)), .. }) => Some(why.clone()),
        _ => None,
    });
    assert!(given_up.is_some_and(|why| why.is_vanishing()));
    let (spent, _) = ended(1, 0);
    assert_eq!(spent, [None], "not even once");
}
