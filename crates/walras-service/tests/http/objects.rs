//! Requests that are repeated, refused or made in the wrong order.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use walras_api::service::Stamp;

#[test]
fn a_submission_that_is_repeated_is_done_once() {
    let house = House::open();
    let ada = house.user("ada");
    let headers = format!("Authorization: Bearer {ada}\r\nIdempotency-Key: once\r\n");
    let first = house.call_with("post", "/v1/jobs", &headers, Some(&job("same"))).json(201);
    let again = house.call_with("post", "/v1/jobs", &headers, Some(&job("same"))).json(201);
    assert_eq!(first, again);
    let other = house.call_with("post", "/v1/jobs", &headers, Some(&job("other")));
    assert_eq!(other.json(409)["code"], "key-used");
    // The key is ada's: for ben it is another.
    let ben = house.user("ben");
    let headers = format!("Authorization: Bearer {ben}\r\nIdempotency-Key: once\r\n");
    assert_ne!(house.call_with("post", "/v1/jobs", &headers, Some(&job("same"))).json(201), first);
}

#[test]
fn a_quote_is_given_with_alternatives_or_with_what_would_help() {
    let house = House::open();
    let ada = house.user("ada");
    // Sites say one after the other what is free, and the service is there before all have.
    let asked = || house.call("post", "/v1/quotes", Some(&ada), Some(&job("fits"))).json(201);
    let until = Instant::now() + Duration::from_secs(20);
    let mut quote = asked();
    while quote["options"][0]["price"] != 30 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        quote = asked();
    }
    assert_eq!(quote["options"][0]["price"], 30, "{quote}");
    let body = json!({"walras": "job/1", "name": "dear", "work": 60, "budget": 10});
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&body)).json(201);
    assert_eq!(quote["options"], json!([]));
    assert_eq!(
        quote["changes"][0],
        json!({"kind": "budget", "text": "a budget of 30 credits", "amount": 30})
    );
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    assert_eq!(
        house.call("post", &accept, Some(&ada), Some(&json!({"option": 0}))).json(422)["code"],
        "no-option"
    );
}

/// What is said of a job that waits for others: from when on, where that can be foreseen.
fn waiting(house: &House, ada: &str) {
    let submit = |job: &Value| house.call("post", "/v1/jobs", Some(ada), Some(job)).json(201)["job"].clone();
    let asked = |on: &Value| {
        let after = json!({"ok": [on]});
        let last = json!({"walras": "job/1", "name": "last", "work": 60, "after": after});
        house.call("post", "/v1/outlooks", Some(ada), Some(&last)).json(200)
    };
    let time = |view: &Value| view["start"].as_str().unwrap().parse::<Stamp>().unwrap().time();
    let first = json!({"walras": "job/1", "name": "late", "work": 600, "earliest": "2099-01-01T00:00:00Z"});
    let held = submit(&json!({"walras": "job/1", "name": "held", "work": 60, "held": true}));
    let unknown = asked(&held);
    assert_eq!((&unknown["start"], &unknown["price"]), (&Value::Null, &json!(30)), "{unknown}");
    assert_eq!(unknown["after"], json!([held.to_string()]));
    // What is free beyond what is planned ahead nobody knows.
    let late = asked(&submit(&first));
    assert_eq!((&late["start"], &late["price"]), (&Value::Null, &json!(30)), "{late}");
    let soon = submit(&json!({"walras": "job/1", "name": "soon", "work": 7200}));
    let middle = submit(&json!({"walras": "job/1", "name": "middle", "work": 7200, "after": {"ok": [soon]}}));
    let (one, two) = (asked(&soon), asked(&middle));
    assert!(time(&two) - time(&one) >= 6_000_000, "two hours later: {one} {two}");
    assert_eq!(two["after"], json!([middle.to_string()]));
}

