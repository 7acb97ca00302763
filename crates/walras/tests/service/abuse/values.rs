//! JSON and amounts that make no sense.

use super::{job, victim};
use crate::http::{Call, raw};
use serde_json::{Value, json};

#[test]
fn json_that_makes_no_sense_is_refused() {
    let it = victim("warn");
    let deep = "[".repeat(500_000);
    let deep_objects = "{\"a\":".repeat(100_000);
    let nested = format!(
        "{{\"walras\":\"job/1\",\"name\":\"x\",\"work\":{}1{}}}",
        "[".repeat(9_000),
        "]".repeat(9_000)
    );
    let texts: [&str; 14] = [
        "",
        "{",
        "nul",
        "[]",
        "\"x\"",
        "{\"a\":1}{\"a\":1}",
        "{'a':1}",
        "\u{feff}{}",
        "{\"walras\":\"job/9\"}",
        "{\"account\":\"user:ada\",\"amount\":1,\"amount\":2}",
        "\u{0}",
        &deep,
        &deep_objects,
        &nested,
    ];
    for text in texts {
        for (method, path) in [
            ("POST", "/v1/jobs"),
            ("POST", "/v1/quotes"),
            ("POST", "/v1/deposits"),
            ("POST", "/v1/tokens"),
            ("PATCH", "/v1/policy"),
            ("PUT", "/v1/sites/north/prices"),
            ("PUT", "/v1/budgets/vo"),
            ("POST", "/v1/sites/north/faults"),
            ("POST", "/v1/quotes/1/accept"),
        ] {
            it.refused(method, path, &it.administrator, text);
        }
    }
    let unknown = it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ "wrok": 3 })).to_string());
    assert!(unknown.body.contains("wrok"), "{}", unknown.body);
    let unknown = json!({ "account": "user:ada", "amount": 1, "note": "x" }).to_string();
    assert!(it.refused("POST", "/v1/deposits", &it.administrator, &unknown).body.contains("note"));
    // Bytes that are no text.
    let bytes = b"POST /v1/jobs HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 4\r\n";
    let mut bytes = bytes.to_vec();
    bytes.extend(format!("Authorization: Bearer {}\r\n\r\n", it.user).bytes());
    bytes.extend([b'"', 0xff, 0xfe, b'"']);
    assert_eq!(raw(it.service.address, &bytes).unwrap().status, 400);
    it.unharmed();
}

#[test]
fn amounts_that_make_no_sense_are_refused() {
    let it = victim("warn");
    let numbers = [
        "1e400",
        "-1e400",
        "1e-400000",
        "NaN",
        "\"NaN\"",
        "Infinity",
        "\"inf\"",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "1e18",
        "\"1e18\"",
        "9007199254740993000000",
        "0.0000001",
        "\"١٢\"",
        "\"1_000\"",
        "\"0x10\"",
        "\" 1\"",
        "true",
        "null",
        "[1]",
        "\"1,5\"",
        "\"\"",
    ];
    let huge = format!("1{}", "0".repeat(100_000));
    for number in numbers.into_iter().chain([huge.as_str()]) {
        let deposit = format!("{{\"account\":\"user:ada\",\"amount\":{number}}}");
        it.refused("POST", "/v1/deposits", &it.administrator, &deposit);
        let price = format!("{{\"base\":{number}}}");
        it.refused("PUT", "/v1/sites/north/prices", &it.administrator, &price);
        let work = format!("{{\"walras\":\"job/1\",\"name\":\"x\",\"work\":{number}}}");
        let said = it.body("POST", "/v1/jobs", &it.user, &work);
        assert!(said.status < 500, "{work}: {}", said.body);
    }
    for negative in ["-1", "-0.5"] {
        it.refused("PUT", "/v1/sites/north/prices", &it.administrator, &format!("{{\"base\":{negative}}}"));
        let budget = format!("{{\"period\":60,\"amount\":{negative}}}");
        it.refused("PUT", "/v1/budgets/user:ada", &it.administrator, &budget);
        for key in ["work", "budget", "tasks", "price_max", "performance_min"] {
            let number: Value = serde_json::from_str(negative).unwrap();
            it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ key: number })).to_string());
        }
    }
    for (key, value) in
        [("tasks", json!(4_294_967_296_u64)), ("tasks", json!(0)), ("tasks", json!(1.5)), ("work", json!(0))]
    {
        it.refused("POST", "/v1/jobs", &it.user, &job(&json!({ key: value })).to_string());
    }
    // More than there is cannot be taken away, and nothing of all this has come or gone.
    it.refused(
        "POST",
        "/v1/deposits",
        &it.administrator,
        "{\"account\":\"user:ada\",\"amount\":-1000.000001}",
    );
    let mut all = 1_000;
    while it
        .body("POST", "/v1/deposits", &it.administrator, "{\"account\":\"user:ada\",\"amount\":1000000000}")
        .status
        == 201
    {
        all += 1_000_000_000_i64;
        assert!(all < 50_000_000_000, "is there no end?");
        if all > 20_000_000_000 {
            break;
        }
    }
    let account = it.service.expect(&Call::get("/v1/account", &it.user), 200).json();
    assert_eq!(account["balance"].as_i64(), Some(all), "{account}");
    it.unharmed();
}
