//! A copy of a running service's databases, put into an empty directory, is the service as it was.

use crate::http::Call;
use crate::program::{PROGRAM, Service, ServiceHome, wait_for};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::Duration;

const CONFIG: &str = r#"
limits = { requests_per_second = 100000, burst = 100000 }
journal = { snapshot_every = 100 }
"#;

fn submit(service: &Service, user: &str, key: &str) -> Value {
    let job = json!({ "walras": "job/1", "name": "one", "work": 1, "budget": 5 });
    service.expect(&Call::send("POST", "/v1/jobs", user, &job).keyed(key), 201).json()["job"].clone()
}

/// A job that has ended; none before.
fn ended(service: &Service, user: &str, job: &Value) -> Option<Value> {
    let job = service.expect(&Call::get(format!("/v1/jobs/{job}"), user), 200).json();
    let state = job["state"].as_str().unwrap();
    ["done", "failed", "given-up"].contains(&state).then_some(job)
}

#[test]
fn a_copy_of_a_running_service_carries_on() {
    let home = ServiceHome::brisk(CONFIG);
    let mut service = home.start("warn", &[]);
    let user = service.make_user(&home.token(), "ada", 1_000);
    let jobs: Vec<Value> = (0..12).map(|number| submit(&service, &user, &number.to_string())).collect();
    wait_for("a job ends", Duration::from_secs(60), || ended(&service, &user, &jobs[0]).is_some());
    let first = ended(&service, &user, &jobs[0]);

    let other = ServiceHome::brisk(CONFIG);
    let to = other.path("data");
    let copied = home.walras(&["backup", to.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&copied.stdout).into_owned();
    let problem = String::from_utf8_lossy(&copied.stderr).into_owned();
    assert_eq!(copied.status.code(), Some(0), "{said}{problem}");
    // The journal, the tokens and the book of the site.
    assert!(said.contains(": 3 databases; the journal has "), "{said}");
    // It is a copy of one moment, and holds what it promises.
    let audited = other.walras(&["audit", "data"]);
    assert_eq!(audited.status.code(), Some(0), "{}", String::from_utf8_lossy(&audited.stdout));
    // Nothing is written over.
    assert_eq!(home.walras(&["backup", to.to_str().unwrap()]).status.code(), Some(2));
    let later = submit(&service, &user, "later");
    service.kill();

    // The tokens are the old ones, what had ended is as it was, and what was under way comes to an end.
    let mut restored = other.start("warn", &[]);
    assert_eq!(ended(&restored, &user, &jobs[0]), first);
    for job in &jobs {
        wait_for("all end", Duration::from_secs(90), || ended(&restored, &user, job).is_some());
    }
    // What came after the copy is unknown to it, under its number and under its key.
    restored.expect(&Call::get(format!("/v1/jobs/{later}"), &user), 404);
    assert_eq!(submit(&restored, &user, "0"), jobs[0]);
    assert_eq!(submit(&restored, &user, "later"), later);
    restored.stop();
    other.check_journal();
    other.check_log();

    // Snapshots without the journal that they are of are no state to go on from.
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let _ = fs::remove_file(other.path("data").join(name));
    }
    let serve =
        Command::new(PROGRAM).args(["serve", "--config", "walras.toml"]).current_dir(other.path("")).output();
    let serve = serve.unwrap();
    let problem = String::from_utf8_lossy(&serve.stderr).into_owned();
    assert_eq!(serve.status.code(), Some(2), "{problem}");
    assert!(problem.contains("there are snapshots of a journal"), "{problem}");
}
