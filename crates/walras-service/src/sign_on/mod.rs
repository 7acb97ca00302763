//! Signing in at a provider of the VO's own, by OpenID Connect.
//!
//! A browser is sent to the provider with a request that only it can bring back: what it keeps in a cookie, the answer's `state`, the
//! `nonce` inside the signed answer and the proof key of the code belong together, for ten minutes and once. What comes back is a code,
//! which the service itself exchanges for a signed statement of who that is. Everything after that is as with any other token.
//!
//! The protocol is [`openidconnect`](https://docs.rs/openidconnect)'s, behind the feature `oidc`: a program without it refuses such a
//! configuration.

#[cfg(feature = "oidc")]
mod provider;
#[cfg(feature = "oidc")]
mod statement;

use crate::config::ConfigError;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walras_api::service::Role;

/// Where providers send browsers back to, below the service's address.
pub const BACK: &str = "/sign-in/back";

/// `[oidc]`: where people sign in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    /// What people call it.
    pub name: String,
    /// Its address, as it names itself.
    pub issuer: String,
    /// As whom the service is known there.
    pub client_id: String,
    /// A file with the secret that goes with it; none for a public client.
    pub client_secret_file: Option<PathBuf>,
    /// Where browsers reach this service.
    pub address: String,
    /// What of a person's statement is their name here.
    #[serde(default)]
    pub claim: Claim,
    /// Whether people whom the VO does not know join as users.
    #[serde(default)]
    pub create: bool,
    /// The names of those who administer the VO.
    #[serde(default)]
    pub administrators: Vec<String>,
    /// The names of those who own sites.
    #[serde(default)]
    pub owners: Vec<String>,
    /// What of a person's statement says which groups they are in.
    #[serde(default = "groups_claim")]
    pub groups: String,
    /// Whoever is in one of these groups administers the VO.
    #[serde(default)]
    pub administrator_groups: Vec<String>,
    /// Whoever is in one of these owns sites.
    #[serde(default)]
    pub owner_groups: Vec<String>,
}

fn groups_claim() -> String {
    "groups".to_owned()
}

/// Who has come back from a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// The groups that they are in there.
    pub groups: Vec<String>,
}

/// What of a person's statement is their name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// What the provider never gives to anybody else.
    #[default]
    Sub,
    /// The name by which they sign in there.
    PreferredUsername,
    /// Their address, where the provider has verified it.
    Email,
}

impl OidcConfig {
    /// As what somebody comes: what gives more goes first, and names and groups count alike.
    pub fn role_of(&self, person: &Person) -> Role {
        let is_among = |names: &[String], groups: &[String]| {
            names.contains(&person.name) || person.groups.iter().any(|group| groups.contains(group))
        };
        if is_among(&self.administrators, &self.administrator_groups) {
            Role::Administrator
        } else if is_among(&self.owners, &self.owner_groups) {
            Role::Owner
        } else {
            Role::User
        }
    }

    /// The address that providers send browsers back to.
    pub fn back(&self) -> String {
        format!("{}{BACK}", self.address.trim_end_matches('/'))
    }

    pub(crate) fn beside(&mut self, directory: &Path) {
        self.client_secret_file = self.client_secret_file.as_ref().map(|file| directory.join(file));
    }

    /// What is wrong with it, as far as that can be known without asking anybody.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (key, address) in [("issuer", &self.issuer), ("address", &self.address)] {
            let host =
                address.strip_prefix("http://").map(|rest| rest.split(['/', ':']).next().unwrap_or(rest));
            let near = host.is_some_and(|host| host == "localhost" || host == "127.0.0.1");
            if !address.starts_with("https://") && !near {
                return Err(format!(
                    "oidc.{key}: '{address}' is not an address that can be trusted: expected https://…, or http:// on this machine"
                ));
            }
        }
        match &self.client_secret_file {
            Some(file) => std::fs::metadata(file)
                .map(|_| ())
                .map_err(|error| format!("oidc.client_secret_file: {}: {error}", file.display())),
            None => Ok(()),
        }
    }
}

/// A browser that is sent to the provider.
pub struct Begun {
    /// The provider's address that the browser goes to, with all that goes along.
    pub to: String,
    /// What it brings back in a cookie.
    pub browser: String,
}

/// What a browser brings back.
pub struct Back {
    /// Its cookie.
    pub browser: String,
    /// What it was sent with.
    pub state: String,
    /// What the provider gave it.
    pub code: String,
}

/// Why nobody is signed in.
#[derive(Debug, thiserror::Error)]
pub enum NotSigned {
    /// The provider does not answer, or not as one.
    #[error("{0} cannot be asked: {1}")]
    Unreachable(String, String),
    /// It is not the browser that was sent, or it comes too late or twice.
    #[error("this browser was not sent there, or too long ago: try again")]
    Unexpected,
    /// What it brings is not what the provider would have signed.
    #[error("what came back from {0} is not valid: {1}")]
    Invalid(String, String),
    /// The provider does not say what people are called here.
    #[error("{0} does not say the {1} of who signs in")]
    Nameless(String, &'static str),
}

/// Where people sign in. It may wait for the network.
pub trait SignOn: Send + Sync {
    /// Sends a browser there; times are the wall's, in milliseconds.
    fn begin(&self, now: i64) -> Result<Begun, NotSigned>;
    /// Whoever has come back.
    fn finish(&self, back: &Back, now: i64) -> Result<Person, NotSigned>;
}

/// The provider that a configuration names.
#[cfg(feature = "oidc")]
pub fn open(config: &OidcConfig) -> Result<Arc<dyn SignOn>, ConfigError> {
    provider::Provider::open(config).map(|it| Arc::new(it) as Arc<dyn SignOn>).map_err(ConfigError)
}

/// The provider that a configuration names: this program knows of none.
#[cfg(not(feature = "oidc"))]
pub fn open(_: &OidcConfig) -> Result<Arc<dyn SignOn>, ConfigError> {
    let why =
        "oidc: this program is built without signing in by OpenID Connect: expected one of `make build`";
    Err(ConfigError(why.to_owned()))
}
