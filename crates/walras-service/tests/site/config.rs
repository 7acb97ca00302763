//! What a `[[site]]` table may say.

use walras_broker::site::SiteKind;
use walras_core::prefer::{Quota, Who};
use walras_model::{Performance, Value};
use walras_service::site::SiteConfig;

/// Where nothing is left to chance: parts take a tenth of their time.
pub(crate) const SIMULATED: &str = r#"{"name": "sim", "owner": "olga", "connector": "simulated", "count": 2, "price": 1,
    "simulated": {"takes_min": 0.1}}"#;

pub(crate) fn read(json: &str) -> Result<SiteConfig, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn wrong(with: &str) -> String {
    let json = SIMULATED.replacen("\"price\": 1", &format!("\"price\": 1, {with}"), 1);
    read(&json).and_then(|config| config.spec().map_err(|wrong| wrong.to_string())).unwrap_err()
}

#[test]
fn nodes_prices_and_rules_are_read_to_the_digit() {
    let config = read(
        r#"{"name": "campus", "owner": "olga", "connector": "local", "kind": "slots", "performance": 1.5, "watts": 200.5,
        "attributes": {"os": "linux"}, "price": "0.000001", "class_prices": {"fast": 0.1}, "node_prices": {"b": 3},
        "demand": {"min": 0.5, "max": 2, "step": 0.1, "low": 0.2, "high": 0.8},
        "nodes": [{"name": "a"}, {"name": "b", "performance": 2, "class": "fast", "attributes": {"gb": 64, "gpu": true}}],
        "access": [{"user": "eve", "allow": false}, {"group": "physics", "days": ["sat", "sun"], "from": 8}],
        "quotas": [{"credits": "1.5"}, {"user": "bob", "jobs": 2}]}"#,
    );
    let spec = config.unwrap().spec().unwrap();
    assert_eq!(spec.kind, SiteKind::Slots);
    assert_eq!(spec.nodes[0].performance, Performance::from_millionths(1_500_000).unwrap());
    assert_eq!(spec.nodes[1].performance, Performance::from_millionths(2_000_000).unwrap());
    assert_eq!(spec.nodes[1].watts.unwrap().as_milliwatts(), 200_500);
    assert_eq!(spec.nodes[1].attributes.len(), 3);
    assert_eq!(spec.nodes[0].attributes["os"], Value::Text("linux".to_owned()));
    assert_eq!(spec.prices.base.as_micros_per_second(), 1);
    assert_eq!(spec.prices.classes["fast"].as_micros_per_second(), 100_000);
    assert_eq!(spec.prices.demand.unwrap().high, walras_model::Share::percent(80));
    assert_eq!(spec.access.access[0].who, Who::User("eve".to_owned()));
    assert!(spec.access.access[1].hours.is_some());
    assert!(
        matches!(spec.access.quotas[0], (Who::Everybody, Quota::Spend(money)) if money.as_micros() == 1_500_000)
    );
}

