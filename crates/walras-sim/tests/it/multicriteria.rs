//! The multicriteria tables come out, and what does not follow from the paper is shown and not judged.

use crate::run;
use walras_sim::experiment::{Experiment, ExperimentError, Options};

#[test]
fn every_judged_figure_is_the_papers() {
    let results = run(Experiment::Multicriteria, 1, 1, 1).results;
    let compared = results.tally.compared;
    assert_eq!((compared.all, compared.judged, compared.held), (32, 32, 32));
    let odd = results.figure("table 6: A4B3C2, C").unwrap();
    assert_eq!((odd.paper, odd.within), (Some(0.590), None));
    assert!((odd.ours.unwrap() - 0.5917).abs() < 1e-4);
}

#[test]
fn the_compromise_is_better_for_the_least_content_than_the_baselines() {
    let results = run(Experiment::Multicriteria, 1, 1, 1).results;
    let least = |who: &str| {
        let name = |figure: &&walras_sim::results::Figure| {
            figure.name.contains(who) && figure.name.ends_with("least satisfaction")
        };
        results.figures.iter().find(name).unwrap().ours.unwrap()
    };
    assert!(least("model (i), Walras A2B1C3") > least("shortest queue"));
    assert!(least("model (ii), Walras A1B2C4") > least("MST").max(least("MCT")));
}

#[test]
fn senseless_examples_are_refused() {
    let refused = |config: &str| {
        let options = Options {
            seed: 1,
            cycles: 1,
            threads: 1,
            progress: &|_, _| {},
            solver: walras_solve::solver().ok(),
        };
        match Experiment::Multicriteria.run(Some(config), &options) {
            Err(ExperimentError::Config(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let weights = refused("weights_slots: [[0, 0, 0], [1, 1, 1], [1, 1, 1]]");
    assert_eq!(weights, "weights_slots: the weights of a job are all zero");
    assert!(
        refused("queues: [[-1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]")
            .starts_with("queues: -1 must lie within")
    );
}
