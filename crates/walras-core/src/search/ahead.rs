//! Searches of several jobs side by side, with results that do not depend on it.
//!
//! **Problem.** Each job of a batch searches on what those before it have left, which is sequential by nature; machines
//! have several processors.
//!
//! **Method.** A few jobs that follow each other search *ahead*, all on the list as it is before the first of them cuts.
//! Then they are served in order. What one found still holds when none of its slots was cut meanwhile: since the list only
//! loses time, nothing else has become better. Otherwise it searches again, and only then is served.
//!
//! How many search ahead follows from how many of those before had to search again, and from nothing else. So the searches
//! that are made, and all results, are the same for any number of threads; with one, they are made one after the other.
//!
//! **Complexity.** That of the searches, divided by the threads, and those that are made again.

use super::Found;
use super::job::{JobSearch, SearchProblem};
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

    /// More search ahead while few do so in vain, and fewer when many do.
    pub(super) fn learn(&mut self, searched: usize, again: usize) {
        if again * 3 > searched {
            self.count = (self.count / 2).max(1);
        } else if again * 8 <= searched {
            self.count = (self.count * 2).min(AHEAD_MAX);
        }
    }

    /// Lets these jobs search, none knowing of the others.
    pub(super) fn search(&self, problem: &SearchProblem<'_>, jobs: &mut [FoundAhead]) {
        let wanted = problem.config.limits.alternatives_per_job_max;
        let search_all = |jobs: &mut [FoundAhead]| {
            for it in jobs.iter_mut().filter(|it| it.search.found < wanted) {
                it.found = it.search.next_in_rounds(it.job, problem, &mut it.slots_scanned);
            }
        };
        let threads = self.threads.min(jobs.len());
        if threads < 2 || jobs.len() < THREADED_MIN {
            return search_all(jobs);
        }
        let share = jobs.len() / threads + usize::from(!jobs.len().is_multiple_of(threads));
        std::thread::scope(|scope| {
            let (own, others) = jobs.split_at_mut(share);
            for others in others.chunks_mut(share) {
                scope.spawn(|| search_all(others));
            }
            search_all(own);
        });
    }
}
