//! What is nobody else's business, names that could be taken for others, and requests that come at once.

use super::house::{House, job};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn the_price_of_a_user_is_shown_to_that_user_and_the_owner_alone() {
    let house = House::open();
    let (ada, ben) = (house.user("ada"), house.user("ben"));
    let (olga, otto) = (house.token("owner", "olga").1, house.token("owner", "otto").1);
    let set = json!({"base": 0.5, "users": {"ada": 0.25, "cleo": 0.1}});
    house.call("put", "/v1/sites/north/prices", Some(&olga), Some(&set)).json(200);
    let users = |token: &str| {
        house.call("get", "/v1/sites/north/prices", Some(token), None).json(200)["users"].clone()
    };
    assert_eq!(users(&olga), set["users"]);
    assert_eq!(users(&house.administrator), set["users"]);
    assert_eq!(users(&ada), json!({"ada": 0.25}));
    for stranger in [&ben, &otto] {
        assert!(users(stranger).as_object().is_none_or(serde_json::Map::is_empty));
    }
    // Nor do offers tell.
    let price = |token: &str| {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let offers = house.call("get", "/v1/offers?site=north", Some(token), None).json(200);
            if offers["offers"] != json!([]) {
                return offers["offers"][0]["price"].clone();
            }
            assert!(Instant::now() < until, "the site never says what is free");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    assert_eq!((price(&ada), price(&ben), price(&otto)), (json!(0.25), json!(0.5), json!(0.5)));
}

#[test]
fn names_that_could_be_taken_for_others_are_refused() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    let ada = house.user("ada");
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    for name in [
        "a\u{200b}da",
        "\u{430}da",
        "ada\u{202e}",
        "\u{ff41}da",
        "a\u{301}da",
        "ada ",
        "\u{430}\u{441}\u{435}",
    ] {
        let set = house.call("put", &format!("/v1/users/{}", encoded(name)), admin, Some(&json!({})));
        assert_eq!(set.json(422)["code"], "bad-name", "{name:?}");
        let group = house.call("put", "/v1/users/ben", admin, Some(&json!({"group": name})));
        assert_eq!(group.json(422)["code"], "bad-name", "{name:?}");
        let token = json!({"role": "user", "name": name});
        assert_eq!(house.call("post", "/v1/tokens", admin, Some(&token)).status, 422, "{name:?}");
        let many = json!({"users": {name: {}}});
        assert_eq!(house.call("put", "/v1/users", admin, Some(&many)).status, 422, "{name:?}");
    }
    for name in ["Мария", "Jürgen", "小林"] {
        house.call("put", &format!("/v1/users/{}", encoded(name)), admin, Some(&json!({}))).json(200);
    }
    for name in ["a\u{200b}b", "\u{202e}gnp.exe"] {
        assert_eq!(house.call("post", "/v1/jobs", Some(&ada), Some(&job(name))).status, 422, "{name:?}");
    }
    house.call("post", "/v1/jobs", Some(&ada), Some(&job("α and а"))).json(201);
}

#[test]
fn whoever_cancels_at_the_same_time_gets_the_same_answer() {
    let house = House::open();
    let ada = house.user("ada");
    for _ in 0..10 {
        let number = house.call("post", "/v1/jobs", Some(&ada), Some(&job("mine"))).json(201)["job"].clone();
        let path = format!("/v1/jobs/{number}");
        let answers: Vec<(u16, Value)> = std::thread::scope(|scope| {
            let cancel = || {
                let answer = house.call("delete", &path, Some(&ada), None);
                (answer.status, answer.json(answer.status)["state"].clone())
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(cancel)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| *answer == (200, json!("cancelled"))), "{answers:?}");
    }
}

/// Ten thousand million credits and a millionth: seventeen digits, of which a double holds some.
#[test]
fn money_that_a_double_does_not_hold_is_there_as_text() {
    let house = House::open();
    let admin = Some(house.administrator.as_str());
    let ada = house.user("ada");
    let deposit = |amount: &str| {
        let amount: Value = serde_json::from_str(amount).unwrap();
        let body = json!({"account": "user:ada", "amount": amount});
        house.call("post", "/v1/deposits", admin, Some(&body)).json(201)
    };
    assert_eq!(deposit("0.000001")["exact"], Value::Null, "a double holds it");
    for _ in 0..10 {
        deposit("1000000000");
    }
    let account = house.call("get", "/v1/account", Some(&ada), None);
    assert!(account.body.contains("\"balance\":10000001000.000001"), "{account:?}");
    let text = json!("10000001000.000001");
    let exact = account.json(200)["exact"].clone();
    assert_eq!(exact, json!({"balance": text, "available": text}));
    let statement = house.call("get", "/v1/account/statement", Some(&ada), None).json(200);
    assert_eq!(statement["lines"][0]["exact"], json!({"balance": text}));
}
