//! Capacity among slots: to every user it is as if each processor were a node at this user's price.

use crate::random::{self, HORIZON, interval};
use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_core::*;
use walras_model::market::Capacity;
use walras_model::offer::slots_of_node;
use walras_model::*;
use walras_verify::{Claim, Rules, verify_plan};

const USERS: [Option<&str>; 3] = [None, Some("ada"), Some("bob")];

fn capacity() -> impl Strategy<Value = CapacityOffer> {
    let speed = prop::sample::select(vec![500_000, 1_000_000, 1_300_000, 2_000_000]);
    (1..4_u32, speed, 1..9_000_i64, prop::option::of(1..9_000_i64), prop::option::of(1..9_000_i64)).prop_map(
        |(processors, speed, price, ada, bob)| {
            let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
            let prices = [("ada", ada), ("bob", bob)];
            let prices = prices.into_iter().filter_map(|(user, price)| Some((user.to_owned(), rate(price?))));
            let speed = Performance::from_millionths(speed).unwrap();
            CapacityOffer {
                site: SiteId::new(2),
                capacity: Capacity { processors, speed, price: rate(price), prices: prices.collect() },
                watts: Watts::from_milliwatts(9),
                attributes: BTreeMap::from([("noise".to_owned(), Value::Number(Fixed::from_millionths(2)))]),
            }
        },
    )
}

fn sites() -> Vec<Site> {
    ["a", "b", "grid"].map(|name| Site { name: name.into() }).to_vec()
}

/// The offers and the capacity.
fn with_capacity(offers: &Offers, capacity: &CapacityOffer) -> Offers {
    let (nodes, slots) = (offers.nodes().to_vec(), offers.slots().to_vec());
    let offers = Offers::new(interval(0, HORIZON), sites(), nodes, slots).unwrap();
    offers.with_capacity(vec![capacity.clone()]).unwrap()
}

/// The offers and a plain node for each processor, at the price that this user pays.
fn with_nodes(offers: &Offers, capacity: &CapacityOffer, user: Option<&str>) -> Offers {
    let (mut nodes, mut slots) = (offers.nodes().to_vec(), offers.slots().to_vec());
    for number in 1..=capacity.capacity.processors {
        let id = NodeId::from_index(nodes.len()).unwrap();
        let rate = capacity.capacity.price_for(user);
        slots.extend(slots_of_node(id, rate, &[interval(0, HORIZON)]).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("#{number}"),
            site: capacity.site,
            performance: capacity.capacity.speed,
            watts: capacity.watts,
            attributes: capacity.attributes.clone(),
        });
    }
    Offers::new(interval(0, HORIZON), sites(), nodes, slots).unwrap()
}

fn algorithms() -> Vec<Algorithm> {
    let criteria = ["cost", "runtime", "finish", "start", "price", "node-time", "energy", "sum:noise"];
    let criteria = criteria.map(|name| Algorithm::Criterion(name.parse().unwrap()));
    [Algorithm::Alp, Algorithm::Amp].into_iter().chain(criteria).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn to_one_user_processors_are_nodes(
        offers in random::offers(), capacity in capacity(), batch in random::batch(), factor in random::factor(),
    ) {
        let sold = with_capacity(&offers, &capacity);
        for user in USERS {
            let plain = with_nodes(&offers, &capacity, user);
            let requests = batch.requests().iter().map(|request| Request {
                user: user.map(str::to_owned),
                ..request.clone()
            });
            let batch = Batch::new(requests.collect());
            for algorithm in algorithms() {
                for mode in [Mode::AllAlternatives, Mode::FirstOnTheFly] {
                    let algorithm = algorithm.clone();
                    let config =
                        SearchConfig { algorithm, mode, budget_factor: factor, ..SearchConfig::default() };
                    let ours = find_alternatives(&sold, &batch, &config);
                    let expected = find_alternatives(&plain, &batch, &config);
                    prop_assert_eq!(&ours.found, &expected.found, "{} {:?}", config.algorithm, user);
                    prop_assert_eq!(&ours.unscheduled, &expected.unscheduled, "{}", config.algorithm);
                }
            }
        }
    }

    #[test]
    fn everything_found_for_several_users_passes_the_verifier(
        offers in random::offers(), capacity in capacity(), batch in random::batch(),
        users in prop::collection::vec(0..3_usize, 4),
    ) {
        let sold = with_capacity(&offers, &capacity);
        let requests = batch.requests().iter().zip(users).map(|(request, user)| Request {
            user: USERS[user].map(str::to_owned),
            ..request.clone()
        });
        let batch = Batch::new(requests.collect());
        for algorithm in algorithms() {
            let rules = Rules { budget_factor: Factor::ONE, price_cap: algorithm == Algorithm::Alp };
            let config = SearchConfig { algorithm, ..SearchConfig::default() };
            let found = find_alternatives(&sold, &batch, &config).found;
            let claim = Claim::of_alternatives(&sold, &batch, &found);
            let violations = verify_plan(&claim, &sold, &batch, rules);
            prop_assert!(violations.is_empty(), "{}: {:?}", config.algorithm, violations);
        }
    }
}

#[test]
fn capacity_that_makes_no_sense_is_refused() {
    let rate = |micros| Rate::from_micros_per_second(micros).unwrap();
    let offer = |site, processors, price| CapacityOffer {
        site: SiteId::new(site),
        capacity: Capacity { processors, speed: Performance::ONE, price, prices: BTreeMap::new() },
        watts: None,
        attributes: Attributes::new(),
    };
    let refused = |capacities| {
        let node = Node {
            division: Default::default(),
            name: "n".into(),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        };
        let offers = Offers::new(interval(0, 1_000), sites(), vec![node], vec![]).unwrap();
        offers.with_capacity(capacities).unwrap_err()
    };
    let dear = rate(i64::MAX / 1_000 - 1_000);
    assert_eq!(refused(vec![offer(3, 1, rate(1))]), OffersError::CapacityOnUnknownSite(SiteId::new(3)));
    assert_eq!(refused(vec![offer(0, 1, rate(1))]), OffersError::CapacityBesideOthers(SiteId::new(0)));
    let twice = vec![offer(1, 1, rate(1)), offer(1, 1, rate(1))];
    assert_eq!(refused(twice), OffersError::CapacityBesideOthers(SiteId::new(1)));
    assert_eq!(refused(vec![offer(1, 1, rate(i64::MAX))]), OffersError::ProcessorTooDear(SiteId::new(1)));
    assert_eq!(refused(vec![offer(1, 1_001, dear)]), OffersError::TooDear);
    assert_eq!(refused(vec![offer(1, 1_000_001, rate(1))]), OffersError::TooManyProcessors);
    let together = vec![offer(1, 600_000, rate(1)), offer(2, 600_000, rate(1))];
    assert_eq!(refused(together), OffersError::TooManyProcessors);
}
