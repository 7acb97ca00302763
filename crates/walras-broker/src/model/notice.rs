//! Notices: what users are told when something happens to a job of theirs.

use super::id::JobNumber;
use serde::{Deserialize, Serialize};

/// A notice on its way to a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Whom.
    pub user: String,
    /// About which job.
    pub job: JobNumber,
    /// What.
    pub text: String,
}
