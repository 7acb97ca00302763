//! Which plans are being made.

use super::command::Extent;
use std::sync::Arc;
use std::time::Instant;
use walras_broker::again::BegunCycle;
use walras_broker::id::CycleNumber;

/// The plans that are being made.
#[derive(Default)]
pub(super) struct Planning {
    /// The whole one.
    pub(super) whole: Option<Whole>,
    /// Of what the brief one is being made.
    pub(super) brief: Option<Arc<BegunCycle>>,
}

/// A whole plan that is being made.
pub(super) struct Whole {
    /// The cycle, with what the broker knew when planning began.
    pub(super) known: Arc<BegunCycle>,
    /// Then a brief one is begun, once.
    pub(super) patience: Option<Instant>,
}

impl Planning {
    /// A plan has come, or will not.
    pub(super) fn ended(&mut self, extent: Extent) {
        match extent {
            Extent::Whole => self.whole = None,
            Extent::Brief => self.brief = None,
        }
    }

    /// Whether a cycle's plan is on its way.
    pub(super) fn has(&self, cycle: CycleNumber) -> bool {
        self.brief.as_ref().is_some_and(|it| it.number() == cycle)
            || self.whole.as_ref().is_some_and(|it| it.known.number() == cycle)
    }
}
