//! Nodes that are sold in units: every search against brute force on profiles, and what batches find against the verifier.

use std::collections::BTreeMap;
use walras_core::{Algorithm, Criterion, Mode, SearchConfig, find_alternatives};
use walras_model::division::price_of_units;
use walras_model::*;
use walras_random::Draws;
use walras_verify::{Claim, Rules, verify_plan};

pub const HORIZON: i64 = 24;

fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

fn interval(from: i64, until: i64) -> Interval {
    Interval::new(at(from), at(until)).unwrap()
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap()
}

pub fn place(moment: i64) -> usize {
    usize::try_from(moment).unwrap()
}

pub fn least(name: &str, count: usize) -> Requirement {
    let min = Some(Fixed::from_millionths(whole(count) * 1_000_000));
    Requirement { attribute: name.to_owned(), test: Test::Range { min, max: None } }
}

/// What is free of a node at every moment: units and the price of the whole.
pub type Profile = Vec<Option<(u32, i64)>>;

/// Some nodes, most of them sold in units, with what is free of each.
pub fn draw_offers(draws: &mut Draws) -> (Offers, Vec<Profile>) {
    let (mut nodes, mut slots, mut profiles) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=u32::try_from(draws.below(3)).unwrap() {
        let units = [1, 2, 4, 6][draws.below(4)];
        let per_unit = |most: usize, draws: &mut Draws| u64::from(units) * (1 + draws.below(most) as u64);
        let (cores, memory, gpus) = (per_unit(3, draws), per_unit(4, draws), per_unit(2, draws));
        let resources = [("cores", cores), ("memory", memory), ("gpus", gpus)];
        let resources: BTreeMap<String, u64> =
            resources.map(|(name, amount)| (name.to_owned(), amount)).into();
        let division = Division::new(units, resources.clone()).unwrap();
        let division = division.on_terms(draw_terms(draws, units, &resources)).unwrap();
        nodes.push(Node {
            name: format!("n{number}"),
            site: SiteId::new(u32::try_from(draws.below(2)).unwrap()),
            performance: Performance::from_millionths(1_000_000 * (1 + whole(draws.below(2)))).unwrap(),
            watts: None,
            attributes: Attributes::new(),
            division,
        });
        let mut profile = vec![None; place(HORIZON)];
        let mut from = draws.below(4);
        while from < profile.len() {
            let until = (from + 1 + draws.below(9)).min(profile.len());
            let free = u32::try_from(draws.below(units as usize + 1)).unwrap();
            let rate = 1_000 * (1 + i64::from(draws.below(4) == 0));
            if free > 0 {
                let (begin, end) = (whole(from), whole(until));
                let slot = Slot::new(
                    NodeId::new(number),
                    interval(begin, end),
                    Rate::from_micros_per_second(rate).unwrap(),
                );
                slots.push(slot.unwrap().with_units(free));
                profile[from..until].fill(Some((free, rate)));
            }
            // Slots of a node that is sold whole are as long as they can be.
            from = until + usize::from(units == 1 || draws.below(5) == 0);
        }
        profiles.push(profile);
    }
    let sites = ["a", "b"].map(|name| Site { name: name.to_owned() });
    (Offers::new(interval(0, HORIZON), sites.into(), nodes, slots).unwrap(), profiles)
}

/// One node of four is kept for tasks that ask for GPUs or memory, and one takes nobody for less than some units.
fn draw_terms(draws: &mut Draws, units: u32, resources: &BTreeMap<String, u64>) -> SaleTerms {
    let mut terms = SaleTerms::default();
    if draws.below(4) == 0 {
        terms.least_units = 1 + u32::try_from(draws.below(units as usize)).unwrap();
    }
    for name in ["memory", "gpus"] {
        if draws.below(8) == 0 {
            let asked = 1 + draws.below(usize::try_from(resources[name]).unwrap());
            terms.only_for.insert(name.to_owned(), asked as u64);
        }
    }
    terms
}

/// The units that a task takes, told once more: as many as hold every amount, no fewer than the owner sells, and none where the owner keeps the
/// node for who asks for more.
pub fn units_of(node: &Node, request: &Request) -> Option<u32> {
    let asked = |name: &str| {
        let of = request.requires.iter().find(|it| it.attribute == name)?;
        let Test::Range { min: Some(least), max: None } = &of.test else { unreachable!() };
        Some(u64::try_from(least.whole()).unwrap())
    };
    if let Some(only_for) = node.division.only_for()
        && !only_for.iter().any(|(name, least)| asked(name).is_some_and(|asked| asked >= *least))
    {
        return None;
    }
    let of = u64::from(node.division.units());
    let holds = |units: &u32| {
        let resources = node.division.resources().iter();
        resources
            .clone()
            .all(|(name, all)| asked(name).is_none_or(|asked| asked * of <= all * u64::from(*units)))
    };
    (node.division.least_units()..=node.division.units()).find(holds)
}

