//! Searches and cuts on lists of many blocks, against the oracles.
//!
//! Unit tests build the index with tiny blocks and groups, so that these instances split, tighten, pass over and
//! make up for blocks all the time; the integration tests use the real sizes.

mod draw;

use crate::oracle::{self, FreeSlot, OracleWindow, Part, free_slots};
use crate::slots::SlotList;
use crate::*;
use draw::{Draw, batch, interval, offers, request, time};
use walras_model::*;

const SEEDS: u64 = 120;

fn windows(found: &[Alternative]) -> Vec<(JobId, OracleWindow)> {
    found.iter().map(|found| (found.job, OracleWindow::of(&found.window))).collect()
}

#[test]
fn alternatives_equal_the_papers_steps() {
    for seed in 1..=SEEDS {
        let mut draw = Draw::new(seed);
        let (nodes, horizon, jobs) = (2 + draw.below(22), 60 + draw.below(300), 1 + draw.below(5));
        let offers = offers(&mut draw, nodes, horizon);
        let batch = batch(&mut draw, jobs, nodes, horizon);
        let budget_factor = draw.factor();
        for algorithm in [Algorithm::Alp, Algorithm::Amp] {
            let config = SearchConfig { algorithm, budget_factor, ..SearchConfig::default() };
            let found = windows(&find_alternatives(&offers, &batch, &config).found);
            let expected = oracle::all_alternatives(&offers, &batch, &config.algorithm, budget_factor);
            let first_difference = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            assert_eq!(first_difference, None, "seed {seed}");
            assert_eq!(found.len(), expected.len(), "seed {seed}");
        }
    }
}

#[test]
fn every_bound_of_the_index_holds_after_every_cut() {
    for seed in 1..=SEEDS {
        let mut draw = Draw::new(seed);
        let (nodes, horizon) = (2 + draw.below(22), 60 + draw.below(200));
        let offers = offers(&mut draw, nodes, horizon);
        let (mut list, mut plain) = (SlotList::from_offers(&offers), free_slots(&offers));
        list.check_index();
        for _ in 0..60 {
            let (placements, window) = random_window(&mut draw, &plain, horizon);
            let Some(placed) = Window::new(placements) else { continue };
            list.subtract(&placed).unwrap();
            oracle::subtract(&mut plain, &window);
            let left: Vec<_> = list.iter().map(|slot| (slot.start().as_millis(), slot.node())).collect();
            assert_eq!(
                left,
                plain.iter().map(|slot| (slot.start, slot.node)).collect::<Vec<_>>(),
                "seed {seed}"
            );
            list.check_index();
        }
    }
}

/// Parts of some of the slots that are free at one time.
fn random_window(draw: &mut Draw, plain: &[FreeSlot], horizon: i64) -> (Vec<Placement>, OracleWindow) {
    let count = i64::try_from(plain.len()).unwrap();
    let start = match plain.get(usize::try_from(draw.below(2 * count + 1)).unwrap()) {
        Some(slot) => slot.start,
        None => draw.below(horizon),
    };
    let (mut placements, mut parts) = (Vec::new(), Vec::new());
    for slot in plain.iter().filter(|slot| slot.start <= start && start < slot.end) {
        if draw.percent(60) {
            let end = if draw.percent(30) { slot.end } else { start + 1 + draw.below(slot.end - start) };
            let source = SlotKey { start: time(slot.start), node: slot.node };
            let interval = interval(start, end);
            let rate = Rate::from_micros_per_second(slot.rate).unwrap();
            placements.push(Placement {
                units: 1,
                node: slot.node,
                interval,
                rate,
                cost: Money::ZERO,
                source,
            });
            parts.push(Part { node: slot.node, start, end, cost: 0 });
        }
    }
    (placements, OracleWindow { start, parts })
}

/// What a criterion makes of a window; `None` where a node does not state it.
fn value(name: &str, offers: &Offers, plain: &[FreeSlot], window: &OracleWindow) -> Option<i128> {
    let rate = |part: &Part| {
        let holds =
            |slot: &&FreeSlot| slot.node == part.node && slot.start <= part.start && part.end <= slot.end;
        plain.iter().find(holds).map(|slot| i128::from(slot.rate))
    };
    let runtime = |part: &Part| i128::from(part.end - part.start);
    let node = |part: &Part| offers.node(part.node);
    let parts = window.parts.iter();
    match name {
        "cost" => Some(i128::from(window.cost())),
        "runtime" => Some(i128::from(window.end() - window.start)),
        "finish" => Some(i128::from(window.end())),
        "start" => Some(i128::from(window.start)),
        "price" => parts.map(rate).max()?,
        "node-time" => Some(parts.map(runtime).sum()),
        "energy" => parts
            .map(|part| Some(runtime(part) * i128::from(node(part).watts?.as_milliwatts())))
            .sum::<Option<i128>>(),
        _ => parts
            .map(|part| match node(part).attributes.get("noise") {
                Some(Value::Number(number)) => Some(i128::from(number.as_millionths())),
                _ => None,
            })
            .sum::<Option<i128>>(),
    }
}

