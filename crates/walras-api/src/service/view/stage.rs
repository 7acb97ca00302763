//! How far a part of a job is, or how it ended.

use crate::described::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a part is, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartStage {
    /// Its time has not come.
    Waiting,
    /// Its site was told to start it.
    Due,
    /// It runs.
    Running,
    /// It ended well.
    Done,
    /// It failed by itself.
    Failed,
    /// It needed more time than it had.
    TimedOut,
    /// Its node or its site failed.
    Lost,
    /// The owner took the node back.
    TakenBack,
    /// What watched over it was ended while its machine went on.
    Vanished,
    /// It used more memory than its share of the node has.
    OutOfMemory,
}

impl PartStage {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            PartStage::Waiting => "waiting",
            PartStage::Due => "due",
            PartStage::Running => "running",
            PartStage::Done => "done",
            PartStage::Failed => "failed",
            PartStage::TimedOut => "timed-out",
            PartStage::Lost => "lost",
            PartStage::TakenBack => "taken-back",
            PartStage::Vanished => "vanished",
            PartStage::OutOfMemory => "out-of-memory",
        }
    }
}
