//! How far the strategies of workflows reach.

use serde::{Deserialize, Serialize};

/// What the strategies of workflows decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyUse {
    /// Where tasks go inside a window.
    #[default]
    Inside,
    /// Also which window it is.
    Windows,
}

impl StrategyUse {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
    pub(super) fn is_inside(&self) -> bool {
        *self == StrategyUse::Inside
    }
}
