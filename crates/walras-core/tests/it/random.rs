//! Small random instances.

use proptest::prelude::*;
use std::collections::BTreeMap;
use walras_model::*;

pub fn time(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

pub fn interval(start: i64, end: i64) -> Interval {
    Interval::new(time(start), time(end)).unwrap()
}

pub const HORIZON: i64 = 40;

/// Offers on 1 to 6 nodes over [0, 40) ms, on one or two sites, with odd prices and speeds.
pub fn offers() -> impl Strategy<Value = Offers> {
    prop::collection::vec(node(), 1..=6).prop_map(|nodes| {
        let mut slots = Vec::new();
        let mut list = Vec::new();
        for (index, (node, rate, busy)) in nodes.into_iter().enumerate() {
            let id = NodeId::from_index(index).unwrap();
            let free = walras_model::interval::complement(interval(0, HORIZON), &busy);
            slots.extend(walras_model::offer::slots_of_node(id, rate, &free).unwrap());
            list.push(Node { name: format!("n{index}"), ..node });
        }
        let sites = vec![Site { name: "a".into() }, Site { name: "b".into() }];
        Offers::new(interval(0, HORIZON), sites, list, slots).unwrap()
    })
}

fn node() -> impl Strategy<Value = (Node, Rate, Vec<Interval>)> {
    let busy = prop::collection::vec((0..HORIZON, 1..12_i64), 0..4)
        .prop_map(|busy| busy.into_iter().map(|(start, length)| interval(start, start + length)).collect());
    let performance = prop::sample::select(vec![500_000, 1_000_000, 1_300_000, 2_000_000, 3_000_000]);
    (performance, 0..2_u32, 1..9_000_i64, 0..2_i64, 0..5_i64, busy).prop_map(
        |(performance, site, rate, gpu, noise, busy)| {
            let attributes = BTreeMap::from([
                ("gpu".to_owned(), Value::Flag(gpu == 1)),
                ("noise".to_owned(), Value::Number(Fixed::from_millionths(noise))),
            ]);
            let node = Node {
                division: Default::default(),
                name: String::new(),
                site: SiteId::new(site),
                performance: Performance::from_millionths(performance).unwrap(),
                watts: Watts::from_milliwatts(noise * 7 + gpu * 3),
                attributes,
            };
            (node, Rate::from_micros_per_second(rate).unwrap(), busy)
        },
    )
}

/// A request of 1 to 4 tasks, with every limit sometimes there.
pub fn request() -> impl Strategy<Value = Request> {
    let limits = (
        prop::option::of(1..9_000_i64),
        prop::option::weighted(0.4, 1..120_i64),
        prop::option::weighted(0.3, 1..HORIZON + 10),
        prop::option::weighted(0.3, 0..HORIZON),
    );
    let scope =
        (prop::bool::weighted(0.2), prop::option::weighted(0.2, 0..2_u32), prop::bool::weighted(0.15));
    let performance = prop::sample::select(vec![500_000, 900_000, 1_000_000, 2_000_000]);
    (1..=4_u32, 1..14_i64, performance, limits, scope, -1..2_i64).prop_map(
        |(
            tasks,
            work,
            performance,
            (price_max, budget, deadline, earliest),
            (same_site, site, gpu),
            priority,
        )| {
            let mut request = Request::new("J", tasks, Work::from_millis(work).unwrap());
            request.performance_min = Performance::from_millionths(performance).unwrap();
            request.price_max = price_max.and_then(Rate::from_micros_per_second);
            request.budget = budget.map(Money::from_micros);
            request.deadline = deadline.map(time);
            request.earliest = earliest.map(time);
            request.priority = priority;
            request.scope =
                Scope { same_site, sites: site.map(|site| vec![SiteId::new(site)]), ..Scope::default() };
            if gpu {
                request.requires =
                    vec![Requirement { attribute: "gpu".into(), test: Test::Equals(Value::Flag(true)) }];
            }
            request
        },
    )
}

pub fn batch() -> impl Strategy<Value = Batch> {
    prop::collection::vec(request(), 1..4).prop_map(|requests| {
        let named = requests.into_iter().enumerate().map(|(i, r)| Request { name: format!("J{i}"), ..r });
        Batch::new(named.collect())
    })
}

pub fn factor() -> impl Strategy<Value = Factor> {
    prop::sample::select(vec![1_000_000, 750_000, 333_333])
        .prop_map(|millionths| Factor::from_millionths(millionths).unwrap())
}
