//! Durable submissions a second, and how long each takes, while cycles run and others ask for quotes.

use crate::client::Client;
use crate::service::{Service, directory};
use serde_json::json;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) fn run(clients: usize, seconds: usize, quoters: usize) {
    let directory = directory(1, 2);
    let service = Service::start(directory.path());
    let tokens = service.users(clients + quoters);
    let until = Instant::now() + Duration::from_secs(u64::try_from(seconds).unwrap());
    let address = service.address;
    let ask = |path: &'static str, tokens: &[String]| -> Vec<JoinHandle<Vec<Duration>>> {
        let thread = |token: &String| {
            let token = token.clone();
            std::thread::spawn(move || repeat(Client::open(address, &token), path, until))
        };
        tokens.iter().map(thread).collect()
    };
    let (submit, quote) = tokens.split_at(clients);
    let (submit, quote) = (ask("/v1/jobs", submit), ask("/v1/quotes", quote));
    println!("{clients} clients, {seconds} s, all durable before they were answered");
    report("submissions", submit, seconds);
    report("quotes", quote, seconds);
    let status = service.status();
    println!(
        "meanwhile {} cycles; {} jobs wait, {} are reserved, {} run, {} have ended; {} MB resident",
        status["cycle"]["cycle"],
        status["queued"],
        status["reserved"],
        status["running"],
        status["ended"],
        service.memory() / 1_000_000
    );
    service.kill();
}

/// Asks the same again and again; how long each answer took.
fn repeat(mut client: Client, path: &str, until: Instant) -> Vec<Duration> {
    let job =
        json!({"walras": "job/1", "name": "load", "tasks": 2, "work": 5, "budget": 10, "command": ["true"]});
    let mut took = Vec::new();
    while Instant::now() < until {
        let begun = Instant::now();
        let (status, body) = client.call("POST", path, Some(&job));
        took.push(begun.elapsed());
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
    }
    took
}

fn report(what: &str, threads: Vec<JoinHandle<Vec<Duration>>>, seconds: usize) {
    let mut took: Vec<Duration> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    if took.is_empty() {
        return;
    }
    took.sort_unstable();
    let share = |thousandths: usize| took[(took.len() - 1) * thousandths / 1_000];
    println!(
        "{} {what}, {} a second; median {:?}, 99th percentile {:?}, longest {:?}",
        took.len(),
        took.len() / seconds,
        share(500),
        share(990),
        share(1_000)
    );
}
