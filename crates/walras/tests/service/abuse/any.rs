//! Requests that chance makes: every endpoint, with bodies, paths and queries that are nearly right, from callers of every kind.
//!
//! `FUZZ=N SEED=M` chooses how many and which chance; `make soak` sends a million. Whatever is sent: no answer is a fault of the service,
//! nothing panics, what was paid in meanwhile is there once, and the journal is clean.

use super::{job, victim};
use crate::chance::Chance;
use crate::http::{Call, connect};
use crate::program::number_from;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

const THREADS: u64 = 2;
/// One service is sent so many; then another begins, for what has gathered is asked for again and again.
const REQUESTS_EACH: u64 = 20_000;
/// One in so many requests pays a credit in, under a key of its own; half of them twice.
const SAVE_EVERY: u64 = 50;

/// Members and names that are odd, each in a way of its own.
const VALUES: [&str; 20] = [
    "null",
    "true",
    "-1",
    "0",
    "1",
    "0.0000001",
    "1e18",
    "9223372036854775807",
    "1e-400",
    "12345678901.000001",
    "\"\"",
    "\"ada\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"a\\u200bda\"",
    "[]",
    "[[[[[[1]]]]]]",
    "{}",
    "{\"exact\":{\"a\":\"1\"}}",
    "\"2026-02-30T25:00:00Z\"",
];
const NAMES: [&str; 16] = [
    "ada",
    "north",
    "here",
    "1",
    "0",
    "7_2",
    "18446744073709551615",
    "-1",
    "user:ada",
    "vo",
    "group:physics",
    "%00",
    "..%2F..%2Fetc",
    "%F0%9F%92%A9",
    "a%E2%80%8Bda",
    "exact",
];
const QUERIES: [&str; 12] = [
    "",
    "?limit=0",
    "?limit=1000",
    "?limit=-1",
    "?before=18446744073709551615",
    "?before=x",
    "?after=1",
    "?user=ada",
    "?array=1",
    "?from=1970-01-01T00:00:00Z",
    "?x=%FF",
    "?limit=1&limit=2",
];

/// What is sent where everything is in order.
fn bodies() -> Vec<String> {
    let workflow = json!({"walras": "workflow/1", "tasks": [{"name": "a", "work": 1}, {"name": "b", "work": 1}], "edges": [{"from": "a", "to": "b"}]});
    let bodies = [
        job(&json!({"work": 1, "budget": 1})),
        job(&json!({"tasks": 2, "finish_by": "2100-01-01T00:00:00Z", "prefers": {"cost": 1}})),
        job(&json!({"array": "1-3", "after": {"ok": [1]}, "user": "ada"})),
        json!({"walras": "job/1", "name": "w", "workflow": workflow}),
        json!({"account": "user:ada", "amount": 3}),
        json!({"role": "user", "name": "ada", "expires_in": 60}),
        json!({"base": 0.5, "nodes": {"n1": 0.7}, "hours": [1, 2], "demand": {"min": 0.5, "max": 2, "step": 0.1, "low": 0.2, "high": 0.8}}),
        json!({"period": 60, "amount": 5}),
        json!({"group": "physics", "share": 2, "lowest": -5}),
        json!({"option": 0}),
        json!({"lead": 0.4, "sharing": {"user": {"jobs": 100}}, "money": {"fee": 0.1}}),
        json!({"kind": "lost", "seconds": 1}),
        json!({"nodes": ["n1"], "seconds": 1}),
        json!({"script": "#!/bin/sh\n#SBATCH -n 2\ntrue\n"}),
        json!({"prefers": {"cost": 1}, "ranges": {"cost": [0, 1]}}),
        json!({"users": {"ada": {"share": 2}}, "groups": {}}),
        json!({"name": "more", "owner": "olga", "connector": "simulated", "count": 1, "price": 0.5}),
    ];
    bodies.iter().map(Value::to_string).collect()
}

/// Every method and path of the API's description, but streams and what would take our own tokens away.
fn posts() -> Vec<(String, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut posts = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let own = path.starts_with("/v1/tokens/") || path == "/v1/events" || path == "/v1/openapi.json";
            if !own {
                posts.push((method.to_uppercase(), path.clone()));
            }
        }
    }
    assert!(posts.len() > 50, "{posts:?}");
    posts
}

/// One who sends what chance makes.
struct Sender<'a> {
    chance: Chance,
    address: SocketAddr,
    open: Option<BufReader<TcpStream>>,
    posts: &'a [(String, String)],
    bodies: &'a [String],
    tokens: &'a [String],
}

