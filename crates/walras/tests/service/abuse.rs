//! Abuse: whatever is sent, the service answers with a refusal, stays up, and tells nobody's secrets.

use crate::http::{Answer, Call, answer, connect, raw};
use crate::program::{Place, Service, wait_for};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

const CONFIG: &str = r#"
limits = { requests_per_second = 100000, burst = 100000, connections = 60, head_seconds = 1, answer_seconds = 3 }

[policy]
cycle_every = 1
lead = 0.4
prepare_within = 0.2
confirm_within = 0.2
offers_within = 0.2

[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 4
price = 0.5

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
    place: Place,
    service: Service,
    administrator: String,
    user: String,
}

fn victim(level: &str) -> Victim {
    let place = Place::new(CONFIG);
    let service = place.start(level, &[]);
    let administrator = place.token();
    let user = service.make_user(&administrator, "ada", 1_000);
    Victim { place, service, administrator, user }
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
        self.place.check_log();
        self.place.check_journal();
    }
}

fn job(changes: &Value) -> Value {
    let mut job = json!({ "walras": "job/1", "name": "x", "work": 5 });
    for (key, value) in changes.as_object().unwrap() {
        job[key] = value.clone();
    }
    job
}

#[test]
fn bodies_that_are_too_large_are_refused_unread() {
    let it = victim("warn");
    let head = |more: &str| {
        format!(
            "POST /v1/jobs HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\n{more}\r\n\r\n",
            it.user
        )
    };
    // It says that it is large: nothing needs to be sent.
    let said = raw(it.service.address, head("Content-Length: 99999999999").as_bytes()).unwrap();
    assert_eq!(said.status, 413, "{}", said.body);
    // More than a number can say.
    let said = raw(it.service.address, head("Content-Length: 99999999999999999999999").as_bytes()).unwrap();
    assert_eq!(said.status, 400, "{}", said.body);
    // It does not say, and goes on and on.
    let mut stream = connect(it.service.address).unwrap();
    stream.write_all(head("Transfer-Encoding: chunked").as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let sent = (0..4_096).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 4_096, "the service took 256 MiB");
    // The refusal may have been lost with the connection, which was closed while more was coming.
    if let Ok(said) = answer(&mut stream) {
        assert_eq!(said.status, 413, "{}", said.body);
    }
    let large = format!("{{\"account\":\"{}\"}}", "a".repeat(2 << 20));
    it.refused("POST", "/v1/deposits", &it.administrator, &large);
    // Both at once is a trick.
    let both =
        head("Content-Length: 5\r\nTransfer-Encoding: chunked") + "0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n";
    let said = raw(it.service.address, both.as_bytes()).unwrap();
    assert!((400..500).contains(&said.status), "{}", said.body);
    it.unharmed();
}

