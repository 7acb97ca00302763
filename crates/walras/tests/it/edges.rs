//! Exit codes, warnings and pictures: what scripts and people rely on at the edge of planning from files.

use crate::{printed, walras};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// One node, free for a hundred seconds, and jobs of these lengths.
fn scenario(directory: &Path, works: &[u32]) {
    let jobs: Vec<Value> =
        (1..).zip(works).map(|(number, work)| json!({"name": format!("j{number}"), "work": work})).collect();
    let scenario = json!({
        "walras": "scenario/1",
        "horizon": [0, 100],
        "sites": [{"name": "s", "nodes": [{"name": "n", "price": 1}]}],
        "jobs": jobs,
    });
    fs::write(directory.join("s.json"), scenario.to_string()).unwrap();
}

fn code(directory: &Path, arguments: &[&str]) -> Option<i32> {
    walras(directory, arguments).status.code()
}

#[test]
fn scripts_can_tell_all_placed_from_some_not_placed() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    scenario(at, &[10, 20]);
    assert_eq!(code(at, &["plan", "s.json"]), Some(0), "everybody is placed");
    scenario(at, &[10, 200]);
    for more in [&[][..], &["--json"], &["--no-choice"], &["--on-the-fly"]] {
        let call = [&["plan", "s.json"][..], more].concat();
        let output = walras(at, &call);
        assert_eq!(output.status.code(), Some(1), "{call:?}: one job is too long");
        assert!(!output.stdout.is_empty(), "the plan is printed all the same");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(code(at, &[&call[..], &["--allow-unplaced"]].concat()), Some(0), "{call:?}");
    }
    assert_eq!(code(at, &["plan", "nowhere.json"]), Some(2));
    // What is chosen leaves no room for somebody who has windows.
    scenario(at, &[60, 60]);
    assert_eq!(code(at, &["plan", "s.json"]), Some(1));
}

/// A workflow of WfCommons with a size and a run time below zero.
fn wfcommons(runtime: &str, size: &str) -> String {
    format!(
        r#"{{"name": "w", "schemaVersion": "1.5", "workflow": {{
            "specification": {{
                "tasks": [
                    {{"id": "a", "children": ["b"], "outputFiles": ["f"]}},
                    {{"id": "b", "parents": ["a"], "inputFiles": ["f"]}}
                ],
                "files": [{{"id": "f", "sizeInBytes": {size}}}]
            }},
            "execution": {{"tasks": [
                {{"id": "a", "runtimeInSeconds": {runtime}}},
                {{"id": "b", "runtimeInSeconds": 5, "coreCount": -1, "memoryInBytes": -2}}
            ]}}
        }}}}"#
    )
}

#[test]
fn what_can_be_read_is_read_and_the_rest_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("w.json"), wfcommons("-3", "-7")).unwrap();
    let output = walras(at, &["workflow", "w.json", "--nodes", "2", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = [
        "w.json:7:54: workflow.specification.files[0].sizeInBytes: -7 is not an amount of data: it must be a number of bytes, \
         not negative; no data is assumed",
        "w.json:10:49: workflow.execution.tasks[0].runtimeInSeconds: -3 is not a run time: it must not be negative; no run time \
         is assumed",
        "w.json:11:65: workflow.execution.tasks[1].coreCount: -1 is not a number of cores: it must not be negative; one core is \
         assumed",
        "w.json:11:86: workflow.execution.tasks[1].memoryInBytes: -2 is not an amount of data: it must be a number of bytes, not \
         negative; no need of memory is assumed",
    ];
    assert_eq!(plan["warnings"], json!(warnings));
    assert_eq!(plan["makespan"], json!(5));
    let told: Vec<String> = warnings.iter().map(|warning| format!("walras: warning: {warning}\n")).collect();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), told.concat());
    // What is no number at all is refused.
    for (runtime, size) in [("\"soon\"", "1"), ("1", "\"much\""), ("1", "[]")] {
        fs::write(at.join("w.json"), wfcommons(runtime, size)).unwrap();
        assert_eq!(code(at, &["workflow", "w.json", "--nodes", "2"]), Some(2), "{runtime} {size}");
    }
}

#[test]
fn warnings_are_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let jobs: String = (0..500).map(|job| format!("<job id=\"j{job}\" runtime=\"-1\"/>")).collect();
    fs::write(directory.path().join("w.dax"), format!("<adag name=\"w\">{jobs}</adag>")).unwrap();
    let output = walras(directory.path(), &["workflow", "w.dax", "--nodes", "2"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.lines().count(), 21, "{told}");
    assert!(told.ends_with("w.dax: 480 more values cannot be and are not listed\n"), "{told}");
}

#[test]
fn a_picture_may_show_a_part_and_says_what_it_leaves_out() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let drawn = |more: &[&str]| {
        printed(at, &[&["plan", "--example", "--gantt", "p.svg"][..], more].concat());
        let svg = fs::read_to_string(at.join("p.svg")).unwrap();
        (svg.matches("data-window=").count(), svg)
    };
    let (all, svg) = drawn(&[]);
    assert!(!svg.contains("are shown."));
    let (chosen, svg) = drawn(&["--chosen-only"]);
    assert_eq!(chosen, 6, "as many as jobs are served");
    let note = format!("Not drawn: {} of {all} windows; only chosen windows are shown.", all - chosen);
    assert!(svg.contains(&note), "{note}");
    assert!(!svg.contains("other alternative") && !svg.contains("stroke-dasharray"));
    let (of_job, svg) = drawn(&["--job", "render"]);
    assert!(of_job > 1 && of_job < all, "{of_job} of {all}");
    assert!(svg.contains("only windows of the jobs asked for are shown."));
    assert!(svg.matches("data-window=\"render·").count() == of_job);
    assert_eq!(drawn(&["--job", "render", "--chosen-only"]).0, 1);
    let output = walras(at, &["plan", "--example", "--gantt", "p.svg", "--job", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the scenario has no job 'nobody'"));
}

#[test]
fn pictures_of_workflows_show_data_and_the_critical_path() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("p.yaml"), printed(at, &["example", "pipeline"])).unwrap();
    printed(at, &["workflow", "p.yaml", "--nodes", "4", "--gantt", "w.svg"]);
    let svg = fs::read_to_string(at.join("w.svg")).unwrap();
    assert!(svg.contains("critical path") && svg.contains("data between nodes"));
    assert!(svg.contains("url(#walras-head)") && svg.contains("on the critical path"));
    // In two tiers every task has a shade of its own job's colour.
    printed(at, &["plan", "--example", "two-tier", "--gantt", "t.svg"]);
    let svg = fs::read_to_string(at.join("t.svg")).unwrap();
    assert!(svg.contains("tasks have shades of their job"));
}
