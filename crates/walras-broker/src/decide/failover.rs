//! When something fails: settle, switch to what is ready, or go back to the queue.
//!
//! A workflow that loses a node first looks for the schedule that was prepared for that; a task that is late first
//! moves what comes after it. Otherwise the reservation is closed, and one of the job's spare ways takes its place if it
//! is still free, in time and payable; else the job returns to the queue with the reason. A job that has failed as often
//! as the policy allows is given up.

use super::Draft;
use super::reserve::{Wanted, reserve};
use crate::account::{Account, Purpose};
use crate::check::Prices;
use crate::event::{Event, Origin};
use crate::id::{JobNumber, ReservationNumber};
use crate::job::{JobEnd, PartEnd, Why};
use crate::settle::{Fault, Settlement, settle};
use crate::state::{PartState, Reservation, ReservationPhase, State};
use crate::way::{Part, Way};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{Money, NodeId, SiteId, Span, TaskId, Time};

/// Closes a reservation: money is settled, sites are told. Gives what was charged.
pub(super) fn close(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    why: Option<Why>,
    fault: Fault,
) -> Money {
    let Some(reservation) = draft.reservation(number) else { return Money::ZERO };
    if reservation.phase == ReservationPhase::Closing || draft.closed.contains(&number) {
        return Money::ZERO;
    }
    let (spenders, asked_at) = (reservation.spenders.clone(), reservation.asked_at);
    let Settlement { transaction, kept } = settle(draft.state, draft.books(), reservation, draft.now, fault);
    draft.closed.insert(number);
    // What is held covers every charge and refund, and a compensation is never more than its owner has.
    let posted = draft.post(&transaction);
    debug_assert_eq!(posted, Ok(()), "reservation {number} cannot be settled");
    let charged = transaction.taken(&Account::Held, Purpose::Charge);
    draft.give_back(&spenders, asked_at, transaction.taken(&Account::Held, Purpose::Refund));
    draft.push(Event::ReservationClosed { reservation: number, why, transaction, kept });
    charged
}

pub(super) fn end_job(draft: &mut Draft<'_>, job: JobNumber, end: JobEnd) {
    draft.push(Event::JobEnded { job, end });
}

/// A reservation failed: the job goes another way, back to the queue, or is given up.
pub(super) fn fail_over(draft: &mut Draft<'_>, number: ReservationNumber, why: Why, fault: Fault) {
    let state = draft.state;
    let Some(reservation) = draft.reservation(number).cloned() else { return };
    if reservation.phase == ReservationPhase::Closing || draft.closed.contains(&number) {
        return;
    }
    let Some(job) = state.jobs.get(&reservation.job) else { return };
    let charged = close(draft, number, Some(why.clone()), fault);
    let attempts = job.attempts + u32::from(why.is_failure());
    if attempts > state.policy.attempts_max {
        end_job(draft, job.number, JobEnd::GivenUp(Why::TooOften(Box::new(why))));
        return;
    }
    let done = done_after(job.done.clone(), &reservation);
    let wanted = Wanted::new(state, job.number, &job.spec, &done, job.spent + charged);
    for (place, spare) in job.spares.iter().enumerate() {
        let Some(way) = without_done(spare, &done) else { continue };
        let spares = job.spares[place + 1..].to_vec();
        if reserve(draft, &wanted, &way, spares, Origin::Spare, Prices::AsHeld, Vec::new()).is_ok() {
            return;
        }
    }
    draft.push(Event::JobReturned { job: job.number, why });
}

/// The tasks that are done when a reservation ends.
fn done_after(mut done: BTreeSet<TaskId>, reservation: &Reservation) -> BTreeSet<TaskId> {
    let parts = reservation.way.parts.iter().zip(&reservation.parts);
    let ended = parts.filter(|(_, state)| matches!(state, PartState::Ended { end: PartEnd::Done, .. }));
    done.extend(ended.filter_map(|(part, _)| part.task));
    done
}

/// A spare way without the tasks that are done; `None` when nothing is left of it.
fn without_done(way: &Way, done: &BTreeSet<TaskId>) -> Option<Way> {
    let is_done = |part: &Part| part.task.is_some_and(|task| done.contains(&task));
    if !way.parts.iter().any(is_done) {
        return Some(way.clone());
    }
    let mut places = vec![None; way.parts.len()];
    let mut parts: Vec<Part> = Vec::new();
    for (place, part) in way.parts.iter().enumerate().filter(|(_, part)| !is_done(part)) {
        places[place] = u32::try_from(parts.len()).ok();
        parts.push(part.clone());
    }
    for part in &mut parts {
        let place = |(from, lag): &(u32, Span)| Some((places.get(*from as usize).copied()??, *lag));
        part.after = part.after.iter().filter_map(place).collect();
    }
    (!parts.is_empty()).then(|| Way { legs: way.legs.clone(), parts, supports: Vec::new() })
}

/// A node is gone for a reservation that uses it: the schedule that is ready for it, or another way.
pub(super) fn without_node(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    node: NodeId,
    why: Why,
    fault: Fault,
) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    match support(draft.state, reservation, node, draft.now) {
        Some(parts) if reservation.phase == ReservationPhase::Held && !draft.closed.contains(&number) => {
            draft.push(Event::Rescheduled { reservation: number, parts, why });
        }
        _ => fail_over(draft, number, why, fault),
    }
}

