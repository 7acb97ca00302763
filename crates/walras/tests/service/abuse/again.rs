//! Requests that come again, and tokens that no longer count or never did.

use super::{Victim, job, victim};
use crate::http::{Call, connect, raw};
use crate::program::wait_for;
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

#[test]
fn requests_and_tokens_that_come_again_do_nothing_again() {
    let it = victim("warn");
    let deposit = json!({ "account": "user:ada", "amount": 7 });
    let call = Call::send("POST", "/v1/deposits", &it.administrator, &deposit).keyed("k");
    for _ in 0..5 {
        it.service.expect(&call, 201);
    }
    assert_eq!(it.service.ask(&Call::get("/v1/account", &it.user)).json()["balance"], 1_007);
    let submit = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({}))).keyed("k");
    let first = it.service.expect(&submit, 201).json();
    assert_eq!(it.service.expect(&submit, 201).json(), first);
    let changed = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({ "work": 6 }))).keyed("k");
    it.service.expect(&changed, 409);
    // Somebody else's key is another.
    let eve = it.service.make_user(&it.administrator, "eve", 5);
    let same = Call::send("POST", "/v1/jobs", &eve, &job(&json!({}))).keyed("k");
    assert_ne!(it.service.expect(&same, 201).json(), first);
    let long = Call::send("POST", "/v1/jobs", &it.user, &job(&json!({}))).keyed(&"k".repeat(201));
    it.service.expect(&long, 400);
    tokens_end(&it, &eve);
    it.unharmed();
}

/// Tokens that were revoked, have expired, or come in another dress.
fn tokens_end(it: &Victim, eve: &str) {
    let body = json!({ "role": "user", "name": "ada", "expires_in": 1 });
    let brief = it.service.expect(&Call::send("POST", "/v1/tokens", &it.administrator, &body), 201).json();
    let brief = brief["secret"].as_str().unwrap().to_owned();
    it.service.expect(&Call::get("/v1/me", &brief), 200);
    let tokens = it.service.expect(&Call::get("/v1/tokens", &it.administrator), 200).json();
    let of_eve = tokens["tokens"].as_array().unwrap().iter().find(|token| token["name"] == "eve").unwrap();
    // Whoever listens when their token is revoked hears no more.
    let mut listening = connect(it.service.address).unwrap();
    let head = format!("GET /v1/events HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {eve}\r\n\r\n");
    listening.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let revoke =
        Call { method: "DELETE", ..Call::get(format!("/v1/tokens/{}", of_eve["token"]), &it.administrator) };
    it.service.expect(&revoke, 200);
    it.service.expect(&revoke, 200);
    it.service.expect(&Call::get("/v1/me", eve), 401);
    let begun = Instant::now();
    let _ = listening.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(5), "the stream of a revoked token went on");
    wait_for("the brief token expires", Duration::from_secs(20), || {
        let status = it.service.ask(&Call::get("/v1/me", &brief)).status;
        assert!(matches!(status, 200 | 401), "{status}");
        status == 401
    });
    let user = &it.user;
    for header in [
        format!("Basic {user}"),
        format!("Token {user}"),
        user.clone(),
        format!("Bearer{user}"),
        "Bearer ".to_owned(),
        format!("Bearer {user} {user}"),
        format!("Bearer {user}x"),
        format!("Bearer {}", user.to_uppercase()),
        format!("Bearer {}", &user[..user.len() - 1]),
        "Bearer ' OR 1=1 --".to_owned(),
    ] {
        let text =
            format!("GET /v1/me HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: {header}\r\n\r\n");
        assert_eq!(raw(it.service.address, text.as_bytes()).unwrap().status, 401, "{header}");
    }
    let query = format!(
        "GET /v1/me?token={user}&access_token={user} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(raw(it.service.address, query.as_bytes()).unwrap().status, 401);
}
