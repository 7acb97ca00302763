//! Amounts are exact for clients that read numbers as doubles: in every answer, by its description and in fact.

use super::house::House;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use walras_service::http::{endpoints, openapi};

/// Numbers by names that people give, for which there is no place beside them, and why every double holds them, or where they stand as text.
const SHORT_BY_NAME: [(&str, &str); 6] = [
    ("satisfaction", "a share of one, with six decimals"),
    ("prefers", "a weight, as it was read from a double"),
    ("classes", "a price, at most a thousand million with six decimals"),
    ("nodes", "the same"),
    ("users", "the same"),
    (
        "CheaperView/properties/resources",
        "an amount that a task would ask for; the text beside has all its digits",
    ),
];

/// Every object that an answer can contain, with its name in the document.
fn objects<'a>(document: &'a Value, schema: &'a Value, place: &str, seen: &mut BTreeMap<String, &'a Value>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.strip_prefix('#').unwrap();
        if !seen.contains_key(pointer) {
            seen.insert(pointer.to_owned(), &Value::Null);
            objects(document, document.pointer(pointer).unwrap(), pointer, seen);
        }
        return;
    }
    if schema.get("properties").is_some() || schema.get("additionalProperties").is_some() {
        seen.insert(place.to_owned(), schema);
    }
    let inner: Vec<(String, &Value)> = match schema {
        Value::Object(map) => map.iter().map(|(name, it)| (format!("{place}/{name}"), it)).collect(),
        Value::Array(list) => {
            list.iter().zip(0..).map(|(it, at): (_, u32)| (format!("{place}/{at}"), it)).collect()
        }
        _ => Vec::new(),
    };
    inner.into_iter().for_each(|(place, it)| objects(document, it, &place, seen));
}

/// Whether its values are numbers, which have no other form.
fn is_number(schema: &Value) -> bool {
    let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let list = || schema.get("items").is_some_and(is_number);
    (kinds.contains(&json!("number")) && !kinds.contains(&json!("string"))) || list()
}

#[test]
fn every_object_of_an_answer_that_has_numbers_has_room_for_their_texts() {
    let document = openapi::document(&endpoints());
    let mut all = BTreeMap::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            objects(&document, &operation["responses"], path, &mut all);
        }
    }
    let mut amounts = 0;
    for (place, schema) in all {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let numbers: Vec<&String> =
            properties.iter().filter(|(_, it)| is_number(it)).map(|(name, _)| name).collect();
        amounts += numbers.len();
        let texts = &schema["properties"]["exact"]["additionalProperties"]["type"];
        assert!(
            numbers.is_empty() || texts == "string",
            "{place} has {numbers:?} and no place for their texts"
        );
        let by_name = schema.get("additionalProperties").is_some_and(is_number);
        let short = SHORT_BY_NAME.iter().any(|(name, _)| place.ends_with(name));
        assert!(
            !by_name || short || texts == "string",
            "{place} has numbers by name, with no place for their texts"
        );
    }
    assert!(amounts > 50, "{amounts} numbers were looked at");
}

/// Every number in JSON that a double may not hold has its text beside it; how many there were.
fn long_numbers(path: &str, json: &RawValue) -> usize {
    if json.get().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(json.get()).unwrap();
        return items.into_iter().map(|item| long_numbers(path, item)).sum();
    }
    if !json.get().starts_with('{') {
        return 0;
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json.get()).unwrap();
    let whole: Value = serde_json::from_str(json.get()).unwrap();
    let mut count = 0;
    for (name, member) in members {
        let digits =
            member.get().trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit).count();
        let first = member.get().chars().next().unwrap();
        if (first == '-' || first.is_ascii_digit()) && digits > 15 {
            assert_eq!(whole["exact"][&name], member.get(), "{path}: {name} in {json}");
            count += 1;
        }
        count += long_numbers(path, member);
    }
    count
}

/// The house with amounts of seventeen digits wherever they can be had.
fn rich_house() -> House {
    let config = "listen = \"127.0.0.1:0\"\ndata = \"DATA\"\n[limits]\nrequests_per_second = 100000\nburst = 100000\n\
        [clock]\nspeed = 60\n[policy]\ncycle_every = 60\nlead = 60\nprepare_within = 30\nconfirm_within = 30\noffers_within = 20\nmoney = { fee = 0.1 }\n\
        [[site]]\nname = \"north\"\nowner = \"olga\"\nconnector = \"simulated\"\ncount = 2\nprice = 0.5\n";
    let house = House::with(config);
    let admin = Some(house.administrator.as_str());
    house.user("ada");
    for amount in ["0.000001"].into_iter().chain(["1000000000"; 200]) {
        let amount: Value = serde_json::from_str(amount).unwrap();
        let deposit = json!({"account": "user:ada", "amount": amount});
        house.call("post", "/v1/deposits", admin, Some(&deposit)).json(201);
    }
    house
}

