//! What people change that is in no entry of the journal: tokens.

use super::JournalError;
use serde::{Deserialize, Serialize};
use walras_api::service::TokenView;

/// What somebody has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Made a token.
    TokenMade(TokenView),
    /// Revoked a token.
    TokenRevoked(TokenView),
}

impl Act {
    /// As it is written.
    pub fn encode(&self) -> Result<String, JournalError> {
        serde_json::to_string(self).map_err(|error| JournalError::Unwritable(error.to_string()))
    }

    /// As it was written.
    pub fn decode(text: &str) -> Result<Act, JournalError> {
        serde_json::from_str(text).map_err(|error| JournalError::Unreadable(format!("an act: {error}")))
    }
}
