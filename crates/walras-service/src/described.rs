//! What `#[derive(JsonSchema)]` stands for in this crate: `schemars` with its feature `schema`, nothing without, whatever
//! `walras-api` was built with.

#[cfg(feature = "schema")]
pub use schemars::JsonSchema;
#[cfg(not(feature = "schema"))]
pub use walras_no_schema::JsonSchema;

/// A type that would be described: every one.
#[cfg(not(feature = "schema"))]
pub trait JsonSchema {}

#[cfg(not(feature = "schema"))]
impl<T: ?Sized> JsonSchema for T {}
