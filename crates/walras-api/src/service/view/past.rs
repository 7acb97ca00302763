//! What jobs that have ended took: how long they waited and ran, what they cost, how they ended.

use super::job::JobState;
use super::used::UsedView;
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// Jobs that have ended, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastJobsView {
    /// The jobs.
    pub jobs: Vec<PastJobView>,
    /// Where to go on: the `before` of the next request. None when there are no more.
    pub next: Option<u64>,
}

/// A job that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastJobView {
    /// Its number.
    pub job: u64,
    /// What people call it: its number; an element by its array and index, as `17_3`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whose it was.
    pub user: String,
    /// How it ended.
    pub state: JobState,
    /// How many nodes it needed at once; for a workflow, how many tasks it had.
    pub tasks: u32,
    /// How many elements it had, where it was an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<u32>,
    /// When it was submitted.
    pub queued_at: Stamp,
    /// When it started, if it did; of an array, when its first element did.
    pub start: Option<Stamp>,
    /// When it ended.
    pub finish: Stamp,
    /// How long it waited for its start, in seconds.
    pub wait: Option<Num>,
    /// How long it ran from its first start to its end, in seconds.
    pub run: Option<Num>,
    /// For how long its parts ran on nodes, all together, in seconds.
    pub used: Option<Num>,
    /// For how long nodes were reserved for these parts, in seconds: what it was estimated to need.
    pub reserved: Option<Num>,
    /// The share of the reserved time that was used: 1 is an estimate to the point, above it was too short.
    pub estimate: Option<Num>,
    /// What it was charged, in credits.
    pub charged: Num,
    /// What its programs used, where sites count that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<UsedView>,
    /// The code that its program ended with: 0 when it is done; none where it never ran to an end of its own. Of an array, the code of the
    /// first element that failed.
    pub exit_code: Option<i32>,
    /// How many reservations failed that it could do nothing about.
    pub attempts: u32,
    /// Where it ran.
    pub sites: Vec<String>,
    /// Why it did not end well, in one sentence.
    pub why: Option<String>,
}
