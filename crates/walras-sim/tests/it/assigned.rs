//! Capacity assignment as a policy, with the solver.

use walras_model::{Performance, Rate, Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{Assigning, Method, simulate_assigned};
use walras_sim::record::{Record, Site};
use walras_sim::workload::Job;

fn sites() -> Vec<Site> {
    let site = |name: &str, nodes: u32, speed: i64, price: i64| Site {
        speed: Performance::from_millionths(speed).unwrap(),
        price: Rate::from_micros_per_second(price).unwrap(),
        ..Site::plain(name, nodes)
    };
    vec![
        site("slow", 6, 800_000, 600_000),
        site("usual", 5, 1_000_000, 1_000_000),
        site("fast", 7, 1_500_000, 2_000_000),
    ]
}

/// Jobs of one moment, more than there is room for.
fn jobs(seed: u64) -> Vec<Job> {
    let mut draws = Draws::new(seed);
    let mut span =
        |low: i64| Span::from_millis(1_000 * (low + i64::try_from(draws.below(3_000)).unwrap())).unwrap();
    let estimates: Vec<Span> = (0..12).map(|_| span(600)).collect();
    let job = |(number, estimate): (u64, Span)| Job {
        number,
        submit: Time::from_millis(0).unwrap(),
        nodes: 1 + u32::try_from((seed + number) % 4).unwrap(),
        run: estimate,
        estimate,
        user: None,
        budget: None,
        deadline: None,
    };
    (0..).zip(estimates).map(job).collect()
}

fn run(method: Method, seed: u64) -> Vec<Record> {
    let rules = Assigning { method, ..Assigning::default() };
    let solver = walras_solve::solver().ok().map(|solver| solver as &dyn walras_assign::program::Solver);
    let mut records = Vec::new();
    let mut sink = |record| records.push(record);
    simulate_assigned(&sites(), rules, solver, seed, jobs(seed).into_iter(), &mut sink).unwrap();
    records
}

/// How many start in the first round, and what they cost.
fn first_round(records: &[Record]) -> (usize, i64) {
    let ran = || records.iter().filter_map(|record| record.ran).filter(|ran| ran.start.as_millis() == 0);
    (ran().count(), ran().map(|ran| ran.cost.as_micros()).sum())
}

#[test]
fn the_first_round_is_no_worse_by_better_methods() {
    let mut gained = 0;
    for seed in 0..20 {
        let of = |method| {
            let records = run(method, seed);
            assert_eq!(records.len(), 12, "seed {seed}: all are served in the end");
            let (served, cost) = first_round(&records);
            (served, -cost)
        };
        let (greedy, hga, lpga, exact) =
            (of(Method::Greedy), of(Method::Hga), of(Method::Lpga), of(Method::Exact));
        assert!(
            greedy <= hga && hga <= exact && lpga <= exact,
            "seed {seed}: {greedy:?} {hga:?} {lpga:?} {exact:?}"
        );
        gained += usize::from(greedy < exact);
    }
    assert!(gained > 0);
}
