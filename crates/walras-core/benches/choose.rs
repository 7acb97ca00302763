//! Benchmarks of the choice: `cargo bench -p walras-core --bench choose`.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark: criterion's macros, fixed inputs")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use walras_core::choose::core::solve;
use walras_core::choose::knapsack::Solved;
use walras_core::choose::several;

mod knapsacks;
use knapsacks::{KnapsackKind, problem};

fn one_limit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one-limit");
    for (jobs, alternatives) in [(30, 20), (1_000, 20), (10_000, 100)] {
        for kind in [KnapsackKind::Random, KnapsackKind::Correlated] {
            let problem = problem(kind, jobs, alternatives, 1, 7);
            let Solved::Found(solution) = solve(&problem, 20_000_000) else { panic!("feasible") };
            assert_eq!(solution.bound, solution.value, "{kind:?} {jobs} × {alternatives} is proven");
            let name = BenchmarkId::new(format!("{kind:?}").to_lowercase(), format!("{jobs}x{alternatives}"));
            group.bench_function(name, |b| b.iter(|| solve(black_box(&problem), 20_000_000)));
        }
    }
    group.finish();
}

fn two_limits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("two-limits");
    for (jobs, alternatives) in [(30, 20), (100, 20)] {
        let problem = problem(KnapsackKind::Correlated, jobs, alternatives, 2, 7);
        let name = BenchmarkId::new("correlated", format!("{jobs}x{alternatives}"));
        group.bench_function(name, |b| b.iter(|| several::solve(black_box(&problem), 200_000)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(15).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    targets = one_limit, two_limits
}
criterion_main!(benches);
