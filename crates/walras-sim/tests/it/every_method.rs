//! Every method on the same markets.

use crate::run;
use walras_sim::experiment::{Experiment, Options};
use walras_sim::report;
use walras_sim::results::{Cell, Results};

fn cell(results: &Results, row: &str, column: &str) -> Cell {
    let table = &results.tables[0];
    let column = table.columns.iter().position(|name| name == column).unwrap();
    table.rows.iter().find(|other| other.name == row).unwrap_or_else(|| panic!("{row}")).cells[column]
}

#[test]
fn every_paper_has_its_say_and_none_beats_the_optimum() {
    let reproduction = run(Experiment::EveryMethod, 2, 40, 2);
    let results = &reproduction.results;
    let value = |row: &str, column: &str| cell(results, row, column).value.unwrap();
    assert_eq!(results.tables[0].rows.len(), 36);
    for row in &results.tables[0].rows {
        for (column, cell) in results.tables[0].columns.iter().zip(&row.cells) {
            assert!(cell.interval.is_some(), "{} {column}", row.name);
        }
    }
    // Each optimum is the best of all whole jobs by its own measure, and every one of the others pays for that.
    for (measure, own) in [("cost", "cost above the optimum, %"), ("finish", "finish above the optimum, %")] {
        assert!(value(&format!("joint optimum of {measure}"), own).abs() < 1e-9);
        for other in ["AMP, min cost", "windows by finish, min time", "MMC", "exact, round by round"] {
            assert!(value(other, own) > 1.0, "{other} {own}");
        }
    }
    assert!(
        value("joint optimum of satisfaction", "satisfaction") > value("AMP, satisfaction", "satisfaction")
    );
    assert!(value("AMP, satisfaction", "satisfaction") > value("AMP, min cost", "satisfaction"));
    assert!(value("ALP, min cost", "served, %") < value("AMP, min cost", "served, %"));
    assert_eq!(results.tally.laws.held, 1);
    let names: Vec<String> =
        report::files(&reproduction).unwrap().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["results.json", "cost-finish-satisfaction.svg", "every-method.svg", "report.html"]);
}

#[test]
fn what_cannot_be_proven_is_not_compared() {
    let options =
        Options { seed: 1, cycles: 4, threads: 1, progress: &|_, _| {}, solver: walras_solve::solver().ok() };
    let results = Experiment::EveryMethod.run(Some("steps_max: 1"), &options).unwrap().results;
    assert_eq!(results.figure("joint optimum of cost proven, share of markets").unwrap().ours, Some(0.0));
    assert_eq!(cell(&results, "MMC", "cost above the optimum, %").value, None);
    assert_eq!(results.tally.laws.judged, 0);
    let error = Experiment::EveryMethod.run(Some("sites: 0"), &options).unwrap_err().to_string();
    assert_eq!(error, "sites: 0 must lie within [1, 50]");
}

#[test]
fn results_depend_on_the_seed_alone() {
    let files = |seed, threads| report::files(&run(Experiment::EveryMethod, seed, 6, threads)).unwrap();
    let one = files(7, 1);
    assert_eq!(one, files(7, 3));
    assert_ne!(one, files(8, 1));
}
