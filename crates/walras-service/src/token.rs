//! Tokens: who may do what.
//!
//! A secret has 256 bits from the operating system and is shown once. Only its SHA-256 is kept: with that much chance in
//! it, nothing slower is needed. Tokens lie in a file of their own and in memory, where they are looked up.

use crate::columns::{number, time, time_if_any};
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::{Mutex, RwLock};
use std::time::Duration;
use walras_api::service::{Role, Scope, TokenView};
use walras_model::Time;

const SECRET_BYTES: usize = 32;
/// A code is good once and for minutes: fewer bytes than a secret's will do, and links stay short.
const CODE_BYTES: usize = 16;
/// What every secret begins with, so that one is recognised where it should not be.
const PREFIX: &str = "walras_";

/// Who is asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The number of their token.
    pub token: u64,
    /// What they may do.
    pub role: Role,
    /// The name of a user, of an owner, or whatever an administrator is called.
    pub name: String,
    /// What their token is narrowed down to.
    pub scope: Option<Scope>,
    /// The one site that it is for.
    pub site: Option<String>,
    /// From when on their token is good no more.
    pub expires_at: Option<Time>,
}

impl Caller {
    /// Whoever asks, the same with every token that they have: what one may take does not grow with the number of tokens.
    pub fn whose(&self) -> Whose {
        Whose(format!("{} {}", self.role.text(), self.name))
    }
}

/// Whose something is, whatever token they came with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Whose(String);

impl Whose {
    /// Of somebody who has no token.
    pub const STRANGER: Whose = Whose(String::new());
}

/// What a token is to be.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// What it allows.
    pub role: Role,
    /// Whose it is.
    pub name: &'a str,
    /// What it is narrowed down to.
    pub scope: Option<Scope>,
    /// The one site that it is for.
    pub site: Option<&'a str>,
    /// From when on it is good no more.
    pub expires_at: Option<Time>,
}

impl<'a> Wanted<'a> {
    /// All that a role may do, for ever.
    pub fn plain(role: Role, name: &'a str) -> Wanted<'a> {
        Wanted { role, name, scope: None, site: None, expires_at: None }
    }
}

/// All tokens.
pub struct Tokens {
    file: Mutex<Connection>,
    known: RwLock<HashMap<[u8; 32], TokenView>>,
}

pub(crate) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

pub(crate) fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("the tokens cannot be kept: {error}"))
}

/// The role that is written so. One that is not known must not become another.
fn role_of(text: &str) -> Result<Role, rusqlite::Error> {
    match text {
        "administrator" => Ok(Role::Administrator),
        "owner" => Ok(Role::Owner),
        "user" => Ok(Role::User),
        _ => Err(rusqlite::Error::InvalidColumnName(format!("role {text}"))),
    }
}

/// The scope that is written so. One that is not known must not become none.
fn scope_of(text: &str) -> Result<Scope, rusqlite::Error> {
    let known = Scope::ALL.into_iter().find(|scope| scope.text() == text);
    known.ok_or_else(|| rusqlite::Error::InvalidColumnName(format!("scope {text}")))
}

/// A new secret.
pub(crate) fn secret() -> io::Result<String> {
    Ok(format!("{PREFIX}{}", random::<SECRET_BYTES>()?))
}

/// A new code.
pub(crate) fn code() -> io::Result<String> {
    random::<CODE_BYTES>()
}

/// So many bytes from the operating system, as text.
fn random<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(failed)?;
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

