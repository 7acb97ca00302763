//! Other times and places for the parts of a reservation, within what is held: after the loss of a node, and when a part
//! takes longer than planned.

use crate::model::allocation::Part;
use crate::model::parts::Gangs;
use crate::model::reservation::{PartState, Reservation};
use crate::model::state::State;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::{NodeId, SiteId, Span, Time};

/// The parts that were prepared for the loss of a node, if they still can be run as prepared.
pub(super) fn prepared_for(
    state: &State,
    reservation: &Reservation,
    node: NodeId,
    now: Time,
) -> Option<Vec<Part>> {
    let prepared = reservation.supports.iter().find(|support| support.lost == node)?;
    merged(state, reservation, &prepared.parts, Some(node), now)
}

/// The parts that were prepared for a task that is late, if it is no later than that, and they still can be run as prepared.
pub(super) fn prepared_for_late(
    state: &State,
    reservation: &Reservation,
    late: u32,
    until: Time,
    now: Time,
) -> Option<Vec<Part>> {
    let task = reservation.parts.get(late as usize)?.plan.task?;
    let prepared = reservation.late.iter().find(|support| support.task == task)?;
    let place = late as usize;
    prepared.parts.get(place).filter(|part| until <= part.end)?;
    let mut parts = merged(state, reservation, &prepared.parts, None, now)?;
    parts[place].end = parts[place].end.max(until);
    fits(reservation, &parts).then_some(parts)
}

/// What has begun as it is, and the rest as it was prepared; `None` when that cannot be any more.
fn merged(
    state: &State,
    reservation: &Reservation,
    prepared: &[Part],
    without: Option<NodeId>,
    now: Time,
) -> Option<Vec<Part>> {
    if prepared.len() != reservation.parts.len() {
        return None;
    }
    let lost = |part: &Part| {
        let on = reservation.hold_of(part).and_then(|hold| hold.node);
        without.is_some() && on == without || on.and_then(|on| state.node(on)).is_some_and(|node| node.lost)
    };
    // Its owner may have taken it before: then it was left by the schedule that was prepared for that, and is no place for another.
    let taken = |part: &Part| {
        let on = reservation.hold_of(part).and_then(|hold| hold.node).and_then(|on| state.node(on));
        on.is_some_and(|node| node.taken.iter().any(|it| it.start() < part.end && part.start < it.end()))
    };
    let inside = |part: &Part| {
        reservation.hold_of(part).is_some_and(|hold| {
            part.start <= part.end && hold.interval.start() <= part.start && part.end <= hold.interval.end()
        })
    };
    for (new, old) in prepared.iter().zip(&reservation.parts) {
        if new.task != old.plan.task || !inside(new) {
            return None;
        }
        let stays = (new.site, new.hold) == (old.plan.site, old.plan.hold);
        let possible = match old.state {
            PartState::Waiting => new.start >= now && !lost(new) && !taken(new),
            PartState::Due | PartState::Running(_) => stays && !lost(&old.plan),
            PartState::Ended { .. } => old.state.is_done(),
        };
        if !possible {
            return None;
        }
    }
    // What has begun stays exactly as it was; the rest takes its prepared place, and waits for the same parts.
    let merged = prepared
        .iter()
        .zip(&reservation.parts)
        .map(|(new, old)| if old.state == PartState::Waiting { new.clone() } else { old.plan.clone() });
    let merged: Vec<Part> = merged.collect();
    fits(reservation, &merged).then_some(merged)
}

/// Whether parts that have not ended wait for what they must, and no two share a node.
fn fits(reservation: &Reservation, parts: &[Part]) -> bool {
    let state = |place: usize| reservation.parts.get(place).map(|part| part.state);
    let open = |place: &usize| !state(*place).is_some_and(PartState::has_ended);
    let mut places: Vec<usize> = (0..parts.len()).filter(open).collect();
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
            state(*place) != Some(PartState::Waiting) || parts[*place].after.iter().all(waits)
        })
}

/// All parts with the waiting ones moved behind what they wait for; `None` when one does not fit any more.
pub(super) fn retimed(reservation: &Reservation, late: u32, until: Time, now: Time) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = reservation.parts.iter().map(|part| part.plan.clone()).collect();
    let one = parts.get_mut(late as usize)?;
    one.end = one.end.max(until);
    // What runs keeps its node; everything that waits comes after it.
    let mut free_from: BTreeMap<(SiteId, u32), Time> = BTreeMap::new();
    for (part, _) in parts.iter().zip(&reservation.parts).filter(|(_, of)| of.state.has_begun()) {
        let free = free_from.entry((part.site, part.hold)).or_insert(part.end);
        *free = part.end.max(*free);
    }
    let waiting = |place: &usize| reservation.parts[*place].state == PartState::Waiting;
    let mut order: Vec<usize> = (0..parts.len()).filter(waiting).collect();
    order.sort_by_key(|place| (parts[*place].start, parts[*place].end, *place));
    let gangs = Gangs::of(reservation);
    let mut moved = BTreeSet::new();
    for place in order.into_iter().filter_map(|place| u32::try_from(place).ok()) {
        if moved.contains(&place) {
            continue;
        }
        // A gang starts when the last of its nodes is free.
        let gang = gangs.with(reservation, place);
        let members = if gang.is_empty() { std::slice::from_ref(&place) } else { gang };
        let mut start = now;
        for place in members {
            let part = parts.get(*place as usize)?;
            start = start.max(part.start).max(*free_from.get(&(part.site, part.hold)).unwrap_or(&Time::MIN));
            for (before, lag) in &part.after {
                start = start.max(ends(reservation, &parts, *before)?.checked_add(*lag)?);
            }
        }
        for place in members {
            let part = parts.get_mut(*place as usize)?;
            let end = start.checked_add(part.end.span_since(part.start)?)?;
            (part.start, part.end) = (start, end);
            free_from.insert((part.site, part.hold), end);
            moved.insert(*place);
        }
    }
    let inside = |part: &Part| {
        let hold = reservation.hold_of(part);
        hold.is_some_and(|hold| hold.node.is_none() || part.end <= hold.interval.end())
    };
    (parts.iter().all(inside) && fits(reservation, &parts)).then_some(parts)
}

/// When a part ends, or has ended.
fn ends(reservation: &Reservation, parts: &[Part], place: u32) -> Option<Time> {
    match reservation.parts.get(place as usize)?.state {
        PartState::Ended { at, .. } => Some(at),
        PartState::Waiting | PartState::Due | PartState::Running(_) => {
            parts.get(place as usize).map(|part| part.end)
        }
    }
}
