//! Commands that succeed, and plans that do not hold.

use crate::{printed, walras};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A directory with the worked example and its plan.
fn planned() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("scenario.yaml"), printed(path, &["example", "worked-example"])).unwrap();
    fs::write(
        path.join("plan.json"),
        printed(path, &["plan", "scenario.yaml", "--json", "--plan", "papers"]),
    )
    .unwrap();
    directory
}

#[test]
fn the_worked_example_has_eight_windows() {
    let directory = planned();
    let plan = json(&fs::read_to_string(directory.path().join("plan.json")).unwrap());
    assert_eq!(plan["schema"], "walras.plan/1");
    let windows: Vec<String> = plan["alternatives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            let nodes: Vec<&str> = found["slots"]
                .as_array()
                .unwrap()
                .iter()
                .map(|slot| slot["node"].as_str().unwrap())
                .collect();
            format!(
                "{} {}-{} {} {}",
                found["job"],
                found["start"],
                found["end"],
                found["cost"],
                nodes.join(",")
            )
        })
        .collect();
    insta::assert_snapshot!(windows.join("\n"), @r#"
    "J1" 150-230 800 cpu1,cpu4
    "J2" 230-260 420 cpu1,cpu2,cpu4
    "J3" 450-500 300 cpu2,cpu3
    "J1" 260-340 720 cpu1,cpu2
    "J2" 340-370 630 cpu1,cpu2,cpu6
    "J3" 500-550 300 cpu2,cpu3
    "J2" 420-450 750 cpu2,cpu5,cpu6
    "J3" 550-600 300 cpu2,cpu3
    "#);
}

#[test]
fn a_plan_verifies_and_a_changed_one_does_not() {
    let directory = planned();
    let path = directory.path();
    assert_eq!(printed(path, &["verify", "plan.json", "scenario.yaml"]), "verified: 8 alternatives hold\n");
    let verdict = json(&printed(path, &["verify", "plan.json", "scenario.yaml", "--json"]));
    assert_eq!(verdict["verified"], true);

    let mut plan = json(&fs::read_to_string(path.join("plan.json")).unwrap());
    plan["alternatives"][0]["slots"][0]["cost"] = 1.into();
    fs::write(path.join("plan.json"), plan.to_string()).unwrap();
    let output = walras(path, &["verify", "plan.json", "scenario.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r"
    alternatives[0] (job J1) claims to cost 800 credits but its slots add up to 401 credits
    alternatives[0].slots[0] (job J1, node vo/cpu1) claims to cost 1 credits but its time costs 400 credits
    refuted: 2 violations
    ");
    let output = walras(path, &["verify", "plan.json", "scenario.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap())["verified"], false);
}

#[test]
fn every_search_finds_windows_that_verify() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("s.yaml"), printed(path, &["example"])).unwrap();
    let searches = [
        "alp",
        "amp",
        "criterion=cost",
        "criterion=runtime",
        "criterion=finish",
        "criterion=start",
        "criterion=price",
        "criterion=node-time",
        "criterion=energy",
        "criterion=sum:memory_gb",
    ];
    for search in searches {
        for more in [&[][..], &["--on-the-fly"], &["--budget-factor", "0.9"]] {
            let arguments =
                [&["plan", "s.yaml", "--json", "--bound", "0", "--search", search][..], more].concat();
            let text = printed(path, &arguments);
            assert_eq!(json(&text)["search"]["algorithm"], search);
            assert!(!json(&text)["alternatives"].as_array().unwrap().is_empty(), "{arguments:?}");
            fs::write(path.join("p.json"), text).unwrap();
            printed(path, &["verify", "p.json", "s.yaml"]);
        }
    }
}

#[test]
fn json_scenarios_are_read_too() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = r#"{"walras": "scenario/1", "unit": "ms", "horizon": [0, 100],
        "sites": [{"name": "a", "nodes": [{"name": "n", "price": 0.5}]}],
        "jobs": [{"name": "J", "work": 30}]}"#;
    fs::write(directory.path().join("s.json"), scenario).unwrap();
    let plan = json(&printed(directory.path(), &["plan", "s.json", "--json"]));
    assert_eq!(plan["alternatives"].as_array().unwrap().len(), 3);
    assert_eq!(plan["alternatives"][0]["cost"], 15);
}

#[test]
fn limits_show() {
    let arguments = ["plan", "--example", "--json", "--alternatives-max", "1"];
    let plan = json(&printed(Path::new("."), &arguments));
    assert_eq!(plan["search"]["bound_hit"], true);
    assert_eq!(plan["search"]["limits_hit"][0], "alternatives_per_job");
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let arguments = ["plan", "--example", "--json"];
    assert_eq!(printed(Path::new("."), &arguments), printed(Path::new("."), &arguments));
}
