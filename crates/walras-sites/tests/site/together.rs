//! Windows over several sites: what a cluster begins only when it was told that all are ready.

use crate::bench::{Bench, after, command, hold, now, number, part_from, slurm};
use crate::fake::FakeSlurm;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use walras_model::Time;
use walras_sites::{Herald, JobNumber, PartEnd, SiteMessage, Start};

/// How long after now a window begins, in milliseconds.
const SOON: i64 = 2_500;

/// Two parts, each on a node of its own, that begin with those of other sites; gives when, and what was said.
fn start(bench: &mut Bench) -> (Time, Vec<SiteMessage>) {
    bench.book(number(1), &[hold(0, now(), 60_000), hold(1, now(), 60_000)]);
    let begins = after(now(), SOON);
    (begins, start_at(bench, begins))
}

fn start_at(bench: &mut Bench, begins: Time) -> Vec<SiteMessage> {
    let part = |part: u32| part_from(part, begins, after(begins, 30_000));
    let (job, parts, program) = (JobNumber::new(9), [part(0), part(1)], command(&["sh", "-c", "echo run"]));
    let start = Start {
        reservation: number(1),
        job,
        parts: &parts,
        size: 4,
        peers: &[],
        program: &program,
        together: true,
    };
    bench.site.start(now(), start).unwrap()
}

/// Waits until it is said that it can begin; everything else that was said meanwhile.
fn wait_ready(bench: &mut Bench, herald: &dyn Herald, begins: Time) -> Vec<SiteMessage> {
    let mut said = Vec::new();
    while herald.ready() != [number(1)] {
        assert!(now() < begins, "it is not ready: {said:?}");
        std::thread::sleep(Duration::from_millis(20));
        said.extend(bench.site.poll(now()).unwrap());
    }
    assert!(herald.ready().is_empty(), "it is said once");
    said
}

fn has_begun(said: &[SiteMessage]) -> bool {
    said.iter().any(|message| matches!(message, SiteMessage::Started { .. }))
}

/// The files of that name in directories of parts.
fn marks(fake: &FakeSlurm, name: &str) -> Vec<PathBuf> {
    let hold = PathBuf::from(&fake.cluster().jobs[0].command[1]);
    let find = Command::new("find").arg(hold.parent().unwrap()).args(["-name", name]).output().unwrap();
    String::from_utf8(find.stdout).unwrap().lines().map(PathBuf::from).collect()
}

#[test]
fn what_was_told_begins_at_its_time() {
    let (mut bench, _fake) = slurm();
    let herald = bench.site.herald().unwrap();
    let (begins, said) = start(&mut bench);
    assert!(!has_begun(&said) && !has_begun(&wait_ready(&mut bench, herald.as_ref(), begins)));
    herald.go(number(1)).unwrap();
    // Saying it again changes nothing, nor does a number that nobody knows.
    herald.go(number(1)).unwrap();
    herald.go(number(7)).unwrap();
    let said = bench.wait_start(Vec::new());
    let at = said.iter().find_map(|message| match message {
        SiteMessage::Started { at, .. } => Some(*at),
        _ => None,
    });
    assert!(at.unwrap() >= begins, "{said:?}");
    assert_eq!(bench.wait_end(said, 1), PartEnd::Done);
}

#[test]
fn what_was_not_told_never_begins() {
    let (mut bench, fake) = slurm();
    let herald = bench.site.herald().unwrap();
    let (begins, _) = start(&mut bench);
    wait_ready(&mut bench, herald.as_ref(), begins);
    let said = bench.wait(Vec::new(), |message| matches!(message, SiteMessage::Ended { part: 1, .. }));
    assert!(now() >= begins && !has_begun(&said), "{said:?}");
    let lost = |message: &SiteMessage| matches!(message, SiteMessage::Ended { end: PartEnd::Lost, .. });
    assert!(said.iter().any(lost), "{said:?}");
    // A word that comes too late, and a supervisor that Slurm starts again, change nothing.
    herald.go(number(1)).unwrap();
    fake.start_again();
    std::thread::sleep(Duration::from_millis(400));
    assert!(!has_begun(&bench.site.poll(now()).unwrap()));
    assert_eq!(marks(&fake, "output"), Vec::<PathBuf>::new());
    bench.cancel(number(1));
}

/// Whoever asks once more hears once more that all is ready; a herald needs no connector for that, which may wait for its controller.
#[test]
fn it_is_said_again_to_who_asks_again() {
    let (mut bench, _fake) = slurm();
    let herald = bench.site.herald().unwrap();
    let (begins, _) = start(&mut bench);
    wait_ready(&mut bench, herald.as_ref(), begins);
    bench.reopen();
    let herald = bench.site.herald().unwrap();
    assert!(herald.ready().is_empty());
    start_at(&mut bench, begins);
    assert_eq!(herald.ready(), [number(1)]);
}

#[test]
fn where_no_supervisor_comes_up_nothing_is_ready() {
    let (mut bench, fake) = slurm();
    fake.cluster().full = true;
    let herald = bench.site.herald().unwrap();
    let (begins, _) = start(&mut bench);
    while now() < begins {
        std::thread::sleep(Duration::from_millis(50));
        bench.site.poll(now()).unwrap();
        assert!(herald.ready().is_empty());
    }
    // It comes up too late.
    fake.make_room();
    let said = bench.wait(Vec::new(), |message| matches!(message, SiteMessage::Ended { part: 1, .. }));
    assert!(!has_begun(&said), "{said:?}");
}

#[test]
fn a_supervisor_that_is_to_end_is_no_longer_ready() {
    let (mut bench, fake) = slurm();
    let herald = bench.site.herald().unwrap();
    let (begins, _) = start(&mut bench);
    wait_ready(&mut bench, herald.as_ref(), begins);
    assert_eq!(marks(&fake, "ready.json").len(), 2);
    fake.tell_all_to_end();
    while !marks(&fake, "ready.json").is_empty() {
        assert!(now() < begins, "it still is");
        std::thread::sleep(Duration::from_millis(20));
    }
}
