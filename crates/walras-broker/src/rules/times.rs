//! Times on nodes, by node.
//!
//! **Problem.** Before every plan and every reservation it is asked what is free, and what is held, on each of thousands of nodes, of which
//! most have one interval or none.
//!
//! **Method.** What is free lies in one list in order of nodes; what is held, and changes, in a list for every node.
//!
//! **Complexity.** O(n) to build for n intervals that come in order of nodes, as sites tell them, and O(n log n) otherwise; O(log n) for what
//! is free on a node, O(1) for what is held.

use walras_model::{Interval, NodeId};

/// What is free: intervals that neither touch nor overlap, in order of nodes and time; and what of their units sites do not sell in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FreeTimes {
    nodes: Vec<NodeId>,
    intervals: Vec<Interval>,
    /// In order of nodes; as many times as units are not sold.
    unsold: Vec<(NodeId, Interval)>,
}

impl FreeTimes {
    /// These, in any order, where those of a node may touch and overlap.
    pub(crate) fn new(mut all: Vec<(NodeId, Interval)>) -> FreeTimes {
        if !all.is_sorted() {
            all.sort_unstable();
        }
        let (mut nodes, mut intervals) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        for (node, interval) in all {
            let last = intervals.last_mut().filter(|_| nodes.last() == Some(&node));
            match last.and_then(|last: &mut Interval| Some((joined(*last, interval)?, last))) {
                Some((both, last)) => *last = both,
                None => {
                    nodes.push(node);
                    intervals.push(interval);
                }
            }
        }
        FreeTimes { nodes, intervals, unsold: Vec::new() }
    }

    /// The same, of which sites do not sell these units, an interval for each.
    pub(crate) fn without(self, mut unsold: Vec<(NodeId, Interval)>) -> FreeTimes {
        unsold.sort_unstable();
        FreeTimes { unsold, ..self }
    }

    /// What its site does not sell of a node, in times in which other units of it are free.
    pub(crate) fn unsold(&self, node: NodeId) -> impl Iterator<Item = Interval> {
        let first = self.unsold.partition_point(|(other, _)| *other < node);
        self.unsold[first..]
            .iter()
            .take_while(move |(other, _)| *other == node)
            .map(|(_, interval)| *interval)
    }

    /// What is free on a node.
    pub(crate) fn get(&self, node: NodeId) -> &[Interval] {
        let first = self.nodes.partition_point(|other| *other < node);
        let count = self.nodes[first..].iter().take_while(|other| **other == node).count();
        &self.intervals[first..first + count]
    }

    /// Every node on which something is free, in order, with all that is.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, &[Interval])> {
        let mut rest = 0;
        self.nodes.chunk_by(|one, other| one == other).map(move |alike| {
            let from = rest;
            rest += alike.len();
            (alike[0], &self.intervals[from..rest])
        })
    }
}

/// Two intervals as one, the second of which begins no earlier, where they touch or overlap.
fn joined(one: Interval, other: Interval) -> Option<Interval> {
    let touch = other.start() <= one.end();
    Interval::new(one.start(), one.end().max(other.end())).filter(|_| touch)
}

/// What is held, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldTimes(Vec<Vec<Interval>>);

impl HeldTimes {
    /// Nothing, on so many nodes.
    pub(crate) fn none(nodes: usize) -> HeldTimes {
        HeldTimes(vec![Vec::new(); nodes])
    }

    /// What is held on a node.
    pub(crate) fn get(&self, node: NodeId) -> &[Interval] {
        self.0.get(node.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether the same times are held, in whatever order.
    pub(crate) fn is_like(&self, other: &HeldTimes) -> bool {
        let sorted = |held: &[Interval]| {
            let mut held = held.to_vec();
            held.sort_unstable();
            held
        };
        (0..self.0.len().max(other.0.len()))
            .filter_map(NodeId::from_index)
            .all(|node| sorted(self.get(node)) == sorted(other.get(node)))
    }

    /// Counts a time as held, once for each of so many units of the node.
    pub(crate) fn add(&mut self, node: NodeId, interval: Interval, units: u32) {
        if node.index() >= self.0.len() {
            self.0.resize(node.index() + 1, Vec::new());
        }
        self.0[node.index()].extend(std::iter::repeat_n(interval, units as usize));
    }

    /// Counts a time as held no more; so many times, where it is held more often.
    pub(crate) fn remove(&mut self, node: NodeId, interval: Interval, units: u32) {
        let Some(held) = self.0.get_mut(node.index()) else { return };
        for _ in 0..units {
            let Some(place) = held.iter().position(|held| *held == interval) else { return };
            held.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use walras_model::Time;
    use walras_model::interval::merge;

    fn interval(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_millis(start).unwrap(), Time::from_millis(end).unwrap()).unwrap()
    }

    /// Against lists that are merged node by node.
    #[test]
    fn free_times_are_merged_by_node() {
        let mut state = 1_u64;
        let mut below = |count: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % count).unwrap()
        };
        for _ in 0..500 {
            let all: Vec<(NodeId, Interval)> = (0..below(12))
                .map(|_| {
                    let (node, start) = (NodeId::new(u32::try_from(below(4)).unwrap()), below(20));
                    (node, interval(start, start + 1 + below(6)))
                })
                .collect();
            let mut plain: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
            for (node, interval) in &all {
                plain.entry(*node).or_default().push(*interval);
            }
            plain.values_mut().for_each(|intervals| *intervals = merge(intervals));
            let free = FreeTimes::new(all);
            let listed: BTreeMap<NodeId, Vec<Interval>> =
                free.iter().map(|(node, intervals)| (node, intervals.to_vec())).collect();
            assert_eq!(listed, plain);
            for node in (0..5).map(NodeId::new) {
                assert_eq!(free.get(node), plain.get(&node).map_or(&[][..], Vec::as_slice));
            }
        }
    }

    #[test]
    fn what_is_held_twice_is_held_once_less() {
        let (node, time) = (NodeId::new(3), interval(1, 2));
        let mut held = HeldTimes::none(2);
        held.add(node, time, 2);
        held.remove(node, time, 1);
        held.remove(node, interval(1, 3), 1);
        held.remove(NodeId::new(9), time, 1);
        assert_eq!((held.get(node), held.get(NodeId::new(9))), (&[time][..], &[][..]));
    }
}
