//! Quotes that sites hold: what is held can be had although others want it, and nobody holds more than their share.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

/// A quote of a job on both nodes of a site, held for a minute.
fn held(house: &House, token: &str, name: &str) -> Value {
    let mut body = job(name);
    body["tasks"] = json!(2);
    let quote = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("post", "/v1/quotes?hold=60", Some(token), Some(&body)).json(201)
    };
    until(quote, |quote| quote["options"].as_array().is_some_and(|options| !options.is_empty()))
}

#[test]
fn what_is_held_is_said_to_be_and_can_be_had_although_others_want_it() {
    let house = House::open();
    let (ada, bert) = (house.user("ada"), house.user("bert"));
    let quote = held(&house, &ada, "held");
    let option = &quote["options"][0];
    assert_eq!(option["held"], json!("held"), "{quote}");
    assert!(option["until"].as_str() <= option["start"].as_str(), "it ends before anything starts: {quote}");
    // Whoever comes now gets what is left, and none of what is held.
    let free = house.call("post", "/v1/quotes", Some(&bert), Some(&job("free"))).json(201);
    assert_eq!(free["options"][0]["held"], json!("no"), "{free}");
    let mut wide = job("wide");
    wide["tasks"] = json!(2);
    for _ in 0..4 {
        house.call("post", "/v1/jobs", Some(&bert), Some(&wide)).json(201);
    }
    house.call("post", "/v1/cycles", Some(&house.administrator), None);
    let path = format!("/v1/quotes/{}/accept", quote["quote"]);
    let taken = house.call("post", &path, Some(&ada), Some(&json!({"option": 0}))).json(201);
    let view = house.call("get", &format!("/v1/jobs/{}", taken["job"]), Some(&ada), None).json(200);
    let as_quoted = |name: &str| view[name] == option[name];
    assert!(as_quoted("start") && as_quoted("finish") && as_quoted("sites"), "{view} for {option}");
}

/// What nobody holds binds until its own time begins: then it is not listed any more, and cannot be taken.
#[test]
fn what_has_begun_is_neither_listed_nor_taken() {
    let house = House::fast();
    let ada = house.user("ada");
    // On a slow machine a quote would have ended before its options have.
    let change = json!({"quotes": {"valid_for": 6000}});
    house.call("patch", "/v1/policy", Some(&house.administrator), Some(&change)).json(200);
    let ask = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("post", "/v1/quotes", Some(&ada), Some(&job("late"))).json(201)
    };
    let quote = until(ask, |quote| quote["options"] != json!([]));
    let option = &quote["options"][0];
    assert!(option["until"].as_str() <= option["start"].as_str(), "{quote}");
    let path = format!("/v1/quotes/{}", quote["quote"]);
    let at = |text: &Value| text.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    // A minute passes in a second. What is listed can be taken from when it is asked for on, and in the end nothing is.
    let listed = || {
        let asked_at = at(&house.call("get", "/v1/status", Some(&ada), None).json(200)["now"]);
        let quote = house.call("get", &path, Some(&ada), None).json(200);
        let options = quote["options"].as_array().unwrap();
        assert!(options.iter().all(|it| at(&it["until"]) >= asked_at), "{quote} at {asked_at}");
        quote["options"].clone()
    };
    assert_eq!(until(listed, |options| *options == json!([])), json!([]));
    let accept = house.call("post", &format!("{path}/accept"), Some(&ada), Some(&json!({"option": 0})));
    assert!(accept.status == 409 && accept.body.contains("has begun"), "{accept:?}");
}

#[test]
fn nobody_holds_more_quotes_than_the_policy_says() {
    let house = House::open();
    let (ada, bert) = (house.user("ada"), house.user("bert"));
    let change = json!({"quotes": {"held_max": 1}});
    house.call("patch", "/v1/policy", Some(&house.administrator), Some(&change)).json(200);
    held(&house, &ada, "first");
    let second = house.call("post", "/v1/quotes?hold=60", Some(&ada), Some(&job("second")));
    assert!(second.status == 429 && second.body.contains("held"), "{second:?}");
    house.call("post", "/v1/quotes", Some(&ada), Some(&job("second"))).json(201);
    assert_eq!(held(&house, &bert, "his")["options"][0]["held"], json!("held"), "others are not concerned");
}

#[test]
fn what_was_held_and_not_taken_costs_its_fee_and_nothing_else() {
    let house = House::fast();
    let ada = house.user("ada");
    let quote = held(&house, &ada, "left");
    let fees: Vec<f64> =
        quote["options"].as_array().unwrap().iter().map(|it| it["hold_fee"].as_f64().unwrap()).collect();
    assert!(fees.iter().all(|fee| *fee > 0.0), "{quote}");
    // A minute passes in a second; then everything goes back.
    let account = || house.call("get", "/v1/account", Some(&ada), None).json(200);
    let account = until(account, |account| account["held"] == json!(0) && account["balance"] != json!(1000));
    let paid = 1000.0 - account["balance"].as_f64().unwrap();
    assert!((paid - fees.iter().sum::<f64>()).abs() < 1e-6, "{account} for {quote}");
    assert_eq!(house.call("get", "/v1/jobs", Some(&ada), None).json(200)["jobs"], json!([]));
}
