//! Elements of arrays: which they are, which numbers they have, how they end.

use super::id::JobNumber;
use serde::{Deserialize, Serialize};

/// How elements have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayCounts {
    /// Those that ended well.
    pub done: u32,
    /// By themselves.
    pub failed: u32,
    /// Cancelled by their user.
    pub cancelled: u32,
    /// Because they could not be run.
    pub given_up: u32,
}

/// One element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// The array.
    pub array: JobNumber,
    /// The element's index.
    pub index: u32,
}

/// The number of the element of a rank.
pub fn number_at(array: JobNumber, rank: u32) -> JobNumber {
    JobNumber::new(array.get().saturating_add(1).saturating_add(rank.into()))
}

/// The rank of the element of a number, in an array of so many.
pub fn rank_at(array: JobNumber, count: u32, number: JobNumber) -> Option<u32> {
    let rank = number.get().checked_sub(array.get())?.checked_sub(1)?;
    u32::try_from(rank).ok().filter(|rank| *rank < count)
}
