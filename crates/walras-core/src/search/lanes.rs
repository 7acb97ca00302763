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
//! A window of t tasks lies on lanes 1 to t of any node at the most, so that there are no more of them than the largest of the requests that share
//! them has tasks; and where each task is to have a node of its own, on lane 1 alone.
//!
//! Windows cut from the profile take k units from it, after which fewer moments have j · k units free, for every j and every k: lanes
//! only ever lose time, as slot lists do ([`SharedTime`]).
//!
//! **Complexity.** A profile of s steps of a node with u units has at most s · min(u/k, t) slots on lanes. Of all kinds together there are at
//! most [`LANES_MAX`] lanes; requests for which there would be more are not examined.

use super::shared::{SharedTime, Taken, continues};
use super::view::has_user_prices;
use std::collections::BTreeMap;
use walras_model::division::{price_of_units, watts_of_units};
use walras_model::id::NodeId;
use walras_model::interval::Interval;
use walras_model::offer::{Node, Offers, Slot, SlotKey};
use walras_model::quantity::{Money, Rate, Time};
use walras_model::request::{Batch, Request};
use walras_model::window::{Placement, Window};

/// There are no more lanes than this, of all kinds together: each is a node of its own to the searches, with all that is stated of it.
const LANES_MAX: usize = if cfg!(test) { 2_000 } else { 1 << 20 };

/// The lanes of all nodes for requests that take the same of each.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    /// What they are, as nodes that are sold whole.
    pub(crate) offers: Offers,
    /// By lane: which node it is of.
    nodes: Vec<NodeId>,
    /// By node: its first lane, and how many units a task takes there; nothing where it does not fit.
    of_node: Vec<(usize, Option<u32>)>,
    /// No node has more of them.
    most: u32,
    /// Who pays, where that makes a difference.
    user: Option<String>,
}

/// What requests must have in common to share lanes: by node the units of a task, who pays where that makes a difference, and whether each task
/// has a node of its own.
pub(crate) type LaneKey<'a> = (Vec<Option<u32>>, Option<&'a str>, bool);

/// Which lanes a request needs.
pub(crate) fn lane_key<'a>(offers: &Offers, request: &'a Request) -> LaneKey<'a> {
    let units = |node: &Node| node.units_needed(request);
    let user = request.user.as_deref().filter(|_| has_user_prices(offers));
    (offers.nodes().iter().map(units).collect(), user, request.scope.separate_nodes)
}

impl Lanes {
    /// The lanes of what is free, no more than so many of a node, where that are few enough.
    pub(crate) fn few(offers: &Offers, shared: &SharedTime, key: &LaneKey<'_>, most: u32) -> Option<Lanes> {
        Lanes::within(LANES_MAX, offers, shared, key, most)
    }

    /// The same where there are no more than `left` in all.
    fn within(
        left: usize,
        offers: &Offers,
        shared: &SharedTime,
        key: &LaneKey<'_>,
        most: u32,
    ) -> Option<Lanes> {
        (Lanes::count(offers, key, most) <= left).then(|| Lanes::new(offers, shared, key, most)).flatten()
    }

    /// How many lanes there are, where no node has more than so many.
    fn count(offers: &Offers, (units, ..): &LaneKey<'_>, most: u32) -> usize {
        let nodes = offers.nodes().iter().zip(units);
        nodes.map(|(node, units)| lanes_on(node.division.units(), *units, most) as usize).sum()
    }