#[test]
fn nodes_are_sold_in_units_of_what_they_count() {
    let with = |keys: &str| SIMULATED.replacen("\"price\": 1", &format!("\"price\": 1, {keys}"), 1);
    let config = read(&with(r#""resources": {"cores": 64, "gpus": 8}, "units": 8"#)).unwrap();
    let node = &config.spec().unwrap().nodes[0];
    assert_eq!((node.division.units(), node.division.resources()["gpus"]), (8, 8));
    assert!(matches!(node.attributes["cores"], Value::Number(number) if number.whole() == 64));
    let said = wrong(r#""resources": {"gpus": 8}, "units": 3"#);
    assert!(said.contains("units: 8 of gpus cannot be divided into 3 equal units"), "{said}");
    assert!(wrong(r#""units": 0"#).contains("not in 0"));
    assert!(wrong(r#""resources": {"gpus": 0}"#).contains("0 of gpus"));
    let said = wrong(r#""resources": {"gpus": 8}, "attributes": {"gpus": 4}"#);
    assert!(said.contains("another value"), "{said}");
    assert!(wrong(r#""kind": "queue", "units": 2"#).contains("a queue has no nodes"));
}

#[test]
fn owners_say_to_whom_they_sell_their_nodes() {
    let gpus = r#""resources": {"cores": 64, "gpus": 8}, "units": 8"#;
    let with = |keys: &str| SIMULATED.replacen("\"price\": 1", &format!("\"price\": 1, {gpus}, {keys}"), 1);
    let node = |keys: &str| read(&with(keys)).unwrap().spec().unwrap().nodes[0].division.clone();
    let kept = node(r#""least_units": 2, "only_for": {"gpus": 1}"#);
    assert_eq!((kept.least_units(), kept.only_for().unwrap()["gpus"]), (2, 1));
    assert_eq!(node(r#""only_for": {}"#).only_for(), None);
    let said = |keys: &str| read(&with(keys)).unwrap().spec().unwrap_err().to_string();
    let short = said(r#""least_units": 9"#);
    assert!(
        short.contains("least_units: no task can take at least 9 units of a node that is sold in 8"),
        "{short}"
    );
    let unknown = said(r#""only_for": {"fpgas": 1}"#);
    assert!(unknown.contains("only_for: the node is only for tasks that ask for fpgas"), "{unknown}");
    let much = said(r#""only_for": {"gpus": 9}"#);
    assert!(much.contains("9 of gpus, and it has 8"), "{much}");
    assert!(wrong(r#""kind": "queue", "only_for": {"gpus": 1}"#).contains("a queue has no nodes"));
}

#[test]
fn a_queue_has_a_count_and_no_nodes() {
    let config = read(&SIMULATED.replace("\"count\"", "\"kind\": \"queue\", \"count\"")).unwrap();
    let spec = config.spec().unwrap();
    assert!(spec.nodes.is_empty() && matches!(spec.kind, SiteKind::Queue(_)));
}

#[test]
fn what_is_wrong_is_named() {
    let site = "site 'sim': ";
    assert_eq!(wrong(r#""local": {}"#), format!("{site}local: the site's connector is another one"));
    assert_eq!(
        wrong(r#""class_prices": {"a": 0}"#),
        format!("{site}class_prices.a: 0 is not a price: it must be greater than 0")
    );
    assert_eq!(
        wrong(r#""performance": 0.0000001"#),
        format!("{site}performance: 0.0000001 has more than 6 decimals or is beyond every range")
    );
    assert_eq!(
        wrong(r#""access": [{"days": ["sunday"]}]"#),
        format!("{site}access[0]: days: 'sunday' is no day: expected mon, tue, wed, thu, fri, sat, sun")
    );
    assert_eq!(
        wrong(r#""quotas": [{"jobs": 1, "credits": 2}]"#),
        format!("{site}quotas[0]: expected one of jobs, node_seconds and credits")
    );
    assert!(wrong(r#""prise": 1"#).starts_with("unknown field `prise`"));
    assert!(wrong(r#""performance": "fast""#).contains("is not a number"));
    let slow = SIMULATED.replace("0.1", "0");
    assert!(read(&slow).unwrap().spec().unwrap_err().to_string().contains("0 < takes_min <= takes_max <= 1"));
    let tricky = SIMULATED.replace("\"sim\"", "\"../sim\"");
    assert!(
        read(&tricky).unwrap().spec().unwrap_err().to_string().contains("name: expected 1 to 64 letters")
    );
    let disguised = SIMULATED.replace("olga", "\u{43e}lga");
    let refused = read(&disguised).unwrap().spec().unwrap_err().to_string();
    assert!(refused.contains("owner: \"\u{43e}lga\" has letters of several scripts"), "{refused}");
    let none = SIMULATED.replace("\"count\": 2,", "");
    assert!(
        read(&none)
            .unwrap()
            .spec()
            .unwrap_err()
            .to_string()
            .ends_with("expected either a list of nodes or a count")
    );
}
