//! Memory, and the time that a restart takes, with many finished jobs in the journal.

use crate::client::Client;
use crate::service::{Service, directory};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Ten minutes pass in a second, so that jobs of minutes end at once.
const SPEED: u32 = 600;
const CLIENTS: usize = 8;
/// No more than so many wait.
const WAITING: usize = 4_000;

pub(crate) fn run(jobs: usize) {
    let directory = directory(SPEED, 120);
    let service = Service::start(directory.path());
    let tokens = service.users(CLIENTS);
    let begun = Instant::now();
    let ended = Arc::new(AtomicUsize::new(0));
    let sent = Arc::new(AtomicUsize::new(0));
    let address = service.address;
    let threads: Vec<_> = tokens
        .into_iter()
        .map(|token| {
            let (ended, sent) = (ended.clone(), sent.clone());
            std::thread::spawn(move || {
                let mut client = Client::open(address, &token);
                let job = json!({"walras": "job/1", "name": "finished", "tasks": 1, "work": 120});
                while sent.fetch_add(1, Ordering::Relaxed) < jobs {
                    assert_eq!(client.call("POST", "/v1/jobs", Some(&job)).0, 201);
                    while sent.load(Ordering::Relaxed) > ended.load(Ordering::Relaxed) + WAITING {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            })
        })
        .collect();
    let mut told = Instant::now();
    while ended.load(Ordering::Relaxed) < jobs {
        std::thread::sleep(Duration::from_millis(100));
        let count = usize::try_from(service.status()["ended"].as_u64().unwrap()).unwrap();
        ended.store(count, Ordering::Relaxed);
        if told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            println!(
                "{count} ended, {} MB resident, {} s",
                service.memory() / 1_000_000,
                begun.elapsed().as_secs()
            );
        }
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let size: u64 = ["journal.db", "journal.db-wal"]
        .iter()
        .filter_map(|name| Some(std::fs::metadata(directory.path().join("data").join(name)).ok()?.len()))
        .sum();
    println!(
        "{jobs} jobs have ended in {} s; {} MB resident, a journal of {} MB",
        begun.elapsed().as_secs(),
        service.memory() / 1_000_000,
        size / 1_000_000
    );
    service.kill();
    for _ in 0..3 {
        let service = Service::start(directory.path());
        let status = service.status();
        println!(
            "killed and started again: {:?} to the first answer; {} ended, {} MB resident",
            service.ready,
            status["ended"],
            service.memory() / 1_000_000
        );
        service.kill();
    }
}
