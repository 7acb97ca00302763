//! Small runs hold the laws and come near the papers' averages.

use crate::run;
use walras_sim::experiment::{Experiment, Options};
use walras_sim::results::Results;

fn ours(results: &Results, name: &str) -> f64 {
    let figure = results.figure(name).unwrap_or_else(|| panic!("there is no figure {name}"));
    figure.ours.unwrap()
}

/// A run of 600 cycles counts some 200: averages scatter about ten times as much as the papers' tolerances allow.
#[test]
fn a_small_slot_search_comes_near_the_papers() {
    let results = run(Experiment::SlotSearch, 1, 600, 2).results;
    for figure in &results.figures {
        let near = figure.difference_percent().is_none_or(|percent| percent.abs() < 8.0);
        assert!(figure.tolerance.is_none() || near, "{figure:?}");
    }
    assert!(ours(&results, "AMP faster than ALP in min time, share") >= 0.99);
}

#[test]
fn time_and_cost_trade_against_each_other() {
    let results = run(Experiment::SlotSearch, 2, 200, 2).results;
    for search in ["ALP", "AMP"] {
        let time = |problem: &str| ours(&results, &format!("{problem}: time, {search}"));
        let cost = |problem: &str| ours(&results, &format!("{problem}: cost, {search}"));
        assert!(time("min time") <= time("min cost"));
        assert!(cost("min cost") <= cost("min time"));
    }
}

#[test]
fn gains_are_positive_and_grow_with_alternatives() {
    let results = run(Experiment::BatchOptimisation, 1, 150, 2).results;
    let (judged, held) = results.held();
    assert_eq!((judged, held), (28, 28), "{:#?}", results.figures);
    for line in &results.series {
        assert_eq!(line.x, [2.0, 3.0, 4.0, 5.0, 10.0]);
        assert!(line.y.is_sorted(), "{line:?}");
    }
}

#[test]
fn a_run_in_which_nothing_counts_says_so() {
    // Nobody has a node fast enough.
    let text = "jobs: {performance_min: [9, 9]}\nverify_every: 1";
    for experiment in [Experiment::SlotSearch, Experiment::BatchOptimisation] {
        let options = Options {
            seed: 1,
            cycles: 3,
            threads: 1,
            progress: &|_, _| {},
            solver: walras_solve::solver().ok(),
        };
        let reproduction = experiment.run(Some(text), &options).unwrap();
        let results = &reproduction.results;
        assert!(results.figures.iter().any(|figure| figure.ours.is_none() && figure.within.is_none()));
        assert!(walras_sim::report::files(&reproduction).is_ok());
    }
}
