//! What sites say. Answers that nobody waits for any more change nothing.

use super::bring::stage;
use super::draft::Draft;
use super::failover::{close, fail_over, late, without_node};
use super::gate::{self, end_job};
use super::tick::{due, start};
use super::{HEARD, cycle, nodes};
use crate::model::allocation::Part;
use crate::model::cycle::Cycle;
use crate::model::event::{CycleEvent, ReservationEvent, SiteEvent};
use crate::model::id::{CycleNumber, ReservationNumber};
use crate::model::input::{Answer, Refusal, SiteMessage};
use crate::model::job::{JobEnd, PartEnd, SiteRefusal, Why};
use crate::model::refusal::{BadSite, Countable};
use crate::model::reservation::{
    LegState, PartState, Readiness, Reservation, ReservationPhase, ReservedPart,
};
use crate::model::site::{Free, FreeChange, SiteKind};
use crate::model::state::{NodeState, State};
use crate::model::used::Used;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::{Interval, NodeId, SiteId, Time};

/// A site says at most so many free intervals.
const FREE_MAX: usize = 2_000_000;

pub(super) fn hear(draft: &mut Draft<'_>, site: SiteId, message: &SiteMessage) -> Result<Answer, Refusal> {
    draft.before.site(site).ok_or(Refusal::NoSite(site))?;
    match message {
        SiteMessage::Offers { cycle, free } => offers(draft, site, *cycle, free)?,
        SiteMessage::OffersChanged { cycle, change } => offers_changed(draft, site, *cycle, change)?,
        SiteMessage::Prepared(reservation) => prepared(draft, site, *reservation),
        SiteMessage::Confirmed(reservation) => confirmed(draft, site, *reservation),
        SiteMessage::Refused { reservation, refusal } => refused(draft, site, *reservation, *refusal),
        SiteMessage::Released(reservation) => released(draft, site, *reservation),
        SiteMessage::Ready(reservation) => ready(draft, site, *reservation),
        SiteMessage::Started { reservation, parts, at } => started(draft, site, *reservation, parts, *at),
        SiteMessage::Ended { reservation, part, at, end, used } => {
            ended(draft, site, (*reservation, *part), *at, (*end, *used))
        }
        SiteMessage::Late { reservation, part, until } => {
            let of = draft.before.reservations.get(reservation);
            if of.is_some_and(|of| begun(of, site, *part).is_some()) {
                late(draft, *reservation, *part, *until);
            }
        }
        SiteMessage::NodeLost { node, at } => node_lost(draft, site, *node, *at),
        SiteMessage::NodeDown { node, at } => node_down(draft, site, *node, *at),
        SiteMessage::NodeBack { node, at } => {
            let may = |node: &NodeState| node.lost && !node.gone && *at > node.since;
            if own(draft.before, site, *node).is_some_and(may) {
                draft.push(SiteEvent::NodeBack { node: *node, at: *at });
            }
        }
        SiteMessage::Nodes { at, nodes, rates } => nodes::said(draft, site, *at, nodes, rates)?,
        SiteMessage::Taken { node, interval } => taken(draft, site, &[*node], *interval),
        SiteMessage::Lost(at) => lost(draft, site, *at),
        SiteMessage::Back(at) => {
            if draft.before.site(site).is_some_and(|site| site.lost && *at > site.since) {
                draft.push(SiteEvent::Back { site, at: *at });
            }
        }
    }
    Ok(HEARD)
}

fn own(state: &State, site: SiteId, node: NodeId) -> Option<&NodeState> {
    state.node(node).filter(|state| state.site == site)
}

/// The open cycle, when it still waits for what a site has to say.
fn awaiting<'a>(draft: &Draft<'a>, site: SiteId, number: CycleNumber) -> Option<&'a Cycle> {
    let open = draft.before.cycle.as_deref();
    let open = open.filter(|cycle| cycle.number == number && cycle.closed_at.is_none());
    open.filter(|cycle| cycle.unanswered.contains(&site))
}

fn offers(draft: &mut Draft<'_>, site: SiteId, number: CycleNumber, free: &Free) -> Result<(), Refusal> {
    let Some(open) = awaiting(draft, site, number) else { return Ok(()) };
    let kind = draft.before.site(site).map(|site| &site.spec.kind);
    let (fits, count) = match (kind, free) {
        (Some(SiteKind::Slots), Free::Slots(free)) => (true, free.len()),
        (Some(SiteKind::Capacity), Free::Capacity(_)) | (Some(SiteKind::Queue(_)), Free::Queue { .. }) => {
            (true, 0)
        }
        (None | Some(SiteKind::Slots | SiteKind::Capacity | SiteKind::Queue(_)), _) => (false, 0),
    };
    if !fits {
        return Err(Refusal::BadSite(BadSite::OtherKind));
    }
    few_enough(count)?;
    draft.push(CycleEvent::OffersReceived { site, cycle: number, free: Arc::new(free.clone()) });
    answered(draft, open);
    Ok(())
}

