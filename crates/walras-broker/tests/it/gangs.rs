//! Tasks of workflows that take several nodes at the same time: they start together, and are kept together or not at all.

use crate::vo::{MINUTE, Vo, at, credits, policy, user};
use std::collections::BTreeSet;
use walras_broker::allocation::Allocation;
use walras_broker::event::ReservationEvent;
use walras_broker::fitting::{fitting, is_never_met};
use walras_broker::input::SiteMessage;
use walras_broker::job::{JobSpec, Why, WorkflowSpec};
use walras_broker::journal::{Replay, Scope, basis_of};
use walras_broker::policy::Policy;
use walras_broker::quoting::Inquiry;
use walras_broker::refusal::BadJob;
use walras_broker::reservation::ReservedPart;
use walras_broker::sharing::SharePolicy;
use walras_broker::{Effect, Event, Input, Refusal};
use walras_core::refine::Strategy;
use walras_model::{Data, Edge, NodeId, Share, SiteId, Task, TaskId, Work, Workflow};

/// Two tasks of ten minutes, then a gang on three nodes for as long that waits for both, then one more task.
fn flow(vo: &Vo, nodes: u32) -> JobSpec {
    let task = |(name, nodes): (&str, u32)| Task { nodes, ..Task::new(name, Work::from_millis(10 * MINUTE)) };
    let tasks = [("a", 1), ("b", 1), ("gang", nodes), ("end", 1)].map(task).to_vec();
    let edge = |(from, to)| Edge { from: TaskId::new(from), to: TaskId::new(to), data: Data::ZERO };
    let edges = [(0, 2), (1, 2), (2, 3)].map(edge).to_vec();
    let workflow = Workflow::new("flow", tasks, edges).unwrap();
    let mut job = vo.job("flow", 1, 1);
    job.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    job.request.budget = Some(credits(500));
    job
}

fn vo() -> Vo {
    let mut vo = Vo::new(&[(2, 1_000), (4, 1_000)]);
    vo.say(Input::SetPolicy(Box::new(Policy { sharing: None, ..policy() })));
    vo
}

fn asked(vo: &Vo) -> Vec<Allocation> {
    let asked = vo.events.iter().filter_map(|event| match event {
        Event::Reservation(ReservationEvent::Asked { allocation, .. }) => Some((**allocation).clone()),
        _ => None,
    });
    asked.collect()
}

/// When the parts of the gang began, of every reservation.
fn begun(vo: &Vo) -> Vec<(u32, i64)> {
    let begun = vo.events.iter().filter_map(|event| match event {
        Event::Reservation(ReservationEvent::PartStarted { part, at, .. }) => Some((*part, at.as_millis())),
        _ => None,
    });
    begun.filter(|(part, _)| [2, 4, 5].contains(part)).collect()
}

#[test]
fn a_gang_starts_together_on_nodes_of_one_site() {
    let mut vo = vo();
    let job = vo.submit(flow(&vo, 3));
    vo.run_until(120 * MINUTE);
    let [asked] = &asked(&vo)[..] else {
        panic!("one window: {:?}", vo.broker.state().jobs.get(&job).map(|job| &job.why))
    };
    let tasks: Vec<u32> = asked.parts.iter().map(|part| part.task.unwrap().number()).collect();
    assert_eq!(tasks, [0, 1, 2, 3, 2, 2]);
    let gang: Vec<_> = asked.parts.iter().filter(|part| part.task == Some(TaskId::new(2))).collect();
    let nodes: BTreeSet<u32> = gang.iter().map(|part| part.hold).collect();
    assert!(nodes.len() == 3 && gang.iter().all(|part| part.site == SiteId::new(1)), "{gang:?}");
    let begun = begun(&vo);
    assert!(begun.len() == 3 && begun.iter().all(|(_, at)| *at == begun[0].1), "{begun:?}");
    assert!(!vo.broker.state().jobs.contains_key(&job), "it has ended");
    assert_eq!(vo.broker.state().totals.done, 1);
}

