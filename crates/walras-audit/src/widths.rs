//! Workflows of one user have only so many units of nodes at a time, now or at any later moment.
//!
//! What a cycle plans keeps to that beside what cycles have planned before; quotes that were accepted, and alternatives that were kept ready, stand
//! whatever else there is. Nodes that have failed count here among all: how many stood when it was planned is not looked for again.
//!
//! O(h log h) in the nodes that the reservations of the user's workflows hold.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{LegState, Phase, Reservation};
use walras_broker::id::ReservationNumber;
use walras_model::Time;

impl Auditor {
    /// Looks at a reservation that was just asked for.
    pub(crate) fn check_widths(&self, look: &mut Look<'_>, number: ReservationNumber) {
        let is_workflow =
            |it: &Reservation| self.jobs.get(&it.job).is_some_and(|it| it.spec.workflow.is_some());
        let Some(new) = self.reservations.get(&number).filter(|it| it.of_cycle && is_workflow(it)) else {
            return;
        };
        let Some(share) = self.policy.sharing.map(|rules| rules.workflow_nodes) else { return };
        let all = i128::from(self.places.units_ever());
        let most = (all * i128::from(share.as_millionths()) + 999_999).div_euclid(1_000_000).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let open = |it: &&Reservation| it.of_cycle && it.user == new.user && it.phase != Phase::Closed;
        let all = self.reservations.values().filter(open).filter(|it| is_workflow(it));
        let mut steps: Vec<(Time, i64)> = all.flat_map(steps_of).collect();
        // Who goes makes room for who comes at that moment.
        steps.sort_unstable();
        let (mut held, mut peak) = (0_i64, 0_i64);
        for (_, by) in steps {
            held += by;
            peak = peak.max(held);
        }
        let nodes = usize::try_from(peak).unwrap_or(0);
        if nodes > most {
            look.report(FindingKind::TooManyNodes { job: new.job, nodes, most });
        }
    }
}

/// When a reservation takes nodes, and gives them back; those that sites have taken back do not count.
fn steps_of(reservation: &Reservation) -> impl Iterator<Item = (Time, i64)> {
    let left = |site| reservation.legs.get(&site) != Some(&LegState::Released);
    let legs = reservation.allocation.legs.iter().filter(move |leg| left(leg.site));
    legs.flat_map(|leg| &leg.holds).flat_map(|hold| {
        let units = i64::from(hold.units);
        [(hold.interval.start(), units), (hold.interval.end(), -units)]
    })
}
