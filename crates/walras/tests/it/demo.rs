//! `walras demo` without a terminal, from its first start to its end, and once more.

use crate::{printed, walras};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_demo_runs_its_course_and_carries_on() {
    let directory = tempfile::tempdir().unwrap();
    // The first start writes the configuration; whatever else listens here, the demo finds a port.
    let somebody = TcpListener::bind("127.0.0.1:7878");
    let first = printed(directory.path(), &["demo", "vo", "--seconds", "300"]);
    drop(somebody);
    for line in [
        "vo is new: a VO of four sites, three users and four owners",
        "127.0.0.1:7878 is in use by somebody else: another port was taken",
        "14 jobs: 13 done, 1 queued",
        "job 14, which asks for too much, is queued",
    ] {
        assert!(first.lines().any(|it| it == line), "{line} is not in\n{first}");
    }
    // What is cheapest depends on the hour; nothing costs more than a whole node of the cloud.
    let quoted = first.lines().find(|it| it.starts_with("quote 1 had "));
    let price = quoted.and_then(|it| it.split_once(" took the cheapest, "));
    let price = price.and_then(|(_, it)| it.strip_suffix(" credits: job 1")).and_then(|it| it.parse().ok());
    assert!(price.is_some_and(|it: f64| it > 0.0 && it <= 15.0), "{first}");
    // What would help depends on the hour and on how many want the cloud; its budget of 30 never does.
    let budget = first.lines().find_map(|it| it.strip_prefix("  would help: a budget of "));
    let budget = budget.and_then(|it| it.strip_suffix(" credits")).and_then(|it| it.parse().ok());
    assert!(budget.is_some_and(|it: f64| it > 30.0 && it <= 200.0), "{first}");
    assert!(first.contains("job 12 ran here and printed: Linux"), "{first}");
    // On a busy machine a start may be missed, and the job is planned again alone.
    assert!(first.contains("the last plan that served anybody, cycle "), "{first}");
    assert!(first.ends_with("entries, clean: every promise was kept\n"), "{first}");
    for name in ["ada", "ben", "cleo", "university", "laboratory", "cumulus"] {
        let mode = fs::metadata(directory.path().join("vo/tokens").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }

    let token = fs::read_to_string(directory.path().join("vo/tokens/ada")).unwrap();
    let second = printed(directory.path(), &["demo", "vo", "--seconds", "3"]);
    assert!(second.contains("vo was here already, with 14 jobs: the demo carries on\n"), "{second}");
    assert!(second.contains("\n28 jobs: "), "{second}");
    assert!(
        second.contains("some of the samples have not ended yet: the next start carries on\n"),
        "{second}"
    );
    assert!(second.ends_with("entries, clean: every promise was kept\n"), "{second}");
    assert_eq!(fs::read_to_string(directory.path().join("vo/tokens/ada")).unwrap(), token);

    let third = printed(directory.path(), &["demo", "vo", "--seconds", "3", "--json"]);
    let third: Value = serde_json::from_str(&third).unwrap_or_else(|error| panic!("{error}: {third}"));
    assert_eq!(third["schema"], "walras.demo/1");
    let summary = &third["summary"];
    let states = summary["states"].as_object().unwrap().values().filter_map(Value::as_u64);
    assert_eq!((summary["jobs"].as_u64(), states.sum()), (Some(42), 42_u64), "{third:#}");
    let users: Vec<_> = summary["users"].as_array().unwrap().iter().map(|it| &it["user"]).collect();
    assert_eq!(users, ["ada", "ben", "cleo"]);
    assert_eq!(summary["unfit"]["state"], "queued");
    assert_eq!((&third["audit"]["clean"], &third["audit"]["findings"]), (&json!(true), &json!([])));
}

#[test]
fn a_directory_that_cannot_be_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    let output = walras(directory.path(), &["demo", "file"]);
    let problem = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{problem}");
    assert!(problem.starts_with("walras: file/jobs: cannot be made: "), "{problem}");
}
