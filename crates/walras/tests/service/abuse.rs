//! Abuse: whatever is sent, the service answers with a refusal, stays up, and tells nobody's secrets.

mod again;
mod any;
mod connections;
mod names;
mod values;

use crate::http::{Answer, Call, connect};
use crate::program::{NORTH, Service, ServiceHome};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::Duration;

const CONFIG: &str = r#"
limits = { requests_per_second = 100000, burst = 100000, connections = 60, head_seconds = 2, answer_seconds = 4 }

[policy]
cycle_every = 1
lead = 0.4
prepare_within = 0.2
confirm_within = 0.2
offers_within = 0.2
"#;

const HERE: &str = r#"
[[site]]
name = "here"
owner = "olga"
connector = "local"
count = 2
price = 0.1
"#;

/// Resident memory stays below this whatever is sent, in KiB.
const MEMORY_MAX: u64 = 300_000;

/// A service with a user.
struct Victim {
    home: ServiceHome,
    service: Service,
    administrator: String,
    user: String,
}

fn victim(level: &str) -> Victim {
    let home = ServiceHome::new(&format!("{CONFIG}{NORTH}{HERE}"));
    let service = home.start(level, &[]);
    let administrator = home.token();
    let user = service.make_user(&administrator, "ada", 1_000);
    Victim { home, service, administrator, user }
}

impl Victim {
    /// Sends a body as it is.
    fn body(&self, method: &'static str, path: &str, token: &str, body: &str) -> Answer {
        let call = Call { method, body: Some(body.to_owned()), ..Call::get(path, token) };
        self.service.ask(&call)
    }

    /// Sends a body that must be refused.
    fn refused(&self, method: &'static str, path: &str, token: &str, body: &str) -> Answer {
        let answer = self.body(method, path, token, body);
        let shown: String = body.chars().take(200).collect();
        assert!(
            (400..500).contains(&answer.status),
            "{method} {path} {shown}: {} {}",
            answer.status,
            answer.body
        );
        assert!(answer.json()["message"].is_string(), "{method} {path} {shown}: {}", answer.body);
        answer
    }

    /// It lives, nothing panicked, and it is not fat.
    fn unharmed(mut self) {
        self.service.expect(&Call::get("/v1/status", &self.user), 200);
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.service.child.id())).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let resident: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(resident < MEMORY_MAX, "{resident} KiB");
        // Somebody who listens does not keep it from stopping.
        let mut listening = connect(self.service.address).unwrap();
        let head =
            format!("GET /v1/events HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\n\r\n", self.user);
        listening.write_all(head.as_bytes()).unwrap();
        listening.read_exact(&mut [0; 12]).unwrap();
        let took = self.service.stop();
        assert!(took < Duration::from_secs(4), "a graceful stop took {took:?}");
        self.home.check_log();
        self.home.check_journal();
    }
}

fn job(changes: &Value) -> Value {
    let mut job = json!({ "walras": "job/1", "name": "x", "work": 5, "command": ["true"] });
    for (key, value) in changes.as_object().unwrap() {
        job[key] = value.clone();
    }
    job
}
