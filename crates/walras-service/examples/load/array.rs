//! One array of very many elements: how long it takes to be accepted, listed and planned, and what it keeps in memory.

use crate::client::Client;
use crate::service::{Service, directory};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Whatever has not come about by then will not.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) fn run(elements: usize) {
    let directory = directory(1, 2);
    let service = Service::start(directory.path());
    let token = service.users(1).remove(0);
    let mut client = Client::open(service.address, &token);
    let empty = service.memory();
    let job = json!({"walras": "job/1", "name": "many", "work": 600, "array": format!("1-{elements}")});
    let begun = Instant::now();
    let (status, body) = client.call("POST", "/v1/jobs", Some(&job));
    let accepted = begun.elapsed();
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
    let array = serde_json::from_slice::<Value>(&body).unwrap()["job"].as_u64().unwrap();
    let path = format!("/v1/jobs/{array}");
    let (mut listed, mut planned) = (Vec::new(), None);
    while planned.is_none() && begun.elapsed() < PATIENCE {
        let asked = Instant::now();
        let (status, _) = client.call("GET", "/v1/jobs", None);
        assert_eq!(status, 200);
        listed.push(asked.elapsed());
        let view: Value = serde_json::from_slice(&client.call("GET", &path, None).1).unwrap();
        let states = view["array"]["states"].as_object().unwrap();
        let with_window = ["planned", "reserving", "reserved", "running"];
        if with_window.iter().any(|state| states.contains_key(*state)) {
            planned = Some((begun.elapsed(), view["array"]["states"].clone()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    listed.sort();
    let most = service.memory();
    println!("{elements} elements: accepted in {:.3} s", accepted.as_secs_f64());
    println!(
        "listed {} times meanwhile: median {:.4} s, longest {:.4} s",
        listed.len(),
        listed[listed.len() / 2].as_secs_f64(),
        listed[listed.len() - 1].as_secs_f64()
    );
    match planned {
        Some((after, states)) => {
            println!("first windows {:.2} s after the submission: {states}", after.as_secs_f64())
        }
        None => println!("no windows within {PATIENCE:?}"),
    }
    println!("memory {} MB, {} MB before", most / 1_000_000, empty / 1_000_000);
    service.kill();
}