impl Tokens {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> io::Result<Tokens> {
        let file = Connection::open(path).map_err(failed)?;
        file.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
        file.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        file.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        file.execute_batch(
            "CREATE TABLE IF NOT EXISTS token (
                number INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, role TEXT NOT NULL,
                name TEXT NOT NULL, made_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER)",
        )
        .map_err(failed)?;
        for column in ["scope", "site"] {
            let text = "SELECT count(*) FROM pragma_table_info('token') WHERE name = ?1";
            let there: i64 = file.query_row(text, [column], |row| row.get(0)).map_err(failed)?;
            if there == 0 {
                file.execute(&format!("ALTER TABLE token ADD COLUMN {column} TEXT"), []).map_err(failed)?;
            }
        }
        let known = read(&file).map_err(failed)?;
        Ok(Tokens { file: Mutex::new(file), known: RwLock::new(known) })
    }

    /// Whose token it is, unless it is none, or has expired or was revoked.
    pub fn caller(&self, secret: &str, now: Time) -> Option<Caller> {
        let known = self.known.read().ok()?;
        known.get(&hash(secret)).filter(|token| is_good(token, now)).map(caller)
    }

    /// Whose token has that number, unless it has expired or was revoked.
    pub fn caller_of(&self, number: u64, now: Time) -> Option<Caller> {
        let known = self.known.read().ok()?;
        known.values().find(|token| token.token == number).filter(|token| is_good(token, now)).map(caller)
    }

    /// Whether a token of that number is still good.
    pub fn is_valid(&self, number: u64, now: Time) -> bool {
        self.caller_of(number, now).is_some()
    }

    /// Makes a token; gives it with its secret.
    pub fn make(&self, wanted: &Wanted<'_>, now: Time) -> io::Result<(TokenView, String)> {
        self.make_kept(wanted, now, |_| Ok(()))
    }

    /// The same, with its secret kept somewhere first: a token is never there without its secret, whenever the service is killed.
    pub fn make_kept(
        &self,
        wanted: &Wanted<'_>,
        now: Time,
        keep: impl FnOnce(&str) -> io::Result<()>,
    ) -> io::Result<(TokenView, String)> {
        let Wanted { role, name, scope, site, expires_at } = *wanted;
        let secret = secret()?;
        keep(&secret)?;
        let file = self.file.lock().map_err(failed)?;
        file.execute(
            "INSERT INTO token (hash, role, name, made_at, expires_at, scope, site) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                hash(&secret),
                role.text(),
                name,
                now.as_millis(),
                expires_at.map(|at| at.as_millis()),
                scope.map(Scope::text),
                site
            ],
        )
        .map_err(failed)?;
        let token = TokenView {
            token: u64::try_from(file.last_insert_rowid()).map_err(failed)?,
            role,
            name: name.to_owned(),
            scope,
            site: site.map(str::to_owned),
            made_at: now.into(),
            expires_at: expires_at.map(Into::into),
            revoked_at: None,
        };
        self.known.write().map_err(failed)?.insert(hash(&secret), token.clone());
        Ok((token, secret))
    }

    /// Revokes a token; `None` when there is none of that number.
    pub fn revoke(&self, number: u64, now: Time) -> io::Result<Option<TokenView>> {
        let file = self.file.lock().map_err(failed)?;
        let mut known = self.known.write().map_err(failed)?;
        let Some(token) = known.values_mut().find(|token| token.token == number) else { return Ok(None) };
        if token.revoked_at.is_none() {
            let number = i64::try_from(number).map_err(failed)?;
            file.execute(
                "UPDATE token SET revoked_at = ?2 WHERE number = ?1",
                params![number, now.as_millis()],
            )
            .map_err(failed)?;
            token.revoked_at = Some(now.into());
        }
        Ok(Some(token.clone()))
    }

    /// All tokens, oldest first.
    pub fn list(&self) -> Vec<TokenView> {
        let known = self.known.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut tokens: Vec<TokenView> = known.values().cloned().collect();
        tokens.sort_by_key(|token| token.token);
        tokens
    }
}

/// Whether a token was neither revoked nor has expired.
fn is_good(token: &TokenView, now: Time) -> bool {
    token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at.time() > now)
}

fn caller(token: &TokenView) -> Caller {
    Caller {
        token: token.token,
        role: token.role,
        name: token.name.clone(),
        scope: token.scope,
        site: token.site.clone(),
        expires_at: token.expires_at.map(|at| at.time()),
    }
}

