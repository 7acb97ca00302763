//! Searches against their oracles.

use crate::oracle::{self, OracleWindow, free_slots};
use crate::random;
use proptest::prelude::*;
use walras_core::slots::SlotList;
use walras_core::*;
use walras_model::*;

fn config(algorithm: Algorithm, factor: Factor) -> SearchConfig {
    SearchConfig { algorithm, budget_factor: factor, ..SearchConfig::default() }
}

fn found(offers: &Offers, request: &Request, config: &SearchConfig) -> Option<OracleWindow> {
    let list = SlotList::from_offers(offers);
    find_window(&list, offers, request, config).found().as_ref().map(OracleWindow::of)
}

/// What the criterion makes of a window, in the core's units; `None` where a node does not state it.
fn value(criterion: &Criterion, offers: &Offers, window: &OracleWindow) -> Option<i128> {
    let sum = |term: &dyn Fn(&oracle::Part) -> Option<i64>| {
        window.parts.iter().map(|part| term(part).map(i128::from)).sum::<Option<i128>>()
    };
    match criterion {
        Criterion::Cost => sum(&|part| Some(part.cost)),
        Criterion::Runtime => Some(i128::from(window.end() - window.start)),
        Criterion::Finish => Some(i128::from(window.end())),
        Criterion::Start => Some(i128::from(window.start)),
        Criterion::Price => window.parts.iter().map(|part| i128::from(rate_of(offers, part))).max(),
        Criterion::NodeTime => sum(&|part| Some(part.end - part.start)),
        Criterion::Energy => sum(&|part| {
            offers.node(part.node).watts.map(|watts| watts.as_milliwatts() * (part.end - part.start))
        }),
        Criterion::Attribute(name) => sum(&|part| match offers.node(part.node).attributes.get(name) {
            Some(Value::Number(number)) => Some(number.as_millionths()),
            _ => None,
        }),
    }
}

fn rate_of(offers: &Offers, part: &oracle::Part) -> i64 {
    let slot = offers.slots().iter().find(|slot| slot.node() == part.node).unwrap();
    slot.rate().as_micros_per_second()
}

fn criteria() -> [Criterion; 8] {
    [
        Criterion::Cost,
        Criterion::Runtime,
        Criterion::Finish,
        Criterion::Start,
        Criterion::Price,
        Criterion::NodeTime,
        Criterion::Energy,
        Criterion::Attribute("noise".into()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn first_windows_equal_the_papers_steps(
        offers in random::offers(), request in random::request(), factor in random::factor(),
    ) {
        for algorithm in [Algorithm::Alp, Algorithm::Amp] {
            let expected = oracle::first_window(&offers, &free_slots(&offers), &request, &algorithm, factor);
            prop_assert_eq!(found(&offers, &request, &config(algorithm, factor)), expected);
        }
    }

    #[test]
    fn first_windows_start_as_early_as_any(
        offers in random::offers(), request in random::request(), factor in random::factor(),
    ) {
        for algorithm in [Algorithm::Alp, Algorithm::Amp] {
            let every = oracle::every_window(&offers, &free_slots(&offers), &request, &algorithm, factor);
            let earliest = every.iter().map(|window| window.start).min();
            let window = found(&offers, &request, &config(algorithm, factor));
            prop_assert_eq!(window.map(|window| window.start), earliest);
        }
    }

    #[test]
    fn criterion_windows_are_the_best_of_all(
        offers in random::offers(), request in random::request(), factor in random::factor(),
    ) {
        let every = oracle::every_window(&offers, &free_slots(&offers), &request, &Algorithm::Amp, factor);
        for criterion in criteria() {
            let rank = |window: &OracleWindow| {
                value(&criterion, &offers, window).map(|value| (value, window.start, window.cost()))
            };
            let expected = every.iter().filter_map(rank).min();
            let config = config(Algorithm::Criterion(criterion.clone()), factor);
            let window = found(&offers, &request, &config);
            prop_assert_eq!(window.as_ref().and_then(rank), expected, "{}", criterion);
        }
    }

    #[test]
    fn alternatives_equal_searching_from_the_head(
        offers in random::offers(), batch in random::batch(), factor in random::factor(),
    ) {
        for algorithm in [Algorithm::Alp, Algorithm::Amp] {
            let expected = oracle::all_alternatives(&offers, &batch, &algorithm, factor);
            let alternatives = find_alternatives(&offers, &batch, &config(algorithm, factor));
            let found: Vec<(JobId, OracleWindow)> =
                alternatives.found.iter().map(|found| (found.job, OracleWindow::of(&found.window))).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn criterion_alternatives_are_each_the_best_of_what_is_left(
        offers in random::offers(), batch in random::batch(),
    ) {
        for criterion in criteria() {
            let config = config(Algorithm::Criterion(criterion.clone()), Factor::ONE);
            let alternatives = find_alternatives(&offers, &batch, &config);
            let mut slots = free_slots(&offers);
            for found in &alternatives.found {
                let request = batch.request(found.job);
                let window = OracleWindow::of(&found.window);
                let rank = |window: &OracleWindow| {
                    value(&criterion, &offers, window).map(|value| (value, window.start, window.cost()))
                };
                let every = oracle::every_window(&offers, &slots, request, &Algorithm::Amp, Factor::ONE);
                prop_assert_eq!(rank(&window), every.iter().filter_map(rank).min());
                oracle::subtract(&mut slots, &window);
            }
            for request in batch.requests() {
                let every = oracle::every_window(&offers, &slots, request, &Algorithm::Amp, Factor::ONE);
                let left = every.iter().filter(|window| value(&criterion, &offers, window).is_some()).count();
                prop_assert_eq!(left, 0, "nobody finds another");
            }
        }
    }

    #[test]
    fn on_the_fly_serves_whoever_can_start_first(offers in random::offers(), batch in random::batch()) {
        let config = SearchConfig { mode: Mode::FirstOnTheFly, ..SearchConfig::default() };
        let alternatives = find_alternatives(&offers, &batch, &config);
        let mut slots = free_slots(&offers);
        let mut waiting = batch.by_priority();
        let mut expected = Vec::new();
        loop {
            let first = waiting
                .iter()
                .filter_map(|job| {
                    let request = batch.request(*job);
                    let window =
                        oracle::first_window(&offers, &slots, request, &Algorithm::Amp, Factor::ONE)?;
                    Some((*job, window))
                })
                .min_by_key(|(_, window)| window.start);
            let Some((job, window)) = first else { break };
            oracle::subtract(&mut slots, &window);
            waiting.retain(|other| *other != job);
            expected.push((job, window));
        }
        let found: Vec<(JobId, OracleWindow)> =
            alternatives.found.iter().map(|found| (found.job, OracleWindow::of(&found.window))).collect();
        prop_assert_eq!(found, expected);
        waiting.sort_unstable();
        let unscheduled: Vec<JobId> = alternatives.unscheduled.iter().map(|job| job.job).collect();
        prop_assert_eq!(unscheduled, waiting);
    }
}
