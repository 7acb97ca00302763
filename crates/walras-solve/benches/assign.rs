//! The methods of assignment at the paper's size (50 jobs, 200 sites) and at ten times as many jobs.
//!
//! `cargo bench -p walras-solve`

#![allow(clippy::unwrap_used, reason = "a benchmark")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::collections::BTreeMap;
use std::hint::black_box;
use walras_assign::MarketRules;
use walras_assign::genetic::{Evolution, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::program::SolverEffort;
use walras_assign::{mmc, split};
use walras_model::market::{Capacity, CapacityMarket, Demand, Splitting};
use walras_model::{Performance, Rate, Span, Work};
use walras_solve::Highs;

fn chance(seed: u64) -> impl FnMut(usize) -> usize {
    // Its own stream, not `walras_random`: figures of docs/performance.md and counts from before are of these very instances.
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

/// Four to twelve processors a site, one to nine tasks a job, one price per site.
fn market(jobs: usize, sites: usize, kind: Splitting) -> CapacityMarket {
    let mut draw = chance(1);
    let mut between = |low: usize, high: usize| i64::try_from(low + draw(high - low + 1)).unwrap();
    let sites = (0..sites).map(|_| Capacity {
        processors: u32::try_from(between(4, 12)).unwrap(),
        speed: Performance::from_millionths(between(700_000, 1_300_000)).unwrap(),
        price: Rate::from_micros_per_second(between(4_000_000, 5_000_000)).unwrap(),
        prices: BTreeMap::new(),
    });
    let sites = sites.collect();
    let jobs = (0..jobs).map(|_| Demand {
        user: None,
        tasks: u32::try_from(between(1, 9)).unwrap(),
        work: Work::from_millis(between(320_000, 480_000)).unwrap(),
        kind,
        budget: None,
        within: Span::from_millis(between(500_000, 900_000)),
        weight: 1,
        sites: None,
    });
    CapacityMarket { sites, jobs: jobs.collect() }
}

fn methods(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("assign");
    group.sample_size(10);
    for (jobs, sites) in [(50, 200), (500, 200)] {
        let size = format!("{jobs} × {sites}");
        let market = market(jobs, sites, Splitting::SingleSite);
        let instance = market.instance().unwrap();
        let ranking = Ranking::by_price(&market, &instance);
        let first = greedy::assign(&instance, &ranking);
        group.bench_function(BenchmarkId::new("ranking", &size), |bench| {
            bench.iter(|| Ranking::by_price(black_box(&market), &instance));
        });
        group.bench_function(BenchmarkId::new("greedy", &size), |bench| {
            bench.iter(|| greedy::assign(black_box(&instance), &ranking));
        });
        group.bench_function(BenchmarkId::new("mmc", &size), |bench| {
            bench.iter(|| mmc::assign(black_box(&instance), &ranking, &Highs, &SolverEffort::UNLIMITED));
        });
        group.bench_function(BenchmarkId::new("100 generations", &size), |bench| {
            let evolution = Evolution { generations_max: 100, ..Evolution::default() };
            bench.iter(|| evolve(&instance, &ranking, first.clone(), &evolution, &mut chance(2)));
        });
    }
    let market = market(50, 200, Splitting::Split);
    group.bench_function("split, 50 × 200", |bench| {
        bench.iter(|| split::divide(black_box(&market), &Highs, &SolverEffort::UNLIMITED));
    });
    group.finish();
}

criterion_group!(benches, methods);
criterion_main!(benches);
