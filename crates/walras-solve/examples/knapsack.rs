//! Walras's knapsack beside HiGHS: the same instances, one run, one thread each.
//!
//! `make bench-highs`; `make bench-highs ARGS=large` adds the 10,000 × 100 instances, which keep HiGHS busy for
//! minutes.

use std::time::{Duration, Instant};
use walras_assign::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_core::choose::core::solve;
use walras_core::choose::knapsack::{Knapsack, Solved};
use walras_solve::Highs;

#[path = "../../walras-core/benches/knapsacks/mod.rs"]
mod knapsacks;
use knapsacks::{KnapsackKind, problem};

#[expect(clippy::print_stdout, reason = "an example's output")]
fn main() -> Result<(), &'static str> {
    let mut sizes = vec![(30, 20), (1_000, 20)];
    if std::env::args().any(|argument| argument == "large") {
        sizes.push((10_000, 100));
    }
    println!("jobs × alternatives, kind         walras        HiGHS    ratio  same value");
    for (jobs, alternatives) in sizes {
        for kind in [KnapsackKind::Random, KnapsackKind::Correlated] {
            let problem = problem(kind, jobs, alternatives, 1, 7);
            let (ours, value) = walras(&problem)?;
            let (theirs, other) = highs(&problem);
            let same = other.map_or("no optimum".to_owned(), |other| (other == value).to_string());
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            println!(
                "{jobs:>6} × {alternatives:<4} {kind:<12?} {ours:>12.2?} {theirs:>12.2?} {ratio:>7.0}×  {same}"
            );
        }
    }
    Ok(())
}

/// The median of several runs, and the value proven best.
fn walras(problem: &Knapsack) -> Result<(Duration, i128), &'static str> {
    let mut times = Vec::new();
    let mut value = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let Solved::Found(solution) = solve(problem, 20_000_000) else {
            return Err("feasible, yet not solved");
        };
        times.push(start.elapsed());
        if solution.bound != solution.value {
            return Err("not proven");
        }
        value = solution.value;
    }
    times.sort();
    Ok((times[2], value))
}

/// One run of HiGHS as it comes, asked for the optimum itself.
fn highs(problem: &Knapsack) -> (Duration, Option<i128>) {
    let mut program = LinearProgram::default();
    let mut limit = Vec::new();
    let mut values = Vec::new();
    for class in &problem.classes {
        let mut one = Vec::new();
        for candidate in class {
            let column = program.column(candidate.value as f64, 0.0, 1.0, true);
            limit.push((column, candidate.takes[0] as f64));
            one.push((column, 1.0));
            values.push(candidate.value);
        }
        program.row(1.0, 1.0, one);
    }
    program.row(f64::NEG_INFINITY, problem.limits[0] as f64, limit);
    let effort = SolverEffort { seconds: Some(1_200.0), nodes: None, gap_absolute: 0.5 };
    let start = Instant::now();
    let answer = Highs.solve(&program, None, &effort);
    let time = start.elapsed();
    let Answer::Optimal(point) = answer else { return (time, None) };
    let chosen = point.values.iter().zip(&values).filter(|(x, _)| **x > 0.5);
    (time, Some(chosen.map(|(_, value)| value).sum()))
}
