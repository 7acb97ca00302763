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

/// What new terms have changed, or would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedView {
    /// One after the other.
    pub changes: Vec<AppliedChange>,
    /// Whether it was done.
    pub done: bool,
}

/// One thing that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedChange {
    /// Whose: `user:NAME`, `group:NAME`, `vo`.
    pub of: String,
    /// What: `group`, `share`, `lowest` or `budget`.
    pub field: String,
    /// What it was; none where there was none.
    pub before: Option<String>,
    /// What it is now; none where there is none any more.
    pub after: Option<String>,
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

/// In which role something was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriterRole {
    /// A user.
    User,
    /// An owner.
    Owner,
    /// An administrator.
    Administrator,
    /// The file that the service was started with.
    Configuration,
    /// The provider that people sign on with.
    Provider,
}

impl WriterRole {
    /// All there are.
    pub const ALL: [WriterRole; 5] = [
        WriterRole::User,
        WriterRole::Owner,
        WriterRole::Administrator,
        WriterRole::Configuration,
        WriterRole::Provider,
    ];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            WriterRole::User => Role::User.text(),
            WriterRole::Owner => Role::Owner.text(),
            WriterRole::Administrator => Role::Administrator.text(),
            WriterRole::Configuration => "configuration",
            WriterRole::Provider => "provider",
        }
    }
}

impl From<Role> for WriterRole {
    fn from(role: Role) -> WriterRole {
        match role {
            Role::User => WriterRole::User,
            Role::Owner => WriterRole::Owner,
            Role::Administrator => WriterRole::Administrator,
        }
    }
}

/// What a token is narrowed down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// It reads what its role may read, and changes nothing.
    ReadOnly,
    /// It submits jobs, asks for quotes and accepts them, and does nothing else.
    SubmitOnly,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 2] = [Scope::ReadOnly, Scope::SubmitOnly];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Scope::ReadOnly => "read-only",
            Scope::SubmitOnly => "submit-only",
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
    /// What it is narrowed down to, if to anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The one site that it is for, if for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
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

/// Who has changed what, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogView {
    /// What was changed.
    pub lines: Vec<LogLine>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// That somebody has changed something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// Its number.
    pub line: u64,
    /// When it was changed.
    pub at: Stamp,
    /// The role of whoever did it.
    pub role: WriterRole,
    /// Their name, or that of the file.
    pub name: String,
    /// The number of their token.
    pub token: Option<u64>,
    /// The entry of the journal that has all of it; tokens are in none.
    pub entry: Option<u64>,
    /// What they did, in words.
    pub text: String,
}
