//! What scenarios mean to the core.

use crate::{EXAMPLE, EXAMPLE_JSON, read_json, read_yaml};
use std::fmt::Write;
use walras_api::{Scenario, Unit};
use walras_model::{Fixed, Money, Rate, SiteId, Test, Time, Value};

/// Free time and prices of a scenario's nodes, one line a slot.
fn slots(scenario: &Scenario) -> String {
    let mut text = String::new();
    for slot in scenario.offers.slots() {
        let node = &scenario.offers.node(slot.node()).name;
        writeln!(text, "{node} [{}, {}) price={}", slot.start(), slot.end(), slot.rate()).unwrap();
    }
    text
}

fn one_node(node: &str) -> Scenario {
    let text = format!(
        "walras: scenario/1\nhorizon: [0, 100]\nsites: [{{name: a, nodes: [{{name: n, price: 1{node}}}]}}]\n\
         jobs: [{{name: j, work: 1}}]\n"
    );
    read_yaml(&text).unwrap()
}

#[test]
fn the_example_reads() {
    let scenario = read_yaml(EXAMPLE).unwrap();
    insta::assert_snapshot!(slots(&scenario), @"
    cpu1 [0, 20) price=5
    cpu2 [0, 600) price=9.5
    cpu1 [150, 370) price=5
    cpu1 [580, 600) price=5
    ");
    let [first, second] = scenario.batch.requests() else { panic!("two jobs") };
    assert_eq!((first.tasks, first.price_max), (2, Rate::from_micros_per_second(5_000_000)));
    assert_eq!((first.priority, first.scope.same_site, &first.scope.sites), (0, false, &None));
    assert_eq!((second.priority, second.scope.same_site), (2, true));
    assert_eq!(second.budget, Some(Money::from_micros(900_000_000)));
    assert_eq!(second.deadline, Time::from_millis(500_000));
    let tests: Vec<String> = second.requires.iter().map(ToString::to_string).collect();
    assert_eq!(tests, ["os = linux", "memory_gb >= 16"]);
}

#[test]
fn json_means_the_same() {
    let scenario = read_json(EXAMPLE_JSON).unwrap();
    assert_eq!(scenario.offers.slots(), read_yaml(EXAMPLE).unwrap().offers.slots());
    let second = &scenario.batch.requests()[1];
    assert_eq!(second.scope.sites, Some(vec![SiteId::new(0)]));
    let wanted = ["linux", "bsd"].map(|name| Value::Text(name.to_owned()));
    assert_eq!(second.requires[0].test, Test::OneOf(wanted.to_vec()));
}

#[test]
fn intervals_are_cut_to_the_horizon() {
    insta::assert_snapshot!(slots(&one_node("")), @"n [0, 100) price=1");
    insta::assert_snapshot!(slots(&one_node(", free: []")), @"");
    insta::assert_snapshot!(slots(&one_node(", busy: []")), @"n [0, 100) price=1");
    insta::assert_snapshot!(slots(&one_node(", free: [[90, 200], [-50, 10], [300, 400]]")), @"
    n [0, 10) price=1
    n [90, 100) price=1
    ");
    insta::assert_snapshot!(slots(&one_node(", busy: [[90, 200], [-50, 10], [300, 400]]")), @"n [10, 90) price=1");
    insta::assert_snapshot!(slots(&one_node(", free: [[20, 30], [10, 20]]")), @"n [10, 30) price=1");
}

#[test]
fn units() {
    let text = EXAMPLE.replace("horizon:", "unit: ms\nhorizon:").replace("price: 5,", "price: 0.000000123,");
    let scenario = read_yaml(&text).unwrap();
    assert_eq!(scenario.unit, Unit::Milliseconds);
    assert_eq!(scenario.offers.horizon().end(), Time::from_millis(600).unwrap());
    assert_eq!(scenario.offers.slots()[0].rate(), Rate::from_micros_per_second(123).unwrap());
    assert_eq!(scenario.batch.requests()[0].price_max, Rate::from_micros_per_second(5_000_000_000));
}

#[test]
fn numbers_are_rounded_to_nearest() {
    let scenario = one_node(
        ", free: [[0.0004, 0.0005], [10, 17.6484]], attributes: {x: 0.0000005, big: 9007199254.740993}",
    );
    insta::assert_snapshot!(slots(&scenario), @"
    n [0, 0.001) price=1
    n [10, 17.648) price=1
    ");
    let attributes = &scenario.offers.nodes()[0].attributes;
    assert_eq!(attributes["x"], Value::Number(Fixed::from_millionths(1)));
    assert_eq!(attributes["big"], Value::Number(Fixed::from_millionths(9_007_199_254_740_993)));
    let integer = one_node(", attributes: {big: 9007199254741}");
    let big = Value::Number(Fixed::from_millionths(9_007_199_254_741_000_000));
    assert_eq!(integer.offers.nodes()[0].attributes["big"], big);
}

#[test]
fn words_of_yaml_1_1_are_text() {
    let scenario = one_node(", attributes: {country: no, a: yes, b: true, c: '1', d: 1}");
    let attributes = &scenario.offers.nodes()[0].attributes;
    assert_eq!(attributes["country"], Value::Text("no".into()));
    assert_eq!(attributes["a"], Value::Text("yes".into()));
    assert_eq!(attributes["b"], Value::Flag(true));
    assert_eq!(attributes["c"], Value::Text("1".into()));
    assert_eq!(attributes["d"], Value::Number(Fixed::from_millionths(1_000_000)));
}

#[test]
fn anchors_and_merges_work() {
    let text = "walras: scenario/1\nhorizon: [0, 100]\nsites:\n  - name: a\n    nodes:\n      \
                - &base {name: n1, price: 2, busy: [[0, 10]]}\n      - {<<: *base, name: n2}\n\
                jobs: [{name: j, work: 1}]\n";
    insta::assert_snapshot!(slots(&read_yaml(text).unwrap()), @"
    n1 [10, 100) price=2
    n2 [10, 100) price=2
    ");
}

/// 20,000 nodes with ten intervals each stay within every limit, in both syntaxes and with aliases.
#[test]
fn large_scenarios_read() {
    let busy: Vec<String> =
        (0..10).map(|busy| format!("[{}.125, {}.5]", busy * 50, busy * 50 + 25)).collect();
    let busy = format!("[{}]", busy.join(", "));
    let node = |index: usize| format!("{{\"name\": \"n{index}\", \"price\": 1.5, \"busy\": {busy}}}");
    let nodes: Vec<String> = (0..20_000).map(node).collect();
    let text = format!(
        "{{\"walras\": \"scenario/1\", \"horizon\": [0, 600], \"sites\": [{{\"name\": \"a\", \"nodes\": [{}]}}], \
         \"jobs\": [{{\"name\": \"j\", \"work\": 1}}]}}",
        nodes.join(",\n")
    );
    assert_eq!(read_json(&text).unwrap().offers.slots().len(), 220_000);
    assert_eq!(read_yaml(&text).unwrap().offers.slots().len(), 220_000);
    let aliased = text
        .replacen(&busy, &format!("&busy {busy}"), 1)
        .replace(&format!("\"busy\": {busy}"), "\"busy\": *busy ");
    assert!(aliased.len() < text.len() / 2);
    assert_eq!(read_yaml(&aliased).unwrap().offers.slots().len(), 220_000);
}
