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
    assert_snapshot!(yaml("watts", "wats"), @"scenario.yaml:7:52: sites[0].nodes[1].wats: `wats` is not known here: expected one of name, performance, price, free, busy, watts, attributes, resources, units, least_units, only_for");
    assert_snapshot!(yaml("horizon", "horizont"), @"scenario.yaml:2:1: horizont: `horizont` is not known here: expected one of walras, horizon, unit, sites, jobs, policy, preferences, network");
    assert_snapshot!(yaml("{min: 16}", "{least: 16}"), @"scenario.yaml:11:40: jobs[1].requires.memory_gb.least: `least` is not known here: expected one of min, max, in");
    assert_snapshot!(json("\"watts\"", "\"wats\""), @"scenario.json:7:66: sites[0].nodes[1].wats: `wats` is not known here: expected one of name, performance, price, free, busy, watts, attributes, resources, units, least_units, only_for");
}

#[test]
fn missing_keys() {
    assert_snapshot!(yaml("work: 80, ", ""), @"scenario.yaml:9:5: jobs[0]: a job needs the key `work`, a list of lengths as its `tasks`, or a `workflow`");
    assert_snapshot!(yaml("horizon: [0, 600] ", ""), @"scenario.yaml:1:1: document: the key `horizon` is missing");
    assert_snapshot!(json("\"work\": 80, ", ""), @"scenario.json:11:5: jobs[0]: a job needs the key `work`, a list of lengths as its `tasks`, or a `workflow`");
}

#[test]
fn duplicate_keys() {
    assert_snapshot!(yaml("work: 80", "work: 80, work: 90"), @"scenario.yaml:9:36: jobs[0]: the key `work` is there twice");
    assert_snapshot!(yaml("os: linux, ", "os: linux, os: bsd, "), @"scenario.yaml:7:88: sites[0].nodes[1].attributes: the key `os` is there twice");
    assert_snapshot!(json("\"work\": 80", "\"work\": 80, \"work\": 90"), @"scenario.json:11:5: jobs[0]: the key `work` is there twice");
    assert_snapshot!(json("\"os\": \"linux\"", "\"os\": \"linux\", \"os\": \"bsd\""), @"scenario.json:7:93: sites[0].nodes[1].attributes.os: os is there twice: a node has each attribute once");
}

