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
    assert_eq!(option["confidence"], json!(0.875), "{quote}");
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

/// Jobs take a tenth of what they ask for. Beside the cheap site there is one that is four times as fast, and dear.
const TENTH: &str = r#"{takes_min = 0.1, takes_max = 0.1}
[[site]]
name = "south"
owner = "otto"
connector = "simulated"
count = 2
performance = 4
price = 0.009
simulated = {takes_min = 0.1, takes_max = 0.1}"#;

/// The fast site is busy for so long that, by what the job asks for, it has ended first there nevertheless; by what history says, it has
/// ended on the cheap one long before.
#[test]
fn alternatives_are_judged_by_likely_ends_where_the_vo_says_so() {
    let house = House::lively(QUOTES, TENTH);
    let (ada, admin) = (house.user("ada"), house.administrator.as_str());
    for round in 1..=2 {
        run(&house, &ada, &["job 1", "job 2"], 2 * round);
    }
    for node in ["n1", "n2"] {
        let taken = json!({"kind": "taken", "node": node, "seconds": 72_000});
        house.call("post", "/v1/sites/south/faults", Some(admin), Some(&taken));
    }
    let suits = |finish_by: &str| {
        let change = json!({"finish_by": finish_by});
        house.call("patch", "/v1/policy", Some(admin), Some(&change)).json(200);
        let ask = || {
            house.call("post", "/v1/cycles", Some(admin), None);
            house.call("post", "/v1/quotes", Some(&ada), Some(&asked("job 3", 120_000))).json(201)
        };
        let quote = until(ask, |quote| quote["options"].as_array().is_some_and(|all| all.len() == 2));
        let of = |site: &str| {
            let options = quote["options"].as_array().unwrap();
            let option = options.iter().find(|it| it["sites"] == json!([site]));
            option.unwrap_or_else(|| panic!("{quote}"))["satisfaction"].as_f64().unwrap()
        };
        (of("north"), of("south"))
    };
    let (slow, fast) = suits("estimate");
    let (likely_slow, likely_fast) = suits("prediction");
    assert!(likely_slow > slow && likely_fast <= fast, "{slow} {fast}, {likely_slow} {likely_fast}");
}

/// Once there are enough, it is said what nine of ten stay within, and counted how many did.
#[test]
fn what_nine_of_ten_stay_within_is_said_and_counted() {
    let house = House::lively(QUOTES, HALF);
    let (ada, admin) = (house.user("ada"), house.administrator.as_str());
    let names: Vec<String> = (0..12).map(|number| format!("job {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run(&house, &ada, &names, 12);
    run(&house, &ada, &names[..4], 16);
    let status = house.call("get", "/v1/status", Some(&ada), None).json(200);
    let said = status["predictions"].as_array().unwrap().iter().find(|it| it["of"] == "run-time").unwrap();
    assert_eq!(said["nine_in_ten_said"], json!(4), "{status}");
    let held = said["nine_in_ten_held"].as_u64().unwrap();
    assert!((3..=4).contains(&held), "all of them take half of what they ask for: {status}");
    let metrics = house.call("get", "/metrics", Some(admin), None).body;
    let line = r#"walras_predictions_held_ratio{of="run-time",site="",level="0.9"} "#;
    assert!(metrics.contains(line), "{metrics}");
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
