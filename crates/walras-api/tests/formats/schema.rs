//! The published schema against the files that are read.

use crate::{CAPACITY, EXAMPLE, EXAMPLE_JSON, read_yaml};
use serde_json::Value;
use walras_api::scenario_schema;

/// The words of JSON Schema that `scenario_schema` uses; anything else would need a test of its own.
const KNOWN: [&str; 24] = [
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "default",
    "const",
    "enum",
    "oneOf",
    "anyOf",
    "not",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "propertyNames",
];

/// Whether `value` is valid under `schema`: just as much of JSON Schema as the scenario's schema uses.
fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(words) = schema else { return schema.as_bool().unwrap_or(true) };
    words.iter().all(|(word, rule)| holds(root, word, rule, schema, value))
}

fn holds(root: &Value, word: &str, rule: &Value, schema: &Value, value: &Value) -> bool {
    let each = |rule: &Value, value: &Value| valid(root, rule, value);
    let any_type = |name: &Value| has_type(name.as_str().unwrap(), value);
    let number = value.as_f64();
    let length = value.as_str().map(|text| text.chars().count());
    let items = value.as_array();
    let keys = value.as_object();
    match word {
        "$ref" => each(root.pointer(&rule.as_str().unwrap()[1..]).unwrap(), value),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "oneOf" => rule.as_array().unwrap().iter().filter(|rule| each(rule, value)).count() == 1,
        "anyOf" => rule.as_array().unwrap().iter().any(|rule| each(rule, value)),
        "not" => !each(rule, value),
        "type" => rule.as_array().map_or_else(|| any_type(rule), |names| names.iter().any(any_type)),
        "properties" => keys.is_none_or(|keys| {
            rule.as_object()
                .unwrap()
                .iter()
                .all(|(key, rule)| keys.get(key).is_none_or(|value| each(rule, value)))
        }),
        "required" => keys.is_none_or(|keys| {
            rule.as_array().unwrap().iter().all(|key| keys.contains_key(key.as_str().unwrap()))
        }),
        "additionalProperties" => keys.is_none_or(|keys| {
            let known = |key: &String| schema["properties"].get(key).is_some();
            keys.iter().filter(|(key, _)| !known(key)).all(|(_, value)| each(rule, value))
        }),
        "propertyNames" => {
            keys.is_none_or(|keys| keys.keys().all(|key| each(rule, &Value::String(key.clone()))))
        }
        "minProperties" => keys.is_none_or(|keys| keys.len() as u64 >= rule.as_u64().unwrap()),
        "items" => items.is_none_or(|items| items.iter().all(|item| each(rule, item))),
        "minItems" => items.is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => items.is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "minLength" => length.is_none_or(|length| length as u64 >= rule.as_u64().unwrap()),
        "maxLength" => length.is_none_or(|length| length as u64 <= rule.as_u64().unwrap()),
        "minimum" => number.is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => number.is_none_or(|number| number <= rule.as_f64().unwrap()),
        "exclusiveMinimum" => number.is_none_or(|number| number > rule.as_f64().unwrap()),
        _ => {
            assert!(KNOWN.contains(&word), "this test does not know {word}");
            true
        }
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("this test does not know the type {name}"),
    }
}

fn accepts(value: &Value) -> bool {
    let schema = scenario_schema();
    valid(&schema, &schema, value)
}

fn example() -> Value {
    serde_saphyr::from_str(EXAMPLE).unwrap()
}

#[test]
fn the_examples_are_valid() {
    assert!(accepts(&example()));
    assert!(accepts(&serde_json::from_str(EXAMPLE_JSON).unwrap()));
    assert!(accepts(&serde_saphyr::from_str(CAPACITY).unwrap()));
    assert!(accepts(&with_policy()));
}

/// The example with a policy that has every key.
fn with_policy() -> Value {
    let mut example = example();
    example["policy"] = serde_json::json!({
        "objective": "weighted",
        "weights": {"cost": 1, "time": 0.5},
        "limits": {"time": "derived", "budget": 900},
        "leave_out": "when-needed",
        "budget_factor": 0.9,
    });
    example
}

/// Whatever the schema refuses here, the reader refuses as well.
#[test]
fn the_schema_and_the_reader_refuse_alike() {
    let changes: [(&str, Value); 16] = [
        ("/walras", "scenario/2".into()),
        ("/horizon", serde_json::json!([0])),
        ("/unit", "min".into()),
        ("/sites", serde_json::json!([])),
        ("/sites/0/nodes", serde_json::json!([])),
        ("/sites/0/nodes/0/name", "".into()),
        ("/sites/0/nodes/0/price", 0.into()),
        ("/sites/0/nodes/0/performance", serde_json::json!(-1.5)),
        ("/sites/0/nodes/0/free", serde_json::json!([[0, 10]])),
        ("/sites/0/nodes/0/extra", true.into()),
        ("/sites/0/nodes/1/watts", (-1).into()),
        ("/sites/0/nodes/1/attributes/os", serde_json::json!(["linux"])),
        ("/jobs/0/tasks", serde_json::json!(1.5)),
        ("/jobs/0/work", Value::Null),
        ("/jobs/1/requires/os", serde_json::json!({"in": []})),
        ("/jobs/1/sites", serde_json::json!([])),
    ];
    refuse_alike(&example(), changes);
}