#[test]
fn what_is_told_to_sites_is_who_is_in_the_gang() {
    let mut vo = vo();
    vo.submit(flow(&vo, 3));
    vo.run_until(120 * MINUTE);
    let gangs = vo.effects.iter().filter_map(|effect| match effect {
        Effect::Start { parts, .. } => parts.iter().find(|part| part.part == 4),
        _ => None,
    });
    let gangs: Vec<_> = gangs.collect();
    let place = gangs.first().and_then(|part| part.gang.as_ref()).expect("it is of a gang");
    assert_eq!((place.rank, place.peers.len()), (1, 3));
    assert_eq!(place.peers.iter().map(|peer| peer.part).collect::<Vec<_>>(), [2, 4, 5]);
    assert!(place.peers.iter().all(|peer| peer.node.is_some()));
}

/// A task before it takes longer: all of the gang wait for it, and none begins without the others.
#[test]
fn a_gang_waits_together() {
    let mut vo = vo();
    let mut job = flow(&vo, 3);
    // One more that takes long, so that there is time in the window.
    let of = job.workflow.as_mut().unwrap();
    let mut tasks = of.workflow.tasks().to_vec();
    tasks.push(Task::new("long", Work::from_millis(40 * MINUTE)));
    let mut edges = of.workflow.edges().to_vec();
    edges.push(Edge { from: TaskId::new(1), to: TaskId::new(4), data: Data::ZERO });
    of.workflow = Workflow::new("flow", tasks, edges).unwrap();
    vo.submit(job);
    vo.run_until(5 * MINUTE);
    let held = vo.broker.state().reservations.iter().next();
    let (number, reservation) = held.map(|(number, it)| (*number, it.clone())).unwrap();
    let gang = |parts: &[ReservedPart]| -> Vec<(usize, i64)> {
        let of_gang = |(_, part): &(usize, &ReservedPart)| part.plan.task == Some(TaskId::new(2));
        let parts = parts.iter().enumerate().filter(of_gang);
        parts.map(|(place, part)| (place, part.plan.start.as_millis())).collect()
    };
    let (late, before) = (reservation.parts[0].plan.clone(), gang(&reservation.parts));
    let until = at(late.end.as_millis() + 3 * MINUTE);
    vo.put_off(number, 0, until);
    vo.heard(late.site.number(), SiteMessage::Late { reservation: number, part: 0, until });
    let after = gang(&vo.broker.state().reservations[&number].parts);
    assert_eq!((before.len(), after.len()), (3, 3));
    assert!(after.iter().all(|(_, start)| *start == until.as_millis()), "{before:?} {after:?}");
    vo.run_until(120 * MINUTE);
    let begun: Vec<i64> = vo
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Reservation(ReservationEvent::PartStarted { part, at, .. }) => {
                after.iter().any(|(place, _)| *place == *part as usize).then_some(at.as_millis())
            }
            _ => None,
        })
        .collect();
    assert!(
        begun.len() == 3 && begun.iter().all(|at| *at == begun[0] && *at >= until.as_millis()),
        "{begun:?}"
    );
    assert_eq!(vo.broker.state().totals.done, 1);
}

