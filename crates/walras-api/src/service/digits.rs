//! Amounts of a file that is sent on as JSON, with all their digits.
//!
//! A file becomes a [`Value`] on its way to the service, and a [`Value`] keeps a number with a point as a double. Where that may be
//! another amount than was written, what was written goes on as text, which the service takes wherever it takes money.

use crate::amount::of_double;
use crate::decode::Document;
use crate::error::Step;
use crate::locate::locate;
use serde_json::{Map, Value};

/// The keys whose values are money or prices.
const MONEY: [&str; 6] = ["budget", "price_max", "delay_cost", "base", "amount", "lowest"];
/// The keys of maps from names to prices.
const PRICES: [&str; 3] = ["classes", "nodes", "users"];

/// Puts the text of amounts that no double holds in the place of the doubles.
pub(super) fn keep_digits(fields: &mut Map<String, Value>, document: &Document<'_>) {
    keep(fields, &mut Vec::new(), document);
}

fn keep(fields: &mut Map<String, Value>, path: &mut Vec<Step>, document: &Document<'_>) {
    let priced = matches!(path.last(), Some(Step::Key(key)) if PRICES.contains(&key.as_str()));
    for (key, value) in fields {
        path.push(Step::Key(key.clone()));
        match value {
            Value::Object(inner) => keep(inner, path, document),
            Value::Number(number) if priced || MONEY.contains(&key.as_str()) => {
                let lost = number.is_f64() && number.as_f64().is_some_and(|it| of_double(it).is_err());
                let found = if lost { locate(document.text, document.syntax, path) } else { None };
                if let Some(found) = found {
                    *value = Value::String(found.text);
                }
            }
            Value::Number(_) | Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => {}
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Syntax;
    use crate::service::read_object;
    use serde_json::json;

    #[test]
    fn what_no_double_holds_goes_on_as_text_and_everything_else_as_it_is() {
        let yaml = "budget: 9007199254.740993\nwork: 9007199254.740993\nnodes: {a: 9007199254.740993, b: 0.5}\n\
                    users: {ann: {lowest: -9007199254.740993}}\namount: 12.5\n";
        let read = read_object(yaml.as_bytes(), "it.yaml", Syntax::Yaml).unwrap();
        let text = "9007199254.740993";
        assert_eq!(read["budget"], text);
        assert_eq!(read["nodes"], json!({"a": text, "b": 0.5}));
        assert_eq!(read["users"]["ann"]["lowest"], "-9007199254.740993");
        assert!(read["work"].is_number() && read["amount"] == 12.5);
        let json = r#"{"budget": 9007199254.740993}"#;
        assert_eq!(read_object(json.as_bytes(), "it.json", Syntax::Json).unwrap()["budget"], text);
    }
}
