//! How long a task takes, as a workflow of ours says it: a number in the file's unit, or a time as people write it.

use crate::error::Problem;
use crate::number::Number;
use crate::unit::Unit;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
#[cfg(feature = "schema")]
use std::borrow::Cow;
use std::fmt;

/// A length of time.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Length {
    /// In the file's unit.
    Number(Number),
    /// Such as `10h`.
    Text(String),
}

impl Length {
    /// As a number, and in which unit.
    pub(super) fn number(self, unit: Unit) -> Result<(Number, Unit), Problem> {
        let text = match self {
            Length::Number(number) => return Ok((number, unit)),
            Length::Text(text) => text,
        };
        let span = text.parse::<jiff::SignedDuration>().ok();
        let millis = span.and_then(|span| u64::try_from(span.as_millis()).ok());
        let what = "is not an amount of work: expected a number, or a time such as 10h or 2h 30m";
        let millis = millis.ok_or_else(|| Problem::new(&text, what))?;
        Ok((Number::Unsigned(millis), Unit::Milliseconds))
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Length, D::Error> {
        deserializer.deserialize_any(LengthVisitor)
    }
}

struct LengthVisitor;

impl Visitor<'_> for LengthVisitor {
    type Value = Length;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a time such as 10h")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Length, E> {
        Ok(Length::Number(Number::Unsigned(number)))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Length, E> {
        Ok(Length::Number(Number::Signed(number)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Length, E> {
        Ok(Length::Number(Number::Real(number)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Length, E> {
        Ok(Length::Text(text.to_owned()))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Length {
    fn schema_name() -> Cow<'static, str> {
        "length".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["number", "string"], "minimum": 0})
    }
}
