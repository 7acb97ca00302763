//! Arrays and jobs that wait, over HTTP: one object in lists, elements by name, waits told as data.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

fn with(name: &str, key: &str, value: Value) -> Value {
    let mut job = job(name);
    job[key] = value;
    job
}

fn submit(house: &House, token: &str, job: &Value) -> u64 {
    house.call("post", "/v1/jobs", Some(token), Some(job)).json(201)["job"].as_u64().unwrap()
}

#[test]
fn an_array_is_one_object_of_which_every_element_can_be_named() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let get = |path: &str| house.call("get", path, Some(&ada), None);
    let held = json!({"walras": "job/1", "name": "many", "work": 60, "array": "2-100000:2%4", "held": true});
    let array = submit(&house, &ada, &held);
    let plain = submit(&house, &ada, &job("plain"));
    assert_eq!(plain, array + 50_001, "the numbers between are the elements'");
    let list = get("/v1/jobs").json(200);
    assert_eq!(list["jobs"].as_array().unwrap().len(), 2, "{list}");
    let line = &list["jobs"][1];
    assert_eq!((&line["id"], &line["state"]), (&json!(format!("{array}_[2-100000:2]")), &json!("held")));
    assert_eq!((&line["array"]["count"], &line["array"]["limit"]), (&json!(50_000), &json!(4)));
    assert_eq!(line["reason"]["held"], true);
    let element = get(&format!("/v1/jobs/{array}_6")).json(200);
    assert_eq!((&element["id"], &element["job"]), (&json!(format!("{array}_6")), &json!(array + 3)));
    assert_eq!(get(&format!("/v1/jobs/{array}_7")).status, 404);
    assert_eq!(get(&format!("/v1/jobs/{plain}_1")).status, 404);
    assert_eq!(get("/v1/jobs/1_x").status, 400);
    assert_eq!(house.call("get", &format!("/v1/jobs/{array}_6"), Some(&ben), None).status, 404);
    let cancel = |which: &str| house.call("delete", &format!("/v1/jobs/{which}"), Some(&ada), None);
    cancel(&format!("{array}_4")).json(200);
    let view = get(&format!("/v1/jobs/{array}")).json(200);
    assert_eq!(view["id"], format!("{array}_[2,6-100000:2]"));
    assert_eq!(view["array"]["states"], json!({"cancelled": 1}));
    let release = || house.call("post", &format!("/v1/jobs/{array}/release"), Some(&ada), None);
    assert_eq!(house.call("post", &format!("/v1/jobs/{array}/release"), Some(&ben), None).status, 404);
    let released = release().json(200);
    assert_eq!((&released["state"], &released["array"]["changed"]), (&json!("queued"), &json!(49_999)));
    assert_eq!(release().status, 409);
    let planned = |view: &Value| view["array"]["pending"] == json!(49_995);
    house.call("post", "/v1/cycles", Some(&house.administrator), None).json(202);
    let view = until(|| get(&format!("/v1/jobs/{array}")).json(200), planned);
    assert!(planned(&view), "four are jobs: {view}");
    let elements = get(&format!("/v1/jobs?array={array}")).json(200);
    let ids: Vec<&Value> = elements["jobs"].as_array().unwrap().iter().map(|job| &job["id"]).collect();
    assert_eq!(ids, [10, 8, 6, 2].map(|index| json!(format!("{array}_{index}"))).iter().collect::<Vec<_>>());
    let cancelled = cancel(&array.to_string()).json(200);
    assert_eq!((&cancelled["state"], &cancelled["array"]["changed"]), (&json!("cancelled"), &json!(49_999)));
    let ended = get(&format!("/v1/jobs/{array}")).json(200);
    assert_eq!(ended["array"]["states"], json!({"cancelled": 50_000}), "{ended}");
    assert_eq!(get("/v1/jobs").json(200)["jobs"].as_array().unwrap().len(), 2);
    assert_eq!(get(&format!("/v1/jobs/{array}_6")).json(200)["state"], "cancelled");
    let elements = get(&format!("/v1/jobs?array={array}")).json(200);
    assert_eq!(elements["jobs"].as_array().unwrap().len(), 4, "those that were jobs");
}

