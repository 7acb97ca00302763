//! The MetaBroker's experiment in small.

use walras_sim::experiment::{Experiment, ExperimentError, Options, Reproduction};
use walras_sim::report;
use walras_sim::results::FigureKind;

const SMALL: &str = "
sites: [3, 6]
sites_over_periods: [4]
market: {jobs: 10}
speed_spreads: [0.2]
population: 10
stalled_generations: 12
";

fn run(config: &str, seed: u64, cycles: u32, threads: usize) -> Result<Reproduction, ExperimentError> {
    Experiment::MetaBroker.run(
        Some(config),
        &Options { seed, cycles, threads, progress: &|_, _| {}, solver: walras_solve::solver().ok() },
    )
}

#[test]
fn results_depend_on_the_seed_alone() {
    let files = |seed, threads| report::files(&run(SMALL, seed, 4, threads).unwrap()).unwrap();
    let one = files(7, 1);
    assert_eq!(one, files(7, 3));
    assert_ne!(one, files(8, 1));
}

#[test]
fn every_picture_and_number_is_there() {
    let reproduction = run(SMALL, 1, 3, 1).unwrap();
    let names: Vec<String> =
        report::files(&reproduction).unwrap().into_iter().map(|file| file.name).collect();
    assert_eq!(
        names.join(" "),
        "results.json figure-2a.svg figure-2b.svg figure-3a.svg figure-3b.svg figure-4a.svg figure-4b.svg \
         figure-5.svg regimes.svg report.html"
    );
    let results = &reproduction.results;
    for name in ["tight jobs: exact", "relaxed spending: LPGA", "medium spending: MGN, 95% interval ±"] {
        let line = results.series.iter().find(|line| line.name == name);
        assert_eq!(line.map(|line| line.x.clone()), Some(vec![3.0, 6.0]), "{name}");
    }
    let figure = results.figure("prices per pair, speeds ±20%: MMC below greedy by price, %");
    assert!(figure.is_some());
    let table = results.figure("Table I, 6 sites, tight: MGN spending").unwrap();
    assert!(table.kind == FigureKind::Shown && table.why.as_ref().unwrap().contains("does not follow"));
    let over = results.figure("relaxed, 4 sites, over periods: LPGA, jobs").unwrap();
    let once = results.figure("Table I, 3 sites, relaxed: MGN jobs").unwrap();
    assert!(over.ours.unwrap() > once.ours.unwrap(), "who waits is served later");
    assert!(results.figure("relaxed, 4 sites, over periods: HGA, iterations of all rounds").is_some());
}

/// The laws are checked in every cycle; a broken one is an error.
#[test]
fn laws_hold_under_scarce_and_ample_capacity_with_tight_budgets() {
    for (seed, budget) in [(1, 0.7), (2, 0.9), (3, 1.1)] {
        let config = format!("{SMALL}slack: [40, 100, 400]\n")
            .replace("jobs: 10", &format!("jobs: 12, budget_factor: {budget}"));
        let results = run(&config, seed, 6, 2).unwrap().results;
        let ours = |name: &str| results.figure(name).unwrap().ours.unwrap();
        assert!(ours("relaxed, 6 sites: exact, jobs") >= ours("relaxed, 6 sites: HGA, jobs"));
        assert!(ours("Table I, 6 sites, relaxed: MGN jobs") >= ours("relaxed, 6 sites: exact, jobs"));
    }
}

#[test]
fn the_claims_come_out_where_speeds_differ() {
    let config = "sites: [60]\nspeed_spreads: [0.3]\nmarket: {jobs: 20}\nstalled_generations: 40";
    let results = run(config, 1, 4, 2).unwrap().results;
    let rising = "prices by speed, speeds ±30%: MMC below greedy by price, %";
    let rising = results.figure(rising).unwrap().ours.unwrap();
    assert!((-3.0..12.0).contains(&rising), "a second that does more costs more: {rising}");
    for prices in ["site", "pair"] {
        let saving = |what: &str| {
            results.figure(&format!("prices per {prices}, speeds ±30%: {what}, %")).unwrap().ours.unwrap()
        };
        assert!((10.0..35.0).contains(&saving("MMC below greedy by price")));
        let [by_price, by_cost] =
            ["price", "cost"].map(|it| saving(&format!("MMC completed by {it} below greedy by price")));
        assert!(saving("MMC below greedy by price") >= by_price.max(by_cost) - 1e-6);
        assert!(saving("MMC below greedy by cost") < 5.0);
        assert!(saving("LPGA below HGA") > -2.0);
        assert!(saving("exact below LPGA") >= 0.0);
        assert!(saving("fewer iterations of LPGA than of HGA") > 0.0);
    }
}

#[test]
fn bad_configurations_are_refused_by_name() {
    let cases = [
        ("sites: []", "sites: 1 to 12 numbers of sites are compared"),
        ("sites: [50, 25]", "sites: the numbers must grow"),
        ("sites: [0]", "sites: 0 must lie within [1, 2000]"),
        ("market: {jobs: 0}", "market.jobs: 0 must lie within [1, 10000]"),
        ("market: {speed_spread: 1.5}", "market.speed_spread: 1.5 must lie within [0, 0.95]"),
        ("market: {price: [.nan, 0.1]}", "market.price: NaN must lie within [0.001, 1000000]"),
        ("population: 1", "population: 1 must lie within [2, 10000]"),
        ("slack: [1, 2]", "slack: invalid length 2"),
        ("speed_spreads: [-1]", "speed_spreads: -1 must lie within [0, 0.95]"),
    ];
    for (config, expected) in cases {
        let error = run(config, 1, 1, 1).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{config}: {error}");
    }
}

#[test]
fn where_nobody_can_pay_nothing_is_compared() {
    let config = format!("{SMALL}slack_spread: 0").replace("jobs: 10", "jobs: 3, budget_factor: 0.001");
    let results = run(&config, 1, 2, 1).unwrap().results;
    let claim = results.figure("MMC below greedy by price, most of all sizes and classes, %").unwrap();
    assert_eq!((claim.ours, claim.within), (None, None));
}
