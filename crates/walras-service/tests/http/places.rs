//! Where jobs run and could run, the same job once more, and what stayed unsold: over HTTP.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

fn submit(house: &House, token: &str, job: &Value) -> u64 {
    house.call("post", "/v1/jobs", Some(token), Some(job)).json(201)["job"].as_u64().unwrap()
}

#[test]
fn a_job_that_waits_is_shown_where_it_could_run_and_nobody_else_is() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let number = submit(&house, &ada, &job("waits"));
    let path = format!("/v1/jobs/{number}/places");
    let plain = house.call("get", &path, Some(&ada), None).json(200);
    assert_eq!((&plain["job"], &plain["alternatives"]), (&json!(number), &json!([])));
    let asked = format!("{path}?alternatives=true");
    // As soon as sites have said what is free.
    let view = until(
        || house.call("get", &asked, Some(&ada), None).json(200),
        |view| view["alternatives"] != json!([]),
    );
    let first = &view["alternatives"][0];
    assert_eq!(first["spare"], false, "{view}");
    let place = &first["places"][0];
    assert!(["north", "south"].contains(&place["site"].as_str().unwrap()), "{view}");
    assert!(place["node"].is_string() && place["start"] == first["start"], "{view}");
    assert_eq!(house.call("get", &asked, Some(&ben), None).status, 404);
    let held = json!({"walras": "job/1", "name": "held", "work": 60, "held": true});
    let held = submit(&house, &ada, &held);
    let held = house.call("get", &format!("/v1/jobs/{held}/places?alternatives=true"), Some(&ada), None);
    assert_eq!(held.json(200)["alternatives"], json!([]), "it may not be planned");
    assert_eq!(house.call("get", &format!("{path}?more=1"), Some(&ada), None).status, 400);
}

