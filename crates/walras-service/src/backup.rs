//! Copies of what a service keeps, made while it runs.
//!
//! **Problem.** Files that are written to cannot simply be copied: the copy would be of no moment at all.
//!
//! **Method.** Every database is copied by SQLite itself (`VACUUM INTO`), which reads one moment of it and waits for nobody. The sites' books
//! come first and the journal last, so that the journal knows of everything that the books hold. The copy of the journal is then read from its
//! first entry to its last, and every checksum compared. Everything is made in a directory beside the wanted one, which gets its name when
//! all of it is there. Snapshots and sessions are left out: the first follow from the journal, and people can sign in again.

use crate::config::Config;
use crate::journal::sqlite::SqliteJournal;
use crate::journal::{Journal, JournalError};
use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So many entries are read at a time.
const READ_AT_ONCE: usize = 1_000;

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file that cannot be read or written.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A database cannot be copied.
    #[error("{}: it cannot be copied: {error}", path.display())]
    Database {
        /// The database that is copied.
        path: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// There is something where the copy should go.
    #[error("{}: it is there already: a copy goes into a directory of its own", .0.display())]
    There(PathBuf),
    /// The copy of the journal is not what it should be.
    #[error("the copy of the journal: {0}")]
    Journal(#[from] JournalError),
}

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// How many entries the journal has.
    pub entries: u64,
    /// How many databases there are, with the journal.
    pub databases: usize,
}

/// Copies what a service of this configuration keeps into a new directory, which can be the `data` of another.
pub fn backup(config: &Config, to: &Path) -> Result<Copied, BackupError> {
    if to.exists() {
        return Err(BackupError::There(to.to_owned()));
    }
    let mut beside = OsString::from(to.as_os_str());
    beside.push(".part");
    let part = PathBuf::from(beside);
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| BackupError::File { path, error }
    };
    // One that was not finished is of no use to anybody.
    if part.exists() {
        fs::remove_dir_all(&part).map_err(failed(&part))?;
    }
    let sites = part.join("sites");
    DirBuilder::new().recursive(true).mode(0o700).create(&sites).map_err(failed(&sites))?;
    let mut databases = 1;
    for path in databases_in(&config.data.join("sites"))? {
        if let Some(name) = path.file_name() {
            copy(&path, &sites.join(name))?;
            databases += 1;
        }
    }
    let tokens = config.data.join("tokens.db");
    if tokens.exists() {
        copy(&tokens, &part.join("tokens.db"))?;
        databases += 1;
    }
    let secret = config.data.join("administrator.token");
    if secret.exists() {
        fs::copy(&secret, part.join("administrator.token")).map_err(failed(&secret))?;
    }
    let journal = config.journal_path();
    let copied = part.join("journal.db");
    copy(&journal, &copied)?;
    let entries = check(&copied)?;
    fs::rename(&part, to).map_err(failed(to))?;
    let above = to.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(above).and_then(|above| above.sync_all()).map_err(failed(above))?;
    Ok(Copied { entries, databases })
}

/// The databases of sites; none where there are no sites yet.
fn databases_in(directory: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let failed = |error| BackupError::File { path: directory.to_owned(), error };
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "db") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Copies one moment of a database that others may write to.
fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let failed = |error| BackupError::Database { path: from.to_owned(), error };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(from, flags).map_err(failed)?;
    database.busy_timeout(Duration::from_secs(30)).map_err(failed)?;
    let Some(name) = to.to_str() else {
        let error = io::Error::other("the name of its copy is no text");
        return Err(BackupError::File { path: to.to_owned(), error });
    };
    database.execute("VACUUM INTO ?1", [name]).map_err(failed)?;
    let unsynced = |error| BackupError::File { path: to.to_owned(), error };
    File::open(to).and_then(|file| file.sync_all()).map_err(unsynced)
}

/// Reads a journal to its end, which compares every checksum.
fn check(path: &Path) -> Result<u64, JournalError> {
    let mut journal = SqliteJournal::open_to_read(path)?;
    let end = journal.position()?;
    let mut position = 0;
    while position < end {
        let read = journal.read(position, READ_AT_ONCE)?.len();
        if read == 0 {
            return Err(JournalError::Unreadable(format!("entry {} is missing", position + 1)));
        }
        position += u64::try_from(read).unwrap_or(u64::MAX);
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Group, encode};
    use walras_broker::input::Input;
    use walras_broker::journal::Entry;
    use walras_model::Time;

    fn kept(directory: &Path) -> Config {
        let config = Config::parse(&format!("data = \"{}\"", directory.display()), "test").unwrap();
        let mut journal = SqliteJournal::open(&directory.join("journal.db")).unwrap();
        let entry = Entry { at: Time::from_millis(1).unwrap(), input: Input::Tick, events: Vec::new() };
        let entries = vec![(entry.at, encode(&entry).unwrap()); 3];
        journal.append(0, &Group { entries, ..Group::default() }).unwrap();
        config
    }

    #[test]
    fn a_copy_is_whole_or_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        fs::create_dir(&data).unwrap();
        let config = kept(&data);
        let to = directory.path().join("copy");
        assert_eq!(backup(&config, &to).unwrap(), Copied { entries: 3, databases: 1 });
        assert!(matches!(backup(&config, &to), Err(BackupError::There(_))));
        // A damaged journal is found when it is copied, and not when it is needed.
        let damaged = Connection::open(data.join("journal.db")).unwrap();
        damaged.execute("UPDATE entry SET at = 9 WHERE position = 2", []).unwrap();
        let other = directory.path().join("other");
        let error = backup(&config, &other).unwrap_err();
        assert!(matches!(error, BackupError::Journal(JournalError::Damaged(2))), "{error}");
        assert!(!other.exists());
    }
}
