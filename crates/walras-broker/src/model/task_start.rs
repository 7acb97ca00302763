//! When tasks of workflows start.

use serde::{Deserialize, Serialize};

/// When a task starts that finds all that it waits for sooner than planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskStart {
    /// When that was planned.
    #[default]
    Planned,
    /// At once, where it is next on its node and the node is held; the last task of a strategy that starts late waits for its time.
    Ready,
}

impl TaskStart {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
    pub(super) fn is_planned(&self) -> bool {
        *self == TaskStart::Planned
    }
}