pub fn draw_request(draws: &mut Draws, name: &str) -> Request {
    let (tasks, work) = (1 + u32::try_from(draws.below(4)).unwrap(), 1 + whole(draws.below(8)));
    let mut request = Request::new(name, tasks, Work::from_millis(work).unwrap());
    for resource in ["cores", "memory", "gpus"] {
        if draws.below(2) == 0 {
            request.requires.push(least(resource, 1 + draws.below(8)));
        }
    }
    if draws.below(3) == 0 {
        request.budget = Some(Money::from_micros(1 + whole(draws.below(30))));
    }
    if draws.below(4) == 0 {
        request.deadline = Some(at(8 + whole(draws.below(16))));
    }
    request.scope.same_site = draws.below(4) == 0;
    request.scope.separate_nodes = draws.below(4) == 0;
    request
}

/// At a start, by node: how many tasks it has room for, when each ends, and what it costs.
pub fn room(offers: &Offers, profiles: &[Profile], request: &Request, start: i64) -> Vec<(u32, i64, i64)> {
    let of = |(node, profile): (&Node, &Profile)| {
        let runtime = request.work.runtime_on(node.performance).unwrap();
        let end = start + runtime.as_millis();
        let Some(units) = units_of(node, request).filter(|_| end <= HORIZON) else {
            return (0, 0, 0);
        };
        let times = &profile[place(start)..place(end)];
        let Some((_, rate)) =
            times[0].filter(|(_, rate)| times.iter().all(|it| it.is_some_and(|it| it.1 == *rate)))
        else {
            return (0, 0, 0);
        };
        let free = times.iter().flatten().map(|(units, _)| *units).min().unwrap();
        let part = price_of_units(Rate::from_micros_per_second(rate).unwrap(), units, node.division.units());
        let late = request.deadline.is_some_and(|deadline| at(end) > deadline);
        let most = if request.scope.separate_nodes { 1 } else { u32::MAX };
        (if late { 0 } else { (free / units).min(most) }, end, part.cost_of(runtime).unwrap().as_micros())
    };
    offers.nodes().iter().zip(profiles).map(of).collect()
}

/// All (cost, end) of windows at a start, by trying every number of tasks on every node.
fn windows(offers: &Offers, profiles: &[Profile], request: &Request, start: i64) -> Vec<(i64, i64)> {
    let room = room(offers, profiles, request, start);
    let mut partial = vec![(0_u32, 0_i64, start, None)];
    for (node, (most, end, cost)) in offers.nodes().iter().zip(room) {
        let mut next = Vec::new();
        for (tasks, sum, last, site) in partial {
            for count in 0..=most.min(request.tasks - tasks) {
                let apart = request.scope.same_site && site.is_some_and(|site| site != node.site);
                match count {
                    0 => next.push((tasks, sum, last, site)),
                    _ if apart => {}
                    _ => next.push((
                        tasks + count,
                        sum + cost * i64::from(count),
                        last.max(end),
                        Some(node.site),
                    )),
                }
            }
        }
        partial = next;
    }
    let budget = request.budget_limit(Factor::ONE).map_or(i64::MAX, Money::as_micros);
    let full = partial.into_iter().filter(|(tasks, sum, _, _)| *tasks == request.tasks && *sum <= budget);
    full.map(|(_, sum, last, _)| (sum, last)).collect()
}

pub fn config(algorithm: Algorithm, mode: Mode) -> SearchConfig {
    SearchConfig { algorithm, mode, ..SearchConfig::default() }
}

#[test]
fn every_search_finds_what_trying_everything_finds() {
    let (mut found, mut shared) = (0, 0);
    for seed in 0..4_000 {
        let mut draws = Draws::new(seed);
        let (offers, profiles) = draw_offers(&mut draws);
        let request = draw_request(&mut draws, "J");
        let all: Vec<(i64, i64, i64)> = (0..HORIZON)
            .flat_map(|start| {
                let there = windows(&offers, &profiles, &request, start);
                there.into_iter().map(move |(cost, end)| (start, cost, end))
            })
            .collect();
        let batch = Batch::new(vec![request]);
        let mut check = |algorithm: Algorithm, key: fn(&(i64, i64, i64)) -> i64| {
            let what = format!("seed {seed}, {algorithm:?}");
            let config = config(algorithm, Mode::AllAlternatives);
            let first = find_alternatives(&offers, &batch, &config).found.into_iter().next();
            let value = first.as_ref().map(|it| {
                let start = it.window.start().as_millis();
                key(&(start, it.window.cost().as_micros(), it.window.end().as_millis()))
            });
            assert_eq!(value, all.iter().map(key).min(), "{what}");
            found += usize::from(first.is_some());
            let nodes = first.iter().flat_map(|it| it.window.placements().windows(2));
            let beside = nodes.filter(|pair| pair[0].node == pair[1].node).count();
            assert!(beside == 0 || !batch.requests()[0].scope.separate_nodes, "{what}");
            shared += beside;
        };
        check(Algorithm::Alp, |(start, _, _)| *start);
        check(Algorithm::Amp, |(start, _, _)| *start);
        check(Algorithm::Criterion(Criterion::Cost), |(_, cost, _)| *cost);
        check(Algorithm::Criterion(Criterion::Finish), |(_, _, end)| *end);
        check(Algorithm::Criterion(Criterion::Start), |(start, _, _)| *start);
        check(Algorithm::Criterion(Criterion::Runtime), |(start, _, end)| end - start);
    }
    assert!(found > 5_000 && shared > 2_000, "{found} found, {shared} tasks beside others");
}