#[track_caller]
fn refuse_alike<const N: usize>(valid: &Value, changes: [(&str, Value); N]) {
    assert!(accepts(valid));
    read_yaml(&valid.to_string()).unwrap();
    for (path, value) in changes {
        let mut changed = valid.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        let parent = changed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            // A key that is to be left out.
            Value::String(text) if text == "-" => drop(parent.remove(key)),
            value => drop(parent.insert(key.to_owned(), value)),
        }
        assert!(!accepts(&changed), "the schema accepts {path}");
        assert!(read_yaml(&changed.to_string()).is_err(), "the reader accepts {path}");
    }
}

#[test]
fn the_schema_and_the_reader_refuse_the_same_policies() {
    let changes: [(&str, Value); 12] = [
        ("/policy", serde_json::json!([])),
        ("/policy/objective", "min-regret".into()),
        ("/policy/weights/cost", (-1).into()),
        ("/policy/weights/time", 1_000_001.into()),
        ("/policy/weights/beauty", 1.into()),
        ("/policy/order", serde_json::json!([])),
        ("/policy/order", serde_json::json!(["cost", "beauty"])),
        ("/policy/limits/time", "soon".into()),
        ("/policy/limits/budget", (-1).into()),
        ("/policy/limits/extra", 1.into()),
        ("/policy/leave_out", "always".into()),
        ("/policy/budget_factor", serde_json::json!(1.5)),
    ];
    refuse_alike(&with_policy(), changes);
}

#[test]
fn the_schema_and_the_reader_refuse_the_same_capacity() {
    let capacity: Value = serde_saphyr::from_str(CAPACITY).unwrap();
    let node = serde_json::json!([{"name": "n", "price": 1}]);
    let changes: [(&str, Value); 20] = [
        ("/sites/1/capacity", "-".into()),
        ("/sites/1/capacity", 4.into()),
        ("/sites/1/nodes", node),
        ("/sites/1/capacity/processors", "-".into()),
        ("/sites/1/capacity/processors", 0.into()),
        ("/sites/1/capacity/processors", serde_json::json!(1.5)),
        ("/sites/1/capacity/processors", 1_000_001.into()),
        ("/sites/1/capacity/mips", "-".into()),
        ("/sites/1/capacity/mips", 0.into()),
        ("/sites/1/capacity/performance", 2.into()),
        ("/sites/1/capacity/price", "-".into()),
        ("/sites/1/capacity/price", 0.into()),
        ("/sites/1/capacity/prices/bob", 0.into()),
        ("/sites/1/capacity/prices", serde_json::json!([3])),
        ("/jobs/0/tasks", serde_json::json!([])),
        ("/jobs/0/tasks", serde_json::json!([5, 0])),
        ("/jobs/0/work", 5.into()),
        ("/jobs/0/kind", "whole".into()),
        ("/jobs/1/work", "-".into()),
        ("/jobs/1/kind", "split".into()),
    ];
    refuse_alike(&capacity, changes);
}

#[test]
fn every_key_is_described() {
    let schema = scenario_schema();
    let definitions = schema["$defs"].as_object().unwrap();
    for (name, object) in definitions.iter().chain([(&"scenario".to_owned(), &schema)]) {
        let Some(properties) = object["properties"].as_object() else { continue };
        assert_eq!(object["additionalProperties"], false, "{name}");
        for (key, property) in properties {
            assert!(property["description"].is_string(), "{name}.{key} has no description");
        }
    }
    assert_eq!(schema["required"], serde_json::json!(["walras", "horizon", "sites", "jobs"]));
    assert_eq!(schema["$defs"]["node"]["required"], serde_json::json!(["name", "price"]));
    assert_eq!(schema["$defs"]["job"]["required"], serde_json::json!(["name"]));
}

/// `UPDATE_SCHEMAS=1 cargo test -p walras-api --test formats committed` writes the files anew.
#[test]
fn the_committed_schemas_are_what_the_types_say() {
    for (name, committed) in walras_api::SCHEMAS {
        let path = format!("{}/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let generated = walras_api::generated_schema(name).unwrap();
        let text = serde_json::to_string_pretty(&generated).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
            continue;
        }
        assert!(committed == text, "{path} is not what the types say: run this test with UPDATE_SCHEMAS=1");
    }
}
