//! `walras assign`, and capacity in `walras plan`.

use crate::{printed, walras};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const METHODS: [&str; 7] = ["greedy", "greedy-cost", "mmc", "hga", "lpga", "exact", "split"];

/// Two agents, four jobs; the best is 1 + 2 + 3 + 4 = 10, which fills both agents.
const GAP: &str = " 2 4\n 1 9 3 9\n 9 2 9 4\n 2 2 2 2\n 2 2 2 2\n 4 4\n";

fn json(directory: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["assign", "--json"][..], arguments].concat();
    serde_json::from_str(&printed(directory, &arguments)).unwrap()
}

fn example(method: &str) -> Value {
    json(Path::new("."), &["--example", "--method", method])
}

/// Assigns what is wrong; gives the complaint.
fn refused(name: &str, contents: &str, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(name), contents).unwrap();
    let output = walras(directory.path(), &[&["assign", name][..], arguments].concat());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(output.stdout.is_empty());
    error.lines().next().unwrap_or_default().to_owned()
}

/// (jobs served, credits in micro-credits), better first.
fn worth(report: &Value) -> (i64, i64) {
    let cost = report["objective"].as_f64().unwrap() * 1e6;
    #[expect(clippy::cast_possible_truncation, reason = "small amounts")]
    (-report["scheduled"].as_i64().unwrap(), cost.round() as i64)
}

#[test]
fn every_method_has_the_same_keys_and_accounts_for_every_job() {
    for method in METHODS {
        let report = example(method);
        assert_eq!((&report["schema"], &report["method"]), (&json!("walras.assignment/1"), &json!(method)));
        for key in
            ["status", "objective", "bound", "gap", "scheduled", "iterations", "seconds", "weight_bound"]
        {
            assert!(report.get(key).is_some(), "{method} has no {key}");
        }
        let names = |list: &str| -> Vec<String> {
            let list = report[list].as_array().unwrap();
            list.iter().map(|entry| entry["job"].as_str().unwrap().to_owned()).collect()
        };
        let mut jobs = names("assignment");
        jobs.dedup();
        assert_eq!(json!(jobs.len()), report["scheduled"], "{method}");
        jobs.extend(names("left_out"));
        jobs.sort();
        assert_eq!(jobs, ["climate", "fold", "options", "render", "risk", "sweep", "thrift"], "{method}");
    }
}

#[test]
fn methods_are_in_the_order_that_they_must_be_in() {
    let worth = |method: &str| worth(&example(method));
    let exact = worth("exact");
    assert!(exact <= worth("lpga") && worth("lpga") <= worth("mmc"));
    assert!(exact <= worth("hga") && worth("hga") <= worth("greedy"));
    assert!(exact <= worth("greedy-cost"));
    assert!(worth("split") <= exact, "what may be divided may also stay whole");
}

#[test]
fn the_exact_method_proves_it() {
    let report = example("exact");
    assert_eq!((&report["status"], &report["gap"]), (&json!("optimal"), &json!(0)));
    assert_eq!((&report["bound"], &report["weight_bound"]), (&report["objective"], &report["weight"]));
    assert_eq!(example("greedy")["bound"], Value::Null);
}

#[test]
fn those_left_out_say_why() {
    let report = example("exact");
    let reason = |job: &str| {
        let left_out = report["left_out"].as_array().unwrap();
        left_out.iter().find(|entry| entry["job"] == job).unwrap()["reason"].clone()
    };
    assert_eq!(reason("climate")["kind"], "too_wide");
    assert_eq!((&reason("climate")["allowed"], &reason("climate")["needed"]), (&json!(12), &json!(16)));
    assert_eq!(reason("thrift")["kind"], "too_dear");
    assert_eq!((&reason("thrift")["allowed"], &reason("thrift")["needed"]), (&json!(4000), &json!(5040)));
}

