//! Names that people choose from a list, such as searches, criteria and strategies, and what they are told when there is
//! none of that name.
//!
//! ```
//! use walras_model::UnknownName;
//! let error = UnknownName::new("a search", "first", "alp or amp");
//! assert_eq!(error.to_string(), "'first' is not a search: expected alp or amp");
//! ```

/// There is nothing of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is not {kind}: expected {expected}")]
pub struct UnknownName {
    /// What was looked for, such as `a criterion`.
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