#[test]
fn wrong_kinds_of_value() {
    assert_snapshot!(yaml("price: 5", "price: cheap"), @r#"scenario.yaml:6:47: sites[0].nodes[0].price: found "cheap", expected a number"#);
    assert_snapshot!(yaml("price: 5", "price: [5]"), @"scenario.yaml:6:47: sites[0].nodes[0].price: found a list, expected a number");
    assert_snapshot!(yaml("busy: [[20, 150], [370, 580]]", "busy:"), @"scenario.yaml:6:54: sites[0].nodes[0].busy: found null, expected a list");
    assert_snapshot!(yaml("[20, 150]", "[20]"), @"scenario.yaml:6:57: sites[0].nodes[0].busy[0]: found a list of one number, expected an interval [start, end]");
    assert_snapshot!(yaml("[20, 150]", "[20, 150, 300]"), @"scenario.yaml:6:57: sites[0].nodes[0].busy[0]: found a list of more than two numbers, expected an interval [start, end]");
    assert_snapshot!(yaml("same_site: true", "same_site: maybe"), @"scenario.yaml:11:62: jobs[1].same_site: found maybe, expected true or false");
    assert_snapshot!(yaml("horizon: [0, 600]", "horizon: [0, 600]\nunit: min"), @"scenario.yaml:3:7: unit: `min` is not known here: expected one of s, ms");
    assert_snapshot!(yaml("{min: 16}", "{}"), @"scenario.yaml:11:39: jobs[1].requires.memory_gb: found an empty map, expected a value, a list of values, {min, max} or {in: [values]}");
    assert_snapshot!(yaml("{min: 16}", "{min: 16, in: [16, 32]}"), @"scenario.yaml:11:39: jobs[1].requires.memory_gb: found both bounds and `in`, expected a value, a list of values, {min, max} or {in: [values]}");
    assert_snapshot!(json("\"price\": 5", "\"price\": \"5\""), @r#"scenario.json:6:53: sites[0].nodes[0].price: found "5", expected a number"#);
    assert_snapshot!(json("{\"name\": \"J1\", \"tasks\": 2, \"work\": 80, \"price_max\": 5}", "[\"J1\", 2, 80]"), @"scenario.json:11:5: jobs[0]: found a list, expected a map");
    assert_snapshot!(read_yaml("- 1\n").unwrap_err(), @"scenario.yaml:1:1: document: found a list, expected a map");
    assert_snapshot!(read_yaml("").unwrap_err(), @"scenario.yaml:1:1: not valid YAML: unexpected end of file");
}

#[test]
fn intervals() {
    assert_snapshot!(yaml("[370, 580]", "[100, 580]"), @"scenario.yaml:6:68: sites[0].nodes[0].busy[1]: [100, 580] overlaps [20, 150], item 0 of the same list");
    assert_snapshot!(yaml("[370, 580]", "[10, 30]"), @"scenario.yaml:6:68: sites[0].nodes[0].busy[1]: [10, 30] overlaps [20, 150], item 0 of the same list");
    assert_snapshot!(yaml("[20, 150]", "[150, 20]"), @"scenario.yaml:6:57: sites[0].nodes[0].busy[0]: [150, 20] is reversed: it must end at least a millisecond after its start");
    assert_snapshot!(yaml("[20, 150]", "[20, 20]"), @"scenario.yaml:6:57: sites[0].nodes[0].busy[0]: [20, 20] is empty: it must end at least a millisecond after its start");
    assert_snapshot!(yaml("horizon: [0, 600]", "horizon: [600, 0]"), @"scenario.yaml:2:10: horizon: [600, 0] is reversed: it must end at least a millisecond after its start");
    assert_snapshot!(yaml("price: 5, busy", "price: 5, free: [[0, 20]], busy"), @"scenario.yaml:6:73: sites[0].nodes[0].busy: 2 busy intervals given beside `free`: a node has either `free` or `busy`, not both");
    assert_snapshot!(json("[370, 580]", "[100, 580]"), @"scenario.json:6:76: sites[0].nodes[0].busy[1]: [100, 580] overlaps [20, 150], item 0 of the same list");
}

#[test]
fn signs() {
    assert_snapshot!(yaml("performance: 1.0", "performance: 0"), @"scenario.yaml:6:35: sites[0].nodes[0].performance: 0 is not a performance: it must be greater than 0");
    assert_snapshot!(yaml("performance: 1.0", "performance: -1"), @"scenario.yaml:6:35: sites[0].nodes[0].performance: -1 is not a performance: it must be greater than 0");
    assert_snapshot!(yaml("price: 5", "price: 0"), @"scenario.yaml:6:47: sites[0].nodes[0].price: 0 is not a price: it must be greater than 0");
    assert_snapshot!(yaml("price: 5", "price: -2.5"), @"scenario.yaml:6:47: sites[0].nodes[0].price: -2.5 is not a price: it must be greater than 0");
    assert_snapshot!(yaml("work: 80", "work: 0"), @"scenario.yaml:9:32: jobs[0].work: 0 is not an amount of work: it must be greater than 0");
    assert_snapshot!(yaml("work: 80", "work: -80"), @"scenario.yaml:9:32: jobs[0].work: -80 is not an amount of work: it must be greater than 0");
    assert_snapshot!(yaml("watts: 180", "watts: -1"), @"scenario.yaml:7:59: sites[0].nodes[1].watts: -1 is not a number of watts: it must not be negative");
    assert_snapshot!(yaml("budget: 900", "budget: 0"), @"scenario.yaml:10:44: jobs[1].budget: 0 is not a budget: it must be greater than 0");
    assert_snapshot!(yaml("price_max: 5", "price_max: -5"), @"scenario.yaml:9:47: jobs[0].price_max: -5 is not a price: it must be greater than 0");
    assert_snapshot!(yaml("performance_min: 1.0", "performance_min: 0.0"), @"scenario.yaml:10:66: jobs[1].performance_min: 0 is not a performance: it must be greater than 0");
    assert_snapshot!(yaml("tasks: 2", "tasks: 0"), @"scenario.yaml:9:23: jobs[0].tasks: 0 is not a number of tasks: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(json("\"performance\": 1.0", "\"performance\": -1"), @"scenario.json:6:39: sites[0].nodes[0].performance: -1 is not a performance: it must be greater than 0");
}

#[test]
fn numbers_that_are_not_finite() {
    assert_snapshot!(yaml("price: 5", "price: .nan"), @"scenario.yaml:6:47: sites[0].nodes[0].price: NaN is not a price: it must be a finite number");
    assert_snapshot!(yaml("deadline: 500", "deadline: .inf"), @"scenario.yaml:10:81: jobs[1].deadline: inf is not a time: it must be a finite number");
    assert_snapshot!(yaml("deadline: 500", "deadline: -.inf"), @"scenario.yaml:10:81: jobs[1].deadline: -inf is not a time: it must be a finite number");
    assert_snapshot!(yaml("memory_gb: 64", "memory_gb: 1e999"), @"scenario.yaml:7:99: sites[0].nodes[1].attributes.memory_gb: inf is not a number for an attribute: it must be a finite number");
    assert_snapshot!(json("\"price\": 5", "\"price\": NaN"), @"scenario.json:6:53: not valid JSON: expected value");
    assert_snapshot!(json("\"price\": 5", "\"price\": 1e999"), @"scenario.json:6:57: not valid JSON: number out of range");
}

#[test]
fn numbers_beyond_range() {
    assert_snapshot!(yaml("deadline: 500", "deadline: 1000000000001"), @"scenario.yaml:10:81: jobs[1].deadline: 1000000000001 is not a time: it must be at most 1000000000000");
    assert_snapshot!(yaml("earliest: 0", "earliest: -1e13"), @"scenario.yaml:10:96: jobs[1].earliest: -10000000000000 is not a time: it must be at least -1000000000000");
    assert_snapshot!(yaml("work: 80", "work: 1e300"), @"scenario.yaml:9:32: jobs[0].work: 1e300 is not an amount of work: it must be at most 1000000000000");
    assert_snapshot!(yaml("price: 5", "price: 18446744073709551615"), @"scenario.yaml:6:47: sites[0].nodes[0].price: 18446744073709551615 is not a price: it must be at most 9223372036854.775807");
    assert_snapshot!(yaml("price: 5", "price: 1e-9"), @"scenario.yaml:6:47: sites[0].nodes[0].price: 1e-9 is not a price: the smallest that is read is 0.000001");
    assert_snapshot!(yaml("work: 80", "work: 0.0001"), @"scenario.yaml:9:32: jobs[0].work: 0.0001 is not an amount of work: the smallest that is read is 0.001");
    assert_snapshot!(yaml("price: 5", "price: 9e12"), @"scenario.yaml:6:47: sites[0].nodes[0].price: 9000000000000 is too high a price: one free interval must not be worth more than 9 * 10^9 credits");
    assert_snapshot!(yaml("budget: 900", "budget: 9300000000000"), @"scenario.yaml:10:44: jobs[1].budget: 9300000000000 is not a budget: it must be at most 9223372036854.775807");
    assert_snapshot!(yaml("tasks: 2", "tasks: 4294967296"), @"scenario.yaml:9:23: jobs[0].tasks: 4294967296 is not a number of tasks: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(yaml("tasks: 2", "tasks: 1.5"), @"scenario.yaml:9:23: jobs[0].tasks: 1.5 is not a number of tasks: it must be a whole number from 1 to 4294967295");
    assert_snapshot!(yaml("priority: 2", "priority: 9223372036854775808"), @"scenario.yaml:10:109: jobs[1].priority: 9223372036854775808 is not a priority: it must be a whole number from -9223372036854775808 to 9223372036854775807");
    assert_snapshot!(yaml("memory_gb: {min: 16}", "memory_gb: {min: 16, max: 8}"), @"scenario.yaml:11:54: jobs[1].requires.memory_gb.max: 8 is less than min, 16: no value is within such bounds");
    assert_snapshot!(json("\"work\": 80", "\"work\": 123456789012345678901234567890"), @"scenario.json:11:40: jobs[0].work: 1.2345678901234568e29 is not an amount of work: it must be at most 1000000000000");
}

#[test]
fn all_that_is_offered_must_be_payable() {
    let nodes: Vec<String> = (0..1100).map(|node| format!("{{name: n{node}, price: 15000000}}")).collect();
    let text = format!(
        "walras: scenario/1\nhorizon: [0, 600]\nsites: [{{name: a, nodes: [{}]}}]\njobs: [{{name: j, work: 1}}]",
        nodes.join(", ")
    );
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"scenario.yaml:3:8: sites: 1100 nodes offer too much: all free time must not be worth more than 9 * 10^12 credits");
}

#[test]
fn names() {
    assert_snapshot!(yaml("name: cpu2", "name: cpu1"), @"scenario.yaml:7:16: sites[0].nodes[1].name: cpu1 is the name of two nodes, items 0 and 1 of the list: names must differ");
    assert_snapshot!(yaml("name: J2", "name: J1"), @"scenario.yaml:10:12: jobs[1].name: J1 is the name of two jobs, items 0 and 1 of the list: names must differ");
    assert_snapshot!(yaml("jobs:", "  - {name: campus, nodes: [{name: a, price: 1}]}\njobs:"), @"scenario.yaml:8:12: sites[1].name: campus is the name of two sites, items 0 and 1 of the list: names must differ");
    assert_snapshot!(yaml("name: J2", "name: ''"), @"scenario.yaml:10:12: jobs[1].name: '' is not a name for a job: it must not be empty");
    assert_snapshot!(yaml("name: J2", "name: \"a\\nb\\e[31m\""), @r#"scenario.yaml:10:12: jobs[1].name: a\u{a}b\u{1b}[31m is not a name for a job: it must not contain control characters"#);
    assert_snapshot!(yaml("name: J2", &format!("name: {}", "x".repeat(201))), @"scenario.yaml:10:12: jobs[1].name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... is not a name for a job: it must have at most 200 characters");
    assert_snapshot!(yaml("same_site: true", "sites: [campus, home]"), @"scenario.yaml:11:67: jobs[1].sites[1]: home is not the name of a site: known are campus");
    assert_snapshot!(yaml("same_site: true", "sites: [campus, campus]"), @"scenario.yaml:11:67: jobs[1].sites[1]: campus is listed twice");
    assert_snapshot!(json("[\"campus\"]", "[\"home\"]"), @"scenario.json:12:95: jobs[1].sites[0]: home is not the name of a site: known are campus");
}

#[test]
fn empty_lists() {
    assert_snapshot!(read_yaml("walras: scenario/1\nhorizon: [0, 1]\nsites: []\njobs: []").unwrap_err(), @"scenario.yaml:3:8: sites: [] is an empty list: there must be at least one site");
    assert_snapshot!(yaml("jobs:", "  - {name: home, nodes: []}\njobs:"), @"scenario.yaml:8:25: sites[1].nodes: [] is an empty list: a site must have at least one node");
    let jobs = EXAMPLE.find("jobs:").unwrap();
    assert_snapshot!(read_yaml(&format!("{}jobs: []\n", &EXAMPLE[..jobs])).unwrap_err(), @"scenario.yaml:8:7: jobs: [] is an empty list: there must be at least one job");
    assert_snapshot!(yaml("same_site: true", "sites: []"), @"scenario.yaml:11:58: jobs[1].sites: [] is an empty list: a job must be allowed on at least one site");
    assert_snapshot!(yaml("os: linux, memory_gb: {min", "os: {in: []}, memory_gb: {min"), @"scenario.yaml:11:26: jobs[1].requires.os.in: [] is an empty list: no value is one of none");
}

#[test]
fn versions() {
    assert_snapshot!(yaml("scenario/1", "scenario/2"), @"scenario.yaml:1:9: walras: scenario/2 is not a version that is read here: expected scenario/1");
    assert_snapshot!(yaml("scenario/1", "scenario/2\nnew_key: 5"), @"scenario.yaml:1:9: walras: scenario/2 is not a version that is read here: expected scenario/1");
    assert_snapshot!(yaml("walras: scenario/1\n", ""), @"scenario.yaml: the key `walras` is missing: expected `walras: scenario/1`");
    assert_snapshot!(read_yaml("services: {web: {image: nginx}}\n").unwrap_err(), @"scenario.yaml: the key `walras` is missing: expected `walras: scenario/1`");
    assert_snapshot!(json("scenario/1", "plan/1"), @"scenario.json:2:13: walras: plan/1 is not a version that is read here: expected scenario/1");
}

#[test]
fn syntax() {
    assert_snapshot!(yaml("{name: J1,", "{name: J1,,"), @"scenario.yaml:9:15: not valid YAML: unexpected EOF while parsing an implicit flow mapping");
    assert_snapshot!(yaml("  - name: campus", "\t- name: campus"), @"scenario.yaml:4:2: not valid YAML: tabs disallowed within this context (block indentation)");
    assert_snapshot!(yaml("jobs:", "---\njobs:"), @"scenario.yaml:1:1: document: the key `jobs` is missing");
    assert_snapshot!(yaml("work: 80", "work: *nobody"), @"scenario.yaml:9:32: not valid YAML: reference to unknown value");
    assert_snapshot!(json("\"horizon\": [0, 600],", "\"horizon\": [0, 600]"), @"scenario.json:4:3: not valid JSON: expected `,` or `}`");
    assert_snapshot!(read_json(&format!("{EXAMPLE_JSON}{{}}")).unwrap_err(), @"scenario.json:15:1: not valid JSON: trailing characters");
    assert_snapshot!(read_json("").unwrap_err(), @"scenario.json:1:1: not valid JSON: EOF while parsing a value");
    let error = read_scenario(b"walras: scenario/1\nx: \xff\n", "scenario.yaml", Syntax::Yaml).unwrap_err();
    assert_snapshot!(error, @"scenario.yaml:2:4: the byte 0xff is not UTF-8 text");
}

#[test]
fn huge_input() {
    let bytes = vec![b' '; SCENARIO_BYTES_MAX + 1];
    assert_snapshot!(read_scenario(&bytes, "huge.yaml", Syntax::Yaml).unwrap_err(), @"huge.yaml: more than 33554432 bytes is too much: at most 32 MiB are read");
}

#[test]
fn deep_nesting() {
    let deep = "[".repeat(100_000);
    assert_snapshot!(yaml("price: 5", &format!("price: {deep}")), @"scenario.yaml:6:78: not valid YAML: recursion limit exceeded");
    assert_snapshot!(json("\"price\": 5", &format!("\"price\": {deep}")), @"scenario.json:6:53: sites[0].nodes[0].price: found a list, expected a number");
    assert_snapshot!(read_yaml(&format!("walras: {deep}")).unwrap_err(), @"scenario.yaml:1:9: walras: expected string scalar");
    assert_snapshot!(read_json(&deep).unwrap_err(), @"scenario.json:1:1: document: found a list, expected a map");
    let blocks: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_snapshot!(read_yaml(&blocks).unwrap_err(), @"scenario.yaml: the key `walras` is missing: expected `walras: scenario/1`");
}

#[test]
fn alias_bombs() {
    let mut text = String::from("a0: &a0 [1, 2]\n");
    for level in 1..30 {
        let below = level - 1;
        text.push_str(&format!("a{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]\n"));
    }
    assert_snapshot!(read_yaml(&text).unwrap_err(), @"scenario.yaml: the key `walras` is missing: expected `walras: scenario/1`");
    let bomb = "walras: scenario/1\nhorizon: [0, 600]\nsites:\n".to_owned()
        + "  - {name: a, nodes: [{name: n, price: 1, busy: &b [[0, 1], [2, 3]]}]}\n"
        + "jobs: [{name: j, work: 1, requires: {os: &c [*b, *b]}}]\n";
    assert_snapshot!(read_yaml(&bomb).unwrap_err(), @"scenario.yaml:5:46: jobs[0].requires.os[0]: found a list, expected text, a number, true or false");
}

#[test]
fn control_characters_and_long_values_are_tamed() {
    assert_snapshot!(yaml("price: 5", "price: \"\\e[31m\\n\""), @r#"scenario.yaml:6:47: sites[0].nodes[0].price: found "\u{1b}[31m\n", expected a number"#);
    assert_snapshot!(yaml("price: 5", &format!("price: {}", "y".repeat(10_000))), @r#"scenario.yaml:6:47: sites[0].nodes[0].price: found "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy..., expected a number"#);
    assert_snapshot!(json("\"watts\"", "\"\\u001b[31m\\n\""), @r#"scenario.json:7:74: sites[0].nodes[1].\u{1b}[31m\u{a}: `\u{1b}[31m\u{a}` is not known here: expected one of name, performance, price, free, busy, watts, attributes, resources, units, least_units, only_for"#);
}
