//! Tokens that are narrowed down, terms by file, the log of changes, and how the service is.

use super::house::{House, job};
use serde_json::{Value, json};
use walras_api::service::Role;
use walras_service::http::endpoints;

fn narrow(house: &House, body: &Value) -> String {
    let made = house.call("post", "/v1/tokens", Some(&house.administrator), Some(body)).json(201);
    made["secret"].as_str().unwrap().to_owned()
}

#[test]
fn a_token_that_only_reads_changes_nothing_whatever_its_role() {
    let house = House::open();
    house.user("ada");
    for role in [Role::User, Role::Owner, Role::Administrator] {
        let token =
            narrow(&house, &json!({"role": role, "name": "ada", "scope": "read-only", "expires_in": 600}));
        for endpoint in endpoints().iter().filter(|it| it.roles.contains(&role)) {
            let mut path = endpoint.path.to_owned();
            for parameter in endpoint.parameters() {
                path = path
                    .replace(&format!("{{{parameter}}}"), if parameter == "site" { "north" } else { "1" });
            }
            let answer = house.call(endpoint.method, &path, Some(&token), None);
            let what = format!("{} {path}: {answer:?}", endpoint.method);
            assert_eq!(answer.status == 403, endpoint.method != "get", "{what}");
        }
    }
}

#[test]
fn a_token_that_only_submits_reads_nothing() {
    let house = House::open();
    house.user("ada");
    let token = narrow(&house, &json!({"role": "user", "name": "ada", "scope": "submit-only"}));
    let submitted = house.call("post", "/v1/jobs", Some(&token), Some(&job("only"))).json(201);
    let refused =
        |method: &str, path: &str| house.call(method, path, Some(&token), None).json(403)["message"].clone();
    assert_eq!(refused("get", "/v1/jobs"), "this token only submits");
    assert_eq!(refused("delete", &format!("/v1/jobs/{}", submitted["job"])), "this token only submits");
    assert_eq!(refused("get", "/v1/account"), "this token only submits");
    // A page that is signed in with it may do no more.
    let cookie = house.sign_in(&token);
    let headers = format!("Cookie: {cookie}\r\nX-Walras-Page: 1\r\n");
    assert_eq!(house.call_with("get", "/v1/account", &headers, None).status, 403);
}

#[test]
fn a_token_for_one_site_is_for_no_other() {
    let house = House::open();
    let body = json!({"role": "owner", "name": "olga", "site": "north"});
    let token = narrow(&house, &body);
    let drain = |site: &str| {
        let body = json!({"nodes": ["n1"]});
        house.call("post", &format!("/v1/sites/{site}/drain"), Some(&token), Some(&body)).status
    };
    assert_eq!((drain("north"), drain("south")), (200, 403));
    let income = house.call("get", "/v1/reports/income", Some(&token), None).json(200);
    assert_eq!(income["sites"].as_array().unwrap().len(), 1);
    assert_eq!(house.call("get", "/v1/reports/income?site=south", Some(&token), None).status, 403);
    assert_eq!(house.call("get", "/v1/account", Some(&token), None).status, 403);
    let admin = Some(house.administrator.as_str());
    for (body, status) in [
        (json!({"role": "user", "name": "ada", "site": "north"}), 422),
        (json!({"role": "owner", "name": "olga", "scope": "submit-only"}), 422),
        (json!({"role": "owner", "name": "olga", "site": "west"}), 404),
        (json!({"role": "owner", "name": "olga", "scope": "anything"}), 400),
    ] {
        assert_eq!(house.call("post", "/v1/tokens", admin, Some(&body)).status, status, "{body}");
    }
}

