//! What is for sale, from what sites say, owners' prices and what is held already.

use super::times::{FreeTimes, HeldTimes};
use crate::model::allocation::Hold;
use crate::model::input::SiteMessage;
use crate::model::site::{Free, FreeChange, FreeTime, SiteKind};
use crate::model::state::{NodeState, SiteState, State};
use walras_core::prefer::QueueOffer;
use walras_model::division::free_units;
use walras_model::interval::complement;
use walras_model::market::Capacity;
use walras_model::quantity::rounding;
use walras_model::{Attributes, CapacityOffer, Interval, NodeId, Offers, Rate, Share, SiteId, Slot, Time};

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
        self.market_without(now, oldest, &self.held_times())
    }

    /// What would be for sale if we held nothing.
    pub fn open_market(&self, now: Time, oldest: Time) -> Option<Market> {
        self.market_without(now, oldest, &HeldTimes::default())
    }

    fn market_without(&self, now: Time, oldest: Time, held: &HeldTimes) -> Option<Market> {
        let soonest =
            (0..self.sites.len()).filter_map(SiteId::from_index).map(|site| self.lead_of(site)).min();
        let lead = soonest.map_or(self.policy.lead, |soonest| soonest.min(self.policy.lead));
        let from = now.checked_add(lead)?;
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
            let (mut all, mut pieces) = (Told::default(), Vec::new());
            all.add(self, site, free, horizon);
            let all = all.gathered();
            let mut beside = Vec::new();
            for (node, intervals) in all.iter() {
                beside.clear();
                beside.extend(all.unsold(node));
                let held = match beside.is_empty() {
                    true => held.get(node),
                    false => {
                        beside.extend(held.get(node));
                        beside.as_slice()
                    }
                };
                self.sell(node, intervals, horizon, held, None, &mut pieces);
                slots.extend(pieces.drain(..).filter_map(|piece| affordable(node, piece, &mut worth)));
            }
        }
        let mut offers = Offers::of_known(horizon, self.known.sites(), self.known.nodes(), slots).ok()?;
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

    /// Adds what is left of a node's free time with its price: what a user pays, or the least that any does. The price of a piece
    /// that is sold whole does not depend on how much of it is held.
    pub(crate) fn sell(
        &self,
        node: NodeId,
        free: &[Interval],
        horizon: Interval,
        held: &[Interval],
        user: Option<&str>,
        left: &mut Vec<Piece>,
    ) {
        let Some(state) = self.node(node) else { return };
        let Some(site) = self.site(state.site) else { return };
        let Some(spec) = site.node_spec(node) else { return };
        let units = spec.division.units();
        let (prices, class) = (&site.spec.prices, spec.class.as_deref());
        let base = match user {
            Some(user) => prices.base_for(user, &spec.name, class),
            None => prices.least_of(&spec.name, class),
        };
        if let ([free], Some(rate)) = (free, prices.steady(base, site.demand))
            && state.is_whole()
        {
            // Nothing cuts it but what is held: the same as below, without the steps between.
            if let Some(open) = free.intersection(horizon) {
                left_of(open, rate, held, units, left);
            }
            return;
        }
        let sell = |free: Interval| prices.sell(free, base, site.demand, self.policy.calendar);
        let sold = self.open(node, free, horizon, &[]).into_iter().flat_map(sell);
        for (piece, rate) in sold {
            left_of(piece, rate, held, units, left);
        }
    }

    /// What a site's free intervals come to after a change; nothing where it has not said any.
    pub(crate) fn changed_free(&self, site: SiteId, change: &FreeChange) -> Option<Vec<FreeTime>> {
        match self.site(site)?.free.as_ref().map(|(_, free)| &**free)? {
            Free::Slots(before) => Some(change.applied(before)),
            Free::Capacity(_) | Free::Queue { .. } => None,
        }
    }

    /// A message of a site as it is best kept: what is free as what has changed of it, where that is shorter.
    pub fn shortened(&self, site: SiteId, message: SiteMessage) -> SiteMessage {
        let before = self.site(site).and_then(|site| site.free.as_ref()).map(|(_, free)| &**free);
        match (before, message) {
            (Some(Free::Slots(before)), SiteMessage::Offers { cycle, free: Free::Slots(new) }) => {
                match FreeChange::between(before, &new) {
                    Some(change) => SiteMessage::OffersChanged { cycle, change },
                    None => SiteMessage::Offers { cycle, free: Free::Slots(new) },
                }
            }
            (_, message) => message,
        }
    }

    /// What sites that stand say is free, node by node.
    pub(crate) fn free(&self, horizon: Interval) -> FreeTimes {
        let mut all = Told::default();
        for site in self.sites.iter().filter(|site| !site.lost) {
            if let Some((_, free)) = &site.free {
                all.add(self, site, free, horizon);
            }
        }
        all.gathered()
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
                    processors: u32::try_from(self.nodes_of(site).count()).ok()?,
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

    /// The time of a node that is told to be free, in milliseconds: its part of it, where not all units are.
    fn time_told(&self, free: &FreeTime) -> i128 {
        let all = self.node_spec(free.node).map_or(1, |spec| spec.division.units());
        let units = free.units.map_or(all, |units| units.min(all));
        rounding::down(i128::from(free.interval.span().as_millis()) * i128::from(units), i128::from(all))
    }

    /// The time of a node that a hold takes, in milliseconds: its part of it, where it holds units.
    pub(crate) fn time_of(&self, hold: &Hold) -> i128 {
        self.part_of(hold, i128::from(hold.interval.span().as_millis()))
    }

    /// The part of some time of a hold that its units are of all units of its node, rounded up.
    pub(crate) fn part_of(&self, hold: &Hold, millis: i128) -> i128 {
        rounding::up(millis * i128::from(hold.units), i128::from(self.units_there(hold)))
    }

    /// How much of its node a hold is.
    pub fn part_of_node(&self, hold: &Hold) -> Share {
        Share::of_whole(hold.units.into(), self.units_there(hold).into())
    }

    /// How many units the node of a hold has.
    fn units_there(&self, hold: &Hold) -> u32 {
        hold.node.and_then(|node| self.known.node(node)).map_or(1, |node| node.division.units())
    }

    /// The share of a site's offered time that we hold.
    pub fn share_taken(&self, site: SiteId) -> Share {
        let Some(state) = self.site(site) else { return Share::NOTHING };
        let held: i128 = self
            .reservations
            .values()
            .flat_map(|it| it.holds_left())
            .filter(|(at, hold)| *at == site && hold.interval.end() > self.clock)
            .map(|(_, hold)| self.time_of(hold))
            .sum();
        let free: i128 = match state.free.as_ref().map(|(_, free)| &**free) {
            Some(Free::Slots(free)) => free.iter().map(|it| self.time_told(it)).sum(),
            Some(Free::Capacity(count)) => i128::from(*count) * i128::from(self.policy.horizon.as_millis()),
            Some(Free::Queue { .. }) | None => 0,
        };
        // Nothing is taken where there is nothing to take.
        Share::of_whole(held, free.max(held))
    }
}

