//! The relaxation, made whole.

use crate::{brute, markets};
use proptest::prelude::*;
use walras_assign::MarketRules;
use walras_assign::greedy::Ranking;
use walras_assign::mmc::{self, Part, Relaxed};
use walras_assign::program::SolverEffort;
use walras_model::market::{Choices, Instance, Pair, Serve};
use walras_solve::Highs;

fn ranking(instance: &Instance) -> Ranking {
    Ranking::by_cost(instance, vec![])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn always_fits_and_never_beats_the_best(instance in markets::instance(3, 6)) {
        let found = mmc::assign(&instance, &ranking(&instance), &Highs, &SolverEffort::UNLIMITED);
        let worth = found.worth(&instance);
        prop_assert!(worth.is_some_and(|worth| !worth.beats(&brute::assignments(&instance))));
    }

    /// Where nothing is scarce the relaxation is whole, and so is what comes of it: every job at its cheapest.
    #[test]
    fn is_best_where_nothing_is_scarce(market in markets::market(4, 5)) {
        let mut market = market;
        market.sites.iter_mut().for_each(|site| site.processors += 100);
        let instance = market.instance().unwrap();
        let found = mmc::assign(&instance, &ranking(&instance), &Highs, &SolverEffort::UNLIMITED);
        let cheapest = (0..instance.jobs()).filter_map(|job| instance.pairs(job).iter().map(|pair| pair.cost).min());
        prop_assert_eq!(found.worth(&instance).unwrap().cost, cheapest.sum::<i64>());
    }

    /// Rounding mends whatever it is given.
    #[test]
    fn any_fractions_are_made_whole(
        instance in markets::instance(4, 6),
        parts in prop::collection::vec(prop::collection::vec((0_u32..5, 0.0_f64..1.5), 0..4), 0..8),
    ) {
        let part = |(site, fraction)| Part { site, fraction };
        let parts = parts.into_iter().map(|parts| parts.into_iter().map(part).collect()).collect();
        let found = mmc::round(&instance, &ranking(&instance), &Relaxed { parts });
        prop_assert!(found.worth(&instance).is_some());
    }
}

/// Job 1 is split 3 : 1 over sites 0 and 1, job 2 is split 1 : 3. Job 1 goes whole to site 0, where it displaces job 2's
/// part to what it leaves on site 1; so job 2 can be whole there.
#[test]
fn displaced_parts_move_to_what_was_left() {
    let pair = |site, takes, cost| Pair { site, takes, cost };
    let jobs = vec![
        Choices { weight: 1, pairs: vec![pair(0, 2, 1)] },
        Choices { weight: 1, pairs: vec![pair(0, 4, 5), pair(1, 4, 6)] },
        Choices { weight: 1, pairs: vec![pair(0, 4, 5), pair(1, 4, 6)] },
    ];
    let instance = Instance::new(vec![6, 4], jobs, Serve::Most).unwrap();
    let parts = |fractions: &[(u32, f64)]| {
        fractions.iter().map(|(site, fraction)| Part { site: *site, fraction: *fraction }).collect()
    };
    let relaxed = Relaxed {
        parts: vec![parts(&[(0, 1.0)]), parts(&[(0, 0.75), (1, 0.25)]), parts(&[(0, 0.25), (1, 0.75)])],
    };
    let found = mmc::round(&instance, &ranking(&instance), &relaxed);
    assert_eq!(found.sites, [Some(0), Some(0), Some(1)]);
}