#[test]
fn terms_are_set_by_file_all_of_them_or_none() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    house.user("ada");
    let apply = |body: &Value| house.call("put", "/v1/users", admin, Some(body));
    let mut body = json!({
        "users": {
            "ada": {"share": 3, "budget": {"amount": 40, "period": 3600}},
            "ben": {"group": "physics", "lowest": -5},
        },
        "groups": {"physics": {"budget": {"amount": 100, "period": 86400}}},
        "dry_run": true,
    });
    let asked = apply(&body).json(200);
    let change = |of: &str, field: &str, before: Value, after: &str| json!({"of": of, "field": field, "before": before, "after": after});
    let expected = json!([
        change("user:ada", "share", json!("1"), "3"),
        change("user:ben", "group", Value::Null, "physics"),
        change("user:ben", "share", Value::Null, "1"),
        change("user:ben", "lowest", Value::Null, "-5"),
        change("user:ada", "budget", Value::Null, "40 in 3600 s"),
        change("group:physics", "budget", Value::Null, "100 in 86400 s"),
    ]);
    assert_eq!((&asked["changes"], &asked["done"]), (&expected, &json!(false)));
    let users = |count: usize| {
        let list = house.call("get", "/v1/users", admin, None).json(200);
        assert_eq!(list["users"].as_array().unwrap().len(), count, "{list}");
        list
    };
    users(1);
    body["dry_run"] = json!(false);
    assert_eq!(apply(&body).json(200)["changes"], expected);
    let list = users(2);
    assert_eq!(
        (&list["users"][0]["share"], &list["users"][0]["group"]),
        (&json!(3), &json!("physics")),
        "what is not said stays"
    );
    // Said again, nothing changes.
    assert_eq!(apply(&body).json(200)["changes"], json!([]));
    // Null lifts; and what one of them cannot have, none gets.
    let lifted = apply(&json!({"users": {"ada": {"budget": null}}})).json(200);
    assert_eq!(lifted["changes"][0]["after"], Value::Null);
    let debts = json!({"account": "user:ben", "amount": -4});
    house.call("post", "/v1/deposits", admin, Some(&debts)).json(201);
    let refused = apply(&json!({"users": {"cleo": {}, "ben": {"lowest": 0}}}));
    assert_eq!(refused.status, 422, "{refused:?}");
    users(2);
    assert_eq!(apply(&json!({"users": {"ada": {"shares": 2}}})).status, 400);
}

#[test]
fn the_log_says_who_has_changed_what() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    let ada = house.user("ada");
    let (number, olga) = house.token("owner", "olga");
    house.call("post", "/v1/sites/north/drain", Some(&olga), Some(&json!({"nodes": ["n1"]}))).json(200);
    house.call("post", "/v1/jobs", Some(&ada), Some(&job("mine"))).json(201);
    house.call("delete", &format!("/v1/tokens/{number}"), admin, None).json(200);
    let log = house.call("get", "/v1/log", admin, None).json(200);
    let lines: Vec<String> = log["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let text = |field: &str| line[field].as_str().unwrap().to_owned();
            format!("{} {}: {}", text("role"), text("name"), text("text"))
        })
        .collect();
    let drained = &lines[1];
    assert!(drained.starts_with("owner olga: drained north/n1 from "), "{drained}");
    let others: Vec<&str> = lines.iter().filter(|line| *line != drained).map(String::as_str).collect();
    assert_eq!(
        others,
        [
            "administrator administrator: revoked token 3 of owner olga",
            "administrator administrator: made token 3 for owner olga",
            "administrator administrator: made token 2 for user ada",
            "administrator administrator: paid 1000 credits into the account of user ada",
            "administrator administrator: set user ada: share 1, group physics, lowest 0",
            "configuration test.toml: added site south of otto",
            "configuration test.toml: added site north of olga",
            "configuration test.toml: set the VO's rules",
        ]
    );
    assert_eq!(log["lines"][1]["token"], json!(number));
    let page = house.call("get", "/v1/log?limit=3", admin, None).json(200);
    let rest = format!("/v1/log?before={}", page["next"]);
    let rest = house.call("get", &rest, admin, None).json(200);
    assert_eq!(rest["lines"].as_array().unwrap().len(), lines.len() - 3);
    assert_eq!(house.call("get", "/v1/log", Some(&ada), None).status, 403);
}

#[test]
fn the_status_says_how_sites_are_and_what_is_wrong() {
    let house = House::open();
    let (_, olga) = house.token("owner", "olga");
    house.call("post", "/v1/sites/north/drain", Some(&olga), Some(&json!({"nodes": ["n1"]}))).json(200);
    let status = house.call("get", "/v1/status", Some(&olga), None).json(200);
    assert_eq!((&status["alarms"], &status["writable"]), (&json!([]), &json!(true)));
    let north = &status["sites"][0];
    assert_eq!(
        (&north["name"], &north["nodes"], &north["nodes_drained"]),
        (&json!("north"), &json!(2), &json!(1))
    );
    assert!(status["entries"].as_u64().unwrap() > 0);
}
