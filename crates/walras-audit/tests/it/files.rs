//! Files of tasks between sites: brought before they are read, tried again, and given up; and what the auditor says of journals where they
//! were not.

use crate::story::diamond;
use crate::world::{World, audit, job, span, submit};
use walras_audit::FindingKind;
use walras_broker::Event;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_broker::input::Input;
use walras_broker::job::{JobEnd, JobSpec, OutputFault, PartEnd, Why};
use walras_broker::journal::Entry;
use walras_broker::moving::{MoveFault, MoveStep, TRIES_MAX};
use walras_broker::policy::{Deciding, Policy};
use walras_broker::program::TaskProgram;
use walras_model::TaskId;
use walras_model::workflow::{Link, Network};

/// Two sites with a node each: of the two tasks in the middle one is elsewhere.
fn world() -> World {
    let mut world = World::default();
    let between_sites = Link { latency: span(2_000), bandwidth: None };
    let network = Network { within_site: Link::INSTANT, between_sites };
    let policy = Policy { deciding: Deciding::AtOnce, lead: span(30_000), network, ..Policy::default() };
    world.say(Input::SetPolicy(Box::new(policy)));
    world.site("north", "nora", &[1]);
    world.site("south", "sol", &[1]);
    world.user("ada", None, 100_000);
    world
}

/// A diamond whose tasks pass files on.
fn flow() -> JobSpec {
    let mut spec = diamond("ada");
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let task = |inputs: &[&str], outputs: &[&str]| TaskProgram {
        inputs: names(inputs),
        outputs: names(outputs),
        ..TaskProgram::default()
    };
    spec.workflow.as_mut().unwrap().programs =
        vec![task(&[], &["a"]), task(&["a"], &["l"]), task(&["a"], &["r"]), task(&["l", "r"], &["m"])];
    spec
}

fn ran(fails: u32) -> World {
    let mut world = world();
    world.failing_moves = fails;
    world.say(submit("f", flow()));
    world.run_until(8_000_000);
    assert_eq!(world.broker.state().totals.done, 1, "{:?}", world.broker.state().jobs.values().next());
    world
}

fn steps(journal: &[Entry]) -> Vec<(TaskId, &MoveStep)> {
    let of = |event| match event {
        &Event::Reservation(ReservationEvent::Files { task, ref step, .. }) => Some((task, step)),
        _ => None,
    };
    journal.iter().flat_map(|entry| &entry.events).filter_map(of).collect()
}

/// How often tasks ended well.
fn ends(journal: &[Entry]) -> usize {
    let done = |event: &&Event| {
        matches!(event, Event::Reservation(ReservationEvent::PartEnded { end: PartEnd::Done, .. }))
    };
    journal.iter().flat_map(|entry| &entry.events).filter(done).count()
}

#[test]
fn files_come_before_they_are_read() {
    let world = ran(0);
    let steps = steps(&world.journal);
    let begun = steps.iter().filter(|(_, step)| matches!(step, MoveStep::Begun { .. })).count();
    let done = steps.iter().filter(|(_, step)| matches!(step, MoveStep::Done { .. })).count();
    assert_eq!((begun, done), (2, 2), "to the task elsewhere, and back: {steps:?}");
    assert_eq!(ends(&world.journal), 4, "each task once");
    assert_eq!(audit(&world.journal).0, []);
    assert!(world.broker.state().measured.small > 0, "how long it took is learnt");
}

#[test]
fn what_fails_is_tried_again_and_nothing_runs_twice() {
    let world = ran(TRIES_MAX - 1);
    let failed = steps(&world.journal).iter().filter(|(_, step)| matches!(step, MoveStep::Failed(_))).count();
    assert_eq!(failed, TRIES_MAX as usize - 1);
    assert_eq!(ends(&world.journal), 4, "each task once");
    assert_eq!(audit(&world.journal).0, []);
}

#[test]
fn of_files_that_are_lost_the_task_that_wrote_them_runs_again() {
    let world = ran(TRIES_MAX);
    let lost: Vec<TaskId> = steps(&world.journal)
        .iter()
        .filter(|(_, step)| matches!(step, MoveStep::Lost(_)))
        .map(|(task, _)| *task)
        .collect();
    assert_eq!(lost, [TaskId::new(0)]);
    assert_eq!(audit(&world.journal).0, []);
    // The first task, and what was running beside the move when it was given up.
    assert!((5..=6).contains(&ends(&world.journal)), "{}", ends(&world.journal));
}

/// How a job ended.
fn end_of(world: &World) -> JobEnd {
    let of = |event: &Event| match event {
        Event::Job(JobEvent::Ended { end, .. }) => Some(end.clone()),
        _ => None,
    };
    world.journal.iter().flat_map(|entry| &entry.events).find_map(of).expect("it has ended")
}

