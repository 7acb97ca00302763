//! What owners and the administrator want of plans, each for themselves.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

/// A VO that plans by satisfaction and reserves at once.
fn content() -> (House, String) {
    content_under("at-once")
}

/// The same, however it decides.
fn content_under(decide: &str) -> (House, String) {
    let house = House::open();
    let ada = house.user("ada");
    let change = json!({"decide": decide, "choice": {"objective": "satisfaction"}});
    house.call("patch", "/v1/policy", Some(&house.administrator), Some(&change)).json(200);
    (house, ada)
}

/// Where a job that wants to be cheap is reserved.
fn placed(house: &House, ada: &str, name: &str) -> Value {
    let mut body = job(name);
    body["prefers"] = json!({"cost": 1});
    let number = house.call("post", "/v1/jobs", Some(ada), Some(&body)).json(201)["job"].clone();
    let view = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("get", &format!("/v1/jobs/{number}"), Some(ada), None).json(200)
    };
    until(view, |view| view["sites"] != json!([]))["sites"].clone()
}

#[test]
fn what_an_owner_wants_changes_the_plan() {
    for decide in ["at-once", "promise"] {
        an_owner_is_heard(decide);
    }
}

fn an_owner_is_heard(decide: &str) {
    let (house, ada) = content_under(decide);
    assert_eq!(placed(&house, &ada, "before"), json!(["north"]));
    let otto = house.token("owner", "otto").1;
    let wish = json!({"weight": 1000, "prefers": {"income": 1}});
    let set = house.call("put", "/v1/sites/south/wish", Some(&otto), Some(&wish)).json(200);
    assert_eq!((&set["wish"]["weight"], &set["wish"]["aggregation"]), (&json!(1000), &json!("chebyshev")));
    assert_eq!(placed(&house, &ada, "after"), json!(["south"]));
    let status = house.call("get", "/v1/status", Some(&ada), None).json(200);
    let content = &status["cycle"]["satisfaction"];
    assert_eq!((&content["owner of south"], &content["ada"]), (&json!(1), &json!(0)), "{status}");
    if decide == "at-once" {
        // A minute costs 90 credits in the south and 30 in the north.
        let bound = &status["cycle"]["bound"];
        assert_eq!(
            (&bound["jobs"], &bound["cost_least"], &bound["above"]),
            (&json!(1), &json!(30), &json!(2))
        );
    }
    house.call("delete", "/v1/sites/south/wish", Some(&otto), None).json(200);
    assert_eq!(placed(&house, &ada, "again"), json!(["north"]));
}

#[test]
fn everybody_speaks_for_themselves_and_only_of_what_can_be_weighed() {
    let (house, ada) = content();
    let (olga, admin) = (house.token("owner", "olga").1, house.administrator.clone());
    let wish =
        json!({"prefers": {"income": 2, "load": 1}, "ranges": {"income": [0, 50]}, "aggregation": "mean"});
    let put = |path: &str, token: &str, wish: &Value| house.call("put", path, Some(token), Some(wish));
    put("/v1/sites/north/wish", &olga, &wish).json(200);
    assert_eq!(put("/v1/sites/south/wish", &olga, &wish).status, 403);
    assert_eq!(put("/v1/wish", &olga, &wish).status, 403);
    assert_eq!(put("/v1/wish", &ada, &wish).status, 403);
    put("/v1/wish", &admin, &json!({"prefers": {"finish": 1}})).json(200);
    let shown = house.call("get", "/v1/sites/north/wish", Some(&ada), None).json(200);
    assert_eq!(shown["wish"]["ranges"], json!({"income": [0, 50]}));
    let unknown = put("/v1/sites/north/wish", &olga, &json!({"prefers": {"more:noise": 1}}));
    assert!(unknown.status == 422 && unknown.body.contains("is not known of everything"), "{unknown:?}");
    assert_eq!(put("/v1/sites/north/wish", &olga, &json!({"prefers": {}})).status, 422);
}

#[test]
fn a_job_says_how_content_everybody_was_with_its_plan() {
    let (house, ada) = content();
    let otto = house.token("owner", "otto").1;
    let wish = json!({"weight": 1000, "prefers": {"income": 1}});
    house.call("put", "/v1/sites/south/wish", Some(&otto), Some(&wish)).json(200);
    assert_eq!(placed(&house, &ada, "one"), json!(["south"]));
    let all = house.call("get", "/v1/jobs", Some(&ada), None).json(200);
    let number = &all["jobs"][0]["job"];
    let view = house.call("get", &format!("/v1/jobs/{number}"), Some(&ada), None).json(200);
    let content = &view["satisfaction"];
    assert_eq!((&content["owner of south"], &content["ada"]), (&json!(1), &json!(0)), "{view}");
}