/// The parts that were prepared for the loss of a node, if they still can be run as prepared.
fn support(state: &State, reservation: &Reservation, node: NodeId, now: Time) -> Option<Vec<Part>> {
    let prepared = reservation.way.supports.iter().find(|support| support.lost == node)?;
    let way = &reservation.way;
    if prepared.parts.len() != way.parts.len() {
        return None;
    }
    let lost = |part: &Part| {
        let on = way.hold_of(part).and_then(|hold| hold.node);
        on == Some(node) || on.and_then(|on| state.node(on)).is_some_and(|node| node.lost)
    };
    for ((new, old), state) in prepared.parts.iter().zip(&way.parts).zip(&reservation.parts) {
        let stays = (new.site, new.hold) == (old.site, old.hold);
        let possible = match state {
            PartState::Waiting => new.start >= now && !lost(new),
            PartState::Ended { end: PartEnd::Done, .. } => true,
            PartState::Due | PartState::Running(_) => stays && !lost(old),
            PartState::Ended { .. } => false,
        };
        if !possible {
            return None;
        }
    }
    // What has begun stays exactly as it was; the rest takes its prepared place, and waits for the same parts.
    let merged = prepared
        .parts
        .iter()
        .zip(&way.parts)
        .zip(&reservation.parts)
        .map(|((new, old), state)| if *state == PartState::Waiting { new.clone() } else { old.clone() });
    let merged: Vec<Part> = merged.collect();
    fits(reservation, &merged).then_some(merged)
}

/// Whether parts that have not ended wait for what they must, and no two share a node.
fn fits(reservation: &Reservation, parts: &[Part]) -> bool {
    let open = |place: usize| !matches!(reservation.parts.get(place), Some(PartState::Ended { .. }));
    let mut places: Vec<usize> = (0..parts.len()).filter(|place| open(*place)).collect();
    places.sort_by_key(|place| {
        (parts[*place].site, parts[*place].hold, parts[*place].start, parts[*place].end)
    });
    let apart = places.windows(2).all(|pair| {
        let (one, next) = (&parts[pair[0]], &parts[pair[1]]);
        (one.site, one.hold) != (next.site, next.hold) || one.end <= next.start
    });
    apart
        && places.iter().all(|place| {
            let waits = |(before, lag): &(u32, Span)| {
                let ready = ends(reservation, parts, *before).and_then(|end| end.checked_add(*lag));
                ready.is_some_and(|ready| ready <= parts[*place].start)
            };
            reservation.parts.get(*place) != Some(&PartState::Waiting)
                || parts[*place].after.iter().all(waits)
        })
}

/// A part will end later than planned: what comes after it moves, if it still fits into what is held.
pub(super) fn late(draft: &mut Draft<'_>, number: ReservationNumber, part: u32, until: Time) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    match retimed(reservation, part, until, draft.now) {
        Some(parts) if parts == reservation.way.parts => {}
        Some(parts) => draft.push(Event::Rescheduled { reservation: number, parts, why: Why::Late }),
        None => fail_over(draft, number, Why::Late, Fault::Machine),
    }
}

/// All parts with the waiting ones moved behind what they wait for; `None` when one does not fit any more.
fn retimed(reservation: &Reservation, late: u32, until: Time, now: Time) -> Option<Vec<Part>> {
    let mut parts = reservation.way.parts.clone();
    let one = parts.get_mut(late as usize)?;
    one.end = one.end.max(until);
    // What runs keeps its node; everything that waits comes after it.
    let mut free_from: BTreeMap<(SiteId, u32), Time> = BTreeMap::new();
    let begun =
        |place: usize| matches!(reservation.parts.get(place), Some(PartState::Due | PartState::Running(_)));
    for part in parts.iter().enumerate().filter(|(place, _)| begun(*place)).map(|(_, part)| part) {
        let free = free_from.entry((part.site, part.hold)).or_insert(part.end);
        *free = part.end.max(*free);
    }
    let waiting = |place: &usize| reservation.parts.get(*place) == Some(&PartState::Waiting);
    let mut order: Vec<usize> = (0..parts.len()).filter(waiting).collect();
    order.sort_by_key(|place| (parts[*place].start, parts[*place].end, *place));
    for place in order {
        let part = parts[place].clone();
        let key = (part.site, part.hold);
        let length = part.end.span_since(part.start)?;
        let mut start = part.start.max(now).max(free_from.get(&key).copied().unwrap_or(Time::MIN));
        for (before, lag) in &part.after {
            start = start.max(ends(reservation, &parts, *before)?.checked_add(*lag)?);
        }
        let end = start.checked_add(length)?;
        free_from.insert(key, end);
        parts[place] = Part { start, end, ..part };
    }
    let inside = |part: &Part| {
        let hold = reservation.way.hold_of(part);
        hold.is_some_and(|hold| hold.node.is_none() || part.end <= hold.interval.end())
    };
    (parts.iter().all(inside) && fits(reservation, &parts)).then_some(parts)
}

/// When a part ends, or has ended.
fn ends(reservation: &Reservation, parts: &[Part], place: u32) -> Option<Time> {
    match reservation.parts.get(place as usize)? {
        PartState::Ended { at, .. } => Some(*at),
        _ => parts.get(place as usize).map(|part| part.end),
    }
}