#[test]
fn what_a_job_would_come_to_is_said_at_once() {
    let house = House::open();
    let ada = house.user("ada");
    let asked = |body: &Value| house.call("post", "/v1/outlooks", Some(&ada), Some(body));
    let until = Instant::now() + Duration::from_secs(20);
    let mut outlook = asked(&job("fits")).json(200);
    while outlook["price"] != 30 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        outlook = asked(&job("fits")).json(200);
    }
    assert_eq!((&outlook["price"], &outlook["reasons"]), (&json!(30), &json!([])), "{outlook}");
    let dear = json!({"walras": "job/1", "name": "dear", "work": 60, "budget": 10});
    let outlook = asked(&dear).json(200);
    assert_eq!(
        (&outlook["start"], &outlook["changes"][0]["amount"]),
        (&Value::Null, &json!(30)),
        "{outlook}"
    );
    // The same with a submission; what is only asked for is not submitted.
    let submitted = house.call("post", "/v1/jobs?outlook=true", Some(&ada), Some(&dear)).json(201);
    assert_eq!(
        (&submitted["job"], &submitted["outlook"]["changes"][0]["amount"]),
        (&json!(1), &json!(30)),
        "{submitted}"
    );
    // An array needs what all of its elements cost.
    let array =
        json!({"walras": "job/1", "name": "bag", "work": 60, "tasks": 10, "together": false, "budget": 30});
    let answer = asked(&array).json(200);
    assert_eq!(
        (&answer["start"], &answer["elements"], &answer["changes"][0]["amount"]),
        (&Value::Null, &json!(10), &json!(300)),
        "{answer}"
    );
    assert!(
        answer["reasons"][0]["text"].as_str().unwrap().contains("Each element may cost 3 credits"),
        "{answer}"
    );
    // Of ten elements four run at a time, on all nodes that there are: the last ends in the third turn.
    let mut bag = json!({"walras": "job/1", "name": "bag", "work": 60, "tasks": 10, "together": false});
    let answer = asked(&bag).json(200);
    let time = |view: &Value| view.as_str().unwrap().parse::<Stamp>().unwrap().time();
    assert_eq!(time(&answer["last_finish"]) - time(&answer["start"]), 180_000, "{answer}");
    assert_eq!(answer["in_time"], Value::Null, "{answer}");
    let deadline = walras_model::Time::from_millis(time(&answer["start"]).as_millis() + 175_000).unwrap();
    bag["deadline"] = json!(Stamp::from(deadline).to_string());
    let answer = asked(&bag).json(200);
    assert_eq!(answer["in_time"], json!(8), "{answer}");
    // One that could not pay at any hour is refused; only asked whether it would be taken, too.
    for path in ["/v1/jobs?outlook=true", "/v1/outlooks?check=true"] {
        let refused = house.call("post", path, Some(&ada), Some(&array)).json(422);
        assert_eq!(refused["code"], "over-budget", "{refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("body: budget: 30 credits do not pay all 10 elements"), "{message}");
    }
    let checked = house.call("post", "/v1/outlooks?check=true", Some(&ada), Some(&job("fits"))).json(200);
    assert_eq!((&checked["price"], &checked["start"]), (&Value::Null, &Value::Null), "{checked}");
    waiting(&house, &ada);
    // A task that no node does for is as impossible as a job.
    let tasks = json!([{"name": "a", "work": 1}, {"name": "b", "work": 1, "requires": {"lab": "mars"}}]);
    let workflow = json!({"walras": "workflow/1", "tasks": tasks});
    let far = json!({"walras": "job/1", "name": "far", "workflow": workflow});
    let refused = asked(&far).json(422);
    let message = refused["message"].as_str().unwrap();
    assert_eq!(refused["code"], "never-met");
    assert!(
        message.starts_with("task b: no site can ever run it: it needs 1 node with lab = mars"),
        "{message}"
    );
    // And is told so who asks for a quote.
    let quoted = house.call("post", "/v1/quotes", Some(&ada), Some(&far)).json(422);
    assert_eq!((&quoted["code"], &quoted["message"]), (&refused["code"], &refused["message"]));
    for impossible in [
        json!({"walras": "job/1", "name": "a", "work": 60, "requires": {"gpus": {"min": 64}}}),
        json!({"walras": "job/1", "name": "a", "work": 60, "tasks": 1_000}),
        json!({"walras": "job/1", "name": "a", "work": 100_000_000}),
    ] {
        assert_eq!(asked(&impossible).json(422)["code"], "never-met");
        assert_eq!(
            house.call("post", "/v1/jobs", Some(&ada), Some(&impossible)).json(422)["code"],
            "never-met"
        );
    }
    let long = json!({"walras": "job/1", "name": "a", "work": 100_000_000});
    let refused = asked(&long).json(422);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("nothing is planned further ahead than"), "{message}");
    let unknown = json!({"walras": "job/1", "name": "a", "work": 60, "prefers": {"finish-deviation": 1}});
    assert_eq!(house.call("post", "/v1/jobs", Some(&ada), Some(&unknown)).status, 422);
    let word = json!({"walras": "job/1", "name": "a", "work": 60, "qos": "high"});
    let refused = house.call("post", "/v1/jobs", Some(&ada), Some(&word)).json(422);
    assert_eq!(refused["code"], "bad-job");
}

