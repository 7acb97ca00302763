//! What sites say. Answers that nobody waits for any more change nothing.

use super::failover::{close, end_job, fail_over, late, without_node};
use super::tick::start_due;
use super::{Draft, Gone, HEARD, cycle};
use crate::event::Event;
use crate::id::{CycleNumber, ReservationNumber};
use crate::input::{Answer, Refusal, SiteMessage};
use crate::job::{JobEnd, PartEnd, SiteRefusal, Why};
use crate::refusal::{BadSite, Countable};
use crate::sabotage::{Sabotage, sabotaged};
use crate::settle::Fault;
use crate::site::{Free, SiteKind};
use crate::state::{LegState, PartState, Reservation, ReservationPhase, State};
use walras_model::{Interval, NodeId, SiteId, Time};

/// A site says at most so many free intervals.
const FREE_MAX: usize = 2_000_000;

pub(super) fn hear(draft: &mut Draft<'_>, site: SiteId, message: &SiteMessage) -> Result<Answer, Refusal> {
    draft.state.site(site).ok_or(Refusal::NoSite(site))?;
    match message {
        SiteMessage::Offers { cycle, free } => offers(draft, site, *cycle, free)?,
        SiteMessage::Prepared(reservation) => prepared(draft, site, *reservation),
        SiteMessage::Confirmed(reservation) => confirmed(draft, site, *reservation),
        SiteMessage::Refused { reservation, refusal } => refused(draft, site, *reservation, *refusal),
        SiteMessage::Released(reservation) => released(draft, site, *reservation),
        SiteMessage::Started { reservation, parts, at } => started(draft, site, *reservation, parts, *at),
        SiteMessage::Ended { reservation, part, at, end } => {
            ended(draft, site, *reservation, *part, *at, *end)
        }
        SiteMessage::Late { reservation, part, until } => {
            if runs(draft.state, site, *reservation, *part) {
                late(draft, *reservation, *part, *until);
            }
        }
        SiteMessage::NodeLost { node, at } => node_lost(draft, site, *node, *at),
        SiteMessage::NodeBack { node, at } => {
            if own(draft.state, site, *node).is_some_and(|node| node.lost && *at > node.since) {
                draft.push(Event::NodeBack { node: *node, at: *at });
            }
        }
        SiteMessage::Taken { node, interval } => taken(draft, site, *node, *interval),
        SiteMessage::Lost(at) => lost(draft, site, *at),
        SiteMessage::Back(at) => {
            if draft.state.site(site).is_some_and(|site| site.lost && *at > site.since) {
                draft.push(Event::SiteBack { site, at: *at });
            }
        }
    }
    Ok(HEARD)
}

fn own(state: &State, site: SiteId, node: NodeId) -> Option<&crate::state::NodeState> {
    state.node(node).filter(|state| state.site == site)
}

fn offers(draft: &mut Draft<'_>, site: SiteId, number: CycleNumber, free: &Free) -> Result<(), Refusal> {
    let state = draft.state;
    let Some(open) = state.cycle.as_ref().filter(|cycle| cycle.number == number && cycle.closed_at.is_none())
    else {
        return Ok(());
    };
    if !open.unanswered.contains(&site) {
        return Ok(());
    }
    let kind = state.site(site).map(|site| &site.spec.kind);
    let (fits, count) = match (kind, free) {
        (Some(SiteKind::Slots), Free::Slots(free)) => (true, free.len()),
        (Some(SiteKind::Capacity), Free::Capacity(_)) | (Some(SiteKind::Queue(_)), Free::Queue { .. }) => {
            (true, 0)
        }
        _ => (false, 0),
    };
    if !fits {
        return Err(Refusal::BadSite(BadSite::OtherKind));
    }
    if count > FREE_MAX {
        return Err(Refusal::TooMany { what: Countable::FreeIntervals, most: FREE_MAX });
    }
    draft.push(Event::OffersReceived { site, cycle: number, free: free.clone() });
    if open.unanswered.len() == 1 {
        cycle::close(draft, open);
    }
    Ok(())
}

/// The reservation, when it is in that phase and its site that far.
fn waiting<'a>(
    draft: &Draft<'a>,
    site: SiteId,
    number: ReservationNumber,
    leg: LegState,
) -> Option<&'a Reservation> {
    let reservation = draft.state.reservations.get(&number)?;
    (reservation.legs.get(&site) == Some(&leg)).then_some(reservation)
}

/// Whether every other site is that far.
fn others(reservation: &Reservation, site: SiteId, leg: LegState) -> bool {
    reservation.legs.iter().all(|(other, state)| *other == site || *state == leg)
}

fn prepared(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    let Some(reservation) = waiting(draft, site, number, LegState::Asked) else { return };
    let ReservationPhase::Preparing(until) = reservation.phase else { return };
    if draft.now >= until {
        return;
    }
    draft.push(Event::LegPrepared { reservation: number, site });
    if others(reservation, site, LegState::Prepared) {
        draft.push(Event::Confirming { reservation: number, until: reservation.expiry });
    }
}

fn confirmed(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    let Some(reservation) = waiting(draft, site, number, LegState::Prepared) else { return };
    let ReservationPhase::Confirming(until) = reservation.phase else { return };
    if draft.now >= until {
        return;
    }
    draft.push(Event::LegConfirmed { reservation: number, site });
    if others(reservation, site, LegState::Confirmed) || sabotaged(Sabotage::HeldTooSoon) {
        draft.push(Event::ReservationHeld(number));
    }
}