#[test]
fn every_other_reason() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = "walras: scenario/1\nhorizon: [0, 100]\nsites:\n  - {name: a, capacity: {processors: 2, \
                    performance: 1, price: 1}}\njobs:\n  - {name: late, work: 50, deadline: 40}\n  \
                    - {name: waiting, work: 5, earliest: 1}\n  - {name: linux, work: 5, requires: {os: linux}}\n  \
                    - {name: fast, work: 5, performance_min: 2}\n  - {name: first, tasks: 2, work: 5, priority: 1}\n  \
                    - {name: second, work: 5}\n  - {name: long, work: 101}\n";
    fs::write(directory.path().join("s.yaml"), scenario).unwrap();
    let text = printed(directory.path(), &["assign", "s.yaml", "--method", "greedy-cost"]);
    insta::assert_snapshot!(text, @"
    7 jobs by greedy-cost

    job    processors  run time  cost  site
    first           2         5    10  a
    total: 1 of 7 jobs, cost 10; this method proves nothing

    late goes back to the queue.
      It takes at least 50 s wherever there are enough processors, and only 40 s are left.

    waiting goes back to the queue.
      It may not start before 1 s.

    linux goes back to the queue.
      No site with capacity has everything that it asks for.

    fast goes back to the queue.
      No site with capacity has everything that it asks for.

    second goes back to the queue.
      It would fit if it were alone; other jobs have the room.

    long goes back to the queue.
      It takes at least 101 s wherever there are enough processors, and only 100 s are left.
    ");
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let run = |more: &[&str]| {
        let mut report = json(Path::new("."), &[&["--example", "--method", "hga"][..], more].concat());
        report["seconds"] = Value::Null;
        report
    };
    assert_eq!(run(&["--seed", "5"]), run(&["--seed", "5", "--threads", "3"]));
}

#[test]
fn users_pay_their_own_price() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = "walras: scenario/1\nhorizon: [0, 100]\nsites:\n  - {name: a, capacity: {processors: 2, mips: 10, \
                    price: 3, prices: {ada: 1}}}\n  - {name: b, capacity: {processors: 2, mips: 20, price: 4}}\njobs:\n  \
                    - {name: ada, user: ada, tasks: [200, 100]}\n  - {name: bob, user: bob, tasks: [200, 100]}\n";
    fs::write(directory.path().join("s.yaml"), scenario).unwrap();
    let report = json(directory.path(), &["s.yaml"]);
    let expected = json!([
        {"job": "ada", "site": "a", "processors": 2, "runtime": 20, "cost": 40},
        {"job": "bob", "site": "b", "processors": 2, "runtime": 10, "cost": 80},
    ]);
    assert_eq!(report["assignment"], expected);
    // The plan knows the same prices.
    let plan = printed(
        directory.path(),
        &["plan", "s.yaml", "--search", "criterion=cost", "--time-limit", "none", "--json"],
    );
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["totals"]["cost"], 120);
}

#[test]
fn plans_say_what_is_on_capacity_and_verify() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("s.yaml"), printed(path, &["example", "metabroker"])).unwrap();
    for search in ["alp", "amp", "criterion=cost", "criterion=finish", "criterion=price"] {
        let arguments = ["plan", "s.yaml", "--json", "--search", search, "--gantt", "p.svg"];
        let text = printed(path, &arguments);
        fs::write(path.join("p.json"), &text).unwrap();
        printed(path, &["verify", "p.json", "s.yaml"]);
        let mut plan: Value = serde_json::from_str(&text).unwrap();
        let slots = |plan: &Value| -> Vec<Value> {
            let alternatives = plan["alternatives"].as_array().unwrap();
            alternatives.iter().flat_map(|found| found["slots"].as_array().unwrap().clone()).collect()
        };
        for slot in slots(&plan) {
            let said = slot.get("capacity").is_some_and(|capacity| *capacity == json!(true));
            assert_eq!(said, slot["site"] != "campus", "{slot}");
        }
        plan["alternatives"][0]["slots"][0]["cost"] = json!(1);
        fs::write(path.join("p.json"), plan.to_string()).unwrap();
        assert_eq!(walras(path, &["verify", "p.json", "s.yaml"]).status.code(), Some(1));
    }
    let picture = fs::read_to_string(path.join("p.svg")).unwrap();
    assert!(picture.contains(">capacity: 8<") && picture.contains("3 nodes and 30 processors"));
}