#[test]
fn a_quote_can_be_accepted_once_and_the_acceptance_repeated() {
    let house = House::open();
    let ada = house.user("ada");
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&job("taken"))).json(201);
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    let headers = format!("Authorization: Bearer {ada}\r\nIdempotency-Key: mine\r\n");
    let first = house.call_with("post", &accept, &headers, Some(&json!({"option": 0}))).json(201);
    let again = house.call_with("post", &accept, &headers, Some(&json!({"option": 0}))).json(201);
    assert_eq!(first, again);
    assert_eq!(house.call("post", &accept, Some(&ada), Some(&json!({"option": 0}))).status, 404);
    let view = house.call("get", &format!("/v1/jobs/{}", first["job"]), Some(&ada), None).json(200);
    // 60 s at one of the two sites: their owners use them too, at times that follow from the clock.
    let price = quote["options"][0]["price"].as_u64().expect("a whole price");
    assert!([30, 90].contains(&price), "{quote}");
    assert_eq!(view["held"], price);
    let account = house.call("get", "/v1/account", Some(&ada), None).json(200);
    assert_eq!((&account["balance"], &account["held"]), (&json!(1000), &json!(price)));
    assert_eq!((&account["credit"], &account["available"]), (&json!(0), &json!(1000 - price)));
    let cancelled = house.call("delete", &format!("/v1/jobs/{}", first["job"]), Some(&ada), None).json(200);
    assert_eq!(cancelled["state"], "cancelled");
}

#[test]
fn nobody_accepts_the_quote_of_another_not_even_under_a_key_that_was_used() {
    let house = House::open();
    let (ada, eve) = (house.user("ada"), house.user("eve"));
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&job("mine"))).json(201);
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    let headers = format!("Authorization: Bearer {eve}\r\nIdempotency-Key: used\r\n");
    house.call_with("post", "/v1/jobs", &headers, Some(&job("other"))).json(201);
    // Under a key of her own she would be told of her own request; ada's quote is none of hers.
    let stolen = house.call_with("post", &accept, &headers, Some(&json!({"option": 0})));
    assert_eq!(stolen.json(409)["code"], "key-used");
    assert_eq!(house.call("post", &accept, Some(&eve), Some(&json!({"option": 0}))).status, 404);
    let account = house.call("get", "/v1/account", Some(&ada), None).json(200);
    assert_eq!(account["held"], json!(0));
    // An administrator accepts for whom it was given to.
    let taken =
        house.call("post", &accept, Some(&house.administrator), Some(&json!({"option": 0}))).json(201);
    let view = house.call("get", &format!("/v1/jobs/{}", taken["job"]), Some(&ada), None).json(200);
    assert_eq!(view["user"], "ada");
}