#[test]
fn slow_clients_are_sent_away_and_keep_nobody_waiting() {
    let it = victim("warn");
    let begun = Instant::now();
    let beginnings = ["", "G", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: t\r\nX: "];
    let slow: Vec<_> = beginnings
        .iter()
        .map(|text| {
            let mut stream = connect(it.service.address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            stream
        })
        .collect();
    // A body that never comes.
    let mut waiting = connect(it.service.address).unwrap();
    let head = format!(
        "POST /v1/jobs HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 100\r\n\r\n{{",
        it.user
    );
    waiting.write_all(head.as_bytes()).unwrap();
    for _ in 0..20 {
        let asked = Instant::now();
        it.service.expect(&Call::get("/v1/me", &it.user), 200);
        assert!(asked.elapsed() < Duration::from_secs(1), "others are served meanwhile");
    }
    for (mut stream, text) in slow.into_iter().zip(beginnings) {
        let mut rest = Vec::new();
        // How it is closed does not matter.
        let _ = stream.read_to_end(&mut rest);
        assert!(begun.elapsed() < Duration::from_secs(6), "{text:?} was waited for");
    }
    assert_eq!(answer(&mut waiting).unwrap().status, 408);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    it.unharmed();
}

#[test]
fn connections_beyond_the_limit_are_closed_and_room_comes_back() {
    let it = victim("warn");
    let many: Vec<_> = (0..300).filter_map(|_| connect(it.service.address).ok()).collect();
    std::thread::sleep(Duration::from_millis(200));
    // None of them says anything: they are sent away, and there is room again.
    wait_for("room", Duration::from_secs(10), || {
        Call::get("/v1/me", &it.user).ask(it.service.address).is_ok_and(|answer| answer.status == 200)
    });
    let files = std::fs::read_dir(format!("/proc/{}/fd", it.service.child.id())).unwrap().count();
    assert!(files < 200, "{files} files are open");
    drop(many);
    it.unharmed();
}

#[test]
fn json_that_makes_no_sense_is_refused() {
    let it = victim("warn");
    let deep = "[".repeat(500_000);
    let deep_objects = "{\"a\":".repeat(100_000);
    let nested = format!(
        "{{\"walras\":\"job/1\",\"name\":\"x\",\"work\":{}1{}}}",
        "[".repeat(9_000),
        "]".repeat(9_000)
    );
    let texts: [&str; 14] = [
        "",
        "{",
        "nul",
        "[]",
        "\"x\"",
        "{\"a\":1}{\"a\":1}",
        "{'a':1}",
        "\u{feff}{}",
        "{\"walras\":\"job/9\"}",
        "{\"account\":\"user:ada\",\"amount\":1,\"amount\":2}",
        "\u{0}",
        &deep,
        &deep_objects,
        &nested,
    ];
    for text in texts {
        for (method, path) in [
            ("POST", "/v1/jobs"),
            ("POST", "/v1/quotes"),
            ("POST", "/v1/deposits"),
            ("POST", "/v1/tokens"),
            ("PATCH", "/v1/policy"),
            ("PUT", "/v1/sites/north/prices"),
            ("PUT", "/v1/budgets/vo"),
            ("POST", "/v1/sites/north/faults"),
            ("POST", "/v1/quotes/1/accept"),
        ] {
            it.refused(method, path, &it.administrator, text);
        }
    }
    let unknown = it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ "wrok": 3 })).to_string());
    assert!(unknown.body.contains("wrok"), "{}", unknown.body);
    let unknown = json!({ "account": "user:ada", "amount": 1, "note": "x" }).to_string();
    assert!(it.refused("POST", "/v1/deposits", &it.administrator, &unknown).body.contains("note"));
    // Bytes that are no text.
    let bytes = b"POST /v1/jobs HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 4\r\n";
    let mut bytes = bytes.to_vec();
    bytes.extend(format!("Authorization: Bearer {}\r\n\r\n", it.user).bytes());
    bytes.extend([b'"', 0xff, 0xfe, b'"']);
    assert_eq!(raw(it.service.address, &bytes).unwrap().status, 400);
    it.unharmed();
}

#[test]
fn amounts_that_make_no_sense_are_refused() {
    let it = victim("warn");
    let numbers = [
        "1e400",
        "-1e400",
        "1e-400000",
        "NaN",
        "\"NaN\"",
        "Infinity",
        "\"inf\"",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "1e18",
        "\"1e18\"",
        "9007199254740993000000",
        "0.0000001",
        "\"١٢\"",
        "\"1_000\"",
        "\"0x10\"",
        "\" 1\"",
        "true",
        "null",
        "[1]",
        "\"1,5\"",
        "\"\"",
    ];
    let huge = format!("1{}", "0".repeat(100_000));
    for number in numbers.into_iter().chain([huge.as_str()]) {
        let deposit = format!("{{\"account\":\"user:ada\",\"amount\":{number}}}");
        it.refused("POST", "/v1/deposits", &it.administrator, &deposit);
        let price = format!("{{\"base\":{number}}}");
        it.refused("PUT", "/v1/sites/north/prices", &it.administrator, &price);
        let work = format!("{{\"walras\":\"job/1\",\"name\":\"x\",\"work\":{number}}}");
        let said = it.body("POST", "/v1/jobs", &it.user, &work);
        assert!(said.status < 500, "{work}: {}", said.body);
    }
    for negative in ["-1", "-0.5"] {
        it.refused("PUT", "/v1/sites/north/prices", &it.administrator, &format!("{{\"base\":{negative}}}"));
        let budget = format!("{{\"period\":60,\"amount\":{negative}}}");
        it.refused("PUT", "/v1/budgets/user:ada", &it.administrator, &budget);
        for key in ["work", "budget", "tasks", "price_max", "performance_min"] {
            let number: Value = serde_json::from_str(negative).unwrap();
            it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ key: number })).to_string());
        }
    }
    for (key, value) in
        [("tasks", json!(4_294_967_296_u64)), ("tasks", json!(0)), ("tasks", json!(1.5)), ("work", json!(0))]
    {
        it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ key: value })).to_string());
    }
    // More than there is cannot be taken away, and nothing of all this has come or gone.
    it.refused(
        "POST",
        "/v1/deposits",
        &it.administrator,
        "{\"account\":\"user:ada\",\"amount\":-1000.000001}",
    );
    let mut all = 1_000;
    while it
        .body("POST", "/v1/deposits", &it.administrator, "{\"account\":\"user:ada\",\"amount\":1000000000}")
        .status
        == 201
    {
        all += 1_000_000_000_i64;
        assert!(all < 50_000_000_000, "is there no end?");
        if all > 20_000_000_000 {
            break;
        }
    }
    let account = it.service.expect(&Call::get("/v1/account", &it.user), 200).json();
    assert_eq!(account["balance"].as_i64(), Some(all), "{account}");
    it.unharmed();
}

