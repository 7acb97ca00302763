//! Searches of several jobs side by side, with results that do not depend on it.
//!
//! **Problem.** Each job of a batch searches on what those before it have left, which is sequential by nature; machines
//! have several processors.
//!
//! **Method.** A few jobs that follow each other search *ahead*, all on the list as it is before the first of them cuts.
//! Then they are served in order. What one found still holds when none of its slots was cut meanwhile: since the list only
//! loses time, nothing else has become better. Otherwise it searches again, and only then is served. By a criterion, a search
//! that is made again has the bounds of the one ahead, and reads only stretches of time that were cut since: so searching
//! ahead pays even where most windows are taken by others meanwhile.
//!
//! How many search ahead follows from how much those before had to read again, and from nothing else. So the searches
//! that are made, and all results, are the same for any number of threads; with one, they are made one after the other.
//!
//! **Complexity.** That of the searches, divided by the threads, and those that are made again.

use super::Found;
use super::job::{JobSearch, Problems};
use std::sync::{Mutex, PoisonError};
use walras_model::id::JobId;

/// So many jobs search ahead at most.
const AHEAD_MAX: usize = 256;
/// For fewer jobs no thread is started.
const THREADED_MIN: usize = if cfg!(test) { 2 } else { 8 };

/// How many jobs search ahead.
pub(super) struct Ahead {
    threads: usize,
    count: usize,
}

/// What a job found ahead of its turn.
pub(super) struct FoundAhead {
    pub(super) job: JobId,
    pub(super) search: JobSearch,
    pub(super) found: Option<Found>,
    pub(super) slots_scanned: u64,
}

impl Ahead {
    pub(super) fn new(threads: usize) -> Ahead {
        Ahead { threads: threads.max(1), count: THREADED_MIN }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// More search ahead while little has to be read again, and fewer when much has; both in slots.
    pub(super) fn learn(&mut self, read_ahead: u64, read_again: u64) {
        if read_again.saturating_mul(8) > read_ahead {
            self.count = (self.count / 2).max(1);
        } else if read_again.saturating_mul(16) <= read_ahead {
            self.count = (self.count * 2).min(AHEAD_MAX);
        }
    }

    /// Lets these jobs search, none knowing of the others.
    pub(super) fn search(&self, problems: &Problems<'_>, jobs: &mut [FoundAhead]) {
        let search = |it: &mut FoundAhead| {
            let problem = problems.of(it.job);
            if it.search.found < problem.config_of(it.job).limits.alternatives_per_job_max {
                it.found = it.search.next_in_rounds(it.job, problem, &mut it.slots_scanned);
            }
        };
        let threads = self.threads.min(jobs.len());
        if threads < 2 || jobs.len() < THREADED_MIN {
            return jobs.iter_mut().for_each(search);
        }
        // Each takes the next job that nobody has taken, since some searches are much longer than others.
        let waiting = Mutex::new(jobs.iter_mut());
        let work = || {
            let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            std::iter::from_fn(next).for_each(search);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }
}
