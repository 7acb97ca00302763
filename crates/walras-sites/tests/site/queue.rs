//! A cluster on which nothing is reserved: jobs wait in Slurm's own queue.

use crate::bench::{Bench, after, command, hold, now, number, refused, slurm_queue};
use crate::process::{line, runs};
use std::time::Duration;
use walras_model::{Interval, Span};
use walras_sites::{CycleNumber, Free, Hold, PartEnd, SiteMessage, SiteRefusal};

/// A place in the queue for so long, expected in a minute.
fn place(millis: i64) -> Hold {
    Hold { node: None, ..hold(0, after(now(), 60_000), millis) }
}

fn offered(bench: &mut Bench) -> Free {
    let horizon = Interval::new(now(), after(now(), 60_000)).unwrap();
    let said = bench.site.offers(now(), CycleNumber::new(1), horizon).unwrap();
    let [SiteMessage::Offers { free, .. }] = said.as_slice() else { panic!("{said:?}") };
    free.clone()
}

#[test]
fn the_wait_is_what_slurm_reckons_and_a_cluster_that_is_away_sells_nothing() {
    let (mut bench, fake) = slurm_queue(4);
    fake.cluster().wait = 600;
    let Free::Queue { wait, units: 4 } = offered(&mut bench) else { panic!("no queue") };
    assert!((590_000..=600_000).contains(&wait.as_millis()), "{wait:?}");
    let asked = fake.cluster().submitted.clone();
    assert!(["--test-only", "--nodes=1", "--time=60"].iter().all(|word| asked.iter().any(|it| it == word)));
    assert!(fake.cluster().jobs.is_empty(), "nothing is submitted");
    fake.cluster().away = true;
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(offered(&mut bench), Free::Queue { wait: Span::ZERO, units: 0 });
}

/// It has its time from its own begin on, however long it waited, and all parts begin together.
#[test]
fn a_job_begins_when_slurm_likes_and_has_all_its_time() {
    let (mut bench, fake) = slurm_queue(4);
    fake.cluster().full = true;
    let room = [place(3_000), place(3_000)];
    bench.book(number(1), &room);
    assert!(fake.cluster().jobs.is_empty(), "it is not known yet what to run");
    let words = r#"echo "$WALRAS_NODE $SLURM_JOB_NUM_NODES"; sleep 0.5"#;
    let said = bench.start(number(1), 2, &command(&["sh", "-c", words]));
    assert_eq!((said, fake.cluster().jobs.len()), (Vec::new(), 1));
    let told = fake.cluster().submitted.clone();
    assert!(
        ["--nodes=2", "--ntasks-per-node=1"].iter().all(|word| told.iter().any(|it| it == word)),
        "{told:?}"
    );
    assert!(!told.iter().any(|it| it.starts_with("--reservation")), "{told:?}");
    std::thread::sleep(Duration::from_millis(1_000));
    assert_eq!(bench.site.poll(now()).unwrap(), []);
    let begins = now();
    fake.make_room();
    let said = bench.wait(Vec::new(), |message| matches!(message, SiteMessage::Ended { part: 1, .. }));
    // Slurm counts in seconds.
    let begins = after(begins, -1_000);
    for message in &said {
        assert!(!matches!(message, SiteMessage::Started { at, .. } if *at < begins), "{said:?}");
    }
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    let output = bench.site.output(number(1), 1, walras_sites::Stream::Output).unwrap().path();
    assert_eq!(std::fs::read_to_string(output).unwrap(), "n7 2\n");
    bench.cancel(number(1));
}

#[test]
fn what_takes_longer_than_was_bought_is_ended() {
    let (mut bench, _fake) = slurm_queue(1);
    bench.book(number(1), &[place(500)]);
    let program = bench.gated("long");
    let said = bench.start(number(1), 1, &program);
    let end = bench.wait_end(said, 0);
    // On a slow machine it was not its own fault; that is the word of its supervisor alone, and it has run.
    assert!(matches!(end, PartEnd::TimedOut | PartEnd::Vanished), "{end:?}");
    assert!(!runs(&line(&bench.data.path().join("long.pid"))));
}

#[test]
fn there_is_room_for_so_many_and_a_place_outlives_the_service() {
    let (mut bench, fake) = slurm_queue(2);
    fake.cluster().full = true;
    bench.book(number(1), &[place(60_000), place(60_000)]);
    let said = bench.ask(now(), number(2), &[place(1_000)], after(now(), 1_000)).unwrap();
    assert_eq!(said, refused(number(2), SiteRefusal::Busy));
    let program = bench.gated("kept");
    bench.start(number(1), 1, &program);
    bench.reopen();
    bench.start(number(1), 1, &program);
    bench.site.poll(now()).unwrap();
    assert_eq!(fake.cluster().jobs.len(), 1, "it is submitted once");
    fake.make_room();
    let said = bench.wait_start(Vec::new());
    bench.reopen();
    bench.open_gate();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
}

#[test]
fn what_is_cancelled_waits_no_longer_and_never_begins() {
    let (mut bench, fake) = slurm_queue(1);
    fake.cluster().full = true;
    let program = bench.gated("never");
    bench.book(number(1), &[place(60_000)]);
    bench.start(number(1), 1, &program);
    bench.cancel(number(1));
    assert_eq!(fake.cluster().cancelled.len(), 1);
    // Slurm revives it.
    fake.start_again();
    bench.open_gate();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!bench.data.path().join("never.pid").exists());
    // What runs is ended.
    fake.cluster().full = false;
    let program = bench.gated("runs");
    bench.book(number(2), &[place(60_000)]);
    let said = bench.start(number(2), 1, &program);
    bench.wait_start(said);
    let pid = line(&bench.data.path().join("runs.pid"));
    bench.cancel(number(2));
    assert!(!runs(&pid));
}

#[test]
fn what_slurm_turns_away_is_lost_and_what_it_forgets_is_submitted_again() {
    let (mut bench, fake) = slurm_queue(2);
    fake.cluster().full = true;
    for place_number in [1, 2] {
        bench.book(number(place_number), &[place(60_000)]);
    }
    let said = bench.start(number(1), 1, &command(&["true"]));
    fake.end_all();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Lost);
    bench.cancel(number(1));
    let trace = bench.data.path().join("trace");
    let program = command(&["sh", "-c", r#"echo run >> "$0"; sleep 0.2"#, trace.to_str().unwrap()]);
    let said = bench.start(number(2), 1, &program);
    fake.cluster().jobs.clear();
    bench.poll_until(|| !fake.cluster().jobs.is_empty());
    fake.make_room();
    fake.start_again();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
    assert_eq!(std::fs::read_to_string(trace).unwrap(), "run\n");
}

#[test]
fn what_slurm_does_not_take_is_lost_at_once() {
    let (mut bench, fake) = slurm_queue(1);
    fake.cluster().refuses = true;
    bench.book(number(1), &[place(60_000)]);
    let said = bench.start(number(1), 1, &command(&["true"]));
    assert_eq!(bench.wait_end(said, 0), PartEnd::Lost);
    bench.cancel(number(1));
    // One that does not answer is asked again.
    let mut cluster = fake.cluster();
    (cluster.refuses, cluster.away) = (false, true);
    drop(cluster);
    bench.book(number(2), &[place(60_000)]);
    let said = bench.start(number(2), 1, &command(&["true"]));
    assert_eq!(said, []);
    fake.cluster().away = false;
    assert_eq!(bench.wait_end(said, 0), PartEnd::Done);
}
