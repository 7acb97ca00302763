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

/// What a call that is refused says.
fn failure(directory: &Path, call: &[&str]) -> String {
    let output = walras(directory, call);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
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
        page.contains("</html>") && page.matches("<svg").count() == 8,
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
    assert_eq!(fs::read_dir(directory.path().join("o/runs")).unwrap().count(), 6);
    // From what the first call left: nothing is written again, and what is missing is.
    let report = directory.path().join("o/report.html");
    fs::write(&report, "as it was").unwrap();
    assert_eq!(printed(directory.path(), &[&call[..], &["--threads", "3"]].concat()), first);
    assert_eq!(fs::read_to_string(&report).unwrap(), "as it was");
    fs::remove_file(&report).unwrap();
    assert_eq!(printed(directory.path(), &[&call[..], &["--threads", "3"]].concat()), first);
    assert!(fs::read_to_string(&report).unwrap().contains("<html"));
    assert_eq!(read(&directory.path().join("o/results.json")), results);
    fs::remove_dir_all(directory.path().join("o")).unwrap();
    assert_eq!(printed(directory.path(), &[&call[..], &["--threads", "3"]].concat()), first);
    assert_eq!(read(&directory.path().join("o/results.json")), results);
}

#[test]
fn a_sweep_has_a_directory_for_every_point() {
    let directory = directory();
    fs::write(
        directory.path().join("s.yaml"),
        "load: [0.5, 2]\nowners: ['10,0.5', '30,0.5']\npolicy: [easy, walras]\n",
    )
    .unwrap();
    let text = printed(directory.path(), &["simulate", "t.swf", "--sweep", "s.yaml", "--out", "o"]);
    assert!(text.contains("load 0.5, owners 10,0.5\n") && text.contains("load 2, owners 30,0.5\n"), "{text}");
    let out = directory.path().join("o");
    for point in ["load_0_5__owners_10_0_5", "load_2__owners_30_0_5"] {
        let results: Value = serde_json::from_str(&read(&out.join(point).join("results.json"))).unwrap();
        assert!(out.join(point).join("report.html").exists());
        assert_eq!(results["input"]["trace"], "t.swf");
        assert!(
            point.contains(&format!("load_{}", results["input"]["load"].as_str().unwrap().replace('.', "_")))
        );
    }
    let table = read(&out.join("sweep.csv"));
    assert!(table.starts_with("load,owners,policy,wait_mean,wait_mean_half_width,"), "{table}");
    assert_eq!(table.lines().count(), 1 + 4 * 2);
    assert!(table.contains("\n0.5,\"10,0.5\",easy,"), "{table}");
    assert!(read(&out.join("sweep.html")).contains("load 2, owners 30,0.5"));
    for (sweep, expected) in [
        ("load: [fast]", "'--load <FACTOR>'"),
        ("colour: [red]", "colour: cannot be varied; what can: policy, load"),
        ("policy: [best]", "policy 'best'"),
        ("load: []", "load: must list a value"),
    ] {
        fs::write(directory.path().join("s.yaml"), sweep).unwrap();
        let call = ["simulate", "t.swf", "--sweep", "s.yaml", "--out", "wrong"];
        let failed = failure(directory.path(), &call);
        assert!(failed.contains("s.yaml: ") && failed.contains(expected), "{failed}");
        assert!(!directory.path().join("wrong").exists());
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
        &["simulate", "--from", "w.jsonl", "--policy", "walras", "--policy", "easy", "--policy", "recorded"],
    );
    assert!(text.contains("on average as it was") && text.contains("\nrecorded "), "{text}");
    let failed = failure(directory.path(), &["simulate", "t.swf", "--policy", "recorded"]);
    assert!(failed.contains("policy 'recorded': there is no VO whose rules it could have"), "{failed}");
}

#[test]
fn sites_prices_and_outages_come_from_tables() {
    let directory = directory();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("p.csv", "InstanceType,vCPUs,Price\nbig,4,14.4\n");
    write("s.csv", "name,nodes,speed,price\nbig,4,,\nown,4,2,3\n");
    write("o.csv", "site,node,from,until\nown,0,100,5000\n");
    let call = ["simulate", "t.swf", "--sites", "s.csv", "--prices", "p.csv", "--failures", "o.csv"];
    let rest =
        ["--policy", "mct", "--policy", "conservative", "--policy", "walras", "--policy", "greedy", "--json"];
    let results: Value =
        serde_json::from_str(&printed(directory.path(), &[&call[..], &rest].concat())).unwrap();
    // 14.4 an hour for four processors: a thousandth a second, which is a credit.
    assert_eq!(
        (results["sites"][0]["price"].as_f64(), results["sites"][1]["speed"].as_f64()),
        (Some(1.0), Some(2.0))
    );
    for run in results["runs"].as_array().unwrap() {
        assert_eq!(run["metrics"]["jobs"], 24);
    }
    // Under every policy nodes fail while owners use theirs and users lose patience.
    let around = ["--owners", "10,1", "--patience", "20000", "--deadlines", "2-20"];
    let results: Value =
        serde_json::from_str(&printed(directory.path(), &[&call[..], &rest, &around].concat())).unwrap();
    for run in results["runs"].as_array().unwrap() {
        let metrics = &run["metrics"];
        assert_eq!(metrics["jobs"], 24, "{}", run["policy"]);
        let content = metrics["outcomes"]["mean"].as_f64();
        assert!(content.is_some_and(|mean| (0.0..=1.0).contains(&mean)), "{}", run["policy"]);
    }
    for figures in results["summary"].as_array().unwrap() {
        assert!(figures["figures"]["outcome satisfaction least"]["mean"].is_f64(), "{}", figures["policy"]);
    }
}

