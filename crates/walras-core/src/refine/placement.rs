//! Task schedules: where every task is, and when.

use std::collections::BTreeMap;
use walras_model::id::{NodeId, TaskId};
use walras_model::quantity::{Money, Span, Time};

/// A task's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPlacement {
    /// The task that is placed.
    pub task: TaskId,
    /// Where it runs.
    pub node: NodeId,
    /// On which of the parts of it that are held side by side.
    pub part: u32,
    /// When it starts.
    pub start: Time,
    /// When it ends; the same moment for a task that takes no time.
    pub end: Time,
    /// What its time costs.
    pub cost: Money,
    /// The longest time that data for it is on its way.
    pub transfer: Span,
}

/// Every task of a workflow on a node and a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSchedule {
    pub(super) origin: Time,
    pub(super) placements: Vec<TaskPlacement>,
    /// By task that takes several nodes: all but the first.
    pub(super) others: BTreeMap<TaskId, Vec<NodeId>>,
}

impl TaskSchedule {
    /// By task; of one that takes several nodes, with the first of them.
    pub fn placements(&self) -> &[TaskPlacement] {
        &self.placements
    }

    /// The other nodes of a task that takes several.
    pub fn others(&self, task: TaskId) -> &[NodeId] {
        self.others.get(&task).map_or(&[], Vec::as_slice)
    }

    /// All nodes of a task.
    pub fn nodes(&self, task: TaskId) -> impl Iterator<Item = NodeId> {
        let first = self.placements.get(task.index()).map(|placement| placement.node);
        first.into_iter().chain(self.others(task).iter().copied())
    }

    /// The moment that the makespan counts from: when the first task might have started.
    pub fn origin(&self) -> Time {
        self.origin
    }

    /// When the first task starts.
    pub fn start(&self) -> Time {
        self.placements.iter().map(|placement| placement.start).min().unwrap_or(self.origin)
    }

    /// When the last task ends.
    pub fn finish(&self) -> Time {
        self.placements.iter().map(|placement| placement.end).max().unwrap_or(self.origin)
    }

    /// From the origin to the end of the last task.
    pub fn makespan(&self) -> Span {
        self.finish().span_since(self.origin).expect("a schedule starts at its origin or later")
    }

    /// What all tasks cost together.
    pub fn cost(&self) -> Money {
        self.placements.iter().map(|placement| placement.cost).sum()
    }
}
