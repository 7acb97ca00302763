//! Strategies that the VO's rules give to workflows whose users ask for none.

use super::house::{House, job};
use super::searching::until;
use serde_json::{Value, json};

/// Two tasks of a minute, one after the other, with so many credits for them.
fn flow(name: &str, budget: i64) -> Value {
    let workflow = json!({"walras": "workflow/1", "tasks": [{"name": "a", "work": 60}, {"name": "b", "work": 60}],
        "edges": [{"from": "a", "to": "b"}]});
    json!({"walras": "job/1", "name": name, "budget": budget, "deadline": "2099-01-01T00:00:00Z", "workflow": workflow})
}

/// The dear at once, everybody else for little money.
fn rules() -> Value {
    json!([{"budget_from": 4, "strategy": "asap"}, {"strategy": "cheapest"}])
}

fn set(house: &House, rules: &Value) -> Value {
    let change = json!({"give_strategies": rules});
    house.call("patch", "/v1/policy", Some(&house.administrator), Some(&change)).json(200)
}

fn submitted(house: &House, token: &str, job: &Value) -> Value {
    let number = house.call("post", "/v1/jobs", Some(token), Some(job)).json(201)["job"].clone();
    house.call("get", &format!("/v1/jobs/{number}"), Some(token), None).json(200)
}

#[test]
fn rules_give_strategies_to_workflows_whose_users_ask_for_none() {
    let house = House::open();
    let ada = house.user("ada");
    let usual = json!({"name": "asap", "by": "nobody"});
    assert_eq!(submitted(&house, &ada, &flow("before", 5))["strategy"], usual);
    assert_eq!(set(&house, &rules())["give_strategies"], rules());
    let cheap = submitted(&house, &ada, &flow("cheap", 100));
    assert_eq!(cheap["strategy"], json!({"name": "cheapest", "by": "policy", "rule": 1}), "{cheap}");
    let dear = submitted(&house, &ada, &flow("dear", 480));
    assert_eq!(dear["strategy"], json!({"name": "asap", "by": "policy", "rule": 0}), "{dear}");
    let mut own = flow("own", 100);
    own["strategy"] = json!("balanced");
    assert_eq!(submitted(&house, &ada, &own)["strategy"], json!({"name": "balanced", "by": "user"}));
    assert_eq!(submitted(&house, &ada, &job("parallel"))["strategy"], Value::Null);
    // The same again is asked for again, by the rules of then.
    assert_eq!(set(&house, &json!([]))["give_strategies"], json!([]));
    let again = house.call("post", &format!("/v1/jobs/{}/again", cheap["job"]), Some(&ada), None).json(201);
    let again = house.call("get", &format!("/v1/jobs/{}", again["job"]), Some(&ada), None).json(200);
    assert_eq!(again["strategy"], usual, "{again}");
    let kept = house.call("get", &format!("/v1/jobs/{}", cheap["job"]), Some(&ada), None).json(200);
    assert_eq!(kept["strategy"], cheap["strategy"], "what was given stays");
}

#[test]
fn quotes_say_which_strategy_they_were_made_with() {
    let house = House::open();
    let ada = house.user("ada");
    set(&house, &rules());
    let quote = || {
        house.call("post", "/v1/cycles", Some(&house.administrator), None);
        house.call("post", "/v1/quotes", Some(&ada), Some(&flow("quoted", 300))).json(201)
    };
    let quote = until(quote, |quote| quote["options"].as_array().is_some_and(|options| !options.is_empty()));
    let given = json!({"name": "cheapest", "by": "policy", "rule": 1});
    assert_eq!(quote["strategy"], given, "{quote}");
    let path = format!("/v1/quotes/{}/accept", quote["quote"]);
    let taken = house.call("post", &path, Some(&ada), Some(&json!({"option": 0}))).json(201);
    let view = house.call("get", &format!("/v1/jobs/{}", taken["job"]), Some(&ada), None).json(200);
    assert_eq!(view["strategy"], given, "{view}");
}

#[test]
fn rules_that_are_none_are_refused_with_place_field_and_value() {
    let house = House::open();
    let before = set(&house, &rules());
    let cases = [
        (json!([{"strategy": "best"}]), "give_strategies[0].strategy: best is not a strategy"),
        (
            json!([{"strategy": "asap", "hours": [25, 8]}]),
            "give_strategies[0].hours[0]: 25 is not an hour of the day",
        ),
        (json!([{"strategy": "asap", "hours": [8, 8]}]), "give_strategies[0].hours: 8 is where they begin"),
        (json!([{"strategy": "asap", "days": ["monday"]}]), "give_strategies[0].days[0]"),
        (
            json!([{"strategy": "asap", "budget_from": 3, "budget_below": 2}]),
            "give_strategies[0].budget_below: 2 is no more",
        ),
        (
            json!([{"strategy": "asap"}, {"strategy": "alap"}]),
            "give_strategies[1].strategy: alap is never given",
        ),
        (json!([{"hours": [1, 2]}]), "strategy"),
    ];
    for (rules, expected) in cases {
        let change = json!({"give_strategies": rules});
        let answer = house.call("patch", "/v1/policy", Some(&house.administrator), Some(&change));
        let refused = answer.status == 422 || answer.status == 400;
        assert!(refused && answer.body.contains(expected), "{rules}: {answer:?}");
    }
    let after = house.call("get", "/v1/policy", Some(&house.administrator), None).json(200);
    assert_eq!(after, before);
}