/// Free time of a node with its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// From when until when it is free at that price.
    pub(crate) interval: Interval,
    /// What the whole node costs per time.
    pub(crate) rate: Rate,
    /// How many of its units are free; one where it is sold whole.
    pub(crate) units: u32,
}

/// Adds what is left of a piece beside what is held, which takes one unit for every time it stands there.
pub(crate) fn left_of(open: Interval, rate: Rate, held: &[Interval], units: u32, left: &mut Vec<Piece>) {
    let piece = |(interval, units): (Interval, u32)| Piece { interval, rate, units };
    match (units, held) {
        (1, []) => left.push(piece((open, 1))),
        (1, [held]) => {
            let sides =
                [(open.start(), held.start().min(open.end())), (held.end().max(open.start()), open.end())];
            let sides = sides.into_iter().filter_map(|(from, until)| Interval::new(from, until));
            left.extend(sides.map(|side| piece((side, 1))));
        }
        (1, held) => left.extend(complement(open, held).into_iter().map(|it| piece((it, 1)))),
        (_, held) => left.extend(free_units(open, units, held).into_iter().map(piece)),
    }
}

impl NodeState {
    /// Whether nothing of what its site offers is kept back: it stands, and nobody has taken or drained it.
    fn is_whole(&self) -> bool {
        !self.lost && self.taken.is_empty() && self.drained.is_empty()
    }
}

/// A slot, unless everything together would then be worth more than can be counted.
fn affordable(node: NodeId, piece: Piece, worth: &mut i128) -> Option<Slot> {
    let Piece { interval, rate, units } = piece;
    let cost = rate.cost_of(interval.span())?;
    let value = i128::from(cost.as_micros()) + i128::from(interval.span().as_millis());
    let slot = Slot::new(node, interval, rate)
        .map(|slot| slot.with_units(units))
        .filter(|_| *worth + value <= WORTH_MAX)?;
    *worth += value;
    Some(slot)
}

/// What sites say is free.
#[derive(Default)]
struct Told {
    free: Vec<(NodeId, Interval)>,
    /// Of these times, what is not: an interval for every unit.
    unsold: Vec<(NodeId, Interval)>,
}

impl Told {
    /// Adds what a site says; nodes that are not its own are left out.
    fn add(&mut self, state: &State, site: &SiteState, free: &Free, horizon: Interval) {
        match free {
            Free::Slots(free) => {
                for FreeTime { node, interval, units } in free.iter().filter(|time| site.has_node(time.node))
                {
                    self.free.push((*node, *interval));
                    let Some(units) = units else { continue };
                    let all = site.node_spec(*node).map_or(1, |spec| spec.division.units());
                    let taken = all.saturating_sub(*units) as usize;
                    self.unsold.extend(std::iter::repeat_n((*node, *interval), taken));
                }
            }
            Free::Capacity(count) => {
                let own = state.nodes_of(site).take(*count as usize);
                self.free.extend(own.map(|(node, _)| (node, horizon)));
            }
            Free::Queue { .. } => {}
        }
    }

    fn gathered(self) -> FreeTimes {
        FreeTimes::new(self.free).without(self.unsold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left beside nothing, beside one time and beside several is what no held time covers.
    #[test]
    fn what_is_left_is_what_nobody_holds() {
        let interval = |from: i64, until: i64| {
            Interval::new(Time::from_millis(from).unwrap(), Time::from_millis(until).unwrap()).unwrap()
        };
        let rate = Rate::from_micros_per_second(7).unwrap();
        let open = interval(10, 20);
        let mut held = Vec::new();
        for from in 5..25 {
            held.extend((from + 1..27).map(|until| vec![interval(from, until)]));
        }
        held.extend([
            vec![],
            vec![interval(11, 12), interval(14, 19)],
            vec![interval(1, 2), interval(15, 30)],
        ]);
        for held in held {
            let left = complement(open, &held);
            let mut pieces = Vec::new();
            left_of(open, rate, &held, 1, &mut pieces);
            assert!(pieces.iter().all(|piece| (piece.rate, piece.units) == (rate, 1)));
            assert_eq!(pieces.iter().map(|piece| piece.interval).collect::<Vec<_>>(), left, "{held:?}");
        }
    }
}
