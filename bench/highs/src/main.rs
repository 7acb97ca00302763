//! Walras's knapsack beside HiGHS: the same instances, one run, one thread each.
//!
//! `make bench-highs`; `make bench-highs ARGS=large` adds the 10,000 × 100 instances, which keep HiGHS busy for
//! minutes.

use highs::{HighsModelStatus, RowProblem, Sense};
use std::time::{Duration, Instant};
use walras_core::choose::core::solve;
use walras_core::choose::problem::{Problem, Solved};

#[path = "../../../crates/walras-core/benches/knapsacks/mod.rs"]
mod knapsacks;
use knapsacks::{Kind, problem};

fn main() {
    let large = std::env::args().any(|argument| argument == "large");
    let mut sizes = vec![(30, 20), (1_000, 20)];
    if large {
        sizes.push((10_000, 100));
    }
    println!("jobs × alternatives, kind         walras        HiGHS    ratio  same value");
    for (jobs, alternatives) in sizes {
        for kind in [Kind::Random, Kind::Correlated] {
            let problem = problem(kind, jobs, alternatives, 1, 7);
            let (ours, value) = walras(&problem);
            let (theirs, other) = highs(&problem);
            let same = other.map_or("no optimum".to_owned(), |other| (other == value).to_string());
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            println!("{jobs:>6} × {alternatives:<4} {kind:<12?} {ours:>12.2?} {theirs:>12.2?} {ratio:>7.0}×  {same}");
        }
    }
}

/// The median of several runs, and the value proven best.
fn walras(problem: &Problem) -> (Duration, i128) {
    let mut times = Vec::new();
    let mut value = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let Solved::Found(solution) = solve(problem, 20_000_000) else { panic!("feasible") };
        times.push(start.elapsed());
        assert_eq!(solution.bound, solution.value, "proven");
        value = solution.value;
    }
    times.sort();
    (times[2], value)
}

/// One run of HiGHS as it comes, asked for the optimum itself.
fn highs(problem: &Problem) -> (Duration, Option<i128>) {
    let mut model = RowProblem::default();
    let mut limit = Vec::new();
    let mut columns = Vec::new();
    for class in &problem.classes {
        let mut one = Vec::new();
        for candidate in class {
            let column = model.add_integer_column(candidate.value as f64, 0.0..=1.0);
            limit.push((column, candidate.takes[0] as f64));
            one.push((column, 1.0));
            columns.push(candidate.value);
        }
        model.add_row(1.0..=1.0, &one);
    }
    model.add_row(..=problem.limits[0] as f64, &limit);
    let mut solver = model.optimise(Sense::Minimise);
    solver.set_option("threads", 1);
    solver.set_option("mip_rel_gap", 0.0);
    solver.set_option("mip_abs_gap", 0.5);
    solver.set_option("time_limit", 1_200.0);
    let start = Instant::now();
    let solved = solver.solve();
    let time = start.elapsed();
    if solved.status() != HighsModelStatus::Optimal {
        return (time, None);
    }
    let chosen = solved.get_solution();
    let value = chosen.columns().iter().zip(&columns).filter(|(x, _)| **x > 0.5).map(|(_, value)| value).sum();
    (time, Some(value))
}
