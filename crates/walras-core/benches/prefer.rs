//! A compromise for a large batch: a thousand jobs, two hundred offers that they share.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use criterion::{Criterion as Bench, criterion_group, criterion_main};
use walras_core::prefer::{
    Aggregation, Collective, CompromiseJob, CompromiseOption, CompromiseProblem, Criterion, Party,
    PreferLimits, Preference, SCALE, Voice, Weighted, compromise,
};

const OFFERS: usize = 200;

/// Jobs of `users` users; an offer has room for about six of the thousand.
fn problem(jobs: usize, users: usize) -> CompromiseProblem {
    // Its own stream, not `walras_random`: figures of docs/performance.md and counts from before are of these very instances.
    let mut state = 1_u64;
    let mut draw = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % below
    };
    let quality: Vec<i64> = (0..OFFERS).map(|_| draw(SCALE / 2)).collect();
    let job = |index: usize| {
        let options = quality.iter().enumerate().map(|(offer, quality)| {
            let loss = (quality + draw(SCALE / 2)).min(SCALE);
            CompromiseOption { loss, takes: vec![(offer, 1)], adds: vec![(0, draw(1_000))] }
        });
        CompromiseJob { user: index % users, options: options.collect() }
    };
    let jobs: Vec<CompromiseJob> = (0..jobs).map(job).collect();
    let user = |index: usize| Party { name: format!("u{index}"), weight: 1, voice: Voice::User };
    let mut parties: Vec<Party> = (0..users).map(user).collect();
    let preference =
        Preference::new(vec![Weighted::new(Criterion::Income, 1)], Aggregation::CRITERIA).unwrap();
    let voice = Voice::Collective(Collective { preference, first_total: 0 });
    parties.push(Party { name: "administrator".into(), weight: 1, voice });
    CompromiseProblem::new(jobs, parties, vec![6; OFFERS], Aggregation::STAKEHOLDERS).unwrap()
}

fn benches(bench: &mut Bench) {
    let mut group = bench.benchmark_group("compromise");
    group.sample_size(10);
    for (jobs, users) in [(100, 20), (1_000, 100), (1_000, 1_000)] {
        let problem = problem(jobs, users);
        group.bench_function(format!("{jobs} jobs of {users} users, {OFFERS} offers"), |bench| {
            bench.iter(|| compromise(&problem, &PreferLimits::default()));
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
