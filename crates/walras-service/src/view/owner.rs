//! What owners do with their nodes, and what that does to others.

use super::MONEY_DECIMALS;
use walras_api::Num;
use walras_api::service::ReclaimView;
use walras_broker::account::{Account, Purpose};
use walras_broker::event::ReservationEvent;
use walras_broker::id::ReservationNumber;
use walras_broker::{Broker, Event, Input, Refusal, State};
use walras_model::{NodeId, SiteId, Time};

/// A name that no node of the site has; its beginning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not one of the site's")]
pub struct NoSuchNode(pub String);

/// The nodes of those names, or all of the site's.
pub fn nodes_of(state: &State, site: SiteId, names: Option<&[String]>) -> Result<Vec<NodeId>, NoSuchNode> {
    let Some(site) = state.site(site) else { return Ok(Vec::new()) };
    let known = || state.nodes_of(site);
    let Some(names) = names else { return Ok(known().map(|(number, _)| number).collect()) };
    let named = |name: &String| {
        let node = known().find(|(_, node)| node.name == *name);
        let shown = || NoSuchNode(name.chars().filter(|it| !it.is_control()).take(80).collect());
        node.map(|(number, _)| number).ok_or_else(shown)
    };
    names.iter().map(named).collect()
}

/// What reclaiming nodes would do: it is decided on a copy of what is known, and nobody hears of it.
pub fn reclaimed(state: &State, now: Time, site: SiteId, input: &Input) -> Result<ReclaimView, Refusal> {
    let change = Broker::from_state(state.clone()).decide(now, input)?;
    let owner = &state.site(site).ok_or(Refusal::NoSite(site))?.spec.owner;
    let owner = Account::Owner(owner.clone());
    let job = |number: &ReservationNumber| state.reservations.get(number).map(|it| it.job.get());
    let (mut stopped, mut moved, mut compensation) = (Vec::new(), Vec::new(), 0_i128);
    for event in &change.events {
        let event = match event {
            Event::Reservation(event) => event,
            Event::Vo(_) | Event::Site(_) | Event::Job(_) | Event::Quote(_) | Event::Cycle(_) => continue,
        };
        match event {
            ReservationEvent::Closed { reservation, transaction, .. } => {
                stopped.extend(job(reservation));
                let paid = transaction.taken(&owner, Purpose::Compensation);
                compensation += i128::from(paid.as_micros());
            }
            ReservationEvent::Rescheduled { reservation, .. } => moved.extend(job(reservation)),
            ReservationEvent::Asked { .. }
            | ReservationEvent::LegPrepared { .. }
            | ReservationEvent::Confirming { .. }
            | ReservationEvent::LegConfirmed { .. }
            | ReservationEvent::Held(_)
            | ReservationEvent::PartsDue { .. }
            | ReservationEvent::LegReady { .. }
            | ReservationEvent::PartStarted { .. }
            | ReservationEvent::PartEnded { .. }
            | ReservationEvent::Files { .. }
            | ReservationEvent::LegReleased { .. } => {}
        }
    }
    let compensation = Num::from_units(compensation, MONEY_DECIMALS);
    Ok(ReclaimView { stopped, moved, compensation, done: false })
}
