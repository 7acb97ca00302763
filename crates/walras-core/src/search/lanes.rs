//! Nodes that are sold in units, as nodes that are sold whole: the searches need not know the difference.
//!
//! **Problem.** What is free on a node that is sold in units is a profile: so many units from when on. A task takes k of them, on one node
//! at once, and several tasks of a job may share a node.
//!
//! **Method.** For a request that takes k units of a node, *lane* j of it (j = 1, 2, ...) is the time in which at least j · k units
//! are free, at the price of k units. Every lane becomes a node of its own, the search runs on these, and the windows that it finds are told
//! in terms of the nodes.
//!
//! *Proof that nothing is lost or invented.* Let a window put c tasks on a node; all start together, take the same k units, and take the same
//! time there, for the node is one and the tasks are alike. It fits the profile exactly if at every moment of that time at least c · k units are
//! free. If so, lanes 1 to c are free all along, since they are nested (who has j · k units free has (j − 1) · k), and the c tasks
//! lie on these. If, the other way round, c tasks lie on c lanes, the highest of these is lane c or higher, and its being free says that
//! at least c · k units are. Costs and run times are equal on all lanes of a node, so that every criterion agrees, too.
//!
//! Windows cut from the profile take k units from it, after which fewer moments have j · k units free, for every j and every k: lanes
//! only ever lose time, as slot lists do ([`SharedTime`]).
//!
//! **Complexity.** A profile of s steps of a node with u units has at most s · u/k slots on lanes.

use super::view::has_user_prices;
use std::collections::BTreeMap;
use walras_model::division::price_of_units;
use walras_model::id::NodeId;
use walras_model::interval::{Interval, complement};
use walras_model::offer::{Node, Offers, Slot, SlotKey};
use walras_model::quantity::Money;
use walras_model::request::{Batch, Request};
use walras_model::window::{Placement, Window};

/// The lanes of all nodes for requests that take the same of each.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    /// What they are, as nodes that are sold whole.
    pub(crate) offers: Offers,
    /// By lane: which node it is of.
    nodes: Vec<NodeId>,
    /// By node: its first lane, and how many units a task takes there; nothing where it does not fit.
    of_node: Vec<(usize, Option<u32>)>,
}

/// What requests must have in common to share lanes: by node the units of a task, and who pays where that makes a difference.
pub(crate) type LaneKey<'a> = (Vec<Option<u32>>, Option<&'a str>);

/// Which lanes a request needs; with `whole`, of all units of a node together.
pub(crate) fn lane_key<'a>(offers: &Offers, request: &'a Request, whole: bool) -> LaneKey<'a> {
    let units = |node: &Node| {
        let needed = node.units_needed(&request.requires)?;
        Some(if whole { node.division.units() } else { needed })
    };
    let user = request.user.as_deref().filter(|_| has_user_prices(offers));
    (offers.nodes().iter().map(units).collect(), user)
}

impl Lanes {
    /// The lanes of everything that is free; `None` where they are more than can be numbered or paid.
    pub(crate) fn new(offers: &Offers, (units, user): &LaneKey<'_>) -> Option<Lanes> {
        let (mut nodes, mut lanes) = (Vec::new(), Vec::new());
        let mut of_node = Vec::with_capacity(units.len());
        for (place, (node, units)) in offers.nodes().iter().zip(units).enumerate() {
            of_node.push((lanes.len(), *units));
            for _ in 0..units.map_or(1, |units| node.division.units() / units.max(1)) {
                nodes.push(NodeId::from_index(place)?);
                let division = units.map_or(node.division.clone(), |units| node.division.of_units(units));
                lanes.push(Node { division, ..node.clone() });
            }
        }
        let mut slots = Vec::new();
        for (place, profile) in profiles(offers).iter().enumerate() {
            let (first, Some(units)) = of_node[place] else { continue };
            let of = offers.nodes()[place].division.units();
            for (lane, run) in (first..).zip(runs(profile, units, of)) {
                let lane = NodeId::from_index(lane)?;
                for (time, slot) in run {
                    let rate = price_of_units(offers.rate_for(&slot, *user), units, of);
                    slots.push(Slot::new(lane, time, rate)?.with_units(units));
                }
            }
        }
        let offers = Offers::new(offers.horizon(), offers.sites().to_vec(), lanes, slots).ok()?;
        Some(Lanes { offers, nodes, of_node })
    }

    /// A window on lanes, told in terms of nodes.
    pub(crate) fn told(&self, window: &Window) -> Option<Window> {
        let placement = |it: &Placement| {
            let node = *self.nodes.get(it.node.index())?;
            Some(Placement { node, source: SlotKey { start: it.source.start, node }, ..*it })
        };
        Window::sharing(window.placements().iter().map(placement).collect::<Option<Vec<_>>>()?)
    }

