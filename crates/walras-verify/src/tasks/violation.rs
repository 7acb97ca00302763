//! What can be wrong with a task schedule.

use std::fmt;
use walras_model::attribute::Requirement;
use walras_model::quantity::{Data, Money, Span, Time};

/// What is wrong with a task schedule. Tasks and nodes go by the names that the claim uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what the sentences below say they are")]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "wrong", rename_all = "snake_case"))]
pub enum TaskViolation {
    /// The workflow has no such task.
    UnknownTask { task: String },
    /// A task stands there again.
    TaskTwice { task: String },
    /// A task of the workflow is not there.
    TaskMissing { task: String },
    /// There is no such node.
    UnknownNode { task: String, node: String },
    /// A task is on another number of nodes than it takes.
    WrongGang { task: String, expected: u32, claimed: usize },
    /// A task is on one node twice.
    NodeTwice { task: String },
    /// A task ends before it starts.
    Reversed { task: String, start: Time, end: Time },
    /// A task lasts longer or shorter than its node needs.
    WrongRuntime { task: String, node: String, expected: Option<Span>, claimed: Span },
    /// A task is not inside one free interval of its node.
    OutsideFreeTime { task: String, node: String, start: Time, end: Time },
    /// The node states fewer cores than the task uses.
    TooFewCores { task: String, node: String, needed: u32 },
    /// The node states less memory than the task needs.
    TooLittleMemory { task: String, node: String, needed: Data },
    /// The node's attributes are not what the task asks.
    RequirementUnmet { task: String, node: String, requirement: Requirement },
    /// A task's cost is not its node's price × its time, rounded up.
    WrongCost { task: String, expected: Money, claimed: Money },
    /// A task starts before the data of another has arrived.
    BeforeData { task: String, from: String, arrives: Time, start: Time },
    /// Two tasks share time on a node.
    Overlap { first: String, second: String, node: String },
    /// A task starts before the job may.
    BeforeEarliest { task: String, earliest: Time, start: Time },
    /// A task ends after the deadline.
    AfterDeadline { task: String, deadline: Time, end: Time },
    /// The tasks cost more than the job may spend.
    OverBudget { budget: Money, cost: Money },
    /// The cost claimed is not the sum of the tasks' costs.
    WrongTotal { expected: Money, claimed: Money },
}

impl fmt::Display for TaskViolation {
    /// One sentence without a full stop; times in seconds, money in credits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TaskViolation as V;
        match self {
            V::UnknownTask { task } => write!(f, "task {task} is not in the workflow"),
            V::TaskTwice { task } => write!(f, "task {task} is there twice"),
            V::TaskMissing { task } => write!(f, "task {task} of the workflow is missing"),
            V::UnknownNode { task, node } => write!(f, "task {task} is on {node}, which there is not"),
            V::WrongGang { task, expected, claimed } => {
                write!(f, "task {task} takes {expected} nodes at a time and is on {claimed}")
            }
            V::NodeTwice { task } => write!(f, "task {task} is on one node twice"),
            V::Reversed { task, start, end } => {
                write!(f, "task {task} ends at {end} s, before its start at {start} s")
            }
            V::WrongRuntime { task, node, expected: Some(expected), claimed } => {
                write!(f, "task {task} lasts {claimed} s but its node {node} needs {expected} s")
            }
            V::WrongRuntime { task, node, expected: None, claimed } => {
                write!(
                    f,
                    "task {task} lasts {claimed} s but its node {node} needs longer than time is counted"
                )
            }
            V::OutsideFreeTime { task, node, start, end } => {
                write!(f, "task {task} runs from {start} s to {end} s, which {node} does not have free")
            }
            V::TooFewCores { task, node, needed } => {
                write!(f, "task {task} uses {needed} cores and {node} has fewer")
            }
            V::TooLittleMemory { task, node, needed } => {
                write!(f, "task {task} needs {} bytes of memory and {node} has less", needed.as_bytes())
            }
            V::RequirementUnmet { task, node, requirement } => {
                write!(f, "task {task} requires {requirement}, which {node} does not satisfy")
            }
            V::WrongCost { task, expected, claimed } => {
                write!(f, "task {task} claims to cost {claimed} but its time costs {expected}")
            }
            V::BeforeData { task, from, arrives, start } => {
                write!(f, "task {task} starts at {start} s but the data of {from} arrives at {arrives} s")
            }
            V::Overlap { first, second, node } => {
                write!(f, "tasks {first} and {second} are on {node} at the same time")
            }
            V::BeforeEarliest { task, earliest, start } => {
                write!(f, "task {task} starts at {start} s, before the job may at {earliest} s")
            }
            V::AfterDeadline { task, deadline, end } => {
                write!(f, "task {task} ends at {end} s, after the deadline {deadline} s")
            }
            V::OverBudget { budget, cost } => {
                write!(f, "the tasks cost {cost}, more than the budget {budget}")
            }
            V::WrongTotal { expected, claimed } => {
                write!(f, "the cost claimed is {claimed} but the tasks' costs sum to {expected}")
            }
        }
    }
}
