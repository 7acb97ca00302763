//! What a job's programs find around them, and what its user notes of it: nothing that the market looks at.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a variable takes beside its text, in bytes; about.
const VARIABLE: usize = 48;

/// All variables of a job have at most so many bytes, with their names.
pub const ENV_MAX: usize = 100_000;
/// A comment has at most so many bytes.
pub const COMMENT_MAX: usize = 1_000;
/// The name of a directory has at most so many bytes.
const DIRECTORY_MAX: usize = 1_000;

/// What is said of a job beside what it needs and what it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Particulars {
    /// Variables of the environment, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The name of the file for its complaints (standard error); with the rest of what it prints, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The directory in which programs begin; one of their own, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// What its user notes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Files that come with it and are in its directory when it begins: what is in them, as base64.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// Files that its user wants back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
}

impl Particulars {
    /// Whether nothing is said.
    pub fn is_plain(&self) -> bool {
        *self == Particulars::default()
    }

    /// The bytes of all variables, with their names.
    pub fn env_bytes(&self) -> usize {
        self.env.iter().map(|(name, value)| name.len() + value.len()).sum()
    }

    /// The bytes of all files that come with it; at most two more for each.
    pub fn input_bytes(&self) -> usize {
        self.inputs.values().map(|text| text.len() / 4 * 3).sum()
    }

    /// About as much as it takes to keep, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.error, &self.directory, &self.comment];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let inputs: usize = self.inputs.iter().map(|(name, text)| name.len() + text.len() + VARIABLE).sum();
        let outputs: usize = self.outputs.iter().map(|name| name.len() + VARIABLE).sum();
        texts + self.env_bytes() + self.env.len() * VARIABLE + inputs + outputs
    }

    /// The first variable whose name no program could ask for, or that is set for it anyway.
    pub fn bad_variable(&self) -> Option<&str> {
        self.env
            .iter()
            .find(|(name, value)| !is_variable(name) || value.contains('\0'))
            .map(|(name, _)| name.as_str())
    }
}

/// Whether programs could begin in a directory of this name: an absolute path.
pub fn is_directory_name(name: &str) -> bool {
    name.starts_with('/') && name.len() <= DIRECTORY_MAX && !name.chars().any(char::is_control)
}

/// Whether a variable may have this name: letters, digits and underscores, no digit first; those that begin with `WALRAS_` are set by
/// the sites.
pub fn is_variable(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let first = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    first && name.len() <= super::limits::NAME_MAX && name.bytes().all(plain) && !name.starts_with("WALRAS_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables() {
        for good in ["A", "_", "OMP_NUM_THREADS", "a1", "SLURM_NTASKS"] {
            assert!(is_variable(good), "{good}");
        }
        for bad in ["", "1A", "A-B", "A=B", "BASH_FUNC_module%%", "WALRAS_JOB", "Ä", &"A".repeat(201)] {
            assert!(!is_variable(bad), "{bad}");
        }
    }

    #[test]
    fn what_says_nothing_is_plain_and_is_not_written() {
        assert!(Particulars::default().is_plain());
        let set = Particulars { comment: Some("x".to_owned()), ..Particulars::default() };
        assert!(!set.is_plain());
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"{"comment":"x"}"#);
        assert_eq!(serde_json::from_str::<Particulars>("{}").unwrap(), Particulars::default());
    }
}
