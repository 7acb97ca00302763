//! What asking for less would save: the same alternative for fewer units of its nodes.

use super::check::whole_rate;
use crate::model::allocation::{Allocation, Hold};
use crate::model::job::JobSpec;
use crate::model::state::State;
use walras_core::explain::{self, Cheaper, Taken};

/// Where a job would pay less in an alternative for asking for less of its nodes. Of workflows, whose places follow from many tasks, nothing is named, and of queues nothing is known.
///
/// What a node costs as a whole follows from what is asked for its units, rounded so that no more is promised than is saved.
pub fn cheaper(state: &State, spec: &JobSpec, allocation: &Allocation) -> Vec<Cheaper> {
    let task = |hold: &Hold| {
        let node = state.node_spec(hold.node?)?;
        let rate = whole_rate(hold, node.division.units());
        Some(Taken {
            division: &node.division,
            attributes: &node.attributes,
            rate,
            span: hold.interval.span(),
        })
    };
    if spec.workflow.is_some() {
        return Vec::new();
    }
    let tasks: Option<Vec<Taken<'_>>> = allocation.holds().map(|(_, hold)| task(hold)).collect();
    tasks.map(|tasks| explain::cheaper(&spec.request, &tasks)).unwrap_or_default()
}
