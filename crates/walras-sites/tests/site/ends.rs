//! A supervisor runs as the user, who can write down any end: the bill takes what nobody can forge.

use crate::bench::{Bench, after, command, hold, now, number, slurm};
use crate::fake::FakeSlurm;
use std::path::Path;
use std::time::{Duration, Instant};
use walras_model::Time;
use walras_sites::{Program, SiteMessage};

/// A program that says that it ended long ago, and goes on for a while.
fn forger(seconds: &str) -> Program {
    command(&["sh", "-c", r#"echo '{"at":1000,"end":"done"}' > ../ended.json; exec sleep "$0""#, seconds])
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
