//! Prices from inside: the search for one job against trying everything, sums of prices against adding them up.

use super::grid::{Grid, Prices};
use super::single::{Hint, Search};
use super::want::{Delay, Want};
use crate::search::{Algorithm, View};
use walras_model::*;
use walras_random::Draws;

const HORIZON: i64 = 40;

fn number(draws: &mut Draws, least: i64, most: i64) -> i64 {
    least + i64::try_from(draws.below(usize::try_from(most - least + 1).unwrap())).unwrap()
}

fn interval(start: i64, end: i64) -> Interval {
    Interval::new(Time::from_millis(start).unwrap(), Time::from_millis(end).unwrap()).unwrap()
}

/// Up to five nodes of two sites, each with one or two slots.
fn offers(draws: &mut Draws) -> Offers {
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for index in 0..number(draws, 1, 5) {
        let (first, gap) = (number(draws, 0, 9), number(draws, 12, 25));
        let free = [interval(first, gap), interval(gap + number(draws, 0, 3), HORIZON)];
        let rate = Rate::from_micros_per_second(number(draws, 1_000, 9_000)).unwrap();
        let id = NodeId::from_index(usize::try_from(index).unwrap()).unwrap();
        slots.extend(walras_model::offer::slots_of_node(id, rate, &free).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(u32::try_from(index % 2).unwrap()),
            performance: Performance::from_millionths(number(draws, 5, 20) * 100_000).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let sites = vec![Site { name: "a".into() }, Site { name: "b".into() }];
    Offers::new(interval(0, HORIZON), sites, nodes, slots).unwrap()
}

fn request(draws: &mut Draws) -> Request {
    let tasks = u32::try_from(number(draws, 1, 3)).unwrap();
    let mut request = Request::new("J", tasks, Work::from_millis(number(draws, 1, 12)).unwrap());
    request.performance_min = Performance::from_millionths(500_000).unwrap();
    request.scope.same_site = draws.below(4) == 0;
    request.budget = (draws.below(2) == 0).then(|| Money::from_micros(number(draws, 5, 90)));
    request.deadline = (draws.below(3) == 0).then(|| Time::from_millis(number(draws, 10, HORIZON)).unwrap());
    request
}

/// The least of all starts and all sets of seats.
fn by_trying(want: &Want, grid: &Grid, prices: &[i64]) -> Option<i128> {
    let mut best = None;
    for seats in &want.pools {
        for start in 0..HORIZON {
            for set in 0..1_usize << seats.len() {
                let chosen: Vec<_> =
                    (0..seats.len()).filter(|at| set & (1 << at) != 0).map(|at| seats[at]).collect();
                let alive = chosen.iter().all(|seat| seat.first <= start && start <= seat.last);
                let cost: i128 = chosen.iter().map(|seat| i128::from(seat.cost)).sum();
                if chosen.len() != want.tasks || !alive || cost > i128::from(want.budget) {
                    continue;
                }
                let paid = chosen.iter().flat_map(|seat| grid.parts(seat.node, start, start + seat.runtime));
                let paid: i128 = paid.map(|(cell, millis)| i128::from(prices[cell] * millis)).sum();
                // What is late counts by the millisecond.
                let late = want.delay.map_or(0, |delay| (start - delay.from).max(0) * delay.each);
                let value =
                    i128::from(late) + paid + chosen.iter().map(|seat| i128::from(seat.own)).sum::<i128>();
                best = Some(best.map_or(value, |best: i128| best.min(value)));
            }
        }
    }
    best
}

#[test]
fn the_best_window_is_the_best_of_all() {
    let (mut found, mut with_hint) = (0, 0);
    for seed in 0..600 {
        let mut draws = Draws::new(seed);
        let (offers, request) = (offers(&mut draws), request(&mut draws));
        let view = View::new(&offers, &request, &Algorithm::Amp, Factor::ONE);
        let mut want = Want::new(&offers, &view);
        want.count_costs(16);
        let (from, each) = (number(&mut draws, 0, 30), number(&mut draws, 0, 60));
        want.delay = (draws.below(2) == 0).then_some(Delay { from, each });
        let grid = Grid::new(&offers, 1 << draws.below(4), usize::MAX);
        let (mut search, mut hint) = (Search::default(), Hint::default());
        for _ in 0..3 {
            let drawn = grid.free.iter().map(|free| if *free > 0 { number(&mut draws, 0, 90) } else { 0 });
            let drawn: Vec<i64> = drawn.collect();
            let prices = Prices::new(&grid, &drawn);
            let expected = by_trying(&want, &grid, &drawn);
            let shown = search.best(&want, &prices, &mut hint, 100);
            assert_eq!(shown.as_ref().map(|shown| shown.value), expected, "seed {seed}");
            assert_eq!(shown.as_ref().map(|shown| shown.bound), expected, "seed {seed}");
            let rough = search.best(&want, &prices, &mut hint.clone(), 2);
            if let (Some(rough), Some(expected)) = (rough, expected) {
                assert!(rough.bound <= expected && expected <= rough.value, "seed {seed}");
                assert!(rough.value - (rough.value >> 2) <= rough.bound, "seed {seed}");
                with_hint += 1;
            }
            found += usize::from(shown.is_some());
        }
    }
    assert!(found > 1_000 && with_hint > 1_000, "{found} {with_hint}");
}

#[test]
fn prices_add_up() {
    for seed in 0..100 {
        let mut draws = Draws::new(seed);
        let offers = offers(&mut draws);
        let grid = Grid::new(&offers, number(&mut draws, 1, 100), usize::MAX);
        let free: i64 = offers.slots().iter().map(|slot| slot.span().as_millis()).sum();
        assert_eq!(grid.free.iter().sum::<i64>(), free);
        let drawn: Vec<i64> =
            grid.free.iter().map(|free| if *free > 0 { number(&mut draws, 0, 9) } else { 0 }).collect();
        let prices = Prices::new(&grid, &drawn);
        let all = drawn.iter().zip(&grid.free).map(|(price, free)| i128::from(price * free)).sum::<i128>();
        assert_eq!(prices.of_all(&grid), all);
        for slot in offers.slots() {
            let (node, from, until) = (slot.node().index(), slot.start().as_millis(), slot.end().as_millis());
            let sum: i64 = grid.parts(node, from, until).map(|(cell, millis)| drawn[cell] * millis).sum();
            assert_eq!(prices.until(node, until) - prices.until(node, from), sum);
        }
    }
}
