//! What the passing of time brings.

use super::failover::{end_job, fail_over};
use super::{Draft, HEARD, cycle};
use crate::event::Event;
use crate::id::ReservationNumber;
use crate::input::Answer;
use crate::job::{JobEnd, Phase, Why};
use crate::sabotage::{Sabotage, sabotaged};
use crate::settle::Fault;
use crate::state::{LegState, PartState, Reservation, ReservationPhase};
use crate::way::Part;
use walras_model::{SiteId, Time};

pub(super) fn pass(draft: &mut Draft<'_>) -> Answer {
    let (state, now) = (draft.state, draft.now);
    for (number, _) in state.quotes.iter().filter(|(_, quote)| now >= quote.until) {
        draft.push(Event::QuoteExpired(*number));
    }
    for (number, reservation) in &state.reservations {
        match reservation.phase {
            _ if sabotaged(Sabotage::NoTimeout) => {}
            ReservationPhase::Preparing(until) if now >= until => silent(draft, *number, LegState::Asked),
            ReservationPhase::Confirming(until) if now >= until => silent(draft, *number, LegState::Prepared),
            ReservationPhase::Held => held(draft, *number, reservation),
            _ => {}
        }
    }
    let mut given_up = false;
    for job in state.jobs.values().filter(|job| job.phase == Phase::Queued) {
        if job.spec.request.deadline.is_some_and(|deadline| deadline <= now) {
            end_job(draft, job.number, JobEnd::GivenUp(Why::DeadlinePassed));
            given_up = true;
        }
    }
    // A cycle is opened from the state as it is: it waits until those who have just been given up are gone.
    if !given_up {
        cycle::pass(draft, now);
    }
    HEARD
}

/// Sites that are still that far have not answered in time.
fn silent(draft: &mut Draft<'_>, number: ReservationNumber, leg: LegState) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    let silent: Vec<SiteId> =
        reservation.legs.iter().filter(|(_, state)| **state == leg).map(|(site, _)| *site).collect();
    fail_over(draft, number, Why::Silent(silent), Fault::Machine);
}

/// Parts whose time has come are started; a part that should have ended long ago is lost.
fn held(draft: &mut Draft<'_>, number: ReservationNumber, reservation: &Reservation) {
    let now = draft.now;
    let grace = draft.state.policy.grace;
    let after = |time: Time| time.checked_add(grace).is_some_and(|late| now > late);
    let queue = reservation.way.is_queue();
    let parts = || reservation.way.parts.iter().zip(&reservation.parts);
    if !queue
        && parts().any(|(part, state)| *state == PartState::Waiting && after(last_start(reservation, part)))
    {
        return fail_over(draft, number, Why::StartMissed, Fault::Machine);
    }
    let unheard = |(part, state): (&Part, &PartState)| {
        let begun = matches!(state, PartState::Due | PartState::Running(_));
        let end = reservation.way.hold_of(part).map_or(part.end, |hold| hold.interval.end());
        // A queue may take its time, but not for ever.
        let longest = if queue { end.checked_add(draft.state.policy.horizon).unwrap_or(end) } else { end };
        (begun && after(longest)).then_some(part.site)
    };
    let silent: Vec<SiteId> = parts().filter_map(unheard).collect();
    if !silent.is_empty() {
        return fail_over(draft, number, Why::Silent(silent), Fault::Machine);
    }
    start_due(draft, number, reservation);
}

/// The last moment at which a part can start and still end within its hold.
fn last_start(reservation: &Reservation, part: &Part) -> Time {
    let spare = reservation.way.hold_of(part).map_or(0, |hold| hold.interval.end() - part.end);
    Time::from_millis(part.start.as_millis().saturating_add(spare.max(0))).unwrap_or(part.start)
}

/// Starts every part whose time has come, unless something of the job may still run elsewhere.
pub(super) fn start_due(draft: &mut Draft<'_>, number: ReservationNumber, reservation: &Reservation) {
    let (state, now) = (draft.state, draft.now);
    if state.is_fenced(reservation) && !sabotaged(Sabotage::NoFence) {
        return;
    }
    let places = reservation.way.parts.iter().zip(&reservation.parts).zip(0_u32..);
    // In a queue the site decides when it starts.
    let in_time = |part: &Part| part.start <= now || reservation.way.is_queue();
    let due = places.filter(|((part, state), _)| {
        **state == PartState::Waiting && in_time(part) && reservation.is_ready(part, now)
    });
    let parts: Vec<u32> = due.map(|(_, place)| place).collect();
    if !parts.is_empty() {
        draft.push(Event::PartsDue { reservation: number, parts });
    }
}
