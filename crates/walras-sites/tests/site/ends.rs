//! A supervisor runs as the user, who can write down any end: the bill takes what nobody can forge.

use crate::bench::{Bench, command, hold, now, number, slurm};
use std::time::Duration;
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

#[test]
fn what_goes_on_in_slurm_has_not_ended() {
    let (mut bench, _fake) = slurm();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    bench.start(number(1), 1, &forger("30"));
    // Nobody looks while it goes on.
    std::thread::sleep(Duration::from_secs(5));
    let before = now();
    let said = bench.site.poll(before).unwrap();
    let at = ended(&mut bench, said);
    assert!(at >= before, "{at:?} beside {before:?}");
}

#[test]
fn what_slurm_has_seen_end_later_ended_then() {
    let (mut bench, fake) = slurm();
    bench.book(number(1), &[hold(0, now(), 60_000)]);
    bench.start(number(1), 1, &forger("30"));
    std::thread::sleep(Duration::from_secs(4));
    // Somebody ends Slurm's job; it is looked at a while after that.
    let cancelled = now();
    fake.end_all();
    std::thread::sleep(Duration::from_secs(2));
    let said = bench.site.poll(now()).unwrap();
    let at = ended(&mut bench, said);
    let seconds = (at.as_millis() - cancelled.as_millis()).abs();
    assert!(seconds < 1_900, "{at:?} beside {cancelled:?}");
}
