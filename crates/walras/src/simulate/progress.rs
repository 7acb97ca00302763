//! How far a simulation has come, on standard error, when somebody is there to see it.

use crate::terminal::StatusLine;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use walras_model::Time;
use walras_sim::study::PolicySpec;

/// So many jobs are looked at one by one: where each takes long, somebody waits to see that anything happens.
const FEW: u64 = 1_000;
/// How many signs a bar and the name of a policy have at most, so that all of it fits a line.
const BAR: u64 = 20;
const NAME_MAX: usize = 24;

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
        if !self.line.is_visible() || done > FEW && !done.is_multiple_of(64) {
            return;
        }
        let passed = self.begun.elapsed();
        let tenths = u64::try_from(passed.as_millis() / 100).unwrap_or(u64::MAX);
        if self.shown.fetch_max(tenths, Ordering::Relaxed) >= tenths {
            return;
        }
        let rate = done as f64 / passed.as_secs_f64().max(0.001);
        let day = at.as_millis() / 86_400_000;
        let policy = shortened(&policy.to_string());
        self.line
            .show(&format!("{}  {policy}, seed {seed}: day {day}  {rate:.0} jobs/s", bar(done, self.total)));
    }

    pub(super) fn clear(&self) {
        self.line.clear();
    }
}

/// How much is done, as a bar and in percent.
fn bar(done: u64, total: u64) -> String {
    let of = |whole: u64| done.min(total).saturating_mul(whole) / total.max(1);
    let full = of(BAR);
    let signs: String = (0..BAR).map(|sign| if sign < full { '#' } else { '.' }).collect();
    format!("[{signs}] {:3}%", of(100))
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_MAX) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_from_nothing_to_all() {
        assert_eq!(bar(0, 10), "[....................]   0%");
        assert_eq!(bar(3, 10), "[######..............]  30%");
        assert_eq!(bar(10, 10), "[####################] 100%");
        // There may be more than were counted before.
        assert_eq!((bar(11, 10), bar(0, 0)), (bar(10, 10), bar(0, 1)));
        assert_eq!(shortened("walras:value=1.2"), "walras:value=1.2");
        assert_eq!(shortened("walras:value=0.02,until=deadline"), "walras:value=0.02,until=…");
    }
}
