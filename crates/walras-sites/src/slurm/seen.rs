//! What is ours in what was seen of a cluster.

use super::command::{Instance, Wanted};
use super::free::Snapshot;
use super::parse::{JobState, ReservationSeen};

/// A reservation that begins later than asked for by so many seconds is one that was moved.
const MOVED_BY: i64 = 2;

/// Whether a reservation is there as it was asked for.
pub(super) fn stands(snapshot: &Snapshot, wanted: &Wanted) -> bool {
    snapshot.reservations.get(&wanted.name).is_some_and(|it| is_as_asked(it, wanted))
}

fn is_as_asked(seen: &ReservationSeen, wanted: &Wanted) -> bool {
    // Of a node that is sold in units: no fewer cores than it needs.
    let cores = wanted.cores.is_none_or(|cores| seen.reserved.cores.is_some_and(|has| has >= cores));
    let in_time = seen.start <= wanted.start + MOVED_BY && seen.end >= wanted.end;
    cores && in_time && seen.nodes == [wanted.node.as_str()]
}

/// Whether no other reservation has cores of this one at the same time: of two of ours that do, the first keeps them.
pub(super) fn has_cores_alone(snapshot: &Snapshot, wanted: &Wanted, ours: &Instance) -> bool {
    let Some(own) = snapshot.reservations.get(&wanted.name).filter(|_| wanted.share.is_some()) else {
        return true;
    };
    let is_first = |name: &str| ours.read(&wanted.name) < ours.read(name);
    let meets = |it: &ReservationSeen| {
        let at_once = it.start < own.end && own.start < it.end;
        at_once && it.nodes.contains(&wanted.node) && it.reserved.meets(&own.reserved, &wanted.node)
    };
    let mut others = snapshot.reservations.values().filter(|it| it.name != wanted.name);
    !others.any(|it| meets(it) && !is_first(&it.name))
}

/// Whether a job of that name waits or runs.
pub(super) fn is_running(snapshot: &Snapshot, name: &str) -> bool {
    snapshot
        .jobs
        .iter()
        .any(|job| job.name == name && matches!(job.state, JobState::Pending | JobState::Active))
}
