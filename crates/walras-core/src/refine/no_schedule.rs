//! What stands in the way of a schedule.

use walras_model::id::TaskId;
use walras_model::quantity::{Money, Time};
use walras_verify::tasks::TaskViolation;

/// Why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSchedule {
    /// No node fits this task.
    #[error("no node fits task {}", .task.number())]
    NoNode {
        /// The first task that no node fits.
        task: TaskId,
    },
    /// No site has so many nodes that fit this task.
    #[error("no site has {nodes} nodes that fit task {}", .task.number())]
    NoGang {
        /// The first task of which that is so.
        task: TaskId,
        /// How many nodes it takes.
        nodes: usize,
    },
    /// No lanes, or more tasks × lanes than [`CELLS_MAX`](super::CELLS_MAX).
    #[error("{tasks} tasks on {lanes} lanes are none, or too many")]
    Size {
        /// Tasks of the workflow.
        tasks: usize,
        /// Lanes of the platform.
        lanes: usize,
    },
    /// Times or costs beyond the range that is counted.
    #[error("times or costs are beyond the range that is counted")]
    TooLong,
    /// The cheapest nodes cost more than the budget.
    #[error("the cheapest nodes cost {needed}, which is above the budget")]
    BudgetTooSmall {
        /// What they cost.
        needed: Money,
    },
    /// No schedule can end in time.
    #[error("no schedule can end in time")]
    TooLittleTime {
        /// No schedule ends before; `None` when the free time does not suffice at all.
        bound: Option<Time>,
    },
    /// All schedules were looked at: none keeps the terms.
    #[error("no schedule keeps the terms: all were looked at")]
    NoneExists,
    /// None was found; there may be one.
    #[error("no schedule was found; there may be one")]
    NotFound,
    /// What was planned does not hold, and nothing that could take its place does.
    #[error("what was planned does not hold: {_0}")]
    Refuted(Box<TaskViolation>),
}
