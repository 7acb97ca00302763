//! What owners offer: sites, their nodes, and the free slots on them; or free processors.

mod divided;

use crate::capacity::{CapacityOffer, PROCESSORS_MAX};
use crate::division::free_units;
use crate::id::{NodeId, SiteId};
use crate::interval::{Interval, complement, merge};
use crate::quantity::{Money, Rate, Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use crate::node::{Node, Site};

/// A free half-open interval on one node with a price per time.
///
/// On a node that is sold in units it says how many of these are free, and the price is that of the whole node. The slots that searches are
/// given are for sale as a whole: all their units, at their price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    start: Time,
    end: Time,
    rate: Rate,
    node: NodeId,
    units: u32,
}

/// What identifies a slot, and the order of slot lists: by start, then by node.
///
/// Slots of one node never overlap, so no two have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotKey {
    /// When the slot starts.
    pub start: Time,
    /// On which node it is.
    pub node: NodeId,
}

/// The product of a slot's rate and length must stay below this many (micro-credits per second) ×
/// milliseconds, about 9.2 thousand million credits a slot, so that searches can price slots in 64 bits.
const SLOT_VALUE_LIMIT: i128 = i64::MAX as i128;

impl Slot {
    /// `None` when the whole slot would cost more than about 9.2 × 10⁹ credits.
    #[inline]
    pub fn new(node: NodeId, interval: Interval, rate: Rate) -> Option<Slot> {
        let value = i128::from(rate.as_micros_per_second()) * i128::from(interval.span().as_millis()) + 999;
        (value <= SLOT_VALUE_LIMIT).then_some(Slot {
            start: interval.start(),
            end: interval.end(),
            rate,
            node,
            units: 1,
        })
    }

    /// The same with so many units of its node.
    #[inline]
    pub fn with_units(self, units: u32) -> Slot {
        Slot { units, ..self }
    }

    /// How many units of its node are free; one where it is sold whole.
    #[inline]
    pub fn units(&self) -> u32 {
        self.units
    }

    /// The same slot with another interval that lies within it, or `None` when that is empty or does not.
    #[inline]
    pub fn part(self, start: Time, end: Time) -> Option<Slot> {
        (self.start <= start && start < end && end <= self.end).then_some(Slot { start, end, ..self })
    }

    /// When it starts.
    #[inline]
    pub fn start(&self) -> Time {
        self.start
    }

    /// The first point after it.
    #[inline]
    pub fn end(&self) -> Time {
        self.end
    }

    /// What it costs per time.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Where it is.
    #[inline]
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Its identity and its place in a list.
    #[inline]
    pub fn key(&self) -> SlotKey {
        SlotKey { start: self.start, node: self.node }
    }

    /// How long it is.
    #[inline]
    pub fn span(&self) -> Span {
        self.end.span_since(self.start).unwrap_or(Span::ZERO)
    }
}

/// All that is for sale in one cycle. Slots are in order of their keys and do not overlap on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offers {
    horizon: Interval,
    sites: Arc<Vec<Site>>,
    nodes: Arc<Vec<Node>>,
    slots: Vec<Slot>,
    capacities: Vec<CapacityOffer>,
    /// Per site, the position of its capacity offer.
    capacity_of_site: Vec<Option<usize>>,
}

/// Why offers were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffersError {
    /// A node names a site that does not exist.
    #[error("node {} is of a site that does not exist", .0.number())]
    UnknownSite(NodeId),
    /// A slot names a node that does not exist.
    #[error("a slot is on node {}, which does not exist", .0.number())]
    UnknownNode(NodeId),
    /// Two slots of one node share time.
    #[error("slots of node {} overlap at {at} s", .node.number())]
    Overlap {
        /// The node.
        node: NodeId,
        /// Where the second of them starts.
        at: Time,
    },
    /// A slot reaches beyond the horizon.
    #[error("a slot of node {} reaches beyond the horizon", .0.number())]
    BeyondHorizon(NodeId),
    /// More units of a node are free than it has, or none.
    #[error("a slot is on {units} units of node {}", .node.number())]
    WrongUnits {
        /// The node.
        node: NodeId,
        /// So many units.
        units: u32,
    },
    /// All slots together cost more than [`Money::MAX`].
    #[error("all free time together is worth more than can be counted")]
    TooDear,
    /// A capacity offer names a site that does not exist.
    #[error("capacity is offered on site {}, which does not exist", .0.number())]
    CapacityOnUnknownSite(SiteId),
    /// A site offers capacity twice, or has nodes beside it.
    #[error("site {} offers capacity twice, or has nodes beside it", .0.number())]
    CapacityBesideOthers(SiteId),
    /// One processor costs more over the horizon than a slot may (see [`Slot::new`]).
    #[error("a processor of site {} costs more over the horizon than can be counted", .0.number())]
    ProcessorTooDear(SiteId),
    /// All sites together offer more than [`PROCESSORS_MAX`] processors.
    #[error("more than {PROCESSORS_MAX} processors are offered")]
    TooManyProcessors,
}

