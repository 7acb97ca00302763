//! Every endpoint, every role, own and others' things. The list is made from the table of endpoints; an endpoint with a
//! parameter or a body that is not known here fails the test, so that none is forgotten.

use super::house::{House, job};
use serde_json::{Value, json};
use walras_api::service::Role;
use walras_service::http::{Endpoint, endpoints};

/// Somebody who calls.
struct Somebody {
    what: &'static str,
    token: Option<String>,
    role: Option<Role>,
    /// Whether the things in the paths are theirs.
    own: bool,
}

/// What the paths' parameters stand for: all of it belongs to ada or, for sites, to olga.
fn path(endpoint: &Endpoint, job: u64, quote: u64, token: u64) -> String {
    let mut path = endpoint.path.to_owned();
    for parameter in endpoint.parameters() {
        let value = match parameter {
            "job" => job.to_string(),
            "quote" => quote.to_string(),
            "token" => token.to_string(),
            "site" => "north".to_owned(),
            "user" => "ada".to_owned(),
            // One in the journal that is no decision.
            "position" => "1".to_owned(),
            "spender" => "vo".to_owned(),
            other => panic!("{}: say here what {{{other}}} stands for, and whose it is", endpoint.path),
        };
        path = path.replace(&format!("{{{parameter}}}"), &value);
    }
    // What must be asked for by name.
    if endpoint.path.ends_with("/file") {
        path.push_str("?name=result");
    }
    path
}

fn body(endpoint: &Endpoint) -> Option<Value> {
    endpoint.body?;
    Some(match (endpoint.method, endpoint.path) {
        // An administrator must say whose job it is; a user may, when it is their own.
        ("post", "/v1/jobs" | "/v1/quotes" | "/v1/outlooks") => {
            json!({"walras": "job/1", "name": "matrix", "work": 60, "user": "ada"})
        }
        ("post", "/v1/chains") => {
            let job = json!({"walras": "job/1", "name": "matrix", "work": 60, "user": "ada"});
            json!({"jobs": [{"job": job}, {"job": job, "after": [{"job": 0}]}]})
        }
        ("post", "/v1/quotes/{quote}/accept") => json!({"option": 99}),
        ("put", "/v1/sites/{site}") => json!({"access": []}),
        ("put", "/v1/sites/{site}/prices") => json!({"base": 0.5}),
        ("post", "/v1/sites/{site}/drain") => json!({"nodes": ["n1"], "from": "20h", "until": "21h"}),
        ("post", "/v1/sites/{site}/resume") => json!({"nodes": ["n1"]}),
        ("post", "/v1/sites/{site}/reclaim") => json!({"nodes": ["n1"], "until": "1h", "dry_run": true}),
        ("put", "/v1/wish" | "/v1/sites/{site}/wish") => json!({"prefers": {"income": 1}}),
        ("post", "/v1/sites/{site}/faults") => json!({"kind": "node-lost", "node": "n1"}),
        ("post", "/v1/deposits") => json!({"account": "user:ada", "amount": 1}),
        ("post", "/v1/sites") => {
            json!({"name": "west", "owner": "wim", "connector": "simulated", "count": 1, "price": 1})
        }
        ("put", "/v1/users") => json!({"users": {"ada": {"group": "physics"}}, "dry_run": true}),
        ("put", "/v1/users/{user}") => json!({"group": "physics"}),
        ("put", "/v1/budgets/{spender}") => json!({"period": 86400, "amount": 100000}),
        ("patch", "/v1/policy") | ("post", "/v1/policy/trial") => json!({"attempts_max": 4}),
        // Nobody's: signing in is everybody's to try.
        ("post", "/v1/session") => json!({"token": "walras_0"}),
        ("post", "/v1/drafts") => json!({"text": "walras: job/1"}),
        ("post", "/v1/tokens") => json!({"role": "user", "name": "cleo"}),
        (method, path) => panic!("{method} {path}: say here what it is sent"),
    })
}

/// What happens to whoever may call an endpoint, but not for this thing.
fn others(endpoint: &Endpoint, role: Role) -> Option<u16> {
    let parameters = endpoint.parameters();
    match (role, endpoint.method, endpoint.path) {
        (Role::Administrator, ..) => None,
        (Role::User, ..) if parameters.contains(&"job") || parameters.contains(&"quote") => Some(404),
        (Role::User, "post", "/v1/jobs" | "/v1/quotes" | "/v1/chains" | "/v1/outlooks") => Some(403),
        (Role::Owner, "post", path) if path.starts_with("/v1/sites/{site}/") => Some(403),
        (Role::Owner, "put" | "delete", "/v1/sites/{site}")
        | (Role::Owner, "put", "/v1/sites/{site}/prices")
        | (Role::Owner, "put" | "delete", "/v1/sites/{site}/wish") => Some(403),
        // The rest of what these roles may call is everybody's, or the caller's own by nature.
        _ => None,
    }
}