/// The same, told as what has changed; nothing where nothing is known that could have.
fn offers_changed(
    draft: &mut Draft<'_>,
    site: SiteId,
    number: CycleNumber,
    change: &FreeChange,
) -> Result<(), Refusal> {
    let Some(open) = awaiting(draft, site, number) else { return Ok(()) };
    let Some(free) = draft.before.changed_free(site, change) else { return Ok(()) };
    few_enough(free.len())?;
    draft.push(CycleEvent::OffersChanged { site, cycle: number, change: Arc::new(change.clone()) });
    answered(draft, open);
    Ok(())
}

fn few_enough(count: usize) -> Result<(), Refusal> {
    let (what, most) = (Countable::FreeIntervals, FREE_MAX);
    if count > most { Err(Refusal::TooMany { what, most }) } else { Ok(()) }
}

/// A site has said what is free: when it is the last, the cycle goes on.
fn answered(draft: &mut Draft<'_>, open: &Cycle) {
    if open.unanswered.len() == 1 {
        cycle::close(draft, open);
    }
}

/// The reservation, when it is in that phase and its site that far.
fn waiting<'a>(
    draft: &Draft<'a>,
    site: SiteId,
    number: ReservationNumber,
    leg: LegState,
) -> Option<&'a Reservation> {
    let reservation = draft.before.reservations.get(&number)?;
    reservation.leg(site).is_some_and(|of| of.state == leg).then_some(reservation)
}

/// Whether every other site is that far.
fn others(reservation: &Reservation, site: SiteId, leg: LegState) -> bool {
    reservation.legs.iter().all(|other| other.site == site || other.state == leg)
}

fn prepared(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    let Some(reservation) = waiting(draft, site, number, LegState::Asked) else { return };
    let ReservationPhase::Preparing(until) = reservation.phase else { return };
    if draft.now >= until {
        return;
    }
    draft.push(ReservationEvent::LegPrepared { reservation: number, site });
    if others(reservation, site, LegState::Prepared) {
        draft.push(ReservationEvent::Confirming { reservation: number, until: reservation.expiry });
    }
}

fn confirmed(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    let Some(reservation) = waiting(draft, site, number, LegState::Prepared) else { return };
    let ReservationPhase::Confirming(until) = reservation.phase else { return };
    if draft.now >= until {
        return;
    }
    draft.push(ReservationEvent::LegConfirmed { reservation: number, site });
    if others(reservation, site, LegState::Confirmed) {
        draft.push(ReservationEvent::Held(number));
        stage(draft, number, None);
    }
}

fn refused(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber, refusal: SiteRefusal) {
    let Some(reservation) = draft.before.reservations.get(&number) else { return };
    let leg = reservation.leg(site).map(|leg| leg.state);
    let awaited = match reservation.phase {
        ReservationPhase::Preparing(_) => leg == Some(LegState::Asked),
        ReservationPhase::Confirming(_) => leg == Some(LegState::Prepared),
        // It was asked to start something, or its owner is there first.
        ReservationPhase::Held => {
            starting(reservation, site) || refusal == SiteRefusal::TakenBack && waits_there(reservation, site)
        }
        ReservationPhase::Closing => false,
    };
    if awaited {
        let promised = matches!(refusal, SiteRefusal::PriceChanged | SiteRefusal::Unwilling);
        let broken = promised || reservation.phase == ReservationPhase::Held;
        fail_over(draft, number, Why::Refused { site, refusal }, broken.then_some(site));
    }
}

/// Whether something is yet to begin at a site.
fn waits_there(reservation: &Reservation, site: SiteId) -> bool {
    let waits = |state: PartState| matches!(state, PartState::Waiting | PartState::Due);
    reservation.parts.iter().any(|part| part.plan.site == site && waits(part.state))
}

/// Whether a site was asked to start something that it has not started.
fn starting(reservation: &Reservation, site: SiteId) -> bool {
    reservation.parts.iter().any(|part| part.plan.site == site && part.state == PartState::Due)
}

/// A site is ready to begin what it was asked to start; nothing where that comes too late for the others to hear of it.
fn ready(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    let Some(reservation) = draft.before.reservations.get(&number) else { return };
    let awaited = reservation.leg(site).is_some_and(|leg| leg.readiness == Some(Readiness::Awaited));
    let held = reservation.phase == ReservationPhase::Held && starting(reservation, site);
    if awaited && held && reservation.ready_by().is_some_and(|by| draft.now < by) {
        draft.push(ReservationEvent::LegReady { reservation: number, site });
    }
}