    /// What the lanes of a node lose when its profile changes, each part with the slot that it is cut from, in an order in which they can be.
    pub(crate) fn lost(&self, node: NodeId, of: u32, before: &[Slot], after: &[Slot]) -> Vec<Placement> {
        let mut lost = Vec::new();
        let Some((first, Some(units))) = self.of_node.get(node.index()).copied() else { return lost };
        let left = runs(after, units, of);
        for (lane, (place, run)) in (first..).zip(runs(before, units, of).into_iter().enumerate()) {
            let Some(lane) = NodeId::from_index(lane) else { break };
            let left = left.get(place).map_or(&[][..], Vec::as_slice);
            for (time, slot) in run {
                let kept: Vec<Interval> =
                    left.iter().filter_map(|(left, _)| left.intersection(time)).collect();
                let mut source = SlotKey { start: time.start(), node: lane };
                for interval in complement(time, &kept) {
                    let (rate, cost) = (slot.rate(), Money::ZERO);
                    lost.push(Placement { node: lane, units, interval, rate, cost, source });
                    source.start = interval.end();
                }
            }
        }
        lost
    }
}

/// All lanes that the requests of a batch need, where nodes are sold in units, and which each needs; with `whole`, of all units together. None
/// where there are more than can be numbered or paid: nodes are then for sale as a whole.
pub(crate) fn lanes_of(offers: &Offers, batch: &Batch, whole: &[bool]) -> (Vec<Lanes>, Vec<usize>) {
    if !offers.is_divided() {
        return (Vec::new(), Vec::new());
    }
    let mut known: BTreeMap<LaneKey<'_>, usize> = BTreeMap::new();
    let (mut all, mut of_job) = (Vec::new(), Vec::new());
    for (place, request) in batch.requests().iter().enumerate() {
        let key = lane_key(offers, request, whole.get(place).is_some_and(|whole| *whole));
        let made = match known.get(&key) {
            Some(made) => *made,
            None => {
                let Some(lanes) = Lanes::new(offers, &key) else { return (Vec::new(), Vec::new()) };
                all.push(lanes);
                known.insert(key, all.len() - 1);
                all.len() - 1
            }
        };
        of_job.push(made);
    }
    (all, of_job)
}

/// Lane by lane: the stretches in which so many units for each are free at one price, with a slot of each. Slots of a node that is sold whole stay
/// as they are.
fn runs(profile: &[Slot], units: u32, of: u32) -> Vec<Vec<(Interval, Slot)>> {
    let lane = |number: u32| {
        let mut run: Vec<(Interval, Slot)> = Vec::new();
        for slot in profile.iter().filter(|slot| slot.units() >= number * units) {
            match run.last_mut() {
                Some((time, last)) if of > 1 && (time.end(), last.rate()) == (slot.start(), slot.rate()) => {
                    *time = Interval::new(time.start(), slot.end()).unwrap_or(*time);
                }
                _ => run.extend(Interval::new(slot.start(), slot.end()).map(|time| (time, *slot))),
            }
        }
        run
    };
    (1..=of / units.max(1)).map(lane).collect()
}

/// By node: its slots in order of time.
fn profiles(offers: &Offers) -> Vec<Vec<Slot>> {
    let mut profiles = vec![Vec::new(); offers.nodes().len()];
    for slot in offers.slots() {
        profiles[slot.node().index()].push(*slot);
    }
    profiles
}

/// What is free on nodes while windows are cut out of it, for all kinds of lanes at once.
pub(crate) struct SharedTime {
    profiles: Vec<Vec<Slot>>,
    units: Vec<u32>,
}

impl SharedTime {
    pub(crate) fn new(offers: &Offers) -> SharedTime {
        let units = offers.nodes().iter().map(|node| node.division.units()).collect();
        SharedTime { profiles: profiles(offers), units }
    }

    /// Takes a window out; gives for each of these lanes what it loses.
    pub(crate) fn cut(&mut self, window: &Window, all: &[Lanes]) -> Vec<Vec<Placement>> {
        let mut taken: BTreeMap<NodeId, Vec<&Placement>> = BTreeMap::new();
        for placement in window.placements() {
            taken.entry(placement.node).or_default().push(placement);
        }
        let mut lost = vec![Vec::new(); all.len()];
        for (node, placements) in taken {
            let (Some(profile), Some(of)) =
                (self.profiles.get_mut(node.index()), self.units.get(node.index()))
            else {
                continue;
            };
            let before = profile.clone();
            for placement in placements {
                *profile = without(profile, placement);
            }
            for (lost, lanes) in lost.iter_mut().zip(all) {
                lost.extend(lanes.lost(node, *of, &before, profile));
            }
        }
        lost
    }
}

/// A profile without the units of a placement.
fn without(profile: &[Slot], placement: &Placement) -> Vec<Slot> {
    let (start, end) = (placement.interval.start(), placement.interval.end());
    let mut left = Vec::with_capacity(profile.len() + 2);
    for slot in profile {
        let fewer = slot.units().saturating_sub(placement.units);
        let inside = slot.part(slot.start().max(start), slot.end().min(end));
        let outside =
            [slot.part(slot.start(), slot.end().min(start)), slot.part(slot.start().max(end), slot.end())];
        left.extend(outside[0]);
        left.extend(inside.filter(|_| fewer > 0).map(|slot| slot.with_units(fewer)));
        left.extend(outside[1]);
    }
    left
}
