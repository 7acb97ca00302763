//! What owners do with their nodes, and what that does to others.

use walras_api::Num;
use walras_api::service::ReclaimView;
use walras_broker::account::{Account, Purpose};
use walras_broker::event::ReservationEvent;
use walras_broker::id::ReservationNumber;
use walras_broker::{Broker, Event, Input, Refusal, State};
use walras_model::{Money, NodeId, SiteId, Time};

/// A name that no node of the site has; its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let owner = state.site(site).map(|site| Account::Owner(site.spec.owner.clone()));
    let job = |number: &ReservationNumber| state.reservations.get(number).map(|it| it.job.get());
    let (mut stopped, mut moved, mut compensation) = (Vec::new(), Vec::new(), Money::ZERO);
    for event in &change.events {
        match event {
            Event::Reservation(ReservationEvent::Closed { reservation, transaction, .. }) => {
                stopped.extend(job(reservation));
                let paid = owner.as_ref().map(|owner| transaction.taken(owner, Purpose::Compensation));
                compensation = paid.and_then(|paid| compensation.checked_add(paid)).unwrap_or(compensation);
            }
            Event::Reservation(ReservationEvent::Rescheduled { reservation, .. }) => {
                moved.extend(job(reservation));
            }
            _ => {}
        }
    }
    Ok(ReclaimView { stopped, moved, compensation: Num::of_money(compensation), done: false })
}
