//! Capacity and the jobs that want it: what they mean, and what is refused.

use crate::{CAPACITY, read_yaml};
use insta::assert_snapshot;
use walras_assign::MarketRules;
use walras_model::market::Splitting;
use walras_model::{Factor, Money, NodeId, Performance, Rate, Span, Value, Work};

fn refused(from: &str, to: &str) -> String {
    assert!(CAPACITY.contains(from), "the example does not contain {from}");
    read_yaml(&CAPACITY.replacen(from, to, 1)).expect_err("accepted").to_string()
}

fn rate(credits: i64) -> Rate {
    Rate::from_micros_per_second(credits * 1_000_000).unwrap()
}

#[test]
fn capacity_is_processors_beside_the_nodes() {
    let scenario = read_yaml(CAPACITY).unwrap();
    let offers = &scenario.offers;
    let names: Vec<&str> = offers.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["cpu1", "#1", "#2", "#3", "#4", "#1", "#2"]);
    let [grid, lab] = offers.capacities() else { panic!("two offers") };
    assert_eq!(grid.capacity.speed, Performance::from_millionths(400_000_000).unwrap());
    assert_eq!((grid.capacity.price_for(Some("ada")), grid.capacity.price_for(None)), (rate(3), rate(4)));
    assert_eq!((lab.capacity.processors, &lab.attributes["os"]), (2, &Value::Text("linux".into())));
    assert_eq!(lab.capacity.speed, Performance::from_millionths(250_500_000).unwrap());
    assert!(offers.capacity_of(NodeId::new(0)).is_none() && offers.capacity_of(NodeId::new(1)).is_some());
    assert_eq!(offers.slots().len(), 7, "each processor is free all the time");
}

#[test]
fn the_longest_task_of_a_list_counts_for_all() {
    let scenario = read_yaml(CAPACITY).unwrap();
    let [list, count] = scenario.batch.requests() else { panic!("two jobs") };
    assert_eq!((list.tasks, list.work), (3, Work::from_millis(170_500_000).unwrap()));
    assert_eq!((list.user.as_deref(), list.scope.same_site), (Some("ada"), true));
    assert_eq!((count.tasks, count.user.as_deref(), count.scope.same_site), (2, None, false));
    let market = walras_assign::market_of(&scenario.offers, &scenario.batch, Factor::ONE).unwrap();
    assert_eq!((market.jobs[0].kind, market.jobs[1].kind), (Splitting::SingleSite, Splitting::Split));
    // 170500 million instructions at 400 a second.
    let terms = market.terms(0, 0).unwrap();
    assert_eq!(terms.runtime, Span::from_millis(426_250).unwrap());
    assert_eq!(terms.cost, Money::from_micros(3 * 426_250_000));
    assert_eq!(market.jobs[0].within, Span::from_millis(500_000));
}

#[test]
fn same_site_and_kind_say_the_same() {
    for (written, expected) in [
        ("same_site: true", true),
        ("same_site: false", false),
        ("kind: split", false),
        ("kind: single-site", true),
    ] {
        let scenario = read_yaml(&CAPACITY.replacen("kind: single-site", written, 1)).unwrap();
        assert_eq!(scenario.batch.requests()[0].scope.same_site, expected, "{written}");
    }
}