#[test]
fn orlib_instances_are_solved() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("gap"), GAP).unwrap();
    fs::write(path.join("two"), format!("2\n{GAP}{}", GAP.replace(" 4 4\n", " 3 3\n"))).unwrap();
    for method in METHODS.into_iter().filter(|method| *method != "split") {
        let report = json(path, &["gap", "--format", "orlib-gap", "--method", method]);
        assert_eq!((&report["objective"], &report["scheduled"]), (&json!(10), &json!(4)), "{method}");
    }
    let report = json(path, &["gap", "--format", "orlib-gap"]);
    assert_eq!((&report["status"], &report["bound"]), (&json!("optimal"), &json!(10)));
    assert_eq!(report["assignment"][3], json!({"job": "4", "site": "2", "processors": 2, "cost": 4}));
    for method in ["greedy", "exact"] {
        let arguments = ["two", "--format", "orlib-gap", "--instance", "2", "--method", method];
        let report = json(path, &arguments);
        assert_eq!((&report["status"], &report["objective"]), (&json!("infeasible"), &Value::Null));
        assert_eq!(report["assignment"], json!([]));
        let text = printed(path, &[&["assign"][..], &arguments].concat());
        assert!(text.ends_with("infeasible: the jobs cannot all be placed\n"), "{text}");
    }
    // The first job takes the place that the second needs.
    fs::write(path.join("trap"), "2 2\n 1 2\n 9 9\n 2 2\n 2 9\n 2 2\n").unwrap();
    let report = json(path, &["trap", "--format", "orlib-gap", "--method", "greedy"]);
    assert_eq!((&report["status"], &report["scheduled"]), (&json!("unknown"), &json!(0)));
    assert_eq!(json(path, &["trap", "--format", "orlib-gap"])["objective"], 11);
}

#[test]
fn wrong_calls_and_files_are_refused() {
    let orlib = ["--format", "orlib-gap"];
    insta::assert_snapshot!(refused("gap", &GAP.replace(" 4 4\n", " 4\n"), &orlib), @"walras: gap:6:3: the file ends after 19 numbers: 2 agents and 4 jobs need 20");
    insta::assert_snapshot!(refused("gap", &GAP.replace(" 4 4\n", " 4 4 4\n"), &orlib), @"walras: gap:6:6: 4 comes after the last of 20 numbers");
    insta::assert_snapshot!(refused("gap", &GAP.replace(" 4 4\n", " 4 four\n"), &orlib), @"walras: gap:6:4: four is not a capacity: it must be a whole number from 0 to 4294967295");
    insta::assert_snapshot!(refused("gap", &format!("2\n{GAP}{GAP}"), &orlib), @"walras: gap: the file holds 2 instances: choose one with --instance");
    insta::assert_snapshot!(refused("gap", GAP, &["--format", "orlib-gap", "--instance", "2"]), @"walras: --instance 2: gap holds 1");
    insta::assert_snapshot!(refused("gap", GAP, &["--format", "orlib-gap", "--method", "split"]), @"walras: --method split: the jobs of an orlib-gap instance cannot be split");
    insta::assert_snapshot!(refused("gap", GAP, &[]), @"walras: gap: the file name must end in .yaml, .yml or .json");
    insta::assert_snapshot!(refused("gap", GAP, &["--time-limit", "0"]), @"error: invalid value '0' for '--time-limit <S>': '0' is not a time limit: it must be greater than 0 and at most 1000000000");
    insta::assert_snapshot!(refused("gap", GAP, &["--time-limit", "nan"]), @"error: invalid value 'nan' for '--time-limit <S>': 'nan' is not a time limit: it must be greater than 0 and at most 1000000000");
    insta::assert_snapshot!(refused("gap", GAP, &["--method", "best"]), @"error: invalid value 'best' for '--method <METHOD>'");
    insta::assert_snapshot!(refused("gap", GAP, &["--threads", "0"]), @"error: invalid value '0' for '--threads <N>': 0 is not in 1..=1024");
    let slots = printed(Path::new("."), &["example"]);
    insta::assert_snapshot!(refused("s.yaml", &slots, &[]), @"walras: s.yaml: sites: none of them has `capacity`, which is what jobs are assigned to; see walras plan");
    let capacity = printed(Path::new("."), &["example", "metabroker"]);
    let far = capacity.replace("name: risk", "priority: 4294967296, name: risk");
    insta::assert_snapshot!(refused("s.yaml", &far, &[]), @"walras: s.yaml: jobs[1].priority: 4294967296 is too far above the lowest priority: it must be at most 4294967294 above");
    let nothing = capacity.replace("processors: 8", "processors: 0");
    insta::assert_snapshot!(refused("s.yaml", &nothing, &[]), @"walras: s.yaml:9:28: sites[1].capacity.processors: 0 is not a number of processors: it must be a whole number from 1 to 1000000");
    let still = capacity.replace("mips: 520", "mips: 0");
    insta::assert_snapshot!(refused("s.yaml", &still, &[]), @"walras: s.yaml:9:37: sites[1].capacity.mips: 0 is not a speed: it must be greater than 0");
}

