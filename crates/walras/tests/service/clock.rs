//! Somebody sets the machine's clock under a service that runs: it goes on, says so, and is right again by itself.
//!
//! libfaketime stands for whoever sets it: the program asks for the time, and is told another one.

use crate::http::Call;
use crate::program::{Service, ServiceHome, wait_for};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Where Debian, and others, have it; `scripts/setup test` installs it.
fn library() -> PathBuf {
    let places = std::fs::read_dir("/usr/lib").unwrap().flatten().map(|entry| entry.path());
    let all = places.chain([PathBuf::from("/usr/lib"), PathBuf::from("/usr/local/lib")]);
    let found = all.map(|directory| directory.join("faketime/libfaketimeMT.so.1")).find(|path| path.exists());
    found.expect("libfaketime is not installed")
}

struct Clocked {
    home: ServiceHome,
    service: Service,
    administrator: String,
    user: String,
    jobs: u32,
}

impl Clocked {
    fn new() -> Clocked {
        let home = ServiceHome::brisk("");
        std::fs::write(home.path("clock"), "+0").unwrap();
        let words = [
            "env".to_owned(),
            format!("LD_PRELOAD={}", library().display()),
            format!("FAKETIME_TIMESTAMP_FILE={}", home.path("clock").display()),
            "FAKETIME_NO_CACHE=1".to_owned(),
            "FAKETIME_DONT_FAKE_MONOTONIC=1".to_owned(),
        ];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let service = home.start("warn", &words);
        let administrator = home.token();
        let user = service.make_user(&administrator, "ada", 1_000_000);
        Clocked { home, service, administrator, user, jobs: 0 }
    }

    /// Sets the clock, relative to what it is outside.
    fn set(&self, offset: &str) {
        // Whole or not at all: it is read all the time.
        std::fs::write(self.home.path("clock.new"), offset).unwrap();
        std::fs::rename(self.home.path("clock.new"), self.home.path("clock")).unwrap();
    }

    fn alarms(&self) -> usize {
        let ready = self.service.expect(&Call::get("/readyz", &self.user), 200).json();
        ready["alarms"].as_array().map_or(0, Vec::len)
    }

    /// A job of two seconds is planned, runs and ends.
    fn does_something(&mut self) {
        self.jobs += 1;
        let job = json!({ "walras": "job/1", "name": "short", "work": 2, "budget": 100 });
        let call = Call::send("POST", "/v1/jobs", &self.user, &job).keyed(&self.jobs.to_string());
        let number = self.service.expect(&call, 201).json()["job"].clone();
        wait_for("the job is done", Duration::from_secs(120), || {
            let seen = Call::get(format!("/v1/jobs/{number}"), &self.user);
            self.service.expect(&seen, 200).json()["state"] == "done"
        });
    }

    fn apart(&self) -> i64 {
        let text = self.service.expect(&Call::get("/metrics", &self.administrator), 200).body;
        let line = text.lines().find(|line| line.starts_with("walras_clock_apart_seconds "));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap()
    }
}

#[test]
fn the_service_goes_on_whatever_the_clock_is_set_to() {
    let mut clocked = Clocked::new();
    clocked.does_something();
    for (offset, alarms) in [("-5m", 0), ("+1d", 1), ("-1d", 1), ("+0", 0)] {
        clocked.set(offset);
        wait_for("it is noticed", Duration::from_secs(10), || clocked.alarms() == alarms);
        clocked.does_something();
        assert_eq!((clocked.alarms(), clocked.apart() == 0), (alarms, alarms == 0), "{offset}");
    }
    let log = clocked.home.log();
    let said = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(said("the machine's clock was set, and is not followed"), 1, "{log}");
    assert_eq!(said("the machine's clock is right again"), 1, "{log}");
    clocked.service.kill();
    clocked.home.check_journal();
}
