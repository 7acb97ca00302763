//! Benchmarks of the slot list and the searches: `cargo bench -p walras-core`.
//!
//! Figures and what they mean stand in `docs/performance.md`. Machines differ and are noisy: compare rows of
//! one run with each other, above all with `filter`, a plain pass over the same records.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark: criterion's macros, fixed inputs, a printed size"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use walras_core::search::{Criterion as By, *};
use walras_core::slots::SlotList;
use walras_model::*;

#[path = "../tests/oracle/mod.rs"]
mod oracle;

mod instance;
use instance::{Shape, offers, work};

fn find(list: &SlotList, offers: &Offers, request: &Request, algorithm: Algorithm) -> Option<Window> {
    let config = SearchConfig { algorithm, ..SearchConfig::default() };
    find_window(list, offers, request, &config).found()
}

/// The plain pass that scans are measured against: which records are cheap, fast and long enough?
fn filter(slots: &[Slot], performances: &[i64], request: &Request) -> usize {
    let rate_max = request.price_max.map_or(i64::MAX, |rate| rate.as_micros_per_second());
    let (performance_min, length) = (request.performance_min.as_millionths(), request.work.as_millis());
    slots
        .iter()
        .filter(|slot| {
            // No short circuit: branches on random records would make it several times slower.
            (slot.rate().as_micros_per_second() <= rate_max)
                & (performances[slot.node().index()] >= performance_min)
                & (slot.end() - slot.start() >= length)
        })
        .count()
}

/// Full scans that find nothing although enough slots are alive at once: the index cannot help.
fn failing_scans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("failing-scan");
    for (name, slots, nodes) in [
        ("1000-nodes", 100_000, 1_000),
        ("1000-nodes", 1_000_000, 1_000),
        ("alive-grows", 100_000, 1_000),
        ("alive-grows", 1_000_000, 10_000),
        ("most-nodes", 1_000_000, 100_000),
    ] {
        let offers = offers(&Shape { nodes, slots, ..Shape::default() });
        let list = SlotList::from_offers(&offers);
        let performances: Vec<i64> =
            offers.nodes().iter().map(|node| node.performance.as_millionths()).collect();
        // About a quarter of the slots fit; so many at once never do, or never within the budget.
        let mut alp = Request::new("alp", nodes / 4, work(40_000));
        alp.performance_min = Performance::from_millionths(2_000_000).unwrap();
        alp.price_max = Rate::from_micros_per_second(5_000_000);
        let mut amp = Request::new("amp", 10, work(40_000));
        amp.performance_min = Performance::from_millionths(2_000_000).unwrap();
        amp.budget = Some(Money::from_micros(250_000_000));
        assert_eq!(find(&list, &offers, &alp, Algorithm::Alp), None);
        assert_eq!(find(&list, &offers, &amp, Algorithm::Amp), None);

        group.throughput(Throughput::Elements(u64::from(slots)));
        let id = |what: &str| BenchmarkId::new(format!("{what}/{name}"), slots);
        group.bench_function(id("filter"), |b| {
            b.iter(|| filter(black_box(offers.slots()), &performances, &alp));
        });
        group.bench_function(id("alp"), |b| b.iter(|| find(black_box(&list), &offers, &alp, Algorithm::Alp)));
        group.bench_function(id("amp"), |b| b.iter(|| find(black_box(&list), &offers, &amp, Algorithm::Amp)));
    }
    group.finish();
}

/// 110 of 128 nodes at once, far away: the index answers.
fn count_queries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count-query");
    for slots in [100_000, 1_000_000] {
        let offers = offers(&Shape { nodes: 128, slots, all_free_at_the_end: true });
        let list = SlotList::from_offers(&offers);
        let wide = Request::new("wide", 110, work(1_000));
        let long = Request::new("long", 40, work(230_000));
        let hopeless = Request::new("hopeless", 1, work(100_000_000));
        assert!(find(&list, &offers, &wide, Algorithm::Amp).is_some());
        for (name, request) in [("wide", &wide), ("long", &long), ("hopeless", &hopeless)] {
            group.bench_function(BenchmarkId::new(name, slots), |b| {
                b.iter(|| find(black_box(&list), &offers, request, Algorithm::Amp));
            });
        }
    }
    group.finish();
}

/// All alternatives of 100 jobs, against searching from the head each time.
fn alternatives(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alternatives");
    for slots in [50_000, 100_000, 200_000] {
        let offers = offers(&Shape { nodes: slots / 100, slots, ..Shape::default() });
        let batch = instance::jobs(100);
        let config = SearchConfig::default();
        group.sample_size(15);
        group.bench_function(BenchmarkId::new("resumed", slots), |b| {
            b.iter(|| find_alternatives(black_box(&offers), &batch, &config).found.len());
        });
        if slots == 100_000 {
            group.sample_size(10);
            group.bench_function(BenchmarkId::new("from-the-head", slots), |b| {
                b.iter(|| oracle::alternatives_from_the_head(black_box(&offers), &batch, &config).len());
            });
        }
    }
    group.finish();
}

/// Building the list, cutting windows out, and the best by a criterion.
fn lists(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("list");
    for slots in [100_000, 1_000_000] {
        let offers = offers(&Shape { nodes: 1_000, slots, ..Shape::default() });
        let list = SlotList::from_offers(&offers);
        println!("{slots} slots with their index: {} bytes", list.memory());
        group.bench_function(BenchmarkId::new("build", slots), |b| {
            b.iter(|| SlotList::from_offers(black_box(&offers)));
        });
    }
    let offers = offers(&Shape { nodes: 200, slots: 20_000, ..Shape::default() });
    let list = SlotList::from_offers(&offers);
    let mut request = Request::new("J", 8, work(40_000));
    request.budget = Some(Money::from_micros(900_000_000));
    for by in [By::Cost, By::Runtime, By::Finish, By::NodeTime] {
        let algorithm = Algorithm::Criterion(by.clone());
        group.bench_function(BenchmarkId::new(format!("best-{by}"), 20_000), |b| {
            b.iter(|| find(black_box(&list), &offers, &request, algorithm.clone()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(15).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    targets = failing_scans, count_queries, alternatives, lists
}
criterion_main!(benches);
