//! When something fails: settle, switch to what is ready, or go back to the queue.
//!
//! A workflow that loses a node first looks for the schedule that was prepared for that; a task that is late takes the one that was prepared for
//! it where that ends sooner than what comes after it, moved back on its own nodes. Otherwise the reservation is closed, and one of the job's spare alternatives takes its
//! place if it is still free, in time and payable; else the job returns to the queue with the reason. A job that has
//! failed, or whose parts have vanished, as often as the policy allows is given up.

use super::bring::stage;
use super::draft::Draft;
use super::gate::end_job;
use super::reschedule::{prepared_for, prepared_for_late, retimed};
use super::reserve::{Terms, reserve};
use crate::model::allocation::{Allocation, Part};
use crate::model::event::{JobEvent, ReservationEvent};
use crate::model::id::{JobNumber, ReservationNumber};
use crate::model::job::{JobEnd, Why};
use crate::model::reservation::{Origin, ReservationPhase};
use crate::rules::check::Prices;
use crate::rules::settle::{Settlement, settle};
use crate::rules::wanted::Wanted;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::quantity::rounding;
use walras_model::{NodeId, SiteId, Span, TaskId, Time};

/// Closes a reservation, unless it is: money is settled, sites are told.
pub(super) fn close(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    why: Option<Why>,
    broken_by: Option<SiteId>,
) {
    let now = draft.now;
    let Some((state, reservation)) = draft.open_reservation(number) else { return };
    let Settlement { transaction, kept } = settle(state, reservation, now, why.as_ref(), broken_by);
    draft.push(ReservationEvent::Closed { reservation: number, why, transaction, kept });
}

/// A reservation failed: the job gets another, goes back to the queue, or is given up.
pub(super) fn fail_over(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    why: Why,
    broken_by: Option<SiteId>,
) {
    let Some(job) = draft.open_reservation(number).map(|(_, it)| it.job) else { return };
    close(draft, number, Some(why.clone()), broken_by);
    go_on(draft, job, why);
}

/// A job whose reservation was closed gets another, goes back to the queue, or is given up.
pub(super) fn go_on(draft: &mut Draft<'_>, job: JobNumber, why: Why) {
    let Some(job) = draft.state().jobs.get(&job).cloned() else { return };
    if job.offered.is_some() {
        draft.push(JobEvent::Withdrawn(job.number));
        return;
    }
    let policy = &draft.before.policy;
    if job.attempts > policy.attempts_max || job.vanished > policy.vanished_max {
        end_job(draft, job.number, JobEnd::GivenUp(Why::TooOften(Box::new(why))));
        return;
    }
    let wanted = Wanted::of(draft.state(), &job);
    for (place, spare) in job.spares.iter().enumerate() {
        let Some(allocation) = without_done(spare, &job.done) else { continue };
        let spares = job.spares[place + 1..].to_vec();
        let terms = Terms { origin: Origin::Spare, prices: Prices::AsHeld, spares };
        if reserve(draft, &wanted, &allocation, terms, Vec::new()).is_ok() {
            return;
        }
    }
    draft.push(JobEvent::Returned { job: job.number, why });
}

/// A spare alternative without the tasks that are done; `None` when nothing is left of it.
fn without_done(spare: &Arc<Allocation>, done: &BTreeSet<TaskId>) -> Option<Arc<Allocation>> {
    let is_done = |part: &Part| part.task.is_some_and(|task| done.contains(&task));
    if !spare.parts.iter().any(is_done) {
        return Some(Arc::clone(spare));
    }
    let mut places = vec![None; spare.parts.len()];
    let mut parts: Vec<Part> = Vec::new();
    for (place, part) in spare.parts.iter().enumerate().filter(|(_, part)| !is_done(part)) {
        places[place] = u32::try_from(parts.len()).ok();
        parts.push(part.clone());
    }
    for part in &mut parts {
        let place = |(from, lag): &(u32, Span)| Some((places.get(*from as usize).copied()??, *lag));
        part.after = part.after.iter().filter_map(place).collect();
    }
    (!parts.is_empty()).then(|| {
        Arc::new(Allocation { legs: spare.legs.clone(), parts, supports: Vec::new(), late: Vec::new() })
    })
}

