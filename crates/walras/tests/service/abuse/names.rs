//! Names, paths and heads that would play tricks, and what the log says of them.

use super::{Victim, job, victim};
use crate::http::{Call, raw};
use crate::program::wait_for;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn names_and_paths_play_no_tricks() {
    let it = victim("trace");
    let outputs = [
        "../x",
        "..",
        ".",
        "/etc/passwd",
        "a/../b",
        "/dev/zero",
        "a\\b",
        "",
        "x\u{0}y",
        "x\ny",
        ".ssh",
        &"x".repeat(300),
    ];
    for output in outputs {
        let body = job(&json!({ "sites": ["here"], "command": ["true"], "output": output }));
        it.refused("POST", "/v1/jobs", &it.user, &body.to_string());
    }
    for path in [
        "/v1/jobs/..%2f..%2fetc%2fpasswd",
        "/v1/jobs/%2e%2e/%2e%2e/administrator.token",
        "/v1/jobs/1/output?part=../../x",
        "/v1/jobs/1%00",
        "/v1/jobs/-1",
        "/v1/jobs/18446744073709551616",
        "/v1/jobs/1/output?part=4294967296",
        "/../data/administrator.token",
        "/v1/../data/journal.db",
        "//etc/passwd",
        "/v1/sites/..%2f..",
        "/v1/sites/%ff%fe",
        "/v1/jobs?limit=-1",
        "/v1/jobs?limit=99999999999999999999",
        "/v1/jobs?state=x",
        "/v1/jobs?before=NaN",
        "/v1/jobs?nothing=1",
        "/v1/jobs/1'%20OR%20'1'='1",
        "/v1/events?after=-1",
        "/docs/../metrics",
        "*",
    ] {
        let said = it.service.ask(&Call::get(path, &it.user));
        assert!((400..500).contains(&said.status), "{path}: {} {}", said.status, said.body);
    }
    let odd = [
        "'; DROP TABLE entry; --",
        "\u{202e}gnp.exe",
        "x\u{2028}y",
        "Robert\"); --",
        "ünï ☃",
        "%s%n",
        "{{7*7}}",
    ];
    for name in odd {
        let body = job(&json!({ "name": name })).to_string();
        let said = it.body("POST", "/v1/jobs", &it.user, &body);
        assert!(matches!(said.status, 201 | 400 | 422), "{name}: {}", said.body);
        let path = format!("/v1/users/{}", encoded(name));
        let said = it.body("PUT", &path, &it.administrator, "{}");
        assert!(matches!(said.status, 200 | 400 | 422), "{name}: {}", said.body);
        let said = it.service.ask(&Call::get(format!("/v1/jobs?user={}", encoded(name)), &it.administrator));
        assert_eq!(said.status, 200, "{}", said.body);
    }
    for name in ["\u{1b}[2J", "a\nb", "a\r\nSet-Cookie: x", "\u{0}", "\u{7f}", "\u{9b}31m"] {
        it.refused("PUT", &format!("/v1/users/{}", encoded(name)), &it.administrator, "{}");
        it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ "name": name })).to_string());
    }
    headers_flood(&it);
    // What is planned and run under odd names is logged too.
    wait_for("no job is new any more", Duration::from_secs(60), || {
        let page = it.service.expect(&Call::get("/v1/jobs?limit=1000", &it.administrator), 200).json();
        let jobs = page["jobs"].as_array().unwrap();
        assert!(!jobs.is_empty(), "some names were to be accepted");
        jobs.iter().all(|job| job["state"] != "queued" || !job["why"].is_null())
    });
    log_is_harmless(&it);
    it.unharmed();
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn headers_flood(it: &Victim) {
    let many: String = (0..5_000).map(|number| format!("X-{number}: y\r\n")).collect();
    let long = format!("X: {}\r\n", "y".repeat(4 << 20));
    for more in [many, long] {
        let text = format!("GET /v1/me HTTP/1.1\r\nHost: t\r\nConnection: close\r\n{more}\r\n");
        // Closed at once is an answer too.
        if let Ok(said) = raw(it.service.address, text.as_bytes()) {
            assert!((400..500).contains(&said.status), "{}", said.status);
        }
    }
    let path = format!("GET /{} HTTP/1.1\r\nHost: t\r\n\r\n", "a".repeat(100_000));
    if let Ok(said) = raw(it.service.address, path.as_bytes()) {
        assert!((400..500).contains(&said.status), "{}", said.status);
    }
}

/// At the most talkative level every line is JSON without control characters, and no secret is in it.
fn log_is_harmless(it: &Victim) {
    let log = it.home.log();
    assert!(log.lines().count() > 20, "it was to be talkative");
    for line in log.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "no JSON: {line}");
        assert!(!line.contains(|it: char| it.is_control()), "{line:?}");
    }
    for secret in [&it.administrator, &it.user] {
        assert!(!log.contains(secret.as_str()), "a token is in the log");
        assert!(!log.contains(&secret["walras_".len()..]), "a token is in the log");
    }
}
