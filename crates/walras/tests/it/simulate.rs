//! `walras simulate`

use crate::{printed, walras};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A directory with a trace of a machine of four nodes.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut trace = String::from("; MaxProcs: 4\n; Acknowledge: somebody\n");
    for number in 0..24 {
        let (submit, run, nodes) = (40 * number, 60 + 30 * (number % 5), 1 + number % 4);
        trace += &format!(
            "{number} {submit} -1 {run} {nodes} -1 -1 {nodes} 300 -1 1 {} 1 -1 -1 -1 -1 -1\n",
            number % 3
        );
    }
    trace += "nonsense\n";
    fs::write(directory.path().join("t.swf"), trace).unwrap();
    directory
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn policies_are_compared_and_everything_is_written() {
    let directory = directory();
    let call = [
        "simulate", "t.swf", "--policy", "fcfs", "--policy", "easy", "--policy", "walras", "--audit",
        "--out", "o",
    ];
    let text = printed(directory.path(), &call);
    assert!(text.contains("24 jobs on 4 nodes of 1 site; 1 seed"), "{text}");
    assert!(text.contains("t.swf: 1 lines cannot be read") && text.contains("thanks to somebody"), "{text}");
    let out = directory.path().join("o");
    let results: Value = serde_json::from_str(&read(&out.join("results.json"))).unwrap();
    assert_eq!((results["schema"].as_str(), results["jobs"].as_u64()), (Some("walras.study/1"), Some(24)));
    let waits: Vec<f64> = results["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["metrics"]["wait"]["mean"].as_f64().unwrap())
        .collect();
    assert!(waits[1] <= waits[0], "{waits:?}");
    assert_eq!(results["runs"][2]["metrics"]["promises"][1], 0);
    assert_eq!(read(&out.join("runs.csv")).lines().count(), 4);
    assert_eq!(read(&out.join("schedule-2-easy.csv")).lines().count(), 25);
    let page = read(&out.join("report.html"));
    assert!(
        page.contains("</html>") && page.matches("<svg").count() == 7,
        "{}",
        page.matches("<svg").count()
    );
    // A schedule is a trace again.
    let again =
        printed(directory.path(), &["simulate", "o/schedule-1-fcfs.swf", "--policy", "fcfs", "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["runs"][0]["metrics"]["wait"]["mean"].as_f64(), Some(waits[0]));
}

#[test]
fn results_follow_from_the_call_and_finished_runs_are_not_run_again() {
    let directory = directory();
    let call = [
        "simulate",
        "t.swf",
        "--sites",
        "a:4,b:4:2:3",
        "--policy",
        "cheapest",
        "--policy",
        "mct:queue=conservative",
        "--budgets",
        "1.2-3",
        "--deadlines",
        "1-4",
        "--seeds",
        "3",
        "--out",
        "o",
    ];
    let first = printed(directory.path(), &[&call[..], &["--threads", "1"]].concat());
    let results = read(&directory.path().join("o/results.json"));
    assert_eq!(fs::read_dir(directory.path().join("o/runs")).unwrap().count(), 4);
    // From what the first call left.
    assert_eq!(printed(directory.path(), &[&call[..], &["--threads", "3"]].concat()), first);
    assert_eq!(read(&directory.path().join("o/results.json")), results);
    fs::remove_dir_all(directory.path().join("o")).unwrap();
    assert_eq!(printed(directory.path(), &[&call[..], &["--threads", "3"]].concat()), first);
    assert_eq!(read(&directory.path().join("o/results.json")), results);
}

#[test]
fn a_sweep_has_a_directory_for_every_point() {
    let directory = directory();
    fs::write(directory.path().join("s.yaml"), "load: [0.5, 2]\npolicy: [easy]\n").unwrap();
    let text = printed(directory.path(), &["simulate", "t.swf", "--sweep", "s.yaml", "--out", "o"]);
    assert!(text.contains("load 0.5\n") && text.contains("load 2\n"), "{text}");
    for point in ["load_0_5", "load_2"] {
        assert!(directory.path().join("o").join(point).join("report.html").exists());
    }
}

#[test]
fn jobs_come_from_our_own_files_and_from_journals() {
    let directory = directory();
    fs::write(
        directory.path().join("j.yaml"),
        "jobs: [{submit: 0, nodes: 2, run: 60}, {submit: 9, nodes: 3, run: 60}]",
    )
    .unwrap();
    let text = printed(directory.path(), &["simulate", "j.yaml", "--sites", "4", "--policy", "easy"]);
    assert!(text.contains("2 jobs on 4 nodes"), "{text}");
    let world =
        ["world", "--seed", "3", "--no-faults", "--jobs", "6", "--minutes", "20", "--journal", "w.jsonl"];
    printed(directory.path(), &world);
    let text = printed(
        directory.path(),
        &["simulate", "--from", "w.jsonl", "--policy", "walras", "--policy", "easy"],
    );
    assert!(text.contains("on average as it was"), "{text}");
}

#[test]
fn what_is_wrong_is_said() {
    let directory = directory();
    fs::write(directory.path().join("empty.swf"), "; MaxProcs: 4\n").unwrap();
    fs::write(directory.path().join("unknown.swf"), "1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n")
        .unwrap();
    let wrong: [(&[&str], &str); 7] = [
        (&["simulate", "t.swf", "--policy", "best"], "there is no such policy"),
        (&["simulate", "t.swf", "--sites", "a:0"], "needs a number of nodes"),
        (&["simulate", "missing.swf"], "missing.swf: cannot be read"),
        (&["simulate", "empty.swf"], "there is no job to simulate"),
        (&["simulate", "unknown.swf"], "pass --sites"),
        (&["simulate", "t.swf", "--budgets", "3-1"], "is not LOW-HIGH"),
        (&["simulate"], "required"),
    ];
    for (call, expected) in wrong {
        let output = walras(directory.path(), call);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(expected), "{call:?}: {said}");
    }
}