fn refused(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber, refusal: SiteRefusal) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    let leg = reservation.legs.get(&site).copied();
    let awaited = match reservation.phase {
        ReservationPhase::Preparing(_) => leg == Some(LegState::Asked),
        ReservationPhase::Confirming(_) => leg == Some(LegState::Prepared),
        // It was asked to start something.
        ReservationPhase::Held => starting(reservation, site),
        ReservationPhase::Closing => false,
    };
    if awaited {
        let promised = matches!(refusal, SiteRefusal::PriceChanged | SiteRefusal::Unwilling);
        let broken = promised || reservation.phase == ReservationPhase::Held;
        let fault = if broken { Fault::Owner(site) } else { Fault::Machine };
        fail_over(draft, number, Why::Refused { site, refusal }, fault);
    }
}

/// Whether a site was asked to start something that it has not started.
fn starting(reservation: &Reservation, site: SiteId) -> bool {
    let parts = reservation.way.parts.iter().zip(&reservation.parts);
    parts.into_iter().any(|(part, state)| part.site == site && *state == PartState::Due)
}

fn released(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber) {
    if waiting(draft, site, number, LegState::Leaving).is_some() {
        draft.push(Event::LegReleased { reservation: number, site });
    }
}

/// Whether a part was started, or is to be, and has not ended.
fn runs(state: &State, site: SiteId, number: ReservationNumber, part: u32) -> bool {
    state.reservations.get(&number).is_some_and(|reservation| {
        let there = reservation.way.parts.get(part as usize).is_some_and(|part| part.site == site);
        let begun =
            matches!(reservation.parts.get(part as usize), Some(PartState::Due | PartState::Running(_)));
        reservation.phase == ReservationPhase::Held && there && begun
    })
}

fn started(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber, parts: &[u32], at: Time) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    let mut seen = std::collections::BTreeSet::new();
    for part in parts.iter().copied().filter(|part| seen.insert(*part)) {
        let due = reservation.parts.get(part as usize) == Some(&PartState::Due);
        if due && runs(draft.state, site, number, part) {
            let at = at.max(reservation.asked_at).min(draft.now);
            draft.push(Event::PartStarted { reservation: number, part, at });
        }
    }
}

fn ended(draft: &mut Draft<'_>, site: SiteId, number: ReservationNumber, part: u32, at: Time, end: PartEnd) {
    let Some(reservation) = draft.state.reservations.get(&number) else { return };
    if !runs(draft.state, site, number, part) {
        return;
    }
    let at = at.clamp(reservation.asked_at.min(draft.now), draft.now);
    let since = match reservation.parts.get(part as usize) {
        Some(PartState::Running(since)) => *since,
        // Its start was never heard of.
        _ => at,
    };
    let at = at.max(since);
    draft.push(Event::PartEnded { reservation: number, part, at, end });
    let mut after = reservation.clone();
    if let Some(state) = after.parts.get_mut(part as usize) {
        *state = PartState::Ended { since, at, end };
    }
    draft.revise(number, after.clone());
    let why = Why::PartEnded { part, end };
    match end {
        PartEnd::Done if after.is_done() || sabotaged(Sabotage::ForgetPart) => {
            close(draft, number, None, Fault::Job);
            end_job(draft, after.job, JobEnd::Done);
        }
        PartEnd::Done => start_due(draft, number, &after),
        PartEnd::Failed(_) | PartEnd::TimedOut => {
            close(draft, number, Some(why.clone()), Fault::Job);
            end_job(draft, after.job, JobEnd::Failed(why));
        }
        PartEnd::Lost => fail_over(draft, number, why, Fault::Machine),
        PartEnd::TakenBack => fail_over(draft, number, why, Fault::Owner(site)),
    }
}

/// Reservations that rely on a node, within an interval where one is given: time that they hold there is not over, or
/// something there has not ended.
fn on_node(state: &State, now: Time, node: NodeId, within: Option<Interval>) -> Vec<ReservationNumber> {
    let relies = |reservation: &Reservation, site: SiteId, place: u32| {
        let mut parts = reservation.way.parts.iter().zip(&reservation.parts);
        parts.any(|(part, state)| {
            part.site == site && part.hold == place && !matches!(state, PartState::Ended { .. })
        })
    };
    let uses = |reservation: &Reservation| {
        reservation.phase != ReservationPhase::Closing
            && reservation.way.legs.iter().any(|leg| {
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
    if own(draft.state, site, node).is_none_or(|node| node.lost || at <= node.since) {
        return;
    }
    draft.push(Event::NodeLost { node, at });
    draft.lose(Gone::Node(node, None));
    for number in on_node(draft.state, draft.now, node, None) {
        without_node(draft, number, node, Why::NodeLost(node), Fault::Machine);
    }
}

fn taken(draft: &mut Draft<'_>, site: SiteId, node: NodeId, interval: Interval) {
    let Some(of_node) = own(draft.state, site, node) else { return };
    if interval.end() <= draft.now || of_node.taken.contains(&interval) {
        return;
    }
    draft.push(Event::NodeTaken { node, interval });
    draft.lose(Gone::Node(node, Some(interval)));
    for number in on_node(draft.state, draft.now, node, Some(interval)) {
        without_node(draft, number, node, Why::TakenBack(node), Fault::Owner(site));
    }
}

fn lost(draft: &mut Draft<'_>, site: SiteId, at: Time) {
    if draft.state.site(site).is_none_or(|site| site.lost || at <= site.since) {
        return;
    }
    draft.push(Event::SiteLost { site, at });
    draft.lose(Gone::Site(site));
    let uses = |it: &Reservation| it.phase != ReservationPhase::Closing && it.legs.contains_key(&site);
    let all = draft.state.reservations.iter().filter(|(_, it)| uses(it)).map(|(number, _)| *number);
    for number in all.collect::<Vec<_>>() {
        fail_over(draft, number, Why::SiteLost(site), Fault::Machine);
    }
    cycle::site_gone(draft, site);
}
