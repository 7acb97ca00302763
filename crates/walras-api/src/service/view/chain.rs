//! Quotes for whole chains of jobs.

use super::why::{ChangeView, FitView};
use crate::described::JsonSchema;
use crate::number::Num;
use crate::service::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// What a whole chain would cost, and when it would run; or which of its jobs finds no window, and what would help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainView {
    /// The number of the quote; none where a job finds no window.
    pub quote: Option<u64>,
    /// Until when it can be accepted.
    pub until: Option<Stamp>,
    /// When its first job starts, as planned.
    pub start: Option<Stamp>,
    /// When its last job has ended, at the latest.
    pub finish: Option<Stamp>,
    /// What all of it costs at most, in credits.
    pub price: Option<Num>,
    /// Its jobs, each after those it waits for.
    pub jobs: Vec<ChainJobView>,
    /// The first job that finds no window.
    pub unfit: Option<UnfitView>,
}

/// A job of a chain that is quoted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainJobView {
    /// Its name.
    pub name: String,
    /// For which jobs of the chain it waits, by their places from 0 on, and for what.
    pub after: Vec<ChainAfterView>,
    /// When it starts, as planned.
    pub start: Stamp,
    /// When it has ended, as planned.
    pub finish: Stamp,
    /// When it starts at the latest.
    pub start_by: Stamp,
    /// When it has ended at the latest.
    pub finish_by: Stamp,
    /// What it costs at most, in credits.
    pub price: Num,
    /// Where it would run.
    pub sites: Vec<String>,
}

/// What a job of a chain waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainAfterView {
    /// The other job, by its place from 0 on.
    pub job: u32,
    /// What must have become of it: `ok`, `any` or `started`.
    pub condition: String,
}

/// A job of a chain that finds no window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnfitView {
    /// Its place from 0 on.
    pub job: u32,
    /// Its name.
    pub name: String,
    /// From when on it was looked for one, for those that it waits for.
    pub from: Option<Stamp>,
    /// Why there is none.
    pub reasons: Vec<FitView>,
    /// The smallest change of each kind that would help.
    pub changes: Vec<ChangeView>,
}
