//! Following jobs by the command line: output as it is printed, waits, lists, cancelling, and what jobs took.

use crate::vo::Vo;
use serde_json::Value;
use std::io::Read;
use std::process::Output;

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn wrapped(vo: &Vo, name: &str, command: &str, options: &[&str]) -> String {
    let call = [&["submit", "-t", "1", "-J", name, "--wrap", command], options].concat();
    vo.done(&call).trim().strip_prefix("job ").unwrap().to_owned()
}

#[test]
fn jobs_are_followed_to_their_end_and_found_again() {
    let vo = Vo::open();
    let slow = "for i in 1 2 3; do echo line $i; sleep 0.3; done; echo oops >&2; exit 3";
    let job = wrapped(&vo, "slow", slow, &["--error=slow.err", "--hold"]);
    // From before it begins.
    let mut follower = vo.command(&["output", &job, "--follow"]).spawn().unwrap();
    vo.done(&["release", &job]);
    let (code, out, err) = told(&vo.walras(&["wait", &job], ""));
    assert_eq!((code, err.as_str()), (Some(1), ""), "a pipe gets no status line: {out}");
    assert!(out.starts_with(&format!("job {job} is failed: ")), "{out}");
    let mut followed = String::new();
    follower.stdout.take().unwrap().read_to_string(&mut followed).unwrap();
    assert_eq!(followed, "line 1\nline 2\nline 3\n");
    assert!(follower.wait().unwrap().success());
    assert_eq!(vo.done(&["output", &job, "--tail", "2"]), "line 2\nline 3\n");
    assert_eq!(vo.done(&["output", &job, "--follow", "--tail", "1"]), "line 3\n");
    assert_eq!(vo.done(&["output", &job, "--error"]), "oops\n");
    ends(&vo);
    history(&vo, &job);
    assert_eq!(vo.done(&["account", "user:ada"]), vo.done(&["account"]), "one's own, by its name");
    several(&vo);
    lists(&vo, &job);
    cancelling(&vo);
    past_of_an_array(&vo);
}

/// How a job ended is what the exit code says.
fn ends(vo: &Vo) {
    let held = wrapped(vo, "held", "true", &["--hold"]);
    vo.done(&["cancel", &held]);
    let (code, out, _) = told(&vo.walras(&["wait", &held], ""));
    assert_eq!((code, out), (Some(5), format!("job {held} is cancelled\n")));
    let first = wrapped(vo, "first", "true", &["--hold"]);
    let never = wrapped(vo, "never", "true", &[&format!("--dependency=afterok:{first}")]);
    vo.done(&["cancel", &first]);
    assert_eq!(told(&vo.walras(&["wait", &never], "")).0, Some(6));
    let (code, out, err) = told(&vo.walras(&["submit", "-t", "1", "--wait", "--wrap", "true"], ""));
    assert!(code == Some(0) && out.ends_with(" is done\n"), "{out}{err}");
    assert_eq!(told(&vo.walras(&["wait", "999999"], "")).0, Some(1));
}

