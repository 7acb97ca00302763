//! Jobs one after the other.

use crate::{brute, markets};
use proptest::prelude::*;
use walras_assign::MarketRules;
use walras_assign::greedy::{self, Ranking};
use walras_model::market::{Assignment, Instance};

/// Nobody who is out could have had a place.
fn is_maximal(instance: &Instance, assignment: &Assignment) -> bool {
    (0..instance.jobs()).filter(|job| assignment.sites[*job].is_none()).all(|job| {
        instance.pairs(job).iter().all(|pair| {
            let mut more = assignment.clone();
            more.sites[job] = Some(pair.site);
            more.worth(instance).is_none()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn fits_and_leaves_no_room_unused(market in markets::market(5, 6)) {
        let instance = market.instance().unwrap();
        let best = brute_limit(&instance).then(|| brute::assignments(&instance));
        for ranking in [Ranking::by_price(&market, &instance), Ranking::by_cost(&instance, walras_assign::greedy::order(&market))] {
            let found = greedy::assign(&instance, &ranking);
            let worth = found.worth(&instance);
            prop_assert!(worth.is_some() && is_maximal(&instance, &found));
            prop_assert!(best.is_none_or(|best| !worth.unwrap().beats(&best)));
        }
    }

    #[test]
    fn anything_is_mended(
        instance in markets::instance(4, 6),
        sites in prop::collection::vec(prop::option::of(0_u32..6), 0..8),
        order in prop::collection::vec(0_usize..9, 0..9),
    ) {
        let ranking = Ranking::by_cost(&instance, order);
        prop_assert_eq!(ranking.order().len(), instance.jobs());
        let mut sites = sites;
        sites.truncate(instance.jobs());
        let mended = greedy::complete(&instance, &ranking, Assignment { sites });
        prop_assert!(mended.worth(&instance).is_some() && is_maximal(&instance, &mended));
        prop_assert_eq!(greedy::complete(&instance, &ranking, mended.clone()), mended);
    }
}

fn brute_limit(instance: &Instance) -> bool {
    (instance.capacities().len() + 1).pow(u32::try_from(instance.jobs()).unwrap()) <= 5_000
}

#[test]
fn the_order_is_by_deadline() {
    let seconds = [Some(30), None, Some(10), Some(30), None];
    let mut market = walras_model::market::CapacityMarket::default();
    for within in seconds {
        market.jobs.push(walras_model::market::Demand {
            user: None,
            tasks: 1,
            work: walras_model::Work::from_millis(1).unwrap(),
            kind: Default::default(),
            budget: None,
            within: within.and_then(walras_model::Span::from_millis),
            weight: 1,
            sites: None,
        });
    }
    assert_eq!(walras_assign::greedy::order(&market), [2, 0, 3, 1, 4]);
}
