//! What became of jobs that others wait for, as the auditor keeps it.

use std::collections::{BTreeMap, BTreeSet};
use walras_broker::gate::Condition;
use walras_broker::id::JobNumber;

/// What became of jobs, and who waits for whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Awaited {
    /// Whether they ended well.
    pub(crate) ended: BTreeMap<JobNumber, bool>,
    /// Of those that have not ended: whose parts have begun.
    pub(crate) begun: BTreeSet<JobNumber>,
    pub(crate) dependents: BTreeMap<JobNumber, Vec<JobNumber>>,
    /// Those that wait for their namesakes.
    pub(crate) singletons: BTreeSet<JobNumber>,
}

impl Awaited {
    /// Whether a dependency holds; `None` while it may yet, or can never.
    pub(crate) fn holds(&self, number: JobNumber, condition: Condition) -> Option<bool> {
        match (condition, self.ended.get(&number)) {
            (Condition::Any | Condition::Started, Some(_)) => Some(true),
            (Condition::Ok, Some(well)) => Some(*well),
            (Condition::Failed, Some(well)) => Some(!well),
            (Condition::Started, None) => self.begun.contains(&number).then_some(true),
            (Condition::Ok | Condition::Any | Condition::Failed, None) => None,
        }
    }
}
