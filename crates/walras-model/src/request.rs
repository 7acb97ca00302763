//! What users ask for.

use crate::attribute::Requirement;
use crate::id::{JobId, NodeId, SiteId};
use crate::need::TaskNeed;
use crate::quantity::{Factor, Money, Performance, Rate, Time, Work};
use std::collections::BTreeSet;

/// What one job needs: tasks in parallel, each of the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// Unique in its batch.
    pub name: String,
    /// Who pays, where that is said: some owners have prices for single users.
    pub user: Option<String>,
    /// How many tasks at once; at least one.
    pub tasks: u32,
    /// Work of each task.
    pub work: Work,
    /// Nodes slower than this do not fit.
    pub performance_min: Performance,
    /// What a slot may cost per time (ALP), and the source of the budget where none is given.
    pub price_max: Option<Rate>,
    /// What the whole window may cost; replaces the budget that follows from `price_max`.
    pub budget: Option<Money>,
    /// All tasks must have ended by then.
    pub deadline: Option<Time>,
    /// No task may start before.
    pub earliest: Option<Time>,
    /// Higher goes first; equals go in batch order.
    pub priority: i64,
    /// What every node must satisfy.
    pub requires: Vec<Requirement>,
    /// Where the tasks may run.
    pub scope: Scope,
}

/// Where the tasks of one job may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scope {
    /// All tasks on one site, whichever it is.
    pub same_site: bool,
    /// Each task on a node of its own, also where nodes are sold in units.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    pub separate_nodes: bool,
    /// Only on these sites, where given.
    pub sites: Option<Vec<SiteId>>,
    /// Only on these nodes: how a planner asks for a window that holds tasks which need different ones. Nobody submits that, and it is kept
    /// nowhere.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub nodes: Option<BTreeSet<NodeId>>,
    /// What the tasks of a workflow ask for one by one: an owner who keeps nodes for who asks for something lets a workflow in of which a
    /// task does. It follows from the workflow, and is kept nowhere.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub asks: Vec<Requirement>,
    /// What the tasks of a workflow take of their nodes, each need once: a place on a node that is sold in units has as many as the dearest of those
    /// takes that the node can run. It follows from the workflow, and is kept nowhere.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub needs: Vec<TaskNeed>,
}

impl Scope {
    /// Whether a node of this site may be used at all.
    pub fn admits(&self, site: SiteId) -> bool {
        self.sites.as_ref().is_none_or(|sites| sites.contains(&site))
    }

    /// Whether it is one of the nodes that may be used.
    pub fn admits_node(&self, node: NodeId) -> bool {
        self.nodes.as_ref().is_none_or(|nodes| nodes.contains(&node))
    }

    /// How many tasks of a job may be side by side on a node that has room for so many.
    pub fn side_by_side(&self, room: u32) -> u32 {
        if self.separate_nodes { room.min(1) } else { room }
    }
}

impl Request {
    /// A request for that many tasks of that work, without any limit.
    pub fn new(name: &str, tasks: u32, work: Work) -> Request {
        Request {
            name: name.to_owned(),
            user: None,
            tasks,
            work,
            performance_min: Performance::ONE,
            price_max: None,
            budget: None,
            deadline: None,
            earliest: None,
            priority: 0,
            requires: Vec::new(),
            scope: Scope::default(),
        }
    }

    /// All that is asked for, by all tasks or by some.
    pub fn asked(&self) -> impl Iterator<Item = &Requirement> {
        self.requires.iter().chain(&self.scope.asks)
    }

    /// S: the given budget, or k · price_max · t · tasks, or no limit.
    ///
    /// The price of one task, price_max · t, is rounded up as every cost is; the product with k is rounded
    /// down. A budget beyond the range of money is no limit either, for no window costs as much.
    pub fn budget_limit(&self, factor: Factor) -> Option<Money> {
        self.budget.or_else(|| {
            let per_task = self.price_max?.cost_of_millis(self.work.millis_on(self.performance_min))?;
            let all = per_task.checked_mul(i128::from(self.tasks))?;
            i64::try_from(factor.of_micros(all)?).ok().map(Money::from_micros)
        })
    }
}

/// The jobs of one cycle. A [`JobId`] is a position here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    requests: Vec<Request>,
}

impl Batch {
    /// A batch of these jobs.
    pub fn new(requests: Vec<Request>) -> Batch {
        Batch { requests }
    }

    /// The jobs in the order in which they came.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The job with this id.
    pub fn request(&self, job: JobId) -> &Request {
        &self.requests[job.index()]
    }

    /// The order in which jobs are served: higher priority first, then as they came.
    pub fn by_priority(&self) -> Vec<JobId> {
        let mut jobs: Vec<JobId> = (0..self.requests.len()).filter_map(JobId::from_index).collect();
        jobs.sort_by_key(|job| std::cmp::Reverse(self.request(*job).priority));
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_follows_from_the_price_cap() {
        let mut request = Request::new("J", 3, Work::from_millis(10).unwrap());
        assert_eq!(request.budget_limit(Factor::ONE), None);
        request.price_max = Rate::from_micros_per_second(1_001);
        request.performance_min = Performance::from_millionths(3_000_000).unwrap();
        // t = ceil(10 / 3) = 4, so that one task may cost ceil(1.001 · 4) = 5.
        assert_eq!(request.budget_limit(Factor::ONE), Some(Money::from_micros(15)));
        assert_eq!(
            request.budget_limit(Factor::from_millionths(333_333).unwrap()),
            Some(Money::from_micros(4))
        );
        request.budget = Some(Money::from_micros(7));
        assert_eq!(request.budget_limit(Factor::ONE), Some(Money::from_micros(7)));
    }

    #[test]
    fn a_budget_stays_finite_when_the_run_time_does_not_fit() {
        let mut request = Request::new("J", 1, Work::from_millis(1_000_000_000_000_000).unwrap());
        request.performance_min = Performance::from_millionths(1).unwrap();
        request.price_max = Rate::from_micros_per_second(1);
        assert_eq!(request.budget_limit(Factor::ONE), Some(Money::from_micros(1_000_000_000_000_000_000)));
    }
}
