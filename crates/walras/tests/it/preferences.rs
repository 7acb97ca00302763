//! Preferences: in `walras plan`, and learnt by `walras preferences learn`.

use crate::vo::Vo;
use crate::{printed, walras};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

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
    let (content, cheap) = (by("satisfaction"), by("min-cost"));
    for satisfaction in [&content, &cheap] {
        let stakeholders = satisfaction["stakeholders"].as_array().unwrap();
        assert_eq!(stakeholders.len(), 7, "{satisfaction}");
        assert!(stakeholders.iter().all(|it| (0.0..=1.0).contains(&real(&it["satisfaction"]))));
    }
    assert!(real(&content["least"]) >= real(&cheap["least"]), "{content} {cheap}");
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
    let found = plan(&directory, &["--all"]);
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

/// What is printed of a learnt utility goes under a user as it is, and is what the user's content is measured by.
#[test]
fn a_learnt_utility_is_taken_as_it_is_printed() {
    let directory = directory();
    let path = directory.path().join("mine.yaml");
    let text = printed(directory.path(), &["preferences", "learn", "choices.yaml", "--segments", "2"]);
    let (_, learnt) = text.split_once("\n\n").unwrap();
    // His job costs more than what the choices were between.
    assert!(learnt.contains("cost: [10, 55]"), "{text}");
    let learnt = &learnt.replace("cost: [10, 55]", "cost: [10, 200]");
    assert!(learnt.contains("segments:\n  cost: [0, "), "{text}");
    let plain = learnt.split_once("segments:").unwrap().0;
    let good = fs::read_to_string(&path).unwrap();
    let bob = "- {name: bob, group: physics, weight: 2, jobs: [weather], prefers: {finish: 3, cost: 1}}";
    assert!(good.contains(bob));
    let content = |learnt: &str| {
        let own: String = learnt.lines().map(|line| format!("      {line}\n")).collect();
        fs::write(&path, good.replace(bob, &format!("- name: bob\n      jobs: [weather]\n{own}"))).unwrap();
        let plan = plan(&directory, &["--objective", "min-cost"]);
        let all = plan["satisfaction"]["stakeholders"].as_array().unwrap();
        real(&all.iter().find(|it| it["name"] == "bob").unwrap()["satisfaction"])
    };
    // In the better half of each range nothing is lost, so that he is no less content.
    let (with, without) = (content(learnt), content(plain));
    assert!(with > without, "{with} with the utility, {without} without");
    let wrong = learnt.replace("cost: [0, ", "cost: [-1, ");
    let own: String = wrong.lines().map(|line| format!("      {line}\n")).collect();
    fs::write(&path, good.replace(bob, &format!("- name: bob\n      jobs: [weather]\n{own}"))).unwrap();
    let output = walras(directory.path(), &["plan", "mine.yaml"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("segments.cost[0]"), "{said}");
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

/// One site, two jobs, and a quota of one job there, by every objective that sums.
#[test]
fn quotas_are_kept_by_every_objective() {
    for objective in ["min-cost", "min-time", "max-income", "max-use", "min-makespan"] {
        let file = json!({
            "walras": "scenario/1", "horizon": [0, 600],
            "sites": [{"name": "s0", "nodes": [{"name": "n0", "performance": 1, "price": 0.01}]}],
            "jobs": [
                {"name": "low", "tasks": 1, "work": 100, "priority": 1},
                {"name": "high", "tasks": 1, "work": 100, "priority": 2},
            ],
            "policy": {"objective": objective},
            "preferences": {
                "users": [{"name": "u", "jobs": ["low", "high"], "prefers": {"cost": 1, "finish": 1}}],
                "owners": [{"site": "s0", "quotas": [{"jobs": 1}]}],
            },
        });
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("scenario.json"), file.to_string()).unwrap();
        let planned: Value =
            serde_json::from_str(&printed(directory.path(), &["plan", "scenario.json", "--json"])).unwrap();
        assert_eq!(planned["chosen"].as_array().unwrap().len(), 1, "{objective}");
        assert_eq!(planned["chosen"][0]["job"], "high", "{objective}");
        assert_eq!(planned["left_out"], json!(["low"]));
        assert_eq!(planned["left_out_by_quota"], json!(["low"]));
        assert_eq!((&planned["status"], &planned["gap"]), (&json!("feasible"), &json!(1)));
        let shown = printed(directory.path(), &["plan", "scenario.json"]);
        assert!(
            shown.contains("low is left out: what is chosen leaves it no room within the owners' quotas.")
        );
        assert!(shown.contains("nothing is proven of what is left after jobs were left out"), "{shown}");
        fs::write(directory.path().join("plan.json"), planned.to_string()).unwrap();
        let verified = printed(directory.path(), &["verify", "plan.json", "scenario.json"]);
        assert!(verified.starts_with("verified"), "{verified}");
    }
}

/// With nobody to be left out there is no plan that keeps the quota, whatever is best.
#[test]
fn quotas_that_leave_somebody_out_are_refused_where_nobody_may_be() {
    for objective in ["min-cost", "satisfaction"] {
        let file = json!({
            "walras": "scenario/1", "horizon": [0, 600],
            "sites": [{"name": "s0", "nodes": [{"name": "n0", "performance": 1, "price": 0.01}]}],
            "jobs": [{"name": "a", "tasks": 1, "work": 100}, {"name": "b", "tasks": 1, "work": 100}],
            "policy": {"objective": objective, "leave_out": "never"},
            "preferences": {
                "users": [{"name": "u", "jobs": ["a", "b"], "prefers": {"cost": 1}}],
                "owners": [{"site": "s0", "quotas": [{"jobs": 1}]}],
            },
        });
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("scenario.json"), file.to_string()).unwrap();
        let output = walras(directory.path(), &["plan", "scenario.json"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("owners' quotas") && error.contains("leave_out: never"), "{error}");
    }
}

/// A service with a cheap site and a fast one, which ada asks and takes from.
#[test]
fn what_somebody_took_of_quotes_teaches_what_counts_for_them() {
    let more = "[[site]]\nname = \"slow\"\nowner = \"olga\"\nconnector = \"simulated\"\ncount = 8\nprice = 0.1\n\
                [[site]]\nname = \"fast\"\nowner = \"otto\"\nconnector = \"simulated\"\ncount = 8\nprice = 0.5\n\
                performance = 2\n";
    let vo = Vo::with(more);
    let nothing = vo.refused(&["preferences", "learn", "--mine"], "");
    assert!(nothing.0 == Some(2) && nothing.1.contains("nothing to learn from"), "{nothing:?}");
    let job = "walras: job/1\nname: choose\nwork: 600\nbudget: 900\nprefers: {cost: 1, finish: 1}\n\
               sites: [slow, fast]\n";
    fs::write(vo.path().join("job.yaml"), job).unwrap();
    let quote = || -> Value {
        let output = vo.walras(&["quote", "job.yaml", "--json"], "");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    };
    // She takes the cheap one each time, although it ends later.
    for _ in 0..2 {
        let end = Instant::now() + Duration::from_secs(30);
        let quote = loop {
            let quote = quote();
            if quote["options"].as_array().is_some_and(|it| it.len() >= 2) || Instant::now() > end {
                break quote;
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        let options = quote["options"].as_array().unwrap_or_else(|| panic!("{quote}"));
        let cheap = options.iter().position(|it| it["sites"] == json!(["slow"]));
        let cheap = cheap.unwrap_or_else(|| panic!("{quote}")).to_string();
        vo.done(&["accept", &quote["quote"].to_string(), &cheap]);
    }
    let learnt: Value =
        serde_json::from_str(&vo.done(&["preferences", "learn", "--mine", "--json"])).unwrap();
    let text = vo.done(&["preferences", "learn", "--mine"]);
    assert!(text.contains("2 of 2 preferences reproduced"), "{text}");
    let weight = |name: &str| {
        let of = learnt["criteria"].as_array().unwrap().iter().find(|it| it["criterion"] == name);
        real(&of.unwrap_or_else(|| panic!("{learnt}"))["weight"])
    };
    assert!(weight("cost") > weight("finish"), "{learnt}");
    // What it prints can be put into a job file as it is.
    let (_, prefers) = text.split_once("\n\n").unwrap();
    let plain = job.replace("prefers: {cost: 1, finish: 1}\n", "");
    fs::write(vo.path().join("learnt.yaml"), format!("{plain}{prefers}")).unwrap();
    vo.done(&["quote", "learnt.yaml", "--json"]);
}
