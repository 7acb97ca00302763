//! Jobs with cores and memory on MetaCentrum's machines, under packing, backfilling and the broker.
//!
//! `cargo run --release -p walras-sim --example packing -- TRACE MACHINES SKIP TAKE LOAD POLICY...`, where LOAD says by how much arrivals are denser.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example says what it found")]

use std::fs::File;
use std::io::BufReader;
use std::time::Instant;
use walras_model::Multiplier;
use walras_sim::packing::{Counting, Packer, Trial, Usage, read_jobs, read_machines};
use walras_sim::workload::plain;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [trace, machines, skip, take, load, policies @ ..] = words.as_slice() else {
        eprintln!("packing TRACE MACHINES SKIP TAKE LOAD POLICY...");
        return;
    };
    let open = |path: &str| BufReader::new(File::open(path).expect("a file that is there"));
    let cluster = read_machines(open(machines)).expect("a table of machines");
    let unpacked = plain(open(trace)).expect("a trace, packed or not");
    let read = read_jobs(unpacked).expect("a whole trace");
    let count = |text: &str| text.parse::<usize>().expect("a number of jobs");
    let trial = Trial::new(&cluster, read.jobs, Counting::InUnits);
    println!(
        "{} jobs, {} refused, {} unread, {} short",
        trial.jobs().len(),
        trial.refused(),
        read.unread,
        read.short
    );
    let jobs = trial.jobs().iter().copied().skip(count(skip)).take(count(take));
    let times: f64 = load.parse().expect("a number");
    #[allow(clippy::cast_possible_truncation, reason = "a small number")]
    let times = Multiplier::from_millionths((times * 1e6).round() as i64).expect("a factor");
    let trial = Trial::new(&cluster, jobs, Counting::InUnits).denser(times);
    for words in policies {
        let packer: Packer = words.parse().expect("a policy");
        let begun = Instant::now();
        match packer.run(&trial, false) {
            Ok(ran) => show(words, Usage::of(&cluster, &ran), begun),
            Err(error) => println!("{words}: {error}"),
        }
    }
}

fn show(name: &str, usage: Option<Usage>, begun: Instant) {
    let Some(it) = usage else { return println!("{name:<24} nothing ran") };
    println!(
        "{name:<24} {:>6} {:>6.1}% {:>6.1}% {:>9.0} {:>9.0} {:>9.2} {:>11.0} {:>7.1}",
        it.jobs,
        100.0 * it.cores,
        100.0 * it.memory,
        it.wait,
        it.wait_p95,
        it.slowdown,
        it.makespan,
        begun.elapsed().as_secs_f64()
    );
}
