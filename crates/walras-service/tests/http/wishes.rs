//! What owners and the administrator want of plans, each for themselves.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

/// A VO that plans by satisfaction and reserves at once.
fn content() -> (House, String) {
    let house = House::open();
    let ada = house.user("ada");
    let change = json!({"decide": "at-once", "choice": {"objective": "satisfaction"}});
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
    let (house, ada) = content();
    assert_eq!(placed(&house, &ada, "before"), json!(["north"]));
    let otto = house.token("owner", "otto").1;
    let wish = json!({"weight": 1000, "prefers": {"income": 1}});
    let set = house.call("put", "/v1/sites/south/wish", Some(&otto), Some(&wish)).json(200);
    assert_eq!((&set["wish"]["weight"], &set["wish"]["aggregation"]), (&json!(1000), &json!("chebyshev")));
    assert_eq!(placed(&house, &ada, "after"), json!(["south"]));
    let status = house.call("get", "/v1/status", Some(&ada), None).json(200);
    let content = &status["cycle"]["satisfaction"];
    assert_eq!((&content["owner of south"], &content["ada"]), (&json!(1), &json!(0)), "{status}");
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
