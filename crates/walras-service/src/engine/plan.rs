//! Plans, made beside the engine.

use super::command::Command;
use super::core::Engine;
use crate::journal::Journal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use walras_broker::id::CycleNumber;

impl<J: Journal> Engine<J> {
    /// Makes a plan on a thread of its own, one at a time: while one takes too long, the next has to wait, or come to nothing.
    pub(super) fn plan(&mut self, cycle: CycleNumber) {
        if self.planning {
            return;
        }
        let Some(known) = self.broker.begun(cycle).map(Arc::new) else { return };
        self.shared.keep(&known);
        let commands = self.handle.commands.clone();
        let work = move || {
            let begun = Instant::now();
            let planned = catch_unwind(AssertUnwindSafe(|| known.plan()));
            let seconds = begun.elapsed().as_secs_f64();
            let command = match planned {
                Ok(decision) => Command::Planned(cycle, Box::new(decision), seconds),
                Err(_) => {
                    tracing::error!(
                        cycle = cycle.get(),
                        "planning has panicked: the cycle ends without a plan"
                    );
                    Command::NotPlanned
                }
            };
            // The engine may have ended.
            let _ = commands.send(command);
        };
        match std::thread::Builder::new().name("plan".to_owned()).spawn(work) {
            Ok(_) => self.planning = true,
            Err(error) => tracing::error!(%error, "no thread for a plan"),
        }
    }
}
