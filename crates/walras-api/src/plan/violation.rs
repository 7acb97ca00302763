//! What is wrong with a plan, as data: what the verifier finds, and which of a plan's workflows it found it in.

use serde::Serialize;
use std::fmt;
use walras_verify::Violation;
use walras_verify::tasks::TaskViolation;

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PlanViolation {
    /// With its windows, its account of the batch or its choice.
    Windows(Violation),
    /// With what fills the windows of workflows.
    Workflow(WorkflowViolation),
}

/// Which of a plan's workflows is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkflowAt {
    /// Its position among the plan's workflows.
    pub index: usize,
    /// The job that it names.
    pub job: String,
}

/// What is wrong with a workflow of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorkflowViolation {
    /// The job that it names is none.
    NotAWorkflow {
        /// The workflow that is wrong.
        at: WorkflowAt,
    },
    /// It fills a window that is not chosen for its job.
    NotChosen {
        /// The workflow that is wrong.
        at: WorkflowAt,
        /// The position of the window among the plan's alternatives.
        alternative: usize,
    },
    /// Its tasks are not placed as they must be.
    Tasks {
        /// The workflow that is wrong.
        at: WorkflowAt,
        /// What is wrong with its tasks.
        #[serde(flatten)]
        violation: TaskViolation,
    },
    /// The plan does not place the tasks of a workflow that it has chosen a window for.
    NotPlaced {
        /// The job.
        job: String,
    },
}

impl fmt::Display for PlanViolation {
    /// One sentence without a full stop; times in seconds, money in credits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanViolation::Windows(violation) => violation.fmt(f),
            PlanViolation::Workflow(violation) => violation.fmt(f),
        }
    }
}

impl fmt::Display for WorkflowAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "workflows[{}] (job {})", self.index, self.job)
    }
}

impl fmt::Display for WorkflowViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use WorkflowViolation as W;
        match self {
            W::NotAWorkflow { at } => write!(f, "{at} names a job that is not a workflow"),
            W::NotChosen { at, alternative } => {
                write!(f, "{at} fills alternatives[{alternative}], which is not chosen for the job")
            }
            W::Tasks { at, violation } => write!(f, "{at}: {violation}"),
            W::NotPlaced { job } => {
                write!(f, "job {job} is a workflow whose tasks the plan does not place")
            }
        }
    }
}
