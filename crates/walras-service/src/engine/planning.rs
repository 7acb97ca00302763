//! Which plans are being made, and when what no plan could beat may be worked out.

use super::command::Extent;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
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

    /// Whether one may begin; then it has begun.
    pub(super) fn begin(&self) -> bool {
        self.next().take().is_some()
    }

    /// One has ended that took so long.
    pub(super) fn rest(&self, worked: Duration) {
        let pause = worked.saturating_mul(REST).max(PAUSE_LEAST);
        *self.next() = Some(Instant::now() + pause);
    }
}
