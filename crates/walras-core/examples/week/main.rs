//! Every alternative of a batch over a week: `week JOBS NODES SEARCH [THREADS]`, with SEARCH as `walras plan --search` reads
//! it, or `scenario` to print the instance for `walras plan`.

#![allow(
    unreachable_pub,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_types,
    reason = "an example prints, fails loudly and looks at the clock"
)]

mod draw;

use std::time::Instant;
use walras_core::{Algorithm, Alternatives, SearchConfig, find_alternatives_on};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).map_or(1_000, |text| text.parse().unwrap());
    let (jobs, nodes) = (draw::jobs(number(0)), draw::nodes(number(1)));
    let search = arguments.get(2).map_or("amp", String::as_str);
    if search == "scenario" {
        println!("{}", draw::scenario(&nodes, &jobs));
        return;
    }
    let algorithm: Algorithm = search.parse().unwrap();
    let (offers, batch) = (draw::offers(&nodes), draw::batch(&jobs));
    let started = Instant::now();
    let threads = arguments.get(3).map_or(1, |text| text.parse().unwrap());
    let config = SearchConfig { algorithm, ..SearchConfig::default() };
    let found = find_alternatives_on(&offers, &batch, &config, threads);
    println!(
        "{search}: {} slots, {} alternatives, {} jobs without, {} slots read, {:?}, {:.2} s, checksum {:016x}",
        offers.slots().len(),
        found.found.len(),
        found.unscheduled.len(),
        found.slots_scanned,
        found.limits_hit,
        started.elapsed().as_secs_f64(),
        checksum(&found),
    );
}

/// A number that changes with any slot of any alternative (FNV-1a).
fn checksum(found: &Alternatives) -> u64 {
    let mut sum = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |number: i64| {
        for byte in number.to_le_bytes() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    };
    for alternative in &found.found {
        add(i64::from(alternative.job.number()));
        for placement in alternative.window.placements() {
            add(i64::from(placement.node.number()));
            add(placement.interval.start().as_millis());
            add(placement.interval.end().as_millis());
        }
    }
    sum
}
