//! Tasks that could start sooner than planned.
//!
//! **Problem.** Tasks are planned for as long as their users say, and most end sooner. Their nodes are held and paid for from the start of the
//! window on; whoever waited for the planned moment would leave them idle, hour after hour along a chain of tasks.
//!
//! **Method.** A task may start as soon as its hold has begun, those before it on its node have ended, and all that it reads is there. Tasks keep
//! their order on every node and only move forward, each within its hold: what comes after can still start when it was planned to.
//! A gang starts when all of it can. Who asks to start late (`alap`) is left where it is.
//!
//! **Complexity.** O(parts), and O(what they wait for) of the first part that waits on each node.

use crate::model::allocation::Part;
use crate::model::parts::{Gangs, Turns};
use crate::model::policy::TaskStart;
use crate::model::reservation::{PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::State;
use std::collections::BTreeMap;
use walras_core::refine::Strategy;
use walras_model::Time;

impl State {
    /// The parts of a held reservation that can start before they are planned to, by place, and from when on if nothing else happens.
    pub(crate) fn ready_sooner(
        &self,
        reservation: &Reservation,
        turns: &Turns,
        now: Time,
    ) -> Vec<(u32, Time)> {
        if !turns.any_waits || !self.may_start_sooner(reservation) {
            return Vec::new();
        }
        let sooner = |(part, place): (&ReservedPart, u32)| {
            let waits = part.state == PartState::Waiting && part.plan.start > now;
            let from = self.ready_from(reservation, turns, &part.plan).filter(|_| waits)?;
            (from < self.sent_at(reservation, turns, &part.plan)).then_some((place, from))
        };
        let ready = reservation.parts.iter().zip(0_u32..).filter_map(sooner).collect();
        together(reservation, ready)
    }

    fn may_start_sooner(&self, reservation: &Reservation) -> bool {
        let job = self.jobs.get(&reservation.job);
        let late =
            job.and_then(|job| job.spec.workflow.as_ref()).is_none_or(|of| of.strategy == Strategy::Alap);
        let held = reservation.phase == ReservationPhase::Held && !reservation.is_queue();
        let free = !self.is_fenced(reservation) && !self.is_offered(reservation);
        self.policy.task_start == TaskStart::Ready && held && !late && free
    }

    /// From when on a task has its node and all that it waits for; `None` while something has to happen first.
    fn ready_from(&self, reservation: &Reservation, turns: &Turns, part: &Part) -> Option<Time> {
        if turns.is_taken(part) || turns.follows(part) {
            return None;
        }
        let hold = reservation.hold_of(part).filter(|hold| hold.node.is_some())?;
        let there = self.there_from(reservation, part)?;
        self.has_files(reservation, part).then_some(there.max(hold.interval.start()))
    }
}

/// The same where a gang is there as a whole, or not at all.
fn together(reservation: &Reservation, ready: Vec<(u32, Time)>) -> Vec<(u32, Time)> {
    let gangs = Gangs::of(reservation);
    if ready.is_empty() || gangs.is_empty() {
        return ready;
    }
    let known: BTreeMap<u32, Time> = ready.iter().copied().collect();
    let with = |(place, from): (u32, Time)| {
        let others = gangs.with(reservation, place).iter();
        let all: Option<Vec<Time>> = others.map(|other| known.get(other).copied()).collect();
        Some((place, all?.into_iter().max().map_or(from, |last| last.max(from))))
    };
    ready.into_iter().filter_map(with).collect()
}