    /// The lanes of what is free of these nodes, no more than so many of each; `None` where they are more than can be numbered or paid.
    fn new(offers: &Offers, shared: &SharedTime, (units, user, _): &LaneKey<'_>, most: u32) -> Option<Lanes> {
        let (mut nodes, mut lanes) = (Vec::new(), Vec::new());
        let mut of_node = Vec::with_capacity(units.len());
        for (place, (node, units)) in offers.nodes().iter().zip(units).enumerate() {
            of_node.push((lanes.len(), *units));
            let of = node.division.units();
            let taken = units.unwrap_or(of);
            // Nobody asks what a lane is called.
            let lane = Node {
                name: String::new(),
                site: node.site,
                performance: node.performance,
                watts: node.watts.map(|watts| watts_of_units(watts, taken, of)),
                attributes: node.attributes.clone(),
                division: node.division.of_units(taken),
            };
            for _ in 0..lanes_on(of, *units, most) {
                nodes.push(NodeId::from_index(place)?);
                lanes.push(lane.clone());
            }
        }
        let empty = Offers::new(offers.horizon(), offers.sites().to_vec(), Vec::new(), Vec::new()).ok()?;
        let user = user.map(str::to_owned);
        let mut all = Lanes { offers: empty, nodes, of_node, most, user };
        let mut slots = Vec::new();
        for (node, profile) in shared.profiles().iter().enumerate() {
            slots.extend(all.slots_of(offers, NodeId::from_index(node)?, profile)?);
        }
        all.offers = Offers::new(offers.horizon(), offers.sites().to_vec(), lanes, slots).ok()?;
        Some(all)
    }

    /// What the lanes of a node have free when this is free of it, lane by lane; `None` where that cannot be numbered or paid.
    pub(crate) fn slots_of(&self, offers: &Offers, node: NodeId, profile: &[Slot]) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        let (first, Some(units)) = *self.of_node.get(node.index())? else { return Some(slots) };
        let of = offers.node(node).division.units();
        for (lane, run) in (first..).zip(runs(profile, units, (of, self.most))) {
            let lane = NodeId::from_index(lane)?;
            for (time, slot) in run {
                let rate = price_of_units(offers.rate_for(&slot, self.user.as_deref()), units, of);
                slots.push(Slot::new(lane, time, rate)?.with_units(units));
            }
        }
        Some(slots)
    }

    /// The node of each lane.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// A window on lanes, told in terms of nodes.
    pub(crate) fn told(&self, window: &Window) -> Option<Window> {
        let placement = |it: &Placement| {
            let node = *self.nodes.get(it.node.index())?;
            Some(Placement { node, source: SlotKey { start: it.source.start, node }, ..*it })
        };
        Window::sharing(window.placements().iter().map(placement).collect::<Option<Vec<_>>>()?)
    }

    /// What the lanes of a node lose when so many of its units are taken from its profile for some time, each part with the slot that it is cut from,
    /// in an order in which they can be.
    ///
    /// Only lanes lose anything for which enough was free before and is not after, and nothing but these stretches of the time.
    pub(crate) fn lost(&self, profile: &[Slot], of: u32, taken: &Taken) -> Vec<Placement> {
        let mut lost = Vec::new();
        let Some((first, Some(units))) = self.of_node.get(taken.node.index()).copied() else { return lost };
        let steps = taken.steps(profile);
        let lanes = |free: u32| lanes_on(free, Some(units), self.most);
        let left = |step: &Slot| step.units().saturating_sub(taken.units);
        let before = profile[steps.clone()].iter().map(|step| lanes(step.units())).max().unwrap_or(0);
        let after = profile[steps.clone()].iter().map(|step| lanes(left(step))).min().unwrap_or(0);
        for number in after + 1..=before {
            let Some(node) = NodeId::from_index(first + number as usize - 1) else { break };
            let mut source = Time::MIN;
            // Whether the lane was free up to this step, and whether it was lost there.
            let (mut was_free, mut was_lost) = (false, false);
            for place in steps.clone() {
                let step = &profile[place];
                if lanes(step.units()) < number {
                    (was_free, was_lost) = (false, false);
                    continue;
                }
                let goes_on = was_free && place > steps.start && continues(profile, place, of);
                if !goes_on {
                    source = run_start(profile, place, of, |step| lanes(step.units()) >= number);
                }
                let is_lost = lanes(left(step)) < number;
                if let (true, Some(part)) = (is_lost, taken.part_of(step)) {
                    match lost.last_mut() {
                        Some(last) if goes_on && was_lost => join(last, part),
                        _ => lost.push(part_of_lane((node, units), part, step.rate(), source)),
                    }
                    source = part.end();
                }
                (was_free, was_lost) = (true, is_lost);
            }
        }
        lost
    }
}

