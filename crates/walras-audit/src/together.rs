//! Windows over several sites: begun on all of them, or on none.
//!
//! Sites that can hold their parts back say when they are ready, a second before the start at the latest; nothing begins where one has not. Time
//! O(parts).

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{PartState, Phase};
use crate::sums::{is_queue, millis_between};
use std::collections::BTreeSet;
use walras_broker::allocation::Allocation;
use walras_broker::id::ReservationNumber;
use walras_model::SiteId;

/// How long before the start all must be ready, in milliseconds.
const BEFORE: i128 = 1_000;

impl Auditor {
    /// The sites that must say that they are ready before a window begins.
    pub(crate) fn waits_for(&self, allocation: &Allocation) -> BTreeSet<SiteId> {
        let tasks = allocation.parts.iter().any(|part| part.task.is_some());
        if allocation.legs.len() < 2 || tasks || is_queue(allocation) {
            return BTreeSet::new();
        }
        let sites = allocation.legs.iter().map(|leg| leg.site);
        sites.filter(|site| self.places.begins_together(*site)).collect()
    }

    /// A site is ready: it was asked to start something, and in time.
    pub(crate) fn ready(&mut self, look: &mut Look<'_>, number: ReservationNumber, site: SiteId) {
        let Some(reservation) = self.known(look, number) else { return };
        let plans = &reservation.allocation.parts;
        let mut there = plans.iter().zip(&reservation.parts).filter(|(plan, _)| plan.site == site);
        let asked = there.any(|(_, state)| *state == PartState::Due);
        let first = plans.iter().map(|plan| plan.start).min();
        let in_time = first.is_some_and(|first| millis_between(look.now, first) > BEFORE);
        let awaited = reservation.phase == Phase::Held && reservation.unready.contains(&site);
        if !(asked && in_time && awaited) {
            look.report(FindingKind::LegStep { reservation: number, site, step: "ready" });
        }
        if let Some(reservation) = self.reservations.get_mut(&number) {
            reservation.unready.remove(&site);
        }
    }
}
