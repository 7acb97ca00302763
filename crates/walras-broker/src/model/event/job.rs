//! What has become of jobs, and who was told.

use crate::model::id::{JobNumber, NoticeNumber, QuoteNumber};
use crate::model::input::RequestKey;
use crate::model::job::{JobEnd, JobSpec, Planned, Why};
use crate::model::ranks::Ranks;
use crate::model::stand_in::{is_stand_in, stand_in};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use walras_core::agenda::Promise;

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
        #[serde(default = "stand_in", skip_serializing_if = "is_stand_in")]
        spec: Arc<JobSpec>,
    },
    /// An alternative of a quote is asked of sites, to be held until it is taken or the quote ends.
    Offered {
        /// The job that it becomes when it is taken.
        job: JobNumber,
        /// The quote.
        quote: QuoteNumber,
        /// What was asked for.
        #[serde(default = "stand_in", skip_serializing_if = "is_stand_in")]
        spec: Arc<JobSpec>,
    },
    /// An alternative of a quote is held no more: another was taken, or none, or a site failed.
    Withdrawn(JobNumber),
    /// A job is back in the queue.
    Returned {
        /// The job that waits for a window again.
        job: JobNumber,
        /// Why it has no window now.
        why: Why,
    },
    /// A job is planned: newly, or elsewhere than before.
    Planned {
        /// The job that has the window.
        job: JobNumber,
        /// The window that it has in the plan; it may move until sites hold it.
        plan: Arc<Planned>,
        /// What it is promised from now on.
        promise: Promise,
        /// Whether an earlier promise could not be kept: what it rested on is gone.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        renewed: bool,
    },
    /// Nothing is waited for any more: a job is in the queue.
    Freed(JobNumber),
    /// A user lets a job go that was held.
    Released(JobNumber),
    /// Elements of an array become jobs, by rank.
    Drawn {
        /// The array that they are elements of.
        array: JobNumber,
        /// Which elements; they were pending.
        elements: Ranks,
    },
    /// Elements of an array end without ever having been jobs.
    Cut {
        /// The array that they were elements of.
        array: JobNumber,
        /// Which elements; they were pending.
        elements: Ranks,
        /// How they end.
        end: JobEnd,
        /// Whether all of the array ends so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whole: bool,
    },
    /// A job is no more, or an array.
    Ended {
        /// The job or the array, by its number.
        job: JobNumber,
        /// Whether it ended well, and if not, why.
        end: JobEnd,
    },
    /// A notice has reached its user.
    Noticed(NoticeNumber),
}
