//! The shape of what a request or an answer carries: its type, where the API is described (the feature `schema`).

use crate::described::JsonSchema;

/// A shape.
#[derive(Clone, Copy)]
pub struct Shape {
    #[cfg(feature = "schema")]
    describe: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

impl Shape {
    /// That of a type.
    #[cfg_attr(
        not(feature = "schema"),
        expect(clippy::extra_unused_type_parameters, reason = "described with the feature")
    )]
    pub fn of<T: JsonSchema>() -> Shape {
        Shape {
            #[cfg(feature = "schema")]
            describe: |generator| generator.subschema_for::<T>(),
        }
    }

    /// Its schema.
    #[cfg(feature = "schema")]
    pub fn schema(self, generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        (self.describe)(generator)
    }
}
