//! Free processors that are alike, as sites of a capacity market.
//!
//! Of a node that is sold in units, a task takes so many of one node: it is a processor for every so many that are free when the round starts,
//! and for as long as they are, at the price of so many. Jobs of one market therefore take the same of every node.

use super::{CapacityRound, PlanningJob, PlanningProblem};
use crate::model::allocation::Hold;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::division::price_of_units;
use walras_model::market::Capacity;
use walras_model::{
    Attributes, Division, Interval, Node, NodeId, Offers, Performance, Rate, Request, SiteId, Slot, Time,
};

/// Free processors of one site that are alike.
pub(super) struct Pool {
    pub(super) site: SiteId,
    /// How many there are, how fast, and what each costs.
    pub(super) capacity: Capacity,
    /// For how long they are free.
    pub(super) until: Time,
    attributes: Attributes,
    division: Division,
    /// How many units of its node each has.
    units: u32,
    /// By processor: its node.
    nodes: Vec<NodeId>,
}

/// What nodes have in common that can be of one pool: where they cost the same and are free as long, they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind<'n> {
    pub(super) site: SiteId,
    pub(super) speed: Performance,
    attributes: &'n Attributes,
    division: &'n Division,
}

/// By kind of nodes that are sold in units: how many a task takes; and whether each task has a node of its own.
pub(super) type Taken = (Vec<Option<u32>>, bool);

/// What is free when a round starts, but for windows that others were promised.
pub(super) struct Free<'a> {
    round: &'a CapacityRound,
    offers: Offers,
}

impl<'a> Free<'a> {
    pub(super) fn of(problem: &PlanningProblem, round: &'a CapacityRound) -> Free<'a> {
        let planned = problem.agenda.iter().flat_map(|agenda| &agenda.planned);
        let windows = planned.filter_map(|known| known.window.as_deref());
        let placements = windows.flat_map(|window| window.placements());
        let promised = placements.flat_map(|it| by_unit(it.node, it.interval, it.units));
        Free { round, offers: problem.offers.without(promised) }
    }

    /// Takes what is held out of it.
    pub(super) fn take<'h>(&mut self, holds: impl Iterator<Item = &'h Hold>) {
        self.offers = self.offers.without(times_of(holds));
    }

    /// These jobs by what they take of nodes: all together where every node is sold whole.
    pub(super) fn groups<'j>(&self, jobs: &[&'j PlanningJob]) -> Vec<(Taken, Vec<&'j PlanningJob>)> {
        let nodes = self.offers.nodes().iter();
        let sold = nodes.filter(|node| node.division.is_divided() && self.round.sites.contains(&node.site));
        let kinds: BTreeSet<(&Division, &Attributes)> =
            sold.map(|node| (&node.division, &node.attributes)).collect();
        let mut known: BTreeMap<Taken, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<&PlanningJob>> = Vec::new();
        for job in jobs {
            let units = kinds.iter().map(|(kind, of)| kind.units_needed(&job.request, of));
            let alike = (units.collect(), job.request.scope.separate_nodes && !kinds.is_empty());
            let group = *known.entry(alike).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(job);
        }
        let mut taken: Vec<(Taken, usize)> = known.into_iter().collect();
        taken.sort_by_key(|(_, group)| *group);
        taken.into_iter().map(|(taken, _)| taken).zip(groups).collect()
    }

    /// The processors for jobs that take of nodes what this one takes.
    pub(super) fn pools(&self, request: &Request) -> Vec<Pool> {
        let sells = |slot: &&Slot| self.round.sites.contains(&self.offers.node(slot.node()).site);
        let mut by_node: BTreeMap<NodeId, Vec<&Slot>> = BTreeMap::new();
        let ahead = |slot: &&Slot| self.round.start < slot.end();
        for slot in self.offers.slots().iter().filter(ahead).filter(sells) {
            by_node.entry(slot.node()).or_default().push(slot);
        }
        let mut pools: Vec<Pool> = Vec::new();
        let mut known: BTreeMap<(Kind<'_>, Rate, Time, u32), usize> = BTreeMap::new();
        for (id, slots) in by_node {
            let node = self.offers.node(id);
            let whole = !node.division.is_divided();
            let units = if whole { Some(1) } else { node.units_needed(request) };
            let Some((first, units)) =
                slots.first().zip(units).filter(|(slot, _)| slot.start() <= self.round.start)
            else {
                continue;
            };
            for count in 1..=request.scope.side_by_side(first.units() / units.max(1)) {
                let until = if whole { first.end() } else { free_until(&slots, count * units) };
                let new = self.pool(node, first, until, units);
                match known.entry((Kind::of(node), new.capacity.price, until, units)) {
                    Entry::Occupied(place) => {
                        let pool = &mut pools[*place.get()];
                        pool.nodes.push(id);
                        pool.capacity.processors += 1;
                    }
                    Entry::Vacant(place) => {
                        place.insert(pools.len());
                        pools.push(new);
                    }
                }
            }
        }
        pools
    }

    /// One processor: so many units of a node.
    fn pool(&self, node: &Node, slot: &Slot, until: Time, units: u32) -> Pool {
        let part = |rate: Rate| price_of_units(rate, units, node.division.units());
        let (price, prices) = match self.offers.capacity_of(slot.node()) {
            Some(offer) => {
                let prices = offer.capacity.prices.iter();
                (offer.capacity.price, prices.map(|(user, rate)| (user.clone(), part(*rate))).collect())
            }
            None => (slot.rate(), BTreeMap::new()),
        };
        Pool {
            site: node.site,
            capacity: Capacity { processors: 1, speed: node.performance, price: part(price), prices },
            until,
            attributes: node.attributes.clone(),
            division: node.division.clone(),
            units,
            nodes: vec![slot.node()],
        }
    }
}

