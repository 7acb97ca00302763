//! Small random markets.

use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_model::market::{Capacity, CapacityMarket, Choices, Demand, Instance, Pair, Serve, Splitting};
use walras_model::{Money, Performance, Rate, Span, Work};

fn rate(credits: i64) -> Rate {
    Rate::from_micros_per_second(credits * 1_000_000).unwrap()
}

fn capacity() -> impl Strategy<Value = Capacity> {
    (0_u32..=5, 1_i64..=4, 1_i64..=9, prop::option::of(1_i64..=9)).prop_map(
        |(processors, halves, price, other)| Capacity {
            processors,
            speed: Performance::from_millionths(halves * 500_000).unwrap(),
            price: rate(price),
            prices: other.map(|price| BTreeMap::from([("ann".to_owned(), rate(price))])).unwrap_or_default(),
        },
    )
}

fn demand(sites: usize) -> impl Strategy<Value = Demand> {
    let allowed = prop::collection::vec(any::<bool>(), sites);
    let asked = (1_u32..=4, 1_i64..=12, any::<bool>(), any::<bool>(), 1_u32..=3);
    let limits = (prop::option::weighted(0.4, 5_i64..=150), prop::option::weighted(0.3, 2_i64..=20));
    (asked, limits, prop::option::weighted(0.2, allowed)).prop_map(
        |((tasks, seconds, split, ann, weight), (budget, within), allowed)| Demand {
            user: ann.then(|| "ann".to_owned()),
            tasks,
            work: Work::from_millis(seconds * 1_000).unwrap(),
            kind: if split { Splitting::Split } else { Splitting::SingleSite },
            budget: budget.map(|credits| Money::from_micros(credits * 1_000_000)),
            within: within.map(|seconds| Span::from_millis(seconds * 1_000).unwrap()),
            weight,
            sites: allowed.map(|allowed| {
                (0_u32..).zip(allowed).filter(|(_, allowed)| *allowed).map(|(site, _)| site).collect()
            }),
        },
    )
}

/// Markets of at most so many sites and jobs, with everything that a market can have.
pub(crate) fn market(sites: usize, jobs: usize) -> impl Strategy<Value = CapacityMarket> {
    prop::collection::vec(capacity(), 1..=sites).prop_flat_map(move |sites| {
        prop::collection::vec(demand(sites.len()), 0..=jobs)
            .prop_map(move |jobs| CapacityMarket { sites: sites.clone(), jobs })
    })
}

/// The same with jobs of one kind only.
pub(crate) fn of_kind(market: &CapacityMarket, kind: Splitting) -> CapacityMarket {
    let mut market = market.clone();
    market.jobs.iter_mut().for_each(|job| job.kind = kind);
    market
}

/// General instances: what a job takes differs from site to site.
pub(crate) fn instance(sites: usize, jobs: usize) -> impl Strategy<Value = Instance> {
    let job = move |sites: usize| {
        let pairs = prop::collection::vec(prop::option::weighted(0.8, (0_u32..=6, 0_i64..=40)), sites);
        (1_u32..=3, pairs).prop_map(|(weight, pairs)| {
            let known = (0_u32..).zip(pairs).filter_map(|(site, pair)| pair.map(|pair| (site, pair)));
            Choices { weight, pairs: known.map(|(site, (takes, cost))| Pair { site, takes, cost }).collect() }
        })
    };
    prop::collection::vec(0_u32..=10, 1..=sites).prop_flat_map(move |capacities| {
        prop::collection::vec(job(capacities.len()), 0..=jobs)
            .prop_map(move |jobs| Instance::new(capacities.clone(), jobs, Serve::Most).unwrap())
    })
}
