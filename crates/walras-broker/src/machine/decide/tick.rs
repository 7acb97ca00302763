//! What the passing of time brings.

use super::bring::stage;
use super::draft::Draft;
use super::failover::{fail_over, overrun};
use super::gate::end_job;
use super::{HEARD, agenda, array, cycle, hold};
use crate::model::allocation::Part;
use crate::model::array::Array;
use crate::model::event::{QuoteEvent, ReservationEvent};
use crate::model::id::ReservationNumber;
use crate::model::input::Answer;
use crate::model::job::{Job, JobEnd, Phase, Why};
use crate::model::parts::{Gangs, Turns};
use crate::model::reservation::{LegState, PartState, Reservation, ReservationPhase, ReservedPart};
use crate::model::state::State;
use std::collections::BTreeSet;
use walras_model::{SiteId, Time};

pub(super) fn pass(draft: &mut Draft<'_>) -> Answer {
    let (state, now) = (draft.before, draft.now);
    for (number, quote) in state.quotes.iter().filter(|(_, quote)| now >= quote.until) {
        hold::withdraw(draft, *number, quote, None);
        draft.push(QuoteEvent::Expired(*number));
    }
    for (number, _) in state.chains.iter().filter(|(_, chain)| now >= chain.until) {
        draft.push(QuoteEvent::Expired(*number));
    }
    for (number, reservation) in &state.reservations {
        match reservation.phase {
            ReservationPhase::Preparing(until) if now >= state.prepared_by(until) => {
                silent(draft, *number, LegState::Asked);
            }
            ReservationPhase::Confirming(until) if now >= state.confirmed_by(until) => {
                silent(draft, *number, LegState::Prepared);
            }
            ReservationPhase::Held => held(draft, *number, reservation),
            ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_) | ReservationPhase::Closing => {}
        }
    }
    agenda::hold_late(draft);
    let mut given_up = false;
    let waits = |job: &&Job| matches!(job.phase, Phase::Waiting | Phase::Queued);
    let passed = |job: &&Job| job.spec.request.deadline.is_some_and(|deadline| deadline <= now);
    for job in state.jobs.values().filter(passed).filter(waits).filter(|job| !state.runs_late(job)) {
        // What it waited for may have been given up just now, and it with that.
        if !given_up || draft.state().jobs.contains_key(&job.number) {
            end_job(draft, job.number, JobEnd::GivenUp(Why::DeadlinePassed));
            given_up = true;
        }
    }
    let late = |array: &&Array| array.spec.request.deadline.is_some_and(|deadline| deadline <= now);
    for array in state.arrays.values().filter(|array| !array.pending.is_empty()).filter(late) {
        let open = draft.state().arrays.get(&array.number).filter(|it| !it.pending.is_empty()).cloned();
        if let Some(open) = open {
            array::give_up(draft, &open, Why::DeadlinePassed);
            given_up = true;
        }
    }
    // A cycle is opened from what was known before: it waits until those who have just been given up are gone.
    if !given_up {
        cycle::pass(draft, now);
    }
    HEARD
}

/// Sites that are still that far have not answered in time.
fn silent(draft: &mut Draft<'_>, number: ReservationNumber, leg: LegState) {
    let Some(reservation) = draft.before.reservations.get(&number) else { return };
    let silent = reservation.legs.iter().filter(|of| of.state == leg).map(|of| of.site);
    let mut silent: Vec<SiteId> = silent.collect();
    silent.sort_unstable();
    fail_over(draft, number, Why::Silent(silent), None);
}

/// A held reservation of which nothing is due is passed over; builds of tests see whether that is so.
fn held(draft: &mut Draft<'_>, number: ReservationNumber, reservation: &Reservation) {
    let sleeps = draft.before.sleep_of(reservation, draft.now).is_some();
    if !sleeps || cfg!(debug_assertions) {
        let before = draft.events();
        look_at_parts(draft, number, reservation);
        assert!(!sleeps || draft.events() == before, "reservation {number} was passed over, and is due");
    }
}