/// Both completions of MMC can be had, and users get the better of them.
#[test]
fn mmc_is_completed_by_the_better_of_both() {
    for method in ["mmc", "lpga"] {
        let by = |complete: &str| {
            worth(&json(Path::new("."), &["--example", "--method", method, "--complete", complete]))
        };
        let plain = worth(&example(method));
        assert_eq!(plain, by("best"));
        if method == "mmc" {
            assert_eq!(plain, by("cost").min(by("price")));
        }
    }
}

/// One site for one job of four at a time; the fourth comes too late, the fifth never fits.
const ROUNDS: &str = "walras: scenario/1\nhorizon: [100, 1000]\nsites:\n  - {name: a, capacity: {processors: 4, performance: 1, \
                      price: 1}}\njobs:\n  - {name: first, tasks: 4, work: 100, deadline: 300, same_site: true}\n  \
                      - {name: second, tasks: 4, work: 100, deadline: 350, same_site: true}\n  \
                      - {name: third, tasks: 2, work: 10, earliest: 320, same_site: true}\n  \
                      - {name: late, tasks: 4, work: 100, deadline: 310, same_site: true}\n  \
                      - {name: wide, tasks: 5, work: 10, same_site: true}\n";

#[test]
fn rounds_roll_over_who_finds_no_place() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.yaml"), ROUNDS).unwrap();
    let rolling = ["assign", "s.yaml", "--method", "greedy", "--rolling", "50"];
    insta::assert_snapshot!(printed(directory.path(), &rolling), @"
    5 jobs by greedy, a round every 50

    job     round  processors  start  end  cost  site
    first       1           4    150  250   400  a
    second      3           4    250  350   400  a
    third       5           2    350  360    20  a
    total: 3 of 5 jobs in 5 rounds, cost 820

    wide is given up in round 1.
      It needs 5 processors on one site, and no site where it may go has more than 4.

    late is given up in round 3.
      It takes at least 100 s wherever there are enough processors, and only 60 s are left.
    ");
    let report = json(directory.path(), &["s.yaml", "--method", "greedy", "--rolling", "50"]);
    assert_eq!((&report["schema"], &report["served"]), (&json!("walras.rolling/1"), &json!(3)));
    assert_eq!(report["runs"][1]["round"], 3);
    assert_eq!(report["given_up"][0]["reason"]["kind"], "too_wide");
    let short = json(directory.path(), &["s.yaml", "--method", "greedy", "--rolling", "50", "--rounds", "1"]);
    assert_eq!(short["left_over"], json!(["second", "third", "late"]));
    let output = walras(directory.path(), &rolling);
    assert_eq!(output.status.code(), Some(1), "not all are served");
}

#[test]
fn every_method_can_be_rolled() {
    for method in ["greedy", "greedy-cost", "mmc", "hga", "lpga", "exact"] {
        let report = json(Path::new("."), &["--example", "--method", method, "--rolling", "60"]);
        let once = example(method);
        assert!(report["served"].as_i64() >= once["scheduled"].as_i64(), "{method}: {report}");
        let ended = ["runs", "given_up", "left_over"].map(|key| report[key].as_array().unwrap().len());
        assert_eq!(ended.iter().sum::<usize>(), 7, "{method}: {report}");
    }
}

#[test]
fn what_cannot_be_rolled_is_refused() {
    let complaint = |arguments: &[&str]| refused("s.yaml", ROUNDS, arguments);
    assert_eq!(complaint(&["--rolling", "0"]), "walras: --rolling 0: is not a length of time above 0");
    assert!(complaint(&["--rolling", "50", "--method", "split"]).contains("jobs run whole"));
    assert!(complaint(&["--rounds", "3"]).contains("required"));
    assert!(complaint(&["--rolling", "5", "--format", "orlib-gap"]).contains("cannot be used with"));
}
