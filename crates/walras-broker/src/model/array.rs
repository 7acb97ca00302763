//! Arrays: many jobs from one submission, of which only those are jobs that may soon run.
//!
//! **Problem.** A hundred thousand jobs that differ in a number must not cost a hundred thousand jobs to keep, list and plan.
//!
//! **Method.** An array is one object: what was submitted, once, and the sets of elements that are pending, that are jobs, and that have
//! ended. The numbers after its own are its elements' own, lowest index first, so that an element's number follows from its index and
//! nothing has to be remembered. Elements become ordinary jobs in bounded numbers, when they may go into the next batch.
//!
//! **Complexity.** O(ranges) of the sets for each element; as elements are taken in order, there are few.

pub use super::element::{ArrayCounts, Element, number_at, rank_at};

use super::gate::Waits;
use super::id::JobNumber;
use super::indices::Indices;
use super::job::{JobEnd, JobSpec, Why};
use super::ranks::Ranks;
use super::reservation::{PartState, ReservedPart};
use super::used::{Used, used_by_all};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::{Money, SiteId, Span, Time};

/// An array that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// Its number; those after it are its elements'.
    pub number: JobNumber,
    /// What was submitted.
    pub spec: Arc<JobSpec>,
    /// Which elements it has.
    pub indices: Indices,
    /// When it was submitted.
    pub queued_at: Time,
    /// Since when its elements may be planned, where they had to wait for something first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed_at: Option<Time>,
    /// Whether it waits for something before any element may be planned.
    pub waiting: bool,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Waits::is_none")]
    pub waits: Waits,
    /// Elements that are no jobs yet.
    pub pending: Ranks,
    /// Elements that are jobs.
    pub live: Ranks,
    /// Elements that have ended, and not well.
    pub unwell: Ranks,
    /// How elements have ended.
    pub counts: ArrayCounts,
    /// What elements were charged.
    pub spent: Money,
    /// Whether a part of an element has ever begun.
    pub begun: bool,
    /// What its elements have taken so far.
    #[serde(default)]
    pub took: ArrayTook,
    /// How it ends, where all of it was ended at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<JobEnd>,
}

/// What elements of an array have taken, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayTook {
    /// When the first of them began.
    pub start: Option<Time>,
    /// For how long parts of them ran.
    pub used: Option<Span>,
    /// For how long nodes were reserved for these.
    pub reserved: Option<Span>,
    /// The code of the first that failed by itself.
    pub code: Option<i32>,
    /// Where they ran.
    pub sites: BTreeSet<SiteId>,
    /// What their programs used, where sites count that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<Used>,
}

impl ArrayTook {
    /// Adds what a part of an element has taken, where it began; one that still runs is ended now, with its element.
    pub(crate) fn add(&mut self, part: &ReservedPart, now: Time) {
        let (since, at, code) = match part.state {
            PartState::Ended { since, at, end } => (since, at, end.code()),
            PartState::Running(since) => (since, now.max(since), None),
            PartState::Waiting | PartState::Due => return,
        };
        let sum = |so_far: Option<Span>, from: Time, to: Time| {
            let more = to.span_since(from).unwrap_or(Span::ZERO).as_millis();
            Span::from_millis(so_far.map_or(0, Span::as_millis).saturating_add(more)).or(so_far)
        };
        self.start = Some(self.start.map_or(since, |start| start.min(since)));
        self.used = sum(self.used, since, at);
        self.reserved = sum(self.reserved, part.plan.start, part.plan.end);
        self.sites.insert(part.plan.site);
        self.code = self.code.or(code);
        self.programs = used_by_all([self.programs, part.used]);
    }
}

impl ArrayCounts {
    /// So many more have ended so.
    pub(crate) fn add(&mut self, end: &JobEnd, more: u32) {
        let count = match end {
            JobEnd::Done => &mut self.done,
            JobEnd::Failed(_) => &mut self.failed,
            JobEnd::Cancelled => &mut self.cancelled,
            JobEnd::GivenUp(_) => &mut self.given_up,
        };
        *count += more;
    }
}

impl Array {
    /// An array of which no element is a job yet.
    pub(crate) fn new(
        number: JobNumber,
        spec: &Arc<JobSpec>,
        indices: &Indices,
        at: Time,
        waits: Waits,
    ) -> Array {
        Array {
            number,
            spec: Arc::clone(spec),
            indices: indices.clone(),
            queued_at: at,
            freed_at: None,
            waiting: !waits.is_none(),
            waits,
            pending: Ranks::first(indices.count()),
            live: Ranks::default(),
            unwell: Ranks::default(),
            counts: ArrayCounts::default(),
            spent: Money::ZERO,
            begun: false,
            took: ArrayTook::default(),
            cut: None,
        }
    }

    /// The number of its last element.
    pub fn last(&self) -> JobNumber {
        number_at(self.number, self.indices.count().saturating_sub(1))
    }

    /// The rank of the element of a number.
    pub fn rank_of(&self, number: JobNumber) -> Option<u32> {
        rank_at(self.number, self.indices.count(), number)
    }

    /// How many elements have not ended.
    pub fn left(&self) -> u32 {
        self.pending.len() + self.live.len()
    }

    /// How it ends, once no element is left.
    pub(crate) fn end(&self) -> JobEnd {
        let ArrayCounts { failed, given_up, cancelled, done: _ } = self.counts;
        match &self.cut {
            Some(end) => end.clone(),
            None if failed + given_up > 0 => JobEnd::Failed(Why::Elements(self.counts)),
            None if cancelled > 0 => JobEnd::Cancelled,
            None => JobEnd::Done,
        }
    }
}
