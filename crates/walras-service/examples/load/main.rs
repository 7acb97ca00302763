//! Load on a real service over loopback, with clients of our own.
//!
//! ```text
//! cargo run --release -p walras-service --example load -- submit   [CLIENTS [SECONDS [QUOTERS]]]   durable submissions while cycles run
//! cargo run --release -p walras-service --example load -- listen   [LISTENERS]                     event streams, all of them fed
//! cargo run --release -p walras-service --example load -- finished [JOBS]                          memory and restart with so many finished jobs
//! cargo run --release -p walras-service --example load -- flood    [SECONDS [ATTACKS [AFTER]]]     one user floods, another's jobs and requests are measured, and the memory AFTER so many seconds
//! cargo run --release -p walras-service --example load -- array    [ELEMENTS]                      one array: accepted, listed, planned, memory
//! ```
//!
//! Each starts a service of its own in another process, in a directory that goes with it (`finished` keeps `/tmp`-like
//! space of about 4 KB a job while it runs).

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a tool for measuring"
)]

mod array;
mod attack;
mod client;
mod finished;
mod flood;
mod listen;
mod service;
mod submit;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: usize| {
        arguments.get(place).map_or(otherwise, |text| text.parse().expect("a whole number"))
    };
    match arguments.first().map(String::as_str) {
        Some("serve") => service::serve(Path::new(&arguments[1])),
        Some("submit") => submit::run(number(1, 64), number(2, 20), number(3, 0)),
        Some("listen") => listen::run(number(1, 1_000)),
        Some("finished") => finished::run(number(1, 1_000_000)),
        Some("flood") => flood::run(arguments.get(2).map(String::as_str), number(1, 30), number(3, 20)),
        Some("array") => array::run(number(1, 100_000)),
        _ => println!(
            "submit [CLIENTS [SECONDS [QUOTERS]]] | listen [LISTENERS] | finished [JOBS] | flood [SECONDS [ATTACKS [AFTER]]] | array [ELEMENTS]"
        ),
    }
}
