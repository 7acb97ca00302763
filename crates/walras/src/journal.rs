//! Journals wherever they are: a file of lines, or what a service keeps; and `walras journal`.

use crate::failure::Failure;
use crate::files;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read};
use std::path::{Path, PathBuf};
use walras_api::{JournalReader, JournalWriter};
use walras_broker::journal::Entry;
use walras_service::journal::Journal;
use walras_service::journal::sqlite::SqliteJournal;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Print a service's journal as lines of JSON, walras.journal/2
    Export {
        /// The journal's file, or the data directory of a service, which may be running
        journal: PathBuf,
    },
    /// Read a journal from its first entry to its last and say whether every checksum is right
    Check {
        /// The journal's file, or the data directory of a service, which may be running
        journal: PathBuf,
    },
}

/// What a service's journal begins with.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";
/// So many entries are read at a time.
const READ_AT_ONCE: usize = 1_000;

/// A journal that is read entry by entry.
pub(crate) enum Entries {
    /// A file of lines.
    Lines(JournalReader<BufReader<File>>),
    /// A service's.
    Kept(Box<Kept>),
}

/// A service's journal. The service may be running: what it adds after `end` is not read.
pub(crate) struct Kept {
    journal: SqliteJournal,
    source: String,
    position: u64,
    end: u64,
    read: VecDeque<Entry>,
}

/// Where the journal is: in a directory, it has a name.
fn place(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("journal.db") } else { path.to_owned() }
}

/// Opens a journal; of a service's, at most so many entries are read.
pub(crate) fn open(path: &Path, most: Option<u64>) -> Result<Entries, Failure> {
    let path = place(path);
    let source = path.display().to_string();
    let unreadable = |error: std::io::Error| Failure::Input(format!("{source}: cannot be read: {error}"));
    let mut first = [0; SQLITE.len()];
    let is_kept = match File::open(&path).map_err(unreadable)?.read_exact(&mut first) {
        Ok(()) => first == *SQLITE,
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(unreadable(error)),
    };
    if !is_kept {
        let file = File::open(&path).map_err(unreadable)?;
        return JournalReader::new(BufReader::new(file), &source).map(Entries::Lines).map_err(Failure::input);
    }
    let wrong = |error| Failure::Input(format!("{source}: {error}"));
    let mut journal = SqliteJournal::open_to_read(&path).map_err(wrong)?;
    let end = journal.position().map_err(wrong)?.min(most.unwrap_or(u64::MAX));
    Ok(Entries::Kept(Box::new(Kept { journal, source, position: 0, end, read: VecDeque::new() })))
}

impl Kept {
    fn entry(&mut self) -> Result<Option<Entry>, Failure> {
        if self.position == self.end {
            return Ok(None);
        }
        if self.read.is_empty() {
            let found = self.journal.read(self.position, READ_AT_ONCE);
            self.read = found.map_err(|error| Failure::Input(format!("{}: {error}", self.source)))?.into();
        }
        self.position += 1;
        match self.read.pop_front() {
            Some(entry) => Ok(Some(entry)),
            None => Err(Failure::Input(format!("{}: entry {} is missing", self.source, self.position))),
        }
    }
}

impl Entries {
    /// The next entry; `None` after the last.
    pub(crate) fn entry(&mut self) -> Result<Option<Entry>, Failure> {
        match self {
            Entries::Lines(reader) => reader.entry().map_err(Failure::input),
            Entries::Kept(kept) => kept.entry(),
        }
    }

    /// The number of the entry that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        match self {
            // The first line names the format.
            Entries::Lines(reader) => u64::from(reader.line()).saturating_sub(1),
            Entries::Kept(kept) => kept.position,
        }
    }

    /// Where the entry was that was read last: its line in a file of lines, its position in a service's journal.
    pub(crate) fn place(&self) -> u64 {
        match self {
            Entries::Lines(reader) => u64::from(reader.line()),
            Entries::Kept(kept) => kept.position,
        }
    }
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Export { journal } => export(journal),
        Command::Check { journal } => check(journal),
    }
}

/// Reading is checking: an entry that is not as it was written is an error, and names its position.
fn check(journal: &Path) -> Result<(), Failure> {
    let mut entries = open(journal, None)?;
    while entries.entry()?.is_some() {}
    let count = entries.number();
    let summed = match &mut entries {
        Entries::Lines(_) => false,
        Entries::Kept(kept) => {
            let chain = kept.journal.chain_at(count);
            chain.map_err(|error| Failure::Input(format!("{}: {error}", kept.source)))?.0.is_some()
        }
    };
    let sums = match summed {
        true => "every one as it was written",
        false => "every one can be read; there are no checksums",
    };
    files::print(&format!("{count} entries: {sums}\n"))
}

fn export(journal: &Path) -> Result<(), Failure> {
    let mut entries = open(journal, None)?;
    let gone = |error: std::io::Error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::Input(format!("standard output cannot be written: {error}")),
    };
    let mut writer = JournalWriter::new(BufWriter::new(std::io::stdout().lock())).map_err(gone)?;
    while let Some(entry) = entries.entry()? {
        writer.entry(&entry).map_err(gone)?;
    }
    writer.finish().map_err(gone)
}
