//! What was earned, what stayed unsold, who spent it: over HTTP, after jobs have run.

use super::house::{House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Runs a job to its end; gives what is known of it then.
fn run(house: &House, user: &str, name: &str) -> Value {
    let number = house.call("post", "/v1/jobs", Some(user), Some(&job(name))).json(201)["job"].clone();
    let until = Instant::now() + Duration::from_secs(90);
    loop {
        let view = house.call("get", &format!("/v1/jobs/{number}"), Some(user), None).json(200);
        if ["done", "failed", "given-up"].contains(&view["state"].as_str().unwrap()) {
            return view;
        }
        assert!(Instant::now() < until, "{view}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An amount in micro-credits.
#[track_caller]
fn micros(value: &Value) -> i64 {
    let text = value.to_string();
    assert!(value.is_number(), "{value}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest: i64 = format!("{rest:0<6}").parse().unwrap();
    let whole: i64 = whole.parse::<i64>().unwrap() * 1_000_000;
    if text.starts_with('-') { whole - rest } else { whole + rest }
}

fn sum(lines: &Value, field: &str) -> i64 {
    lines.as_array().unwrap().iter().map(|line| micros(&line[field])).sum()
}

#[test]
fn what_is_charged_is_in_the_statement_in_the_income_and_in_the_report_of_the_vo() {
    let house = House::fast();
    let (ada, (_, olga), (_, otto)) =
        (house.user("ada"), house.token("owner", "olga"), house.token("owner", "otto"));
    house.user("ben");
    let ended = run(&house, &ada, "first");
    assert_eq!(ended["state"], "done", "{ended}");
    let charged = micros(&ended["charged"]);
    assert!(charged > 0, "{ended}");

    // What was held came back, and what was used was charged.
    let statement = house.call("get", "/v1/account/statement", Some(&ada), None).json(200);
    let mut lines: Vec<(&str, i64)> = statement["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["purpose"].as_str().unwrap(), micros(&line["amount"])))
        .collect();
    let held = 30_000_000;
    // On a machine that stands still for seconds, which are minutes here, a site answers too late and is asked again.
    while lines.len() > 4 && lines[2..4] == [("lien", -held), ("refund", held)] {
        lines.drain(2..4);
    }
    assert_eq!(
        lines,
        [("charge", -charged), ("refund", held), ("lien", -held), ("deposit", 1_000_000_000)],
        "{statement}"
    );
    let account = house.call("get", "/v1/account", Some(&ada), None).json(200);
    assert_eq!(micros(&account["balance"]), sum(&statement["lines"], "amount"));
    assert_eq!(account["balance"], statement["lines"][0]["balance"]);

    // The owner's account, and the same by day, site, node and user.
    let earned = house.call("get", "/v1/account", Some(&olga), None).json(200);
    // What was offered is known once the site has said twice what is free.
    let until = Instant::now() + Duration::from_secs(60);
    let income = loop {
        let income = house.call("get", "/v1/reports/income", Some(&olga), None).json(200);
        if !["0", "null"].contains(&income["total"]["unsold"].to_string().as_str()) {
            break income;
        }
        assert!(Instant::now() < until, "{income}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(income["total"]["income"], earned["balance"], "{income}");
    assert_eq!(micros(&income["total"]["charged"]), charged);
    assert!(micros(&earned["balance"]) < charged, "the VO keeps a fee");
    for table in ["days", "sites", "nodes", "users"] {
        assert_eq!(sum(&income[table], "charged"), charged, "{table}: {income}");
        assert_eq!(sum(&income[table], "income"), micros(&earned["balance"]), "{table}: {income}");
    }
    assert_eq!((&income["users"][0]["user"], &income["nodes"][0]["site"]), (&json!("ada"), &json!("north")));
    let total = &income["total"];
    assert_eq!(micros(&total["sold"]) + micros(&total["unsold"]), micros(&total["offered"]), "{income}");
    assert!(micros(&total["sold"]) > 0 && micros(&total["unsold"]) > 0, "{income}");
    // She has paid 0.5 a second.
    assert_eq!(micros(&total["sold"]), charged * 2, "{income}");
    assert_eq!(income["since"], Value::Null, "everything was written down from the beginning");

    // Others have earned nothing, and hear nothing of it.
    let nothing = house.call("get", "/v1/reports/income", Some(&otto), None).json(200);
    assert_eq!((&nothing["total"]["sales"], &nothing["users"]), (&json!(0), &json!([])));
    assert_eq!(house.call("get", "/v1/reports/income?site=north", Some(&otto), None).status, 404);
    assert_eq!(house.call("get", "/v1/reports/income?owner=olga", Some(&otto), None).status, 404);
    let admin = Some(house.administrator.as_str());
    let all = house.call("get", "/v1/reports/income", admin, None).json(200);
    assert_eq!(all["sites"].as_array().unwrap().len(), 2);
    let olgas = house.call("get", "/v1/reports/income?owner=olga", admin, None).json(200);
    assert_eq!(olgas["total"]["income"], income["total"]["income"]);
    let long = house.call("get", "/v1/reports/income?from=2001-01-01T00:00:00Z", admin, None).json(400);
    assert_eq!(long["message"], "from: a report covers at most 400 days");

    // A job that nobody can serve is one that waits for a reason.
    let poor = json!({"walras": "job/1", "name": "poor", "work": 60, "tasks": 2, "budget": 1});
    house.call("post", "/v1/jobs", Some(&ada), Some(&poor)).json(201);
    let until = Instant::now() + Duration::from_secs(60);
    let vo = loop {
        let vo = house.call("get", "/v1/reports/vo", admin, None).json(200);
        if vo["refusals"] != json!([]) {
            break vo;
        }
        assert!(Instant::now() < until, "{vo}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(vo["refusals"][0], json!({"reason": "no-fit", "ended": 0, "waiting": 1}));
    let first = &vo["users"][0];
    assert_eq!((&first["user"], &first["done"], &first["waiting"]), (&json!("ada"), &json!(1), &json!(1)));
    assert_eq!(micros(&first["charged"]), charged);
    assert_eq!(vo["users"][1]["user"], "ben", "who did nothing is there too");
    assert_eq!((&vo["waits"]["jobs"], &vo["complete"]), (&json!(1), &json!(true)));
    assert!(micros(&vo["waits"]["longest"]) > 0);
}
