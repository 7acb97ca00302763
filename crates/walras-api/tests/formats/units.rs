//! Nodes that are sold in units, and what tasks take of them, as files say it.

use crate::read_yaml;
use walras_core::{Algorithm, Criterion, SearchConfig, find_alternatives};
use walras_model::{Money, Reason, Value};

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
fn a_range_and_a_list_take_the_least_that_they_ask_for() {
    for needs in ["{min: 4, max: 6}", "[4]", "{in: [8, 4]}", "{min: 4}", "4"] {
        let job = format!("tasks: 1, requires: {{gpus: {needs}}}");
        let scenario = read_yaml(&scenario("resources: {gpus: 8}, units: 8", &job)).unwrap();
        let found = find_alternatives(&scenario.offers, &scenario.batch, &SearchConfig::default()).found;
        let units: Vec<u32> = found[0].window.placements().iter().map(|it| it.units).collect();
        assert_eq!(units, [4], "{needs}");
    }
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
    for amount in ["0", "-4", "{min: -4}", "[2, 0]"] {
        let job = format!("tasks: 1, requires: {{cores: {amount}}}");
        let number = if amount.contains('4') { "-4" } else { "0" };
        said(wrong("resources: {cores: 8}, units: 2", &job), &["jobs[0].requires.cores", number, "resource"]);
        // Of what nobody counts it is a test.
        assert!(read_yaml(&scenario("attributes: {cores: 8}", &job)).is_ok());
    }
    assert!(read_yaml(&scenario("resources: {cores: 8}", "tasks: 1, requires: {cores: {min: 0}}")).is_ok());
}

/// A node with GPUs is kept for tasks that ask for one, or for half of its memory; nobody takes less than a quarter of it.
#[test]
fn owners_say_to_whom_they_sell() {
    let node = "resources: {cores: 64, memory_gb: 256, gpus: 8}, units: 8, least_units: 2, only_for: {gpus: 1, memory_gb: 128}";
    let found = |job: &str| {
        let scenario = read_yaml(&scenario(node, job)).unwrap();
        find_alternatives(&scenario.offers, &scenario.batch, &SearchConfig::default())
    };
    let units = |job: &str| -> Vec<u32> {
        let found = found(job).found;
        found.iter().flat_map(|it| it.window.placements()).map(|it| it.units).collect()
    };
    assert_eq!(units("tasks: 1, resources: {gpus: 1}"), [2; 4]);
    assert_eq!(units("tasks: 1, resources: {cores: 8, gpus: 3}"), [3, 3]);
    assert_eq!(units("tasks: 1, resources: {memory_gb: 160}"), [5]);
    for job in ["tasks: 1", "tasks: 2, resources: {cores: 8}", "tasks: 1, requires: {exclusive: true}"] {
        let found = found(job);
        let Reason::KeptForOthers { asked, nodes: 0, .. } = &found.unscheduled[0].explanation.reasons[0]
        else {
            panic!("{:?}", found.unscheduled)
        };
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        assert_eq!(asked, ["gpus >= 1", "memory_gb >= 128"], "{job}");
    }
    for (keys, path, what) in [
        ("units: 8, least_units: 9", "nodes[0].least_units: 9", "sold in 8"),
        ("units: 8, least_units: 0", "nodes[0].least_units: 0", "1"),
        ("resources: {gpus: 8}, only_for: {fpgas: 1}", "nodes[0].only_for: fpgas", "none of its resources"),
        ("resources: {gpus: 8}, only_for: {gpus: 9}", "nodes[0].only_for: gpus", "9 of gpus, and it has 8"),
        ("resources: {gpus: 8}, only_for: {gpus: 0}", "nodes[0].only_for.gpus: 0", "1"),
        ("resources: {gpus: 8}, only_for: {gpus: 1.5}", "nodes[0].only_for.gpus: 1.5", "whole"),
    ] {
        let said = read_yaml(&scenario(keys, "tasks: 1")).unwrap_err().to_string();
        assert!(said.contains(path) && said.contains(what), "{said}");
    }
}

/// A node that is sold whole is kept for some all the same, and the others run elsewhere.
#[test]
fn whole_nodes_are_kept_for_who_asks_for_enough() {
    let text = scenario("resources: {gpus: 4}, only_for: {gpus: 1}", "tasks: 1")
        .replace("jobs:", "      - {name: m, price: 80, resources: {cores: 8}}\njobs:");
    let scenario = read_yaml(&text).unwrap();
    for algorithm in [Algorithm::Amp, Algorithm::Criterion(Criterion::Cost)] {
        let config = SearchConfig { algorithm, ..SearchConfig::default() };
        let found = find_alternatives(&scenario.offers, &scenario.batch, &config).found;
        let nodes: Vec<usize> = found.iter().map(|it| it.window.placements()[0].node.index()).collect();
        assert_eq!(nodes, [1]);
    }
}

