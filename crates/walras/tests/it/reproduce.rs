//! `walras reproduce`

use crate::{printed, walras};
use serde_json::Value;
use std::fs;

#[test]
fn experiments_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let text = printed(directory.path(), &["reproduce"]);
    assert!(text.contains("slot-search") && text.contains("batch-optimisation"), "{text}");
    let json: Value = serde_json::from_str(&printed(directory.path(), &["reproduce", "--json"])).unwrap();
    assert_eq!(json["experiments"][0]["name"], "slot-search");
    assert_eq!(json["experiments"][1]["cycles"], 5_000);
    assert_eq!(json["experiments"][2]["name"], "metabroker");
}

#[test]
fn a_report_is_written_and_depends_on_the_seed_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let run = |seed: &str, threads: &str, out: &str| {
        let arguments = ["reproduce", "slot-search", "--cycles", "40", "--seed", seed];
        printed(path, &[&arguments[..], &["--threads", threads, "--json", "--out", out]].concat());
        fs::read_to_string(path.join(out).join("results.json")).unwrap()
    };
    let first = run("3", "1", "deep/one");
    assert_eq!(first, run("3", "4", "two"));
    assert_ne!(first, run("4", "1", "three"));
    let json: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&json["experiment"], &json["cycles"]), (&"slot-search".into(), &40.into()));
    for file in ["figure-4.svg", "figure-5.svg", "figure-6.svg", "report.html"] {
        assert!(path.join("deep/one").join(file).exists(), "{file}");
    }
}

#[test]
fn kinds_are_counted_apart() {
    let directory = tempfile::tempdir().unwrap();
    let text = printed(directory.path(), &["reproduce", "multicriteria"]);
    assert!(
        text.contains("compared: 32 of 32 within the tolerance to either side; parameters were fitted to"),
        "{text}"
    );
    assert!(text.contains("shown: ") && !text.contains("NO") && !text.contains('\x1b'), "{text}");
    let small = printed(directory.path(), &["reproduce", "slot-search", "--cycles", "20"]);
    assert!(small.contains("not judged: a small run, 20 of 25000 cycles"), "{small}");
    assert!(small.contains("laws: 3 of 3 hold (checks of the code, not of the paper)"), "{small}");
    assert!(!small.contains("NO"), "{small}");
}

#[test]
fn a_config_changes_the_experiment() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mine.yaml"), "jobs: {count: [1, 1]}\n").unwrap();
    let arguments = ["reproduce", "slot-search", "--cycles", "20", "--config", "mine.yaml", "--json"];
    let json: Value = serde_json::from_str(&printed(directory.path(), &arguments)).unwrap();
    assert_eq!(json["config"]["jobs"]["count"], serde_json::json!([1, 1]));
    assert_eq!(json["figures"][1]["ours"], 1.0);
    assert!(json["unjudged"].as_str().unwrap().contains("not the papers'"));
}

#[test]
fn bad_calls_and_configs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("bad.yaml"), "slots: {same_start: 2}\n").unwrap();
    fs::write(path.join("binary.yaml"), [0xff, 0xfe]).unwrap();
    fs::write(path.join("file"), "").unwrap();
    let few = |more: &[&'static str]| [&["reproduce", "slot-search", "--cycles", "2"][..], more].concat();
    let cases = [
        (few(&["--config", "bad.yaml"]), "bad.yaml: slots.same_start: 2 must lie within [0, 1]"),
        (few(&["--config", "none.yaml"]), "none.yaml: cannot be read"),
        (few(&["--config", "binary.yaml"]), "binary.yaml: is not UTF-8 text"),
        (few(&["--out", "file/below"]), "file/below: cannot be made"),
        (
            vec!["reproduce", "all"],
            "'all' is not an experiment: expected one of slot-search, batch-optimisation, metabroker, two-tier, multicriteria",
        ),
        (vec!["reproduce", "slot-search", "--cycles", "0"], "--cycles"),
        (vec!["reproduce", "--cycles", "5"], "EXPERIMENT"),
    ];
    for (arguments, expected) in cases {
        let output = walras(path, &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
        assert!(!error.contains('\r'), "no progress where nobody looks: {error:?}");
    }
}
