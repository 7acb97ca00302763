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
//! **Complexity.** Taking and giving back: O(log s + steps in between) and a move of the steps behind, for s steps. The earliest time for n
//! nodes: O(s).

use std::collections::BTreeMap;
use walras_model::attribute::Attributes;
use walras_model::id::{NodeId, SiteId};
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot};
use walras_model::quantity::{Performance, Rate, Time, Watts};

/// Slots that are as good as each other.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// In order of start.
    pub(super) slots: Vec<Slot>,
}

/// What makes slots as good as each other.
type Likeness<'a> = (Time, Rate, SiteId, Performance, Option<Watts>, &'a Attributes);

/// All slots of the offers by groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// By node: its slots and their groups, in order of start.
    of_node: Vec<Vec<(Slot, usize)>>,
}

impl Groups {
    pub(super) fn new(offers: &Offers) -> Groups {
        let mut known: BTreeMap<Likeness<'_>, usize> = BTreeMap::new();
        let mut all = Groups { groups: Vec::new(), of_node: vec![Vec::new(); offers.nodes().len()] };
        // The slots come in order of start.
        for slot in offers.slots() {
            let node = offers.node(slot.node());
            let key = (slot.end(), slot.rate(), node.site, node.performance, node.watts, &node.attributes);
            let group = *known.entry(key).or_insert(all.groups.len());
            if group == all.groups.len() {
                all.groups.push(Group { slots: Vec::new() });
            }
            all.groups[group].slots.push(*slot);
            all.of_node[slot.node().index()].push((*slot, group));
        }
        all
    }

    /// The group of the slot in which a node is free for an interval.
    pub(super) fn group_of(&self, node: NodeId, interval: Interval) -> Option<usize> {
        let slots = self.of_node.get(node.index())?;
        let holds = |slot: &Slot| slot.start() <= interval.start() && interval.end() <= slot.end();
        slots.iter().find(|(slot, _)| holds(slot)).map(|(_, group)| *group)
    }
}

/// From a moment on, so many are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    at: i64,
    free: i32,
}

/// How many nodes of every group are free when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Calendar {
    /// By group, in order of time; nothing is free before the first step, nor after the last.
    steps: Vec<Vec<Step>>,
}

impl Calendar {
    pub(super) fn new(groups: &Groups) -> Calendar {
        let of_group = |group: &Group| {
            let mut steps: Vec<Step> = Vec::new();
            for slot in &group.slots {
                let at = slot.start().as_millis();
                match steps.last_mut() {
                    Some(last) if last.at == at => last.free += 1,
                    last => {
                        let free = last.map_or(0, |last| last.free) + 1;
                        steps.push(Step { at, free });
                    }
                }
            }
            let end = group.slots.first().map(|slot| slot.end().as_millis());
            steps.extend(end.map(|at| Step { at, free: 0 }));
            steps
        };
        Calendar { steps: groups.groups.iter().map(of_group).collect() }
    }

    /// Nothing at all, to stand where something else will be put.
    pub(super) fn empty() -> Calendar {
        Calendar { steps: Vec::new() }
    }

    /// Takes so many nodes out of a group between two moments, or gives them back where the number is negative.
    pub(super) fn change(&mut self, group: usize, from: i64, until: i64, nodes: i32) {
        let steps = &mut self.steps[group];
        let first = split(steps, from);
        let last = split(steps, until);
        for step in &mut steps[first..last] {
            step.free -= nodes;
            debug_assert!(step.free >= 0, "no more is taken than is free");
        }
        for place in [last, first] {
            let same = place > 0 && steps.get(place).is_some_and(|step| step.free == steps[place - 1].free);
            if same {
                steps.remove(place);
            }
        }
    }

    /// The least that is free of a group between two moments, as far as it matters: nothing below one.
    pub(super) fn least(&self, group: usize, from: i64, until: i64) -> i32 {
        let steps = &self.steps[group];
        let first = steps.partition_point(|step| step.at <= from);
        let Some(first) = first.checked_sub(1) else { return 0 };
        let mut least = i32::MAX;
        for step in &steps[first..] {
            if step.at >= until || least <= 0 {
                break;
            }
            least = least.min(step.free);
        }
        least.max(0)
    }

    /// The first moment, no earlier than one and no later than another, from which on so many are free for so long.
    pub(super) fn earliest(
        &self,
        group: usize,
        (from, last): (i64, i64),
        nodes: i32,
        millis: i64,
        read: &mut u64,
    ) -> Option<i64> {
        let steps = &self.steps[group];
        let mut place = steps.partition_point(|step| step.at <= from).saturating_sub(1);
        let mut start = None;
        while let Some(step) = steps.get(place) {
            *read += 1;
            match start {
                // Long enough.
                Some(start) if step.at >= start + millis => return Some(start),
                None if step.at > last => return None,
                _ if step.free < nodes => start = None,
                None => start = Some(step.at.max(from)).filter(|start| *start <= last),
                Some(_) => {}
            }
            place += 1;
        }
        // The last step has nothing free.
        None
    }

    /// The moments at which more of a group become free, between two others.
    pub(super) fn openings(&self, group: usize, from: i64, last: i64) -> impl Iterator<Item = i64> {
        let steps = &self.steps[group];
        let first = steps.partition_point(|step| step.at < from);
        let opens = move |place: &usize| {
            let before = place.checked_sub(1).map_or(0, |before| steps[before].free);
            steps[*place].free > before
        };
        let places = (first..steps.len()).take_while(move |place| steps[*place].at <= last);
        places.filter(opens).map(|place| steps[place].at)
    }

    /// How many nodes are free at some moment until then, at the most, over all groups.
    pub(super) fn most_until(&self, last: i64) -> i64 {
        let of_group = |steps: &Vec<Step>| {
            let until = steps.partition_point(|step| step.at <= last);
            steps[..until].iter().map(|step| i64::from(step.free)).max().unwrap_or(0)
        };
        self.steps.iter().map(of_group).sum()
    }
}

/// Makes a step at a moment; gives its place.
fn split(steps: &mut Vec<Step>, at: i64) -> usize {
    match steps.binary_search_by_key(&at, |step| step.at) {
        Ok(place) => place,
        Err(place) => {
            let free = place.checked_sub(1).map_or(0, |before| steps[before].free);
            steps.insert(place, Step { at, free });
            place
        }
    }
}
