//! The page: what is sent to browsers, and who is signed in.

use super::house::{House, job};
use serde_json::{Value, json};

const HTML: &str = "Accept: text/html,*/*;q=0.8\r\n";

/// Headers of the page's own requests.
fn own(cookie: &str) -> String {
    format!("Cookie: {cookie}\r\nX-Walras-Page: 1\r\n")
}

#[test]
fn browsers_are_shown_the_page_and_programs_get_json() {
    let house = House::open();
    let program = house.call("get", "/", None, None);
    assert_eq!(program.json(200)["service"], "walras");
    for path in ["/", "/jobs/7", "/schedule?find=x"] {
        let page = house.call_with("get", path, HTML, None);
        assert_eq!(page.status, 200, "{page:?}");
        assert!(
            page.head.contains("content-type: text/html") && page.head.contains("cache-control: no-cache")
        );
        assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self';"));
    }
    for path in ["/v1/nothing", "/assets/nothing.js"] {
        assert_eq!(house.call_with("get", path, HTML, None).json(404)["code"], "not-found");
    }
    assert_eq!(house.call_with("post", "/jobs/7", HTML, None).json(404)["code"], "not-found");
}

#[test]
fn files_of_the_page_are_kept_for_ever_and_sent_packed() {
    let house = House::open();
    let page = house.call_with("get", "/", HTML, None).body;
    let paths: Vec<&str> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert_eq!(paths.len(), 3, "{page}");
    for path in paths {
        let plain = house.call("get", path, None, None);
        assert_eq!(plain.status, 200, "{path}");
        assert!(plain.head.contains("cache-control: public, max-age=31536000, immutable"), "{}", plain.head);
        let packed = house.call_with("get", path, "Accept-Encoding: gzip, br\r\n", None);
        assert!(packed.head.contains("content-encoding: gzip"), "{}", packed.head);
        let tag = plain.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        let again = house.call_with("get", path, &format!("If-None-Match: {tag}\r\n"), None);
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    }
}

#[test]
fn a_browser_signs_in_with_a_token_and_out_again() {
    let house = House::open();
    let ada = house.user("ada");
    let me = |cookie: &str| house.call_with("get", "/v1/session", &own(cookie), None).json(200)["me"].clone();
    let answer = house.call("post", "/v1/session", None, Some(&json!({"token": ada})));
    for part in ["httponly", "samesite=strict", "path=/", "max-age=43200"] {
        assert!(answer.head.contains(part), "{}", answer.head);
    }
    assert!(!answer.head.contains("secure"), "without TLS the cookie would never be sent");
    assert!(!answer.head.contains(&ada) && !answer.body.contains(&ada), "{answer:?}");
    let (first, second, third) = (answer.cookie(), house.sign_in(&ada), house.sign_in(&ada));
    assert_eq!(me(&first), json!({"role": "user", "name": "ada"}));
    assert_eq!(me("walras_session=walras_0"), Value::Null);
    house.call_with("delete", "/v1/session", &own(&first), None).json(200);
    assert_eq!([me(&first).is_null(), me(&second).is_null()], [true, false]);
    house.call_with("delete", "/v1/session?everywhere=true", &own(&second), None).json(200);
    assert_eq!([me(&second), me(&third)], [Value::Null, Value::Null]);
    assert_eq!(house.call_with("get", "/v1/jobs", &own(&third), None).status, 401);
    let wrong = house.call("post", "/v1/session", None, Some(&json!({"token": "walras_0"})));
    assert_eq!(wrong.json(422)["code"], "bad-token");
    assert_eq!(house.call("post", "/v1/session", None, Some(&json!({}))).status, 400);
}

#[test]
fn another_sites_page_changes_nothing_with_the_cookie() {
    let house = House::open();
    let cookie = house.sign_in(&house.user("ada"));
    let with = |more: &str| {
        let headers = format!("Cookie: {cookie}\r\n{more}");
        house.call_with("post", "/v1/jobs", &headers, Some(&job("forged"))).status
    };
    assert_eq!(with(""), 401);
    assert_eq!(with("X-Walras-Page: 1\r\nSec-Fetch-Site: cross-site\r\n"), 401);
    assert_eq!(with("X-Walras-Page: 1\r\nSec-Fetch-Site: same-origin\r\n"), 201);
}

