//! Sites, what they offer, and who has which node when.

use super::{node_name, site_name};
use crate::engine::Troubled;
use crate::journal::record::{Record, v1};
use std::collections::{BTreeMap, BTreeSet};
use walras_api::Num;
use walras_api::service::{
    BarKind, DrainedView, NodeView, OfferKind, OfferView, OffersView, SiteStatus, SiteView, TimetableBar,
    TimetableRow, TimetableView, TroubleKind, TroubleView,
};
use walras_broker::State;
use walras_broker::job::{Job, Phase};
use walras_broker::reservation::{PartState, Reservation, ReservationPhase};
use walras_broker::site::{Free, SiteKind};
use walras_broker::state::SiteState;
use walras_model::interval::complement;
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

/// What is for sale now, of one site or of all, at most so many, at the prices of a user or of everybody.
pub fn offers_view(
    state: &State,
    now: Time,
    site: Option<SiteId>,
    most: usize,
    user: Option<&str>,
) -> OffersView {
    let Some(market) = state.market(now, Time::MIN) else {
        return OffersView { offers: Vec::new(), more: false };
    };
    let wanted = |at: SiteId| site.is_none_or(|site| site == at);
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
    slots.retain(|slot| state.node(slot.node()).is_some_and(|node| wanted(node.site)));
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

/// At most so many nodes are shown.
const ROWS_MAX: usize = 2_000;

/// Who has which node of a site, or of all, when; whose jobs they are only where `seen` says so, of a user's job on these sites. `past` are jobs that
/// have ended.
pub fn timetable_view(
    state: &State,
    now: Time,
    (site, shown): (Option<SiteId>, Interval),
    past: &[Record],
    seen: impl Fn(&str, &[SiteId]) -> bool,
) -> TimetableView {
    let mut bars: BTreeMap<NodeId, Vec<TimetableBar>> = BTreeMap::new();
    for reservation in state.reservations.values() {
        let sites: Vec<SiteId> = reservation.legs.iter().map(|leg| leg.site).collect();
        let name = state.jobs.get(&reservation.job).map(|job| job.spec.request.name.clone());
        let of = Known { job: reservation.job.get(), name, user: &reservation.user };
        let of = seen(&reservation.user, &sites).then_some(&of);
        for (node, interval, kind) in uses(reservation, now) {
            let Some(part) = interval.intersection(shown) else { continue };
            bars.entry(node).or_default().push(bar(part, kind, of));
        }
    }
    for job in state.jobs.values() {
        let sites: Vec<SiteId> = state.planned_sites(job).into_iter().collect();
        let name = Some(job.spec.request.name.clone());
        let of = Known { job: job.number.get(), name, user: &job.spec.user };
        let of = seen(&job.spec.user, &sites).then_some(&of);
        for (node, interval) in planned(state, job) {
            let Some(part) = interval.intersection(shown) else { continue };
            bars.entry(node).or_default().push(bar(part, BarKind::Planned, of));
        }
    }
    for Record::V1(job) in past {
        // As long as the reservation is here it has been seen above.
        if job.reservation.is_some_and(|number| state.reservations.contains_key(&number)) {
            continue;
        }
        let of = Known { job: job.number.get(), name: Some(job.name.clone()), user: &job.user };
        let of = seen(&job.user, &job.sites).then_some(&of);
        let ran = job.parts.iter().filter(|part| matches!(part.stage, v1::Stage::Ended(_)));
        for (node, part) in ran.filter_map(|part| Some((part.node?, part))) {
            let Some(part) = Interval::new(part.start, part.end).and_then(|it| it.intersection(shown)) else {
                continue;
            };
            bars.entry(node).or_default().push(bar(part, BarKind::Ended, of));
        }
    }
    for (node, busy) in owners(state, shown) {
        bars.entry(node).or_default().extend(busy.into_iter().map(|part| bar(part, BarKind::Owner, None)));
    }
    let all =
        || state.nodes.iter().zip(0_u32..).filter(|(node, _)| site.is_none_or(|site| node.site == site));
    let rows = all().take(ROWS_MAX).map(|(node, number)| {
        let id = NodeId::new(number);
        let mut bars = bars.remove(&id).unwrap_or_default();
        bars.sort_by_key(|bar| bar.start);
        TimetableRow { site: site_name(state, node.site), node: node_name(state, id), lost: node.lost, bars }
    });
    TimetableView {
        now: now.into(),
        from: shown.start().into(),
        to: shown.end().into(),
        rows: rows.collect(),
        nodes: u32::try_from(all().count()).unwrap_or(u32::MAX),
    }
}

/// What may be known of a job.
struct Known<'a> {
    job: u64,
    name: Option<String>,
    user: &'a str,
}

