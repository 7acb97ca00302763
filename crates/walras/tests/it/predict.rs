//! `walras predict`

use crate::{printed, walras};
use serde_json::Value;
use std::fs;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let history = printed(directory.path(), &["example", "history"]);
    fs::write(directory.path().join("history.swf"), history).unwrap();
    directory
}

fn json(directory: &tempfile::TempDir, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(directory.path(), arguments)).unwrap()
}

#[test]
fn a_prediction_names_its_template_and_its_error() {
    let directory = directory();
    let call = ["predict", "history.swf", "--job", "user=2,size=2,estimate=1000", "--json"];
    let found = json(&directory, &call);
    let seconds = found["run_time"]["seconds"].as_f64().unwrap();
    assert!((580.0..620.0).contains(&seconds), "{found}");
    assert!(found["run_time"]["by"].as_str().unwrap().contains("share of the estimate"), "{found}");
    assert!(found["run_time"]["alike"]["confidence_95"][0].is_number(), "{found}");
    assert!(found["wait"]["seconds"].is_number());
}

#[test]
fn lines_that_hold_no_job_are_named_and_counted() {
    let directory = directory();
    let found = json(&directory, &["predict", "evaluate", "history.swf", "--json"]);
    assert_eq!(found["history"]["jobs"], 200);
    assert_eq!(found["history"]["bad_lines"][0]["line"], 204);
    assert_eq!(found["history"]["bad_lines"][1]["line"], 205);
    let text = printed(directory.path(), &["predict", "evaluate", "history.swf"]);
    assert!(text.contains("2 lines hold no possible job"), "{text}");
    assert!(text.contains("line 204: column 4: a run time of -7 s is impossible"), "{text}");
    assert!(text.contains("line 205: 7 columns where 18 are needed"), "{text}");
}

#[test]
fn templates_beat_estimates_where_there_is_something_to_learn() {
    let directory = directory();
    let found = json(&directory, &["predict", "evaluate", "history.swf", "--json"]);
    let error = |who: &str| found["run_time"]["with_estimate"][who]["error_mean"].as_f64().unwrap();
    assert!(error("templates") * 2.0 < error("estimate"), "{found}");
    assert!(error("templates") < error("last_two"), "{found}");
}

#[test]
fn bad_histories_and_jobs_are_refused() {
    let directory = directory();
    let path = directory.path();
    fs::write(path.join("empty.swf"), "; nothing\n").unwrap();
    fs::write(path.join("text.swf"), "once upon a time\n").unwrap();
    fs::write(path.join("packed.swf"), [0x1f, 0x8b, 8, 0]).unwrap();
    let cases = [
        (vec!["predict", "none.swf", "--job", "user=1"], "none.swf: cannot be read"),
        (
            vec!["predict", "empty.swf", "--job", "user=1"],
            "empty.swf: no job could be read: there is no line",
        ),
        (
            vec!["predict", "evaluate", "text.swf"],
            "text.swf: no job could be read: line 1: 4 columns where 18",
        ),
        (vec!["predict", "evaluate", "packed.swf"], "packed.swf: is compressed: unpack it with gunzip first"),
        (vec!["predict", "history.swf", "--job", "colour=1"], "'colour' is not known of a job"),
        (vec!["predict", "history.swf"], "--job"),
    ];
    for (arguments, expected) in cases {
        let output = walras(path, &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}
