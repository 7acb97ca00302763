//! However many large workflows somebody sends, a plan waits for one of them.

use crate::fairness::{self, eves, policies, wait};
use crate::vo::{MINUTE, Vo, at};
use std::cell::RefCell;
use std::collections::BTreeMap;
use walras_broker::again::BegunCycle;
use walras_broker::decision::{Decision, Unserved};
use walras_broker::event::{CycleEvent, JobEvent, ReservationEvent};
use walras_broker::id::JobNumber;
use walras_broker::job::{JobSpec, Why, WorkflowSpec};
use walras_broker::journal::{Replay, Scope, basis_of};
use walras_broker::{Event, Input};
use walras_core::refine::Strategy;
use walras_model::{Data, Edge, Money, Share, Task, TaskId, Work, Workflow};

/// A workflow of that many tasks of a minute, in layers of ten; it may cost next to nothing, and so fits nowhere.
fn hopeless(vo: &Vo, name: &str, tasks: u32) -> JobSpec {
    let task = |number: u32| Task::new(&format!("t{number}"), Work::from_millis(MINUTE));
    let edge =
        |number: u32| Edge { from: TaskId::new(number - 10), to: TaskId::new(number), data: Data::ZERO };
    let workflow =
        Workflow::new(name, (0..tasks).map(task).collect(), (10..tasks).map(edge).collect()).unwrap();
    let mut job = eves(vo, name, 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    job.request.budget = Some(Money::from_micros(1));
    job
}

#[test]
fn many_large_workflows_take_turns_and_keep_nobody_waiting() {
    for mut policy in policies() {
        // All of them may have all nodes.
        policy.sharing.as_mut().unwrap().workflow_nodes = Share::WHOLE;
        let (calm, _) = wait(policy.clone(), 1_000_000, |_| {});
        let sent: RefCell<BTreeMap<JobNumber, u32>> = RefCell::default();
        let (beside, vo) = wait(policy, 1_000_000, |vo| {
            for (number, tasks) in [3_000, 3_000, 3_000, 20, 20, 20, 20].into_iter().enumerate() {
                let job = vo.submit(hopeless(vo, &format!("w{number}"), tasks));
                sent.borrow_mut().insert(job, tasks);
            }
        });
        assert_eq!(beside, calm, "the victim starts as without them");
        let mut large: BTreeMap<JobNumber, usize> = BTreeMap::new();
        let mut together = 0;
        for event in &vo.events {
            let Event::Cycle(CycleEvent::Opened { batch, .. }) = event else { continue };
            let sent = sent.borrow();
            let tasks = batch.iter().filter_map(|ranked| Some((ranked.job, *sent.get(&ranked.job)?)));
            let tasks: Vec<(JobNumber, u32)> = tasks.collect();
            let all: u32 = tasks.iter().map(|(_, tasks)| *tasks).sum();
            assert!(all <= 5_000, "{all} tasks of workflows are in one batch: {tasks:?}");
            together = together.max(tasks.len());
            tasks
                .iter()
                .filter(|(_, tasks)| *tasks == 3_000)
                .for_each(|(job, _)| *large.entry(*job).or_default() += 1);
        }
        assert_eq!(large.len(), 3, "each has its turn: {large:?}");
        assert!(together >= 4, "small ones go together");
    }
}

#[test]
fn a_brief_plan_serves_everybody_but_workflows_and_names_them() {
    for policy in policies() {
        let mut vo = Vo::new(&[(4, 1_000)]);
        vo.say(Input::SetPolicy(Box::new(policy)));
        vo.join("eve", None, 1_000_000);
        vo.keeps = true;
        let mut flow = hopeless(&vo, "flow", 20);
        flow.request.budget = None;
        let (flow, plain) = (vo.submit(flow), vo.submit(vo.job("plain", 1, 10)));
        vo.run_until(5 * MINUTE);
        let both = |begun: &&BegunCycle| {
            [flow, plain].iter().all(|job| begun.problem().jobs.iter().any(|other| other.number == *job))
        };
        let begun = vo.begun.iter().find(both).expect("a cycle in which both wait");
        let (whole, brief) = (begun.outlook(&begun.plan()), begun.outlook(&begun.plan_briefly()));
        assert!(whole[&flow].is_some() && whole[&plain].is_some(), "{whole:?}");
        assert!(brief[&flow].is_none() && brief[&plain].is_some(), "{brief:?}");
        let named = Unserved { job: flow, why: Why::NotPlanned };
        assert_eq!(begun.plan_briefly().verdict.unserved, [named]);
        assert!(
            begun.leads_to(&begun.plan()) && begun.leads_to(&begun.plan_briefly()),
            "both are decisions of it"
        );
    }
}

/// Whatever is planned together with one workflow takes too long: all others are planned, in a cycle or two more than without it.
#[test]
fn who_makes_plans_take_long_keeps_no_other_workflow_waiting() {
    for policy in policies() {
        let mut vo = fairness::vo(policy, 1_000_000);
        let small = |vo: &Vo, name: &str| {
            let mut job = hopeless(vo, name, 3);
            job.request.budget = None;
            job
        };
        let slow = vo.submit(small(&vo, "slow"));
        vo.slow = Some(slow);
        let others = ["a", "b", "c"].map(|name| vo.submit(small(&vo, name)));
        for minute in 0..60 {
            vo.run_until(vo.now + MINUTE);
            if minute % 10 == 5 {
                vo.submit(small(&vo, &format!("later {minute}")));
            }
        }
        for job in others {
            let started = vo.started(job).expect("another workflow is planned all the same");
            assert!(started <= 15 * MINUTE, "started at {started} ms");
        }
        let waiting: Vec<JobNumber> = vo.broker.state().jobs.keys().copied().collect();
        assert_eq!(waiting, [slow], "everybody else has ended");
        let tried = vo.events.iter().filter(|event| match event {
            Event::Cycle(CycleEvent::Opened { batch, .. }) => batch.iter().any(|it| it.job == slow),
            _ => false,
        });
        assert!((2..=12).contains(&tried.count()), "it is tried again, less and less often");
    }
}

/// A brief plan comes when half of the time for planning is over. What was free when its cycle was closed has passed by then: it is made as
/// of its own moment, can be taken, and follows from the journal.
#[test]
fn a_brief_plan_that_comes_late_can_still_be_taken() {
    for policy in policies() {
        let mut vo = fairness::vo(policy, 1_000_000);
        vo.unplanned = true;
        let plain = vo.submit(vo.job("plain", 1, 10));
        let closed = |vo: &Vo| vo.broker.state().cycle.as_ref().is_some_and(|it| it.closed_at.is_some());
        for _ in 0..10 * 60 {
            if !closed(&vo) {
                vo.run_until(vo.now + 1_000);
            }
        }
        assert!(closed(&vo), "a cycle waits for its plan");
        let cycle = vo.broker.state().cycle.as_ref().unwrap().number;
        let stale = vo.broker.begun(cycle).unwrap();
        let passed = vo.broker.state().policy.lead.as_millis() + 10_000;
        assert!(passed < vo.broker.state().policy.plan_within.as_millis(), "it is waited for so long");
        vo.now += passed;
        let late = vo.broker.begun_late(cycle, at(vo.now)).unwrap();
        let has_window = |decision: Decision| {
            let input = Input::Decided { cycle, decision: Box::new(decision) };
            let change = vo.broker.decide(at(vo.now), &input).unwrap();
            change.events.iter().any(|event| match event {
                Event::Job(JobEvent::Planned { job, .. }) => *job == plain,
                Event::Reservation(ReservationEvent::Asked { job, .. }) => *job == plain,
                _ => false,
            })
        };
        assert!(!has_window(stale.plan_briefly()), "its window has begun before the plan came");
        let decision = late.plan_briefly();
        assert!(has_window(decision.clone()), "{decision:?}");
        assert!(late.leads_to(&decision) && !stale.leads_to(&decision));
        vo.say(Input::Decided { cycle, decision: Box::new(decision) });
        let bases = vo.entries.iter().filter_map(basis_of).map(|(_, basis)| basis).collect();
        let mut replay = Replay::new(bases);
        for entry in &vo.entries {
            assert_eq!(replay.entry(entry, Scope::All), None, "{:?}", entry.input);
        }
    }
}

/// Workflows take as many nodes as there are: those of one user have three of four together, and the others of theirs wait and say so.
#[test]
fn workflows_of_one_user_leave_nodes_to_others() {
    for policy in policies() {
        let mut vo = fairness::vo(policy, 1_000_000);
        let sent = ["one", "two"].map(|name| {
            let mut flow = hopeless(&vo, name, 1_000);
            flow.request.budget = None;
            vo.submit(flow)
        });
        vo.run_until(vo.now + 10 * MINUTE);
        assert_eq!(widths(&vo, &sent), [3], "one has what there is for both, the other waits");
        let why = vo.broker.state().jobs[&sent[1]].why.clone();
        assert_eq!(why, Some(Why::NodesHad { had: 3, most: 3 }));
        let small = vo.submit(vo.job("small", 1, 10));
        vo.run_until(vo.now + 5 * MINUTE);
        assert!(vo.started(small).is_some(), "another user's job starts at once");
        vo.run_until(vo.now + 1_500 * MINUTE);
        assert_eq!(widths(&vo, &sent), [3, 3], "then it is the other's turn");
    }
}

/// How many nodes were asked for, for each of some jobs, in order.
fn widths(vo: &Vo, jobs: &[JobNumber]) -> Vec<usize> {
    let asked = vo.events.iter().filter_map(|event| match event {
        Event::Reservation(ReservationEvent::Asked { job, allocation, .. }) if jobs.contains(job) => {
            Some(allocation.holds().count())
        }
        _ => None,
    });
    asked.collect()
}
