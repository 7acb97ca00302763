//! Nodes that are sold in units, and what tasks take of them, as files say it.

use crate::read_yaml;
use walras_core::{SearchConfig, find_alternatives};
use walras_model::{Money, Value};

fn scenario(node: &str, job: &str) -> String {
    format!(
        "walras: scenario/1\nunit: s\nhorizon: [0, 100]\nsites:\n  - name: a\n    nodes:\n      - {{name: n, price: 8, {node}}}\njobs:\n  - {{name: J, work: 100, {job}}}\n"
    )
}

#[test]
fn tasks_take_units_and_pay_their_part() {
    let text = scenario(
        "resources: {cores: 64, memory_gb: 256, gpus: 8}, units: 8",
        "tasks: 2, resources: {cores: 4, memory_gb: 70.5}, requires: {gpus: 2}",
    );
    let scenario = read_yaml(&text).unwrap();
    let node = &scenario.offers.nodes()[0];
    assert_eq!((node.division.units(), scenario.offers.slots()[0].units()), (8, 8));
    assert!(matches!(node.attributes["cores"], Value::Number(number) if number.whole() == 64));
    let found = find_alternatives(&scenario.offers, &scenario.batch, &SearchConfig::default()).found;
    // More than two units of memory are three; both tasks lie on the one node, for three credits a second each.
    let window = &found[0].window;
    let units: Vec<u32> = window.placements().iter().map(|it| it.units).collect();
    assert_eq!((units, window.cost()), (vec![3, 3], Money::from_micros(600_000_000)));
}

#[test]
fn what_cannot_be_sold_or_taken_is_named() {
    let wrong = |node: &str, job: &str| read_yaml(&scenario(node, job)).unwrap_err().to_string();
    let said = |text: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    said(
        wrong("resources: {gpus: 8}, units: 3", "tasks: 1"),
        &["units", "8 of gpus cannot be divided into 3"],
    );
    said(wrong("resources: {gpus: 0}, units: 2", "tasks: 1"), &["resources.gpus", "0"]);
    said(wrong("resources: {gpus: -1}, units: 2", "tasks: 1"), &["resources.gpus", "-1"]);
    said(wrong("resources: {gpus: 1.5}, units: 2", "tasks: 1"), &["resources.gpus", "1.5"]);
    said(wrong("units: 0", "tasks: 1"), &["units", "0"]);
    said(wrong("units: 5000", "tasks: 1"), &["units", "5000"]);
    said(wrong("resources: {gpus: 8}, attributes: {gpus: 4}", "tasks: 1"), &["gpus", "another value"]);
    said(wrong("units: 2", "tasks: 1, resources: {cores: 0}"), &["resources.cores", "0"]);
    said(wrong("units: 2", "tasks: 1, resources: {cores: -3}"), &["resources.cores", "-3"]);
    said(wrong("units: 2", "tasks: 1, resources: {cores: 1}, requires: {cores: 2}"), &["cores", "twice"]);
}

#[test]
fn what_is_larger_than_any_node_finds_no_window() {
    let text = scenario("resources: {gpus: 8}, units: 8", "tasks: 1, resources: {gpus: 9}");
    let scenario = read_yaml(&text).unwrap();
    let found = find_alternatives(&scenario.offers, &scenario.batch, &SearchConfig::default());
    assert!(found.found.is_empty() && found.unscheduled.len() == 1);
}
