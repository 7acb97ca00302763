//! `walras pack`

use crate::{printed, walras};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A directory with a table of machines and a trace for them, which has two lines that nobody can read.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("machines"), "0 large 2 8 1 33554432\n1 small 2 4 1 8388608\n").unwrap();
    let mut trace = String::from("; a trace\n");
    for number in 0..40 {
        let (submit, run, cores) = (60 * number, 300 + 60 * (number % 7), 1 + number % 5);
        // From 1 to 8 GiB.
        let memory = (1 + number % 8) << 30;
        trace += &format!(
            "{number} {submit} 0 {run} {cores} -1 -1 {cores} 900 {memory} 1 1 1 1 -1 1 1 1 {{1}} q 1:ppn={cores}\n"
        );
    }
    trace += "40 2400 0 60 1 -1 -1 1 900 -1 1 1 1 1 -1 1 1 1 {1} q 1:x86\nnonsense\n";
    trace += "41 2400 0 0 1 -1 -1 1 900 -1 1 1 1 1 -1 1 1 1 {1} q 1:ppn=1\n";
    trace += "42 2400 0 60 1 -1 -1 1 900 -1 1 1 1 1 -1 1 1 1 {1} q 9:ppn=8\n";
    fs::write(directory.path().join("t.swf"), trace).unwrap();
    directory
}

/// What a call that is refused says.
fn failure(directory: &Path, call: &[&str]) -> String {
    let output = walras(directory, call);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
}

#[test]
fn who_packs_is_compared() {
    let directory = directory();
    let mut call = vec!["pack", "t.swf", "--machines", "machines", "--load", "2", "--audit"];
    let text = printed(directory.path(), &call);
    for part in [
        "t.swf: line 42, column 21: expected nodes and cores, as in 4:ppn=12, and not \"1:x86\"",
        "t.swf: line 43, column 1: expected 19 columns or more, and not \"nonsense\"",
        "2 nodes of 8 cores and 32 GiB",
        "40 jobs; left out of the trace: 2 that cannot be read, 1 shorter than a second, 1 that fit nowhere",
        "\nfirst-fit ",
        "\neasy:units ",
        "\nwalras ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    call.extend([
        "--json",
        "--policy",
        "conservative",
        "--policy",
        "conservative:units",
        "--policy",
        "walras:slack=0",
    ]);
    let results: Value = serde_json::from_str(&printed(directory.path(), &call)).unwrap();
    assert_eq!(results["schema"], "walras.packing/1");
    assert_eq!(
        (&results["nodes"], &results["cores"], &results["memory"]),
        (&4.into(), &24.into(), &83_886_080.into())
    );
    assert_eq!((&results["jobs"], &results["left_out"]["refused"]), (&40.into(), &1.into()));
    let policies = results["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 3);
    for row in policies {
        assert_eq!((&row["jobs"], &row["usage"]["jobs"]), (&40.into(), &40.into()), "{row}");
        for share in ["cores", "memory"] {
            let share = row["usage"][share].as_f64().unwrap();
            assert!(0.0 < share && share <= 1.0, "{row}");
        }
        for figure in ["wait", "wait_p95", "slowdown", "makespan"] {
            assert!(row["usage"][figure].as_f64().is_some(), "{row}");
        }
    }
    // A part of them.
    let some = [
        "pack",
        "t.swf",
        "--machines",
        "machines",
        "--skip",
        "10",
        "--take",
        "5",
        "--policy",
        "easy",
        "--json",
    ];
    let results: Value = serde_json::from_str(&printed(directory.path(), &some)).unwrap();
    assert_eq!(results["policies"][0]["jobs"], 5);
}

#[test]
fn what_cannot_be_packed_is_said_with_file_and_line() {
    let directory = directory();
    let path = directory.path();
    for (text, said) in [
        ("0 large 2 8 1 33554432\n1 small 2 0 1 8\n", "bad: line 2: a node has from 1 to 4096 cores, not 0"),
        ("0 large 2 8 1 many\n", "bad: line 1: expected a number, a name, nodes, cores, speed and memory"),
        ("0 large 4000000000 8 1 5\n", "bad: line 1: 4000000000 nodes are more than 100000"),
        ("\n", "bad: there is no node"),
    ] {
        fs::write(path.join("bad"), text).unwrap();
        let found = failure(path, &["pack", "t.swf", "--machines", "bad"]);
        assert!(found.contains(said), "{found}");
    }
    fs::write(path.join("empty.swf"), "nonsense\n").unwrap();
    let found = failure(path, &["pack", "empty.swf", "--machines", "machines"]);
    assert!(
        found.contains("empty.swf: there is no job to pack") && found.contains("line 1, column 1"),
        "{found}"
    );
    let found = failure(path, &["pack", "t.swf", "--machines", "machines", "--skip", "100"]);
    assert!(found.contains("there is no job to pack"), "{found}");
    assert!(failure(path, &["pack", "nowhere.swf", "--machines", "machines"]).contains("nowhere.swf"));
    assert!(failure(path, &["pack", "t.swf", "--machines", "nowhere"]).contains("nowhere"));
    for (option, value) in
        [("--policy", "fcfs"), ("--policy", "easy:cores"), ("--policy", "walras:x=1"), ("--load", "0")]
    {
        let found = failure(path, &["pack", "t.swf", "--machines", "machines", option, value]);
        assert!(found.contains(value), "{found}");
    }
    // A file that breaks off is no whole trace.
    let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    fs::write(path.join("broken.swf.gz"), packed).unwrap();
    let found = failure(path, &["pack", "broken.swf.gz", "--machines", "machines"]);
    assert!(found.contains("broken.swf.gz: cannot be read"), "{found}");
}
