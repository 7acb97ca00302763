//! Jobs with cores and memory on MetaCentrum's machines, under packing, backfilling and the broker.
//!
//! `cargo run --release -p walras-sim --example packing -- TRACE MACHINES SKIP TAKE LOAD…`, where LOAD says by how much arrivals are denser.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example says what it found")]

use std::fs::File;
use std::io::BufReader;
use std::time::Instant;
use walras_sim::drive::Setup;
use walras_sim::packing::{Cluster, PackedJob, Packing, Usage, pack, read_jobs, read_machines, sell};
use walras_sim::workload::plain;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [trace, machines, skip, take, loads @ ..] = words.as_slice() else {
        eprintln!("packing TRACE MACHINES SKIP TAKE LOAD...");
        return;
    };
    let open = |path: &str| BufReader::new(File::open(path).expect("a file that is there"));
    let cluster = read_machines(open(machines)).expect("a table of machines");
    let unpacked = plain(open(trace)).expect("a trace, packed or not");
    let (jobs, unfit) = read_jobs(unpacked, &cluster);
    let count = |text: &str| text.parse::<usize>().expect("a number of jobs");
    println!("{} jobs; left out: {unfit:?}", jobs.len());
    let jobs: Vec<PackedJob> = jobs.into_iter().skip(count(skip)).take(count(take)).collect();
    for load in loads {
        let times: f64 = load.parse().expect("a number");
        let jobs = denser(&jobs, times);
        println!("arrivals {load} times as dense");
        println!(
            "{:<13} {:>6} {:>7} {:>7} {:>9} {:>9} {:>9} {:>11} {:>7}",
            "", "jobs", "cores", "memory", "wait s", "p95 s", "slowdown", "makespan s", "took s"
        );
        for (name, packing) in [
            ("first-fit", Packing::FirstFit),
            ("best-fit", Packing::BestFit),
            ("easy", Packing::Easy),
            ("conservative", Packing::Conservative),
        ] {
            let begun = Instant::now();
            let ran = pack(&cluster, &jobs, packing);
            show(name, Usage::of(&cluster, &ran), begun);
        }
        sold(&cluster, &jobs);
    }
}

fn sold(cluster: &Cluster, jobs: &[PackedJob]) {
    let begun = Instant::now();
    match sell(cluster, jobs, &Setup::new(Vec::new())) {
        Ok((ran, _)) => show("walras", Usage::of(cluster, &ran), begun),
        Err(error) => println!("walras        {error}"),
    }
}

/// The same jobs, so many times as dense.
#[allow(clippy::cast_possible_truncation, reason = "moments of a trace are far below 2^53")]
fn denser(jobs: &[PackedJob], times: f64) -> Vec<PackedJob> {
    let first = jobs.first().map_or(0, |job| job.submit);
    let at = |submit: i64| first + ((submit - first) as f64 / times).round() as i64;
    jobs.iter().map(|job| PackedJob { submit: at(job.submit), ..*job }).collect()
}

fn show(name: &str, usage: Option<Usage>, begun: Instant) {
    let Some(it) = usage else { return println!("{name:<13} nothing ran") };
    println!(
        "{name:<13} {:>6} {:>6.1}% {:>6.1}% {:>9.0} {:>9.0} {:>9.2} {:>11.0} {:>7.1}",
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
