//! The API's description is made from code, kept in the tree, and served.

use super::house::House;
use serde_json::Value;
use std::path::Path;
use walras_service::http::{endpoints, openapi};

/// `UPDATE_OPENAPI=1 cargo test -p walras-service --test http description` writes the file anew.
#[test]
fn the_file_in_the_tree_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let now = serde_json::to_string_pretty(&openapi::document(&endpoints())).unwrap() + "\n";
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == now, "docs/openapi.json is not what the code says: run this test with UPDATE_OPENAPI=1");
}

#[test]
fn references_lead_somewhere_and_the_page_shows_every_endpoint() {
    let document = openapi::document(&endpoints());
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    let house = House::open();
    let page = house.call("get", "/docs", None, None);
    assert_eq!(page.status, 200);
    for endpoint in endpoints() {
        assert!(page.body.contains(&format!("<code>{}</code>", endpoint.path)), "{}", endpoint.path);
    }
    assert_eq!(house.call("get", "/v1/openapi.json", None, None).json(200), document);
    let nothing = house.call("get", "/v1/nothing", None, None);
    assert_eq!(nothing.json(404)["code"], "not-found");
    assert!(nothing.head.contains("application/json"));
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value.as_str().filter(|_| key == "$ref") {
                    Some(reference) => found.push(reference.to_owned()),
                    None => collect(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

#[test]
fn metrics_are_for_the_administrator_and_count() {
    let house = House::open();
    let ada = house.user("ada");
    house.call("post", "/v1/jobs", Some(&ada), Some(&super::house::job("counted"))).json(201);
    let metrics = house.call("get", "/metrics", Some(&house.administrator), None);
    assert_eq!(metrics.status, 200);
    for line in
        ["walras_jobs{state=\"queued\"}", "walras_quote_honour_ratio 1", "walras_http_requests_total{"]
    {
        assert!(metrics.body.contains(line), "{line} is missing in {}", metrics.body);
    }
}