const CRITERIA: [&str; 8] =
    ["cost", "runtime", "finish", "start", "price", "node-time", "energy", "sum:noise"];

fn by(name: &str) -> SearchConfig {
    let algorithm = Algorithm::Criterion(name.parse().unwrap());
    SearchConfig { algorithm, ..SearchConfig::default() }
}

#[test]
fn criterion_windows_on_cut_lists_are_the_best_of_all() {
    for seed in 1..=SEEDS / 3 {
        let mut draw = Draw::new(seed);
        let (nodes, horizon) = (2 + draw.below(7), 60 + draw.below(140));
        let offers = offers(&mut draw, nodes, horizon);
        let (mut list, mut plain) = (SlotList::from_offers(&offers), free_slots(&offers));
        for _ in 0..6 {
            let wanted = request(&mut draw, nodes, horizon);
            for name in CRITERIA {
                let every = oracle::every_window(&offers, &plain, &wanted, &Algorithm::Amp, Factor::ONE);
                let rank = |window: &OracleWindow| {
                    Some((value(name, &offers, &plain, window)?, window.start, window.cost()))
                };
                let outcome = find_window(&list, &offers, &wanted, &by(name));
                assert!(!outcome.bound_hit());
                let found = outcome.found().map(|window| OracleWindow::of(&window));
                let expected = every.iter().filter_map(rank).min();
                assert_eq!(found.as_ref().and_then(rank), expected, "seed {seed} {name}");
            }
            take_some(&mut draw, &offers, &mut list, &mut plain);
        }
    }
}

/// Cuts a few windows out of both lists.
fn take_some(draw: &mut Draw, offers: &Offers, list: &mut SlotList, plain: &mut Vec<FreeSlot>) {
    let (nodes, horizon) = (i64::try_from(offers.nodes().len()).unwrap(), offers.horizon().end().as_millis());
    for _ in 0..4 {
        let wanted = request(draw, nodes, horizon);
        if let Some(window) = find_window(list, offers, &wanted, &SearchConfig::default()).found() {
            list.subtract(&window).unwrap();
            oracle::subtract(plain, &OracleWindow::of(&window));
        }
    }
}

