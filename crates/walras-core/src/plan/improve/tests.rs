//! The search for one job against trying everything, and what is free against starting over.

#[allow(dead_code, unreachable_pub, reason = "the generators of the other tests")]
#[path = "../../../tests/it/random.rs"]
mod random;

use super::aim::{Aim, Form, Measure, Value};
use super::basis::measure;
use super::free::Free;
use super::ground::{Ground, Left};
use super::ranks::{Ranks, Wanted};
use super::single::best_window;
use super::sold::Sold;
use crate::search::{Algorithm, NO_FIT, View};
use proptest::prelude::*;
use walras_model::*;

fn aims() -> Vec<Aim> {
    let form = |cost, time, finish| Form { cost, time, finish };
    let aim = |first| Aim { forms: [first, Form::default(), Form::default()] };
    vec![
        aim(form(1, 0, 0)),
        aim(form(0, 1, 0)),
        aim(form(0, -1, 0)),
        aim(form(0, 0, 1)),
        aim(form(3, 2, 5)),
        aim(form(1, -2, 1)),
        Aim::FINISH,
        Aim { forms: [form(0, 1, 0), form(0, 0, 1), form(1, 0, 0)] },
    ]
}

/// Every sum of `count` of these, each as (cost, run time).
fn sets(all: &[(i64, i64)], count: usize) -> Vec<(i64, i64)> {
    match (count, all) {
        (0, _) => vec![(0, 0)],
        (_, []) => Vec::new(),
        (_, [first, rest @ ..]) => {
            let with = sets(rest, count - 1).into_iter().map(|it| (it.0 + first.0, it.1.max(first.1)));
            with.chain(sets(rest, count)).collect()
        }
    }
}

