//! Chains: planned ahead when they are submitted, and quoted and taken as a whole.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

fn body(jobs: &[Value]) -> Value {
    let member = |(place, job): (usize, &Value)| match place {
        0 => json!({"job": job}),
        _ => json!({"job": job, "after": [{"job": place - 1, "condition": "ok"}]}),
    };
    json!({"jobs": jobs.iter().enumerate().map(member).collect::<Vec<Value>>()})
}

/// A quote for a chain, once sites have said what is free.
fn quoted(house: &House, token: &str, chain: &Value) -> Value {
    let ask = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("post", "/v1/chains", Some(token), Some(chain)).json(200)
    };
    until(ask, |quote| !quote["quote"].is_null())
}

#[test]
fn a_job_that_waits_for_another_is_planned_with_it() {
    let house = House::fast();
    let ada = house.user("ada");
    let mut first = job("first");
    first["work"] = json!(600);
    let first = house.call("post", "/v1/jobs", Some(&ada), Some(&first)).json(201)["job"].clone();
    let mut second = job("second");
    second["after"] = json!({"ok": [first]});
    let second = house.call("post", "/v1/jobs", Some(&ada), Some(&second)).json(201)["job"].clone();
    let shown = |job: &Value| house.call("get", &format!("/v1/jobs/{job}"), Some(&ada), None).json(200);
    let planned = until(|| shown(&second), |it| it["state"] == json!("planned"));
    assert_eq!(planned["state"], json!("planned"), "{planned}");
    assert!(planned["why"].as_str().is_some_and(|why| why.contains("waits for")), "{planned}");
    let before = shown(&first);
    assert!(planned["promise"]["start"].as_str() >= before["finish"].as_str(), "{planned} after {before}");
    assert!(planned["start"].as_str() >= before["finish"].as_str(), "{planned} after {before}");
}

#[test]
fn a_chain_is_quoted_and_taken_as_a_whole() {
    let house = House::fast();
    let (ada, eve) = (house.user("ada"), house.user("eve"));
    let chain = body(&[job("one"), job("two"), job("three")]);
    let take = || {
        let quote = quoted(&house, &ada, &chain);
        let path = format!("/v1/chains/{}", quote["quote"]);
        house.call("get", &path, Some(&eve), None).json(404);
        let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
        let taken = house.call("post", &accept, Some(&ada), Some(&json!({"option": 0})));
        match taken.status {
            201 => json!({"quote": quote, "taken": taken.json(201)}),
            // A minute passes in a second: whoever is too slow asks again.
            _ => Value::Null,
        }
    };
    let seen = until(take, |it| !it.is_null());
    let (quote, taken) = (&seen["quote"], &seen["taken"]);
    let jobs = quote["jobs"].as_array().unwrap();
    let price = |it: &Value| it["price"].as_f64().unwrap();
    assert!((jobs.iter().map(price).sum::<f64>() - price(quote)).abs() < 1e-6, "{quote}");
    for pair in jobs.windows(2) {
        assert!(pair[1]["start"].as_str() >= pair[0]["finish_by"].as_str(), "{quote}");
    }
    assert_eq!((&quote["start"], &quote["finish"]), (&jobs[0]["start"], &jobs[2]["finish_by"]));
    let numbers = taken["jobs"].as_array().unwrap();
    assert_eq!((numbers.len(), &taken["job"]), (3, &numbers[0]));
    for (number, quoted) in numbers.iter().zip(jobs) {
        let view = house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200);
        assert_eq!(view["promise"]["start"], quoted["start_by"], "{view}");
        assert_eq!(view["promise"]["finish"], quoted["finish_by"], "{view}");
    }
    house.call("get", &format!("/v1/chains/{}", quote["quote"]), Some(&ada), None).json(404);
}

#[test]
fn what_does_not_fit_is_said_of_its_job_with_what_would_help() {
    let house = House::open();
    let ada = house.user("ada");
    quoted(&house, &ada, &body(&[job("one"), job("two")]));
    let mut poor = job("poor");
    poor["budget"] = json!(1);
    let answer = house.call("post", "/v1/chains", Some(&ada), Some(&body(&[job("one"), poor]))).json(200);
    assert!(answer["quote"].is_null(), "{answer}");
    let unfit = &answer["unfit"];
    assert_eq!((&unfit["job"], &unfit["name"]), (&json!(1), &json!("poor")), "{answer}");
    assert!(
        !unfit["from"].is_null() && unfit["reasons"].as_array().is_some_and(|it| !it.is_empty()),
        "{answer}"
    );
    assert!(unfit["changes"].as_array().is_some_and(|it| !it.is_empty()), "{answer}");
    let refused = |chain: Value| house.call("post", "/v1/chains", Some(&ada), Some(&chain)).json(422);
    assert_eq!(refused(body(&[job("alone")]))["code"], json!("bad-chain"));
    let mut circle = body(&[job("one"), job("two")]);
    circle["jobs"][0]["after"] = json!([{"job": 1}]);
    assert_eq!(refused(circle)["code"], json!("bad-chain"));
    let mut others = job("others");
    others["user"] = json!("eve");
    house.call("post", "/v1/chains", Some(&ada), Some(&body(&[job("one"), others]))).json(403);
}

#[test]
fn a_deadline_that_has_passed_is_refused_before_anything_is_looked_for() {
    let house = House::open();
    let ada = house.user("ada");
    let mut late = job("late");
    late["deadline"] = json!("2020-01-01T00:00:00Z");
    let passed = "body: deadline: 2020-01-01T00:00:00.000Z has passed: it is 20";
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&late)).json(422);
    let chain =
        house.call("post", "/v1/chains", Some(&ada), Some(&body(&[job("one"), late.clone()]))).json(422);
    for (refusal, begins) in [(quote, passed.to_owned()), (chain, format!("jobs[1]: {passed}"))] {
        assert_eq!(refusal["code"], json!("past-deadline"), "{refusal}");
        assert!(refusal["message"].as_str().unwrap().starts_with(&begins), "{refusal}");
    }
}