fn read(file: &Connection) -> Result<HashMap<[u8; 32], TokenView>, rusqlite::Error> {
    let text = "SELECT hash, number, role, name, made_at, expires_at, revoked_at, scope, site FROM token";
    let mut statement = file.prepare(text)?;
    let rows = statement.query_map([], |row| {
        let token = TokenView {
            token: number(row, 1)?,
            role: role_of(&row.get::<_, String>(2)?)?,
            name: row.get(3)?,
            made_at: time(row, 4)?.into(),
            // An end that cannot be read must not become none.
            expires_at: time_if_any(row, 5)?.map(Into::into),
            revoked_at: time_if_any(row, 6)?.map(Into::into),
            scope: row.get::<_, Option<String>>(7)?.map(|text| scope_of(&text)).transpose()?,
            site: row.get(8)?,
        };
        Ok((row.get::<_, [u8; 32]>(0)?, token))
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Killed before its secret is kept, a service makes another token; killed after that, its file has the secret of no token yet.
    #[test]
    fn no_token_is_there_before_its_secret_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let tokens = Tokens::open(&directory.path().join("tokens.db")).unwrap();
        let wanted = Wanted::plain(Role::Administrator, "administrator");
        let at = Time::from_millis(10).unwrap();
        let full = |_: &str| Err(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(tokens.make_kept(&wanted, at, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(tokens.list().is_empty());
        let mut kept = None;
        let (_, secret) = tokens
            .make_kept(&wanted, at, |secret| {
                assert!(tokens.list().is_empty());
                kept = Some(secret.to_owned());
                Ok(())
            })
            .unwrap();
        assert_eq!((kept.as_deref(), tokens.list().len()), (Some(secret.as_str()), 1));
    }

    #[test]
    fn a_token_works_until_it_expires_or_is_revoked_and_its_secret_is_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.db");
        let at = |millis| Time::from_millis(millis).unwrap();
        let tokens = Tokens::open(&path).unwrap();
        let (ada, secret) = tokens.make(&Wanted::plain(Role::User, "ada"), at(10)).unwrap();
        let narrow = Wanted {
            scope: Some(Scope::ReadOnly),
            site: Some("north"),
            expires_at: Some(at(20)),
            ..Wanted::plain(Role::Owner, "uni")
        };
        let (_, brief) = tokens.make(&narrow, at(10)).unwrap();
        assert_ne!(secret, brief);
        assert_eq!(tokens.caller(&secret, at(15)).unwrap().name, "ada");
        assert_eq!(tokens.caller(&brief, at(19)).unwrap().role, Role::Owner);
        assert_eq!(tokens.caller(&brief, at(20)), None);
        assert_eq!(tokens.caller("walras_00", at(15)), None);
        drop(tokens);
        let tokens = Tokens::open(&path).unwrap();
        assert!(tokens.caller(&secret, at(15)).is_some());
        let narrow = tokens.caller(&brief, at(15)).unwrap();
        assert_eq!((narrow.scope, narrow.site.as_deref()), (Some(Scope::ReadOnly), Some("north")));
        assert!(tokens.revoke(ada.token, at(16)).unwrap().is_some());
        assert_eq!(tokens.revoke(99, at(16)).unwrap(), None);
        assert_eq!(tokens.caller(&secret, at(17)), None);
        drop(tokens);
        for file in std::fs::read_dir(directory.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(&secret[PREFIX.len()..]));
        }
    }

    #[test]
    fn a_role_that_nobody_knows_is_not_taken_for_another() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.db");
        let now = Time::from_millis(10).unwrap();
        Tokens::open(&path).unwrap().make(&Wanted::plain(Role::User, "ada"), now).unwrap();
        Connection::open(&path).unwrap().execute("UPDATE token SET role = 'auditor'", []).unwrap();
        assert!(Tokens::open(&path).err().unwrap().to_string().contains("role auditor"));
    }
}