/// What a list shows of an array is what may be said of it.
#[test]
fn several_elements_are_cancelled_in_one_request_or_none_is() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let held = json!({"walras": "job/1", "name": "many", "work": 60, "array": "1-50000", "held": true});
    let array = submit(&house, &ada, &held);
    let plain = submit(&house, &ada, &job("plain"));
    // As clients send brackets.
    let path = |which: &str| format!("/v1/jobs/{}", which.replace('[', "%5B").replace(']', "%5D"));
    let cancel = |which: String| house.call("delete", &path(&which), Some(&ada), None);
    let view = cancel(format!("{array}_[3-9:2,20,40001-50000]")).json(200);
    assert_eq!(view["id"], format!("{array}_[1-2,4,6,8,10-19,21-40000]"));
    assert_eq!(
        (&view["array"]["changed"], &view["array"]["states"]),
        (&json!(10_005), &json!({"cancelled": 10_005}))
    );
    let again = cancel(format!("{array}_[3-5]")).json(200);
    assert_eq!(again["array"]["changed"], 1, "one of them was left");
    let refused = cancel(format!("{array}_[3-5]"));
    assert_eq!(refused.json(409)["code"], "ended");
    for missing in [format!("{array}_[49999-50001]"), format!("{array}_[0-7]"), format!("{plain}_[1-2]")] {
        assert_eq!(cancel(missing.clone()).status, 404, "{missing}");
    }
    assert_eq!(house.call("delete", &path(&format!("{array}_[6-7]")), Some(&ben), None).status, 404);
    let dots = cancel(format!("{array}_[1-2,...]")).json(400);
    assert!(dots["message"].as_str().unwrap().starts_with("the dots stand for"), "{dots}");
    let left = house.call("get", &path(&array.to_string()), Some(&ada), None).json(200);
    assert_eq!(left["array"]["states"], json!({"cancelled": 10_006}), "nothing else has happened");
    // It is held, and let go, as a whole.
    let release = |which: String| house.call("post", &format!("{}/release", path(&which)), Some(&ada), None);
    assert_eq!(release(format!("{array}_[1-2]")).json(409)["code"], "not-held");
    assert_eq!(release(format!("{array}_1")).json(409)["code"], "not-held");
    let message = house.call("get", &format!("/v1/jobs/{array}/output"), Some(&ada), None).json(404);
    let expected = format!("job {array} is an array: each element has output of its own, such as {array}_1");
    assert_eq!(message["message"], expected);
    // What is left of it is released, and cancelled, at once.
    let rest = format!("{array}_[1-40000]");
    assert_eq!(release(rest.clone()).json(200)["array"]["changed"], 39_994);
    let view = cancel(rest).json(200);
    assert_eq!((&view["state"], &view["array"]["changed"]), (&json!("cancelled"), &json!(39_994)));
}

/// More tasks than there are nodes never run at once, and run in waves where they need not.
#[test]
fn tasks_that_need_not_run_together_run_in_waves_under_one_budget() {
    let house = House::fast();
    let ada = house.user("ada");
    let mut bag = json!({"walras": "job/1", "name": "bag", "work": 60, "tasks": 12, "budget": 900});
    let refused = house.call("post", "/v1/jobs", Some(&ada), Some(&bag));
    assert_eq!(refused.json(422)["code"], "never-met", "twelve at once are more than there are");
    bag["together"] = json!(false);
    let number = submit(&house, &ada, &bag);
    let get = || house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200);
    let view = until(get, |view| view["state"] == "done");
    assert_eq!(view["state"], "done", "{view}");
    assert_eq!((&view["array"]["count"], &view["array"]["states"]), (&json!(12), &json!({"done": 12})));
    let charged = view["charged"].as_f64().unwrap();
    assert!(charged > 0.0 && charged <= 900.0, "{view}");
    let past = house.call("get", "/v1/reports/jobs?state=Done,%20failed", Some(&ada), None).json(200);
    let past = &past["jobs"][0];
    assert_eq!((&past["elements"], &past["exit_code"]), (&json!(12), &json!(0)), "{past}");
    for told in ["start", "wait", "run", "used", "reserved", "estimate"] {
        assert!(!past[told].is_null(), "{told}: {past}");
    }
    let path = format!("/v1/jobs?array={number}&limit=100");
    let elements = house.call("get", &path, Some(&ada), None).json(200);
    let starts: std::collections::BTreeSet<&str> =
        elements["jobs"].as_array().unwrap().iter().map(|job| job["start"].as_str().unwrap()).collect();
    assert!(starts.len() > 1, "in more than one wave: {elements}");
}

#[test]
fn what_a_job_waits_for_is_told_and_what_it_cannot_wait_for_is_refused_with_the_field() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let first = submit(&house, &ada, &with("first", "held", json!(true)));
    let second = submit(&house, &ada, &with("second", "after", json!({"ok": [first]})));
    let get = |number: u64| house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200);
    let view = get(second);
    assert_eq!(
        (&view["state"], &view["why"]),
        (&json!("waiting"), &json!(format!("It waits for job {first} to end well.")))
    );
    let waits_for = json!([{"job": first.to_string(), "condition": "ok"}]);
    assert_eq!((&view["reason"]["kind"], &view["reason"]["waits_for"]), (&json!("waits"), &waits_for));
    let refused = |token: &str, job: &Value| {
        let answer = house.call("post", "/v1/jobs", Some(token), Some(job));
        assert_eq!(answer.status, 422, "{answer:?}");
        answer.body
    };
    let unknown = "is not a job of the same user, or ended too long ago to be known";
    for (token, job) in [(&ada, 77), (&ben, first)] {
        let body = refused(token, &with("x", "after", json!({"any": [job]})));
        assert!(body.contains(&format!("after.any: {job} {unknown}")), "{body}");
    }
    let body = refused(&ada, &with("x", "after", json!({"failed": [format!("{first}_2")]})));
    assert!(body.contains(&format!("after.failed: {first}_2 is not an element of an array")), "{body}");
    let body = refused(&ada, &with("x", "array", json!("0-999999999")));
    assert!(body.contains("array: 0-999999999 is not an array: there are 1000000000 elements"), "{body}");
    house.call("delete", &format!("/v1/jobs/{first}"), Some(&ada), None).json(200);
    let view = get(second);
    let why = format!("It waits for job {first} to end well, which cannot be any more.");
    assert_eq!((&view["state"], &view["why"]), (&json!("given-up"), &json!(why)));
    let body = refused(&ada, &with("x", "after", json!({"ok": [first]})));
    assert!(body.contains("has ended otherwise, so that this can never be"), "{body}");
}
