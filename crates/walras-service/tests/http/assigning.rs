//! Jobs on sites that sell capacity, assigned round by round.

use super::house::{House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Two sites that sell capacity: one with a low price per second, and one that is dearer and so much faster that a job costs less there.
const MARKET: &str = r#"
listen = "127.0.0.1:0"
data = "DATA"
[clock]
speed = 60
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 60
prepare_within = 300
confirm_within = 300
offers_within = 300
plan_within = 6000
grace = 3000
horizon = 864000
assign = "greedy"
[[site]]
name = "slow"
owner = "olga"
connector = "simulated"
kind = "capacity"
count = 4
price = 0.001
simulated = {takes_min = 0.9, takes_max = 0.9}
[[site]]
name = "fast"
owner = "otto"
connector = "simulated"
kind = "capacity"
count = 4
performance = 4
price = 0.002
simulated = {takes_min = 0.9, takes_max = 0.9}
"#;

fn asked(name: &str, tasks: u32, work: u32) -> Value {
    let mut body = job(name);
    (body["tasks"], body["work"]) = (json!(tasks), json!(work));
    body
}

/// Waits until something is true of what an address answers.
fn wait(house: &House, token: &str, path: &str, is: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let answer = house.call("get", path, Some(token), None).json(200);
        if is(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Submits a job and gives the sites on which it runs.
fn sites_of(house: &House, token: &str, body: &Value) -> Vec<String> {
    let number = house.call("post", "/v1/jobs", Some(token), Some(body)).json(201)["job"].clone();
    let has_parts = |view: &Value| view["parts"].as_array().is_some_and(|parts| !parts.is_empty());
    let view = wait(house, token, &format!("/v1/jobs/{number}"), has_parts);
    let parts = view["parts"].as_array().unwrap();
    let mut sites: Vec<String> = parts.iter().map(|part| part["site"].as_str().unwrap().to_owned()).collect();
    sites.dedup();
    sites
}

fn latest_round(house: &House) -> Value {
    let decisions = house.call("get", "/v1/decisions", Some(&house.administrator), None).json(200);
    let all = decisions["decisions"].as_array().unwrap();
    all.iter().find_map(|it| it.get("assigned").cloned()).unwrap_or_else(|| panic!("{decisions}"))
}

#[test]
fn greedy_and_exact_choose_differently() {
    let house = House::with(MARKET);
    let (ada, admin) = (house.user("ada"), house.administrator.as_str());
    let set = |change: &Value| house.call("patch", "/v1/policy", Some(admin), Some(change));
    assert_eq!(set(&json!({})).json(200)["assign"], "greedy");
    assert_eq!(sites_of(&house, &ada, &asked("by-price", 2, 600)), ["slow"]);
    let round = latest_round(&house);
    assert_eq!((&round["method"], &round["proof"]), (&json!("greedy"), &json!("nothing")), "{round}");
    assert_eq!(set(&json!({"assign": "exact"})).json(200)["assign"], "exact");
    assert_eq!(sites_of(&house, &ada, &asked("by-cost", 2, 600)), ["fast"]);
    let round = latest_round(&house);
    assert_eq!((&round["method"], &round["proof"]), (&json!("exact"), &json!("optimal")), "{round}");
    let served = round["served"].as_array().unwrap().len();
    let all = format!("{served} of {served} jobs assigned to capacity by exact");
    assert!(served > 0 && round["text"].as_str().unwrap().starts_with(&all), "{round}");
    for method in ["greedy-cost", "mmc", "hga", "lpga"] {
        assert_eq!(set(&json!({"assign": method})).json(200)["assign"], method);
        let sites = sites_of(&house, &ada, &asked(&format!("by-{method}"), 2, 600));
        assert_eq!(sites.len(), 1, "{method} keeps a job on one site: {sites:?}");
        let round = latest_round(&house);
        assert_eq!(round["method"], *method, "{round}");
        // Who was not asked of a site yet is assigned again beside it.
        let served = round["served"].as_array().unwrap().len();
        let all = format!("{served} of {served} jobs assigned to capacity by {method}");
        assert!(served > 0 && round["text"].as_str().unwrap().starts_with(&all), "{round}");
    }
    set(&json!({"assign": "exact"})).json(200);
    // Whole jobs need a site that is wide enough; who may be split is, where the VO does that.
    let wide = asked("wide", 6, 600);
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&wide)).json(201)["job"].clone();
    let path = format!("/v1/jobs/{number}");
    wait(&house, &ada, &path, |view| view["reason"]["unassigned"] == "too-wide");
    // Before it is submitted it is said that it never starts, and what would help.
    let outlook =
        |name: &str| house.call("post", "/v1/outlooks", Some(&ada), Some(&asked(name, 6, 600))).json(200);
    let whole = outlook("whole");
    let fewer = whole["changes"].as_array().unwrap().iter().any(|change| change["kind"] == "tasks");
    assert!(whole["start"].is_null() && fewer, "{whole}");
    set(&json!({"assign": "split"})).json(200);
    assert!(!outlook("split")["start"].is_null(), "who may be split starts");
    let status =
        wait(&house, &ada, "/v1/status", |status| status["cycle"]["assigned"]["served"] == json!([number]));
    let cycle = &status["cycle"];
    assert_eq!((&cycle["assigned"]["method"], &cycle["proof"]), (&json!("split"), &Value::Null), "{status}");
    let view = wait(&house, &ada, &path, |view| view["parts"].as_array().is_some_and(|it| it.len() == 6));
    let on = |site: &str| view["parts"].as_array().unwrap().iter().filter(|it| it["site"] == site).count();
    assert_eq!(on("slow") + on("fast"), 6, "{view}");
    assert!(on("slow") > 0 && on("fast") > 0, "{view}");
    assert_eq!(set(&json!({"assign": "luck"})).status, 400);
    assert_eq!(set(&json!({"assign": "windows"})).json(200)["assign"], "windows");
}

#[test]
fn who_finds_no_place_rolls_over_to_the_next_round() {
    let house = House::with(MARKET);
    let ada = house.user("ada");
    let one = |name: &str| asked(name, 4, 1_200);
    let numbers: Vec<Value> = ["first", "second", "third"]
        .map(|name| house.call("post", "/v1/jobs", Some(&ada), Some(&one(name))).json(201)["job"].clone())
        .into();
    // There is room for two of them at a time.
    let mut waited = false;
    let end = Instant::now() + Duration::from_secs(180);
    loop {
        let views: Vec<Value> = numbers
            .iter()
            .map(|number| house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200))
            .collect();
        let why = |view: &Value| view["reason"]["unassigned"].as_str().unwrap_or_default().to_owned();
        waited |= views.iter().any(|view| ["no-room", "not-due"].contains(&why(view).as_str()));
        if views.iter().all(|view| view["state"] == "done") {
            break;
        }
        assert!(Instant::now() < end, "{views:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(waited, "three jobs of four nodes ran at once on eight");
}
