//! What no plan could beat, worked out beside plans.
//!
//! A bound is begun when a plan of windows that may move has been taken over, on a thread of its own, for which nobody waits: one at a time, and after each there is a pause
//! of nine times as long as it took. So it takes a tenth of one processor at the most, however often there are plans.

use super::command::Command;
use super::core::Engine;
use crate::journal::Journal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use walras_broker::Input;
use walras_broker::again::BegunCycle;
use walras_broker::decision::Decision;

/// For every moment of work so many of rest.
const REST: u32 = 9;
/// Nor more often than this.
const PAUSE_LEAST: Duration = Duration::from_secs(1);

/// When the next bound may begin; `None` while one is being worked out.
#[derive(Clone)]
pub(super) struct Bounds(Arc<Mutex<Option<Instant>>>);

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds(Arc::new(Mutex::new(Some(Instant::now()))))
    }
}

impl Bounds {
    fn next(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one may begin.
    pub(super) fn are_due(&self) -> bool {
        self.next().is_some_and(|at| at <= Instant::now())
    }

    fn rest(&self, worked: Duration) {
        let pause = worked.saturating_mul(REST).max(PAUSE_LEAST);
        *self.next() = Some(Instant::now() + pause);
    }
}

impl<J: Journal> Engine<J> {
    /// Begins to work out what no plan could beat that is made of the same.
    pub(super) fn bound(&mut self, known: Arc<BegunCycle>, decision: Box<Decision>) {
        if !known.state().bounds_beside() || self.bounds.next().take().is_none() {
            return;
        }
        let (bounds, commands) = (self.bounds.clone(), self.handle.commands.clone());
        let work = move || {
            let begun = Instant::now();
            let found = catch_unwind(AssertUnwindSafe(|| known.bound(&decision)));
            bounds.rest(begun.elapsed());
            match found {
                Ok(Some(bound)) => {
                    let input = Input::Bounded { cycle: known.number(), bound };
                    // The engine may have ended.
                    let _ = commands.send(Command::Own(Box::new(input)));
                }
                Ok(None) => {}
                Err(_) => tracing::error!(cycle = known.number().get(), "a bound has panicked"),
            }
        };
        if let Err(error) = std::thread::Builder::new().name("bound".to_owned()).spawn(work) {
            tracing::error!(%error, "no thread for a bound");
            self.bounds.rest(Duration::ZERO);
        }
    }
}
