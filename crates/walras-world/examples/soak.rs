//! Lives through worlds, seed by seed, and says what came of them.
//!
//! `cargo run --release -p walras-world --example soak -- FIRST COUNT`

use std::collections::BTreeMap;
use std::process::ExitCode;
use walras_broker::Event;
use walras_broker::event::{JobEvent, ReservationEvent};
use walras_world::{Settings, live};

#[expect(clippy::print_stdout, reason = "an example that prints")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let (first, count) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(1_000));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let (mut entries, mut steps, mut kills) = (0, 0, 0);
    for seed in first..first.saturating_add(count) {
        let outcome = live(&Settings { seed, ..Settings::default() });
        for event in outcome.journal.iter().flat_map(|entry| &entry.events) {
            *counts.entry(kind(event)).or_default() += 1;
        }
        entries += outcome.journal.len();
        steps += outcome.steps;
        kills += outcome.kills;
        if !outcome.wrong.is_empty() {
            println!("seed {seed} breaks a promise: {:#?}\n{:?}", outcome.wrong, outcome.faults);
            println!("repeat it with: make soak SEED={seed} SEEDS=1");
            return ExitCode::FAILURE;
        }
    }
    println!("{count} worlds from seed {first}: {steps} steps, {entries} entries, {kills} kills");
    for (kind, count) in counts {
        println!("{count:>9} {kind}");
    }
    ExitCode::SUCCESS
}

/// What an event is called, with how a job or reservation ended.
fn kind(event: &Event) -> String {
    let name = |text: String| text.split(['(', ' ', '{']).next().unwrap_or_default().to_owned();
    match event {
        Event::Job(JobEvent::Ended { end, .. }) => format!("JobEnded {}", name(format!("{end:?}"))),
        Event::Reservation(ReservationEvent::Closed { why, .. }) => {
            let why = why.as_ref().map_or("done".to_owned(), |why| name(format!("{why:?}")));
            format!("ReservationClosed {why}")
        }
        Event::Job(JobEvent::Returned { why, .. }) => format!("JobReturned {}", name(format!("{why:?}"))),
        event => name(format!("{event:?}")),
    }
}