fn everybody(house: &House, ada: &str) -> Vec<Somebody> {
    let (revoked, secret) = house.token("user", "ada");
    house.call("delete", &format!("/v1/tokens/{revoked}"), Some(&house.administrator), None).json(200);
    let somebody = |what, token: Option<String>, role, own| Somebody { what, token, role, own };
    vec![
        somebody("nobody", None, None, false),
        somebody("a guess", Some(format!("walras_{}", "0".repeat(64))), None, false),
        somebody("a revoked token", Some(secret), None, false),
        somebody("ada", Some(ada.to_owned()), Some(Role::User), true),
        somebody("ben", Some(house.user("ben")), Some(Role::User), false),
        somebody("olga", Some(house.token("owner", "olga").1), Some(Role::Owner), true),
        somebody("otto", Some(house.token("owner", "otto").1), Some(Role::Owner), false),
        somebody("the administrator", Some(house.administrator.clone()), Some(Role::Administrator), true),
    ]
}

#[test]
fn every_endpoint_admits_whom_it_should_and_nobody_else() {
    let house = House::open();
    let ada = house.user("ada");
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    admits(&house, &ada, &everybody(&house, &ada), &bearer);
}

/// The page asks with a cookie: it gets what its token would get, and nothing else.
#[test]
fn a_page_that_is_signed_in_is_admitted_as_its_token_would_be() {
    let house = House::open();
    let ada = house.user("ada");
    let callers: Vec<Somebody> =
        everybody(&house, &ada).into_iter().filter(|caller| caller.role.is_some()).collect();
    let cookie = |token: &str| format!("Cookie: {}\r\nX-Walras-Page: 1\r\n", house.sign_in(token));
    admits(&house, &ada, &callers, &cookie);
}

fn admits(house: &House, ada: &str, callers: &[Somebody], headers: &dyn Fn(&str) -> String) {
    let mut checked = 0;
    for endpoint in endpoints() {
        for caller in callers {
            // What is deleted must be there for the next caller.
            let own_job = house.call("post", "/v1/jobs", Some(ada), Some(&job("own"))).json(201)["job"]
                .as_u64()
                .unwrap();
            let quote = house.call("post", "/v1/quotes", Some(ada), Some(&job("own"))).json(201);
            let token = house.token("user", "cleo").0;
            let path = path(&endpoint, own_job, quote["quote"].as_u64().unwrap(), token);
            let headers = caller.token.as_deref().map(headers).unwrap_or_default();
            let mut answer = house.call_with(endpoint.method, &path, &headers, body(&endpoint).as_ref());
            // Who is nobody may ask only so often.
            while answer.status == 429 {
                std::thread::sleep(std::time::Duration::from_secs(1));
                answer = house.call_with(endpoint.method, &path, &headers, body(&endpoint).as_ref());
            }
            let what = format!("{} {} by {}: {answer:?}", endpoint.method, endpoint.path, caller.what);
            match caller.role {
                _ if endpoint.roles.is_empty() => assert!(!matches!(answer.status, 401 | 403), "{what}"),
                None => assert_eq!(answer.status, 401, "{what}"),
                Some(role) if !endpoint.roles.contains(&role) => assert_eq!(answer.status, 403, "{what}"),
                Some(role) => match others(&endpoint, role).filter(|_| !caller.own) {
                    Some(status) => assert_eq!(answer.status, status, "{what}"),
                    None => assert!(!matches!(answer.status, 401 | 403), "{what}"),
                },
            }
            assert!(answer.status < 500 || answer.status == 503, "{what}");
            let repeats = caller.token.as_ref().is_some_and(|secret| answer.body.contains(secret));
            assert!(!repeats, "an answer repeats a secret: {what}");
            checked += 1;
        }
    }
    assert_eq!(checked, endpoints().len() * callers.len());
}

#[test]
fn lists_and_statements_show_what_is_ones_own() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    house.call("post", "/v1/jobs", Some(&ada), Some(&job("of ada"))).json(201);
    house.call("post", "/v1/jobs", Some(&ben), Some(&job("of ben"))).json(201);
    let names = |token: &str, path: &str| -> Vec<String> {
        let list = house.call("get", path, Some(token), None).json(200);
        list["jobs"].as_array().unwrap().iter().map(|job| job["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&ada, "/v1/jobs"), ["of ada"]);
    assert_eq!(names(&house.administrator, "/v1/jobs"), ["of ben", "of ada"]);
    assert_eq!(names(&house.administrator, "/v1/jobs?user=ben"), ["of ben"]);
    assert_eq!(house.call("get", "/v1/jobs?user=ben", Some(&ada), None).status, 403);
    let own = house.call("get", "/v1/account/statement", Some(&ada), None).json(200);
    assert_eq!(own["account"], "user:ada");
    assert_eq!(own["lines"].as_array().unwrap().len(), 1);
    assert_eq!(house.call("get", "/v1/account/statement?account=user:ben", Some(&ada), None).status, 404);
    let any = house.call("get", "/v1/account/statement?account=user:ben", Some(&house.administrator), None);
    assert_eq!(any.json(200)["account"], "user:ben");
    let submitted = json!({"walras": "job/1", "name": "x", "work": 1, "user": "ben"});
    assert_eq!(house.call("post", "/v1/jobs", Some(&ada), Some(&submitted)).status, 403);
}
