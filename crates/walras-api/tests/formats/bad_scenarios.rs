//! Every kind of bad input, with the line that its author gets to read.

use crate::{EXAMPLE, EXAMPLE_JSON, read_json, read_yaml};
use insta::assert_snapshot;
use walras_api::{SCENARIO_BYTES_MAX, Syntax, read_scenario};

/// What is said of the example with one part replaced.
fn yaml(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "the example does not contain {from}");
    read_yaml(&EXAMPLE.replacen(from, to, 1)).expect_err("accepted").to_string()
}

fn json(from: &str, to: &str) -> String {
    assert!(EXAMPLE_JSON.contains(from), "the example does not contain {from}");
    read_json(&EXAMPLE_JSON.replacen(from, to, 1)).expect_err("accepted").to_string()
}

#[test]
fn unknown_keys() {
    assert_snapshot!(yaml("watts", "wats"), @"");
    assert_snapshot!(yaml("horizon", "horizont"), @"");
    assert_snapshot!(yaml("{min: 16}", "{least: 16}"), @"");
    assert_snapshot!(json("\"watts\"", "\"wats\""), @"");
}

#[test]
fn missing_keys() {
    assert_snapshot!(yaml("work: 80, ", ""), @"");
    assert_snapshot!(yaml("horizon: [0, 600] ", ""), @"");
    assert_snapshot!(json("\"work\": 80, ", ""), @"");
}

#[test]
fn duplicate_keys() {
    assert_snapshot!(yaml("work: 80", "work: 80, work: 90"), @"");
    assert_snapshot!(yaml("os: linux, ", "os: linux, os: bsd, "), @"");
    assert_snapshot!(json("\"work\": 80", "\"work\": 80, \"work\": 90"), @"");
    assert_snapshot!(json("\"os\": \"linux\"", "\"os\": \"linux\", \"os\": \"bsd\""), @"");
}

#[test]
fn wrong_kinds_of_value() {
    assert_snapshot!(yaml("price: 5", "price: cheap"), @"");
    assert_snapshot!(yaml("price: 5", "price: [5]"), @"");
    assert_snapshot!(yaml("busy: [[20, 150], [370, 580]]", "busy:"), @"");
    assert_snapshot!(yaml("[20, 150]", "[20]"), @"");
    assert_snapshot!(yaml("[20, 150]", "[20, 150, 300]"), @"");
    assert_snapshot!(yaml("same_site: true", "same_site: maybe"), @"");
    assert_snapshot!(yaml("horizon: [0, 600]", "horizon: [0, 600]\nunit: min"), @"");
    assert_snapshot!(yaml("{min: 16}", "{}"), @"");
    assert_snapshot!(yaml("{min: 16}", "{min: 16, in: [16, 32]}"), @"");
    assert_snapshot!(json("\"price\": 5", "\"price\": \"5\""), @"");
    assert_snapshot!(json("{\"name\": \"J1\", \"tasks\": 2, \"work\": 80, \"price_max\": 5}", "[\"J1\", 2, 80]"), @"");
    assert_snapshot!(read_yaml("- 1\n").unwrap_err(), @"");
    assert_snapshot!(read_yaml("").unwrap_err(), @"");
}

#[test]
fn intervals() {
    assert_snapshot!(yaml("[370, 580]", "[100, 580]"), @"");
    assert_snapshot!(yaml("[370, 580]", "[10, 30]"), @"");
    assert_snapshot!(yaml("[20, 150]", "[150, 20]"), @"");
    assert_snapshot!(yaml("[20, 150]", "[20, 20]"), @"");
    assert_snapshot!(yaml("horizon: [0, 600]", "horizon: [600, 0]"), @"");
    assert_snapshot!(yaml("price: 5, busy", "price: 5, free: [[0, 20]], busy"), @"");
    assert_snapshot!(json("[370, 580]", "[100, 580]"), @"");
}

