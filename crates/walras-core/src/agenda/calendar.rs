//! Free time by groups of nodes that are alike.
//!
//! **Problem.** Plans of everybody who waits are made and thrown away thousands of times, and which of several equal nodes somebody
//! gets does not matter until it starts; but a window that is bound to nodes stands in the way of others that any equal
//! nodes would have served.
//!
//! **Method.** Slots that end at the same time, at the same price, on nodes of one site that are alike, form a group. Within it a node that
//! is free at a moment stays free until the end of all of them, but for what is planned; so that windows that take no more nodes at
//! any moment than are free can always be given nodes, in order of start, whichever each one takes ([`super::nodes`]). A group is
//! a step function: how many are free from when on. Where every node has hours of its own, every slot is a group of its own.
//!
//! A node that is sold in units is a group by itself for as long as it is offered at one price: the step function counts its units, which may
//! become fewer too, and each task takes some of them. Units have no names, so that whoever finds enough of them has them.
//!
//! **Complexity.** As of the step functions ([`super::steps`]).

use super::steps::{Step, Steps};
use crate::search::{has_user_prices, own_rate_of};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::attribute::{Attributes, Value};
use walras_model::division::price_of_units;
use walras_model::id::{NodeId, SiteId};
use walras_model::interval::Interval;
use walras_model::offer::{Node, Offers, Slot};
use walras_model::quantity::{Performance, Rate, Time, Watts, rounding};
use walras_model::request::Request;

/// Slots that are as good as each other.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// In order of start; of a node that is sold in units, each as long as one number of them is free.
    pub(super) slots: Vec<Slot>,
    /// How many units its one node is sold in; one where nodes are counted.
    pub(super) units: u32,
    /// How many kinds of nodes its nodes could stand in for: among equals the least, so that others stay free for who needs them.
    pub(super) stands_for: usize,
    /// Whether its nodes are offered until nobody has looked further: later there may be more of it. Other slots end because an owner needs the
    /// node, somebody holds it, or its price changes.
    pub(super) is_last: bool,
}

impl Group {
    /// When its nodes are offered no longer.
    pub(super) fn end(&self) -> Option<Time> {
        self.slots.last().map(Slot::end)
    }

    /// How many tasks that take so many units each it has room for, at the most.
    pub(super) fn room_for(&self, units: u32) -> usize {
        match self.units {
            1 => self.slots.len(),
            _ => self.slots.iter().map(|slot| (slot.units() / units.max(1)) as usize).max().unwrap_or(0),
        }
    }

    /// Whether a slot of a node that is sold in units goes on with this group.
    fn goes_on_with(&self, slot: &Slot) -> bool {
        self.slots.last().is_some_and(|last| (last.end(), last.rate()) == (slot.start(), slot.rate()))
    }
}

/// What makes slots as good as each other.
type Likeness<'a> = (Time, Rate, SiteId, Performance, Option<Watts>, &'a Attributes);

/// All slots of the offers by groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// In order of nodes and, on each, of start: a slot, and where it is: its group, and its place there.
    of_nodes: Vec<(Slot, (usize, usize))>,
    /// By node: where its slots begin among these; and where those of the last end.
    first_of: Vec<usize>,
    /// Whether some nodes have prices for single users.
    own_prices: bool,
}

