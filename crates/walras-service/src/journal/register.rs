//! Finding things in the journal without reading all of it. Readers never wait for the writer.

use super::record::Record;
use super::{JournalError, decode};
use rusqlite::{Connection, OpenFlags, params};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use walras_api::service::PurposeKind;
use walras_broker::journal::Entry;
use walras_model::Time;

/// So many connections are kept open between requests.
const KEPT: usize = 4;

/// Reads what the journal's register holds.
pub struct Register {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// A line of a statement as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number.
    pub number: u64,
    /// When it was booked.
    pub at: Time,
    /// Why the money moved.
    pub purpose: PurposeKind,
    /// How much, in micro-credits.
    pub amount: i64,
    /// What was on the account after it, in micro-credits.
    pub balance: i64,
    /// For which job.
    pub job: Option<u64>,
}

/// What a job moved on an account, all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBill {
    /// Its number; an array's for all of its elements.
    pub job: u64,
    /// Its name, once it has ended.
    pub name: Option<String>,
    /// When the first of it moved.
    pub from: Time,
    /// When the last of it moved.
    pub until: Time,
    /// How many lines it is.
    pub lines: u64,
    /// All of them together, in micro-credits.
    pub amount: i64,
}

pub(super) fn unreadable(error: rusqlite::Error) -> JournalError {
    JournalError::Unreadable(error.to_string())
}

pub(super) fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// The purpose that is written so.
fn purpose(text: &str) -> Result<PurposeKind, rusqlite::Error> {
    let known = PurposeKind::ALL.into_iter().find(|purpose| purpose.text() == text);
    known.ok_or_else(|| rusqlite::Error::InvalidColumnName(format!("purpose {text}")))
}

pub(super) fn below(before: Option<u64>) -> i64 {
    before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX)
}

impl Register {
    /// Of the journal in this file.
    pub fn open(path: &Path) -> Register {
        Register { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, JournalError> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = Connection::open_with_flags(&self.path, flags).map_err(unreadable)?;
                connection.busy_timeout(Duration::from_secs(5)).map_err(unreadable)?;
                connection
            }
        };
        let result = read(&connection).map_err(unreadable);
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < KEPT
        {
            idle.push(connection);
        }
        result
    }

    /// What is kept of a job that has ended.
    pub fn ended(&self, job: u64) -> Result<Option<Record>, JournalError> {
        let body: Option<String> = self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT body FROM ended WHERE number = ?1")?;
            let mut rows = statement.query([i64::try_from(job).unwrap_or(i64::MAX)])?;
            rows.next()?.map(|row| row.get(0)).transpose()
        })?;
        body.map(|body| Record::decode(&body)).transpose()
    }

    /// Lines of an account's statement, newest first, with numbers below `before`.
    pub fn lines(
        &self,
        account: &str,
        before: Option<u64>,
        most: usize,
    ) -> Result<Vec<FoundLine>, JournalError> {
        let text = "SELECT number, at, purpose, amount, balance, job FROM line
                    WHERE account = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3";
        self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![account, below(before), most], |row| {
                Ok(FoundLine {
                    number: number(row.get(0)?),
                    at: Time::from_millis(row.get(1)?).unwrap_or(Time::MIN),
                    purpose: purpose(&row.get::<_, String>(2)?)?,
                    amount: row.get(3)?,
                    balance: row.get(4)?,
                    job: row.get::<_, Option<i64>>(5)?.map(number),
                })
            })?;
            rows.collect()
        })
    }

    /// What jobs with numbers below `before` moved on an account, each all together, newest first. What elements moved is their array's.
    pub fn bills(
        &self,
        account: &str,
        before: Option<u64>,
        most: usize,
    ) -> Result<Vec<FoundBill>, JournalError> {
        let text = "SELECT line.job, min(line.at), max(line.at), count(*), sum(line.amount),
                    (SELECT name FROM ended WHERE number = line.job) FROM line
                    WHERE account = ?1 AND job IS NOT NULL AND job < ?2 GROUP BY job ORDER BY job DESC LIMIT ?3";
        self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![account, below(before), most], |row| {
                Ok(FoundBill {
                    job: number(row.get(0)?),
                    from: Time::from_millis(row.get(1)?).unwrap_or(Time::MIN),
                    until: Time::from_millis(row.get(2)?).unwrap_or(Time::MIN),
                    lines: number(row.get(3)?),
                    amount: row.get(4)?,
                    name: row.get(5)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Entries with their positions, newest first, before a position.
    pub fn entries_before(
        &self,
        before: Option<u64>,
        most: usize,
    ) -> Result<Vec<(u64, Entry)>, JournalError> {
        let text =
            "SELECT position, format, body FROM entry WHERE position < ?1 ORDER BY position DESC LIMIT ?2";
        let found: Vec<(i64, u32, Vec<u8>)> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement
                .query_map(params![below(before), most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        let entry = |(position, format, body): (i64, u32, Vec<u8>)| {
            let position = number(position);
            Ok((position, decode(position, format, &body)?))
        };
        found.into_iter().map(entry).collect()
    }

    /// The entries that are about a job, the latest of them, oldest first.
    pub fn about(&self, job: u64, most: usize) -> Result<Vec<Entry>, JournalError> {
        let text = "SELECT position, format, body FROM entry WHERE position IN
                    (SELECT position FROM about WHERE job = ?1 ORDER BY position DESC LIMIT ?2) ORDER BY position";
        let found: Vec<(i64, u32, Vec<u8>)> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let job = i64::try_from(job).unwrap_or(i64::MAX);
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows =
                statement.query_map(params![job, most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        found.into_iter().map(|(position, format, body)| decode(number(position), format, &body)).collect()
    }
}
