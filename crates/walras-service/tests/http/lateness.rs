//! Tasks of workflows that take longer than they were planned to: those after them get other times in the same window.

use super::house::House;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Half of the tasks are late by a tenth to three tenths.
const OFTEN_LATE: &str = "{takes_min = 0.7, takes_max = 0.9, overruns = 0.5}";

/// Three tasks for two nodes: one of them runs after another, and has a place on the other node if that is late.
fn three(name: &str) -> Value {
    let tasks = ["a", "b", "c"].map(|name| json!({"name": name, "work": 600}));
    let workflow = json!({"walras": "workflow/1", "tasks": tasks});
    json!({"walras": "job/1", "name": name, "budget": 500, "workflow": workflow})
}

/// What became of workflows in which a task was late.
#[derive(Debug, Default)]
struct Seen {
    /// A task that waited went to another node than was planned, in the same window.
    elsewhere: u32,
    /// Tasks got other times, each on its node.
    moved: u32,
    /// The window was given up.
    lost: u32,
}

/// By task the node that it is to run on.
fn places(view: &Value) -> Option<BTreeMap<String, String>> {
    let text = |value: &Value| Some(value.as_str()?.to_owned());
    let place = |part: &Value| Some((text(&part["task"])?, text(&part["node"])?));
    let places: BTreeMap<String, String> = view["parts"].as_array()?.iter().filter_map(place).collect();
    (places.len() == 3).then_some(places)
}

/// What happens to one workflow after the other, until enough is seen.
fn lived(tasks: u32, jobs: u32, enough: impl Fn(&Seen) -> bool) -> Seen {
    let house = House::lively(&format!("late_tasks_max = {tasks}"), OFTEN_LATE);
    let ada = house.user("ada");
    let mut seen = Seen::default();
    for number in 0..jobs {
        let body = three(&format!("flow-{number}"));
        let job = house.call("post", "/v1/jobs", Some(&ada), Some(&body)).json(201)["job"].clone();
        live_one(&house, &ada, &job, &mut seen);
        if enough(&seen) {
            break;
        }
    }
    seen
}

fn live_one(house: &House, ada: &str, job: &Value, seen: &mut Seen) {
    let end = Instant::now() + Duration::from_secs(120);
    let mut planned = None;
    loop {
        let now = places(&house.call("get", &format!("/v1/jobs/{job}"), Some(ada), None).json(200));
        let view = house.call("get", &format!("/v1/jobs/{job}/explanation"), Some(ada), None).json(200);
        let history = view["history"].as_array().unwrap();
        let says = |text: &str| history.iter().any(|it| it["text"].as_str().unwrap().contains(text));
        if says("The window is given up. A task took so long") {
            seen.lost += 1;
            house.call("delete", &format!("/v1/jobs/{job}"), Some(ada), None);
            return;
        }
        planned = planned.or_else(|| now.clone());
        // As long as the window is the same, only a late task makes another go elsewhere.
        if now.is_some() && now != planned {
            assert!(says("Tasks got other times. A task took so long"), "{view}");
            seen.elsewhere += 1;
            return;
        }
        if ["done", "failed"].iter().any(|state| view["state"] == *state) {
            seen.moved += u32::from(says("Tasks got other times. A task took so long"));
            return;
        }
        assert!(Instant::now() < end, "{view}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn what_was_prepared_for_a_late_task_is_used() {
    let seen = lived(8, 40, |seen| seen.elsewhere > 0);
    assert!(seen.elsewhere > 0, "no task went where it was prepared to go: {seen:?}");
}

#[test]
fn without_anything_prepared_the_window_is_lost() {
    let seen = lived(0, 40, |seen| seen.lost > 1);
    assert_eq!(seen.elsewhere, 0, "{seen:?}");
    assert!(seen.lost > 1, "{seen:?}");
}