fn bar(interval: Interval, kind: BarKind, of: Option<&Known<'_>>) -> TimetableBar {
    TimetableBar {
        start: interval.start().into(),
        end: interval.end().into(),
        kind,
        job: of.map(|of| of.job),
        name: of.and_then(|of| of.name.clone()),
        user: of.map(|of| of.user.to_owned()),
    }
}

/// Where a job is planned, while nothing is held for it.
pub(super) fn planned(state: &State, job: &Job) -> Vec<(NodeId, Interval)> {
    let plan = job.plan.as_ref().filter(|_| job.phase == Phase::Planned);
    let places = plan.into_iter().flat_map(|plan| plan.places.iter().map(|(node, _)| (plan.start, *node)));
    let taken = places.filter_map(|(start, node)| {
        let span = job.spec.request.work.runtime_on(state.node_spec(node)?.performance)?;
        Some((node, Interval::new(start, start.checked_add(span)?)?))
    });
    taken.collect()
}

/// What a reservation uses: its holds, and within them what runs or has run.
fn uses(reservation: &Reservation, now: Time) -> Vec<(NodeId, Interval, BarKind)> {
    let mut all = Vec::new();
    for (site, hold) in reservation.holds_left() {
        let Some(node) = hold.node else { continue };
        let ran = reservation.parts.iter().filter(|part| {
            part.plan.site == site && reservation.hold_of(&part.plan).is_some_and(|it| std::ptr::eq(it, hold))
        });
        let mut busy = Vec::new();
        for part in ran {
            let (since, until, kind) = match part.state {
                PartState::Running(since) => (since, hold.interval.end(), BarKind::Running),
                PartState::Ended { since, at, .. } => (since, at, BarKind::Ended),
                PartState::Waiting | PartState::Due => continue,
            };
            if let Some(interval) = Interval::new(since, until) {
                busy.push(interval);
                all.push((node, interval, kind));
            }
        }
        let kind = match reservation.phase {
            ReservationPhase::Preparing(_) | ReservationPhase::Confirming(_) => BarKind::Asked,
            ReservationPhase::Held => BarKind::Held,
            ReservationPhase::Closing => continue,
        };
        let rest = complement(hold.interval, &busy).into_iter().filter(|it| it.end() > now);
        all.extend(rest.map(|interval| (node, interval, kind)));
    }
    all
}

/// When nodes are not offered, as the sites said last.
fn owners(state: &State, shown: Interval) -> Vec<(NodeId, Vec<Interval>)> {
    let mut all = Vec::new();
    for site in state.sites.iter() {
        let Some((at, free)) = &site.free else { continue };
        let Free::Slots(free) = &**free else { continue };
        // Beyond the horizon nobody was asked.
        let asked = at.checked_add(state.policy.horizon).unwrap_or(Time::MAX);
        let Some(known) = Interval::new(shown.start().max(*at), shown.end().min(asked)) else { continue };
        let mut by_node: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        for time in free {
            by_node.entry(time.node).or_default().push(time.interval);
        }
        for (node, _) in state.nodes_of(site) {
            let mut busy = complement(known, by_node.get(&node).map_or(&[][..], Vec::as_slice));
            if let Some(state) = state.node(node) {
                busy.extend(state.taken.iter().filter_map(|taken| taken.intersection(shown)));
            }
            all.push((node, walras_model::interval::merge(&busy)));
        }
    }
    all
}
