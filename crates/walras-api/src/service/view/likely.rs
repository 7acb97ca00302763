//! What history says: how long something is likely to take, and how often that was right.

use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// How long a job is likely to run, by jobs like it. What is promised, held and paid rests on what it asks for, and not on this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LikelyView {
    /// How long it is likely to run, in seconds: on the nodes that it has, or on a node of performance 1 before it has any. Half of such
    /// jobs run longer.
    pub run_time: Num,
    /// Nine of ten such jobs run no longer, in seconds; none where there are too few of them to say so, and where it is not less than the
    /// job asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nine_in_ten: Option<Num>,
    /// It runs no longer, in seconds: what it asks for.
    pub at_most: Num,
    /// When it is likely to have ended; none before it has a start, and once that has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Stamp>,
    /// How many jobs that is from.
    pub jobs: u32,
    /// In words.
    pub text: String,
}

/// How often what was said of jobs was right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationView {
    /// What was predicted.
    pub of: PredictedKind,
    /// The queue, where it was the wait there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Jobs of which it was said how long is likely, and that have come so far since.
    pub likely_said: u64,
    /// Those that took no longer: about half, where predictions are good.
    pub likely_held: u64,
    /// Jobs of which it was said what nine of ten stay within.
    pub nine_in_ten_said: u64,
    /// Those that stayed within: about nine of ten, where predictions are good.
    pub nine_in_ten_held: u64,
}

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PredictedKind {
    /// From start to end, at performance 1.
    RunTime,
    /// From submission to start.
    Wait,
    /// From asking a queue to the start there.
    QueueWait,
}

impl PredictedKind {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            PredictedKind::RunTime => "run-time",
            PredictedKind::Wait => "wait",
            PredictedKind::QueueWait => "queue-wait",
        }
    }
}
