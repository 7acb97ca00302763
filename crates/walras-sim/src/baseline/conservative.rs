//! Conservative backfilling with compression.
//!
//! **Method** (A. W. Mu'alem, D. G. Feitelson, TPDS 12(6), 2001). Whoever comes is promised the earliest start that delays no
//! promise made before. When a job ends before its stated time, the calendar is compressed: in order of arrival,
//! jobs move to the earliest start that there is for them, which is never later than before. So nobody starts after their
//! first promise.
//!
//! **Complexity.** A promise is one search of the [`Profile`]. A job can only move into time that was given back since it was
//! last looked at, so compression searches no further than to the end of that.

use super::kinds::{Running, Waiting};
use super::profile::{NEVER, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// The first arrival.
const FIRST: u64 = 1 << 62;

/// A calendar of promises.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    profile: Profile,
    nodes: u32,
    /// By arrival, with their planned starts.
    planned: BTreeMap<u64, (i64, Waiting)>,
    /// The same by planned start, then by arrival.
    starts: BTreeSet<(i64, u64)>,
    arrivals: u64,
    /// Jobs that were lost are numbered from the first arrival down.
    lost: u64,
    /// Time that was given back since everybody was looked at, from the first to the last moment of it.
    freed: Option<(i64, i64)>,
    compress: bool,
}

impl Calendar {
    pub(super) fn new(nodes: u32) -> Calendar {
        let (profile, planned) = (Profile::new(nodes, i64::MIN / 4), BTreeMap::new());
        Calendar {
            profile,
            nodes,
            planned,
            starts: BTreeSet::new(),
            arrivals: FIRST,
            lost: 0,
            freed: None,
            compress: false,
        }
    }

    /// Plans a job; gives the start that it is promised.
    pub(super) fn submit(&mut self, now: i64, job: Waiting) -> i64 {
        // Whoever moves first gets what was given back just now.
        self.settle(now);
        let start = self.profile.earliest(now, job.nodes, job.estimate);
        if start != NEVER {
            self.profile.take(start, start + job.estimate, job.nodes);
        }
        self.arrivals += 1;
        self.planned.insert(self.arrivals, (start, job));
        self.starts.insert((start, self.arrivals));
        start
    }

    pub(super) fn end(&mut self, now: i64, job: &Running) {
        if now < job.stated {
            self.give(now, job.stated, job.nodes);
            self.compress = true;
        }
    }

    /// A job that was lost waits again, before all others; it is planned when the calendar is made anew.
    pub(super) fn again(&mut self, job: Waiting) {
        self.lost += 1;
        let arrival = FIRST - self.lost;
        self.planned.insert(arrival, (NEVER, job));
        self.starts.insert((NEVER, arrival));
    }

    /// Somebody does not wait any more; others may move up.
    pub(super) fn withdraw(&mut self, slot: u32) {
        let found = self.planned.iter().find(|(_, (_, job))| job.slot == slot);
        let Some((arrival, (start, job))) = found.map(|(arrival, planned)| (*arrival, *planned)) else {
            return;
        };
        self.planned.remove(&arrival);
        self.starts.remove(&(start, arrival));
        if start != NEVER {
            self.give(start, start + job.estimate, job.nodes);
            self.compress = true;
        }
    }

    /// Plans everybody anew, in order of arrival, around those who run; who has no place until nodes are back waits for that.
    pub(super) fn resize(&mut self, now: i64, nodes: u32, running: impl Iterator<Item = Running>) {
        (self.nodes, self.profile) = (nodes, Profile::new(nodes, now));
        for job in running.filter(|job| job.stated > now) {
            self.profile.take(now, job.stated, job.nodes);
        }
        self.starts.clear();
        for (arrival, (start, job)) in &mut self.planned {
            *start = self.profile.earliest(now, job.nodes, job.estimate);
            if *start != NEVER {
                self.profile.take(*start, *start + job.estimate, job.nodes);
            }
            self.starts.insert((*start, *arrival));
        }
        (self.freed, self.compress) = (None, false);
    }

    fn give(&mut self, from: i64, until: i64, nodes: u32) {
        self.profile.give(from, until, nodes);
        let (first, last) = self.freed.unwrap_or((from, until));
        self.freed = Some((first.min(from), last.max(until)));
    }

    /// Compresses the calendar where a job has ended early.
    fn settle(&mut self, now: i64) {
        if !std::mem::take(&mut self.compress) {
            return;
        }
        self.profile.forget_before(now);
        // What this round gives back, those that were looked at before have not seen.
        let mut given: Option<(i64, i64)> = None;
        let mut planned = std::mem::take(&mut self.planned);
        for (arrival, (start, job)) in planned.iter_mut().filter(|(_, (start, _))| *start > now) {
            let Some(earlier) = self.earlier(now, *start, job) else { continue };
            let left = (*start, *start + job.estimate);
            self.give(left.0, left.1, job.nodes);
            self.profile.take(earlier, earlier + job.estimate, job.nodes);
            self.starts.remove(&(*start, *arrival));
            self.starts.insert((earlier, *arrival));
            *start = earlier;
            let (first, last) = given.unwrap_or(left);
            given = Some((first.min(left.0), last.max(left.1)));
        }
        self.planned = planned;
        self.freed = given;
    }

    /// An earlier start for a job that is planned.
    fn earlier(&self, now: i64, start: i64, job: &Waiting) -> Option<i64> {
        let (first, last) = self.freed?;
        let from = now.max(first.saturating_sub(job.estimate));
        self.profile.earliest_before(from, start.min(last), start, job.nodes, job.estimate)
    }

    /// Everybody whose time has come.
    pub(super) fn start(&mut self, now: i64, started: &mut Vec<Waiting>) {
        self.settle(now);
        while let Some((_, arrival)) = self.starts.first().copied().filter(|first| first.0 <= now) {
            self.starts.pop_first();
            started.extend(self.planned.remove(&arrival).map(|(_, job)| job));
        }
    }

    /// When the next job starts.
    pub(super) fn next(&self) -> Option<i64> {
        self.starts.first().map(|first| first.0).filter(|start| *start != NEVER)
    }

    /// The earliest start of a job that would come now.
    pub(super) fn forecast(&self, now: i64, nodes: u32, estimate: i64) -> i64 {
        self.profile.earliest(now, nodes, estimate)
    }

    pub(super) fn fits_now(&self, now: i64, nodes: u32, estimate: i64) -> bool {
        nodes <= self.nodes && self.forecast(now, nodes, estimate) == now
    }

    pub(super) fn waiting(&self) -> usize {
        self.planned.len()
    }
}
