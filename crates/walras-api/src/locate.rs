//! Where in a file a value stands, found by its path.
//!
//! Wire types carry no positions: that would cost every file what only refused ones need. When a value is
//! refused, [`locate`] reads the document once more, follows the path, and stops at its end.

use crate::decode::{yaml_options, yaml_position};
use crate::error::{Position, Step};
use crate::input::Syntax;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use serde_saphyr::{DuplicateKeyPolicy, Spanned};
use std::fmt;

/// A value in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) position: Position,
    /// Its text when it is a scalar.
    pub(crate) text: String,
}

/// The value at `path`, if the document can be followed that far.
pub(crate) fn locate(text: &str, syntax: Syntax, path: &[Step]) -> Option<Found> {
    match syntax {
        Syntax::Yaml => locate_yaml(text, path),
        Syntax::Json => locate_json(text, path),
    }
}

/// The steps of a path such as `requires.memory_gb` or `sites[0]`.
pub(crate) fn path_steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, rest) = part.split_once('[').unwrap_or((part, ""));
        if !key.is_empty() {
            steps.push(Step::Key(key.to_owned()));
        }
        let indexes = rest.split(['[', ']']).filter_map(|index| index.parse().ok());
        steps.extend(indexes.map(Step::Index));
    }
    steps
}

fn locate_yaml(text: &str, path: &[Step]) -> Option<Found> {
    let mut options = yaml_options();
    options.duplicate_keys = DuplicateKeyPolicy::FirstWins;
    let mut found: Option<Spanned<Shown>> = None;
    // What lies after the value may be broken, so only the value counts and not how reading ended.
    let _ = serde_saphyr::with_deserializer_from_str_with_options(text, options, |deserializer| {
        Follow { path, found: &mut found }.deserialize(deserializer)
    });
    let found = found?;
    Some(Found { position: yaml_position(found.referenced)?, text: found.value.0 })
}

fn locate_json(text: &str, path: &[Step]) -> Option<Found> {
    let mut found: Option<&RawValue> = None;
    let _ = Follow { path, found: &mut found }.deserialize(&mut serde_json::Deserializer::from_str(text));
    let raw = found?.get();
    // The raw value is a part of the text, so the distance between their addresses is its offset.
    let offset = (raw.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let shown = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
    Some(Found { position: position_of_offset(text, offset), text: shown })
}

/// The line and column of a byte in a text.
pub(crate) fn position_of_offset(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}

/// Goes down `path` and leaves what it finds at its end in `found`.
struct Follow<'a, T> {
    path: &'a [Step],
    found: &'a mut Option<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Follow<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.path.is_empty() {
            *self.found = Some(T::deserialize(deserializer)?);
            return Ok(());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Follow<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match self.path {
                [Step::Key(wanted), rest @ ..] if *wanted == key => {
                    return map.next_value_seed(Follow { path: rest, found: self.found });
                }
                _ => map.next_value::<IgnoredAny>()?,
            };
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let [Step::Index(wanted), rest @ ..] = self.path else { return Ok(()) };
        for _ in 0..*wanted {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        list.next_element_seed(Follow { path: rest, found: self.found }).map(|_| ())
    }
}

/// Any YAML value as errors show it: scalars as their text.
struct Shown(String);

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shown, D::Error> {
        deserializer.deserialize_any(ShownVisitor)
    }
}

struct ShownVisitor;

impl<'de> Visitor<'de> for ShownVisitor {
    type Value = Shown;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Shown, E> {
        Ok(Shown(text.to_owned()))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Shown, E> {
        Ok(Shown(flag.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Shown, E> {
        Ok(Shown(number.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Shown, E> {
        Ok(Shown(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Shown, E> {
        Ok(Shown(number.to_string()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Shown, E> {
        Ok(Shown("null".to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shown, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shown("a list".to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shown, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shown("a map".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &[&str]) -> Vec<Step> {
        let step = |text: &&str| match text.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key((*text).to_owned()),
        };
        steps.iter().map(step).collect()
    }

    #[test]
    fn values_are_found_in_both_syntaxes() {
        let yaml = "a: 1\nb:\n  - {c: x}\n  - {c: \u{e9}, d: y}\n";
        let found = locate(yaml, Syntax::Yaml, &path(&["b", "1", "d"])).unwrap();
        assert_eq!(found, Found { position: Position { line: 4, column: 15 }, text: "y".into() });
        let json = "{\"a\": 1,\n \"b\": [{}, {\"c\": \"\u{e9}\", \"d\": \"y\"}], broken";
        let found = locate(json, Syntax::Json, &path(&["b", "1", "d"])).unwrap();
        assert_eq!(found, Found { position: Position { line: 2, column: 28 }, text: "y".into() });
        assert_eq!(locate(yaml, Syntax::Yaml, &path(&["b", "7"])), None);
        assert_eq!(locate(json, Syntax::Json, &path(&["a", "x"])), None);
    }
}
