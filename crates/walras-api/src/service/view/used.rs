//! What programs have used, where sites count that.

use crate::described::JsonSchema;
use crate::number::Num;
use serde::{Deserialize, Serialize};

/// What programs have used, with all that they had started. Nobody pays by it: what is paid is the time that was reserved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsedView {
    /// Time on processors, in seconds, of all of them together; unknown, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<Num>,
    /// The most memory at a time, in bytes: of several parts, the most that one of them had; unknown, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}