#[test]
fn criterion_alternatives_equal_searching_from_the_head() {
    for seed in 1..=SEEDS / 2 {
        let mut draw = Draw::new(seed);
        let (nodes, horizon) = (2 + draw.below(14), 60 + draw.below(150));
        let offers = offers(&mut draw, nodes, horizon);
        let batch = batch(&mut draw, 3, nodes, horizon);
        for name in CRITERIA {
            let found = find_alternatives(&offers, &batch, &by(name)).found;
            let found: Vec<_> = found.into_iter().map(|found| (found.job, found.window)).collect();
            let expected = oracle::alternatives_from_the_head(&offers, &batch, &by(name));
            assert_eq!(found, expected, "seed {seed} {name}");
        }
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    for seed in 1..=SEEDS / 4 {
        let mut draw = Draw::new(seed);
        let (nodes, horizon, jobs) = (4 + draw.below(20), 60 + draw.below(200), 3 + draw.below(12));
        let offers = offers(&mut draw, nodes, horizon);
        let batch = batch(&mut draw, jobs, nodes, horizon);
        let searches = CRITERIA.map(|name| format!("criterion={name}"));
        for search in searches.iter().map(String::as_str).chain(["alp", "amp"]) {
            let config = SearchConfig { algorithm: search.parse().unwrap(), ..SearchConfig::default() };
            let alone = find_alternatives_on(&offers, &batch, &config, 1);
            for threads in [2, 4] {
                let found = find_alternatives_on(&offers, &batch, &config, threads);
                assert_eq!(found, alone, "seed {seed} {search} on {threads} threads");
            }
        }
    }
}

/// Whether the request has a window on these slots.
fn fits(offers: &Offers, plain: &[FreeSlot], request: &Request, config: &SearchConfig) -> bool {
    let energy = config.algorithm == Algorithm::Criterion(Criterion::Energy);
    let usable: Vec<FreeSlot> =
        plain.iter().copied().filter(|slot| !energy || offers.node(slot.node).watts.is_some()).collect();
    oracle::first_window(offers, &usable, request, &config.algorithm, config.budget_factor).is_some()
}

#[test]
fn smallest_changes_on_cut_lists_are_exact() {
    let algorithms = ["alp", "amp", "criterion=energy", "criterion=runtime"];
    for seed in 1..=4 * SEEDS {
        let mut draw = Draw::new(seed);
        let (nodes, horizon) = (2 + draw.below(10), 60 + draw.below(60));
        let offers = offers(&mut draw, nodes, horizon);
        let (mut list, mut plain) = (SlotList::from_offers(&offers), free_slots(&offers));
        take_some(&mut draw, &offers, &mut list, &mut plain);
        let wanted = request(&mut draw, nodes, horizon);
        let algorithm = algorithms[usize::try_from(draw.below(4)).unwrap()].parse().unwrap();
        let config = SearchConfig { algorithm, budget_factor: draw.factor(), ..SearchConfig::default() };
        let found = find_window(&list, &offers, &wanted, &config).found();
        assert_eq!(found.is_some(), fits(&offers, &plain, &wanted, &config), "seed {seed}");
        if found.is_none() {
            let change = explain(&list, &offers, &wanted, &config).smallest_change;
            let fits_with = |change: &dyn Fn(&mut Request)| {
                let mut request = wanted.clone();
                change(&mut request);
                fits(&offers, &plain, &request, &config)
            };
            check_change(&wanted, &config, &change, &fits_with);
        }
    }
}

/// Whether the request has a window after a change.
type FitsWith<'a> = &'a dyn Fn(&dyn Fn(&mut Request)) -> bool;

fn check_change(wanted: &Request, config: &SearchConfig, change: &SmallestChange, fits_with: FitsWith<'_>) {
    let alp = config.algorithm == Algorithm::Alp;
    let budget = |value| fits_with(&|request| request.budget = Some(Money::from_micros(value)));
    match change.budget.map(Money::as_micros) {
        Some(least) => assert!(budget(least) && !budget(least - 1)),
        None => assert!(!(wanted.budget.is_some() || !alp && wanted.price_max.is_some()) || !budget(1 << 40)),
    }
    let deadline = |value| fits_with(&|request| request.deadline = Some(time(value)));
    match change.deadline.map(Time::as_millis) {
        Some(least) => assert!(deadline(least) && !deadline(least - 1)),
        None => assert!(wanted.deadline.is_none() || !deadline(1 << 40)),
    }
    let tasks = |value| fits_with(&|request| request.tasks = value);
    assert_eq!(change.tasks, (1..wanted.tasks).rev().find(|value| tasks(*value)));
    let speed = |value| fits_with(&|it| it.performance_min = Performance::from_millionths(value).unwrap());
    match change.performance_min.map(Performance::as_millionths) {
        Some(most) => {
            assert!(speed(most) && (most + 1 >= wanted.performance_min.as_millionths() || !speed(most + 1)));
        }
        None => assert!(!speed(1)),
    }
    let price = |value| fits_with(&|request| request.price_max = Rate::from_micros_per_second(value));
    match change.price_max.map(Rate::as_micros_per_second) {
        Some(least) => assert!(price(least) && (least == 1 || !price(least - 1))),
        None => assert!(wanted.price_max.is_none() || !price(1 << 40)),
    }
}

#[test]
fn a_window_at_the_earliest_start_is_found_though_nothing_joins_there() {
    let node = |name: &str| Node {
        division: Default::default(),
        name: name.into(),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let rate = Rate::from_micros_per_second(1_000).unwrap();
    let slot = |node, start, end| Slot::new(NodeId::new(node), interval(start, end), rate).unwrap();
    let mut slots = vec![slot(0, 0, 5_000)];
    slots.extend((0..400).map(|number| slot(1, 2 * number, 2 * number + 1)));
    let sites = vec![Site { name: "a".into() }];
    let offers = Offers::new(interval(0, 5_000), sites, vec![node("long"), node("short")], slots).unwrap();
    let mut wanted = Request::new("J", 1, Work::from_millis(10).unwrap());
    wanted.earliest = Some(time(700));
    let list = SlotList::from_offers(&offers);
    let found = find_window(&list, &offers, &wanted, &SearchConfig::default()).found();
    assert_eq!(found.map(|window| window.start()), Some(time(700)));
}

#[test]
fn no_job_is_lost_to_a_limit() {
    let mut draw = Draw::new(7);
    let offers = offers(&mut draw, 6, 200);
    let job = |name: &str| Request::new(name, 1, Work::from_millis(3).unwrap());
    let batch = Batch::new(["A", "B", "C"].map(job).to_vec());
    for mode in [Mode::AllAlternatives, Mode::FirstOnTheFly] {
        let limits = SearchLimits { alternatives_max: 2, ..SearchLimits::default() };
        let result =
            find_alternatives(&offers, &batch, &SearchConfig { limits, mode, ..SearchConfig::default() });
        assert_eq!((result.found.len(), result.unscheduled.len()), (2, 1));
        assert_eq!(result.unscheduled[0].explanation.reasons, [Reason::NotExamined]);
        assert!(result.limits_hit.contains(&LimitHit::Alternatives));
    }
}
