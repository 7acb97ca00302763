//! Space on the disk that is kept for the next start.
//!
//! **Problem.** On a full disk a journal cannot even be read: SQLite wants some space for the index of its log. So a service that was
//! stopped could not come back to say what is wrong.
//!
//! **Method.** While there is space, a file beside the journal takes a little of it. Whoever opens the journal to write gives that back,
//! opens everything else, and then takes it again. Where that fails the disk is full, and the service begins as one that only reads.
//!
//! **Complexity.** A write of [`BYTES`] for every start.
//!
//! ```
//! use walras_service::journal::reserve::Reserve;
//! let directory = tempfile::tempdir().unwrap();
//! let reserve = Reserve::beside(&directory.path().join("journal.db"));
//! reserve.take().unwrap();
//! assert!(directory.path().join("journal.reserve").exists());
//! reserve.give_back();
//! assert!(!directory.path().join("journal.reserve").exists());
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// So much is kept: enough to open the files of some ten sites.
pub const BYTES: usize = 1 << 20;

/// Space that is kept beside a journal.
#[derive(Debug)]
pub struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// That of a journal.
    pub fn beside(journal: &Path) -> Reserve {
        Reserve { path: journal.with_extension("reserve") }
    }

    /// Gives the space back; there may be none.
    pub fn give_back(&self) {
        let _ = std::fs::remove_file(&self.path);
    }

    /// Takes the space, unless it is taken; an error where the disk has no more.
    pub fn take(&self) -> io::Result<()> {
        let whole = u64::try_from(BYTES).unwrap_or(u64::MAX);
        if std::fs::metadata(&self.path).is_ok_and(|it| it.len() == whole) {
            return Ok(());
        }
        let taken = self.write();
        if taken.is_err() {
            self.give_back();
        }
        taken
    }

    fn write(&self) -> io::Result<()> {
        let mut file: File =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&self.path)?;
        file.write_all(&vec![0; BYTES])?;
        file.sync_all()
    }
}