/// Parts whose time has come are started; a part that should have ended long ago is lost.
fn look_at_parts(draft: &mut Draft<'_>, number: ReservationNumber, reservation: &Reservation) {
    let now = draft.now;
    let policy = &draft.before.policy;
    let after = |time: Time| time.checked_add(policy.grace).is_some_and(|late| now > late);
    let queue = reservation.is_queue();
    // Who begins alone begins in vain: where a site is not ready in time, none begins.
    let unready = reservation.ready_by().is_some_and(|by| by <= now);
    if unready && !draft.before.is_offered(reservation) {
        return fail_over(draft, number, Why::StartMissed, None);
    }
    let missed =
        |part: &ReservedPart| part.state == PartState::Waiting && after(last_start(reservation, &part.plan));
    if !queue && reservation.parts.iter().any(missed) {
        return fail_over(draft, number, Why::StartMissed, None);
    }
    let unheard = |part: &&ReservedPart| {
        let end = reservation.hold_of(&part.plan).map_or(part.plan.end, |hold| hold.interval.end());
        // A queue may take its time, but not for ever.
        let longest = if queue { end.checked_add(policy.horizon).unwrap_or(Time::MAX) } else { end };
        part.state.has_begun() && after(longest.max(draft.before.back_at))
    };
    let silent: Vec<SiteId> = reservation.parts.iter().filter(unheard).map(|part| part.plan.site).collect();
    if !silent.is_empty() {
        return fail_over(draft, number, Why::Silent(silent), None);
    }
    if let Some(part) = draft.before.overrunning(reservation, &Turns::of(reservation), now) {
        overrun(draft, number, part);
    }
    start(draft, number, due(draft.before, reservation, now));
    // Whoever took over a quote, or got another place, may read what nobody has begun to bring.
    let waits = |part: &ReservedPart| part.state == PartState::Waiting && part.plan.start <= now;
    if reservation.parts.iter().any(waits) {
        stage(draft, number, None);
    }
}

/// The last moment at which a part can start and still end within its hold.
fn last_start(reservation: &Reservation, part: &Part) -> Time {
    let spare = reservation.hold_of(part).and_then(|hold| hold.interval.end().span_since(part.end));
    spare.and_then(|spare| part.start.checked_add(spare)).unwrap_or(part.start)
}

/// The parts of a held reservation whose time has come; none while something of the job may still run elsewhere.
pub(super) fn due(state: &State, reservation: &Reservation, now: Time) -> Vec<u32> {
    if state.is_fenced(reservation) || state.is_offered(reservation) {
        return Vec::new();
    }
    let turns = Turns::of(reservation);
    let due = |part: &ReservedPart| {
        part.state == PartState::Waiting
            && state.sent_at(reservation, &turns, &part.plan) <= now
            && !turns.is_taken(&part.plan)
            && state.has_what_it_waits_for(reservation, &part.plan, now)
            && state.has_files(reservation, &part.plan)
            && (!reservation.is_awaited() || reservation.is_held_back(part.plan.site))
    };
    let parts = reservation.parts.iter().zip(0_u32..).filter(|(part, _)| due(part));
    together(reservation, parts.map(|(_, place)| place).collect())
}

/// The same without those of a gang of which another part could not start yet.
fn together(reservation: &Reservation, mut due: Vec<u32>) -> Vec<u32> {
    let gangs = Gangs::of(reservation);
    if !due.is_empty() && !gangs.is_empty() {
        let known: BTreeSet<u32> = due.iter().copied().collect();
        due.retain(|place| gangs.with(reservation, *place).iter().all(|other| known.contains(other)));
    }
    due
}

pub(super) fn start(draft: &mut Draft<'_>, number: ReservationNumber, parts: Vec<u32>) {
    if !parts.is_empty() {
        draft.push(ReservationEvent::PartsDue { reservation: number, parts, sooner: None });
    }
    start_sooner(draft, number);
}

/// Tasks that have all that they wait for sooner than planned, and whose node is held and theirs, are started at once.
fn start_sooner(draft: &mut Draft<'_>, number: ReservationNumber) {
    let now = draft.now;
    let Some((state, reservation)) = draft.open_reservation(number) else { return };
    let ready = state.ready_sooner(reservation, &Turns::of(reservation), now);
    let parts: Vec<u32> =
        ready.into_iter().filter(|(_, from)| *from <= now).map(|(place, _)| place).collect();
    if !parts.is_empty() {
        draft.push(ReservationEvent::PartsDue { reservation: number, parts, sooner: Some(now) });
    }
}
