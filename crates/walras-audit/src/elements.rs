//! The elements of an array, as the auditor keeps them: where each is, and what came of them.

use walras_broker::id::JobNumber;
use walras_broker::indices::Indices;
use walras_broker::job::{JobEnd, Why};

/// Where an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Pending,
    Live,
    Ended,
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    /// Which there are; kept for good, so that each can be named.
    pub(crate) indices: Indices,
    /// Where each is, by rank; none once the array has ended.
    pub(crate) at: Vec<At>,
    pub(crate) live: u32,
    /// What is held for them, and what they were charged.
    pub(crate) liens: i128,
    pub(crate) spent: i128,
    pub(crate) unwell: u32,
    pub(crate) cancelled: u32,
    /// How all of it was ended at once.
    pub(crate) cut: Option<JobEnd>,
}

impl Elements {
    pub(crate) fn count(&mut self, end: &JobEnd) {
        match end {
            JobEnd::Done => {}
            JobEnd::Failed(_) | JobEnd::GivenUp(_) => self.unwell += 1,
            JobEnd::Cancelled => self.cancelled += 1,
        }
    }

    /// How the array ends by what became of its elements.
    pub(crate) fn is_end(&self, end: &JobEnd) -> bool {
        match &self.cut {
            Some(cut) => cut == end,
            None if self.unwell > 0 => matches!(end, JobEnd::Failed(Why::Elements(_))),
            None if self.cancelled > 0 => *end == JobEnd::Cancelled,
            None => *end == JobEnd::Done,
        }
    }
}

pub(crate) fn number_at(array: JobNumber, rank: u32) -> JobNumber {
    JobNumber::new(array.get() + 1 + u64::from(rank))
}