impl Groups {
    pub(super) fn new(offers: &Offers) -> Groups {
        let mut known: BTreeMap<Likeness<'_>, usize> = BTreeMap::new();
        let mut all = Groups {
            groups: Vec::new(),
            of_nodes: Vec::new(),
            first_of: vec![0; offers.nodes().len() + 1],
            own_prices: has_user_prices(offers),
        };
        let stand_ins = stand_ins(offers);
        let mut found = Vec::with_capacity(offers.slots().len());
        let mut last: Option<(Likeness<'_>, usize)> = None;
        // By node that is sold in units: the group of its last slot.
        let mut divided: BTreeMap<NodeId, usize> = BTreeMap::new();
        // The slots come in order of start, and most are like the one before.
        for slot in offers.slots() {
            let node = offers.node(slot.node());
            if node.division.is_divided() {
                let before = divided.get(&slot.node()).copied();
                let group = all.add_divided(slot, node, before, &stand_ins);
                divided.insert(slot.node(), group);
                all.put(*slot, group, &mut found);
                continue;
            }
            let key = (slot.end(), slot.rate(), node.site, node.performance, node.watts, &node.attributes);
            let group = match last {
                Some((known, group)) if known == key => group,
                _ => *known.entry(key).or_insert(all.groups.len()),
            };
            last = Some((key, group));
            if group == all.groups.len() {
                let stands_for = stand_ins.get(&node.attributes).copied().unwrap_or(0);
                all.groups.push(Group { slots: Vec::new(), units: 1, stands_for, is_last: false });
            }
            all.put(*slot, group, &mut found);
        }
        all.by_nodes(&found);
        all.mark_last(offers);
        all
    }

    /// Offers of a site end together, and not long before the horizon: sites were asked at different moments.
    fn mark_last(&mut self, offers: &Offers) {
        let horizon = offers.horizon();
        let part = rounding::down(i128::from(horizon.span().as_millis()), 8);
        let after = i128::from(horizon.end().as_millis()) - part;
        let site = |group: &Group| group.slots.last().map(|slot| offers.node(slot.node()).site);
        let mut ends: BTreeMap<SiteId, Time> = BTreeMap::new();
        for (site, end) in self.groups.iter().filter_map(|group| site(group).zip(group.end())) {
            let last = ends.entry(site).or_insert(end);
            *last = end.max(*last);
        }
        for group in &mut self.groups {
            let last = site(group).and_then(|site| ends.get(&site));
            group.is_last =
                last.is_some_and(|last| group.end() == Some(*last) && i128::from(last.as_millis()) >= after);
        }
    }

    /// Puts a slot into a group, as its last.
    fn put(&mut self, slot: Slot, group: usize, found: &mut Vec<(Slot, (usize, usize))>) {
        found.push((slot, (group, self.groups[group].slots.len())));
        self.groups[group].slots.push(slot);
        self.first_of[slot.node().index() + 1] += 1;
    }

    /// Puts slots that are in order of start into order of nodes, those of each staying in order.
    fn by_nodes(&mut self, found: &[(Slot, (usize, usize))]) {
        let mut sum = 0;
        for count in &mut self.first_of {
            sum += *count;
            *count = sum;
        }
        let mut next = self.first_of.clone();
        self.of_nodes = found.to_vec();
        for of in found {
            let place = &mut next[of.0.node().index()];
            self.of_nodes[*place] = *of;
            *place += 1;
        }
    }

    /// Adds a slot of a node that is sold in units: to the group of the slot before it, where it goes on with that. Says which group that is.
    fn add_divided(
        &mut self,
        slot: &Slot,
        node: &Node,
        before: Option<usize>,
        stand_ins: &BTreeMap<&Attributes, usize>,
    ) -> usize {
        let goes_on = |group: &usize| self.groups[*group].goes_on_with(slot);
        let group = before.filter(goes_on).unwrap_or(self.groups.len());
        if group == self.groups.len() {
            let stands_for = stand_ins.get(&node.attributes).copied().unwrap_or(0);
            let units = node.division.units();
            self.groups.push(Group { slots: Vec::new(), units, stands_for, is_last: false });
        }
        group
    }

    /// The slot in which a node is free for an interval, or in which that begins where units are sold: its group, and its place there.
    pub(super) fn find(&self, node: NodeId, interval: Interval) -> Option<(usize, usize)> {
        let (from, until) = (self.first_of.get(node.index())?, self.first_of.get(node.index() + 1)?);
        let slots = self.of_nodes.get(*from..*until)?;
        let last = slots.partition_point(|(slot, _)| slot.start() <= interval.start()).checked_sub(1)?;
        let holds = |(slot, (group, _)): &&(Slot, (usize, usize))| {
            let group = &self.groups[*group];
            let end = if group.units > 1 { group.end() } else { Some(slot.end()) };
            end.is_some_and(|end| interval.end() <= end) && interval.start() < slot.end()
        };
        slots.get(last).filter(holds).map(|(_, at)| *at)
    }

    /// What so many units of a node of a group cost a request's user, per second.
    pub(super) fn price_for(&self, offers: &Offers, request: &Request, slot: &Slot, units: u32) -> i64 {
        let whole = self.rate_for(offers, request, slot);
        let of = offers.node(slot.node()).division.units();
        let part = Rate::from_micros_per_second(whole).map(|whole| price_of_units(whole, units, of));
        part.map_or(whole, Rate::as_micros_per_second)
    }

    /// What the nodes of a group cost a request's user, per second.
    fn rate_for(&self, offers: &Offers, request: &Request, slot: &Slot) -> i64 {
        match self.own_prices {
            true => own_rate_of(offers, request, slot),
            false => slot.rate().as_micros_per_second(),
        }
    }
}

/// Where there are more kinds than this, every node is nearly a kind of its own, and none is compared with another.
const KINDS_MAX: usize = 64;

/// By kind of nodes: for how many other kinds they could stand in, since they have all that these have, and as much of it.
fn stand_ins(offers: &Offers) -> BTreeMap<&Attributes, usize> {
    // Most nodes are like the one before.
    let alike = offers.nodes().chunk_by(|one, other| one.attributes == other.attributes);
    let kinds: BTreeSet<&Attributes> = alike.filter_map(|nodes| Some(&nodes.first()?.attributes)).collect();
    if kinds.len() > KINDS_MAX {
        return BTreeMap::new();
    }
    let as_good = |one: &Value, other: &Value| match (one, other) {
        (Value::Number(one), Value::Number(other)) => one >= other,
        (Value::Flag(one), Value::Flag(other)) => one >= other,
        (one, other) => one == other,
    };
    let stands_in = |one: &Attributes, other: &Attributes| {
        one != other && other.iter().all(|(name, value)| one.get(name).is_some_and(|own| as_good(own, value)))
    };
    let count = |one: &&Attributes| kinds.iter().filter(|other| stands_in(one, other)).count();
    kinds.iter().map(|kind| (*kind, count(kind))).collect()
}

/// How many nodes of every group are free when.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    /// By group, in order of time; nothing is free before the first step, nor after the last.
    steps: Vec<Steps>,
}