/// The least value of any window at any millisecond, within a budget and limits.
fn brute_force(offers: &Offers, view: &View, aim: &Aim, cost_max: i64, finish_max: i64) -> Option<Value> {
    let mut best = None;
    for start in view.earliest.max(0)..random::HORIZON {
        for pool in 0..view.pool_count {
            let fits = |slot: &&Slot| {
                let (node, runtime) = (slot.node().index(), view.runtimes[slot.node().index()]);
                let end = slot.end().as_millis().min(view.deadline).min(finish_max);
                runtime != NO_FIT
                    && view.pool_of(node) == pool
                    && slot.start().as_millis() <= start
                    && end - start >= runtime
                    && view.rate_of(slot) <= view.rate_max
            };
            let price = |slot: &Slot| {
                let runtime = view.runtimes[slot.node().index()];
                let cost = slot.rate().cost_of(Span::from_millis(runtime).unwrap()).unwrap();
                (cost.as_micros(), runtime)
            };
            let candidates: Vec<(i64, i64)> = offers.slots().iter().filter(fits).map(price).collect();
            for (cost, time) in sets(&candidates, view.tasks) {
                if cost <= view.budget.min(cost_max) {
                    let (cost, time) = (i128::from(cost), i128::from(time));
                    let value = aim.value(Measure { cost, time, finish: i128::from(start) + time });
                    best = Some(best.map_or(value, |best: Value| best.min(value)));
                }
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_window_is_better_than_the_one_found(
        offers in random::offers(), request in random::request(), alp in any::<bool>(),
        cost_max in prop_oneof![Just(i64::MAX), 1..60_i64], finish_max in prop_oneof![Just(i64::MAX), 5..40_i64],
    ) {
        let algorithm = if alp { Algorithm::Alp } else { Algorithm::Amp };
        let view = View::new(&offers, &request, &algorithm, Factor::ONE);
        let (ranks, free) = (Ranks::new(&view, offers.slots(), &[]), Free::new(&offers));
        for aim in aims() {
            let wanted = Wanted { cost_max, finish_max, ..Wanted::of(&view, &ranks, &aim) };
            let found = best_window(free.pieces(), wanted, &mut 0);
            let value = found.as_ref().map(|found| aim.value(measure(&found.window)));
            prop_assert_eq!(value, brute_force(&offers, &view, &aim, cost_max, finish_max), "{:?}", aim);
        }
    }

    #[test]
    fn dear_windows_and_noise_keep_the_budget(
        offers in random::offers(), request in random::request(), noise in prop::collection::vec(0..154_i64, 6),
    ) {
        let view = View::new(&offers, &request, &Algorithm::Amp, Factor::ONE);
        let (ranks, free) = (Ranks::new(&view, offers.slots(), &[]), Free::new(&offers));
        let income = Aim { forms: [Form { cost: -1, time: 0, finish: 0 }, Form::default(), Form::default()] };
        let exists = brute_force(&offers, &view, &Aim::COST, i64::MAX, i64::MAX).is_some();
        let dear = best_window(free.pieces(), Wanted::of(&view, &ranks, &income), &mut 0);
        prop_assert_eq!(dear.is_some(), exists);
        let noisy_dear = best_window(free.pieces(), Wanted { noise: &noise, ..Wanted::of(&view, &ranks, &income) }, &mut 0);
        prop_assert_eq!(noisy_dear.is_some(), exists);
        let noisy = best_window(free.pieces(), Wanted { noise: &noise, ..Wanted::of(&view, &ranks, &Aim::COST) }, &mut 0);
        for found in dear.into_iter().chain(noisy_dear).chain(noisy) {
            prop_assert!(found.window.cost().as_micros() <= view.budget);
            prop_assert!(found.window.end().as_millis() <= view.deadline);
        }
    }

    #[test]
    fn what_is_put_back_is_as_it_was(
        offers in random::offers(), cuts in prop::collection::vec((0..6_usize, 0..40_i64, 1..9_i64, any::<bool>()), 1..40),
    ) {
        let mut free = Free::new(&offers);
        let mut taken: Vec<(NodeId, Interval, usize)> = Vec::new();
        for (node, start, length, back) in cuts {
            if back && !taken.is_empty() {
                let (node, interval, origin) = taken.swap_remove(node % taken.len());
                free.release(node, interval, origin);
            } else {
                let node = NodeId::from_index(node).unwrap();
                let interval = random::interval(start, start + length);
                if let Some((origin, source)) = free.take(node, interval) {
                    prop_assert_eq!(source.node, node);
                    taken.push((node, interval, origin));
                }
            }
            // The same windows taken from the start leave the same pieces.
            let mut anew = Free::new(&offers);
            for (node, interval, origin) in &taken {
                prop_assert_eq!(anew.take(*node, *interval).map(|it| it.0), Some(*origin));
            }
            prop_assert_eq!(&anew, &free);
        }
    }
}

/// Two kinds of requests, for one and for two units of a task, on nodes of 1, 2 and 4 units.
fn sold_in_units() -> (Offers, Batch) {
    let node = |number: u32, units: u32| Node {
        division: Division::new(units, [("cores".to_owned(), u64::from(units))].into()).unwrap(),
        name: format!("n{number}"),
        site: SiteId::new(0),
        performance: Performance::ONE,
        watts: None,
        attributes: Attributes::new(),
    };
    let slot = |node: u32, from: i64, until: i64, units: u32, rate: i64| {
        let rate = Rate::from_micros_per_second(1_000 * rate).unwrap();
        Slot::new(NodeId::new(node), random::interval(from, until), rate).unwrap().with_units(units)
    };
    let slots = vec![
        slot(0, 0, 10, 1, 1),
        slot(0, 10, 20, 1, 1),
        slot(1, 2, 12, 2, 2),
        slot(2, 0, 8, 4, 3),
        slot(2, 8, 14, 2, 3),
        slot(2, 14, 24, 4, 4),
    ];
    let nodes = vec![node(0, 1), node(1, 2), node(2, 4)];
    let sites = vec![Site { name: "a".into() }];
    let offers = Offers::new(random::interval(0, 24), sites, nodes, slots).unwrap();
    let asks = |tasks: u32, cores: i64| {
        let mut request = Request::new(&format!("J{cores}"), tasks, Work::from_millis(3).unwrap());
        let min = Some(Fixed::from_millionths(cores * 1_000_000));
        let test = walras_model::Test::Range { min, max: None };
        request.requires.push(Requirement { attribute: "cores".to_owned(), test });
        request
    };
    (offers, Batch::new(vec![asks(2, 1), asks(1, 2)]))
}

/// A window of as many tasks on one node, each of so many units.
fn part(node: u32, (from, length): (i64, i64), units: u32, tasks: usize) -> Window {
    let interval = random::interval(from, from + length);
    let node = NodeId::new(node);
    let source = offer::SlotKey { start: interval.start(), node };
    let (rate, cost) = (Rate::from_micros_per_second(1).unwrap(), Money::ZERO);
    Window::sharing(vec![window::Placement { node, units, interval, rate, cost, source }; tasks]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn lanes_follow_what_is_taken_in_units(
        steps in prop::collection::vec((0..3_u32, 0..22_i64, 1..8_i64, 1..3_u32, 1..3_usize, any::<bool>()), 1..40),
    ) {
        let (offers, batch) = sold_in_units();
        let sold = Sold::new(&offers, &batch);
        let mut ground = Ground::new(&sold);
        let mut taken: Vec<Window> = Vec::new();
        for (node, from, length, units, tasks, back) in steps {
            if back && !taken.is_empty() {
                let window = taken.swap_remove(tasks % taken.len());
                ground.release(&window, &[]);
            } else {
                let window = part(node, (from, length), units, tasks);
                if ground.origins(&window).is_some() {
                    ground.take(&window);
                    taken.push(window);
                }
            }
            let mut left = Left::new(&offers);
            taken.iter().for_each(|window| left.change(window, 1));
            let slots = (0..3).flat_map(|node| left.of_node(node)).collect();
            let anew = offers.with_nodes(offers.nodes().to_vec(), slots).unwrap();
            // At every moment no more is taken than is free.
            for moment in 0..24 {
                let at = random::interval(moment, moment + 1);
                let free = |offers: &Offers, node: u32| {
                    let there = offers.slots().iter().find(|slot| {
                        slot.node() == NodeId::new(node) && slot.start() <= at.start() && at.end() <= slot.end()
                    });
                    there.map_or(0, |slot| slot.units())
                };
                for node in 0..3 {
                    let here = taken.iter().flat_map(|window| window.placements()).filter(|it| {
                        it.node == NodeId::new(node) && it.interval.contains(at)
                    });
                    let units: u32 = here.map(|it| it.units).sum();
                    prop_assert_eq!(free(&anew, node) + units, free(&offers, node));
                }
            }
            let sold_anew = Sold::new(&anew, &batch);
            for job in 0..2 {
                let expected = sold_anew.seen_by(job).unwrap().slots();
                let pieces: Vec<Slot> = ground.pieces(job).iter().flatten().map(|piece| piece.slot).collect();
                prop_assert_eq!(expected, &pieces[..]);
            }
        }
    }
}
