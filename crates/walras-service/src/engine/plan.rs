//! Plans, made beside the engine.
//!
//! One whole plan is made at a time. It takes as long as it takes, and its cycle waits for it only so long: when half of that time is over, a
//! brief plan is made of the same cycle, without the workflows and as of then, and decides it unless the whole one comes first. While a whole plan that came
//! too late for its own cycle is still being made, later cycles are planned briefly. So a plan always comes, and says whom it left out.

use super::command::{Command, Extent, Made};
use super::core::{Engine, Outcome};
use super::planning::Whole;
use crate::journal::Journal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use walras_broker::Input;
use walras_broker::again::BegunCycle;
use walras_broker::id::CycleNumber;

impl<J: Journal> Engine<J> {
    /// Begins a plan for a cycle, unless one is on its way.
    pub(super) fn plan(&mut self, cycle: CycleNumber) {
        if self.planning.has(cycle) || self.planning.brief.is_some() {
            return;
        }
        if self.planning.whole.is_some() {
            return self.plan_briefly(cycle);
        }
        let Some(known) = self.broker.begun(cycle).map(Arc::new) else { return };
        self.shared.keep(&known);
        let until = known.state().cycle.as_ref().map_or(known.state().clock, |cycle| cycle.until);
        let patience = Some(Instant::now() + self.config.clock.until(until) / 2);
        self.planning.whole = Some(Whole { known: known.clone(), patience });
        self.begin_plan(known, Extent::Whole);
    }

    /// Whoever has waited long enough for a whole plan gets a brief one.
    pub(super) fn hurry(&mut self) {
        let Some(whole) = &mut self.planning.whole else { return };
        let open = self.broker.state().cycle.as_ref().map(|cycle| cycle.number);
        let waited = whole.patience.is_some_and(|until| Instant::now() >= until);
        if waited && self.planning.brief.is_none() && open == Some(whole.known.number()) {
            whole.patience = None;
            let cycle = whole.known.number();
            self.plan_briefly(cycle);
        }
    }

    /// Begins a brief plan of what is known by now: of what was known when the cycle was closed, much would have begun already.
    fn plan_briefly(&mut self, cycle: CycleNumber) {
        let now = self.config.clock.now();
        if let Some(known) = self.broker.begun_late(cycle, now).map(Arc::new) {
            tracing::warn!(cycle = cycle.get(), "a plan takes long: its cycle is planned without workflows");
            self.planning.brief = Some(known.clone());
            self.begin_plan(known, Extent::Brief);
        }
    }

    /// A plan has come: it is taken over as far as it still holds, and then there is time to ask how good it is.
    pub(super) fn take_plan(&mut self, made: Made, outcome: &mut Outcome) {
        let Made { cycle, decision, copy, seconds, extent } = made;
        let known = self.planning.whole.as_ref().map(|whole| Arc::clone(&whole.known));
        let known = known.filter(|known| extent == Extent::Whole && known.number() == cycle);
        self.plan_came(cycle, extent);
        self.metrics.planned(seconds);
        match (self.take(Input::Decided { cycle, decision }, None, outcome), known.zip(copy)) {
            (Ok(_), Some((known, copy))) => self.bound(known, copy),
            (Ok(_), None) => {}
            (Err(refusal), _) => tracing::debug!(%refusal, "a plan came to nothing"),
        }
    }

    /// A plan has come: what it was made of is kept, to be looked at, if it may decide its cycle.
    fn plan_came(&mut self, cycle: CycleNumber, extent: Extent) {
        let open = self.broker.state().cycle.as_ref().map(|open| open.number);
        let brief = self.planning.brief.take_if(|_| extent == Extent::Brief);
        if let Some(brief) = brief.filter(|_| open == Some(cycle)) {
            self.shared.keep(&brief);
        }
        self.planning.ended(extent);
    }

    fn begin_plan(&mut self, known: Arc<BegunCycle>, extent: Extent) {
        let (cycle, commands) = (known.number(), self.handle.commands.clone());
        let wanted = extent == Extent::Whole && known.state().bounds_beside() && self.bounds.are_due();
        let work = move || {
            let begun = Instant::now();
            let planned = catch_unwind(AssertUnwindSafe(|| match extent {
                Extent::Whole => known.plan(),
                Extent::Brief => known.plan_briefly(),
            }));
            let seconds = begun.elapsed().as_secs_f64();
            let command = match planned {
                Ok(decision) => {
                    let decision = Box::new(decision);
                    let copy = wanted.then(|| decision.clone());
                    Command::Planned(Box::new(Made { cycle, decision, copy, seconds, extent }))
                }
                Err(_) => {
                    tracing::error!(
                        cycle = cycle.get(),
                        "planning has panicked: the cycle ends without a plan"
                    );
                    Command::NotPlanned(extent)
                }
            };
            // The engine may have ended.
            let _ = commands.send(command);
        };
        if let Err(error) = std::thread::Builder::new().name("plan".to_owned()).spawn(work) {
            tracing::error!(%error, "no thread for a plan");
            self.planning.ended(extent);
        }
    }
}
