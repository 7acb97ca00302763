//! Parts that are moved while a reservation is held: only what has not begun, and only to where it can run.
//!
//! Time O(parts · log parts).

use crate::finding::{AllocationFault, FindingKind};
use crate::look::Look;
use crate::state::{PartState, Phase, Reservation};
use crate::sums::{hold_of, millis_between};
use crate::{Auditor, reasons, tasks};
use std::collections::BTreeMap;
use walras_broker::allocation::Part;
use walras_broker::id::ReservationNumber;
use walras_broker::input::Input;
use walras_broker::job::Why;
use walras_model::{TaskId, Time};

impl Auditor {
    /// The parts of a reservation are these from now on.
    pub(crate) fn rescheduled(
        &mut self,
        look: &mut Look<'_>,
        number: ReservationNumber,
        parts: &[Part],
        why: &Why,
    ) {
        let Some(reservation) = self.known(look, number) else { return };
        if reservation.phase != Phase::Held || parts.len() != reservation.parts.len() {
            return look.report(FindingKind::ReservationStep { reservation: number, step: "rescheduled" });
        }
        if !reasons::is_true(self, look, number, reservation, Some(why)) {
            look.report(FindingKind::WrongReason { reservation: number });
        }
        let states = reservation.parts.clone();
        let mut faults: Vec<(u32, AllocationFault)> = Vec::new();
        for (part, place) in parts.iter().zip(0_u32..) {
            let fault = self.part_fault(look, reservation, part, place);
            faults.extend(fault.map(|fault| (place, fault)));
        }
        faults.extend(apart(parts, &states).map(|place| (place, AllocationFault::StartsApart)));
        // What has ended is in nobody's allocation.
        let counts = |place: usize| !matches!(states.get(place), Some(PartState::Ended { .. }));
        let overlaps = tasks::overlapping(parts, counts);
        faults.extend(overlaps.into_iter().map(|place| (place, AllocationFault::PartsOverlap(place))));
        for (part, fault) in faults {
            look.report(FindingKind::BadSchedule { reservation: number, part, fault });
        }
        if let Some(reservation) = self.reservations.get_mut(&number) {
            reservation.allocation.parts = parts.to_vec();
        }
    }

    fn part_fault(
        &self,
        look: &Look<'_>,
        reservation: &Reservation,
        part: &Part,
        place: u32,
    ) -> Option<AllocationFault> {
        let old = reservation.allocation.parts.get(place as usize)?;
        let state = reservation.parts.get(place as usize)?;
        let before = |part: &Part| -> Vec<u32> { part.after.iter().map(|(from, _)| *from).collect() };
        if part.task != old.task || before(part) != before(old) {
            return Some(AllocationFault::Moved);
        }
        let Some(hold) = hold_of(&reservation.allocation, part) else {
            return Some(AllocationFault::PartOutside(place));
        };
        if *state != PartState::Waiting {
            // It may take longer, but it is where it was.
            let same = (part.site, part.hold, part.start) == (old.site, old.hold, old.start);
            return (!same).then_some(AllocationFault::Moved);
        }
        let inside = hold.interval.start() <= part.start && part.end <= hold.interval.end();
        if hold.node.is_some() && !inside || millis_between(part.start, part.end) < 0 {
            return Some(AllocationFault::PartOutside(place));
        }
        // Behind a task that overruns, others take their prepared places as late as any part may start.
        let overrun = *look.input == Input::Tick && reservation.overruns(look.now);
        let grace = if overrun { i128::from(self.policy.grace.as_millis()) } else { 0 };
        if millis_between(part.start, look.now) > grace && *part != *old {
            return Some(AllocationFault::Past(part.start));
        }
        if !self.places.site_stands(part.site) {
            return Some(AllocationFault::SiteLost(part.site));
        }
        let node = hold.node?;
        if !self.places.node_stands(node) {
            return Some(AllocationFault::NodeLost(node));
        }
        self.places.is_taken(node, part.start, part.end).then_some(AllocationFault::NodeTaken(node))
    }
}

/// Parts of gangs that wait and would not start with the first of theirs.
fn apart<'a>(parts: &'a [Part], states: &'a [PartState]) -> impl Iterator<Item = u32> + 'a {
    let mut starts: BTreeMap<TaskId, Time> = BTreeMap::new();
    let waiting =
        parts.iter().zip(states).zip(0_u32..).filter(|((_, state), _)| **state == PartState::Waiting);
    waiting.filter_map(move |((part, _), place)| {
        let first = *starts.entry(part.task?).or_insert(part.start);
        (first != part.start).then_some(place)
    })
}
