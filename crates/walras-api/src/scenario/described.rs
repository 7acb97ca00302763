//! Schemas of the values that serde cannot derive, each described where it is used.

use super::values::{Entries, LimitSpec, List, Pair, Scalar, TaskSpec, TestSpec};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Prices by user, for the schema: numbers greater than 0.
pub(super) struct Prices;

/// The schema of a value that is described where it is used.
macro_rules! inline_schema {
    ($([$($generic:ident)?] $name:ty => |$generator:ident| $schema:expr),* $(,)?) => {$(
        impl $(<$generic: JsonSchema>)? JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )*};
}

inline_schema!(
    [T] List<T> => |generator| {
        json_schema!({"type": "array", "items": generator.subschema_for::<T>()})
    },
    [T] Entries<T> => |generator| {
        json_schema!({
            "type": "object",
            "propertyNames": {"minLength": 1, "maxLength": 200},
            "additionalProperties": generator.subschema_for::<T>(),
        })
    },
    [] Prices => |_generator| {
        json_schema!({
            "type": "object",
            "propertyNames": {"minLength": 1, "maxLength": 200},
            "additionalProperties": {"type": "number", "exclusiveMinimum": 0},
        })
    },
    [] TaskSpec => |_generator| {
        json_schema!({
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": u32::MAX},
                {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 1},
            ],
            "default": 1,
        })
    },
    [] Pair => |_generator| {
        json_schema!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
    },
    [] LimitSpec => |_generator| {
        json_schema!({"anyOf": [{"type": "number", "minimum": 0}, {"enum": ["derived", "none"]}]})
    },
    [] Scalar => |_generator| json_schema!({"type": ["string", "number", "boolean"], "maxLength": 200}),
    [] TestSpec => |generator| {
        let scalar = generator.subschema_for::<Scalar>();
        let list = json_schema!({"type": "array", "items": scalar, "minItems": 1});
        json_schema!({"anyOf": [
            {"type": ["string", "number", "boolean"], "maxLength": 200, "description": "Equal to this."},
            {"type": "array", "items": scalar, "minItems": 1, "description": "Equal to one of these."},
            {
                "type": "object",
                "description": "A number within these bounds, both inclusive.",
                "properties": {"min": {"type": "number"}, "max": {"type": "number"}},
                "minProperties": 1,
                "additionalProperties": false,
            },
            {
                "type": "object",
                "description": "Equal to one of these.",
                "properties": {"in": list},
                "required": ["in"],
                "additionalProperties": false,
            },
        ]})
    },
);
