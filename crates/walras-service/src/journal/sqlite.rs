//! The journal in SQLite: write-ahead log, every commit synced to the disk.

use super::chain::{Chain, Sum};
use super::reserve::Reserve;
use super::{Group, Journal, JournalError, decode, tables};
use crate::columns::{limit, number, signed, sought, time};
use rusqlite::{Connection, OpenFlags, params};
use std::path::Path;
use std::time::Duration;
use walras_broker::journal::{Entry, VERSION};

/// The version of the tables; another one is refused.
const TABLES: &str = "walras.tables/2";
/// So many bytes are written to see whether the disk takes any.
const PROBE_BYTES: usize = 256 << 10;

/// The journal in a SQLite file.
pub struct SqliteJournal {
    connection: Connection,
    /// Kept by whoever writes.
    reserve: Option<Reserve>,
}

fn unwritable(error: rusqlite::Error) -> JournalError {
    JournalError::Unwritable(error.to_string())
}

fn unreadable(error: rusqlite::Error) -> JournalError {
    JournalError::Unreadable(error.to_string())
}

impl SqliteJournal {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> Result<SqliteJournal, JournalError> {
        let reserve = Reserve::beside(path);
        reserve.give_back();
        let connection = Connection::open(path).map_err(unwritable)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(unwritable)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(unwritable)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(unwritable)?;
        connection.pragma_update(None, "cache_size", -16_000).map_err(unwritable)?;
        connection.execute_batch(tables::SCHEMA).map_err(unwritable)?;
        tables::upgrade(&connection).map_err(unwritable)?;
        // Entries of before there were checksums stay without.
        if !has_sums(&connection).map_err(unreadable)? {
            connection.execute("ALTER TABLE entry ADD COLUMN sum BLOB", []).map_err(unwritable)?;
        }
        let journal = SqliteJournal { connection, reserve: Some(reserve) };
        match journal.meta("tables")? {
            None => journal.set_meta("tables", TABLES)?,
            Some(found) if found == TABLES => {}
            Some(found) => {
                return Err(JournalError::Unreadable(format!(
                    "its tables are of version {found}; this program knows {TABLES}"
                )));
            }
        }
        Ok(journal)
    }

    /// Opens an existing file for reading, as it is.
    pub fn open_to_read(path: &Path) -> Result<SqliteJournal, JournalError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(unreadable)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(unreadable)?;
        Ok(SqliteJournal { connection, reserve: None })
    }

    /// Something small that is kept beside the entries.
    pub fn meta(&self, key: &str) -> Result<Option<String>, JournalError> {
        let found = self
            .connection
            .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get::<_, String>(0));
        match found {
            Ok(value) => Ok(Some(value)),
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            Err(error) => Err(unreadable(error)),
        }
    }

    /// Keeps something small.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<(), JournalError> {
        let done = self.connection.execute("REPLACE INTO meta (key, value) VALUES (?1, ?2)", [key, value]);
        done.map(|_| ()).map_err(unwritable)
    }

    fn write(&mut self, expected: u64, group: &Group) -> Result<(), JournalError> {
        let transaction = self.connection.transaction().map_err(unwritable)?;
        let found = last(&transaction).map_err(unwritable)?;
        if found != expected {
            return Err(JournalError::Conflict { expected, found });
        }
        (|| {
            let mut chain = chain_at(&transaction, expected)?;
            let text = "INSERT INTO entry (position, at, format, body, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut entry = transaction.prepare_cached(text)?;
            for ((at, body), position) in group.entries.iter().zip(expected + 1..) {
                let sum = chain.next(position, *at, body);
                entry.execute(params![signed(position)?, at.as_millis(), VERSION, body, sum])?;
                chain = Chain(Some(sum));
            }
            tables::write(&transaction, expected, group)
        })()
        .map_err(unwritable)?;
        transaction.commit().map_err(unwritable)
    }
}

