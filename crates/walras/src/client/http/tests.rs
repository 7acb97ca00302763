//! Against a service that does as it is told: what is repeated, what is sent, what a refusal means.

use super::*;
use crate::client::fake::{Fake, Reply};
use crate::client::secret::Secret;
use serde_json::json;

fn client(fake: &Fake) -> Client {
    let settings = Settings { url: fake.url(), token: Secret::new("hush-hush"), ca: None };
    Client::new(settings).unwrap().pausing(&[Duration::from_millis(1); 3])
}

fn error(status: u16) -> Reply {
    Reply::json(status, r#"{"code": "some-code", "message": "Because.", "trace": "t1"}"#)
}

#[test]
fn a_submission_is_repeated_under_the_same_key() {
    let fake = Fake::start(vec![Reply::Hang, error(503), Reply::json(201, "{\"job\": 17}")]);
    let answer = client(&fake).post_once("/v1/jobs", &json!({"name": "a"}), "key-1").unwrap();
    assert_eq!(answer.text, "{\"job\": 17}");
    let requests = fake.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert!(request.starts_with("POST /v1/jobs HTTP/1.1\r\n"), "{request}");
        assert!(request.to_lowercase().contains("idempotency-key: key-1\r\n"), "{request}");
        assert!(request.contains("Bearer hush-hush\r\n"), "{request}");
        assert!(request.ends_with("{\"name\":\"a\"}"), "{request}");
    }
}

#[test]
fn repetition_has_an_end_and_names_the_key() {
    let fake = Fake::start(vec![error(503), error(503), error(503), error(503), error(503)]);
    let failed = client(&fake).post_once("/v1/jobs", &json!({}), "key-2").unwrap_err();
    let Failure::Unreachable(problem) = failed else { panic!("{failed:?}") };
    assert!(problem.contains("Because.") && problem.contains("--key key-2"), "{problem}");
    assert_eq!(fake.requests().len(), 4);
}

#[test]
fn other_requests_are_sent_once() {
    let fake = Fake::start(vec![error(503), Reply::json(200, "{}")]);
    assert!(matches!(client(&fake).get("/v1/status"), Err(Failure::Unreachable(_))));
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn each_refusal_has_its_exit_code() {
    let cases = [
        (400, 2),
        (401, 3),
        (403, 3),
        (404, 1),
        (409, 1),
        (413, 2),
        (422, 2),
        (429, 4),
        (500, 4),
        (503, 4),
        (302, 2),
    ];
    for (status, code) in cases {
        let fake = Fake::start(vec![error(status)]);
        let failed = client(&fake).get("/v1/x").unwrap_err();
        assert!(!format!("{failed:?}").contains("hush"), "{failed:?}");
        assert!(format!("{failed:?}").contains("Because. (some-code, trace t1)"), "{failed:?}");
        let found = match failed {
            Failure::Refused(_) => 1,
            Failure::Input(_) => 2,
            Failure::Forbidden(_) => 3,
            Failure::Unreachable(_) => 4,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, code, "{status}");
    }
}

#[test]
fn nobody_there_is_said_without_the_token() {
    let fake = Fake::start(vec![]);
    let client = client(&fake);
    drop(fake);
    let Failure::Unreachable(problem) = client.get("/v1/status").unwrap_err() else { panic!("reachable") };
    assert!(problem.contains("cannot be reached") && !problem.contains("hush"), "{problem}");
}

#[test]
fn answers_that_make_no_sense_are_no_panic() {
    for text in ["", "nonsense", "[]", "{\"job\": -1}"] {
        let fake = Fake::start(vec![Reply::json(200, text)]);
        let view = client(&fake).get("/v1/x").unwrap().view::<walras_api::service::SubmittedView>();
        assert!(matches!(view, Err(Failure::Unreachable(_))), "{text}");
    }
}

#[test]
fn addresses_are_encoded() {
    assert_eq!(encode("a b/..?&é"), "a%20b%2F..%3F%26%C3%A9");
    assert_eq!(
        with_query("/v1/jobs", &[("state", None), ("user", Some("a&b".into()))]),
        "/v1/jobs?user=a%26b"
    );
    assert_eq!(with_query("/v1/jobs", &[("state", None)]), "/v1/jobs");
}
