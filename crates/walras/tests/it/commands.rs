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
    let verdict = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(verdict["verified"], false);
    let found = serde_json::json!([
        {
            "kind": "wrong_total",
            "at": { "index": 0, "job": "J1" },
            "expected": 401_000_000,
            "claimed": 800_000_000,
            "sentence": "alternatives[0] (job J1) claims to cost 800 credits but its slots add up to 401 credits",
        },
        {
            "kind": "wrong_cost",
            "at": { "alternative": 0, "job": "J1", "index": 0, "site": "vo", "node": "cpu1" },
            "expected": 400_000_000,
            "claimed": 1_000_000,
            "sentence":
                "alternatives[0].slots[0] (job J1, node vo/cpu1) claims to cost 1 credits but its time costs 400 credits",
        },
    ]);
    assert_eq!(verdict["violations"], found);
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
    let plan = json(&printed(directory.path(), &["plan", "s.json", "--json", "--all"]));
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

/// The slots of what is chosen, by job.
fn chosen_slots(plan: &Value) -> Vec<(Value, Value)> {
    let chosen = plan["chosen"].as_array().unwrap().iter();
    let place = |it: &Value| usize::try_from(it["alternative"].as_u64().unwrap()).unwrap();
    chosen.map(|it| (it["job"].clone(), plan["alternatives"][place(it)].clone())).collect()
}

#[test]
fn a_plan_lists_what_is_chosen_and_counts_the_rest() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("pipeline.yaml"), printed(path, &["example", "pipeline"])).unwrap();
    for example in ["federation", "worked-example", "two-tier", "metabroker", "preferences"] {
        fs::write(path.join("s.yaml"), printed(path, &["example", example])).unwrap();
        for more in [&[][..], &["--time-limit", "7000", "--pareto", "cost,finish"]] {
            let plan = |all: &[&str]| {
                let base = ["plan", "s.yaml", "--json", "--allow-unplaced"];
                let text = printed(path, &[&base[..], more, all].concat());
                fs::write(path.join("p.json"), &text).unwrap();
                printed(path, &["verify", "p.json", "s.yaml"]);
                json(&text)
            };
            let (all, short) = (plan(&["--all"]), plan(&[]));
            assert_eq!(chosen_slots(&all), chosen_slots(&short), "{example} {more:?}");
            assert_eq!((&all["totals"], &all["left_out"]), (&short["totals"], &short["left_out"]));
            assert_eq!(all["unscheduled"], short["unscheduled"]);
            let count = |plan: &Value| plan["alternatives"].as_array().unwrap().len();
            let rest = short["unlisted"].as_array().map_or(0, |unlisted| {
                unlisted.iter().map(|it| usize::try_from(it["windows"].as_u64().unwrap()).unwrap()).sum()
            });
            assert!(all.get("unlisted").is_none() && count(&short) <= count(&all), "{example} {more:?}");
            assert_eq!(count(&short) + rest, count(&all), "{example} {more:?}");
            assert_eq!(fronts(&all), fronts(&short), "{example} {more:?}");
        }
    }
}

/// The windows of every point of a front.
fn fronts(plan: &Value) -> Vec<Vec<Value>> {
    let points = plan["pareto"]["points"].as_array().map_or(&[][..], Vec::as_slice);
    let window =
        |place: &Value| plan["alternatives"][usize::try_from(place.as_u64().unwrap()).unwrap()].clone();
    points
        .iter()
        .map(|point| point["alternatives"].as_array().unwrap().iter().map(window).collect())
        .collect()
}

#[test]
fn the_search_ends_where_more_windows_cannot_change_the_choice() {
    let plan = |more: &[&str]| {
        let base =
            ["plan", "--example", "--search", "criterion=cost", "--time-limit", "none", "--allow-unplaced"];
        printed(Path::new("."), &[&base[..], more].concat())
    };
    let (all, enough) = (json(&plan(&["--json", "--all"])), json(&plan(&["--json"])));
    assert_eq!(chosen_slots(&all), chosen_slots(&enough));
    assert_eq!((all["search"].get("enough"), &enough["search"]["enough"]), (None, &true.into()));
    let read = |plan: &Value| plan["search"]["slots_scanned"].as_u64().unwrap();
    assert!(read(&enough) < read(&all), "{} {}", read(&enough), read(&all));
    assert!(plan(&["--show", "1"]).ends_with("could not change the choice (see --all).\n"));
    assert!(!plan(&["--show", "1", "--all"]).contains("--all"));
}