/// Some time of a lane, to be cut from the slot that starts there.
fn part_of_lane((node, units): (NodeId, u32), interval: Interval, rate: Rate, start: Time) -> Placement {
    Placement { node, units, interval, rate, cost: Money::ZERO, source: SlotKey { start, node } }
}

/// Makes a part reach to the end of one that follows it.
fn join(part: &mut Placement, next: Interval) {
    part.interval = Interval::new(part.interval.start(), next.end()).unwrap_or(part.interval);
}

/// When the stretch began that goes on up to this step, over steps for which this holds.
fn run_start(profile: &[Slot], place: usize, of: u32, is_free: impl Fn(&Slot) -> bool) -> Time {
    let mut first = place;
    while first > 0 && continues(profile, first, of) && is_free(&profile[first - 1]) {
        first -= 1;
    }
    profile[first].start()
}

/// Requests that share lanes: what they have in common, and how many tasks the largest of them has.
pub(crate) type Kinds<'a> = Vec<(LaneKey<'a>, u32)>;

/// Which requests of a batch share lanes, and by request its kind.
pub(crate) fn kinds_of<'a>(offers: &Offers, batch: &'a Batch) -> (Kinds<'a>, Vec<usize>) {
    let mut known: BTreeMap<LaneKey<'_>, (usize, u32)> = BTreeMap::new();
    let mut of_job = Vec::with_capacity(batch.requests().len());
    for request in batch.requests() {
        let key = lane_key(offers, request);
        let next = known.len();
        let (kind, most) = known.entry(key).or_insert((next, 0));
        *most = request.scope.side_by_side(request.tasks).max(*most);
        of_job.push(*kind);
    }
    let mut kinds: Vec<(usize, LaneKey<'_>, u32)> =
        known.into_iter().map(|(key, (kind, most))| (kind, key, most)).collect();
    kinds.sort_unstable_by_key(|(kind, ..)| *kind);
    (kinds.into_iter().map(|(_, key, most)| (key, most)).collect(), of_job)
}

/// All lanes that the requests of a batch need, where nodes are sold in units, and which each needs. Requests for which there would be too many
/// need some that are not there.
pub(crate) fn lanes_of(
    offers: &Offers,
    shared: &SharedTime,
    batch: &Batch,
) -> (Vec<Lanes>, Vec<Option<usize>>) {
    let (kinds, of_job) = kinds_of(offers, batch);
    let (mut all, mut made, mut left) = (Vec::new(), Vec::new(), LANES_MAX);
    for (key, most) in &kinds {
        let lanes = Lanes::within(left, offers, shared, key, *most);
        left -= lanes.as_ref().map_or(0, |lanes| lanes.nodes.len());
        made.push(lanes.is_some().then_some(all.len()));
        all.extend(lanes);
    }
    let of_job = of_job.into_iter().map(|kind| made[kind]).collect();
    (all, of_job)
}

/// How many lanes a node of so many units has for tasks that take some; one, without any time, where they do not fit.
fn lanes_on(of: u32, units: Option<u32>, most: u32) -> u32 {
    units.map_or(1, |units| (of / units.max(1)).min(most.max(1)))
}

/// Lane by lane: the stretches in which so many units for each are free at one price, with a slot of each. Slots of a node that is sold whole stay
/// as they are. There are no more than so many lanes.
fn runs(profile: &[Slot], units: u32, (of, most): (u32, u32)) -> Vec<Vec<(Interval, Slot)>> {
    let lane = |number: u32| stretches(profile, number * units, of > 1);
    (1..=lanes_on(of, Some(units), most)).map(lane).collect()
}

/// The stretches of a profile in which at least so many units are free at one price, with a slot of each; across slots only where they join.
pub(crate) fn stretches(profile: &[Slot], units: u32, join: bool) -> Vec<(Interval, Slot)> {
    let mut run: Vec<(Interval, Slot)> = Vec::new();
    for slot in profile.iter().filter(|slot| slot.units() >= units) {
        match run.last_mut() {
            Some((time, last)) if join && (time.end(), last.rate()) == (slot.start(), slot.rate()) => {
                *time = Interval::new(time.start(), slot.end()).unwrap_or(*time);
            }
            _ => run.extend(Interval::new(slot.start(), slot.end()).map(|time| (time, *slot))),
        }
    }
    run
}

/// By node: its slots in order of time.
pub(crate) fn profiles(offers: &Offers) -> Vec<Vec<Slot>> {
    let mut profiles = vec![Vec::new(); offers.nodes().len()];
    for slot in offers.slots() {
        profiles[slot.node().index()].push(*slot);
    }
    profiles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Criterion, SearchConfig, find_alternatives};
    use walras_model::quantity::{Performance, Work};
    use walras_model::{Attributes, Division, Reason, Requirement, Site, SiteId};

    /// Ten nodes of as many units as there can be, all free.
    fn offers() -> Offers {
        let time = |millis| Time::from_millis(millis).unwrap();
        let horizon = Interval::new(time(0), time(100)).unwrap();
        let node = |number: u32| Node {
            division: Division::new(4_096, BTreeMap::new()).unwrap(),
            name: format!("n{number}"),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
        };
        let rate = Rate::from_micros_per_second(4_096_000).unwrap();
        let slot = |node| Slot::new(NodeId::new(node), horizon, rate).unwrap().with_units(4_096);
        let sites = vec![Site { name: "a".into() }];
        Offers::new(horizon, sites, (0..10).map(node).collect(), (0..10).map(slot).collect()).unwrap()
    }

    fn batch(tasks: &[u32]) -> Batch {
        let job = |(number, tasks): (usize, &u32)| {
            Request::new(&format!("j{number}"), *tasks, Work::from_millis(10).unwrap())
        };
        Batch::new(tasks.iter().enumerate().map(job).collect())
    }

    #[test]
    fn there_are_as_many_lanes_as_somebody_has_tasks() {
        let offers = offers();
        let count = |tasks: &[u32]| {
            let (all, of_job) = lanes_of(&offers, &SharedTime::new(&offers), &batch(tasks));
            assert_eq!(of_job, vec![Some(0); tasks.len()]);
            all.iter().map(|lanes| lanes.offers.nodes().len()).sum::<usize>()
        };
        assert_eq!((count(&[1]), count(&[1, 3, 1])), (10, 30));
    }

    #[test]
    fn who_would_need_too_many_lanes_is_not_examined() {
        let offers = offers();
        let mut requests = batch(&[1, 4_096]).requests().to_vec();
        requests[0].requires.push(Requirement::exclusive());
        let (all, of_job) = lanes_of(&offers, &SharedTime::new(&offers), &Batch::new(requests));
        assert_eq!((all.len(), of_job), (1, vec![Some(0), None]));
        let cheapest =
            SearchConfig { algorithm: Algorithm::Criterion(Criterion::Cost), ..SearchConfig::default() };
        let found = find_alternatives(&offers, &batch(&[4_096]), &cheapest);
        assert!(found.found.is_empty());
        assert_eq!(found.unscheduled[0].explanation.reasons, [Reason::NotExamined]);
        let found = find_alternatives(&offers, &batch(&[100]), &cheapest);
        assert_eq!(found.found[0].window.placements().len(), 100);
        // The earliest window is looked for without lanes.
        let found = find_alternatives(&offers, &batch(&[4_096]), &SearchConfig::default());
        assert_eq!(found.found[0].window.placements().len(), 4_096);
    }
}
