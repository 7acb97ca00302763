//! Laws that hold on every instance.

use crate::random;
use proptest::prelude::*;
use walras_core::slots::SlotList;
use walras_core::*;
use walras_model::*;
use walras_verify::{Claim, Rules, verify_plan};

fn config(algorithm: Algorithm) -> SearchConfig {
    SearchConfig { algorithm, ..SearchConfig::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn amp_never_starts_after_alp(offers in random::offers(), request in random::request()) {
        let list = SlotList::from_offers(&offers);
        let start = |algorithm| {
            let outcome = find_window(&list, &offers, &request, &config(algorithm));
            outcome.found().map(|window| window.start())
        };
        if let Some(alp) = start(Algorithm::Alp) {
            let amp = start(Algorithm::Amp);
            prop_assert!(amp.is_some_and(|amp| amp <= alp), "ALP starts at {alp}, AMP at {amp:?}");
        }
    }

    #[test]
    fn windows_of_a_request_never_go_back(offers in random::offers(), batch in random::batch()) {
        for algorithm in [Algorithm::Alp, Algorithm::Amp] {
            let found = find_alternatives(&offers, &batch, &config(algorithm)).found;
            for job in batch.by_priority() {
                let starts: Vec<Time> =
                    found.iter().filter(|found| found.job == job).map(|found| found.window.start()).collect();
                prop_assert!(starts.is_sorted());
            }
        }
    }

    #[test]
    fn a_job_that_fails_in_one_round_never_succeeds_later(offers in random::offers(), batch in random::batch()) {
        // In rounds every job has at most one window more than any other that has not failed yet, so the
        // order found must be: whole rounds in priority order, with jobs only ever dropping out.
        let found = find_alternatives(&offers, &batch, &config(Algorithm::Amp)).found;
        let mut rest = found.iter().map(|found| found.job).peekable();
        let mut active = batch.by_priority();
        while rest.peek().is_some() {
            active.retain(|job| rest.next_if_eq(job).is_some());
            prop_assert!(!active.is_empty() || rest.peek().is_none());
        }
    }

    #[test]
    fn everything_found_passes_the_verifier(
        offers in random::offers(), batch in random::batch(), factor in random::factor(),
    ) {
        let criteria = ["cost", "runtime", "finish", "start", "price", "node-time", "energy", "sum:noise"];
        let mut algorithms = vec![Algorithm::Alp, Algorithm::Amp];
        algorithms.extend(criteria.map(|name| Algorithm::Criterion(name.parse().unwrap())));
        for algorithm in algorithms {
            for mode in [Mode::AllAlternatives, Mode::FirstOnTheFly] {
                let rules = Rules { budget_factor: factor, price_cap: algorithm == Algorithm::Alp };
                let config =
                    SearchConfig { algorithm: algorithm.clone(), mode, budget_factor: factor, ..SearchConfig::default() };
                let alternatives = find_alternatives(&offers, &batch, &config);
                let claim = Claim::of_alternatives(&offers, &batch, &alternatives.found);
                let violations = verify_plan(&claim, &offers, &batch, rules);
                prop_assert!(violations.is_empty(), "{algorithm}: {violations:?}");
                let served = alternatives.found.iter().map(|found| found.job);
                let left_out = alternatives.unscheduled.iter().map(|unscheduled| unscheduled.job);
                let accounted: std::collections::BTreeSet<JobId> = served.chain(left_out).collect();
                prop_assert_eq!(accounted.len(), batch.requests().len(), "no job is lost");
            }
        }
    }
}