impl Offers {
    /// Offers over a horizon; slots may come in any order.
    ///
    /// All slots together must be worth at most [`Money::MAX`], so that no window's cost can overflow.
    pub fn new(
        horizon: Interval,
        sites: Vec<Site>,
        nodes: Vec<Node>,
        slots: Vec<Slot>,
    ) -> Result<Offers, OffersError> {
        Offers::of_known(horizon, Arc::new(sites), Arc::new(nodes), slots)
    }

    /// The same of sites and nodes that stay from one cycle to the next, and are not copied.
    pub fn of_known(
        horizon: Interval,
        sites: Arc<Vec<Site>>,
        nodes: Arc<Vec<Node>>,
        mut slots: Vec<Slot>,
    ) -> Result<Offers, OffersError> {
        for (index, node) in nodes.iter().enumerate() {
            if node.site.index() >= sites.len() {
                return Err(OffersError::UnknownSite(
                    NodeId::from_index(index).expect("nodes are numbered with 32 bits"),
                ));
            }
        }
        slots.sort_unstable_by_key(Slot::key);
        check_slots(horizon, &nodes, &slots)?;
        let capacity_of_site = vec![None; sites.len()];
        Ok(Offers { horizon, sites, nodes, slots, capacities: Vec::new(), capacity_of_site })
    }

    /// These offers and free processors of sites that have no nodes; for offers without capacity.
    ///
    /// Every processor becomes a node with one slot over the whole horizon, named `#1`, `#2` and so on within its
    /// site, so that searches need not know the difference. The slot's rate is the least that any user pays; see
    /// [`Offers::rate_for`].
    pub fn with_capacity(mut self, capacities: Vec<CapacityOffer>) -> Result<Offers, OffersError> {
        let mut value = check_slots(self.horizon, &self.nodes, &self.slots)?;
        let mut taken = vec![false; self.sites.len()];
        for node in self.nodes.iter() {
            taken[node.site.index()] = true;
        }
        let mut processors = 0;
        for offer in capacities {
            let site = offer.site;
            let taken = taken.get_mut(site.index()).ok_or(OffersError::CapacityOnUnknownSite(site))?;
            if std::mem::replace(taken, true) {
                return Err(OffersError::CapacityBesideOthers(site));
            }
            processors += u64::from(offer.capacity.processors);
            if processors > u64::from(PROCESSORS_MAX) {
                return Err(OffersError::TooManyProcessors);
            }
            value = self.worth_with(&offer, value)?;
            self.add_processors(&offer)?;
            self.capacity_of_site[site.index()] = Some(self.capacities.len());
            self.capacities.push(offer);
        }
        self.slots.sort_unstable_by_key(Slot::key);
        Ok(self)
    }

    /// These offers, where some users pay prices of their own on a site's nodes. The slots of those nodes must carry the
    /// least that any user pays, as with [`Offers::with_capacity`].
    pub fn with_user_prices(mut self, offer: CapacityOffer) -> Result<Offers, OffersError> {
        let site = offer.site;
        let taken =
            self.capacity_of_site.get_mut(site.index()).ok_or(OffersError::CapacityOnUnknownSite(site))?;
        if taken.is_some() {
            return Err(OffersError::CapacityBesideOthers(site));
        }
        *taken = Some(self.capacities.len());
        self.capacities.push(offer);
        Ok(self)
    }

    /// These offers without some time on nodes: what is left of the slots, at the same prices. Of a node that is sold in units, an
    /// interval takes one unit for every time it is given.
    pub fn without(&self, taken: impl IntoIterator<Item = (NodeId, Interval)>) -> Offers {
        let mut by_node: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
        for (node, interval) in taken {
            by_node.entry(node).or_default().push(interval);
        }
        let left = |slot: &Slot| match (by_node.get(&slot.node()), Interval::new(slot.start(), slot.end())) {
            (Some(taken), Some(whole)) if slot.units > 1 => {
                let left = free_units(whole, slot.units, taken).into_iter();
                let part = |(piece, units): (Interval, u32)| {
                    slot.part(piece.start(), piece.end()).map(|it| it.with_units(units))
                };
                left.filter_map(part).collect()
            }
            (Some(taken), Some(whole)) => {
                let left = complement(whole, taken);
                left.into_iter().filter_map(|piece| slot.part(piece.start(), piece.end())).collect()
            }
            _ => vec![*slot],
        };
        let mut slots: Vec<Slot> = self.slots.iter().flat_map(left).collect();
        slots.sort_unstable_by_key(Slot::key);
        Offers { slots, ..self.clone() }
    }

