//! Sessions: browsers that are signed in, and codes that sign one in once.
//!
//! A browser must not keep a token where scripts can read it. It sends one once and gets a session in its place: a secret of
//! its own in a cookie that no script sees, which stands for the token while both are good. Of sessions, too, only the
//! hashes are kept, in a file of their own, so that they outlive a restart. Codes live for minutes and in memory: they stand
//! in links, which are seen by more than one pair of eyes.
//!
//! Times are the wall's, in milliseconds: how long somebody stays signed in has nothing to do with the market's clock.

use crate::columns;
use crate::token::{self, failed, hash, secret};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

/// How long a session lasts, in seconds.
pub const SESSION_SECONDS: u32 = 12 * 3_600;
/// How long a code is good, in seconds.
pub const CODE_SECONDS: u32 = 600;
/// So many sessions are kept; the oldest make room.
const SESSIONS_MAX: usize = 10_000;
/// So many codes are kept; the oldest make room.
const CODES_MAX: usize = 1_000;

/// What stands for a token until some time.
#[derive(Clone, Copy, Debug)]
struct Stand {
    token: u64,
    until: i64,
}

/// All sessions and codes.
pub struct Sessions {
    file: Mutex<Connection>,
    known: RwLock<HashMap<[u8; 32], Stand>>,
    codes: Mutex<BTreeMap<[u8; 32], Stand>>,
}

fn number(token: u64) -> io::Result<i64> {
    i64::try_from(token).map_err(failed)
}

impl Sessions {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> io::Result<Sessions> {
        let file = Connection::open(path).map_err(failed)?;
        file.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
        file.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        file.execute_batch(
            "CREATE TABLE IF NOT EXISTS session (hash BLOB PRIMARY KEY, token INTEGER NOT NULL, until INTEGER NOT NULL)",
        )
        .map_err(failed)?;
        let known = read(&file).map_err(failed)?;
        Ok(Sessions { file: Mutex::new(file), known: RwLock::new(known), codes: Mutex::default() })
    }

    /// Begins a session for a token; gives its secret.
    pub fn begin(&self, token: u64, now: i64) -> io::Result<String> {
        let secret = secret()?;
        let stand = Stand { token, until: now.saturating_add(i64::from(SESSION_SECONDS) * 1_000) };
        let file = self.file.lock().map_err(failed)?;
        let mut known = self.known.write().map_err(failed)?;
        known.retain(|_, stand| stand.until > now);
        if known.len() >= SESSIONS_MAX
            && let Some((oldest, _)) = known.iter().min_by_key(|(_, stand)| stand.until)
        {
            let oldest = *oldest;
            known.remove(&oldest);
            file.execute("DELETE FROM session WHERE hash = ?1", params![oldest]).map_err(failed)?;
        }
        file.execute("DELETE FROM session WHERE until <= ?1", params![now]).map_err(failed)?;
        file.execute(
            "INSERT INTO session (hash, token, until) VALUES (?1, ?2, ?3)",
            params![hash(&secret), number(token)?, stand.until],
        )
        .map_err(failed)?;
        known.insert(hash(&secret), stand);
        Ok(secret)
    }

    /// The token that a session stands for.
    pub fn token_of(&self, secret: &str, now: i64) -> Option<u64> {
        let known = self.known.read().ok()?;
        known.get(&hash(secret)).filter(|stand| stand.until > now).map(|stand| stand.token)
    }

    /// Ends a session.
    pub fn end(&self, secret: &str) -> io::Result<()> {
        let file = self.file.lock().map_err(failed)?;
        file.execute("DELETE FROM session WHERE hash = ?1", params![hash(secret)]).map_err(failed)?;
        self.known.write().map_err(failed)?.remove(&hash(secret));
        Ok(())
    }

    /// Ends all sessions of a token.
    pub fn end_all(&self, token: u64) -> io::Result<()> {
        let file = self.file.lock().map_err(failed)?;
        file.execute("DELETE FROM session WHERE token = ?1", params![number(token)?]).map_err(failed)?;
        self.known.write().map_err(failed)?.retain(|_, stand| stand.token != token);
        Ok(())
    }

    /// Makes a code that signs in once with a token.
    pub fn code(&self, token: u64, now: i64) -> io::Result<String> {
        let code = token::code()?;
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut codes, CODES_MAX, now, |stand| stand.until);
        let until = now.saturating_add(i64::from(CODE_SECONDS) * 1_000);
        codes.insert(hash(&code), Stand { token, until });
        Ok(code)
    }

    /// The token that a code is for; it is good no more.
    pub fn redeem(&self, code: &str, now: i64) -> Option<u64> {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.remove(&hash(code)).filter(|stand| stand.until > now).map(|stand| stand.token)
    }
}

/// Forgets what is good no more, and the oldest where there would be too many with one more.
pub(crate) fn make_room<T>(
    all: &mut BTreeMap<[u8; 32], T>,
    most: usize,
    now: i64,
    until: impl Fn(&T) -> i64,
) {
    all.retain(|_, one| until(one) > now);
    if all.len() >= most
        && let Some((oldest, _)) = all.iter().min_by_key(|(_, one)| until(one))
    {
        let oldest = *oldest;
        all.remove(&oldest);
    }
}

fn read(file: &Connection) -> Result<HashMap<[u8; 32], Stand>, rusqlite::Error> {
    let mut statement = file.prepare("SELECT hash, token, until FROM session")?;
    let rows = statement.query_map([], |row| {
        let token = columns::number(row, 1)?;
        Ok((row.get::<_, [u8; 32]>(0)?, Stand { token, until: row.get(2)? }))
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_outlives_a_restart_and_ends_when_it_is_told_or_its_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sessions.db");
        let sessions = Sessions::open(&path).unwrap();
        let (first, second) = (sessions.begin(7, 0).unwrap(), sessions.begin(7, 0).unwrap());
        let other = sessions.begin(8, 0).unwrap();
        drop(sessions);
        let sessions = Sessions::open(&path).unwrap();
        let end = i64::from(SESSION_SECONDS) * 1_000;
        assert_eq!(sessions.token_of(&first, end - 1), Some(7));
        assert_eq!(sessions.token_of(&first, end), None);
        sessions.end(&first).unwrap();
        assert_eq!([sessions.token_of(&first, 1), sessions.token_of(&second, 1)], [None, Some(7)]);
        sessions.end_all(7).unwrap();
        assert_eq!([sessions.token_of(&second, 1), sessions.token_of(&other, 1)], [None, Some(8)]);
        drop(sessions);
        assert_eq!(Sessions::open(&path).unwrap().token_of(&second, 1), None);
    }

    #[test]
    fn a_code_signs_in_once_and_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let sessions = Sessions::open(&directory.path().join("sessions.db")).unwrap();
        let (code, late) = (sessions.code(7, 0).unwrap(), sessions.code(7, 0).unwrap());
        assert_eq!(sessions.redeem("walras_0", 1), None);
        assert_eq!([sessions.redeem(&code, 1), sessions.redeem(&code, 1)], [Some(7), None]);
        assert_eq!(sessions.redeem(&late, i64::from(CODE_SECONDS) * 1_000), None);
    }
}
