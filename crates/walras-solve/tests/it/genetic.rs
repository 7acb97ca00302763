//! Evolution.

use crate::chance::chance;
use crate::{brute, markets};
use proptest::prelude::*;
use walras_assign::MarketRules;
use walras_assign::genetic::{Evolution, Evolved, evolve};
use walras_assign::greedy::{self, Ranking};
use walras_assign::mmc;
use walras_assign::program::SolverEffort;
use walras_model::market::{Assignment, CapacityMarket, Instance};
use walras_solve::Highs;

const SHORT: Evolution = Evolution {
    population: 8,
    stalled_max: 10,
    generations_max: 200,
    crossover_percent: 80,
    mutation_permille: 50,
    inversion_percent: 20,
    threads: 1,
};

fn evolved(
    instance: &Instance,
    ranking: &Ranking,
    first: &Assignment,
    evolution: Evolution,
    seed: u64,
) -> Evolved {
    evolve(instance, ranking, first.clone(), &evolution, &mut chance(seed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn never_worse_than_the_first_nor_better_than_the_best(market in markets::market(4, 5), seed: u64) {
        let instance = market.instance().unwrap();
        let best = brute::assignments(&instance);
        let by_price = Ranking::by_price(&market, &instance);
        let by_cost = Ranking::by_cost(&instance, walras_assign::greedy::order(&market));
        for ranking in [&by_price, &by_cost] {
            let relaxed = mmc::assign(&instance, ranking, &Highs, &SolverEffort::UNLIMITED);
            for first in [greedy::assign(&instance, ranking), relaxed] {
                let found = evolved(&instance, ranking, &first, SHORT, seed);
                prop_assert_eq!(found.assignment.worth(&instance), Some(found.worth));
                prop_assert!(!first.worth(&instance).unwrap().beats(&found.worth));
                prop_assert!(!found.worth.beats(&best));
                prop_assert!(found.generations >= 10 && found.converged);
            }
        }
    }

    #[test]
    fn depends_on_the_seed_alone(market in markets::market(5, 6), seed: u64) {
        let instance = market.instance().unwrap();
        let ranking = Ranking::by_price(&market, &instance);
        let first = greedy::assign(&instance, &ranking);
        let one = evolved(&instance, &ranking, &first, SHORT, seed);
        for threads in [1, 3, 100] {
            prop_assert_eq!(&one, &evolved(&instance, &ranking, &first, Evolution { threads, ..SHORT }, seed));
        }
    }
}

#[test]
fn limits_are_kept_and_shown() {
    let empty = CapacityMarket::default();
    let instance = empty.instance().unwrap();
    let ranking = Ranking::by_price(&empty, &instance);
    let first = Assignment::empty(0);
    let run = |evolution| evolved(&instance, &ranking, &first, evolution, 1);
    assert_eq!(run(SHORT).generations, 10);
    let cut = run(Evolution { generations_max: 4, ..SHORT });
    assert_eq!((cut.generations, cut.converged), (4, false));
    assert_eq!(run(Evolution { population: 0, threads: 0, ..SHORT }).generations, 10);
}