/// Takes what was found out of the profiles, moment by moment.
fn take(profiles: &mut [Profile], window: &Window) {
    for it in window.placements() {
        let (from, until) = (it.interval.start().as_millis(), it.interval.end().as_millis());
        for moment in &mut profiles[it.node.index()][place(from)..place(until)] {
            let (units, rate) = moment.unwrap();
            let left = units.checked_sub(it.units).expect("no more than is free");
            *moment = Some((left, rate));
        }
    }
}

#[test]
fn batches_share_nodes_until_nothing_fits_any_more() {
    let mut found = 0;
    for seed in 0..1_500 {
        let mut draws = Draws::new(77_000 + seed);
        let (offers, mut profiles) = draw_offers(&mut draws);
        let requests = (0..1 + draws.below(4)).map(|job| draw_request(&mut draws, &format!("J{job}")));
        let batch = Batch::new(requests.collect());
        let algorithms = [Algorithm::Alp, Algorithm::Amp, Algorithm::Criterion(Criterion::Cost)];
        let mode = if draws.below(3) == 0 { Mode::FirstOnTheFly } else { Mode::AllAlternatives };
        let config = config(algorithms[draws.below(3)].clone(), mode);
        let all = find_alternatives(&offers, &batch, &config);
        let price_cap = config.algorithm == Algorithm::Alp;
        let rules = Rules { budget_factor: Factor::ONE, price_cap };
        let claim = Claim::of_alternatives(&offers, &batch, &all.found);
        assert_eq!(verify_plan(&claim, &offers, &batch, rules), [], "seed {seed}");
        all.found.iter().for_each(|it| take(&mut profiles, &it.window));
        found += all.found.len();
        if mode == Mode::AllAlternatives && all.limits_hit.is_empty() {
            for request in batch.requests() {
                let left = (0..HORIZON).any(|start| !windows(&offers, &profiles, request, start).is_empty());
                assert!(!left, "seed {seed}: {} fits still", request.name);
            }
        }
    }
    assert!(found > 3_000, "{found} found");
}

/// How much less of one thing would do is what trying every amount below finds.
#[test]
fn the_most_that_would_do_is_what_trying_everything_finds() {
    let (mut looked, mut less) = (0, 0);
    for seed in 0..3_000 {
        let mut draws = Draws::new(510_000 + seed);
        let (offers, profiles) = draw_offers(&mut draws);
        let request = draw_request(&mut draws, "J");
        let there =
            |request: &Request| (0..HORIZON).any(|at| !windows(&offers, &profiles, request, at).is_empty());
        if there(&request) {
            continue;
        }
        let most = |place: usize| {
            let Test::Range { min: Some(own), max: None } = request.requires[place].test else {
                unreachable!()
            };
            (1..usize::try_from(own.whole()).unwrap()).rev().find(|amount| {
                let mut lesser = request.clone();
                lesser.requires[place] = least(&request.requires[place].attribute, *amount);
                there(&lesser)
            })
        };
        let expected: Vec<(String, Fixed)> = (0..request.requires.len())
            .filter_map(|place| {
                let amount = Fixed::from_millionths(whole(most(place)?) * 1_000_000);
                Some((request.requires[place].attribute.clone(), amount))
            })
            .collect();
        for algorithm in [Algorithm::Amp, Algorithm::Criterion(Criterion::Finish)] {
            let config = config(algorithm.clone(), Mode::AllAlternatives);
            let found = find_alternatives(&offers, &Batch::new(vec![request.clone()]), &config);
            let change = &found.unscheduled[0].explanation.smallest_change;
            assert_eq!(change.resources, expected.iter().cloned().collect(), "seed {seed}, {algorithm:?}");
        }
        looked += 1;
        less += expected.len();
    }
    assert!(looked > 500 && less > 200, "{looked} looked at, {less} would do with less");
}

/// Steps and lanes are two ways to the same windows: the earliest start, on ever less time.
#[test]
fn searches_step_by_step_start_when_searches_on_lanes_do() {
    let mut found = 0;
    for seed in 0..1_500 {
        let mut draws = Draws::new(930_000 + seed);
        let (offers, _) = draw_offers(&mut draws);
        let requests = (0..1 + draws.below(4)).map(|job| draw_request(&mut draws, &format!("J{job}")));
        let batch = Batch::new(requests.collect());
        let first = |algorithm| {
            let config = config(algorithm, Mode::FirstOnTheFly);
            let all = find_alternatives(&offers, &batch, &config).found;
            all.first().map(|it| it.window.start())
        };
        assert_eq!(first(Algorithm::Amp), first(Algorithm::Criterion(Criterion::Start)), "seed {seed}");
        found += usize::from(first(Algorithm::Amp).is_some());
    }
    assert!(found > 500, "{found} found");
}
