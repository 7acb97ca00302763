//! Two tiers in small: what the simulated execution gives.

use walras_sim::experiment::{Experiment, Options};
use walras_sim::results::{FigureKind, Results};

fn run(config: &str, cycles: u32) -> Results {
    let options = Options { seed: 1, cycles, threads: 2, progress: &|_, _| {}, solver: None };
    Experiment::TwoTier.run(Some(config), &options).unwrap().results
}

fn ours(results: &Results, name: &str) -> f64 {
    results.figure(name).unwrap_or_else(|| panic!("there is no figure {name}")).ours.unwrap()
}

const SMALL: &str = "jobs_per_cycle: 150\nexperiments_per_cycle: 20\n";

#[test]
fn times_collisions_and_loads_are_outcomes() {
    let results = run(SMALL, 4);
    assert!(results.unjudged.is_some());
    let time = ours(&results, "time, two tiers over one after the other");
    assert!((0.745..0.78).contains(&time), "{time}");
    assert!(ours(&results, "collisions, two tiers over one after the other") > 1.03);
    let cost = ours(&results, "mean job cost, two tiers over one after the other");
    assert!((cost - 1.0).abs() < 0.01, "{cost}");
    for mode in ["one after the other", "two tiers"] {
        let load = ours(&results, &format!("fact over forecast of the load, {mode}"));
        assert!((0.97..1.0).contains(&load), "{load}");
        assert!((ours(&results, &format!("jobs placed, {mode}")) - 150.0).abs() < 1e-9);
    }
    let busy = |mode: &str| ours(&results, &format!("node time used per time unit, {mode}"));
    assert!(busy("two tiers") > 1.25 * busy("one after the other"));
    assert!(results.of_kind(FigureKind::Compared).all(|figure| figure.paper.is_some()));
    assert!(results.figures.iter().filter(|figure| figure.interval.is_some()).count() > 20);
}

#[test]
fn the_figures_have_their_shapes() {
    let results = run(SMALL, 4);
    assert!(ours(&results, "figure 3: success at h = 1.0") < 0.1);
    assert!(ours(&results, "figure 3: success at h = 2.6") > 0.9);
    for tiers in [3, 5, 7] {
        let at = |what: &str, j: u32| ours(&results, &format!("figure 4, N = {tiers}: {what} at j = {j}"));
        assert!(at("collisions", 6) < at("collisions", 1) && at("success", 6) > at("success", 1));
        assert!(ours(&results, &format!("figure 4, N = {tiers}: success at j = 5 over the greatest")) > 0.9);
    }
}

#[test]
fn estimates_that_are_too_low_make_jobs_late() {
    let late = |facts: &str| {
        let results = run(&format!("{SMALL}facts: {facts}\nlate_share: 0\n"), 2);
        ours(&results, "jobs that end after their interval, two tiers")
    };
    assert!(late("[1, 1]") < 1.0 && late("[1.3, 1.5]") > 30.0);
}
