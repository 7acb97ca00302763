//! A supervisor runs as the user, who can write down any end: the bill takes what nobody can forge.

use crate::bench::{Bench, after, command, hold, now, number, slurm};
use crate::fake::FakeSlurm;
use std::path::Path;
use std::time::{Duration, Instant};
use walras_model::Time;
use walras_sites::{PartEnd, Program, SiteMessage};

/// A program that says that it ended long ago, and goes on for a while. Files know the time to a few milliseconds, so it waits for some first.
fn forger(seconds: &str) -> Program {
    command(&[
        "sh",
        "-c",
        r#"sleep 0.05; echo '{"at":1000,"end":"done"}' > ../ended.json; exec sleep "$0""#,
        seconds,
    ])
}

fn ended(bench: &mut Bench, said: Vec<SiteMessage>) -> Time {
    let said = bench.wait(said, |message| matches!(message, SiteMessage::Ended { .. }));
    let at = said.iter().find_map(|message| match message {
        SiteMessage::Ended { at, .. } => Some(*at),
        _ => None,
    });
    at.unwrap()
}

#[test]
fn an_end_is_no_earlier_than_it_was_written() {
    let (mut bench, _fake) = slurm();
    let begun = now();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let said = bench.start(number(1), 1, &forger("30"));
    let at = ended(&mut bench, said);
    assert!(at >= begun && at <= now(), "{at:?} beside {begun:?}");
}

/// Whether somebody has written an end below this directory.
fn has_ended(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).any(|path| path.ends_with("ended.json") || has_ended(&path))
}

/// A site with a forger on it that has written its end and goes on.
fn forged() -> (Bench, FakeSlurm) {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    bench.start(number(1), 1, &forger("30"));
    let begun = Instant::now();
    while !has_ended(bench.data.path()) {
        assert!(begun.elapsed() < Duration::from_secs(20), "the forger has written nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
    // Whoever was away has seen nothing of Slurm.
    bench.reopen();
    (bench, fake)
}

#[test]
fn what_goes_on_in_slurm_has_not_ended() {
    let (mut bench, _fake) = forged();
    // Nobody looks while it goes on.
    bench.ahead = 5_000;
    let looked = bench.now();
    let at = ended(&mut bench, Vec::new());
    assert!(at >= looked, "{at:?} beside {looked:?}");
}

#[test]
fn what_slurm_has_seen_end_later_ended_then() {
    let (mut bench, fake) = forged();
    // Somebody ends Slurm's job; it is looked at a while after that.
    let cancelled = after(now(), 4_000);
    fake.end_all_at(cancelled);
    bench.ahead = 6_000;
    let at = ended(&mut bench, Vec::new());
    assert_eq!(at.as_millis(), cancelled.as_millis() / 1_000 * 1_000, "beside {cancelled:?}");
}

/// A program that ends its supervisor, by these means.
fn ends_its_supervisor(signal: &str) -> Program {
    command(&["sh", "-c", r#"kill -"$0" $PPID; exec sleep 30"#, signal])
}

#[test]
fn what_ends_its_supervisor_has_run() {
    for signal in ["KILL", "TERM"] {
        let (mut bench, _fake) = slurm();
        assert_eq!(bench.run(1, &ends_its_supervisor(signal)), PartEnd::Vanished, "{signal}");
    }
}

#[test]
fn what_slurm_ends_is_lost_also_where_the_program_hears_of_it_first() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    let said = bench.start(number(1), 1, &command(&["sh", "-c", "kill -TERM $$"]));
    let said = bench.wait_start(said);
    fake.tell_all_to_end();
    assert_eq!(bench.wait_end(said, 0), PartEnd::Lost);
}

/// What is written in the place of an end, or of a begin, ends the part that it is of; others go on.
#[test]
fn garbage_ends_its_own_part_alone() {
    for (forged, text) in
        [("ended.json", "{\"at\":1,\"end\":\"Done\"}"), ("ended.json", "ln"), ("begun.json", "")]
    {
        let (mut bench, _fake) = slurm();
        bench.book(number(1), &[hold(0, now(), 60_000)]);
        bench.book(number(2), &[hold(1, now(), 60_000)]);
        let write =
            r#"if [ "$1" = ln ]; then ln -s / "../$0"; else rm -f "../$0"; printf %s "$1" > "../$0"; fi"#;
        let said = bench.start(number(1), 1, &command(&["sh", "-c", write, forged, text]));
        let other = bench.start(number(2), 1, &command(&["sleep", "0.3"]));
        let is_of = |it: &SiteMessage, of| matches!(it, SiteMessage::Ended { reservation, .. } if *reservation == number(of));
        let said = bench.wait([said, other].concat(), |it| is_of(it, 2));
        let said = bench.wait(said, |it| is_of(it, 1));
        let end = said.iter().find(|it| is_of(it, 1)).unwrap();
        let vanished = matches!(end, SiteMessage::Ended { end: PartEnd::Vanished, .. });
        // Where only the begin was overwritten, the end is what its supervisor says.
        let done = matches!(end, SiteMessage::Ended { end: PartEnd::Done, .. });
        assert!(if forged == "ended.json" { vanished } else { done }, "{forged} {text}: {end:?}");
    }
}