    /// What everything is worth when these processors come to it, at the price of who pays most.
    fn worth_with(&self, offer: &CapacityOffer, value: Money) -> Result<Money, OffersError> {
        let dearest = Slot::new(NodeId::new(0), self.horizon, offer.capacity.price_most());
        let dearest = dearest.ok_or(OffersError::ProcessorTooDear(offer.site))?;
        let all = worth(&dearest).and_then(|one| {
            let micros = one.as_micros().checked_mul(i64::from(offer.capacity.processors))?;
            value.checked_add(Money::from_micros(micros))
        });
        all.ok_or(OffersError::TooDear)
    }

    fn add_processors(&mut self, offer: &CapacityOffer) -> Result<(), OffersError> {
        for number in 1..=offer.capacity.processors {
            let id = NodeId::from_index(self.nodes.len()).ok_or(OffersError::TooManyProcessors)?;
            let slot = Slot::new(id, self.horizon, offer.capacity.price_least());
            self.slots.push(slot.ok_or(OffersError::ProcessorTooDear(offer.site))?);
            Arc::make_mut(&mut self.nodes).push(offer.processor(number));
        }
        Ok(())
    }

    /// The time that is planned.
    #[inline]
    pub fn horizon(&self) -> Interval {
        self.horizon
    }

    /// The sites; a [`SiteId`] is a position here.
    #[inline]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The nodes; a [`NodeId`] is a position here.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The slots in order of their keys.
    #[inline]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The free processors, in the order in which they were given.
    #[inline]
    pub fn capacities(&self) -> &[CapacityOffer] {
        &self.capacities
    }

    /// The capacity offer that a node is a processor of, where it is one.
    #[inline]
    pub fn capacity_of(&self, id: NodeId) -> Option<&CapacityOffer> {
        let offer = self.capacity_of_site[self.node(id).site.index()]?;
        self.capacities.get(offer)
    }

    /// What a slot costs this user per time.
    #[inline]
    pub fn rate_for(&self, slot: &Slot, user: Option<&str>) -> Rate {
        self.capacity_of(slot.node).map_or(slot.rate, |offer| offer.capacity.price_for(user))
    }

    /// The node with this id.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The site of a node.
    #[inline]
    pub fn site_of(&self, id: NodeId) -> &Site {
        &self.sites[self.node(id).site.index()]
    }
}

/// Checks slots that are in order: on known nodes, inside the horizon, disjoint, payable; gives what they are worth.
fn check_slots(horizon: Interval, nodes: &[Node], slots: &[Slot]) -> Result<Money, OffersError> {
    let mut free_from = vec![Time::MIN; nodes.len()];
    let mut value = Money::ZERO;
    for slot in slots {
        let node = slot.node;
        let previous_end = free_from.get_mut(node.index()).ok_or(OffersError::UnknownNode(node))?;
        if slot.start < *previous_end {
            return Err(OffersError::Overlap { node, at: slot.start });
        }
        *previous_end = slot.end;
        if !(1..=nodes[node.index()].division.units()).contains(&slot.units) {
            return Err(OffersError::WrongUnits { node, units: slot.units });
        }
        if slot.start < horizon.start() || slot.end > horizon.end() {
            return Err(OffersError::BeyondHorizon(node));
        }
        value = worth(slot).and_then(|cost| value.checked_add(cost)).ok_or(OffersError::TooDear)?;
    }
    Ok(value)
}

/// The most that all parts of a slot can cost together.
fn worth(slot: &Slot) -> Option<Money> {
    // Cutting a slot can add one rounding of a micro-credit per millisecond sold, at most.
    let rounding = Money::from_micros(slot.span().as_millis());
    slot.rate.cost_of(slot.span()).and_then(|cost| cost.checked_add(rounding))
}

/// The slots of one node: touching intervals become one slot.
///
/// `None` when a slot would be too dear for [`Slot::new`].
pub fn slots_of_node(node: NodeId, rate: Rate, free: &[Interval]) -> Option<Vec<Slot>> {
    merge(free).into_iter().map(|interval| Slot::new(node, interval, rate)).collect()
}
