//! What is for sale, from what sites say, owners' prices and what is held already.

use crate::model::site::{Free, SiteKind};
use crate::model::state::{NodeState, SiteState, State};
use std::collections::BTreeMap;
use walras_core::prefer::QueueOffer;
use walras_model::interval::{complement, merge};
use walras_model::market::Capacity;
use walras_model::{
    Attributes, CapacityOffer, Interval, Node, NodeId, Offers, Rate, Share, Site, SiteId, Slot, Time,
};

/// What is for sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Market {
    /// Free time on nodes.
    pub offers: Offers,
    /// Queues.
    pub queues: Vec<QueueOffer>,
}

/// All slots together are worth at most this; what goes beyond it is not offered.
const WORTH_MAX: i128 = i64::MAX as i128 / 2;

impl State {
    /// What is for sale at a moment, from offers that are no older than another; `None` when there is no time to sell.
    ///
    /// Time that we hold or have planned, owners use, or failed nodes cannot give, is left out.
    pub fn market(&self, now: Time, oldest: Time) -> Option<Market> {
        self.market_without(now, oldest, &self.held_or_planned())
    }

    /// The same, with the time that is only planned.
    pub(crate) fn movable_market(&self, now: Time, oldest: Time) -> Option<Market> {
        self.market_without(now, oldest, &self.held())
    }

    /// What would be for sale if we held nothing.
    pub fn open_market(&self, now: Time, oldest: Time) -> Option<Market> {
        self.market_without(now, oldest, &BTreeMap::new())
    }

    fn market_without(
        &self,
        now: Time,
        oldest: Time,
        held: &BTreeMap<NodeId, Vec<Interval>>,
    ) -> Option<Market> {
        let from = now.checked_add(self.policy.lead)?;
        let until = now.checked_add(self.policy.horizon)?;
        let horizon = Interval::new(from, until)?;
        let mut slots = Vec::new();
        let mut worth = 0;
        let mut queues = Vec::new();
        for (index, site) in self.sites.iter().enumerate() {
            let id = SiteId::from_index(index)?;
            let Some((at, free)) = &site.free else { continue };
            if !site.sells() || *at < oldest {
                continue;
            }
            queues.extend(self.queue(id, site, free, now));
            let from = now.checked_add(self.lead_of(id))?;
            let Some(horizon) = Interval::new(from, until) else { continue };
            for (node, intervals) in free_of(site, free, horizon) {
                let held = held.get(&node).map_or(&[][..], Vec::as_slice);
                for (piece, rate) in self.sell(node, &intervals, horizon, held, None) {
                    slots.extend(affordable(node, piece, rate, &mut worth));
                }
            }
        }
        let mut offers = Offers::new(horizon, self.plain_sites(), self.plain_nodes(), slots).ok()?;
        for offer in self.user_prices() {
            offers = offers.with_user_prices(offer).ok()?;
        }
        Some(Market { offers, queues })
    }

    /// What is left of a node's free time.
    pub(crate) fn open(
        &self,
        node: NodeId,
        free: &[Interval],
        horizon: Interval,
        held: &[Interval],
    ) -> Vec<Interval> {
        let Some(state) = self.node(node).filter(|state| !state.lost) else { return Vec::new() };
        let mut busy = complement(horizon, free);
        busy.extend(held);
        busy.extend(&state.taken);
        busy.extend(&state.drained);
        complement(horizon, &busy)
    }

    /// What is left of a node's free time with its price: what a user pays, or the least that any does. The price of a piece
    /// that is sold whole does not depend on how much of it is held.
    pub(crate) fn sell(
        &self,
        node: NodeId,
        free: &[Interval],
        horizon: Interval,
        held: &[Interval],
        user: Option<&str>,
    ) -> Vec<(Interval, Rate)> {
        let site = self.node(node).and_then(|state| self.site(state.site));
        let (Some(site), Some(spec)) = (site, self.node_spec(node)) else { return Vec::new() };
        let (prices, class) = (&site.spec.prices, spec.class.as_deref());
        let base = match user {
            Some(user) => prices.base_for(user, &spec.name, class),
            None => prices.least_of(&spec.name, class),
        };
        if let ([free], Some(rate)) = (free, prices.steady(base, site.demand))
            && self.node(node).is_some_and(NodeState::is_whole)
        {
            // Nothing cuts it but what is held: the same as below, without the steps between.
            let open = free.intersection(horizon);
            let left = open.map(|open| complement(open, held)).unwrap_or_default();
            return left.into_iter().map(|open| (open, rate)).collect();
        }
        let sell = |free: Interval| prices.sell(free, base, site.demand, self.policy.calendar);
        let sold = self.open(node, free, horizon, &[]).into_iter().flat_map(sell);
        let left = |(piece, rate)| complement(piece, held).into_iter().map(move |open| (open, rate));
        sold.flat_map(left).collect()
    }

    /// What sites that stand say is free, node by node.
    pub(crate) fn free(&self, horizon: Interval) -> BTreeMap<NodeId, Vec<Interval>> {
        let mut all = BTreeMap::new();
        for site in self.sites.iter().filter(|site| !site.lost) {
            if let Some((_, free)) = &site.free {
                all.extend(free_of(site, free, horizon));
            }
        }
        all
    }