/// What is a link where it is read stays one: nothing is tried again, and no task runs twice.
#[test]
fn a_file_that_is_a_link_fails_the_job_at_once_and_is_named() {
    let mut world = world();
    (world.failing_moves, world.fault) = (1, Some(MoveFault::Outside("a".into())));
    world.say(submit("f", flow()));
    world.run_until(8_000_000);
    let JobEnd::Failed(Why::NotBrought { task, fault, .. }) = end_of(&world) else {
        panic!("{:?}", end_of(&world))
    };
    assert_eq!((task.as_str(), fault), ("split", MoveFault::Outside("a".into())));
    let again = |(_, step): &(TaskId, &MoveStep)| matches!(step, MoveStep::Failed(_) | MoveStep::Lost(_));
    assert!(!steps(&world.journal).iter().any(again));
    assert_eq!(audit(&world.journal).0, []);
}

#[test]
fn an_output_that_is_not_there_fails_the_job_and_is_named() {
    let mut world = world();
    world.ends = vec![PartEnd::NoOutput { file: 0, fault: OutputFault::Link }];
    world.say(submit("f", flow()));
    world.run_until(8_000_000);
    let why = Why::NoOutput { part: 0, file: "a".into(), fault: OutputFault::Link };
    assert_eq!(end_of(&world), JobEnd::Failed(why));
    assert_eq!(audit(&world.journal).0, []);
    other_file_is_found(&world);
}

/// A job that is no workflow is told by the same reason, with the file that it lists itself.
#[test]
fn an_output_of_a_plain_job_that_is_not_there_fails_it_and_is_named() {
    let mut world = world();
    world.ends = vec![PartEnd::NoOutput { file: 1, fault: OutputFault::Special }];
    let mut spec = job("ada", 1, 60);
    spec.particulars.outputs = vec!["a".into(), "c".into()];
    world.say(submit("j", spec));
    world.run_until(8_000_000);
    let why = Why::NoOutput { part: 0, file: "c".into(), fault: OutputFault::Special };
    assert_eq!(end_of(&world), JobEnd::Failed(why));
    assert_eq!(audit(&world.journal).0, []);
    other_file_is_found(&world);
}

/// The auditor knows which file it was.
fn other_file_is_found(world: &World) {
    let mut other = world.journal.clone();
    for event in other.iter_mut().flat_map(|entry| &mut entry.events) {
        if let Event::Reservation(ReservationEvent::Closed {
            why: Some(Why::NoOutput { file, .. }), ..
        }) = event
        {
            *file = "b".into();
        }
    }
    assert_ne!(audit(&other).0, []);
}

/// The journal without the events that are like this.
fn without(journal: &[Entry], like: impl Fn(&MoveStep) -> bool) -> Vec<Entry> {
    let kept = |event: &Event| !matches!(event, Event::Reservation(ReservationEvent::Files { step, .. }) if like(step));
    let entry = |entry: &Entry| Entry {
        events: entry.events.iter().filter(|event| kept(event)).cloned().collect(),
        ..entry.clone()
    };
    journal.iter().map(entry).collect()
}

#[test]
fn a_task_that_began_before_its_files_is_found() {
    let journal = ran(0).journal;
    let found = audit(&without(&journal, |_| true)).0;
    assert!(found.iter().any(|it| matches!(it.kind, FindingKind::BeforeFiles { .. })), "{found:?}");
    let found = audit(&without(&journal, |step| matches!(step, MoveStep::Done { .. }))).0;
    assert!(found.iter().any(|it| matches!(it.kind, FindingKind::BeforeFiles { .. })), "{found:?}");
    let found = audit(&without(&journal, |step| matches!(step, MoveStep::Begun { .. }))).0;
    assert!(
        found.iter().any(|it| matches!(it.kind, FindingKind::FilesStep { step: "done", .. })),
        "{found:?}"
    );
    // Files from where they are not.
    let mut moved = journal.clone();
    for event in moved.iter_mut().flat_map(|entry| &mut entry.events) {
        if let Event::Reservation(ReservationEvent::Files {
            to, step: MoveStep::Begun { from, .. }, ..
        }) = event
        {
            *from = *to;
        }
    }
    let found = audit(&moved).0;
    assert!(
        found.iter().any(|it| matches!(it.kind, FindingKind::FilesStep { step: "begun", .. })),
        "{found:?}"
    );
    // Nobody said so.
    let mut unsaid = journal;
    for event in unsaid.iter_mut().flat_map(|entry| &mut entry.events) {
        if let Event::Reservation(ReservationEvent::Files { step: MoveStep::Done { bytes, .. }, .. }) = event
        {
            *bytes += 1;
        }
    }
    let found = audit(&unsaid).0;
    assert!(
        found.iter().any(|it| matches!(it.kind, FindingKind::Unprompted { event: "files-moved" })),
        "{found:?}"
    );
}
