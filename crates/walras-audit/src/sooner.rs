//! Tasks that start sooner than planned: on a node that is held and theirs, by the rules of the VO.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{PartState, Reservation};
use crate::sums::{hold_of, is_queue};
use walras_broker::allocation::Part;
use walras_broker::id::ReservationNumber;
use walras_broker::policy::TaskStart;
use walras_core::refine::Strategy;
use walras_model::{Span, Time};

impl Auditor {
    /// A part is to be started sooner than planned; from then on that is its time.
    pub(crate) fn sooner(&mut self, look: &mut Look<'_>, number: ReservationNumber, part: u32, start: Time) {
        let Some(reservation) = self.reservations.get(&number) else { return };
        let Some(planned) = reservation.allocation.parts.get(part as usize) else { return };
        let job = self.jobs.get(&reservation.job);
        let strategy = job.and_then(|job| job.spec.workflow.as_ref()).map(|of| of.strategy);
        let asks_late = strategy.is_none_or(|strategy| strategy == Strategy::Alap);
        let held = hold_of(&reservation.allocation, planned).is_some_and(|hold| {
            hold.node.is_some() && hold.interval.start() <= start && !is_queue(&reservation.allocation)
        });
        let by_rule = self.policy.task_start == TaskStart::Ready && !asks_late;
        let in_time = start == look.now && start < planned.start;
        if !by_rule || !held || !in_time || is_passed(reservation, planned) {
            look.report(FindingKind::TooSoon { reservation: number, part });
        }
        let reservation = self.reservations.get_mut(&number);
        if let Some(planned) = reservation.and_then(|it| it.allocation.parts.get_mut(part as usize)) {
            let length = planned.end.span_since(planned.start).unwrap_or(Span::ZERO);
            (planned.start, planned.end) = (start, start.checked_add(length).unwrap_or(Time::MAX));
        }
    }
}

/// Whether another part on the same hold comes first and has not ended, or runs there.
fn is_passed(reservation: &Reservation, planned: &Part) -> bool {
    let mut others = reservation.allocation.parts.iter().zip(&reservation.parts);
    others.any(|(other, state)| {
        let there = (other.site, other.hold) == (planned.site, planned.hold);
        let first = other.start < planned.start || matches!(state, PartState::Due | PartState::Running(_));
        there && first && !matches!(state, PartState::Ended { .. })
    })
}
