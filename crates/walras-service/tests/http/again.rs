//! Cycles planned again: other rules tried on them, checked, and without one of their jobs.

use super::house::{House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The decision that gave a job its window.
fn decision_of(house: &House, number: &Value) -> Value {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let list = house.call("get", "/v1/decisions", Some(&house.administrator), None).json(200);
        let served = |decision: &&Value| {
            let jobs = decision["jobs"].as_array().unwrap();
            jobs.iter().any(|job| job["job"] == *number && job["outcome"] != "left-out")
        };
        if let Some(found) = list["decisions"].as_array().unwrap().iter().rev().find(served) {
            return found.clone();
        }
        assert!(Instant::now() < until, "{list}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn rules_are_tried_on_what_was_decided_and_nothing_changes() {
    let house = House::open();
    let ada = house.user("ada");
    let administrator = Some(house.administrator.as_str());
    let nothing = house.call("post", "/v1/policy/trial", administrator, Some(&json!({}))).json(200);
    assert_eq!((&nothing["cycles"], &nothing["before"]["jobs"]), (&json!([]), &json!(0)), "{nothing}");
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job("cheap"))).json(201)["job"].clone();
    let decision = decision_of(&house, &number);
    let before = house.call("get", "/v1/policy", administrator, None).json(200);
    // Rules that are as they were decide as they did.
    let same = house.call("post", "/v1/policy/trial", administrator, Some(&json!({}))).json(200);
    assert_eq!(same["before"], same["after"], "{same}");
    assert_eq!(same["before"]["served"], 1, "{same}");
    assert_eq!(same["before"]["cost"], decision["jobs"][0]["alternatives"][0]["cost"], "{same} {decision}");
    assert!(same["cycles"].as_array().unwrap().iter().all(|cycle| cycle["changed"] == 0), "{same}");
    // Where nobody may plan so far ahead as the job takes, nobody is served.
    let short = house.call("post", "/v1/policy/trial", administrator, Some(&json!({"horizon": 1}))).json(200);
    assert_eq!((&short["before"]["served"], &short["after"]["served"]), (&json!(1), &json!(0)), "{short}");
    assert_eq!(short["after"]["wait"], Value::Null);
    assert_eq!(house.call("get", "/v1/policy", administrator, None).json(200), before);
    let wrong = house.call("post", "/v1/policy/trial", administrator, Some(&json!({"horizon": -1})));
    assert!(wrong.json(422)["message"].as_str().unwrap().contains("horizon"));
}

#[test]
fn a_decision_follows_from_what_was_known() {
    let house = House::open();
    let ada = house.user("ada");
    let administrator = Some(house.administrator.as_str());
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job("first"))).json(201)["job"].clone();
    let position = decision_of(&house, &number)["position"].clone();
    let again = house.call("get", &format!("/v1/decisions/{position}/replay"), administrator, None).json(200);
    assert_eq!(again["same"], true, "{again}");
    let displaced = format!("/v1/decisions/{position}/displaced");
    let alone = house.call("get", &format!("{displaced}?job={number}"), administrator, None).json(200);
    assert_eq!(alone, json!({"job": number, "others": []}));
    assert_eq!(house.call("get", &format!("{displaced}?job=99"), administrator, None).status, 404);
    assert_eq!(house.call("get", "/v1/decisions/0/replay", administrator, None).status, 404);
    assert_eq!(house.call("get", "/v1/decisions/none/replay", administrator, None).status, 400);
}

/// Who reads of a decision later is told whose jobs they were, although these have ended.
#[test]
fn a_decision_names_its_jobs_after_they_have_ended() {
    let house = House::open();
    let ada = house.user("ada");
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job("brief"))).json(201)["job"].clone();
    decision_of(&house, &number);
    let path = format!("/v1/jobs/{number}");
    house.call("delete", &path, Some(&ada), None).json(200);
    let until = Instant::now() + Duration::from_secs(20);
    while house.call("get", &path, Some(&ada), None).json(200)["state"] != "cancelled" {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
    let decision = decision_of(&house, &number);
    let found = decision["jobs"].as_array().unwrap().iter().find(|job| job["job"] == number).unwrap();
    assert_eq!((&found["name"], &found["user"]), (&json!("brief"), &json!("ada")), "{decision}");
}
