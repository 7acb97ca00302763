//! What a site keeps for itself, so that it outlives the process.
//!
//! [`SqliteStore`] is one file. Every change is one transaction in the write-ahead log, without waiting for the disk: a killed
//! process loses nothing, and a change takes some tens of microseconds. A machine that loses power may lose the last moments;
//! nothing that it ran has survived either.
//!
//! Bookings are JSON by reservation number. The numbers that were released are kept for [`REMEMBERED`]; by then whatever asks
//! for one again asks for something that has long expired.
//!
//! [`VolatileStore`] remembers what was released and writes nothing down, for sites that need not outlive anything.

use crate::contract::{ReservationNumber, SiteError};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use walras_model::Time;

/// How long a released number is remembered, in milliseconds of the service's time.
pub const REMEMBERED: i64 = 30 * 86_400_000;
/// The version of the tables and of what is in them.
const FORMAT: i64 = 2;
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS booking (number INTEGER PRIMARY KEY, body TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS released (number INTEGER PRIMARY KEY, at INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS released_at ON released (at);
    CREATE TABLE IF NOT EXISTS state (place INTEGER PRIMARY KEY CHECK (place = 0), body TEXT NOT NULL);
";

/// Where a book of holds is written down.
pub trait Store {
    /// All bookings, by number.
    fn bookings<B: DeserializeOwned>(&self) -> Result<Vec<(ReservationNumber, B)>, SiteError>;
    /// Keeps a booking, in place of an earlier one of that number.
    fn save<B: Serialize>(&mut self, number: ReservationNumber, booking: &B) -> Result<(), SiteError>;
    /// Forgets a booking that has expired: its number may come again.
    fn forget(&mut self, number: ReservationNumber) -> Result<(), SiteError>;
    /// Forgets a booking and remembers its number as released.
    fn release(&mut self, number: ReservationNumber, now: Time) -> Result<(), SiteError>;
    /// Whether a number was released.
    fn is_released(&self, number: ReservationNumber) -> Result<bool, SiteError>;
}

/// A store that ends with the process.
#[derive(Clone, Debug, Default)]
pub struct VolatileStore {
    released: BTreeSet<ReservationNumber>,
}

impl Store for VolatileStore {
    fn bookings<B: DeserializeOwned>(&self) -> Result<Vec<(ReservationNumber, B)>, SiteError> {
        Ok(Vec::new())
    }

    fn save<B: Serialize>(&mut self, _: ReservationNumber, _: &B) -> Result<(), SiteError> {
        Ok(())
    }

    fn forget(&mut self, _: ReservationNumber) -> Result<(), SiteError> {
        Ok(())
    }

    fn release(&mut self, number: ReservationNumber, _: Time) -> Result<(), SiteError> {
        self.released.insert(number);
        Ok(())
    }

    fn is_released(&self, number: ReservationNumber) -> Result<bool, SiteError> {
        Ok(self.released.contains(&number))
    }
}

/// A store in a SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
}

impl From<rusqlite::Error> for SiteError {
    fn from(error: rusqlite::Error) -> SiteError {
        SiteError::Memory(error.to_string())
    }
}

impl From<serde_json::Error> for SiteError {
    fn from(error: serde_json::Error) -> SiteError {
        SiteError::Memory(error.to_string())
    }
}

fn key(number: ReservationNumber) -> Result<i64, SiteError> {
    let beyond = |_| SiteError::Memory(format!("reservation {number} is beyond every number"));
    i64::try_from(number.get()).map_err(beyond)
}

impl SqliteStore {
    /// Opens a file, or makes it.
    pub fn open(path: &Path) -> Result<SqliteStore, SiteError> {
        let named = |error: rusqlite::Error| SiteError::file(path, error);
        let connection = Connection::open(path).map_err(named)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(named)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(named)?;
        // A file that was just made has version 0.
        if version != 0 && version != FORMAT {
            let age = if version > FORMAT { "newer" } else { "older" };
            let why = format!("format {version} is {age} than this version's, {FORMAT}");
            return Err(SiteError::file(path, why));
        }
        connection.execute_batch(TABLES).map_err(named)?;
        // A site opens on a full disk too, so that nothing is written that is there already.
        if version != FORMAT {
            connection.pragma_update(None, "user_version", FORMAT)?;
        }
        Ok(SqliteStore { connection })
    }

    /// What else the site has written down of itself.
    pub fn state<S: DeserializeOwned>(&self) -> Result<Option<S>, SiteError> {
        let mut query = self.connection.prepare("SELECT body FROM state")?;
        let body: Option<String> = query.query_row([], |row| row.get(0)).optional()?;
        Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
    }

    /// Writes that down.
    pub fn save_state<S: Serialize>(&self, state: &S) -> Result<(), SiteError> {
        let mut statement = self.connection.prepare_cached("INSERT OR REPLACE INTO state VALUES (0, ?1)")?;
        statement.execute([serde_json::to_string(state)?])?;
        Ok(())
    }
}

impl Store for SqliteStore {
    fn bookings<B: DeserializeOwned>(&self) -> Result<Vec<(ReservationNumber, B)>, SiteError> {
        let mut query = self.connection.prepare("SELECT number, body FROM booking ORDER BY number")?;
        let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let mut bookings = Vec::new();
        for row in rows {
            let (number, body) = row?;
            let negative = |_| SiteError::Memory(format!("{number} is no number of a reservation"));
            let number = ReservationNumber::new(u64::try_from(number).map_err(negative)?);
            bookings.push((number, serde_json::from_str(&body)?));
        }
        Ok(bookings)
    }

    fn save<B: Serialize>(&mut self, number: ReservationNumber, booking: &B) -> Result<(), SiteError> {
        let mut statement =
            self.connection.prepare_cached("INSERT OR REPLACE INTO booking VALUES (?1, ?2)")?;
        statement.execute(params![key(number)?, serde_json::to_string(booking)?])?;
        Ok(())
    }

    fn forget(&mut self, number: ReservationNumber) -> Result<(), SiteError> {
        let mut statement = self.connection.prepare_cached("DELETE FROM booking WHERE number = ?1")?;
        statement.execute([key(number)?])?;
        Ok(())
    }

    /// Releases of long ago are forgotten on the way.
    fn release(&mut self, number: ReservationNumber, now: Time) -> Result<(), SiteError> {
        let (key, before) = (key(number)?, now.as_millis().saturating_sub(REMEMBERED));
        let change = self.connection.transaction()?;
        change.prepare_cached("DELETE FROM booking WHERE number = ?1")?.execute([key])?;
        change
            .prepare_cached("INSERT OR IGNORE INTO released VALUES (?1, ?2)")?
            .execute([key, now.as_millis()])?;
        change.prepare_cached("DELETE FROM released WHERE at < ?1")?.execute([before])?;
        change.commit()?;
        Ok(())
    }

    fn is_released(&self, number: ReservationNumber) -> Result<bool, SiteError> {
        let mut query = self.connection.prepare_cached("SELECT 1 FROM released WHERE number = ?1")?;
        Ok(query.exists([key(number)?])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("site.db");
        let (one, two) = (ReservationNumber::new(1), ReservationNumber::new(2));
        let moment = |millis| Time::from_millis(millis).unwrap();
        let mut store = SqliteStore::open(&path).unwrap();
        store.save(one, &"a").unwrap();
        store.save(one, &"b").unwrap();
        store.save(two, &"c").unwrap();
        store.release(two, moment(5)).unwrap();
        store.save_state(&7).unwrap();
        drop(store);
        let mut store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.bookings::<String>().unwrap(), [(one, "b".to_owned())]);
        assert!(store.is_released(two).unwrap() && !store.is_released(one).unwrap());
        assert_eq!(store.state::<i32>().unwrap(), Some(7));
        store.release(one, moment(REMEMBERED + 6)).unwrap();
        assert!(!store.is_released(two).unwrap());
        assert!(store.is_released(one).unwrap());
    }

    #[test]
    fn another_format_is_refused() {
        for (version, age) in [(99, "newer"), (1, "older")] {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("site.db");
            let other = Connection::open(&path).unwrap();
            other.pragma_update(None, "user_version", version).unwrap();
            let error = SqliteStore::open(&path).unwrap_err().to_string();
            let expected = format!("format {version} is {age} than this version's, 2");
            assert!(error.ends_with(&expected), "{error}");
        }
    }
}
