//! Effects that are done together where several come at once.

use crate::contract::{Effect, Prepare, ReservationNumber};

/// What is asked to be held.
pub(super) fn prepare_of(effect: &Effect) -> Option<Prepare<'_>> {
    let Effect::Prepare { reservation, customer, holds, expiry, .. } = effect else { return None };
    Some(Prepare { reservation: *reservation, customer, holds, expiry: *expiry })
}

/// What is to be let go, whether something runs there or not.
pub(super) fn left(effect: &Effect) -> Option<ReservationNumber> {
    match effect {
        Effect::Release { reservation, .. } | Effect::Cancel { reservation, .. } => Some(*reservation),
        Effect::AskOffers { .. }
        | Effect::Plan(_)
        | Effect::Prepare { .. }
        | Effect::Confirm { .. }
        | Effect::Start { .. }
        | Effect::Go { .. }
        | Effect::Move(_)
        | Effect::Observe { .. }
        | Effect::Notify { .. } => None,
    }
}
