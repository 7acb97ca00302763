//! What is carried.

use walras_broker::id::NoticeNumber;
use walras_broker::notice::Letter;

/// Something that somebody is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// By this number.
    pub notice: NoticeNumber,
    /// Whose job it is.
    pub user: String,
    /// What people call the job.
    pub job: String,
    /// What has happened, in one sentence.
    pub text: String,
    /// Where it goes, and when it happened.
    pub letter: Letter,
}
