//! What is made of history.

use serde::{Deserialize, Serialize};

/// What is made of history: run times relative to what is asked for, waits here and in queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionPolicy {
    /// By which end alternatives are judged, where a job does not say how.
    pub finish_by: FinishBy,
}

/// By which end alternatives are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishBy {
    /// By when the job has ended at the latest, as it asks for.
    #[default]
    Estimate,
    /// By when it is likely to end, where history says so.
    Prediction,
}