/// Memory alone is short: two tasks of three have room on the one node. It is nodes that are counted, and not their units.
#[test]
fn only_what_is_short_is_blamed() {
    let text = scenario(
        "resources: {cores: 8, memory_gb: 64}, units: 8",
        "tasks: 3, resources: {cores: 1, memory_gb: 32}",
    );
    let scenario = read_yaml(&text).unwrap();
    let found = find_alternatives(&scenario.offers, &scenario.batch, &SearchConfig::default());
    let reasons = &found.unscheduled[0].explanation.reasons;
    assert!(
        matches!(
            &reasons[..],
            [
                Reason::RequirementUnmet { requirement, nodes: 1, needed: 2 },
                Reason::TooFewNodes { nodes: 1, needed: 2 }
            ] if requirement.attribute == "memory_gb"
        ),
        "{reasons:?}"
    );
    assert_eq!(found.unscheduled[0].explanation.smallest_change.tasks, Some(2));
}

/// An eighth of a node of 800 W draws less than a whole one of 200 W.
#[test]
fn a_part_of_a_node_draws_a_part() {
    let text = scenario("watts: 800, units: 8", "tasks: 1")
        .replace("jobs:", "      - {name: m, price: 8, watts: 200}\njobs:");
    let scenario = read_yaml(&text).unwrap();
    let config =
        SearchConfig { algorithm: Algorithm::Criterion(Criterion::Energy), ..SearchConfig::default() };
    let found = find_alternatives(&scenario.offers, &scenario.batch, &config).found;
    let nodes: Vec<usize> = found.iter().map(|it| it.window.placements()[0].node.index()).collect();
    assert_eq!(nodes.iter().position(|node| *node == 1), Some(8), "{nodes:?}");
}

#[test]
fn what_is_larger_than_any_node_is_refused_with_the_largest() {
    let wrong = |node: &str, job: &str| read_yaml(&scenario(node, job)).unwrap_err().to_string();
    let node = "resources: {gpus: 8, cores: 64}, units: 8";
    for (job, path) in [
        ("tasks: 1, resources: {gpus: 8.5, cores: 1}", "jobs[0].resources.gpus: 8.5"),
        ("tasks: 1, requires: {gpus: 9}", "jobs[0].requires.gpus: 9"),
        ("tasks: 1, requires: {gpus: {min: 16}}", "jobs[0].requires.gpus: 16"),
    ] {
        let said = wrong(node, job);
        assert!(said.contains(path) && said.contains("the largest has 8"), "{said}");
    }
    let said = wrong(node, "tasks: 1, resources: {fpgas: 1}");
    assert!(said.contains("jobs[0].resources.fpgas: 1 is asked of a resource that nobody sells"), "{said}");
    // What is only tested is a matter of attributes, and what some attribute states is had.
    assert!(read_yaml(&scenario(node, "tasks: 1, requires: {fpgas: 1}")).is_ok());
    assert!(read_yaml(&scenario("attributes: {fpgas: 2}", "tasks: 1, resources: {fpgas: 2}")).is_ok());
}

/// Eight units of a millionth each would cost eight times what the node does.
#[test]
fn parts_that_are_dearer_than_the_whole_are_refused() {
    let with = |price: &str| {
        let text = scenario("resources: {gpus: 8}, units: 8", "tasks: 1").replace("price: 8", price);
        read_yaml(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    let said = with("price: 0.000007").unwrap_err();
    assert!(said.contains("nodes[0].price: 0.000007 is too low a price for 8 units"), "{said}");
    assert!(said.contains("at least 0.000008"), "{said}");
    assert_eq!(with("price: 0.000008"), Ok(()));
}

/// Whether there is no room or no money for more: the most of each that would do alone, and nothing of what would not.
#[test]
fn how_much_less_would_do_is_said() {
    let changes = |job: &str, search: Algorithm| {
        let text = scenario("resources: {cores: 16, memory_gb: 64, gpus: 4}, units: 4", job);
        let scenario = read_yaml(&text).unwrap();
        let config = SearchConfig { algorithm: search, ..SearchConfig::default() };
        let found = find_alternatives(&scenario.offers, &scenario.batch, &config);
        let resources = &found.unscheduled[0].explanation.smallest_change.resources;
        let text = |(name, amount): (&String, &walras_model::Fixed)| format!("{name}: {amount}");
        resources.iter().map(text).collect::<Vec<String>>()
    };
    for search in [Algorithm::Amp, Algorithm::Alp, Algorithm::Criterion(Criterion::Cost)] {
        // Two tasks fit side by side on half of the node each.
        let wide = "tasks: 2, resources: {cores: 4, memory_gb: 40}";
        assert_eq!(changes(wide, search.clone()), ["memory_gb: 32"]);
        // A unit costs two credits a second: four would be 800.
        let dear = "tasks: 1, budget: 500, resources: {memory_gb: 64, gpus: 2}";
        assert_eq!(changes(dear, search.clone()), ["memory_gb: 32"]);
        let both = "tasks: 2, resources: {memory_gb: 48, gpus: 3}";
        assert_eq!(changes(both, search), [""; 0]);
    }
}