impl Sender<'_> {
    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.chance.place(from.len())]
    }

    fn body(&mut self) -> Vec<u8> {
        let bodies = self.bodies;
        let mut text = self.pick(bodies).clone();
        for _ in 0..self.chance.between(0, 3) {
            // Something after a colon or a comma becomes something else.
            let places: Vec<usize> = text.match_indices([':', ',']).map(|(at, _)| at + 1).collect();
            let at = *self.pick(&places);
            let end = text[at..].find([',', '}', ']']).map_or(text.len(), |end| at + end);
            let value = *self.pick(&VALUES);
            text.replace_range(at..end, value);
        }
        let mut bytes = text.into_bytes();
        match self.chance.between(0, 12) {
            0 => bytes.truncate(self.chance.place(bytes.len() + 1)),
            1 => {
                let at = self.chance.place(bytes.len());
                bytes[at] = u8::try_from(self.chance.between(0, 256)).unwrap();
            }
            2 => bytes.extend_from_within(..),
            3 => bytes.insert(0, b'['),
            _ => {}
        }
        bytes
    }

    fn path(&mut self, pattern: &str) -> String {
        let mut path: Vec<String> = Vec::new();
        for part in pattern.split('/') {
            let filled =
                if part.starts_with('{') { (*self.pick(&NAMES)).to_owned() } else { part.to_owned() };
            path.push(filled);
        }
        let query = *self.pick(&QUERIES);
        path.join("/") + query
    }

    /// Sends something; the status, unless the connection was closed under it.
    fn send_any(&mut self) -> Option<u16> {
        let (posts, tokens) = (self.posts, self.tokens);
        let (method, pattern) = self.pick(posts).clone();
        let path = self.path(&pattern);
        let token = self.pick(tokens).clone();
        let body = if method == "GET" && self.chance.between(0, 10) > 0 { Vec::new() } else { self.body() };
        let media = if self.chance.between(0, 30) == 0 { "text/plain" } else { "application/json" };
        let key = match self.chance.between(0, 3) {
            0 => format!("Idempotency-Key: {}\r\n", self.chance.between(0, 50)),
            _ => String::new(),
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\nContent-Type: {media}\r\n{key}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = [head.as_bytes(), &body].concat();
        let (status, answer) = self.exchange(&sent)?;
        assert!(
            status < 500 || status == 503,
            "{status} {} to {}",
            String::from_utf8_lossy(&answer),
            String::from_utf8_lossy(&sent)
        );
        Some(status)
    }

    /// Sends bytes and reads an answer, on the connection that is open or on a new one.
    fn exchange(&mut self, bytes: &[u8]) -> Option<(u16, Vec<u8>)> {
        let mut open = self.open.take().unwrap_or_else(|| BufReader::new(connect(self.address).unwrap()));
        open.get_mut().write_all(bytes).ok()?;
        let mut line = String::new();
        open.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let (mut length, mut keep) = (None, true);
        while line != "\r\n" {
            line.clear();
            if open.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let lower = line.to_ascii_lowercase();
            length = lower.strip_prefix("content-length:").map_or(length, |rest| rest.trim().parse().ok());
            keep &= !lower.starts_with("connection: close");
        }
        let mut body = vec![0; length.unwrap_or(0)];
        open.read_exact(&mut body).ok()?;
        self.open = Some(open).filter(|_| keep && length.is_some());
        Some((status, body))
    }

    /// Pays a credit in; it counts once, however often it is sent.
    fn save(&mut self, administrator: &str, key: &str) -> bool {
        let body = "{\"account\":\"user:saver\",\"amount\":1}";
        let call = format!(
            "POST /v1/deposits HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {administrator}\r\nIdempotency-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.exchange(call.as_bytes()).is_some_and(|(status, _)| status == 201)
    }
}

#[test]
fn requests_that_chance_makes_break_nothing() {
    let (count, seed) = (number_from("FUZZ", 3_000), number_from("SEED", 1));
    let begins = (0..count).step_by(usize::try_from(REQUESTS_EACH).unwrap());
    for (begin, round) in begins.zip(0..) {
        send_to_one(REQUESTS_EACH.min(count - begin), seed.wrapping_add(THREADS * round));
    }
}

/// Sends so many requests to a service of their own.
fn send_to_one(count: u64, seed: u64) {
    let mut it = victim("error");
    let saver = it.service.make_user(&it.administrator, "saver", 1);
    let owner = it.service.make_token(&it.administrator, "owner", "olga");
    let tokens = [it.administrator.clone(), it.user.clone(), owner, "walras_nobody".to_owned()];
    let (posts, bodies) = (posts(), bodies());
    let work = |thread: u64| {
        let chance = Chance::new(seed.wrapping_add(thread));
        let (posts, bodies, tokens) = (&posts[..], &bodies[..], &tokens[..]);
        let mut sender = Sender { chance, address: it.service.address, open: None, posts, bodies, tokens };
        let (mut good, mut saved) = (0_u64, 0_u64);
        for number in 0..count / THREADS {
            if number % SAVE_EVERY == 0 {
                let key = format!("saved-{thread}-{number}");
                let again = number % (2 * SAVE_EVERY) == 0;
                saved += u64::from(sender.save(&tokens[0], &key) || sender.save(&tokens[0], &key));
                if again {
                    sender.save(&tokens[0], &key);
                }
            }
            good += u64::from(sender.send_any().is_some_and(|status| status < 300));
        }
        (good, saved)
    };
    let work = &work;
    let (good, saved) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        let all = threads.into_iter().map(|thread| thread.join().unwrap());
        all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    });
    let account = it.service.expect(&Call::get("/v1/account", &saver), 200).json();
    assert_eq!(account["balance"], 1 + saved, "{account}");
    assert!(
        saved >= count / THREADS / SAVE_EVERY * THREADS && good > count / 20,
        "{saved} saved, {good} good"
    );
    it.service.stop();
    it.home.check_log();
    it.home.check_journal();
    eprintln!(
        "{count} requests that chance made from {seed}: {good} were good; {saved} credits saved, each once"
    );
}
