//! Preferences: in `walras plan`, and learnt by `walras preferences learn`.

use crate::{printed, walras};
use serde_json::Value;
use std::fs;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, file) in [("preferences", "mine.yaml"), ("choices", "choices.yaml")] {
        fs::write(directory.path().join(file), printed(directory.path(), &["example", name])).unwrap();
    }
    directory
}

fn plan(directory: &tempfile::TempDir, more: &[&str]) -> Value {
    let arguments = [&["plan", "mine.yaml", "--json"][..], more].concat();
    serde_json::from_str(&printed(directory.path(), &arguments)).unwrap()
}

fn real(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn every_plan_says_how_content_everybody_is() {
    let directory = directory();
    let by = |objective: &str| plan(&directory, &["--objective", objective])["satisfaction"].clone();
    let (suits, cheap) = (by("satisfaction"), by("min-cost"));
    for satisfaction in [&suits, &cheap] {
        let stakeholders = satisfaction["stakeholders"].as_array().unwrap();
        assert_eq!(stakeholders.len(), 7, "{satisfaction}");
        assert!(stakeholders.iter().all(|it| (0.0..=1.0).contains(&real(&it["satisfaction"]))));
    }
    assert!(real(&suits["least"]) >= real(&cheap["least"]), "{suits} {cheap}");
}

#[test]
fn the_policy_of_the_scenario_may_ask_for_satisfaction() {
    let directory = directory();
    assert_eq!(plan(&directory, &[])["objective"], "satisfaction");
    let again = plan(&directory, &["--objective", "satisfaction"]);
    assert_eq!(plan(&directory, &[]), again);
}

#[test]
fn what_was_planned_by_satisfaction_verifies() {
    let directory = directory();
    let call = ["plan", "mine.yaml", "--json", "--pareto", "cost,finish"];
    fs::write(directory.path().join("plan.json"), printed(directory.path(), &call)).unwrap();
    let text = printed(directory.path(), &["verify", "plan.json", "mine.yaml"]);
    assert!(text.starts_with("verified"), "{text}");
}

#[test]
fn a_front_holds_nothing_that_is_dominated() {
    let directory = directory();
    let front =
        plan(&directory, &["--pareto", "cost,finish", "--pareto-picture", "front.svg"])["pareto"].clone();
    let points: Vec<(f64, f64)> =
        front["points"].as_array().unwrap().iter().map(|it| (real(&it["x"]), real(&it["y"]))).collect();
    assert!(points.len() > 1, "{front}");
    assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1), "{points:?}");
    let svg = fs::read_to_string(directory.path().join("front.svg")).unwrap();
    assert!(svg.contains("Pareto front"));
}

#[test]
fn owners_rules_keep_jobs_out() {
    let directory = directory();
    let path = directory.path().join("mine.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("{group: biology, allow: true}", "{group: biology, allow: false}"))
        .unwrap();
    let found = plan(&directory, &[]);
    let uses_campus = |alternative: &&Value| {
        let slots = alternative["slots"].as_array().unwrap();
        alternative["job"] == "sweep" && slots.iter().any(|slot| slot["site"] == "campus")
    };
    assert!(!found["alternatives"].as_array().unwrap().iter().any(|it| uses_campus(&it)), "{found}");
}

#[test]
fn weights_are_learnt_and_reproduce_the_choices() {
    let directory = directory();
    let call = ["preferences", "learn", "choices.yaml", "--json"];
    let learnt: Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
    assert_eq!(learnt["reproduced"], learnt["preferences"]);
    assert!(real(&learnt["margin"]) > 0.0);
    let weights: f64 = learnt["criteria"].as_array().unwrap().iter().map(|it| real(&it["weight"])).sum();
    assert!((weights - 1.0).abs() < 1e-4, "{weights}");
}

#[test]
fn bad_preferences_are_refused_with_their_places() {
    let directory = directory();
    let path = directory.path();
    let good = fs::read_to_string(path.join("mine.yaml")).unwrap();
    let cases = [
        ("prefers: {cost: 4, finish: 1}", "prefers: {cost: 0, finish: 0}", "all weights are zero"),
        ("prefers: {cost: 4, finish: 1}", "prefers: {cost: -4}", "-4 is not a weight"),
        ("prefers: {cost: 4, finish: 1}", "prefers: {colour: 4}", "colour is not a criterion: expected"),
        ("prefers: {cost: 4, finish: 1}", "prefers: {'more:disk': 4}", "says anything of more:disk"),
        ("[0, 7200]", "[7200, 7200]", "is an empty range"),
        ("site: cloud, prefers", "site: clouds, prefers", "clouds is not the name of a site"),
        ("jobs: [weather]", "jobs: [whether]", "whether is not the name of a job"),
        ("jobs: [weather]", "jobs: [weather, train]", "train is claimed twice"),
        ("hours: [10, 18]", "hours: [18, 10]", "are no time at all"),
        ("{group: physics, jobs: 1}", "{group: physics}", "exactly one of jobs, node_time and spend"),
        ("weight: 2", "weight: -2", "-2 is not a weight"),
    ];
    for (old, new, expected) in cases {
        assert!(good.contains(old), "{old}");
        fs::write(path.join("bad.yaml"), good.replace(old, new)).unwrap();
        let output = walras(path, &["plan", "bad.yaml"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{new}: {error}");
        assert!(error.contains(expected), "{new}: {error}");
    }
    let output = walras(path, &["plan", "mine.yaml", "--pareto", "cost,cost"]);
    assert_eq!(output.status.code(), Some(2));
    let output = walras(path, &["plan", "mine.yaml", "--pareto", "cost,more:disk"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("--pareto") && output.status.code() == Some(2), "{error}");
}
