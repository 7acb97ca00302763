//! Sites, and what they offer.

use super::site_name;
use super::timetable::Stretch;
use crate::engine::Troubled;
use std::collections::{BTreeMap, BTreeSet};
use walras_api::Num;
use walras_api::service::{
    DrainedView, NodeView, OfferKind, OfferView, OffersView, SiteStatus, SiteView, TroubleKind, TroubleView,
};
use walras_broker::State;
use walras_broker::site::{Free, SiteKind};
use walras_broker::state::SiteState;
use walras_model::{Interval, NodeId, Rate, SiteId, Time};
use walras_sites::Trouble;

/// A site.
pub fn site_view(state: &State, site: &SiteState, connector: &str, trouble: Option<Troubled>) -> SiteView {
    let drained = |node: NodeId| {
        let times = state.node(node).map_or(&[][..], |node| &node.drained);
        let to_come = times.iter().filter(|drained| drained.end() > state.clock);
        let view = |it: &Interval| DrainedView {
            from: it.start().into(),
            until: (it.end() < Time::MAX).then(|| it.end().into()),
        };
        to_come.map(view).collect()
    };
    let nodes = state.nodes_of(site).map(|(number, node)| NodeView {
        name: node.name.clone(),
        class: node.class.clone(),
        performance: Num::of_millionths(node.performance.as_millionths()),
        price: Num::of_rate(site.spec.prices.base_of(&node.name, node.class.as_deref())),
        lost: state.node(number).is_some_and(|node| node.lost),
        drained: drained(number),
    });
    SiteView {
        name: site.spec.name.clone(),
        owner: site.spec.owner.clone(),
        kind: offer_kind(&site.spec.kind),
        connector: connector.to_owned(),
        lost: site.lost,
        leaving: site.leaving,
        trouble: trouble.map(|it| TroubleView {
            since: it.since.into(),
            kind: trouble_kind(it.kind),
            why: it.why,
        }),
        demand: Num::of_millionths(site.demand.as_millionths()),
        nodes: nodes.collect(),
    }
}

/// A trouble as the API names it.
fn trouble_kind(trouble: Trouble) -> TroubleKind {
    match trouble {
        Trouble::Unreachable => TroubleKind::Unreachable,
        Trouble::Denied => TroubleKind::Denied,
        Trouble::NotUnderstood => TroubleKind::NotUnderstood,
        Trouble::Broken => TroubleKind::Broken,
    }
}

fn is_in(interval: Interval, time: Time) -> bool {
    interval.start() <= time && time < interval.end()
}

/// How all sites are.
pub fn site_statuses(state: &State, now: Time) -> Vec<SiteStatus> {
    let mut busy: BTreeMap<SiteId, BTreeSet<NodeId>> = BTreeMap::new();
    for reservation in state.reservations.values() {
        for (site, hold) in reservation.holds_left().filter(|(_, hold)| is_in(hold.interval, now)) {
            busy.entry(site).or_default().extend(hold.node);
        }
    }
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let view = |(site, number): (&SiteState, u32)| {
        let nodes: Vec<_> = state.nodes_of(site).filter_map(|(number, _)| state.node(number)).collect();
        let drained = nodes.iter().filter(|it| it.drained.iter().any(|drained| is_in(*drained, now)));
        SiteStatus {
            name: site.spec.name.clone(),
            owner: site.spec.owner.clone(),
            demand: Some(Num::of_millionths(site.demand.as_millionths())),
            lost: site.lost,
            nodes: count(nodes.len()),
            nodes_lost: count(nodes.iter().filter(|node| node.lost).count()),
            nodes_drained: count(drained.count()),
            nodes_busy: count(busy.get(&SiteId::new(number)).map_or(0, BTreeSet::len)),
            heard_at: site.free.as_ref().map(|(at, _)| (*at).into()),
        }
    };
    state.sites.iter().zip(0_u32..).map(view).collect()
}

fn offer_kind(kind: &SiteKind) -> OfferKind {
    match kind {
        SiteKind::Slots => OfferKind::Slots,
        SiteKind::Capacity => OfferKind::Capacity,
        SiteKind::Queue(_) => OfferKind::Queue,
    }
}

/// What a slot costs a user, or somebody who has no price of their own. Slots carry the least price of all users.
fn price_for(state: &State, slot: &walras_model::Slot, user: Option<&str>) -> Rate {
    let site = state.node(slot.node()).and_then(|node| state.site(node.site));
    let Some((site, spec)) = site.zip(state.node_spec(slot.node())) else { return slot.rate() };
    let prices = &site.spec.prices;
    if prices.users.is_empty() {
        return slot.rate();
    }
    let own = user.and_then(|user| prices.users.get(user).copied());
    own.unwrap_or_else(|| prices.base_of(&spec.name, spec.class.as_deref()))
}

/// What is for sale now, on some nodes or on all, at most so many, at the prices of a user or of everybody.
pub fn offers_view(state: &State, now: Time, asked: &Stretch, most: usize, user: Option<&str>) -> OffersView {
    let Some(market) = state.market(now, Time::MIN) else {
        return OffersView { offers: Vec::new(), more: false };
    };
    let wanted = |at: SiteId| asked.site.is_none_or(|site| site == at);
    let queues = market.queues.iter().filter(|queue| wanted(queue.site)).filter_map(|queue| {
        let of = state.site(queue.site)?;
        let SiteKind::Queue(spec) = &of.spec.kind else { return None };
        let Free::Queue { wait, .. } = of.free.as_ref().map(|(_, free)| &**free)? else { return None };
        Some(OfferView {
            site: of.spec.name.clone(),
            node: None,
            start: now.into(),
            end: now.checked_add(*wait).unwrap_or(now).into(),
            price: Num::of_rate(of.spec.prices.base_of("", None)),
            performance: Num::of_millionths(spec.performance.as_millionths()),
        })
    });
    let mut slots: Vec<&walras_model::Slot> = market.offers.slots().iter().collect();
    let nodes: BTreeSet<NodeId> = asked.nodes(state).map(|(node, _)| node).collect();
    slots.retain(|slot| nodes.contains(&slot.node()));
    slots.sort_by_key(|slot| (slot.node(), slot.start()));
    let more = slots.len() > most;
    let slots = slots.into_iter().take(most).map(|slot| {
        let node = slot.node();
        let at = state.node(node).expect("what is offered is on a node that is known");
        let spec = state.node_spec(node).expect("a node that is known is one of its site's");
        OfferView {
            site: site_name(state, at.site),
            node: Some(spec.name.clone()),
            start: slot.start().into(),
            end: slot.end().into(),
            price: Num::of_rate(price_for(state, slot, user)),
            performance: Num::of_millionths(spec.performance.as_millionths()),
        }
    });
    OffersView { offers: queues.chain(slots).collect(), more }
}
