//! What is ours in what was seen of a cluster.

use super::command::Wanted;
use super::free::Snapshot;
use super::parse::{JobState, ReservationSeen};

/// A reservation that begins later than asked for by so many seconds is one that was moved.
const MOVED_BY: i64 = 2;

/// Whether a reservation is there as it was asked for.
pub(super) fn stands(snapshot: &Snapshot, wanted: &Wanted) -> bool {
    snapshot.reservations.get(&wanted.name).is_some_and(|it| is_as_asked(it, wanted))
}

fn is_as_asked(seen: &ReservationSeen, wanted: &Wanted) -> bool {
    seen.nodes == [wanted.node.as_str()] && seen.start <= wanted.start + MOVED_BY && seen.end >= wanted.end
}

/// Whether a job of that name waits or runs.
pub(super) fn is_running(snapshot: &Snapshot, name: &str) -> bool {
    snapshot
        .jobs
        .iter()
        .any(|job| job.name == name && matches!(job.state, JobState::Pending | JobState::Active))
}