#[test]
fn refusals_say_what_would_be_right() {
    let house = House::open();
    let ada = house.user("ada");
    let said = |body| {
        let answer = house.call("post", "/v1/jobs", Some(&ada), Some(&body));
        assert!(matches!(answer.status, 400 | 422), "{answer:?}");
        serde_json::from_str::<serde_json::Value>(&answer.body).unwrap()["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mut bad = job("bad");
    bad["work"] = json!(-5);
    assert_eq!(said(bad), "body: work: -5 is not an amount of work: it must be greater than 0");
    let mut bad = job("bad");
    bad["sites"] = json!(["west"]);
    assert_eq!(said(bad), "body: sites[0]: west is not the name of a site: known are north, south");
    let mut bad = job("bad");
    bad["deadline"] = json!("soon");
    assert!(said(bad).contains("soon is not a point in time"));
    let mut bad = job("bad");
    bad["deadline"] = json!("2020-01-01T00:00:00Z");
    assert!(said(bad).starts_with("body: deadline: 2020-01-01T00:00:00.000Z has passed: it is 20"));
    let mut bad = job("bad");
    bad["output"] = json!("../../etc/passwd");
    assert!(said(bad).contains("is not a file in the job's directory"));
    let mut bad = job("bad");
    bad["colour"] = json!("red");
    assert!(said(bad).contains("colour"));
}

#[test]
fn a_quote_that_sites_hold_is_honoured_and_one_that_they_do_not_says_so() {
    let house = House::open();
    let ada = house.user("ada");
    let ask = |path: &str| house.call("post", path, Some(&ada), Some(&job("held")));
    let loose = until(|| ask("/v1/quotes").json(201), |quote| quote["options"] != json!([]));
    assert_eq!(loose["options"][0]["held"], "no", "{loose}");
    let quote = ask("/v1/quotes?hold=60").json(201);
    let option = &quote["options"][0];
    assert_eq!((&option["held"], &option["hold_fee"]), (&json!("held"), &json!(0.3)), "{quote}");
    assert!(option["until"].as_str() < option["start"].as_str(), "{quote}");
    assert_eq!(option["until"], quote["until"]);
    let account = || house.call("get", "/v1/account", Some(&ada), None).json(200);
    let held = account()["held"].clone();
    assert_ne!(held, json!(0));
    // Nobody sees a job before it is one.
    assert_eq!(house.call("get", "/v1/jobs", Some(&ada), None).json(200)["jobs"], json!([]));
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    let taken = house.call("post", &accept, Some(&ada), Some(&json!({"option": 0}))).json(201);
    let view = house.call("get", &format!("/v1/jobs/{}", taken["job"]), Some(&ada), None).json(200);
    assert_eq!((&view["state"], &view["held"]), (&json!("reserved"), &option["price"]), "{view}");
    let refused = ask("/v1/quotes?hold=100000");
    assert!(refused.status == 422 && refused.body.contains("bad-hold"), "{refused:?}");
}

/// Each alternative says until when itself can be taken; once its time has begun it is not listed, and cannot be had.
#[test]
fn an_alternative_that_has_begun_is_not_listed() {
    let house = House::fast();
    let (ada, admin) = (house.user("ada"), house.administrator.as_str());
    let rules = json!({"quotes": {"valid_for": 3600}});
    house.call("patch", "/v1/policy", Some(admin), Some(&rules)).json(200);
    // The cheap site is busy for two hours: whoever waits pays less.
    for node in ["n1", "n2"] {
        let taken = json!({"kind": "taken", "node": node, "seconds": 7200});
        house.call("post", "/v1/sites/north/faults", Some(admin), Some(&taken));
    }
    let ask = || {
        house.call("post", "/v1/cycles", Some(admin), None);
        house.call("post", "/v1/quotes", Some(&ada), Some(&job("choose"))).json(201)
    };
    let both = |quote: &Value| quote["options"].as_array().is_some_and(|options| options.len() == 2);
    let quote = until(ask, both);
    let (soon, late) = (&quote["options"][0], &quote["options"][1]);
    assert_eq!(soon["until"], soon["start"], "{quote}");
    assert_eq!(late["until"], quote["until"], "{quote}");
    assert!(soon["until"].as_str() < late["until"].as_str(), "{quote}");
    let path = format!("/v1/quotes/{}", quote["quote"]);
    let left = until(|| house.call("get", &path, Some(&ada), None).json(200), |quote| !both(quote));
    assert_eq!(
        (&left["options"][0]["option"], left["options"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    let refused = house.call("post", &format!("{path}/accept"), Some(&ada), Some(&json!({"option": 0})));
    assert!((400..500).contains(&refused.status), "{refused:?}");
    house.call("post", &format!("{path}/accept"), Some(&ada), Some(&json!({"option": 1}))).json(201);
}

/// What time is worth is looked for on a copy, and everybody may ask.
#[test]
fn what_time_is_worth_is_shown_to_everybody() {
    let house = House::open();
    let (ada, olga) = (house.user("ada"), house.token("owner", "olga").1);
    for number in 0..6 {
        let wide = json!({"walras": "job/1", "name": format!("wide-{number}"), "work": 100, "tasks": 2});
        house.call("post", "/v1/jobs", Some(&ada), Some(&wide)).json(201);
    }
    let asked = |token: &str| house.call("get", "/v1/worth", Some(token), None).json(200);
    let until = Instant::now() + Duration::from_secs(30);
    let mut worth = asked(&ada);
    while worth["scarce"] == json!([]) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        worth = asked(&olga);
    }
    assert!(worth["waiting"].as_u64() > Some(0) && worth["calm_from"].is_string(), "{worth}");
    assert!(worth["scarce"][0]["site"].is_string(), "{worth}");
}

/// Of many nodes a timetable shows the first; whoever asks for a site sees its own.
#[test]
fn a_timetable_is_of_one_site_where_that_is_asked_for() {
    let house = House::open();
    let ada = house.user("ada");
    let asked = |query: &str| house.call("get", &format!("/v1/timetable{query}"), Some(&ada), None);
    let sites = |view: &Value| -> Vec<String> {
        view["rows"].as_array().unwrap().iter().map(|row| row["site"].as_str().unwrap().to_owned()).collect()
    };
    let all = asked("").json(200);
    assert!(
        all["nodes"].as_u64() == Some(sites(&all).len() as u64) && sites(&all).contains(&"south".to_owned())
    );
    let north = asked("?site=north").json(200);
    assert_eq!((sites(&north), &north["nodes"]), (vec!["north".to_owned(); 2], &json!(2)), "{north}");
    assert_eq!(asked("?site=nowhere").status, 404);
}
