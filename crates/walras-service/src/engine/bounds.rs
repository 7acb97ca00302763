//! What no plan could beat, worked out beside plans.
//!
//! A bound is begun when a plan of windows that may move has been taken over, on a thread of its own, for which nobody waits: one at a time, and after each there is a pause
//! of nine times as long as it took. So it takes a tenth of one processor at the most, however often there are plans.

use super::command::Command;
use super::core::Engine;
use crate::journal::Journal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use walras_broker::Input;
use walras_broker::again::BegunCycle;
use walras_broker::decision::Decision;

impl<J: Journal> Engine<J> {
    /// Begins to work out what no plan could beat that is made of the same.
    pub(super) fn bound(&mut self, known: Arc<BegunCycle>, decision: Box<Decision>) {
        if !known.state().bounds_beside() || !self.bounds.begin() {
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
