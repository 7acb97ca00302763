//! Tasks of workflows that take longer than they were planned to: those after them get other times in the same window.

use super::house::House;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Ten minutes in a second; half of the tasks are late by a tenth to three tenths.
const LATE: &str = r#"
listen = "127.0.0.1:0"
data = "DATA"
[clock]
speed = 600
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 300
prepare_within = 3000
confirm_within = 3000
offers_within = 3000
plan_within = 60000
grace = 12000
attempts_max = 100
horizon = 864000
late_tasks_max = TASKS
[[site]]
name = "north"
owner = "olga"
connector = "simulated"
count = 2
price = 0.001
simulated = {takes_min = 0.7, takes_max = 0.9, overruns = 0.5}
"#;

/// Three tasks for two nodes: one of them runs after another, and has a place on the other node if that is late.
fn three(name: &str) -> Value {
    let tasks = ["a", "b", "c"].map(|name| json!({"name": name, "work": 600}));
    let workflow = json!({"walras": "workflow/1", "tasks": tasks});
    json!({"walras": "job/1", "name": name, "budget": 500, "workflow": workflow})
}

/// What happens to one workflow after the other until a task got another time because of a late one, and how many were lost for it.
fn moved(tasks: u32, jobs: u32) -> (bool, u32) {
    let house = House::with(&LATE.replace("TASKS", &tasks.to_string()));
    let ada = house.user("ada");
    let mut lost = 0;
    for number in 0..jobs {
        let body = three(&format!("flow-{number}"));
        let job = house.call("post", "/v1/jobs", Some(&ada), Some(&body)).json(201)["job"].clone();
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let view = house.call("get", &format!("/v1/jobs/{job}/explanation"), Some(&ada), None).json(200);
            let history = view["history"].as_array().unwrap();
            let says = |text: &str| history.iter().any(|it| it["text"].as_str().unwrap().contains(text));
            if says("Tasks got other times. A task took so long") {
                return (true, lost);
            }
            if says("The window is given up. A task took so long") {
                lost += 1;
                let cancel = format!("/v1/jobs/{job}");
                house.call("delete", &cancel, Some(&ada), None);
                break;
            }
            if ["done", "failed"].iter().any(|state| view["state"] == *state) {
                break;
            }
            assert!(Instant::now() < end, "{view}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
    (false, lost)
}

#[test]
fn tasks_after_a_late_one_get_other_times() {
    let (moved, lost) = moved(8, 40);
    assert!(moved, "of forty workflows none got other times; {lost} lost their windows");
}
