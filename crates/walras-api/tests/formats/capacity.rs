//! Capacity and the jobs that want it: what they mean, and what is refused.

use crate::{CAPACITY, read_yaml};
use insta::assert_snapshot;
use walras_core::assign::{Kind, Market};
use walras_core::{Factor, Money, NodeId, Performance, Rate, Span, Value, Work};

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
    let market = Market::of(&scenario.offers, &scenario.batch, Factor::ONE).unwrap();
    assert_eq!((market.jobs[0].kind, market.jobs[1].kind), (Kind::SingleSite, Kind::Split));
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
    assert_snapshot!(refused("processors: 4", "processors: 0"), @"");
    assert_snapshot!(refused("processors: 4", "processors: 2.5"), @"");
    assert_snapshot!(refused("processors: 4", "processors: 1000001"), @"");
    assert_snapshot!(refused("processors: 4", "processors: 999999"), @"");
    assert_snapshot!(refused("processors: 4, ", ""), @"");
    assert_snapshot!(refused("mips: 400", "mips: 0"), @"");
    assert_snapshot!(refused("mips: 400", "mips: -5"), @"");
    assert_snapshot!(refused("mips: 400", "mips: .inf"), @"");
    assert_snapshot!(refused("mips: 400", "mips: 1e300"), @"");
    assert_snapshot!(refused("mips: 400", "mips: fast"), @"");
    assert_snapshot!(refused("mips: 400, ", ""), @"");
    assert_snapshot!(refused("mips: 400", "mips: 400, performance: 2"), @"");
    assert_snapshot!(refused("performance: 250.5", "performance: 0"), @"");
    assert_snapshot!(refused("horizon: [0, 600]", "horizon: [0, 600000]\nunit: ms"), @"");
    assert_snapshot!(refused("price: 4,", "price: 0,"), @"");
    assert_snapshot!(refused("price: 4,", "price: 9e12,"), @"");
    assert_snapshot!(refused("ada: 3", "ada: -3"), @"");
    assert_snapshot!(refused("ada: 3", "ada: 9e12"), @"");
    assert_snapshot!(refused("{ada: 3}", "[3]"), @"");
    assert_snapshot!(refused("{ada: 3}", "{'': 3}"), @"");
    assert_snapshot!(refused("{ada: 3}", "{ada: 3, ada: 4}"), @"");
    assert_snapshot!(refused("mips: 400", "mips: 400, nodes: 3"), @"");
}

#[test]
fn wrong_sites() {
    assert_snapshot!(refused("capacity: {processors: 2", "nodes: [{name: n, price: 1}]\n    capacity: {processors: 2"), @"");
    assert_snapshot!(refused("    nodes: [{name: cpu1, performance: 300, price: 5}]\n", ""), @"");
    assert_snapshot!(refused("capacity: {processors: 4, mips: 400, price: 4, prices: {ada: 3}}", "capacity: 4"), @"");
}

#[test]
fn all_processors_together_must_be_payable() {
    let text = CAPACITY.replacen("processors: 4", "processors: 900000", 1).replacen("price: 4,", "price: 10000000,", 1);
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"");
}

#[test]
fn wrong_jobs() {
    assert_snapshot!(refused("[160000, 170500, 1]", "[]"), @"");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, 0]"), @"");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, x]"), @"");
    assert_snapshot!(refused("[160000, 170500, 1]", "[1, 1e300]"), @"");
    assert_snapshot!(refused("[160000, 170500, 1]", "{a: 1}"), @"");
    assert_snapshot!(refused("[160000, 170500, 1]", "[160000, 170500, 1], work: 5"), @"");
    assert_snapshot!(refused("work: 90000, ", ""), @"");
    assert_snapshot!(refused("kind: single-site", "kind: any"), @"");
    assert_snapshot!(refused("kind: single-site", "kind: single-site, same_site: true"), @"");
    assert_snapshot!(refused("user: ada", "user: ''"), @"");
    assert_snapshot!(refused("user: ada", "user: 5.5"), @"");
}