#[test]
fn signs() {
    assert_snapshot!(yaml("performance: 1.0", "performance: 0"), @"");
    assert_snapshot!(yaml("performance: 1.0", "performance: -1"), @"");
    assert_snapshot!(yaml("price: 5", "price: 0"), @"");
    assert_snapshot!(yaml("price: 5", "price: -2.5"), @"");
    assert_snapshot!(yaml("work: 80", "work: 0"), @"");
    assert_snapshot!(yaml("work: 80", "work: -80"), @"");
    assert_snapshot!(yaml("watts: 180", "watts: -1"), @"");
    assert_snapshot!(yaml("budget: 900", "budget: 0"), @"");
    assert_snapshot!(yaml("price_max: 5", "price_max: -5"), @"");
    assert_snapshot!(yaml("performance_min: 1.0", "performance_min: 0.0"), @"");
    assert_snapshot!(yaml("tasks: 2", "tasks: 0"), @"");
    assert_snapshot!(json("\"performance\": 1.0", "\"performance\": -1"), @"");
}

#[test]
fn numbers_that_are_not_finite() {
    assert_snapshot!(yaml("price: 5", "price: .nan"), @"");
    assert_snapshot!(yaml("deadline: 500", "deadline: .inf"), @"");
    assert_snapshot!(yaml("deadline: 500", "deadline: -.inf"), @"");
    assert_snapshot!(yaml("memory_gb: 64", "memory_gb: 1e999"), @"");
    assert_snapshot!(json("\"price\": 5", "\"price\": NaN"), @"");
    assert_snapshot!(json("\"price\": 5", "\"price\": 1e999"), @"");
}

#[test]
fn numbers_beyond_range() {
    assert_snapshot!(yaml("deadline: 500", "deadline: 1000000000001"), @"");
    assert_snapshot!(yaml("earliest: 0", "earliest: -1e13"), @"");
    assert_snapshot!(yaml("work: 80", "work: 1e300"), @"");
    assert_snapshot!(yaml("price: 5", "price: 18446744073709551615"), @"");
    assert_snapshot!(yaml("price: 5", "price: 1e-9"), @"");
    assert_snapshot!(yaml("work: 80", "work: 0.0001"), @"");
    assert_snapshot!(yaml("price: 5", "price: 9e12"), @"");
    assert_snapshot!(yaml("budget: 900", "budget: 9300000000000"), @"");
    assert_snapshot!(yaml("tasks: 2", "tasks: 4294967296"), @"");
    assert_snapshot!(yaml("tasks: 2", "tasks: 1.5"), @"");
    assert_snapshot!(yaml("priority: 2", "priority: 9223372036854775808"), @"");
    assert_snapshot!(yaml("memory_gb: {min: 16}", "memory_gb: {min: 16, max: 8}"), @"");
    assert_snapshot!(json("\"work\": 80", "\"work\": 123456789012345678901234567890"), @"");
}

#[test]
fn all_that_is_offered_must_be_payable() {
    let nodes: Vec<String> = (0..1100).map(|node| format!("{{name: n{node}, price: 15000000}}")).collect();
    let text = format!(
        "walras: scenario/1\nhorizon: [0, 600]\nsites: [{{name: a, nodes: [{}]}}]\njobs: [{{name: j, work: 1}}]",
        nodes.join(", ")
    );
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"");
}

#[test]
fn names() {
    assert_snapshot!(yaml("name: cpu2", "name: cpu1"), @"");
    assert_snapshot!(yaml("name: J2", "name: J1"), @"");
    assert_snapshot!(yaml("jobs:", "  - {name: campus, nodes: [{name: a, price: 1}]}\njobs:"), @"");
    assert_snapshot!(yaml("name: J2", "name: ''"), @"");
    assert_snapshot!(yaml("name: J2", "name: \"a\\nb\\e[31m\""), @"");
    assert_snapshot!(yaml("name: J2", &format!("name: {}", "x".repeat(201))), @"");
    assert_snapshot!(yaml("same_site: true", "sites: [campus, home]"), @"");
    assert_snapshot!(yaml("same_site: true", "sites: [campus, campus]"), @"");
    assert_snapshot!(json("[\"campus\"]", "[\"home\"]"), @"");
}