/// Whether entries have a place for checksums: a file that is only read may be of before there were any.
fn has_sums(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let text = "SELECT count(*) FROM pragma_table_info('entry') WHERE name = 'sum'";
    connection.query_row(text, [], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

/// The checksum of the entry at a position; none where there is no entry, or it has none.
fn chain_at(connection: &Connection, position: u64) -> Result<Chain, rusqlite::Error> {
    if !has_sums(connection)? {
        return Ok(Chain::default());
    }
    let mut statement = connection.prepare_cached("SELECT sum FROM entry WHERE position = ?1")?;
    match statement.query_row([sought(position)], |row| row.get::<_, Option<Sum>>(0)) {
        Ok(sum) => Ok(Chain(sum)),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(Chain::default()),
        Err(error) => Err(error),
    }
}

fn last(connection: &Connection) -> Result<u64, rusqlite::Error> {
    let mut statement = connection.prepare_cached("SELECT coalesce(max(position), 0) FROM entry")?;
    statement.query_row([], |row| number(row, 0))
}

impl Journal for SqliteJournal {
    fn append(&mut self, expected: u64, group: &Group) -> Result<(), JournalError> {
        self.write(expected, group)
    }

    fn position(&mut self) -> Result<u64, JournalError> {
        last(&self.connection).map_err(unreadable)
    }

    fn read(&mut self, after: u64, most: usize) -> Result<Vec<Entry>, JournalError> {
        let summed = has_sums(&self.connection).map_err(unreadable)?;
        let mut chain = chain_at(&self.connection, after).map_err(unreadable)?;
        let text = match summed {
            true => {
                "SELECT position, format, body, at, sum FROM entry WHERE position > ?1 ORDER BY position LIMIT ?2"
            }
            false => {
                "SELECT position, format, body, at, NULL FROM entry WHERE position > ?1 ORDER BY position LIMIT ?2"
            }
        };
        let mut statement = self.connection.prepare_cached(text).map_err(unreadable)?;
        let mut rows = statement.query(params![sought(after), limit(most)]).map_err(unreadable)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next().map_err(unreadable)? {
            let position = number(row, 0).map_err(unreadable)?;
            let format: u32 = row.get(1).map_err(unreadable)?;
            let body = row.get_ref(2).and_then(|body| Ok(body.as_bytes()?)).map_err(unreadable)?;
            let at = time(row, 3).map_err(unreadable)?;
            let sum = row.get_ref(4).and_then(|sum| Ok(sum.as_blob_or_null()?)).map_err(unreadable)?;
            chain.take(position, at, body, sum)?;
            entries.push(decode(position, format, body)?);
        }
        Ok(entries)
    }

    fn chain_at(&mut self, position: u64) -> Result<Chain, JournalError> {
        chain_at(&self.connection, position).map_err(unreadable)
    }

    fn probe(&mut self) -> Result<(), JournalError> {
        let taken = self.reserve.as_ref().map_or(Ok(()), Reserve::take);
        taken.map_err(|error| JournalError::Unwritable(error.to_string()))?;
        let zeros = vec![0_u8; PROBE_BYTES];
        let write = || {
            self.connection.execute("REPLACE INTO meta (key, value) VALUES ('probe', ?1)", params![zeros])?;
            self.connection.execute("DELETE FROM meta WHERE key = 'probe'", [])
        };
        write().map(|_| ()).map_err(unwritable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::input::Input;
    use walras_model::Time;

    fn entry(at: i64) -> Entry {
        Entry { at: Time::from_millis(at).unwrap(), input: Input::Tick, events: Vec::new() }
    }

    fn group(times: &[i64]) -> Group {
        let entries = times.iter().map(|at| (entry(*at).at, super::super::encode(&entry(*at)).unwrap()));
        Group { entries: entries.collect(), ..Group::default() }
    }

    #[test]
    fn what_was_appended_is_read_again_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        let mut journal = SqliteJournal::open(&path).unwrap();
        journal.append(0, &group(&[1, 2])).unwrap();
        journal.append(2, &group(&[3])).unwrap();
        drop(journal);
        let mut journal = SqliteJournal::open(&path).unwrap();
        assert_eq!(journal.position(), Ok(3));
        assert_eq!(journal.read(1, 10).unwrap(), [entry(2), entry(3)]);
        assert_eq!(journal.read(0, 1).unwrap(), [entry(1)]);
        journal.probe().unwrap();
    }

    /// A job is in an entry once now; what was kept before has it wherever it was, and is read in the same way.
    #[test]
    fn entries_of_before_are_read_beside_those_of_now() {
        let text = r#"{"at":1,"input":{"submit":{"key":"k","job":JOB}},"events":[{"job":{"queued":{"job":1,"key":{"by":"ada","key":"k"}SPEC}}}]}"#;
        let job = r#"{"user":"ada","request":{"name":"j","user":null,"tasks":1,"work":60000,"performance_min":1000000,"price_max":null,
            "budget":null,"deadline":null,"earliest":null,"priority":0,"requires":[],"scope":{"same_site":false,"sites":null}},"script":"x"}"#;
        let of = |spec: &str| text.replace("JOB", job).replace("SPEC", spec);
        let (before, now) = (of(&format!(",\"spec\":{job}")), of(""));
        let read = |format, text: &str| super::super::decode(7, format, text.as_bytes());
        let entry = read(2, &before).unwrap();
        assert_eq!(read(3, &now), Ok(entry.clone()));
        let written = String::from_utf8(super::super::encode(&entry).unwrap()).unwrap();
        assert_eq!((written.matches("script").count(), read(3, &written)), (1, Ok(entry)));
        for format in [0, 1, 4] {
            assert_eq!(read(format, &now), Err(JournalError::Format { position: 7, format }));
        }
    }

    #[test]
    fn an_entry_that_is_not_as_it_was_written_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        for (change, found) in [
            ("UPDATE entry SET body = replace(body, '2', '7') WHERE position = 2", 2),
            ("UPDATE entry SET at = at + 1 WHERE position = 3", 3),
            ("UPDATE entry SET sum = NULL WHERE position = 2", 2),
            ("DELETE FROM entry WHERE position = 2", 3),
        ] {
            let mut journal = SqliteJournal::open(&path).unwrap();
            journal.append(0, &group(&[1, 2, 3])).unwrap();
            journal.append(3, &group(&[4])).unwrap();
            assert_eq!(journal.read(0, 10).unwrap().len(), 4);
            journal.connection.execute(change, []).unwrap();
            assert_eq!(journal.read(0, 10), Err(JournalError::Damaged(found)), "{change}");
            drop(journal);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn entries_of_before_there_were_checksums_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        let mut journal = SqliteJournal::open(&path).unwrap();
        journal.append(0, &group(&[1, 2])).unwrap();
        journal.connection.execute("ALTER TABLE entry DROP COLUMN sum", []).unwrap();
        drop(journal);
        assert_eq!(SqliteJournal::open_to_read(&path).unwrap().read(0, 9).unwrap(), [entry(1), entry(2)]);
        let mut journal = SqliteJournal::open(&path).unwrap();
        journal.append(2, &group(&[3, 4])).unwrap();
        assert_eq!(journal.read(0, 9).unwrap().len(), 4);
        journal.connection.execute("UPDATE entry SET at = 9 WHERE position = 3", []).unwrap();
        assert_eq!(journal.read(0, 9), Err(JournalError::Damaged(3)));
    }

    #[test]
    fn nothing_is_appended_where_somebody_else_was_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.db");
        let mut one = SqliteJournal::open(&path).unwrap();
        let mut two = SqliteJournal::open(&path).unwrap();
        one.append(0, &group(&[1])).unwrap();
        assert_eq!(two.append(0, &group(&[7])), Err(JournalError::Conflict { expected: 0, found: 1 }));
        assert_eq!(two.read(0, 10).unwrap(), [entry(1)]);
    }

    #[test]
    fn a_format_of_the_future_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let mut journal = SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
        journal.append(0, &group(&[1])).unwrap();
        journal.connection.execute("UPDATE entry SET format = 9", []).unwrap();
        assert_eq!(journal.read(0, 1), Err(JournalError::Format { position: 1, format: 9 }));
    }
}