#[test]
fn wrong_capacity() {
    assert_snapshot!(refused("processors: 4", "processors: 0"), @"scenario.yaml:7:28: sites[1].capacity.processors: 0 is not a number of processors: it must be a whole number from 1 to 1000000");
    assert_snapshot!(refused("processors: 4", "processors: 2.5"), @"scenario.yaml:7:28: sites[1].capacity.processors: 2.5 is not a number of processors: it must be a whole number from 1 to 1000000");
    assert_snapshot!(refused("processors: 4", "processors: 1000001"), @"scenario.yaml:7:28: sites[1].capacity.processors: 1000001 is not a number of processors: it must be a whole number from 1 to 1000000");
    assert_snapshot!(refused("processors: 4", "processors: 999999"), @"scenario.yaml:4:3: sites: 1000001 processors are too many: all sites together may offer at most 1000000");
    assert_snapshot!(refused("processors: 4, ", ""), @"scenario.yaml:7:15: sites[1].capacity: the key `processors` is missing");
    assert_snapshot!(refused("mips: 400", "mips: 0"), @"scenario.yaml:7:37: sites[1].capacity.mips: 0 is not a speed: it must be greater than 0");
    assert_snapshot!(refused("mips: 400", "mips: -5"), @"scenario.yaml:7:37: sites[1].capacity.mips: -5 is not a speed: it must be greater than 0");
    assert_snapshot!(refused("mips: 400", "mips: .inf"), @"scenario.yaml:7:37: sites[1].capacity.mips: inf is not a speed: it must be a finite number");
    assert_snapshot!(refused("mips: 400", "mips: 1e300"), @"scenario.yaml:7:37: sites[1].capacity.mips: 1e300 is not a speed: it must be at most 9223372036854.775807");
    assert_snapshot!(refused("mips: 400", "mips: fast"), @r#"scenario.yaml:7:37: sites[1].capacity.mips: found "fast", expected a number"#);
    assert_snapshot!(refused("mips: 400, ", ""), @"scenario.yaml:7:15: sites[1].capacity: capacity needs a speed: the key `mips` or the key `performance`");
    assert_snapshot!(refused("mips: 400", "mips: 400, performance: 2"), @"scenario.yaml:7:55: sites[1].capacity.performance: 2 is given beside `mips`: the speed is either `mips` or `performance`, not both");
    assert_snapshot!(refused("performance: 250.5", "performance: 0"), @"scenario.yaml:9:44: sites[2].capacity.performance: 0 is not a performance: it must be greater than 0");
    assert_snapshot!(refused("horizon: [0, 600]", "horizon: [0, 600000]\nunit: ms"), @"scenario.yaml:8:37: sites[1].capacity.mips: 400 is a speed in millions of instructions per second, but `unit` is ms: give `performance`, or times in seconds");
    assert_snapshot!(refused("price: 4,", "price: 0,"), @"scenario.yaml:7:49: sites[1].capacity.price: 0 is not a price: it must be greater than 0");
    assert_snapshot!(refused("price: 4,", "price: 9e12,"), @"scenario.yaml:7:49: sites[1].capacity.price: 9000000000000 is too high a price: a processor must not be worth more than 9 * 10^9 credits over the horizon");
    assert_snapshot!(refused("ada: 3", "ada: -3"), @"scenario.yaml:7:66: sites[1].capacity.prices.ada: -3 is not a price: it must be greater than 0");
    assert_snapshot!(refused("ada: 3", "ada: 9e12"), @"scenario.yaml:7:66: sites[1].capacity.prices.ada: 9000000000000 is too high a price: a processor must not be worth more than 9 * 10^9 credits over the horizon");
    assert_snapshot!(refused("{ada: 3}", "[3]"), @"scenario.yaml:7:60: sites[1].capacity.prices: found a list, expected a map from names");
    assert_snapshot!(refused("{ada: 3}", "{'': 3}"), @"scenario.yaml:7:65: sites[1].capacity.prices.'': '' is not a name for a user: it must not be empty");
    assert_snapshot!(refused("{ada: 3}", "{ada: 3, ada: 4}"), @"scenario.yaml:7:69: sites[1].capacity.prices: the key `ada` is there twice");
    assert_snapshot!(refused("mips: 400", "mips: 400, nodes: 3"), @"scenario.yaml:7:42: sites[1].capacity.nodes: `nodes` is not known here: expected one of processors, mips, performance, price, prices, watts, attributes");
}

#[test]
fn wrong_sites() {
    assert_snapshot!(refused("capacity: {processors: 2", "nodes: [{name: n, price: 1}]\n    capacity: {processors: 2"), @"scenario.yaml:10:15: sites[2].capacity: `capacity` is given beside `nodes`: a site offers either `nodes` or `capacity`, not both");
    assert_snapshot!(refused("    nodes: [{name: cpu1, performance: 300, price: 5}]\n", ""), @"scenario.yaml:4:5: sites[0]: a site needs the key `nodes` or the key `capacity`");
    assert_snapshot!(refused("capacity: {processors: 4, mips: 400, price: 4, prices: {ada: 3}}", "capacity: 4"), @"scenario.yaml:7:15: sites[1].capacity: found 4, expected a map");
}

#[test]
fn all_processors_together_must_be_payable() {
    let text = CAPACITY.replacen("processors: 4", "processors: 900000", 1).replacen(
        "price: 4,",
        "price: 10000000,",
        1,
    );
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"scenario.yaml:4:3: sites: 1 node and 900002 processors offer too much: all free time must not be worth more than 9 * 10^12 credits");
}

#[test]
fn wrong_jobs() {
    assert_snapshot!(refused("[160000, 170500, 1]", "[]"), @"scenario.yaml:11:34: jobs[0].tasks: [] is an empty list: a job has at least one task");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, 0]"), @"scenario.yaml:11:43: jobs[0].tasks[1]: 0 is not an amount of work: it must be greater than 0");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, x]"), @r#"scenario.yaml:11:43: jobs[0].tasks[1]: found "x", expected a number"#);
    assert_snapshot!(refused("[160000, 170500, 1]", "[1, 1e300]"), @"scenario.yaml:11:38: jobs[0].tasks[1]: 1e300 is not an amount of work: it must be at most 1000000000000");
    assert_snapshot!(refused("[160000, 170500, 1]", "{a: 1}"), @"scenario.yaml:11:34: jobs[0].tasks: found a map, expected a number or a list of lengths");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, 170500, 1], work: 5"), @"scenario.yaml:11:61: jobs[0].work: 5 is given beside a list of `tasks`, which says the work of each task");
    assert_snapshot!(refused("work: 90000, ", ""), @"scenario.yaml:12:5: jobs[1]: a job needs the key `work`, a list of lengths as its `tasks`, or a `workflow`");
    assert_snapshot!(refused("kind: single-site", "kind: any"), @"scenario.yaml:11:61: jobs[0].kind: `any` is not known here: expected one of single-site, split");
    assert_snapshot!(refused("kind: single-site", "kind: single-site, same_site: true"), @"scenario.yaml:11:61: jobs[0].kind: `kind` is given beside `same_site`, which says the same: give one of them");
    assert_snapshot!(refused("user: ada", "user: ''"), @"scenario.yaml:11:22: jobs[0].user: '' is not a name for a user: it must not be empty");
}