#[test]
fn empty_lists() {
    assert_snapshot!(read_yaml("walras: scenario/1\nhorizon: [0, 1]\nsites: []\njobs: []").unwrap_err(), @"");
    assert_snapshot!(yaml("jobs:", "  - {name: home, nodes: []}\njobs:"), @"");
    let jobs = EXAMPLE.find("jobs:").unwrap();
    assert_snapshot!(read_yaml(&format!("{}jobs: []\n", &EXAMPLE[..jobs])).unwrap_err(), @"");
    assert_snapshot!(yaml("same_site: true", "sites: []"), @"");
    assert_snapshot!(yaml("os: linux, memory_gb: {min", "os: {in: []}, memory_gb: {min"), @"");
}

#[test]
fn versions() {
    assert_snapshot!(yaml("scenario/1", "scenario/2"), @"");
    assert_snapshot!(yaml("scenario/1", "scenario/2\nnew_key: 5"), @"");
    assert_snapshot!(yaml("walras: scenario/1\n", ""), @"");
    assert_snapshot!(read_yaml("services: {web: {image: nginx}}\n").unwrap_err(), @"");
    assert_snapshot!(json("scenario/1", "plan/1"), @"");
}

#[test]
fn syntax() {
    assert_snapshot!(yaml("{name: J1,", "{name: J1,,"), @"");
    assert_snapshot!(yaml("  - name: campus", "\t- name: campus"), @"");
    assert_snapshot!(yaml("jobs:", "---\njobs:"), @"");
    assert_snapshot!(yaml("work: 80", "work: *nobody"), @"");
    assert_snapshot!(json("\"horizon\": [0, 600],", "\"horizon\": [0, 600]"), @"");
    assert_snapshot!(read_json(&format!("{EXAMPLE_JSON}{{}}")).unwrap_err(), @"");
    assert_snapshot!(read_json("").unwrap_err(), @"");
    let error = read_scenario(b"walras: scenario/1\nx: \xff\n", "scenario.yaml", Syntax::Yaml).unwrap_err();
    assert_snapshot!(error, @"");
}

#[test]
fn huge_input() {
    let bytes = vec![b' '; SCENARIO_BYTES_MAX + 1];
    assert_snapshot!(read_scenario(&bytes, "huge.yaml", Syntax::Yaml).unwrap_err(), @"");
}

#[test]
fn deep_nesting() {
    let deep = "[".repeat(100_000);
    assert_snapshot!(yaml("price: 5", &format!("price: {deep}")), @"");
    assert_snapshot!(json("\"price\": 5", &format!("\"price\": {deep}")), @"");
    assert_snapshot!(read_yaml(&format!("walras: {deep}")).unwrap_err(), @"");
    assert_snapshot!(read_json(&deep).unwrap_err(), @"");
    let blocks: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_snapshot!(read_yaml(&blocks).unwrap_err(), @"");
}

#[test]
fn alias_bombs() {
    let mut text = String::from("a0: &a0 [1, 2]\n");
    for level in 1..30 {
        let below = level - 1;
        text.push_str(&format!("a{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]\n"));
    }
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"");
    let bomb = "walras: scenario/1\nhorizon: [0, 600]\nsites:\n".to_owned()
        + "  - {name: a, nodes: [{name: n, price: 1, busy: &b [[0, 1], [2, 3]]}]}\n"
        + "jobs: [{name: j, work: 1, requires: {os: &c [*b, *b]}}]\n";
    assert_snapshot!(read_yaml(&bomb).unwrap_err(), @"");
}

#[test]
fn control_characters_and_long_values_are_tamed() {
    assert_snapshot!(yaml("price: 5", "price: \"\\e[31m\\n\""), @"");
    assert_snapshot!(yaml("price: 5", &format!("price: {}", "y".repeat(10_000))), @"");
    assert_snapshot!(json("\"watts\"", "\"\\u001b[31m\\n\""), @"");
}
