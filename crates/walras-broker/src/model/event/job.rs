//! What has become of jobs, and who was told.

use crate::model::id::{JobNumber, NoticeNumber};
use crate::model::input::RequestKey;
use crate::model::job::{JobEnd, JobSpec, Why};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What has become of jobs, and who was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobEvent {
    /// A job is in the queue.
    Queued {
        /// Its number.
        job: JobNumber,
        /// The request.
        key: RequestKey,
        /// What was submitted.
        spec: Arc<JobSpec>,
    },
    /// A job is back in the queue.
    Returned {
        /// Which job.
        job: JobNumber,
        /// Why.
        why: Why,
    },
    /// A job is no more.
    Ended {
        /// Which job.
        job: JobNumber,
        /// How.
        end: JobEnd,
    },
    /// A notice has reached its user.
    Noticed(NoticeNumber),
}
