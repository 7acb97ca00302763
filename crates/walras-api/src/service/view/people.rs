//! Users, and what tokens allow.

use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserView {
    /// Their name.
    pub name: String,
    /// For budgets and rules of access.
    pub group: Option<String>,
    /// What they may use, against the others.
    pub share: u32,
    /// How low their balance may go, in credits.
    pub lowest: Num,
}

/// The users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsersView {
    /// By name.
    pub users: Vec<UserView>,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Submits jobs and pays.
    User,
    /// Sets prices and earns.
    Owner,
    /// Sets the rules.
    Administrator,
}

impl Role {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Owner => "owner",
            Role::Administrator => "administrator",
        }
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenView {
    /// Its number.
    pub token: u64,
    /// What it allows.
    pub role: Role,
    /// Whose it is: the name of a user or of an owner.
    pub name: String,
    /// When it was made.
    pub made_at: Stamp,
    /// When it expires, if ever.
    pub expires_at: Option<Stamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Stamp>,
}

/// The tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokensView {
    /// Oldest first.
    pub tokens: Vec<TokenView>,
}

/// A new token. Its secret is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenMade {
    /// What it allows.
    pub token: TokenView,
    /// What to send with every request: `Authorization: Bearer SECRET`.
    pub secret: String,
}

/// Who is asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeView {
    /// What they may do.
    pub role: Role,
    /// Their name.
    pub name: String,
}