#[test]
fn requests_and_tokens_that_come_again_do_nothing_again() {
    let it = victim("warn");
    let deposit = json!({ "account": "user:ada", "amount": 7 });
    let call = Call::send("POST", "/v1/deposits", &it.administrator, &deposit).keyed("k");
    for _ in 0..5 {
        it.service.expect(&call, 201);
    }
    assert_eq!(it.service.ask(&Call::get("/v1/account", &it.user)).json()["balance"], 1_007);
    let submit = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({}))).keyed("k");
    let first = it.service.expect(&submit, 201).json();
    assert_eq!(it.service.expect(&submit, 201).json(), first);
    let changed = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({ "work": 6 }))).keyed("k");
    it.service.expect(&changed, 409);
    // Somebody else's key is another.
    let eve = it.service.make_user(&it.administrator, "eve", 5);
    let same = Call::send("POST", "/v1/jobs", &eve, &job(&json!({}))).keyed("k");
    assert_ne!(it.service.expect(&same, 201).json(), first);
    let long = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({}))).keyed(&"k".repeat(201));
    it.service.expect(&long, 400);
    tokens_end(&it, &eve);
    it.unharmed();
}

/// Tokens that were revoked, have expired, or come in another dress.
fn tokens_end(it: &Victim, eve: &str) {
    let body = json!({ "role": "user", "name": "ada", "expires_in": 1 });
    let brief = it.service.expect(&Call::send("POST", "/v1/tokens", &it.administrator, &body), 201).json();
    let brief = brief["secret"].as_str().unwrap().to_owned();
    it.service.expect(&Call::get("/v1/me", &brief), 200);
    let tokens = it.service.expect(&Call::get("/v1/tokens", &it.administrator), 200).json();
    let of_eve = tokens["tokens"].as_array().unwrap().iter().find(|token| token["name"] == "eve").unwrap();
    // Whoever listens when their token is revoked hears no more.
    let mut listening = connect(it.service.address).unwrap();
    let head = format!("GET /v1/events HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {eve}\r\n\r\n");
    listening.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let revoke =
        Call { method: "DELETE", ..Call::get(format!("/v1/tokens/{}", of_eve["token"]), &it.administrator) };
    it.service.expect(&revoke, 200);
    it.service.expect(&revoke, 200);
    it.service.expect(&Call::get("/v1/me", eve), 401);
    let begun = Instant::now();
    let _ = listening.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(5), "the stream of a revoked token went on");
    std::thread::sleep(Duration::from_millis(1_100));
    it.service.expect(&Call::get("/v1/me", &brief), 401);
    let user = &it.user;
    for header in [
        format!("Basic {user}"),
        format!("Token {user}"),
        user.clone(),
        format!("Bearer{user}"),
        "Bearer ".to_owned(),
        format!("Bearer {user} {user}"),
        format!("Bearer {user}x"),
        format!("Bearer {}", user.to_uppercase()),
        format!("Bearer {}", &user[..user.len() - 1]),
        "Bearer ' OR 1=1 --".to_owned(),
    ] {
        let text =
            format!("GET /v1/me HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: {header}\r\n\r\n");
        assert_eq!(raw(it.service.address, text.as_bytes()).unwrap().status, 401, "{header}");
    }
    let query = format!(
        "GET /v1/me?token={user}&access_token={user} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(raw(it.service.address, query.as_bytes()).unwrap().status, 401);
}

#[test]
fn names_and_paths_play_no_tricks() {
    let it = victim("trace");
    let outputs =
        ["../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "", "x\u{0}y", "x\ny", ".ssh", &"x".repeat(300)];
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
    std::thread::sleep(Duration::from_millis(1_500));
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
    let log = it.place.log();
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
