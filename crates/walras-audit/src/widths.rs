//! Workflows of one user have only so many nodes at a time.
//!
//! What a cycle plans keeps to that beside what cycles have planned before; quotes that were accepted, and alternatives that were kept ready, stand
//! whatever else there is. Nodes that have failed count here among all: how many stood when it was planned is not looked for again.
//!
//! O(reservations).

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use crate::state::{LegState, Phase, Reservation};
use walras_broker::id::ReservationNumber;

impl Auditor {
    /// Looks at a reservation that was just asked for.
    pub(crate) fn check_widths(&self, look: &mut Look<'_>, number: ReservationNumber) {
        let is_workflow =
            |it: &Reservation| self.jobs.get(&it.job).is_some_and(|it| it.spec.workflow.is_some());
        let Some(new) = self.reservations.get(&number).filter(|it| it.of_cycle && is_workflow(it)) else {
            return;
        };
        let Some(share) = self.policy.sharing.map(|rules| rules.workflow_nodes) else { return };
        let all = i128::try_from(self.places.nodes_ever()).unwrap_or(i128::MAX);
        let most = (all * i128::from(share.as_millionths()) + 999_999).div_euclid(1_000_000).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let open = |it: &&Reservation| it.of_cycle && it.user == new.user && it.phase != Phase::Closed;
        let nodes = self.reservations.values().filter(open).filter(|it| is_workflow(it)).map(nodes_of).sum();
        if nodes > most {
            look.report(FindingKind::TooManyNodes { job: new.job, nodes, most });
        }
    }
}

/// How many nodes sites have not taken back.
fn nodes_of(reservation: &Reservation) -> usize {
    let left = |site| reservation.legs.get(&site) != Some(&LegState::Released);
    let legs = reservation.allocation.legs.iter().filter(|leg| left(leg.site));
    legs.map(|leg| leg.holds.len()).sum()
}
