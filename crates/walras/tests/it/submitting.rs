//! What `walras submit` makes of the words and files that it is given, and what it refuses before anything is sent.

use crate::client::{ask, fake, texts};
use crate::walras;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Exit code, output and complaint of `walras submit --dry-run`, which needs no service.
fn dry_run(directory: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    texts(&walras(directory, &[&["submit", "--dry-run"], words].concat()))
}

const SCRIPT: &str = "#!/bin/sh\n#SBATCH -t 1\necho $1\n";
const JOB: &str = "walras: job/1\nname: j\nwork: 1\ncommand: [\"true\"]\n";

#[test]
fn a_job_straight_after_a_script_is_no_argument_unless_somebody_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let files = [
        ("a.sh", SCRIPT),
        ("b.sh", SCRIPT),
        ("job.yaml", JOB),
        ("helper.sh", "#!/bin/sh\necho\n"),
        ("data.yaml", "walras: scenario/1\n"),
        ("data.json", "{\"a\": 1}"),
    ];
    for (name, text) in files {
        fs::write(at.join(name), text).unwrap();
    }
    for other in ["b.sh", "job.yaml"] {
        let (code, out, err) = dry_run(at, &["a.sh", other]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        let expected = format!(
            "walras: {other} is a job itself, and words after the script a.sh are its arguments: submit one after the other, or \
             hand it to the script by `walras submit a.sh -- {other}`\n"
        );
        assert_eq!(err, expected);
    }
    let arguments = |words: &[&str]| {
        let (code, out, err) = dry_run(at, words);
        assert_eq!(code, Some(0), "{words:?}: {err}");
        serde_json::from_str::<Value>(&out).unwrap()["job"]["command"].clone()
    };
    assert_eq!(arguments(&["a.sh", "--", "b.sh"]), json!(["b.sh"]));
    assert_eq!(arguments(&["a.sh", "helper.sh", "b.sh"]), json!(["helper.sh", "b.sh"]));
    assert_eq!(arguments(&["a.sh", "data.yaml"]), json!(["data.yaml"]));
    assert_eq!(arguments(&["a.sh", "data.json"]), json!(["data.json"]));
    assert_eq!(arguments(&["a.sh", "no-such.sh"]), json!(["no-such.sh"]));
}

#[test]
fn links_out_of_the_jobs_directory_are_refused_with_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::create_dir(at.join("here")).unwrap();
    fs::create_dir(at.join("elsewhere")).unwrap();
    fs::write(at.join("elsewhere/secret"), "x").unwrap();
    fs::write(at.join("here/real"), "x").unwrap();
    symlink("/etc/passwd", at.join("here/link")).unwrap();
    symlink("../elsewhere", at.join("here/way")).unwrap();
    symlink("real", at.join("here/inside")).unwrap();
    let with = |input: &str| {
        fs::write(at.join("here/job.yaml"), format!("{JOB}inputs: [{input}]\n")).unwrap();
        dry_run(&at.join("here"), &["job.yaml"])
    };
    for input in ["link", "way/secret"] {
        let (code, out, err) = with(input);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{input}");
        let place = format!(
            "walras: job.yaml:5:10: inputs[0]: {input} leads out of the directory of the job's file by a link"
        );
        assert!(err.starts_with(&place), "{err}");
    }
    // Nobody writes into a pipe, and nobody waits for that.
    assert!(std::process::Command::new("mkfifo").arg(at.join("here/pipe")).status().unwrap().success());
    let (code, _, err) = with("pipe");
    let place = "walras: job.yaml:5:10: inputs[0]: pipe is no plain file";
    assert!(code == Some(2) && err.starts_with(place), "{err}");
    let (code, out, err) = with("inside");
    assert!(code == Some(0) && out.contains("\"inside\": \"eA==\""), "{out}{err}");
    // A script lists files, too.
    fs::write(at.join("here/run.sh"), "#!/bin/sh\n#WALRAS work 5\n#WALRAS inputs inside, nowhere\n").unwrap();
    let (code, _, err) = dry_run(&at.join("here"), &["run.sh"]);
    assert!(code == Some(2) && err.starts_with("walras: run.sh:3:1: inputs[1]: nowhere"), "{err}");
    fs::write(at.join("here/run.sh"), "#!/bin/sh\n#WALRAS work 5\n#WALRAS inputs inside\n").unwrap();
    let (code, out, err) = dry_run(&at.join("here"), &["run.sh"]);
    assert!(code == Some(0) && out.contains("\"inside\": \"eA==\""), "{out}{err}");
    // Wherever it is called from.
    let (code, ..) = dry_run(at, &["here/job.yaml"]);
    assert_eq!(code, Some(0));
}