#[test]
fn a_quote_shows_every_criterion_and_what_is_taken_is_remembered() {
    let house = House::open();
    let ada = house.user("ada");
    // The cheap site is busy for two hours.
    for node in ["n1", "n2"] {
        let taken = json!({"kind": "taken", "node": node, "seconds": 7200});
        house.call("post", "/v1/sites/north/faults", Some(&house.administrator), Some(&taken));
    }
    let mut body = job("choose");
    body["prefers"] = json!({"cost": 3, "finish": 1});
    body["ranges"] = json!({"cost": [0, 120]});
    body["aggregation"] = json!("mean");
    let quote = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("post", "/v1/quotes", Some(&ada), Some(&body)).json(201)
    };
    let quote = until(quote, |quote| quote["options"].as_array().is_some_and(|options| options.len() == 2));
    let by = |option: usize, place: usize| {
        let it = &quote["options"][option]["criteria"][place];
        (it["criterion"].clone(), it["weight"].clone(), it["satisfaction"].clone())
    };
    // A minute costs 90 credits in the south and 30 in the north, of the 120 at which the job cares no more.
    assert_eq!(by(0, 0), (json!("cost"), json!(0.75), json!(0.25)), "{quote}");
    assert_eq!(by(1, 0), (json!("cost"), json!(0.75), json!(0.75)), "{quote}");
    assert_eq!((by(0, 1).2, by(1, 1).2), (json!(1), json!(0)), "{quote}");
    assert_eq!(quote["options"][1]["criteria"][0]["value"], json!(30), "{quote}");
    // Three quarters of the one, and one of the other.
    let whole = |option: usize| quote["options"][option]["satisfaction"].as_f64().unwrap();
    assert!((whole(0) - 0.4375).abs() < 1e-5 && (whole(1) - 0.5625).abs() < 1e-5, "{quote}");
    // A range of points in time counts from now: after half of it, half is lost.
    let mut ranged = body.clone();
    ranged["ranges"] = json!({"cost": [0, 120], "finish": [0, 14_400]});
    let quote_by_range = house.call("post", "/v1/quotes", Some(&ada), Some(&ranged)).json(201);
    let finish = |option: usize| quote_by_range["options"][option]["criteria"][1].clone();
    for option in [0, 1] {
        let (value, suits) =
            (finish(option)["value"].as_f64().unwrap(), finish(option)["satisfaction"].as_f64());
        assert!((suits.unwrap() - (1.0 - value / 14_400.0)).abs() < 1e-3, "{quote_by_range}");
    }
    assert!(finish(1)["value"].as_f64() > Some(6_000.0), "{quote_by_range}");
    let path = format!("/v1/quotes/{}/accept", quote["quote"]);
    house.call("post", &path, Some(&ada), Some(&json!({"option": 1}))).json(201);
    let choices = house.call("get", "/v1/choices", Some(&ada), None).json(200);
    assert_eq!((&choices["walras"], &choices["criteria"]), (&json!("choices/1"), &json!(["cost", "finish"])));
    let choice = &choices["choices"][0];
    assert_eq!((&choice["picked"], &choice["alternatives"][1][0]), (&json!(1), &json!(30)), "{choices}");
    assert_eq!(choices["choices"].as_array().map(Vec::len), Some(1), "{choices}");
    // As it was learnt, up to half of that costs nothing of what it is worth.
    body["segments"] = json!({"cost": [0, 2.5]});
    let quote = house.call("post", "/v1/quotes", Some(&ada), Some(&body)).json(201);
    let suits = |option: usize| quote["options"][option]["criteria"][0]["satisfaction"].clone();
    assert_eq!((suits(0), suits(1)), (json!(0.5), json!(1)), "{quote}");
    body["segments"] = json!({"cost": [0, 0]});
    let refused = house.call("post", "/v1/jobs", Some(&ada), Some(&body));
    assert!(refused.status == 422 && refused.body.contains("segments"), "{refused:?}");
    let mut bad = job("bad");
    bad["ranges"] = json!({"cost": [0, 1]});
    let refused = house.call("post", "/v1/jobs", Some(&ada), Some(&bad));
    assert!(refused.status == 422 && refused.body.contains("prefers"), "{refused:?}");
}