fn released(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    if waiting(draft, site, number, LegState::Leaving).is_some() {
        draft.push(ReservationEvent::LegReleased { reservation: number, site });
    }
}

/// How far a part of a held reservation on a site is, when it was to be started.
fn begun(reservation: &Reservation, site: SiteId, part: u32) -> Option<PartState> {
    let part = reservation.parts.get(part as usize).filter(|part| part.plan.site == site)?;
    let held = reservation.phase == ReservationPhase::Held;
    Some(part.state).filter(|state| held && state.has_begun())
}

fn started(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber, parts: &[u32], at: Time) {
    let Some(reservation) = draft.before.reservations.get(&number) else { return };
    let mut seen = BTreeSet::new();
    for part in parts.iter().copied().filter(|part| seen.insert(*part)) {
        if begun(reservation, site, part) == Some(PartState::Due) {
            let at = at.max(reservation.asked_at).min(draft.now);
            draft.push(ReservationEvent::PartStarted { reservation: number, part, at });
        }
    }
    gate::begun(draft, reservation.job);
}

fn ended(
    draft: &mut Draft<'_>,
    site: SiteId,
    (number, part): (ReservationNumber, u32),
    at: Time,
    (end, used): (PartEnd, Option<Used>),
) {
    let Some(reservation) = draft.before.reservations.get(&number) else { return };
    let at = at.clamp(reservation.asked_at.min(draft.now), draft.now);
    let (since, at) = match begun(reservation, site, part) {
        Some(PartState::Running(since)) => (Some(since), at.max(since)),
        // Its start was never heard of.
        Some(PartState::Due) => (None, at),
        Some(PartState::Waiting | PartState::Ended { .. }) | None => return,
    };
    // Journals of before there were promises, or shares, are decided as they were. Of a part whose start was never heard of nobody can say
    // that it had its time.
    let state = draft.before;
    let excuses = state.promises().is_some() || state.policy.sharing.is_some();
    let cut_short = excuses && since.is_none_or(|since| is_cut_short(reservation, part, since, at));
    draft.push(ReservationEvent::PartEnded { reservation: number, part, at, end, used });
    gate::begun(draft, reservation.job);
    // Of a job on many nodes most parts end while others still run.
    if end == PartEnd::Done && runs_without(reservation, part) {
        return;
    }
    let now = draft.now;
    let Some((state, after)) = draft.open_reservation(number) else { return };
    let (job, done, due) = (after.job, after.is_done(), due(state, after, now));
    let why = no_output(after, part, end, state).unwrap_or(Why::PartEnded { part, end });
    match end {
        PartEnd::Done if done => {
            close(draft, number, None, None);
            end_job(draft, job, JobEnd::Done);
        }
        PartEnd::Done => {
            let task = after.parts.get(part as usize).and_then(|part| part.plan.task);
            stage(draft, number, task);
            start(draft, number, due);
        }
        PartEnd::TimedOut if cut_short => fail_over(draft, number, Why::StartMissed, None),
        PartEnd::Failed(_) | PartEnd::TimedOut | PartEnd::NoOutput { .. } | PartEnd::OutOfMemory { .. } => {
            close(draft, number, Some(why.clone()), None);
            end_job(draft, job, JobEnd::Failed(why));
        }
        PartEnd::Lost => fail_over(draft, number, why, None),
        PartEnd::TakenBack => fail_over(draft, number, why, Some(site)),
        // It ran until then, and that is paid for; whether it is to blame shows when it happens again.
        PartEnd::Vanished => fail_over(draft, number, why, None),
    }
}

/// Which file a task, or a job that is no workflow, has not written that it should have, by its name.
fn no_output(reservation: &Reservation, part: u32, end: PartEnd, state: &State) -> Option<Why> {
    let PartEnd::NoOutput { file, fault } = end else { return None };
    let spec = &state.jobs.get(&reservation.job)?.spec;
    let outputs = match reservation.parts.get(part as usize)?.plan.task {
        Some(task) => &spec.workflow.as_ref()?.program(task)?.outputs,
        None => &spec.particulars.outputs,
    };
    let file = outputs.get(file as usize)?.clone();
    Some(Why::NoOutput { part, file, fault })
}

/// Whether other parts still run when one has ended, and none waits that could begin then.
fn runs_without(reservation: &Reservation, ended: u32) -> bool {
    let others = || reservation.parts.iter().zip(0_u32..).filter(|(_, place)| *place != ended);
    others().any(|(part, _)| part.state.has_begun())
        && !others().any(|(part, _)| part.state == PartState::Waiting)
}

