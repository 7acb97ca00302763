//! How fast the baselines are: jobs a second, from an empty machine.
//!
//! The workload is the synthetic model's, scaled to a load of about 0.85 of the machine; for conservative backfilling also all
//! jobs at once, so that the calendar holds every one of them.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use walras_model::{Multiplier, Time};
use walras_sim::baseline::{Discipline, Placement, simulate};
use walras_sim::record::Site;
use walras_sim::workload::{Job, Model, Slice, Synthetic, offered_load};

/// Jobs that load so many nodes by 0.85.
fn jobs(nodes: u32, count: usize) -> Vec<Job> {
    let drawn: Vec<Job> = Synthetic::new(Model { nodes, ..Model::default() }, 1).take(count).collect();
    let load = offered_load(&drawn, u64::from(nodes)).unwrap();
    #[allow(clippy::cast_possible_truncation, reason = "a load is a small number")]
    let factor = Multiplier::from_millionths((850_000.0 / load) as i64);
    Slice { load: factor, ..Slice::default() }.of(drawn.into_iter()).collect()
}

/// The same, all submitted at once and with exact estimates: every job is promised its place in a calendar that holds all.
fn at_once(nodes: u32, count: usize) -> Vec<Job> {
    let submit = Time::from_millis(0).unwrap();
    jobs(nodes, count).into_iter().map(|job| Job { submit, run: job.estimate, ..job }).collect()
}

fn run(nodes: u32, discipline: Discipline, jobs: &[Job]) -> i64 {
    let mut waited = 0;
    simulate(
        &[Site::plain("one", nodes)],
        discipline,
        Placement::FIRST,
        jobs.iter().copied(),
        &mut |record| {
            waited += record.wait().unwrap().as_millis();
        },
    );
    waited
}

fn baselines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("baseline");
    group.sample_size(10);
    let cases = [
        ("fcfs", Discipline::Fcfs, 100, jobs(100, 10_000)),
        ("easy", Discipline::Easy, 100, jobs(100, 10_000)),
        ("easy", Discipline::Easy, 1_000, jobs(1_000, 100_000)),
        ("shortest easy", Discipline::ShortestEasy, 100, jobs(100, 10_000)),
        ("conservative", Discipline::Conservative, 128, jobs(128, 10_000)),
        ("conservative at once", Discipline::Conservative, 128, at_once(128, 1_000)),
        ("conservative at once", Discipline::Conservative, 128, at_once(128, 10_000)),
    ];
    for (name, discipline, nodes, jobs) in &cases {
        group.throughput(Throughput::Elements(jobs.len() as u64));
        let id = BenchmarkId::new(*name, format!("{} jobs on {nodes} nodes", jobs.len()));
        group.bench_with_input(id, jobs, |bencher, jobs| {
            bencher.iter(|| black_box(run(*nodes, *discipline, jobs)))
        });
    }
    group.finish();
}

criterion_group!(benches, baselines);
criterion_main!(benches);