#[test]
fn every_answer_says_long_amounts_as_text_too() {
    let house = rich_house();
    let admin = Some(house.administrator.as_str());
    let ada = house.token("user", "ada").1;
    let text = r#"{"walras": "job/1", "name": "dear", "work": 60, "budget": 1234567890.123457}"#;
    assert_eq!(house.raw("post", "/v1/jobs", &ada, text).status, 201);
    let quote = house.raw("post", "/v1/quotes", &ada, text);
    assert_eq!(quote.status, 201, "{quote:?}");
    long_numbers("/v1/quotes", &serde_json::from_str::<Box<RawValue>>(&quote.body).unwrap());
    let decisions = house.call("get", "/v1/decisions", admin, None).json(200);
    let decision = decisions["decisions"][0]["position"].to_string();
    let fill = |path: &str| {
        let path = path.replace("{job}", "1").replace("{site}", "north").replace("{user}", "ada");
        path.replace("{quote}", "1").replace("{account}", "user:ada").replace("{position}", &decision)
    };
    let mut exact = BTreeSet::new();
    for endpoint in endpoints().iter().filter(|it| it.method == "get" && it.path != "/v1/openapi.json") {
        for token in [&ada, &house.administrator] {
            let answer = house.call("get", &fill(endpoint.path), Some(token), None);
            let json = serde_json::from_str::<Box<RawValue>>(&answer.body);
            let Ok(json) = json.as_ref().map(AsRef::as_ref) else { continue };
            if long_numbers(endpoint.path, json) > 0 {
                exact.insert(endpoint.path);
            }
        }
    }
    for path in ["/v1/account", "/v1/account/statement", "/v1/accounts", "/v1/jobs", "/v1/jobs/{job}"] {
        assert!(exact.contains(path), "{path} is not among {exact:?}");
    }
}

#[test]
fn what_was_answered_with_texts_can_be_sent_back_with_them() {
    let house = House::open();
    let path = "/v1/sites/north/prices";
    let before = house.call("get", path, Some(&house.administrator), None).body;
    let sent = before.replacen("{", r#"{"exact":{"base":"0.5"},"#, 1);
    assert_eq!(house.raw("put", path, &house.administrator, &sent).status, 200, "{sent}");
    assert_eq!(house.call("get", path, Some(&house.administrator), None).body, before);
    let other = before.replacen("{", r#"{"exactly":{"base":"0.5"},"#, 1);
    assert_eq!(house.raw("put", path, &house.administrator, &other).status, 400, "{other}");
}

/// Whatever carries money, by numbers and by texts, to the micro-credit.
#[test]
fn money_that_is_sent_is_read_by_its_own_digits() {
    let house = House::open();
    let admin = house.administrator.as_str();
    house.call("put", "/v1/users/mia", Some(admin), Some(&json!({}))).json(200);
    let deposit = |amount: &str| {
        let body = format!(r#"{{"account":"user:mia","amount":{amount}}}"#);
        house.raw("post", "/v1/deposits", admin, &body).status
    };
    let sent = ["999999999.999999", "\"999999999.999999\"", "0.000001", "\"0.000001\"", "\"-0.000002\""];
    assert!(sent.iter().all(|amount| deposit(amount) == 201));
    assert_eq!((deposit("0.0000001"), deposit("\"0.0000001\""), deposit("\"much\"")), (422, 422, 400));
    let accounts = house.call("get", "/v1/accounts", Some(admin), None).body;
    assert!(accounts.contains("\"balance\":\"1999999999.999998\""), "{accounts}");
    let user = r#"{"lowest":"-999999999.999999"}"#;
    assert_eq!(house.raw("put", "/v1/users/mia", admin, user).status, 200);
    let apply = r#"{"users":{"mia":{"lowest":-999999999.999997,"budget":{"period":60,"amount":"999999999.999999"}}}}"#;
    assert_eq!(house.raw("put", "/v1/users", admin, apply).status, 200);
    let users = house.call("get", "/v1/users", Some(admin), None).body;
    assert!(users.contains("-999999999.999997"), "{users}");
    let prices = house.call("get", "/v1/sites/north/prices", Some(admin), None).body;
    let sent = prices.replacen("\"base\":0.5", "\"base\":\"0.500001\"", 1);
    assert_ne!(sent, prices);
    assert_eq!(house.raw("put", "/v1/sites/north/prices", admin, &sent).status, 200, "{sent}");
    let after = house.call("get", "/v1/sites/north/prices", Some(admin), None).body;
    assert!(after.contains("\"base\":0.500001"), "{after}");
}