#[test]
fn what_is_wrong_with_a_workflow_is_told_by_its_own_file() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let job = |workflow: &str| format!("walras: job/1\nname: j\nworkflow: {workflow}\n");
    fs::write(at.join("own.yaml"), job("flow.yaml")).unwrap();
    let flow = "walras: workflow/1\ntasks:\n  - {name: make, work: 1, command: [make]}\n  - name: draw\n    work: 1\n    \
                command: [draw]\n    inputs: [map.txt]\n";
    fs::write(at.join("flow.yaml"), flow).unwrap();
    let (code, _, err) = dry_run(at, &["own.yaml"]);
    let place = "walras: flow.yaml:7:14: tasks[1].inputs[0]: map.txt is written by no task";
    assert!(code == Some(2) && err.starts_with(place), "{err}");
    let (code, _, err) = {
        fs::write(at.join("fast.yaml"), job("flow.yaml") + "strategy: fastest\n").unwrap();
        dry_run(at, &["fast.yaml"])
    };
    let place = "walras: fast.yaml:4:11: strategy: fastest needs a `budget`";
    assert!(code == Some(2) && err.starts_with(place), "{err}");
}

#[test]
fn a_strategy_without_the_deadline_that_it_needs_is_told_with_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("flow.yaml"), "walras: workflow/1\ntasks: [{name: make, work: 1, command: [make]}]\n")
        .unwrap();
    for strategy in ["alap", "cheapest", "balanced"] {
        let job = format!("walras: job/1\nname: j\nworkflow: flow.yaml\nstrategy: {strategy}\n");
        fs::write(at.join("job.yaml"), &job).unwrap();
        let (code, out, err) = dry_run(at, &["job.yaml"]);
        let place = format!("walras: job.yaml:4:11: strategy: {strategy} needs a `deadline`");
        assert!(code == Some(2) && out.is_empty() && err.starts_with(&place), "{err}");
        fs::write(at.join("job.yaml"), job + "deadline: 2h\n").unwrap();
        let (code, _, err) = dry_run(at, &["job.yaml"]);
        assert_eq!(code, Some(0), "{err}");
    }
}

#[test]
fn what_is_refused_of_a_chain_is_told_with_its_own_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (name, more) in [("one.yaml", ""), ("two.yaml", "deadline: 2020-01-01T00:00:00Z\n")] {
        fs::write(at.join(name), format!("{JOB}{more}")).unwrap();
    }
    const REFUSAL: &str = "{\"code\": \"past-deadline\", \"message\": \"jobs[1]: body: deadline: it has passed\", \"trace\": \"t\"}";
    let (url, _) = fake(&[("POST /v1/chains", 422, REFUSAL)]);
    let (code, _, err) = texts(&ask(at, &url, &["quote", "one.yaml", "two.yaml"]));
    assert_eq!(code, Some(2));
    assert!(err.starts_with("walras: two.yaml:5:11: deadline: it has passed"), "{err}");
}

#[test]
fn a_script_with_line_breaks_of_dos_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("dos.sh"), SCRIPT.replace('\n', "\r\n")).unwrap();
    let (code, out, err) = dry_run(directory.path(), &["dos.sh"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("walras: dos.sh:1:1: script: dos.sh has line breaks of DOS"), "{err}");
}

#[test]
fn the_number_alone_is_printed_for_programs() {
    let directory = tempfile::tempdir().unwrap();
    let (url, _) = fake(&[("POST /v1/jobs?outlook=true ", 201, "{\"job\": 17}")]);
    let call = ["submit", "--parsable", "-t", "1", "--wrap", "true"];
    let (code, out, err) = texts(&ask(directory.path(), &url, &call));
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "17\n", ""));
}
