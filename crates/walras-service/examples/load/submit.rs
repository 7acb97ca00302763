//! Durable submissions a second, and how long each takes, while cycles run.

use crate::client::Client;
use crate::service::{Service, directory};
use serde_json::json;
use std::time::{Duration, Instant};

pub(crate) fn run(clients: usize, seconds: usize) {
    let directory = directory(1, 2);
    let service = Service::start(directory.path());
    let tokens = service.users(clients);
    let until = Instant::now() + Duration::from_secs(u64::try_from(seconds).unwrap());
    let address = service.address;
    let threads: Vec<_> = tokens
        .into_iter()
        .map(|token| {
            std::thread::spawn(move || {
                let mut client = Client::open(address, &token);
                let job = json!({"walras": "job/1", "name": "load", "tasks": 2, "work": 5, "budget": 10, "command": ["true"]});
                let mut took = Vec::new();
                while Instant::now() < until {
                    let begun = Instant::now();
                    let (status, body) = client.call("POST", "/v1/jobs", Some(&job));
                    took.push(begun.elapsed());
                    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
                }
                took
            })
        })
        .collect();
    let mut took: Vec<Duration> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    took.sort_unstable();
    let share = |thousandths: usize| took[(took.len() - 1) * thousandths / 1_000];
    let rate = took.len() / seconds;
    println!(
        "{clients} clients, {seconds} s: {} submissions, {rate} a second, all durable before they were answered",
        took.len()
    );
    println!("median {:?}, 99th percentile {:?}, longest {:?}", share(500), share(990), share(1_000));
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