fn history(vo: &Vo, job: &str) {
    let text = vo.done(&["history", "--name", "slow", "--json"]);
    let past: Value = serde_json::from_str(&text).unwrap();
    let past = &past["jobs"][0];
    assert_eq!((&past["id"], &past["state"], &past["exit_code"]), (&job.into(), &"failed".into(), &3.into()));
    let number = |key: &str| past[key].as_f64().unwrap();
    assert!(number("run") >= 0.9 && number("wait") >= 0.0 && number("charged") > 0.0, "{past}");
    // A minute was reserved for a second.
    assert!(number("reserved") >= 60.0 && number("estimate") < 0.5, "{past}");
    let csv = vo.done(&["history", "--csv", "--state", "failed", "--since", "1h"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 2 && lines[1].starts_with(&format!("{job},slow,ada,failed,3,1,")), "{csv}");
    assert!(vo.done(&["history", "--state", "failed", "--until", "1h"]).contains("no jobs have ended"));
}

fn lists(vo: &Vo, job: &str) {
    let jobs = |options: &[&str]| {
        let call = [&["jobs", "--json"], options].concat();
        let list: Value = serde_json::from_str(&vo.done(&call)).unwrap();
        list["jobs"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let names: Vec<String> = jobs(&["--state", "Failed, given-up"]);
    assert_eq!(names, ["never", "slow"]);
    assert_eq!(jobs(&["--name", "s*"]), ["slow"]);
    assert_eq!(jobs(&["--name", "?lo?"]), ["slow"]);
    assert_eq!(jobs(&["--since", "1h", "--name", "slow"]), ["slow"]);
    assert_eq!(jobs(&["--since", "2099-01-01"]), Vec::<String>::new());
    let table = vo.done(&["jobs", "--state", "failed", "--columns", "state,job,name"]);
    assert_eq!(table.lines().next(), Some("state   job  name"), "{table}");
    assert!(table.contains(&format!("failed  {job:>3}  slow")), "{table}");
    let (code, _, err) = told(&vo.walras(&["jobs", "--state", "done,lost"], ""));
    assert!(
        code == Some(2) && err.contains("'lost' is no state of a job: expected held, waiting, "),
        "{err}"
    );
    let explained = vo.done(&["explain", job]);
    let (now, happened) = explained.split_once("what has happened").unwrap();
    assert!(now.matches("code 3").count() == 1 && happened.contains("code 3"), "{explained}");
    assert!(!explained.contains("score"), "{explained}");
}

fn cancelling(vo: &Vo) {
    let held: Vec<String> = ["one", "two", "three"].map(|name| wrapped(vo, name, "true", &["--hold"])).into();
    let (code, out, err) = told(&vo.walras(&["cancel", "--all"], ""));
    assert!(
        code == Some(2) && out.is_empty() && err.contains("these 3 jobs") && err.contains("--yes"),
        "{err}"
    );
    let out = vo.done(&["cancel", "--name", "t*", "--yes"]);
    assert_eq!(out, format!("job {} is cancelled\njob {} is cancelled\n", held[2], held[1]));
    assert_eq!(vo.done(&["cancel", "--state", "held", "--yes"]), format!("job {} is cancelled\n", held[0]));
    assert_eq!(vo.done(&["cancel", &held[0]]), format!("job {} was cancelled already\n", held[0]));
    let (code, _, err) = told(&vo.walras(&["cancel", "--all", "--yes"], ""));
    assert!(code == Some(1) && err.contains("there is no such job"), "{err}");
}

/// What an array took is what its elements took, all together.
fn past_of_an_array(vo: &Vo) {
    let codes =
        wrapped(vo, "codes", "exit $((SLURM_ARRAY_TASK_ID / SLURM_ARRAY_TASK_STEP))", &["--array=0-6:3"]);
    assert_eq!(told(&vo.walras(&["wait", &codes], "")).0, Some(1));
    let past: Value = serde_json::from_str(&vo.done(&["history", "--name", "codes", "--json"])).unwrap();
    let past = &past["jobs"][0];
    let code = past["exit_code"].as_i64();
    assert!(matches!(code, Some(1 | 2)), "of the first that failed: {past}");
    let number = |key: &str| past[key].as_f64().unwrap_or_else(|| panic!("{key}: {past}"));
    assert!(number("wait") >= 0.0 && number("run") > 0.0 && number("reserved") >= 180.0, "{past}");
    assert!(!past["start"].is_null() && past["sites"].as_array().is_some_and(|it| !it.is_empty()), "{past}");
}

/// Elements are named as lists show them.
fn several(vo: &Vo) {
    let array = wrapped(vo, "many", "true", &["--hold", "--array=1-9"]);
    let listed = vo.done(&["jobs", "--name", "many", "--columns", "job"]);
    assert!(listed.contains(&format!("{array}_[1-9]")), "{listed}");
    let some = format!("{array}_[3-5,9]");
    assert_eq!(vo.done(&["cancel", &some]), format!("4 elements of {some} are cancelled\n"));
    let listed = format!("{array}_[1-2,6-8]");
    assert!(vo.done(&["job", &listed]).starts_with(&format!("job       {listed} many\n")));
    let call = ["wait", &format!("{array}_[3-4]")];
    assert_eq!(told(&vo.walras(&call, "")).0, Some(5), "they are cancelled");
    assert_eq!(vo.done(&["release", &listed]), format!("5 elements of {listed} are released\n"));
    vo.done(&["wait", &format!("{array}_[1-2,6-8]")]);
    vo.walras(&["wait", &array], "");
    let (code, out, err) = told(&vo.walras(&["cancel", &format!("{array}_[1-9%2]")], ""));
    assert!(code == Some(2) && out.is_empty() && err.contains("a limit belongs to the whole array"), "{err}");
    let whole = wrapped(vo, "whole", "sleep 30", &["--hold", "--array=1-6"]);
    assert_eq!(vo.done(&["cancel", &format!("{whole}_4")]), format!("element {whole}_4 is cancelled\n"));
    assert_eq!(vo.done(&["release", &whole]), format!("array {whole} is released, with 5 elements\n"));
    let out = vo.done(&["cancel", &whole]);
    assert_eq!(out, format!("array {whole} is cancelled, with 5 elements that had not ended\n"));
    assert_eq!(vo.done(&["cancel", &whole]), format!("array {whole} was cancelled already\n"));
    let element = format!("{whole}_4");
    assert_eq!(vo.done(&["cancel", &element]), format!("element {element} was cancelled already\n"));
    let done = wrapped(vo, "ended", "true", &[]);
    vo.done(&["wait", &done]);
    let (code, complaint) = vo.refused(&["cancel", &done], "");
    assert!(code == Some(1) && complaint.contains("has ended already: it is done"), "{complaint}");
}

#[test]
fn a_list_that_is_watched_is_shown_again_when_something_happens() {
    let vo = Vo::open();
    let mut watcher = vo.command(&["jobs", "--watch", "--columns", "name,state"]).spawn().unwrap();
    let mut out = watcher.stdout.take().unwrap();
    let mut seen = String::new();
    let mut until = |text: &str| {
        let mut piece = [0_u8; 1_024];
        while !seen.contains(text) {
            let count = out.read(&mut piece).unwrap();
            assert!(count > 0, "it goes on: {seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
    };
    until("no jobs");
    let held = wrapped(&vo, "watched", "true", &["--hold"]);
    until("watched  held");
    vo.done(&["cancel", &held]);
    until("watched  cancelled");
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}
