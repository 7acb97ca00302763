//! How far plans are from what no plan of the same jobs can cost less than: the papers' two phases beside the improved plan, on
//! batches from seeds, with the searches that the bound took.
//!
//! `cargo run --release -p walras-core --example clearing -- BATCHES JOBS×NODES…`, for example `clearing 5 50x50 200x100`. A third kind of argument,
//! `searches=N`, gives each job of a batch so many searches.

#[path = "../improve/draw.rs"]
mod draw;

use walras_core::SearchConfig;
use walras_core::choose::{Limit, VoPolicy};
use walras_core::clearing::{Clearing, ClearingLimits, clear};
use walras_core::plan::{BatchProblem, PlanScheme, plan_batch};
use walras_random::Draws;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (count, sizes) = args.split_first().ok_or("expected BATCHES JOBSxNODES...")?;
    let count: u64 = count.parse()?;
    let mut limits =
        ClearingLimits { looks_max: u64::MAX, searches_max: u64::MAX, ..ClearingLimits::default() };
    say(
        "| jobs × nodes, seed | two phases: served, cost | above | improved: served, cost | above | served at most | searches |",
    );
    say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for size in sizes {
        if let Some(searches) = size.strip_prefix("searches=") {
            limits.searches_per_job_max = searches.parse()?;
            continue;
        }
        let (jobs, nodes) = size.split_once('x').ok_or("a size is JOBSxNODES")?;
        for seed in 0..count {
            say(&row(&limits, jobs.parse()?, nodes.parse()?, seed).ok_or("an instance out of range")?);
        }
    }
    Ok(())
}

fn row(limits: &ClearingLimits, jobs: usize, nodes: usize, seed: u64) -> Option<String> {
    let (offers, batch) = draw::instance(&mut Draws::new(seed), nodes, jobs)?;
    let search = SearchConfig::default();
    let policy =
        VoPolicy { time_limit: Limit::Unlimited, budget_limit: Limit::Unlimited, ..VoPolicy::default() };
    let of_scheme = |scheme| {
        let problem = BatchProblem { scheme, ..BatchProblem::new(&offers, &batch, &search, &policy) };
        clear(&problem, &plan_batch(&problem), limits)
    };
    let (papers, improved) = (of_scheme(PlanScheme::Papers)?, of_scheme(PlanScheme::Improved)?);
    // A bound for the same jobs is one, whoever it was found for.
    let same = papers.served == jobs && improved.served == jobs;
    let least =
        |own: &Clearing| if same { papers.cost_least.max(improved.cost_least) } else { own.cost_least };
    let shown = |it: &Clearing| {
        let above = (it.cost - least(it)) * 100_000 / least(it).max(1);
        let credits = it.cost / 1_000_000;
        format!("{} {credits} | {}.{:03}%", it.served, above / 1_000, above % 1_000)
    };
    Some(format!(
        "| {jobs} × {nodes}, {seed} | {} | {} | {} | {} |",
        shown(&papers),
        shown(&improved),
        improved.served_most,
        improved.searches
    ))
}

#[expect(clippy::print_stdout, reason = "an example's output")]
fn say(line: &str) {
    println!("{line}");
}