/// A node is lost while the gang runs, after one of its parts has ended well: nothing of the gang is kept or paid for, and all of it runs again.
#[test]
fn a_torn_gang_runs_again_as_a_whole() {
    let mut vo = vo();
    let job = vo.submit(flow(&vo, 3));
    while begun(&vo).len() < 3 && vo.now < 200 * MINUTE {
        vo.run_until(vo.now + MINUTE);
    }
    let state = vo.broker.state();
    let (number, reservation) = state.reservations.iter().next().map(|(n, it)| (*n, it.clone())).unwrap();
    let nodes: Vec<NodeId> = [2, 4, 5]
        .map(|part: usize| reservation.hold_of(&reservation.parts[part].plan).unwrap().node.unwrap())
        .to_vec();
    let end = walras_broker::job::PartEnd::Done;
    vo.heard(1, SiteMessage::Ended { reservation: number, part: 4, at: at(vo.now), end, used: None });
    vo.heard(1, SiteMessage::NodeLost { node: nodes[0], at: at(vo.now) });
    let kept = vo.events.iter().find_map(|event| match event {
        Event::Reservation(ReservationEvent::Closed { kept, .. }) => Some(kept.clone()),
        _ => None,
    });
    assert_eq!(kept, Some(vec![TaskId::new(0), TaskId::new(1)]), "the gang is not kept");
    assert_eq!(vo.broker.state().jobs[&job].done, BTreeSet::from([TaskId::new(0), TaskId::new(1)]));
    vo.run_until(300 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 1, "{:?}", vo.broker.state().jobs.get(&job));
    let allocations = asked(&vo);
    assert_eq!(allocations.last().map(|it| it.parts.len()), Some(4), "the gang and what is after it");
    let paid = credits(1_000).as_micros() - vo.balance(&user("ada")).as_micros();
    assert!(paid > 0);
    let bases: BTreeSet<u64> = vo.entries.iter().filter_map(basis_of).map(|(_, basis)| basis).collect();
    let mut replay = Replay::new(bases);
    for entry in &vo.entries {
        assert_eq!(replay.entry(entry, Scope::All), None, "{entry:?}");
    }
}

#[test]
fn a_gang_wider_than_every_site_never_fits() {
    let vo = vo();
    let never = |nodes: u32| {
        let job = flow(&vo, nodes);
        is_never_met(&job, &fitting(vo.broker.state(), &job))
    };
    assert!(!never(4) && never(5), "six nodes, but four on a site");
    let mut vo = Vo::new(&[(1, 1_000)]);
    let job = Box::new(flow(&vo, 200_000));
    let refused = vo.broker.handle(at(vo.now), &Input::Submit { key: "k".into(), job }).err();
    assert_eq!(refused, Some(Refusal::BadJob(BadJob::TooManyTasks { tasks: 200_003, most: 100_000 })));
    vo.run_until(1);
}

/// What a user's workflows take is counted by nodes.
#[test]
fn the_work_of_a_gang_is_that_of_all_its_nodes() {
    let vo = vo();
    assert_eq!(flow(&vo, 3).work_millis(), i128::from(6 * 10 * MINUTE));
    assert_ne!(flow(&vo, 3).digest(), flow(&vo, 2).digest());
}

/// A gang that is wider than what the other workflows of its user leave waits for them, and is told so; asked about before, it has a window.
#[test]
fn a_gang_waits_for_the_nodes_of_its_users_other_workflows() {
    let mut vo = Vo::new(&[(6, 1_000)]);
    let half = SharePolicy { workflow_nodes: Share::percent(50), ..SharePolicy::default() };
    vo.say(Input::SetPolicy(Box::new(Policy { sharing: Some(half), ..policy() })));
    let first = vo.submit(flow(&vo, 3));
    vo.run_until(2 * MINUTE);
    assert!(vo.broker.state().reservations.values().any(|it| it.job == first));
    let mut second = flow(&vo, 3);
    second.request.name = "second".to_owned();
    let told = Inquiry::at_once(vo.broker.state(), at(vo.now), &second).unwrap().unwrap().search();
    assert!(!told.allocations.is_empty(), "{:?}", told.why);
    let second = vo.submit(second);
    vo.run_until(4 * MINUTE);
    let why = vo.broker.state().jobs[&second].why.clone();
    assert!(matches!(why, Some(Why::NodesHad { most: 3, .. })), "{why:?}");
    vo.run_until(300 * MINUTE);
    assert_eq!(vo.broker.state().totals.done, 2);
}