    fn queue(&self, id: SiteId, site: &SiteState, free: &Free, now: Time) -> Option<QueueOffer> {
        let (SiteKind::Queue(spec), Free::Queue { wait, units }) = (&site.spec.kind, free) else {
            return None;
        };
        let wait = if self.policy.predictions.is_some() { site.queue_wait(*wait) } else { *wait };
        let start = now.checked_add(wait)?;
        let base = site.spec.prices.base_of("", None);
        let held: usize =
            self.reservations.values().map(|it| it.holds_left().filter(|(at, _)| *at == id).count()).sum();
        Some(QueueOffer {
            name: site.spec.name.clone(),
            site: id,
            wait,
            performance: spec.performance,
            rate: site.spec.prices.rate_at(base, start, site.demand, self.policy.calendar),
            // More may be held than the site has by now: then nothing is left.
            units: Some(u32::try_from(held).map_or(0, |held| units.saturating_sub(held))),
            watts: spec.watts,
            attributes: spec.attributes.clone(),
        })
    }

    /// The prices of sites that have some for single users.
    fn user_prices(&self) -> Vec<CapacityOffer> {
        let sites = self.sites.iter().enumerate().filter(|(_, site)| !site.spec.prices.users.is_empty());
        let offer = |(index, site): (usize, &SiteState)| {
            let prices = &site.spec.prices;
            Some(CapacityOffer {
                site: SiteId::from_index(index)?,
                capacity: Capacity {
                    processors: u32::try_from(site.spec.nodes.len()).ok()?,
                    speed: site.spec.nodes.first()?.performance,
                    price: prices.base,
                    prices: prices.users.clone(),
                },
                watts: None,
                attributes: Attributes::new(),
            })
        };
        sites.filter_map(offer).collect()
    }

    fn plain_sites(&self) -> Vec<Site> {
        self.sites.iter().map(|site| Site { name: site.spec.name.clone() }).collect()
    }

    fn plain_nodes(&self) -> Vec<Node> {
        let sites = self.sites.iter().enumerate();
        let nodes = sites.flat_map(|(index, site)| {
            let id = SiteId::from_index(index).expect("there are no more sites than ids");
            site.spec.nodes.iter().map(move |node| Node {
                name: node.name.clone(),
                site: id,
                performance: node.performance,
                watts: node.watts,
                attributes: node.attributes.clone(),
            })
        });
        nodes.collect()
    }

    /// The share of a site's offered time that we hold.
    pub fn share_taken(&self, site: SiteId) -> Share {
        let Some(state) = self.site(site) else { return Share::NOTHING };
        let held: i128 = self
            .reservations
            .values()
            .flat_map(|it| it.holds_left())
            .filter(|(at, hold)| *at == site && hold.interval.end() > self.clock)
            .map(|(_, hold)| i128::from(hold.interval.span().as_millis()))
            .sum();
        let free: i128 = match state.free.as_ref().map(|(_, free)| &**free) {
            Some(Free::Slots(free)) => free.iter().map(|it| i128::from(it.interval.span().as_millis())).sum(),
            Some(Free::Capacity(count)) => i128::from(*count) * i128::from(self.policy.horizon.as_millis()),
            Some(Free::Queue { .. }) | None => 0,
        };
        // Nothing is taken where there is nothing to take.
        Share::of_whole(held, free.max(held))
    }
}

impl NodeState {
    /// Whether nothing of what its site offers is kept back: it stands, and nobody has taken or drained it.
    fn is_whole(&self) -> bool {
        !self.lost && self.taken.is_empty() && self.drained.is_empty()
    }
}

/// A slot, unless everything together would then be worth more than can be counted.
fn affordable(node: NodeId, piece: Interval, rate: Rate, worth: &mut i128) -> Option<Slot> {
    let cost = rate.cost_of(piece.span())?;
    let value = i128::from(cost.as_micros()) + i128::from(piece.span().as_millis());
    let slot = Slot::new(node, piece, rate).filter(|_| *worth + value <= WORTH_MAX)?;
    *worth += value;
    Some(slot)
}

/// What a site says is free, node by node; nodes that are not its own are left out.
fn free_of(site: &SiteState, free: &Free, horizon: Interval) -> BTreeMap<NodeId, Vec<Interval>> {
    let count = u32::try_from(site.spec.nodes.len()).expect("there are no more nodes than ids");
    let own = site.first_node..site.first_node + count;
    let mut by_node: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
    match free {
        Free::Slots(free) => {
            for time in free.iter().filter(|time| own.contains(&time.node.number())) {
                by_node.entry(time.node).or_default().push(time.interval);
            }
        }
        Free::Capacity(count) => {
            for number in own.take(*count as usize) {
                by_node.insert(NodeId::new(number), vec![horizon]);
            }
        }
        Free::Queue { .. } => {}
    }
    for intervals in by_node.values_mut().filter(|intervals| intervals.len() > 1) {
        *intervals = merge(intervals);
    }
    by_node
}
