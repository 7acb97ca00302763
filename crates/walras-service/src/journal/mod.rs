//! The durable journal: every entry, snapshots of what they come to, and a register to find things in without reading all.
//!
//! **Problem.** What was acknowledged must never be lost, whatever happens to the process or the machine; a restart must
//! not read years of entries; and people ask for jobs that ended long ago.
//!
//! **Method.** Entries are appended in groups, each group one durable transaction at an expected position, so that two
//! writers can never both succeed. Entries carry checksums that are chained ([`chain`]). With the same transaction go rows of a register (jobs that have ended, lines of
//! statements, which entries are about which job): it is never ahead of the journal or behind it. Snapshots hold the
//! broker's whole state at a position; the newest that can be read and the entries after it are what a restart needs, and
//! without any all entries are.
//!
//! [`Journal`] is what a store must be able to do; [`sqlite::SqliteJournal`] does it.

pub mod act;
mod asked;
pub mod chain;
pub mod ended;
pub mod record;
mod register;
mod reports;
pub mod reserve;
pub mod snapshot;
pub mod sqlite;
mod tables;

pub use register::{FoundBill, Register};
pub use reports::{FoundAct, FoundOffered, FoundSale};

use chain::Chain;
use walras_api::service::WriterRole;
use walras_broker::journal::{Entry, VERSION, VERSION_MIN};
use walras_broker::sales::Sale;
use walras_model::{NodeId, SiteId, Time};

/// A group of entries that are written together, or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The entries as they are written, in order, with their time.
    pub entries: Vec<(Time, Vec<u8>)>,
    /// Jobs that ended.
    pub ended: Vec<EndedJob>,
    /// What moved on accounts.
    pub lines: Vec<LineRecord>,
    /// Which entry (by its place in the group) is about which job.
    pub about: Vec<(u64, usize)>,
    /// What was sold.
    pub sales: Vec<SaleRecord>,
    /// What was offered.
    pub offered: Vec<OfferedRecord>,
    /// Who has changed what.
    pub acts: Vec<ActRecord>,
}

impl Group {
    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.acts.is_empty()
    }
}

/// What a hold was sold for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaleRecord {
    /// When it was settled.
    pub at: Time,
    /// The user who was charged.
    pub user: String,
    /// For which job.
    pub job: u64,
    /// What was sold, and for how much.
    pub sale: Sale,
}

/// How much time a site has offered since it last said what is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedRecord {
    /// On which day, counted from the beginning of 1970 in UTC.
    pub day: i64,
    /// The site that has offered it.
    pub site: SiteId,
    /// On which node; of all together, without.
    pub node: Option<NodeId>,
    /// How many milliseconds on nodes.
    pub millis: i64,
}

/// Whoever has changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The role of their token, or what else changes things.
    pub role: WriterRole,
    /// The name of their token, or of the file.
    pub name: String,
    /// The number of their token.
    pub token: Option<u64>,
}

/// That somebody has changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActRecord {
    /// When it was done, by the service's clock.
    pub at: Time,
    /// Who did it, and by which token.
    pub by: Writer,
    /// The entry that it came to, by its place in the group.
    pub place: Option<usize>,
    /// What it was, where it is in no entry: an [`act::Act`].
    pub body: Option<String>,
}

/// A job that has ended, as the register keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedJob {
    /// Its number.
    pub number: u64,
    /// Whose it was.
    pub user: String,
    /// How it ended, to find it by.
    pub state: &'static str,
    /// What it was called, to find it by.
    pub name: String,
    /// When it was submitted, to find it by.
    pub queued: Time,
    /// When it ended.
    pub at: Time,
    /// Everything that is kept of it: a [`record::Record`].
    pub body: String,
    /// The array of which it was an element.
    pub array: Option<u64>,
}

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRecord {
    /// Whose account, as the API writes it.
    pub account: String,
    /// When it was booked.
    pub at: Time,
    /// Why the money moved, as the API writes it.
    pub purpose: &'static str,
    /// How much, in micro-credits.
    pub amount: i64,
    /// What was on the account after it, in micro-credits.
    pub balance: i64,
    /// For which job.
    pub job: Option<u64>,
}

/// Why the journal could not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Somebody else has written: nothing was appended.
    #[error("the journal has {found} entries where {expected} were expected: another service writes to it")]
    Conflict {
        /// Where the entries should have gone.
        expected: u64,
        /// How many entries there are.
        found: u64,
    },
    /// It cannot be written now: the disk is full, or fails. Nothing was appended.
    #[error("the journal cannot be written: {0}")]
    Unwritable(String),
    /// It cannot be read.
    #[error("the journal cannot be read: {0}")]
    Unreadable(String),
    /// An entry is not as it was written: the checksums do not go together from here on.
    #[error("entry {0} of the journal is damaged: it is not as it was written, or one before it is missing")]
    Damaged(u64),
    /// An entry has a format that is not known here.
    #[error(
        "entry {position} of the journal has format {format}; this program reads formats {VERSION_MIN} to {VERSION}"
    )]
    Format {
        /// Its position.
        position: u64,
        /// Its format.
        format: u32,
    },
}

/// A durable list of entries, numbered from 1 on.
pub trait Journal: Send {
    /// Appends a group after `expected` entries; when it returns, they are durable.
    fn append(&mut self, expected: u64, group: &Group) -> Result<(), JournalError>;
    /// How many entries there are.
    fn position(&mut self) -> Result<u64, JournalError>;
    /// At most so many entries after a position.
    fn read(&mut self, after: u64, most: usize) -> Result<Vec<Entry>, JournalError>;
    /// The checksum of the entry at a position and of all before it, where it has one.
    fn chain_at(&mut self, position: u64) -> Result<Chain, JournalError>;
    /// Whether it can be written at all; costs a write, and keeps space for the next start.
    fn probe(&mut self) -> Result<(), JournalError>;
}

/// An entry as it is written.
pub fn encode(entry: &Entry) -> Result<Vec<u8>, JournalError> {
    serde_json::to_vec(&entry.short()).map_err(|error| JournalError::Unwritable(error.to_string()))
}

/// An entry as it was written, in this format or one before.
pub fn decode(position: u64, format: u32, body: &[u8]) -> Result<Entry, JournalError> {
    if !(VERSION_MIN..=VERSION).contains(&format) {
        return Err(JournalError::Format { position, format });
    }
    serde_json::from_slice(body)
        .map_err(|error| JournalError::Unreadable(format!("entry {position}: {error}")))
}
