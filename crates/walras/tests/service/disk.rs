//! A disk without space: what cannot be written is refused, what was acknowledged stays, and all goes on when there is
//! space again.
//!
//! A limit on the size of files stands for the disk: every write beyond it fails, in the real program, for real.

use crate::http::Call;
use crate::program::{Service, ServiceHome, wait_for};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

const CONFIG: &str = r#"
limits = { requests_per_second = 100000, burst = 100000 }
journal = { snapshot_every = 200, repeat_seconds = 1 }
"#;

fn limit_files(service: &Service, limit: &str) {
    let child = service.child.id().to_string();
    let fsize = format!("--fsize={limit}:unlimited");
    let done = Command::new("prlimit").args(["--pid", &child, &fsize]).status().unwrap();
    assert!(done.success(), "prlimit {fsize}");
}

fn submit(user: &str, number: u32) -> Call {
    // Some weight, so that the space is used up soon.
    let job = json!({ "walras": "job/1", "name": "x".repeat(150), "work": 1, "budget": 1, "script": format!("#!/bin/sh\n# {}\n", "y".repeat(5_000)) });
    Call::send("POST", "/v1/jobs", user, &job).keyed(&number.to_string())
}

#[test]
fn a_full_disk_refuses_what_is_new_and_loses_nothing() {
    let home = ServiceHome::brisk(CONFIG);
    // A write beyond the limit is an error then, and not the end of the program.
    let mut service = home.start("warn", &["env", "--ignore-signal=XFSZ"]);
    let administrator = home.token();
    let user = service.make_user(&administrator, "ada", 1_000_000);
    for round in 0..3 {
        fill_up(&home, &service, &user, &administrator, round * 10_000);
    }
    service.kill();
    home.check_journal();
    home.check_log();
}

/// The log has no space either: that ends nothing.
#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    let home = ServiceHome::brisk(CONFIG);
    let mut service = home.start("debug", &["sh", "-c", "exec \"$@\" 2>/dev/full", "sh"]);
    let administrator = home.token();
    let user = service.make_user(&administrator, "ada", 1_000);
    for number in 0..20 {
        service.expect(&submit(&user, number), 201);
    }
    service.expect(&Call::get("/v1/status", &user), 200);
    service.kill();
    home.check_journal();
}

/// Uses all space up, looks at what is left of the service, and gives it space again.
fn fill_up(home: &ServiceHome, service: &Service, user: &str, administrator: &str, first: u32) {
    // The log that is written ahead is what grows.
    let size = |name: &str| std::fs::metadata(home.path(name)).map_or(0, |it| it.len());
    let limit = size("data/journal.db-wal").max(size("data/journal.db")) + 300_000;
    limit_files(service, &limit.to_string());
    let mut acknowledged: Vec<(u32, Value)> = Vec::new();
    let mut refusal = None;
    for number in first..first + 9_000 {
        let answer = service.ask(&submit(user, number));
        match answer.status {
            201 => acknowledged.push((number, answer.json()["job"].clone())),
            503 => {
                assert!(answer.head.contains("retry-after"), "{}", answer.head);
                refusal = Some((number, answer.json()));
                break;
            }
            other => panic!("{other}: {}", answer.body),
        }
    }
    let (refused, why) = refusal.expect("there was to be no space");
    assert_eq!(why["code"], "unwritable", "{why}");
    assert!(why["message"].as_str().unwrap().contains("nothing can be written now"), "{why}");
    assert!(!acknowledged.is_empty());
    // It stays so, and everything can still be read.
    for _ in 0..5 {
        service.expect(&submit(user, refused), 503);
        let deposit = json!({ "account": "user:ada", "amount": 1 });
        service.expect(&Call::send("POST", "/v1/deposits", administrator, &deposit), 503);
        for path in [
            "/v1/jobs",
            "/v1/account",
            "/v1/account/statement",
            "/v1/sites",
            "/v1/offers",
            "/v1/status",
            "/healthz",
        ] {
            service.expect(&Call::get(path, user), 200);
        }
        assert_eq!(service.ask(&Call::get("/readyz", user)).status, 503);
        std::thread::sleep(Duration::from_millis(200));
    }
    every_one_is_there(service, user, &acknowledged);
    limit_files(service, "unlimited");
    wait_for("it goes on by itself", Duration::from_secs(20), || {
        service.ask(&submit(user, refused)).status == 201
    });
    assert_eq!(service.ask(&Call::get("/readyz", user)).status, 200);
    every_one_is_there(service, user, &acknowledged);
    for (number, job) in acknowledged.iter().step_by(20) {
        assert_eq!(service.expect(&submit(user, *number), 201).json()["job"], *job);
    }
    // The broker works again: something is done.
    let (_, last) = acknowledged.last().unwrap();
    service.expect(&Call { method: "DELETE", ..Call::get(format!("/v1/jobs/{last}"), user) }, 200);
}

fn every_one_is_there(service: &Service, user: &str, acknowledged: &[(u32, Value)]) {
    for (_, job) in acknowledged.iter().step_by(7) {
        service.expect(&Call::get(format!("/v1/jobs/{job}"), user), 200);
    }
}

/// A small disk of its own; gone when dropped.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// None where the machine does not let us, which only root may.
    fn mounted(at: std::path::PathBuf) -> Option<SmallDisk> {
        std::fs::create_dir_all(&at).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(&at).status().unwrap().success();
        assert_eq!(mounted, rustix::process::geteuid().is_root(), "root can mount a disk, and nobody else");
        mounted.then_some(SmallDisk(at))
    }

    fn fill(&self) {
        let zeros = vec![0; 1 << 16];
        let mut file = std::fs::File::create(self.0.join("filler")).unwrap();
        while std::io::Write::write_all(&mut file, &zeros).is_ok() {}
        let mut more = |bytes: usize| std::io::Write::write_all(&mut file, &zeros[..bytes]);
        while more(512).is_ok() {}
    }

    fn empty(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_service_starts_on_a_full_disk_and_only_reads_until_there_is_space() {
    let home = ServiceHome::brisk(CONFIG);
    let Some(disk) = SmallDisk::mounted(home.path("data")) else { return };
    let mut service = home.start("warn", &[]);
    let administrator = home.token();
    let user = service.make_user(&administrator, "ada", 1_000_000);
    let job = service.expect(&submit(&user, 1), 201).json()["job"].clone();
    for (round, killed) in (2..).zip([false, true, true]) {
        if killed {
            service.kill();
        } else {
            service.stop();
        }
        disk.fill();
        service = home.start("warn", &[]);
        let ready = service.ask(&Call::get("/readyz", &user));
        assert_eq!(ready.status, 503, "{}", ready.body);
        assert!(ready.body.contains("cannot be written"), "{}", ready.body);
        service.expect(&Call::get(format!("/v1/jobs/{job}"), &user), 200);
        service.expect(&Call::get("/v1/account/statement", &user), 200);
        let refused = service.expect(&submit(&user, round), 503).json();
        assert_eq!(refused["code"], "unwritable", "{refused}");
        disk.empty();
        wait_for("it goes on by itself", Duration::from_secs(20), || {
            service.ask(&submit(&user, round)).status == 201
        });
        assert_eq!(service.ask(&Call::get("/readyz", &user)).status, 200);
    }
    service.kill();
    home.check_journal();
    home.check_log();
}
