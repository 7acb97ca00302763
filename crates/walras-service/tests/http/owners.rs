//! Owners drain their nodes, sell them again and reclaim them, over HTTP.

use super::house::{House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Where a quote's cheapest window is, once the sites have said what is free.
fn quoted(house: &House, token: &str) -> Value {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let quote = house.call("post", "/v1/quotes", Some(token), Some(&job("asked"))).json(201);
        if quote["options"] != json!([]) || Instant::now() > until {
            return quote["options"][0]["sites"].clone();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until both sites have said what is free: then the cheapest window is in the north.
fn both_sell(house: &House, token: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    let south =
        || house.call("get", "/v1/offers?site=south", Some(token), None).json(200)["offers"] != json!([]);
    while quoted(house, token) != json!(["north"]) || !south() {
        assert!(Instant::now() < until, "one of them never sold");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_drained_is_not_quoted_until_it_is_resumed() {
    let house = House::open();
    let (ada, (_, olga)) = (house.user("ada"), house.token("owner", "olga"));
    both_sell(&house, &ada);
    let site = house.call("post", "/v1/sites/north/drain", Some(&olga), Some(&json!({}))).json(200);
    for node in site["nodes"].as_array().unwrap() {
        assert_eq!(node["drained"][0]["until"], Value::Null, "{site}");
    }
    assert_eq!(quoted(&house, &ada), json!(["south"]));
    // It is durable, and everybody sees it.
    let shown = house.call("get", "/v1/sites/north", Some(&ada), None).json(200);
    assert_eq!(shown, site);
    let site = house.call("post", "/v1/sites/north/resume", Some(&olga), Some(&json!({}))).json(200);
    assert_eq!(site["nodes"][0]["drained"], json!([]));
    assert_eq!(quoted(&house, &ada), json!(["north"]));
}

#[test]
fn reclaiming_says_what_it_would_do_before_it_does() {
    let house = House::open();
    let (ada, (_, olga)) = (house.user("ada"), house.token("owner", "olga"));
    both_sell(&house, &ada);
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&job("mine"))).json(201);
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    let accepted = house.call("post", &accept, Some(&ada), Some(&json!({"option": 0}))).json(201);
    let reclaim = |dry_run: bool| {
        let body = json!({"nodes": ["n1", "n2"], "until": "20h", "dry_run": dry_run});
        house.call("post", "/v1/sites/north/reclaim", Some(&olga), Some(&body)).json(200)
    };
    for _ in 0..2 {
        let asked = reclaim(true);
        assert_eq!(
            (&asked["stopped"], &asked["done"]),
            (&json!([accepted["job"]]), &json!(false)),
            "{asked}"
        );
    }
    assert_eq!(reclaim(false)["done"], json!(true));
    assert_eq!(reclaim(true)["stopped"], json!([]), "nobody is there any more");
    assert_eq!(quoted(&house, &ada), json!(["south"]));
}

#[test]
fn names_and_times_that_are_none_are_refused_by_field() {
    let house = House::open();
    let (_, olga) = house.token("owner", "olga");
    let refused = |what: &str, body: &Value, status: u16| {
        let path = format!("/v1/sites/north/{what}");
        house.call("post", &path, Some(&olga), Some(body)).json(status)["message"].clone()
    };
    assert_eq!(refused("drain", &json!({"nodes": ["n9"]}), 422), "nodes: n9 is not one of the site's");
    let soon = "from: soon is not a point in time: expected one such as 2026-11-15T12:30:00Z, or a time from now such as 2h";
    assert_eq!(refused("drain", &json!({"from": "soon"}), 400), soon);
    assert_eq!(
        refused("drain", &json!({"from": "2h", "until": "1h"}), 400),
        "until: it must come after from"
    );
    assert_eq!(
        refused("reclaim", &json!({"nodes": ["n1"], "until": "2020-01-01T00:00:00Z"}), 400),
        "until: it must come after from"
    );
}

#[test]
fn owners_change_who_may_run_and_let_their_sites_leave() {
    let house = House::open();
    let (ada, (_, olga)) = (house.user("ada"), house.token("owner", "olga"));
    both_sell(&house, &ada);
    let change = |body: &Value| house.call("put", "/v1/sites/north", Some(&olga), Some(body));
    let closed = json!({"access": [{"user": "ada", "allow": false}, {"allow": true}]});
    change(&closed).json(200);
    assert_eq!(quoted(&house, &ada), json!(["south"]));
    change(&json!({"access": []})).json(200);
    assert_eq!(quoted(&house, &ada), json!(["north"]));
    change(&json!({"prices": {"base": 7}})).json(200);
    assert_eq!(house.call("get", "/v1/sites/north/prices", Some(&ada), None).json(200)["base"], json!(7));
    assert_eq!(quoted(&house, &ada), json!(["south"]));
    for (body, what) in [
        (json!({"access": [{"who": "ada"}]}), "access[0]"),
        (json!({"quotas": [{"jobs": 1, "credits": 2}]}), "quotas[0]"),
        (json!({"prices": {"base": -1}}), "base"),
    ] {
        let refused = change(&body).json(422);
        assert!(refused["message"].as_str().unwrap().contains(what), "{refused}");
    }
    assert_eq!(change(&json!({"owner": "ada"})).status, 400);
    change(&json!({"prices": {"base": 0.001}})).json(200);
    assert_eq!(quoted(&house, &ada), json!(["north"]));
    let left = house.call("delete", "/v1/sites/north", Some(&olga), None).json(200);
    assert_eq!(left["leaving"], json!(true));
    assert_eq!(quoted(&house, &ada), json!(["south"]));
}
