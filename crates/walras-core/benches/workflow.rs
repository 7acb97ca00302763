//! Benchmarks of task schedules: `cargo bench -p walras-core --bench workflow`.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark: criterion's macros, fixed inputs")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use walras_core::refine::{Baseline, Instance, RefineEffort, Strategy, refine};
use walras_model::workflow::Terms;
use walras_model::{
    Attributes, Bandwidth, Data, Edge, Interval, Lane, Link, Network, NodeId, Performance, Platform, Rate,
    SiteId, Span, Task, TaskId, Time, Work, Workflow,
};

/// Numbers that look random and are the same in every run.
// Its own stream, not `walras_random`: figures of docs/performance.md and counts from before are of these very instances.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A layered graph about as wide as it is deep; every task waits for up to three of the layer before.
fn workflow(count: u32) -> Workflow {
    let mut draws = Draws(7);
    let layer = count.isqrt().max(1);
    let task = |number: u32, work: u64| {
        Task::new(&format!("t{number}"), Work::from_millis(1_000 + work.cast_signed()))
    };
    let tasks = (0..count).map(|number| task(number, draws.below(60_000))).collect();
    let mut edges = Vec::new();
    for to in layer..count {
        let first = (to / layer - 1) * layer;
        let mut parents: Vec<u32> =
            (0..3).map(|_| first + u32::try_from(draws.below(layer.into())).unwrap()).collect();
        parents.sort_unstable();
        parents.dedup();
        for from in parents {
            let data = Data::from_bytes(draws.below(200_000_000).cast_signed()).unwrap();
            edges.push(Edge { from: TaskId::new(from), to: TaskId::new(to), data });
        }
    }
    Workflow::new("layers", tasks, edges).unwrap()
}

/// Nodes of speeds 1 to 4 on four sites.
fn platform(nodes: u32) -> Platform {
    let time = |millis| Time::from_millis(millis).unwrap();
    let lane = |number: u32| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(number % 4),
        site_name: format!("s{}", number % 4),
        performance: Performance::from_millionths(1_000_000 + i64::from(number * 7 % 16) * 200_000).unwrap(),
        rate: Rate::from_micros_per_second(1_000_000 + i64::from(number * 7 % 16) * 260_000).unwrap(),
        free: vec![Interval::new(time(0), time(1_000_000_000_000)).unwrap()],
        attributes: Attributes::new(),
    };
    let link = |bytes, latency| Link {
        latency: Span::from_millis(latency).unwrap(),
        bandwidth: Bandwidth::from_bytes_per_second(bytes),
    };
    let network = Network { within_site: link(125_000_000, 0), between_sites: link(12_500_000, 50) };
    Platform { lanes: (0..nodes).map(lane).collect(), network }
}

fn heuristics(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("heft");
    for (tasks, nodes) in [(1_000, 8), (1_000, 64), (10_000, 64)] {
        let (workflow, platform) = (workflow(tasks), platform(nodes));
        let instance = Instance::new(&workflow, &platform, &Terms::default()).unwrap();
        let name = BenchmarkId::from_parameter(format!("{tasks}x{nodes}"));
        group.bench_function(name, |b| b.iter(|| black_box(&instance).baseline(&platform, Baseline::Heft)));
    }
    group.finish();
}

/// The critical jobs method, the heuristics and the improvement; growth over tasks.
fn method(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("critical-jobs");
    for (tasks, nodes) in [(1_000, 64), (2_000, 64), (5_000, 64), (10_000, 64)] {
        let (workflow, platform) = (workflow(tasks), platform(nodes));
        let name = BenchmarkId::from_parameter(format!("{tasks}x{nodes}"));
        group.bench_function(name, |b| {
            b.iter(|| {
                refine(
                    black_box(&workflow),
                    &platform,
                    &Terms::default(),
                    Strategy::Asap,
                    &RefineEffort::default(),
                )
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    targets = heuristics, method
}
criterion_main!(benches);