impl Calendar {
    pub(super) fn new(groups: &Groups) -> Calendar {
        let of_group = |group: &Group| {
            let mut steps: Vec<Step> = Vec::new();
            for slot in &group.slots {
                let at = slot.start().as_millis();
                if group.units > 1 {
                    steps.push(Step { at, free: i32::try_from(slot.units()).unwrap_or(i32::MAX) });
                    continue;
                }
                match steps.last_mut() {
                    Some(last) if last.at == at => last.free += 1,
                    last => {
                        let free = last.map_or(0, |last| last.free) + 1;
                        steps.push(Step { at, free });
                    }
                }
            }
            let end = group.end().map(Time::as_millis);
            steps.extend(end.map(|at| Step { at, free: 0 }));
            Steps::new(&steps)
        };
        Calendar { steps: groups.groups.iter().map(of_group).collect() }
    }

    /// Nothing at all, to stand where something else will be put.
    pub(super) fn empty() -> Calendar {
        Calendar { steps: Vec::new() }
    }

    /// Takes so many nodes out of a group between two moments, or gives them back where the number is negative.
    pub(super) fn change(&mut self, group: usize, from: i64, until: i64, nodes: i32) {
        self.steps[group].change(from, until, -nodes);
    }

    /// The least that is free of a group between two moments, as far as it matters: nothing below one.
    pub(super) fn least(&self, group: usize, from: i64, until: i64) -> i32 {
        self.steps[group].least(from, until)
    }

    /// The first moment, no earlier than one and no later than another, from which on so many are free for so long.
    pub(super) fn earliest(
        &self,
        group: usize,
        range: (i64, i64),
        nodes: i32,
        millis: i64,
        read: &mut u64,
    ) -> Option<i64> {
        // The last step has nothing free.
        self.steps[group].earliest(range, nodes, millis, read)
    }

    /// The moments at which more of a group become free, between two others.
    pub(super) fn openings(&self, group: usize, from: i64, last: i64) -> impl Iterator<Item = i64> {
        self.steps[group].openings(from, last)
    }

    /// The first moment between two others at which more of a group become free, and one at least for so long.
    pub(super) fn next_opening(&self, group: usize, range: (i64, i64), millis: i64) -> Option<i64> {
        self.steps[group].next_opening(range, millis)
    }

    /// The first moment after one at which nothing of a group is free.
    pub(super) fn ends(&self, group: usize, after: i64) -> i64 {
        self.steps[group].ends(after)
    }

    /// The longest time that a node is free without a break, of those that begin until then.
    pub(super) fn longest_until(&self, last: i64) -> i64 {
        self.steps.iter().map(|steps| steps.longest_until(last)).max().unwrap_or(0)
    }

    /// How many nodes are free at some moment until then, at the most, over all groups.
    pub(super) fn most_until(&self, last: i64) -> i64 {
        self.steps.iter().map(|steps| i64::from(steps.most_until(last))).sum()
    }
}
