//! What must hold after every restart, and in the end.

use super::client::World;
use crate::chance::Chance;
use crate::http::Call;
use crate::program::{Service, lines, wait_for};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// After a restart: what was acknowledged in the last life, and some of what was before. Gives how many were.
pub(super) fn check_life(service: &Service, world: &World, checked: usize, chance: &mut Chance) -> usize {
    let (jobs, saved) = {
        let ledger = world.ledger.lock().unwrap();
        (ledger.jobs.clone(), ledger.saved)
    };
    let old = (0..5.min(checked)).map(|_| &jobs[chance.place(checked)]);
    for (number, user, key, body) in jobs[checked..].iter().chain(old) {
        let token = &world.users[*user];
        service.expect(&Call::get(format!("/v1/jobs/{number}"), token), 200);
        let again = Call::send("POST", "/v1/jobs", token, body).keyed(key);
        assert_eq!(service.expect(&again, 201).json()["job"], *number, "the same key, the same job");
    }
    for (number, saved) in saved.iter().enumerate() {
        // One deposit may be under way: it is there or not, but never twice.
        let balance = savings(service, world, number);
        assert!((*saved..*saved + 100).contains(&balance), "{balance} for {saved}");
    }
    no_part_ran_twice(world);
    jobs.len()
}

fn savings(service: &Service, world: &World, number: usize) -> u64 {
    let accounts = service.expect(&Call::get("/v1/accounts", &world.administrator), 200).json();
    let name = format!("user:saver{number}");
    let own = accounts["accounts"].as_array().unwrap().iter().find(|it| it["account"] == name.as_str());
    own.unwrap()["balance"].as_u64().unwrap()
}

/// The parts that ran here, as (job, part) with the directories in which they did.
fn trail(world: &World) -> BTreeMap<(u64, u64), Vec<String>> {
    let mut ran: BTreeMap<(u64, u64), Vec<String>> = BTreeMap::new();
    for line in lines(Path::new(&world.trail)) {
        let words: Vec<&str> = line.split(' ').collect();
        let key = (words[0].parse().unwrap(), words[1].parse().unwrap());
        ran.entry(key).or_default().push(words[2].to_owned());
    }
    ran
}

fn no_part_ran_twice(world: &World) {
    for (part, places) in trail(world) {
        let different: BTreeSet<&String> = places.iter().collect();
        assert_eq!(different.len(), places.len(), "{part:?} ran twice for one reservation: {places:?}");
    }
}

/// Every job, once all have ended or wait for a reason.
pub(super) fn settle(service: &Service, world: &World) -> BTreeMap<u64, Value> {
    let mut jobs = BTreeMap::new();
    wait_for("every job ends, or waits for a reason", Duration::from_secs(120), || {
        jobs.clear();
        let mut before = String::new();
        loop {
            let path = format!("/v1/jobs?limit=1000{before}");
            let page = service.expect(&Call::get(path, &world.administrator), 200).json();
            for job in page["jobs"].as_array().unwrap() {
                jobs.insert(job["job"].as_u64().unwrap(), job.clone());
            }
            match page["next"].as_u64() {
                Some(next) => before = format!("&before={next}"),
                None => break,
            }
        }
        jobs.values().all(|job| {
            let over = ["done", "failed", "cancelled", "given-up"].contains(&job["state"].as_str().unwrap());
            over || (job["state"] == "queued" && !job["why"].is_null())
        })
    });
    jobs
}

pub(super) fn check_all(service: &Service, world: &World, jobs: &BTreeMap<u64, Value>) {
    let ledger = world.ledger.lock().unwrap();
    let ran = trail(world);
    let numbers: BTreeSet<u64> = ledger.jobs.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers.len(), ledger.jobs.len(), "every key has a job of its own");
    assert!(numbers.iter().all(|number| jobs.contains_key(number)), "a job was lost");
    let mut done = 0;
    for number in &ledger.local {
        let job = &jobs[number];
        let parts = job["tasks"].as_u64().unwrap();
        for part in 0..parts {
            let runs = ran.get(&(*number, part)).map_or(0, Vec::len);
            let attempts = usize::try_from(job["attempts"].as_u64().unwrap()).unwrap();
            assert!(runs <= attempts + 1, "part {part} ran {runs} times: {job}");
            if job["state"] == "done" {
                done += 1;
                assert!(runs >= 1, "part {part} never ran: {job}");
                let path = format!("/v1/jobs/{number}/output?part={part}");
                let output = service.expect(&Call::get(path, &world.administrator), 200);
                assert_eq!(output.body, "ended\n", "{job}");
            }
        }
        assert_ne!(job["state"], "failed", "no command fails: {job}");
    }
    assert!(done > 0, "no command ended");
    for (number, saved) in ledger.saved.iter().enumerate() {
        assert_eq!(savings(service, world, number), *saved, "every deposit counts once");
    }
    let accounts = service.expect(&Call::get("/v1/accounts", &world.administrator), 200).json();
    // What is held is on its user's account, and on that of all that is held.
    let own = |it: &Value| micros(&it["balance"]) - micros(&it["held"]);
    let sum: i64 = accounts["accounts"].as_array().unwrap().iter().map(own).sum();
    assert_eq!(sum, 0, "the books balance: {accounts}");
}

/// Credits as whole micro-credits.
fn micros(number: &Value) -> i64 {
    let text = number.to_string();
    let (whole, part) = text.trim_matches('"').split_once('.').unwrap_or((text.trim_matches('"'), ""));
    format!("{whole}{part:0<6}").parse().unwrap()
}
