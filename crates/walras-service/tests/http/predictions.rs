//! What history says of jobs, and how often it was right.

use super::house::{Answer, House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Jobs take half of what they ask for.
const HALF: &str = "{takes_min = 0.5, takes_max = 0.5}";
const QUOTES: &str = "quotes = {offers_age_max = 60000, valid_for = 60000}";

fn asked(name: &str, work: u32) -> Value {
    let mut body = job(name);
    body["work"] = json!(work);
    body
}

/// Submits jobs of ten minutes and waits until they, and those before them, have ended.
fn run(house: &House, token: &str, names: &[&str], ended: u64) {
    for name in names {
        house.call("post", "/v1/jobs", Some(token), Some(&asked(name, 600))).json(201);
    }
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let status = house.call("get", "/v1/status", Some(token), None).json(200);
        if status["ended"] == json!(ended) {
            return;
        }
        assert!(Instant::now() < end, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A quote with something in it: on a slow machine this clock has passed what was free before it is shown.
fn quoted(post: &impl Fn(&str, &Value) -> Answer) -> Value {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let quote = post("/v1/quotes", &asked("short", 100)).json(201);
        if quote["options"] != json!([]) || Instant::now() > until {
            return quote;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn history_is_told_judged_and_weighed() {
    let house = House::lively(QUOTES, HALF);
    let (ada, admin) = (house.user("ada"), house.administrator.as_str());
    let post = |path: &str, body: &Value| house.call("post", path, Some(&ada), Some(body));
    // Before anything has run nothing can be said of how sure an end is, and nothing else is weighed instead.
    let mut sure = asked("sure", 600);
    sure["prefers"] = json!({"finish-deviation": 1});
    let refused = post("/v1/jobs", &sure);
    assert!(refused.status == 422 && refused.body.contains("finish-deviation"), "{refused:?}");
    run(&house, &ada, &["first", "second"], 2);
    run(&house, &ada, &["third"], 3);
    // After three jobs of ten minutes, one of 100 seconds is judged by its own time.
    let quote = quoted(&post);
    let option = &quote["options"][0];
    assert_eq!(option["confidence"], json!(0.75), "{quote}");
    assert_eq!(
        (&option["likely"]["at_most"], &option["likely"]["jobs"]),
        (&json!(100), &json!(3)),
        "{quote}"
    );
    assert!(option["likely"]["text"].as_str().unwrap().starts_with("likely "), "{quote}");
    let number = post("/v1/jobs", &sure).json(201)["job"].clone();
    let view = house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200);
    assert_eq!(view["likely"]["at_most"], json!(600), "{view}");
    let status = house.call("get", "/v1/status", Some(&ada), None).json(200);
    let said = status["predictions"].as_array().unwrap().iter().find(|it| it["of"] == "run-time").unwrap();
    assert!(said["likely_said"].as_u64().unwrap() >= 1, "{status}");
    let metrics = house.call("get", "/metrics", Some(admin), None).body;
    assert!(
        metrics.contains(r#"walras_predictions_held_ratio{of="run-time",site="",level="0.5"}"#),
        "{metrics}"
    );
}

#[test]
fn the_vo_says_by_which_end_alternatives_are_judged() {
    let house = House::open();
    let set = |change: &Value| house.call("patch", "/v1/policy", Some(&house.administrator), Some(change));
    assert_eq!(set(&json!({})).json(200)["finish_by"], "estimate");
    assert_eq!(set(&json!({"finish_by": "prediction"})).json(200)["finish_by"], "prediction");
    assert_eq!(set(&json!({"finish_by": "luck"})).status, 400);
}