/// Whether a part that started late had less than the time that was planned for it, but for a hundredth: then it is not its own fault
/// that it needed more.
fn is_cut_short(reservation: &Reservation, part: u32, since: Time, at: Time) -> bool {
    let planned = reservation.parts.get(part as usize).map_or(0, |part| part.plan.end - part.plan.start);
    i128::from(at - since) * 100 < i128::from(planned) * 99
}

/// Reservations that rely on a node, within an interval where one is given: time that they hold there is not over, or
/// something there has not ended.
fn on_node(state: &State, now: Time, node: NodeId, within: Option<Interval>) -> Vec<ReservationNumber> {
    let relies = |reservation: &Reservation, site: SiteId, place: u32| {
        let on = |part: &Part| part.site == site && part.hold == place;
        reservation.parts.iter().any(|part| on(&part.plan) && !part.state.has_ended())
    };
    let uses = |reservation: &Reservation| {
        reservation.phase != ReservationPhase::Closing
            && reservation.legs.iter().any(|leg| {
                leg.holds.iter().zip(0_u32..).any(|(hold, place)| {
                    hold.node == Some(node)
                        && within.is_none_or(|within| within.overlaps(hold.interval))
                        && (hold.interval.end() > now || relies(reservation, leg.site, place))
                })
            })
    };
    state.reservations.iter().filter(|(_, it)| uses(it)).map(|(number, _)| *number).collect()
}

fn node_lost(draft: &mut Draft<'_>, site: SiteId, node: NodeId, at: Time) {
    if own(draft.before, site, node).is_none_or(|node| node.lost && !node.down || at <= node.since) {
        return;
    }
    draft.push(SiteEvent::NodeLost { node, at });
    for number in on_node(draft.before, draft.now, node, None) {
        without_node(draft, number, node, Why::NodeLost(node), None);
    }
}

/// A node does not answer. What has not begun there goes elsewhere; what may run there is waited for, until its end is heard of or its time is
/// over, unless it may run twice.
fn node_down(draft: &mut Draft<'_>, site: SiteId, node: NodeId, at: Time) {
    if own(draft.before, site, node).is_none_or(|node| node.lost || at <= node.since) {
        return;
    }
    draft.push(SiteEvent::NodeDown { node, at });
    leave(draft, node);
}

/// Nothing new is there any more on a node where what began may run.
pub(super) fn leave(draft: &mut Draft<'_>, node: NodeId) {
    for number in on_node(draft.before, draft.now, node, None) {
        let Some(reservation) = draft.before.reservations.get(&number) else { continue };
        let there = |part: &&ReservedPart| {
            reservation.hold_of(&part.plan).is_some_and(|hold| hold.node == Some(node))
        };
        let parts: Vec<PartState> = reservation.parts.iter().filter(there).map(|part| part.state).collect();
        let rerun = draft.before.jobs.get(&reservation.job).is_some_and(|job| job.spec.rerun);
        let why = Why::NodeLost(node);
        if !parts.iter().any(|state| state.has_begun() && !state.has_ended()) {
            without_node(draft, number, node, why, None);
        } else if rerun || parts.contains(&PartState::Waiting) {
            // A schedule without that node would begin what may run there once more.
            fail_over(draft, number, why, None);
        }
    }
}

/// An owner uses some nodes. First nothing fits there any more, and then whoever was there goes elsewhere.
pub(super) fn taken(draft: &mut Draft<'_>, site: SiteId, nodes: &[NodeId], interval: Interval) {
    let (state, now) = (draft.before, draft.now);
    let is_new = |node: &&NodeId| own(state, site, **node).is_some_and(|it| !it.taken.contains(&interval));
    let new: BTreeSet<NodeId> =
        nodes.iter().filter(is_new).filter(|_| interval.end() > now).copied().collect();
    for node in &new {
        draft.push(SiteEvent::NodeTaken { node: *node, interval });
    }
    for node in new {
        for number in on_node(draft.state(), now, node, Some(interval)) {
            without_node(draft, number, node, Why::TakenBack(node), Some(site));
        }
    }
}

fn lost(draft: &mut Draft<'_>, site: SiteId, at: Time) {
    if draft.before.site(site).is_none_or(|site| site.lost || at <= site.since) {
        return;
    }
    draft.push(SiteEvent::Lost { site, at });
    let uses = |it: &Reservation| it.phase != ReservationPhase::Closing && it.leg(site).is_some();
    let all = draft.before.reservations.iter().filter(|(_, it)| uses(it)).map(|(number, _)| *number);
    for number in all.collect::<Vec<_>>() {
        fail_over(draft, number, Why::SiteLost(site), None);
    }
    cycle::site_gone(draft, site);
}
