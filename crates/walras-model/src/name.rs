//! Names that people choose from a list, such as searches, criteria and strategies, and what they are told when there is
//! none of that name.
//!
//! ```
//! use walras_model::UnknownName;
//! let error = UnknownName::new("search", "first", "alp or amp");
//! assert_eq!(error.to_string(), "unknown search 'first': expected alp or amp");
//! ```

/// There is nothing of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} '{name}': expected {expected}")]
pub struct UnknownName {
    /// What was looked for, such as `criterion`.
    pub kind: &'static str,
    /// The name as it was given.
    pub name: String,
    /// The names that there are.
    pub expected: String,
}

impl UnknownName {
    /// There is no `kind` of this name, only what is `expected`.
    pub fn new(kind: &'static str, name: impl Into<String>, expected: impl Into<String>) -> UnknownName {
        UnknownName { kind, name: name.into(), expected: expected.into() }
    }
}