#[test]
fn a_code_signs_in_once() {
    let house = House::open();
    let ada = house.user("ada");
    let code = house.call("post", "/v1/codes", Some(&ada), None).json(201)["code"].clone();
    let enter = || house.call("post", "/v1/session", None, Some(&json!({"code": code})));
    assert_eq!(enter().json(201)["me"]["name"], "ada");
    assert_eq!(enter().json(422)["code"], "bad-token");
    assert_eq!(house.call("post", "/v1/codes", None, None).status, 401);
}

#[test]
fn a_session_ends_with_its_token() {
    let house = House::open();
    let (number, secret) = house.token("owner", "olga");
    let cookie = house.sign_in(&secret);
    assert_eq!(house.call_with("get", "/v1/me", &own(&cookie), None).json(200)["name"], "olga");
    house.call("delete", &format!("/v1/tokens/{number}"), Some(&house.administrator), None).json(200);
    assert_eq!(house.call_with("get", "/v1/me", &own(&cookie), None).status, 401);
}

#[test]
fn a_stream_ends_when_its_session_does() {
    use std::io::{Read, Write};
    let house = House::open();
    let ada = house.user("ada");
    let (listens, leaves) = (house.sign_in(&ada), house.sign_in(&ada));
    let mut stream = std::net::TcpStream::connect(house.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
    let head = format!("GET /v1/events HTTP/1.1\r\nHost: test\r\nCookie: {listens}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    house.call_with("delete", "/v1/session?everywhere=true", &own(&leaves), None).json(200);
    // What is sent in pieces ends with an empty one.
    let mut rest = Vec::new();
    let mut part = [0; 4_096];
    while !rest.ends_with(b"0\r\n\r\n") {
        let count = stream.read(&mut part).expect("the stream ends");
        assert!(count > 0);
        rest.extend_from_slice(&part[..count]);
    }
}

#[test]
fn a_draft_is_read_or_its_mistake_is_named() {
    let house = House::open();
    let ada = house.user("ada");
    let read =
        |text: &str| house.call("post", "/v1/drafts", Some(&ada), Some(&json!({"text": text}))).json(200);
    assert_eq!(read("walras: job/1\nname: a\nwork: 5\n")["job"]["work"], 5);
    let wrong = read("walras: job/1\nname: a\nwork: -5\n");
    assert_eq!((&wrong["job"], &wrong["problem"]["line"]), (&Value::Null, &json!(3)));
}

#[test]
fn owners_see_what_they_earn_and_nobody_else_does() {
    let house = House::open();
    let balances = |token: &str| -> Vec<bool> {
        // The first look is taken when the service starts.
        loop {
            let history = house.call("get", "/v1/history", Some(token), None);
            if history.status == 200 {
                let history = history.json(200);
                assert_eq!(history["sites"], json!(["north", "south"]));
                let later = format!("/v1/history?after={}", history["status"]["now"].as_str().unwrap());
                let later = house.call("get", &later, Some(token), None).json(200);
                assert!(later["samples"].as_array().unwrap().len() <= 1, "{later}");
                let sites = history["samples"][0]["sites"].as_array().unwrap();
                return sites.iter().map(|site| site.get("balance").is_some()).collect();
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    assert_eq!(balances(&house.administrator), [true, true]);
    assert_eq!(balances(&house.token("owner", "olga").1), [true, false]);
    assert_eq!(balances(&house.user("ada")), [false, false]);
}

#[test]
fn decisions_are_explained_to_the_administrator() {
    let house = House::open();
    let ada = house.user("ada");
    let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job("decided"))).json(201)["job"].clone();
    let mut dear = job("too dear");
    dear["budget"] = json!(1);
    house.call("post", "/v1/jobs", Some(&ada), Some(&dear)).json(201);
    house.call("post", "/v1/cycles", Some(&house.administrator), None).json(202);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let (decided, unfit) = loop {
        let list = house.call("get", "/v1/decisions", Some(&house.administrator), None).json(200);
        let jobs: Vec<Value> = list["decisions"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|decision| decision["jobs"].as_array().unwrap().clone())
            .collect();
        let of = |outcome: &str| jobs.iter().find(|job| job["outcome"] == outcome).cloned();
        let served = of("planned").or_else(|| of("reserved"));
        if let (Some(served), Some(left_out)) = (served, of("left-out")) {
            break (served, left_out);
        }
        assert!(std::time::Instant::now() < until, "{list}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!((&decided["job"], &decided["name"]), (&number, &json!("decided")));
    assert_eq!(decided["alternatives"][0]["cost"], 30, "{decided}");
    assert_eq!(unfit["reason"]["kind"], "no-fit", "{unfit}");
}
