//! A victim beside a user who floods the service: how late their jobs start, and how long their requests take, with and without.
//!
//! Limits are those that a service has unless it is told otherwise. The victim asks for something every 20 ms, and sends a job of five
//! seconds on one node every two seconds; time runs ten times as fast as the wall's.

use crate::attack::{Attack, Attacker, Counts};
use crate::client::Client;
use crate::service::{Service, ordinary};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What the victim looks at, in turn.
const READS: [&str; 6] = [
    "/v1/account",
    "/v1/jobs?limit=20",
    "/v1/status",
    "/v1/offers",
    "/v1/sites",
    "/v1/account/statement?limit=20",
];

/// What the victim saw.
struct Seen {
    requests: Vec<Duration>,
    starts: Vec<Duration>,
}

pub(crate) fn run(kind: Option<&str>, seconds: usize, after: usize) {
    let [seconds, after] = [seconds, after].map(|it| Duration::from_secs(u64::try_from(it).unwrap()));
    println!(
        "attack      requests  median      p99      longest   jobs  start: median     longest   the attacker was let in"
    );
    for attack in Attack::ALL {
        let wanted = |kinds: &str| kinds.split(',').any(|kind| kind == attack.name());
        if attack == Attack::Nothing || kind.is_none_or(wanted) {
            beside(attack, seconds, after);
        }
    }
}

fn beside(attack: Attack, seconds: Duration, after: Duration) {
    let directory = ordinary();
    let service = Service::start(directory.path());
    let victim = service.user("victim", 1_000_000);
    let eves = (0..attack.users()).map(|number| service.user(&format!("eve{number}"), money_for(attack)));
    let eves: Vec<String> = eves.collect();
    // Plans, prices and predictions are there.
    watch(service.address, &victim, Duration::from_secs(4));
    let before = service.memory();
    let (done, counts) = (Arc::new(AtomicBool::new(false)), Arc::new(Counts::default()));
    let attacker = Attacker {
        address: service.address,
        tokens: eves.clone(),
        done: done.clone(),
        counts: counts.clone(),
    };
    let threads = attacker.begin(attack);
    std::thread::sleep(Duration::from_secs(2));
    let seen = watch(service.address, &victim, seconds);
    done.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| drop(thread.join()));
    let peak = service.memory_peak();
    // What was only for the flood is given back.
    eves.iter().for_each(|eve| cancel_all(service.address, eve));
    std::thread::sleep(after);
    let memory = [before, peak, service.memory()].map(|bytes| bytes / 1_000_000);
    report(attack, seen, &counts, memory);
    service.kill();
}

/// Cancels what a user has, as fast as they are let.
fn cancel_all(address: SocketAddr, token: &str) {
    let mut client = Client::open(address, token);
    let mut ask = |method: &str, path: &str| loop {
        match client.call(method, path, None) {
            (429, _) => std::thread::sleep(Duration::from_millis(5)),
            (_, body) => break body,
        }
    };
    loop {
        let listed = ask("GET", "/v1/jobs?state=queued,planning,planned,reserving,reserved&limit=1000");
        let listed: Value = serde_json::from_slice(&listed).unwrap();
        let jobs = listed["jobs"].as_array().unwrap();
        if jobs.is_empty() {
            return;
        }
        jobs.iter().for_each(|job| drop(ask("DELETE", &format!("/v1/jobs/{}", job["job"]))));
    }
}

fn money_for(attack: Attack) -> u64 {
    match attack {
        Attack::Penniless => 0,
        Attack::Nothing
        | Attack::Jobs
        | Attack::Quotes
        | Attack::Workflows
        | Attack::Streams
        | Attack::Deaf
        | Attack::Returns
        | Attack::Bodies
        | Attack::Lists => 1_000_000_000,
    }
}

fn watch(address: SocketAddr, token: &str, seconds: Duration) -> Seen {
    let until = Instant::now() + seconds;
    std::thread::scope(|scope| {
        let reads = scope.spawn(|| read(address, token, until));
        let (mut requests, starts) = send(address, token, until);
        requests.extend(reads.join().unwrap());
        Seen { requests, starts }
    })
}

/// Asks for one thing after the other; how long each answer took.
fn read(address: SocketAddr, token: &str, until: Instant) -> Vec<Duration> {
    let mut client = Client::open(address, token);
    let mut took = Vec::new();
    for path in READS.iter().cycle() {
        let begun = Instant::now();
        if begun > until {
            break;
        }
        assert_eq!(client.call("GET", path, None).0, 200, "{path}");
        took.push(begun.elapsed());
        std::thread::sleep(Duration::from_millis(20).saturating_sub(begun.elapsed()));
    }
    took
}

/// Sends jobs, and waits for the start of each; how long requests took, and from each submission to its start.
fn send(address: SocketAddr, token: &str, until: Instant) -> (Vec<Duration>, Vec<Duration>) {
    let mut client = Client::open(address, token);
    let (mut requests, mut starts) = (Vec::new(), Vec::new());
    while Instant::now() < until {
        let begun = Instant::now();
        let job = json!({"walras": "job/1", "name": "mine", "work": 5, "budget": 100, "command": ["true"]});
        let (status, body) = client.call("POST", "/v1/jobs", Some(&job));
        requests.push(begun.elapsed());
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
        let made: Value = serde_json::from_slice(&body).unwrap();
        let path = format!("/v1/jobs/{}", made["job"]);
        loop {
            let asked = Instant::now();
            let (_, body) = client.call("GET", &path, None);
            requests.push(asked.elapsed());
            let view: Value = serde_json::from_slice(&body).unwrap();
            // Nobody waits for ever: what has not started by then counts with that.
            if matches!(view["state"].as_str(), Some("running" | "done"))
                || begun.elapsed() > Duration::from_secs(60)
            {
                starts.push(begun.elapsed());
                break;
            }
            assert!(!matches!(view["state"].as_str(), Some("failed" | "given-up")), "{view}");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_secs(2).saturating_sub(begun.elapsed()));
    }
    (requests, starts)
}

fn share(sorted: &[Duration], thousandths: usize) -> Duration {
    sorted.get(sorted.len().saturating_sub(1) * thousandths / 1_000).copied().unwrap_or_default()
}

fn report(attack: Attack, mut seen: Seen, counts: &Counts, [before, peak, after]: [u64; 3]) {
    seen.requests.sort_unstable();
    seen.starts.sort_unstable();
    println!(
        "{:10} {:9} {:8.1?} {:8.1?} {:12.1?} {:6} {:14.2?} {:11.2?}   {} of {}; {before} MB resident before, {peak} MB at most, {after} MB after",
        attack.name(),
        seen.requests.len(),
        share(&seen.requests, 500),
        share(&seen.requests, 990),
        share(&seen.requests, 1_000),
        seen.starts.len(),
        share(&seen.starts, 500),
        share(&seen.starts, 1_000),
        counts.let_in.load(Ordering::Relaxed),
        counts.tried.load(Ordering::Relaxed),
    );
}
