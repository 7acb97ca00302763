//! Finding things in the journal without reading all of it. Readers never wait for the writer.

use super::record::Record;
use super::{JournalError, decode};
use crate::columns::{limit, number, number_if_any, sought, time};
use rusqlite::{Connection, OpenFlags, Row, params};
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

/// The purpose that is written so.
fn purpose(text: &str) -> Result<PurposeKind, rusqlite::Error> {
    let known = PurposeKind::ALL.into_iter().find(|purpose| purpose.text() == text);
    known.ok_or_else(|| rusqlite::Error::InvalidColumnName(format!("purpose {text}")))
}

/// All numbers below this are looked for; without a word, all.
pub(super) fn below(before: Option<u64>) -> i64 {
    before.map_or(i64::MAX, sought)
}

/// An entry before it is decoded.
pub(super) struct FoundEntry {
    pub(super) position: u64,
    format: u32,
    body: Vec<u8>,
}

impl FoundEntry {
    /// Of a row that begins with its position, its format and its body.
    pub(super) fn read(row: &Row<'_>) -> Result<FoundEntry, rusqlite::Error> {
        Ok(FoundEntry { position: number(row, 0)?, format: row.get(1)?, body: row.get(2)? })
    }

    pub(super) fn decoded(&self) -> Result<Entry, JournalError> {
        decode(self.position, self.format, &self.body)
    }
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
            let mut rows = statement.query([sought(job)])?;
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
            let rows = statement.query_map(params![account, below(before), limit(most)], |row| {
                Ok(FoundLine {
                    number: number(row, 0)?,
                    at: time(row, 1)?,
                    purpose: purpose(&row.get::<_, String>(2)?)?,
                    amount: row.get(3)?,
                    balance: row.get(4)?,
                    job: number_if_any(row, 5)?,
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
            let rows = statement.query_map(params![account, below(before), limit(most)], |row| {
                Ok(FoundBill {
                    job: number(row, 0)?,
                    from: time(row, 1)?,
                    until: time(row, 2)?,
                    lines: number(row, 3)?,
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
        let found: Vec<FoundEntry> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let rows = statement.query_map(params![below(before), limit(most)], FoundEntry::read)?;
            rows.collect()
        })?;
        found.into_iter().map(|found| Ok((found.position, found.decoded()?))).collect()
    }

    /// The entries that are about a job, the latest of them, oldest first.
    pub fn about(&self, job: u64, most: usize) -> Result<Vec<Entry>, JournalError> {
        let text = "SELECT position, format, body FROM entry WHERE position IN
                    (SELECT position FROM about WHERE job = ?1 ORDER BY position DESC LIMIT ?2) ORDER BY position";
        let found: Vec<FoundEntry> = self.with(|connection| {
            let mut statement = connection.prepare_cached(text)?;
            let rows = statement.query_map(params![sought(job), limit(most)], FoundEntry::read)?;
            rows.collect()
        })?;
        found.iter().map(FoundEntry::decoded).collect()
    }
}
