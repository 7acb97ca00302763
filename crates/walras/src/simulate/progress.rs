//! How far a simulation has come, on standard error, when somebody is there to see it.

use crate::terminal::StatusLine;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use walras_model::Time;
use walras_sim::study::PolicySpec;

/// What is shown.
pub(super) struct Progress {
    line: StatusLine,
    total: u64,
    done: AtomicU64,
    begun: Instant,
    /// Tenths of a second since the beginning when it was shown last.
    shown: AtomicU64,
}

impl Progress {
    pub(super) fn new(total: u64) -> Progress {
        Progress {
            line: StatusLine::new(),
            total: total.max(1),
            done: AtomicU64::new(0),
            begun: Instant::now(),
            shown: AtomicU64::new(0),
        }
    }

    /// Some jobs are over.
    pub(super) fn add(&self, jobs: u64, (policy, seed, at): (&PolicySpec, u64, Time)) {
        let done = self.done.fetch_add(jobs, Ordering::Relaxed) + jobs;
        if !self.line.is_visible() || !done.is_multiple_of(64) {
            return;
        }
        let passed = self.begun.elapsed();
        let tenths = u64::try_from(passed.as_millis() / 100).unwrap_or(u64::MAX);
        if self.shown.fetch_max(tenths, Ordering::Relaxed) >= tenths {
            return;
        }
        let rate = done as f64 / passed.as_secs_f64().max(0.001);
        let day = at.as_millis() / 86_400_000;
        let share = 100 * done / self.total;
        self.line.show(&format!("{share}%  {policy}, seed {seed}: day {day}  {rate:.0} jobs/s"));
    }

    pub(super) fn clear(&self) {
        self.line.clear();
    }
}