#[test]
fn owners_and_the_administrator_say_what_they_want() {
    let directory = directory();
    let call = |wishes: &[&str]| {
        let plain = ["simulate", "t.swf", "--policy", "walras:objective=satisfaction", "--out", "o"];
        printed(directory.path(), &[&plain[..], wishes].concat());
        let results: Value = serde_json::from_str(&read(&directory.path().join("o/results.json"))).unwrap();
        let content = results["runs"][0]["metrics"]["broker"]["satisfaction"].clone();
        (content["owner of site1"].is_f64(), content["administrator"].is_f64(), results["input"].clone())
    };
    assert!(matches!(call(&[]), (false, false, _)));
    let wishes = ["--prefers", "site1:income=2+load=1", "--prefers", "administrator:finish=1"];
    let (owner, administrator, input) = call(&wishes);
    assert!(owner && administrator);
    assert_eq!(input["prefers"], "site1:income=2+load=1 administrator:finish=1");
    // Hundreds of users do not hide what the page begins with.
    let page = read(&directory.path().join("o/report.html"));
    let (summary, each) = page.split_once("<details>").unwrap();
    assert!(summary.contains(">satisfaction least<") && !summary.contains("user-"), "{summary}");
    assert!(each.contains("Satisfaction of each of 5 stakeholders") && each.contains(">owner of site1<"));
    let call = ["simulate", "t.swf", "--prefers", "nowhere:income=1"];
    assert!(failure(directory.path(), &call).contains("there is no site 'nowhere'"));
}

#[test]
fn workflows_come_when_a_list_or_a_rule_says() {
    let directory = directory();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("d.stg", "4\n0 600 0\n1 1200 1 0\n2 300 1 0\n3 60 2 1 2\n");
    write("l.csv", "workflow,submit,user\nd.stg,0,1\nd.stg,120,2\n");
    let policies = ["--sites", "3", "--policy", "walras", "--policy", "easy", "--quotes", "50", "--json"];
    let listed = printed(directory.path(), &[&["simulate", "--workflow", "l.csv"], &policies[..]].concat());
    let results: Value = serde_json::from_str(&listed).unwrap();
    let metrics = |run: usize| &results["runs"][run]["metrics"];
    assert_eq!(
        (metrics(0)["fates"]["done"].as_u64(), metrics(1)["fates"]["done"].as_u64()),
        (Some(2), Some(2))
    );
    // Under EASY each holds two nodes for 1,860 s; by tasks they compute for 2,160 s.
    assert_eq!(metrics(1)["response"]["max"].as_f64(), Some(3_600.0));
    assert!(metrics(0)["cost"].as_f64() < metrics(1)["cost"].as_f64());
    let drawn = ["simulate", "--workflow", "d.stg", "--arrivals", "poisson:300:9"];
    let drawn = printed(directory.path(), &[&drawn[..], &policies].concat());
    assert!(drawn.contains("\"jobs\": 9"), "{drawn}");
    // The same workflow twice in a trace, which says when they came.
    let of = |flow: u32, at: u32| {
        let task = |(number, run, after): (u32, u32, &str)| {
            format!("{flow}, {number}, {at}, {run}, 1, 1, {after}\n")
        };
        [(0, 600, ""), (1, 1_200, "0"), (2, 300, "0"), (3, 60, "1 2")].map(task).concat()
    };
    let names = "WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies\n";
    write("t.gwf", &format!("{names}{}{}", of(5, 0), of(9, 120)));
    let traced = printed(directory.path(), &[&["simulate", "--workflow", "t.gwf"], &policies[..]].concat());
    let traced: Value = serde_json::from_str(&traced).unwrap();
    for run in [0, 1] {
        let figures = |of: &Value| {
            (of["runs"][run]["metrics"]["response"].clone(), of["runs"][run]["metrics"]["cost"].clone())
        };
        assert_eq!(figures(&traced), figures(&results), "{run}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let directory = directory();
    fs::write(directory.path().join("empty.swf"), "; MaxProcs: 4\n").unwrap();
    fs::write(directory.path().join("unknown.swf"), "1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 -1 -1 -1 -1\n")
        .unwrap();
    fs::write(directory.path().join("l.csv"), "workflow,submit\nw.stg,0\n").unwrap();
    fs::write(directory.path().join("p.csv"), "type,price\na,x\n").unwrap();
    fs::write(directory.path().join("t.gwf"), "1 0 0 9 1 -1 -1 1 9\n").unwrap();
    fs::write(directory.path().join("o.csv"), "node,from,until\n9,0,1\n").unwrap();
    let wrong: [(&[&str], &str); 17] = [
        (&["simulate", "t.swf", "--sites", "s.csv"], "s.csv: cannot be read"),
        (
            &["simulate", "t.swf", "--sites", "4", "--prices", "p.csv"],
            "p.csv: line 2: Price: 'x' is not a plain number",
        ),
        (&["simulate", "t.swf", "--failures", "o.csv"], "o.csv: line 2: node: must be a number from 0 to 3"),
        (&["simulate", "t.swf", "--sites", "drawn:0x1"], "drawn:SITESxNODES"),
        (&["simulate", "--workflow", "l.csv"], "workflows need --sites"),
        (&["simulate", "--workflow", "l.csv", "--sites", "4"], "w.stg: cannot be read"),
        (&["simulate", "--workflow", "w.stg", "--sites", "4"], "workflows need --arrivals"),
        (&["simulate", "--workflow", "t.gwf", "--workflow", "w.stg", "--sites", "4"], "it goes alone"),
        (&["simulate", "--workflow", "t.gwf", "--sites", "4"], "t.gwf: no line names the columns WorkflowID"),
        (
            &["simulate", "--workflow", "w.stg", "--arrivals", "daily", "--sites", "4"],
            "is not poisson:SECONDS",
        ),
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
