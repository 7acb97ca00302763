//! The exact method: equal to trying everything, and never behind another.

use crate::chance::chance;
use crate::{brute, markets};
use proptest::prelude::*;
use walras_assign::MarketRules;
use walras_assign::exact::{ExactLimits, NoWatch, Solved, Watch, solve};
use walras_assign::genetic::{Evolution, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::mmc;
use walras_assign::program::SolverEffort;
use walras_model::market::{Choices, Instance, Pair, Serve};
use walras_solve::Highs;

fn exact(instance: &Instance) -> Solved {
    solve(instance, &Highs, &ExactLimits { rounds: 3, work: 200_000, ..ExactLimits::default() }, &NoWatch)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn equals_trying_everything_on_markets(market in markets::market(4, 5)) {
        let instance = market.instance().unwrap();
        let solved = exact(&instance);
        let best = brute::assignments(&instance);
        prop_assert_eq!((solved.worth.weight, solved.worth.cost), (best.weight, best.cost));
        prop_assert_eq!(solved.assignment.unwrap().worth(&instance), Some(solved.worth));
        prop_assert!(solved.cost_bound <= solved.worth.cost);
        prop_assert!(solved.weight_bound >= solved.worth.weight);
    }

    #[test]
    fn equals_trying_everything_where_takes_differ(instance in markets::instance(4, 5)) {
        let solved = exact(&instance);
        let best = brute::assignments(&instance);
        prop_assert_eq!((solved.worth.weight, solved.worth.cost), (best.weight, best.cost));
        prop_assert!(solved.is_optimal() || instance.jobs() == 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn is_never_behind_another_method(market in markets::market(8, 20), seed: u64) {
        let instance = market.instance().unwrap();
        let solved = exact(&instance);
        for ranking in [Ranking::by_price(&market, &instance), Ranking::by_cost(&instance, walras_assign::greedy::order(&market))] {
            let first = greedy::assign(&instance, &ranking);
            let relaxed = mmc::assign(&instance, &ranking, &Highs, &SolverEffort::UNLIMITED);
            for start in [first, relaxed] {
                prop_assert!(!start.worth(&instance).unwrap().beats(&solved.worth));
                let evolution = Evolution { stalled_max: 20, ..Evolution::default() };
                let evolved = evolve(&instance, &ranking, start, &evolution, &mut chance(seed));
                prop_assert!(!evolved.worth.beats(&solved.worth));
            }
        }
    }

    #[test]
    fn repeats_itself(market in markets::market(6, 15)) {
        let instance = market.instance().unwrap();
        prop_assert_eq!(exact(&instance), exact(&instance));
    }
}

/// A general instance from a seed: costs fall as takes rise, capacity is short.
fn hard(sites: u32, jobs: usize, serve: Serve) -> Instance {
    let mut draw = chance(7);
    let choices = (0..jobs).map(|_| {
        let pair = |site| {
            let takes = 5 + u32::try_from(draw(20)).unwrap();
            Pair { site, takes, cost: 60 - i64::from(takes) + i64::try_from(draw(10)).unwrap() }
        };
        Choices { weight: 1, pairs: (0..sites).map(pair).collect() }
    });
    let capacity = u32::try_from(jobs).unwrap() * 12 / sites;
    Instance::new(vec![capacity; sites as usize], choices.collect(), serve).unwrap()
}

#[test]
fn bounds_hold_when_time_is_up_at_once() {
    struct Late;
    impl Watch for Late {
        fn seconds_left(&self) -> f64 {
            0.0
        }
    }
    let instance = hard(5, 60, Serve::Most);
    let late = solve(&instance, &Highs, &ExactLimits::default(), &Late);
    let worth = late.assignment.unwrap().worth(&instance).unwrap();
    assert_eq!(worth, late.worth);
    assert!(late.cost_bound <= worth.cost && late.weight_bound >= worth.weight);
}

#[test]
fn what_cannot_be_served_whole_has_no_assignment() {
    let job = Choices { weight: 1, pairs: vec![Pair { site: 0, takes: 2, cost: 1 }] };
    let all = Instance::new(vec![3], vec![job.clone(), job.clone()], Serve::All).unwrap();
    assert_eq!(exact(&all).assignment, None);
    let most = Instance::new(vec![3], vec![job.clone(), job], Serve::Most).unwrap();
    let solved = exact(&most);
    assert!(solved.is_optimal());
    assert_eq!(solved.worth.jobs, 1);
}

#[test]
fn jobs_that_take_nothing_are_counted_among_those_served() {
    let job = |weight, takes| Choices { weight, pairs: vec![Pair { site: 0, takes, cost: 0 }] };
    let instance = Instance::new(vec![1], vec![job(1, 0), job(2, 1), job(2, 1)], Serve::Most).unwrap();
    let solved = exact(&instance);
    assert!(solved.is_optimal());
    assert_eq!((solved.worth.weight, solved.weight_bound), (3, 3));
}

#[test]
fn a_correlated_instance_is_proven() {
    let instance = hard(5, 40, Serve::All);
    let solved = exact(&instance);
    assert!(solved.is_optimal());
}