#[test]
fn a_workflow_has_its_tasks_as_planned_and_as_they_went_with_the_path_on_which_its_end_hangs() {
    let house = House::fast();
    let ada = house.user("ada");
    let task = |name: &str, work: u32| json!({"name": name, "work": work});
    let workflow = json!({
        "walras": "workflow/1",
        "name": "diamond",
        "tasks": [task("split", 10), task("long", 40), task("short", 5), task("join", 10)],
        "edges": [
            {"from": "split", "to": "long"}, {"from": "split", "to": "short"},
            {"from": "long", "to": "join"}, {"from": "short", "to": "join"},
        ],
    });
    let all_ran = |view: &Value| {
        let parts = view["parts"].as_array().unwrap();
        parts.len() == 4 && parts.iter().all(|part| part["actual"].is_object())
    };
    // Where the machine stands still for seconds a start is missed, and what is left is planned again without what is done.
    let mut view = Value::Null;
    for name in ["diamond", "again", "once-more"] {
        let job = json!({"walras": "job/1", "name": name, "workflow": workflow});
        let number = submit(&house, &ada, &job);
        let places = || house.call("get", &format!("/v1/jobs/{number}/places"), Some(&ada), None).json(200);
        view = until(places, all_ran);
        if all_ran(&view) {
            break;
        }
    }
    assert!(all_ran(&view), "{view}");
    let critical: Vec<&str> = view["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["critical"] == json!(true))
        .map(|part| part["task"].as_str().unwrap())
        .collect();
    assert!(critical.contains(&"long") && critical.contains(&"join"), "{view}");
    assert!(!critical.contains(&"short"), "it has time: {view}");
    assert_eq!(view["transfers"].as_array().unwrap().len(), 4, "{view}");
    // A task may begin before its time, never before what it waits for has ended.
    let part = |transfer: &Value, side: &str| {
        let place = &transfer[side];
        view["parts"].as_array().unwrap().iter().find(|part| &part["part"] == place).unwrap().clone()
    };
    for transfer in view["transfers"].as_array().unwrap() {
        let (from, to) = (part(transfer, "from"), part(transfer, "to"));
        assert!(from["actual"]["end"].as_str().unwrap() <= to["actual"]["start"].as_str().unwrap(), "{view}");
    }
}

#[test]
fn a_job_is_submitted_again_as_it_was_wherever_it_came_from() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let call = |method: &str, path: &str| house.call(method, path, Some(&ada), None);
    let first = json!({"walras": "job/1", "name": "twice", "work": 60, "budget": 7, "tasks": 2,
        "deadline": "2030-01-01T00:00:00Z"});
    let first = submit(&house, &ada, &first);
    call("delete", &format!("/v1/jobs/{first}")).json(200);
    let path = format!("/v1/jobs/{first}/again");
    let headers = format!("Authorization: Bearer {ada}\r\nIdempotency-Key: once\r\n");
    let again = || house.call_with("post", &path, &headers, None).json(201)["job"].as_u64().unwrap();
    let second = again();
    assert_eq!(again(), second, "a request that is repeated is one request");
    let view = call("get", &format!("/v1/jobs/{second}")).json(200);
    assert_eq!((&view["name"], &view["budget"], &view["tasks"]), (&json!("twice"), &json!(7), &json!(2)));
    assert!(
        view["deadline"].as_str().unwrap().starts_with("2030-01-01T00:0"),
        "as far away as it was: {view}"
    );
    assert_ne!(view["deadline"], "2030-01-01T00:00:00.000Z", "time has passed since");
    assert_eq!(house.call("post", &path, Some(&ben), None).status, 404);

    // What was taken of a quote is known from the quote.
    let quote = until(
        || house.call("post", "/v1/quotes", Some(&ada), Some(&job("quoted"))).json(201),
        |quote| quote["options"] != json!([]),
    );
    let accept = format!("/v1/quotes/{}/accept", quote["quote"]);
    let taken = house.call("post", &accept, Some(&ada), Some(&json!({"option": 0}))).json(201);
    call("delete", &format!("/v1/jobs/{}", taken["job"])).json(200);
    let more = call("post", &format!("/v1/jobs/{}/again", taken["job"])).json(201);
    assert_eq!(call("get", &format!("/v1/jobs/{}", more["job"])).json(200)["name"], "quoted");

    // An array is an array again, an element an array of it alone.
    let array = json!({"walras": "job/1", "name": "many", "work": 60, "array": "2-8:2", "held": true});
    let array = submit(&house, &ada, &array);
    call("delete", &format!("/v1/jobs/{array}")).json(200);
    for (which, elements) in [(format!("{array}"), "2-8:2"), (format!("{array}_6"), "6")] {
        let more = call("post", &format!("/v1/jobs/{which}/again")).json(201);
        let view = call("get", &format!("/v1/jobs/{}", more["job"])).json(200);
        assert_eq!(view["array"]["elements"], elements, "{view}");
    }
}

#[test]
fn an_owner_is_told_at_which_lower_price_idle_time_would_have_sold() {
    let house = House::fast();
    let (ada, (_, olga)) = (house.user("ada"), house.token("owner", "olga"));
    // 60 seconds for 12 credits are 0.2 a second; north asks 0.5.
    let poor = json!({"walras": "job/1", "name": "poor", "work": 60, "budget": 12});
    submit(&house, &ada, &poor);
    let steps = |view: &Value| view["sites"][0]["steps"].clone();
    let view = until(
        || house.call("get", "/v1/reports/unsold", Some(&olga), None).json(200),
        |view| steps(view) != json!([]) && !view["sites"][0]["unsold"].is_null(),
    );
    assert_eq!(view["sites"].as_array().unwrap().len(), 1, "{view}");
    assert_eq!((&view["sites"][0]["site"], &view["sites"][0]["price"]), (&json!("north"), &json!(0.5)));
    let step = &steps(&view)[0];
    assert_eq!((&step["price"], &step["jobs"]), (&json!(0.2), &json!(1)), "{view}");
    assert_eq!(house.call("get", "/v1/reports/unsold", Some(&ada), None).status, 403);
    assert_eq!(house.call("get", "/v1/reports/unsold?site=south", Some(&olga), None).status, 404);
}