/// A node is gone for a reservation that uses it: the schedule that is ready for it, or another alternative.
pub(super) fn without_node(
    draft: &mut Draft<'_>,
    number: ReservationNumber,
    node: NodeId,
    why: Why,
    broken_by: Option<SiteId>,
) {
    let now = draft.now;
    let Some((state, reservation)) = draft.open_reservation(number) else { return };
    let held = reservation.phase == ReservationPhase::Held;
    match prepared_for(state, reservation, node, now).filter(|_| held) {
        Some(parts) => reschedule(draft, number, parts, why),
        None => fail_over(draft, number, why, broken_by),
    }
}

/// Gives what waits other times and places, and brings its files there.
fn reschedule(draft: &mut Draft<'_>, number: ReservationNumber, parts: Vec<Part>, why: Why) {
    draft.push(ReservationEvent::Rescheduled { reservation: number, parts, why });
    stage(draft, number, None);
}

/// Whichever ends first; at the same time, what stays where it is.
fn sooner(moved: Option<Vec<Part>>, prepared: Option<Vec<Part>>) -> Option<Vec<Part>> {
    let end = |parts: &Vec<Part>| parts.iter().map(|part| part.end).max();
    match (moved, prepared) {
        (Some(moved), Some(prepared)) if end(&prepared) < end(&moved) => Some(prepared),
        (Some(moved), _) => Some(moved),
        (None, prepared) => prepared,
    }
}

/// A task runs on though it should have ended, and nobody says until when. Where another place was prepared for what comes after it, and
/// that is the better one if it is late by as much as was prepared for, that is taken, as if it were not late yet: it may start as late
/// as any part may. Otherwise, once the site had its time to say that it has ended, what comes after it waits a little longer, if it still
/// fits; if it does not, nothing is done: it may end any moment.
pub(super) fn overrun(draft: &mut Draft<'_>, number: ReservationNumber, part: u32) {
    let now = draft.now;
    let Some((state, reservation)) = draft.open_reservation(number) else { return };
    let Some(plan) = reservation.parts.get(part as usize).map(|part| &part.plan) else { return };
    let Some(length) = plan.end.span_since(plan.start) else { return };
    let after = |time: Time, parts: i64| {
        let more = rounding::up(length.as_millis().into(), parts.into());
        i64::try_from(more).ok().and_then(Span::from_millis).and_then(|more| time.checked_add(more))
    };
    let Some((quarter, soon)) = after(plan.end, 4).zip(after(now, 16)) else { return };
    let patience = state.patience().as_millis();
    let Some(earliest) = Time::from_millis(now.as_millis().saturating_sub(patience)) else { return };
    let ends = |parts: &Vec<Part>| parts.iter().map(|part| part.end).max();
    let until = quarter.max(now);
    let elsewhere = prepared_for_late(state, reservation, part, until, earliest).filter(|parts| {
        retimed(reservation, part, until, now).is_none_or(|moved| ends(parts) < ends(&moved))
    });
    let waits = || retimed(reservation, part, soon, now).filter(|_| plan.end < earliest);
    if let Some(parts) = elsewhere.or_else(waits) {
        reschedule(draft, number, parts, Why::Late);
    }
}

/// A part will end later than planned: what comes after it moves, if it still fits into what is held.
pub(super) fn late(draft: &mut Draft<'_>, number: ReservationNumber, part: u32, until: Time) {
    let now = draft.now;
    let Some((state, reservation)) = draft.open_reservation(number) else { return };
    let moved = retimed(reservation, part, until, now);
    let prepared = prepared_for_late(state, reservation, part, until, now);
    match sooner(moved, prepared) {
        Some(parts) if parts.iter().eq(reservation.parts.iter().map(|part| &part.plan)) => {}
        Some(parts) => reschedule(draft, number, parts, Why::Late),
        None => fail_over(draft, number, Why::Late, None),
    }
}
