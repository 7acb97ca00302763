//! How the broker behaves when there is much of everything.
//!
//! `cargo run --release -p walras-broker --example scale -- cycle|fold|submit|finished|queue [N]`
//!
//! * `cycle`: one cycle over 1,000 queued jobs, 1,000 nodes and 20,000 slots.
//! * `fold`: events folded per second, over the life of N jobs.
//! * `submit`: a submission into a queue of N jobs, decided and folded.
//! * `finished`: memory after N jobs have ended.
//! * `queue`: N jobs that wait for 1,000 nodes are planned, and planned again whenever one ends early.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "an example that measures")]

mod bed;

use bed::Bed;
use std::time::Instant;
use walras_broker::Broker;
use walras_broker::job::Phase;

#[expect(clippy::print_stdout, reason = "an example that prints")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    match what.as_str() {
        "cycle" => {
            let mut bed = Bed::new(1_000, 20, false);
            bed.submit(1_000);
            let start = Instant::now();
            let spent = bed.cycle();
            println!(
                "cycle over 1,000 jobs, 1,000 nodes, 20,000 slots: {:.3} s (problem {:.3}, plan {:.3}, decide and fold {:.3}); {} served",
                start.elapsed().as_secs_f64(),
                spent.problem,
                spent.plan,
                spent.decide,
                spent.served
            );
        }
        "fold" => {
            let mut bed = Bed::new(100, 1, true);
            bed.live(count);
            let events: usize = bed.journal.iter().map(|entry| entry.events.len()).sum();
            let start = Instant::now();
            let mut broker = Broker::default();
            bed.journal.iter().for_each(|entry| broker.restore(entry));
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{events} events of {count} jobs folded in {seconds:.3} s: {:.0} a second",
                events as f64 / seconds
            );
        }
        "finished" => {
            let mut bed = Bed::new(100, 1, false);
            let before = resident();
            bed.live(count);
            let state = bed.broker.state();
            println!(
                "{} jobs ended: {} MB resident ({} MB before), {} jobs and {} reservations in the state",
                state.totals.done,
                resident() >> 20,
                before >> 20,
                state.jobs.len(),
                state.reservations.len()
            );
        }
        "submit" => {
            let mut bed = Bed::new(100, 1, false);
            bed.submit(u64::try_from(count).unwrap_or(0));
            let start = Instant::now();
            bed.submit(u64::try_from(count).unwrap_or(0));
            let micros = start.elapsed().as_secs_f64() * 1e6 / count as f64;
            println!("{count} submissions into a queue of {count}: {micros:.2} µs each");
        }
        "queue" => {
            let mut bed = Bed::promising(1_000);
            let before = resident();
            bed.submit(u64::try_from(count).unwrap_or(0));
            let start = Instant::now();
            while bed.broker.state().jobs.values().any(|job| job.phase == Phase::Queued) {
                let spent = bed.cycle();
                println!(
                    "planned {}: problem {:.3} s, plan {:.3}, decide and fold {:.3}",
                    spent.planned, spent.problem, spent.plan, spent.decide
                );
            }
            println!("all planned in {:.3} s", start.elapsed().as_secs_f64());
            let mut times = Vec::new();
            for _ in 0..200 {
                let start = Instant::now();
                bed.one_ends();
                let spent = bed.cycle();
                times.push((start.elapsed().as_secs_f64() * 1e3, spent));
            }
            times.sort_by(|one, other| one.0.total_cmp(&other.0));
            let at = |place: usize| {
                let (all, spent) = &times[place];
                format!(
                    "{all:.1} ms (problem {:.1}, plan {:.1}, decide {:.1}; {} moved)",
                    spent.problem * 1e3,
                    spent.plan * 1e3,
                    spent.decide * 1e3,
                    spent.planned
                )
            };
            println!("an early end: median {}, 95% below {}, longest {}", at(100), at(190), at(199));
            println!("{} MB resident ({} MB before)", resident() >> 20, before >> 20);
        }
        other => println!("unknown: '{other}': expected cycle, fold, submit, finished or queue"),
    }
}

/// Resident memory of this process, in bytes; 0 where that cannot be told.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4_096
}
