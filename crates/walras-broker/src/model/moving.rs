//! Files of tasks on their way from one site to another, and what becomes of them.

use serde::{Deserialize, Serialize};
use walras_model::{SiteId, Time};

/// Files are brought at most so often; then the task that wrote them runs again.
pub const TRIES_MAX: u32 = 4;

/// Files of a task that are on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moving {
    /// The site that has them: where their task ran.
    pub from: SiteId,
    /// Since when, at the last try.
    pub since: Time,
    /// How often it has failed.
    pub failed: u32,
}

/// What moves between sites have taught of how long data takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// How long a small one takes, in milliseconds.
    pub latency: u64,
    /// How many small ones there were.
    pub small: u64,
    /// The bytes of large ones.
    pub bytes: u64,
    /// How long these took beside the latency, in milliseconds.
    pub millis: u64,
}

impl Measured {
    /// Whether nothing has moved yet.
    pub fn is_nothing(&self) -> bool {
        *self == Measured::default()
    }
}

/// What happens to files on their way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveStep {
    /// They are to be brought from a site.
    Begun {
        /// The site that has them: where their task ran.
        from: SiteId,
        /// What they are called; nothing in journals of before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// They are there.
    Done {
        /// How many files.
        files: u32,
        /// How many bytes.
        bytes: u64,
    },
    /// They could not be brought, and it is tried again.
    Failed(MoveFault),
    /// They are nowhere to be had: the task that wrote them is to run again.
    Lost(MoveFault),
}

/// What came of bringing files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveEnd {
    /// They are there, and are what was read.
    Done {
        /// How many files.
        files: u32,
        /// How many bytes.
        bytes: u64,
    },
    /// They are not.
    Failed(MoveFault),
}

impl MoveFault {
    /// The file, where it is about one.
    pub fn file(&self) -> Option<&str> {
        match self {
            MoveFault::Silent(_) => None,
            MoveFault::NotThere(file)
            | MoveFault::Outside(file)
            | MoveFault::TooLarge(file)
            | MoveFault::Damaged(file)
            | MoveFault::Refused(file) => Some(file),
        }
    }

    /// Whether trying again, or running the task again, changes nothing: it is what the job's own programs have made.
    pub fn is_lasting(&self) -> bool {
        match self {
            MoveFault::Outside(_) | MoveFault::TooLarge(_) => true,
            MoveFault::Silent(_) | MoveFault::NotThere(_) | MoveFault::Damaged(_) | MoveFault::Refused(_) => {
                false
            }
        }
    }
}

/// Why files could not be brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveFault {
    /// A site does not say where its files are.
    Silent(SiteId),
    /// A file is not there, or is no plain file.
    NotThere(String),
    /// A file leads out of the job's directory.
    Outside(String),
    /// A file is larger than what is moved.
    TooLarge(String),
    /// What was written of a file is not what was read.
    Damaged(String),
    /// The system would not do it for a file.
    Refused(String),
}
