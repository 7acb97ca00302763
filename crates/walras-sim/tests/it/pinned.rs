//! What small runs of the experiments give, figure by figure: a change of any of them shows, whether or not the paper prints it.

use walras_sim::experiment::{Experiment, Options};
use walras_sim::results::FigureKind;

/// Every figure that is compared or a law, and every table, of a small run.
fn figures(experiment: Experiment, config: &str, cycles: u32) -> String {
    let solver = walras_solve::solver().ok();
    let options = Options { seed: 3, cycles, threads: 2, progress: &|_, _| {}, solver };
    let results = experiment.run(Some(config), &options).unwrap().results;
    let number = |value: Option<f64>| value.map_or("none".to_owned(), |value| format!("{value:.4}"));
    let mut lines = Vec::new();
    for figure in results.figures.iter().filter(|figure| figure.kind != FigureKind::Shown) {
        lines.push(format!("{}: {}", figure.name, number(figure.ours)));
    }
    for table in &results.tables {
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(|cell| number(cell.value)).collect();
            lines.push(format!("{}: {}", row.name, cells.join(" ")));
        }
    }
    lines.join("\n")
}

#[test]
fn the_metabroker_in_small() {
    let config = "sites: [50, 150]\nsites_over_periods: [50]\nspeed_spreads: [0.3]\npopulation: 10\nstalled_generations: 20\n";
    insta::assert_snapshot!(figures(Experiment::MetaBroker, config, 2));
}

#[test]
fn two_tiers_in_small() {
    let config = "jobs_per_cycle: 150\nexperiments_per_cycle: 20\n";
    insta::assert_snapshot!(figures(Experiment::TwoTier, config, 3));
}

#[test]
fn every_method_in_small() {
    insta::assert_snapshot!(figures(Experiment::EveryMethod, "{}", 8));
}
