//! The search for one job against trying everything, and what is free against starting over.

#[allow(dead_code, unreachable_pub, reason = "the generators of the other tests")]
#[path = "../../../tests/it/random.rs"]
mod random;

use super::aim::{Aim, Form, Measure, Value};
use super::basis::measure;
use super::free::Free;
use super::single::{Ranks, Wanted, best_window};
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
        let (ranks, free) = (Ranks::new(&view), Free::new(&offers));
        for aim in aims() {
            let wanted = Wanted { cost_max, finish_max, ..Wanted::of(&view, &ranks, &aim) };
            let found = best_window(&free, wanted, &mut 0);
            let value = found.as_ref().map(|found| aim.value(measure(&found.window)));
            prop_assert_eq!(value, brute_force(&offers, &view, &aim, cost_max, finish_max), "{:?}", aim);
        }
    }

    #[test]
    fn dear_windows_and_noise_keep_the_budget(
        offers in random::offers(), request in random::request(), noise in prop::collection::vec(0..154_i64, 6),
    ) {
        let view = View::new(&offers, &request, &Algorithm::Amp, Factor::ONE);
        let (ranks, free) = (Ranks::new(&view), Free::new(&offers));
        let income = Aim { forms: [Form { cost: -1, time: 0, finish: 0 }, Form::default(), Form::default()] };
        let exists = brute_force(&offers, &view, &Aim::COST, i64::MAX, i64::MAX).is_some();
        let dear = best_window(&free, Wanted::of(&view, &ranks, &income), &mut 0);
        prop_assert_eq!(dear.is_some(), exists);
        let noisy = best_window(&free, Wanted { noise: &noise, ..Wanted::of(&view, &ranks, &Aim::COST) }, &mut 0);
        for found in dear.into_iter().chain(noisy) {
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
