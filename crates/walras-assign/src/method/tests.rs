use super::*;
use proptest::prelude::*;
use walras_model::market::{Capacity, Demand};
use walras_model::{Money, Performance, Rate, Span, Work};

const ALL: [Method; 7] = [
    Method::Greedy,
    Method::GreedyCost,
    Method::Mmc,
    Method::Hga,
    Method::Lpga,
    Method::Exact,
    Method::Split,
];

fn site(processors: u32, speed: i64, price: i64) -> Capacity {
    Capacity {
        processors,
        speed: Performance::from_millionths(500_000 * speed).unwrap(),
        price: Rate::from_micros_per_second(1_000_000 * price).unwrap(),
        prices: Default::default(),
    }
}

fn markets() -> impl Strategy<Value = CapacityMarket> {
    let sites = prop::collection::vec((0_u32..=5, 1_i64..=4, 1_i64..=9), 1..=3);
    let job =
        (1_u32..=4, 1_i64..=9, any::<bool>(), prop::option::of(1_i64..200), prop::option::of(1_i64..20));
    (sites, prop::collection::vec(job, 1..=5)).prop_map(|(sites, jobs)| {
        let job =
            |(tasks, seconds, whole, budget, within): (u32, i64, bool, Option<i64>, Option<i64>)| Demand {
                user: None,
                tasks,
                work: Work::from_millis(1_000 * seconds).unwrap(),
                kind: if whole { Splitting::SingleSite } else { Splitting::Split },
                budget: budget.map(|credits| Money::from_micros(1_000_000 * credits)),
                within: within.and_then(|seconds| Span::from_millis(1_000 * seconds)),
                weight: 1,
                sites: None,
            };
        CapacityMarket {
            sites: sites.into_iter().map(|(count, speed, price)| site(count, speed, price)).collect(),
            jobs: jobs.into_iter().map(job).collect(),
        }
    })
}

/// The best of all assignments of whole jobs.
fn brute(instance: &Instance, job: usize, sites: &mut Vec<Option<u32>>) -> Option<Worth> {
    if job == instance.jobs() {
        return Assignment { sites: sites.clone() }.worth(instance);
    }
    let mut best: Option<Worth> = None;
    let places = instance.pairs(job).iter().map(|pair| Some(pair.site)).chain([None]);
    for place in places.collect::<Vec<_>>() {
        sites[job] = place;
        let worth = brute(instance, job + 1, sites);
        best = match (best, worth) {
            (Some(best), Some(worth)) if worth.beats(&best) => Some(worth),
            (None, worth) => worth,
            (best, _) => best,
        };
    }
    sites[job] = None;
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Generations that cannot find anything are not lived through, and nobody can tell.
    #[test]
    fn what_cannot_be_bettered_is_given_as_if_it_had_been_tried(market in markets()) {
        let instance = whole_jobs(&market).instance().unwrap();
        let ranking = Ranking::by_cost(&instance, greedy::order(&market));
        let first = greedy::assign(&instance, &ranking);
        let mut draws = Draws::new(7);
        let tried =
            genetic::evolve(&instance, &ranking, first.clone(), &Evolution::default(), &mut |below| draws.below(below));
        let given = evolved(&instance, &ranking, first, 7);
        prop_assert_eq!(given.iterations, u64::from(tried.generations));
        prop_assert_eq!(given.division, placed(&instance, &tried.assignment).division);
    }

    #[test]
    fn what_every_method_finds_fits_and_what_is_proven_is_true(market in markets()) {
        let whole = whole_jobs(&market);
        let instance = whole.instance().unwrap();
        let best = brute(&instance, 0, &mut vec![None; instance.jobs()]).unwrap();
        for method in ALL {
            let found = assign(&market, method, 7).unwrap();
            let of = if method == Method::Split { &market } else { &whole };
            let worth = found.division.worth(of);
            let worth = worth.unwrap_or_else(|| panic!("{method:?} breaks a rule: {found:?}"));
            prop_assert_eq!(&found, &assign(&market, method, 7).unwrap());
            if method == Method::Split {
                continue;
            }
            prop_assert!(!worth.beats(&best), "{:?}", method);
            match found.proven {
                Proven::Best => prop_assert_eq!((worth.weight, worth.cost), (best.weight, best.cost)),
                Proven::Within(cost) => prop_assert!(worth.weight == best.weight && cost <= best.cost),
                Proven::Nothing => {}
            }
            if method == Method::Exact {
                prop_assert_eq!((worth.weight, worth.cost), (best.weight, best.cost));
            }
        }
    }
}

#[test]
fn a_job_that_fits_nowhere_as_a_whole_is_split() {
    let job = |kind| Demand {
        user: None,
        tasks: 3,
        work: Work::from_millis(1_000).unwrap(),
        kind,
        budget: None,
        within: None,
        weight: 1,
        sites: None,
    };
    let sites = vec![site(2, 2, 3), site(2, 2, 1)];
    let of = |kind| CapacityMarket { sites: sites.clone(), jobs: vec![job(kind)] };
    let split = assign(&of(Splitting::Split), Method::Split, 1).unwrap();
    let shares = [Share { site: 0, processors: 1 }, Share { site: 1, processors: 2 }];
    assert_eq!((&split.division.shares[0][..], split.proven), (&shares[..], Proven::Best));
    assert_eq!(assign(&of(Splitting::SingleSite), Method::Split, 1).unwrap().division.shares, [vec![]]);
    assert_eq!(assign(&of(Splitting::Split), Method::Exact, 1).unwrap().division.shares, [vec![]]);
}

/// More jobs than can be tried out: the search by prices, within its bounds.
#[test]
fn many_jobs_are_assigned_in_bounded_work() {
    let sites = (0_i64..6).map(|place| site(8, 1 + place % 4, 2 + place)).collect();
    let job = |number: i64| Demand {
        user: None,
        tasks: u32::try_from(1 + number % 4).unwrap(),
        work: Work::from_millis(1_000 * (3 + number % 7)).unwrap(),
        kind: Splitting::SingleSite,
        budget: None,
        within: None,
        weight: 1,
        sites: None,
    };
    let market = CapacityMarket { sites, jobs: (0..30).map(job).collect() };
    let worth = |method| assign(&market, method, 1).unwrap().division.worth(&market).unwrap();
    let (exact, greedy) = (worth(Method::Exact), worth(Method::GreedyCost));
    assert!(!greedy.beats(&exact), "{greedy:?} {exact:?}");
    assert!(!worth(Method::Greedy).beats(&worth(Method::Hga)));
    assert!(!worth(Method::Mmc).beats(&worth(Method::Lpga)));
}
