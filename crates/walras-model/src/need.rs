//! What a task of a workflow takes of its node.

use crate::attribute::Requirement;
use crate::quantity::{Data, Fixed, rounding};

/// What one task takes of its node, or several that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskNeed {
    /// How many cores; nodes that count none have enough.
    pub cores: u32,
    /// How much memory; nodes that count none have enough.
    pub memory: Option<Data>,
    /// What else its node must satisfy.
    pub requires: Vec<Requirement>,
}

impl TaskNeed {
    /// How many cores, as nodes count them.
    pub fn counted_cores(&self) -> Fixed {
        Fixed::from_millionths(i64::from(self.cores) * 1_000_000)
    }

    /// How much memory in gigabytes, as nodes count it; what is begun of a millionth of one counts.
    pub fn counted_memory(&self) -> Option<Fixed> {
        let millionths = |memory: Data| rounding::up(i128::from(memory.as_bytes()), 1_000);
        let counted = |memory| i64::try_from(millionths(memory)).ok().map(Fixed::from_millionths);
        self.memory.and_then(counted)
    }
}
