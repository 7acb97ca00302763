//! What `#[derive(JsonSchema)]` stands for in this crate: `schemars` with its feature `schema`, nothing without.

#[cfg(feature = "schema")]
pub(crate) use schemars::JsonSchema;
#[cfg(not(feature = "schema"))]
pub(crate) use walras_no_schema::JsonSchema;
