//! How many nodes a workflow may have beside others of its user, and until when.
//!
//! A window that is to end before its user's other workflows take their nodes has that as its deadline. Where there is none, that is what is said,
//! since it is no deadline of the job's own.

use super::{PlanningJob, PlanningProblem, Remaining};
use crate::model::decision::Decision;
use crate::model::id::JobNumber;
use crate::model::job::Why;
use std::collections::BTreeMap;
use walras_model::{Request, Time};

/// Other workflows of a user have nodes from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnNext {
    /// From when on.
    pub at: Time,
    /// How many they have then.
    pub had: u32,
    /// How many a user's workflows may have.
    pub most: u32,
}

impl Remaining {
    /// The same with so many nodes, to be done before others of its user take theirs: that limits its request, too.
    pub(crate) fn within(&mut self, request: &mut Request, width: Width) {
        (self.nodes_max, self.next) = (Some(width.nodes), width.until);
        if let Some(next) = width.until {
            request.deadline = Some(request.deadline.map_or(next.at, |deadline| deadline.min(next.at)));
        }
    }
}

/// What a workflow may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    /// At most so many nodes.
    pub(crate) nodes: u32,
    /// Until then, where others of its user have them afterwards.
    pub(crate) until: Option<OwnNext>,
}

/// Says of workflows that have no window before their user's others take nodes that it is for want of nodes.
pub(super) fn told(problem: &PlanningProblem, decision: &mut Decision) {
    let next = |job: &PlanningJob| Some((job.number, job.workflow.as_ref()?.next?));
    let next: BTreeMap<JobNumber, OwnNext> = problem.jobs.iter().filter_map(next).collect();
    for unserved in &mut decision.verdict.unserved {
        if let (Some(OwnNext { had, most, .. }), Why::NoFit(_)) = (next.get(&unserved.job), &unserved.why) {
            unserved.why = Why::NodesHad { had: *had, most: *most };
        }
    }
}
