//! What history says of jobs, and how often it was right.

use super::house::{Answer, House, job};
use super::searching::until;
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
    let ask = || post("/v1/quotes", &asked("short", 100)).json(201);
    until(ask, |quote| quote["options"] != json!([]))
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

/// A queue that says that jobs wait for two hours, and keeps them for ten minutes.
const QUEUE: &str =
    "{wait_seconds = 600, expected_wait_seconds = 7200, takes_min = 1, takes_max = 1}\nkind = \"queue\"";

#[test]
fn a_queue_is_quoted_by_its_word_and_then_by_what_it_did() {
    let house = House::lively(QUOTES, QUEUE);
    let ada = house.user("ada");
    let at = |text: &Value| text.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let now = || at(&house.call("get", "/v1/status", Some(&ada), None).json(200)["now"]);
    // How long after its asking a job would begin: no less than this, and no more than that.
    let wait = || {
        let before = now();
        let ask = || house.call("post", "/v1/quotes", Some(&ada), Some(&asked("like", 600))).json(201);
        let start = at(&until(ask, |quote| quote["options"] != json!([]))["options"][0]["start"]);
        (start.duration_since(now()).as_secs(), start.duration_since(before).as_secs())
    };
    let (least, most) = wait();
    assert!(most >= 6_600 && least <= 7_200, "by its word: {least} to {most} s");
    for round in 1..=3 {
        let names = [0, 1].map(|number| format!("job {round}.{number}"));
        run(&house, &ada, &names.each_ref().map(String::as_str), 2 * round);
    }
    let (least, most) = wait();
    assert!(most >= 0 && least <= 1_500, "by what it did: {least} to {most} s");
}