impl<'n> Kind<'n> {
    fn of(node: &'n Node) -> Kind<'n> {
        let Node { site, performance, attributes, division, name: _, watts: _ } = node;
        Kind { site: *site, speed: *performance, attributes, division }
    }

    /// The kinds of these nodes, and how many there are of each.
    pub(super) fn counted(nodes: impl Iterator<Item = &'n Node>) -> BTreeMap<Kind<'n>, u64> {
        let mut kinds = BTreeMap::new();
        for node in nodes {
            *kinds.entry(Kind::of(node)).or_insert(0) += 1;
        }
        kinds
    }

    /// How many tasks of a request one of them could run at a time; `None` where it is not what the request asks for.
    pub(super) fn tasks(&self, request: &Request) -> Option<u64> {
        let units = self.division.units_needed(request, self.attributes)?;
        let fits = self.speed >= request.performance_min && request.scope.admits(self.site);
        fits.then(|| u64::from(request.scope.side_by_side(self.division.units() / units.max(1))))
    }
}

impl Pool {
    /// Whether its processors are what a request asks for.
    pub(super) fn fits(&self, request: &Request) -> bool {
        self.capacity.speed >= request.performance_min
            && request.scope.admits(self.site)
            && self.division.units_needed(request, &self.attributes).is_some()
    }

    /// Takes so many processors: the node of each, and how many units of it.
    pub(super) fn take(&mut self, processors: u32) -> Vec<(NodeId, u32)> {
        self.capacity.processors = self.capacity.processors.saturating_sub(processors);
        let count = (processors as usize).min(self.nodes.len());
        self.nodes.drain(..count).map(|node| (node, self.units)).collect()
    }
}

/// Until when at least so many units are free without a break, at one price, by the slots of a node from then on.
fn free_until(slots: &[&Slot], units: u32) -> Time {
    let goes_on = |pair: &&[&Slot]| {
        let (slot, next) = (pair[0], pair[1]);
        next.start() == slot.end() && next.rate() == slot.rate() && next.units() >= units
    };
    let place = slots.windows(2).take_while(goes_on).count();
    slots.get(place).map_or(Time::MIN, |slot| slot.end())
}

/// The times that holds take of nodes, once for every unit.
pub(crate) fn times_of<'h>(
    holds: impl Iterator<Item = &'h Hold>,
) -> impl Iterator<Item = (NodeId, Interval)> {
    holds
        .filter_map(|hold| Some((hold.node?, hold)))
        .flat_map(|(node, hold)| by_unit(node, hold.interval, hold.units))
}

/// A time once for each unit of a node.
pub(crate) fn by_unit(
    node: NodeId,
    interval: Interval,
    units: u32,
) -> impl Iterator<Item = (NodeId, Interval)> {
    std::iter::repeat_n((node, interval), units as usize)
}
