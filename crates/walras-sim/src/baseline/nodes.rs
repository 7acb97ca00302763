//! The nodes of a site one by one: when each is taken, and when its owner uses it.
//!
//! **Problem.** Where owners use their nodes, so many free nodes at a moment are not enough for a job: each must stay free until the job's end.
//! So a scheduler must know which nodes it gives.
//!
//! **Method.** Every node has a list of the times at which it is busy; owners' uses are in it as far ahead as anybody looks. A job may start on a
//! node at any moment of an interval, from the begin of free time to its end less what the job takes; where as many of these
//! intervals overlap as the job has nodes, it may start. A sweep over their ends finds the first such moment. A node that has failed counts
//! for nothing until it is back, which nobody foresees.
//!
//! **Complexity.** O(g log g) a search, with g stretches of free time ahead.

use crate::owners::Uses;
use std::collections::BTreeMap;
use walras_model::{Interval, NodeId, Time};

/// So far ahead anybody looks, or over so many uses of an owner where that is less; in milliseconds.
const AHEAD: i64 = 28 * DAY;
const USES: i64 = 100;
/// By so much what is free longer than needed counts as longer.
const DAY: i64 = 86_400_000;

/// All nodes of a site.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    uses: Option<Uses>,
    /// The number of the first among those of all sites.
    first: u32,
    /// By node: until when it is busy, by when that begins.
    busy: Vec<BTreeMap<i64, i64>>,
    /// Until when it is known what owners use.
    known: Option<i64>,
    /// By node: whether it has failed. Nobody knows until when.
    away: Vec<bool>,
}

impl Nodes {
    /// Nodes that nobody has taken.
    pub(super) fn new(nodes: u32, first: u32, uses: Option<Uses>) -> Nodes {
        let (busy, away) = (vec![BTreeMap::new(); nodes as usize], vec![false; nodes as usize]);
        Nodes { uses, first, busy, known: None, away }
    }

    /// It is that moment: what is over is forgotten, and what owners use is known from here on.
    pub(super) fn pass(&mut self, now: i64) {
        let time = |millis: i64| Time::from_millis(millis).unwrap_or(Time::MAX);
        let period = self.uses.as_ref().and_then(Uses::period);
        let ahead = period.map_or(AHEAD, |period| period.as_millis().saturating_mul(USES).min(AHEAD));
        let until = now.saturating_add(ahead);
        let within = Interval::new(time(self.known.unwrap_or(now)), time(until));
        let news = self.uses.as_ref().zip(within);
        for (node, busy) in (self.first..).zip(&mut self.busy) {
            while busy.first_key_value().is_some_and(|(_, end)| *end <= now) {
                busy.pop_first();
            }
            let uses = news.map(|(uses, within)| uses.of(NodeId::new(node), within)).unwrap_or_default();
            busy.extend(uses.iter().map(|used| (used.start().as_millis(), used.end().as_millis())));
        }
        self.known = Some(until);
    }

    /// A node has failed, or is back.
    pub(super) fn set_away(&mut self, node: usize, away: bool) {
        if let Some(of) = self.away.get_mut(node) {
            *of = away;
        }
    }

    /// The nodes that are there, with when each is taken.
    fn there(&self) -> impl Iterator<Item = (usize, &BTreeMap<i64, i64>)> {
        let there = self.busy.iter().enumerate().zip(&self.away).filter(|(_, away)| !**away);
        there.map(|(of, _)| of)
    }

    /// Since when, from a moment on, and until when a node is free; `None` for the end where nothing is known to come.
    fn stretches(busy: &BTreeMap<i64, i64>, from: i64) -> impl Iterator<Item = (i64, Option<i64>)> {
        let before = busy.range(..=from).next_back().map_or(from, |(_, end)| from.max(*end));
        let uses = busy.range(from.saturating_add(1)..);
        let begins = std::iter::once(before).chain(uses.clone().map(|(_, end)| *end));
        begins.zip(uses.map(|(start, _)| Some(*start)).chain([None]))
    }

    /// The first moment at which so many nodes are free for so long; `None` where there is none in the time that is looked at.
    pub(super) fn earliest(&self, now: i64, nodes: u32, lasts: i64) -> Option<i64> {
        let known = self.known.filter(|_| self.uses.is_some()).unwrap_or(i64::MAX);
        // The next days are often enough.
        let nearer = now.saturating_add(lasts.saturating_mul(2)).saturating_add(2 * DAY);
        let found = (nearer < known).then(|| self.earliest_by(nearer, now, nodes, lasts)).flatten();
        found.or_else(|| self.earliest_by(known, now, nodes, lasts))
    }

    /// The same, where all must be over by a moment.
    fn earliest_by(&self, until: i64, now: i64, nodes: u32, lasts: i64) -> Option<i64> {
        let mut changes: Vec<(i64, i32)> = Vec::new();
        for (_, busy) in self.there() {
            for (begin, end) in Self::stretches(busy, now) {
                let end = end.unwrap_or(i64::MAX).min(until);
                let Some(last) = end.checked_sub(lasts).filter(|last| *last >= begin) else {
                    if begin >= until {
                        break;
                    }
                    continue;
                };
                changes.extend([(begin, 1), (last.saturating_add(1), -1)]);
            }
        }
        // At a moment, who goes goes first.
        changes.sort_unstable();
        let mut count = 0;
        let enough = |(at, change): (i64, i32)| {
            count += i64::from(change);
            (count >= i64::from(nodes)).then_some(at)
        };
        changes.into_iter().find_map(enough)
    }

    /// The nodes that are free at a moment, each with until when it stays so.
    fn free_at(&self, at: i64) -> impl Iterator<Item = (i64, usize)> {
        self.there().filter_map(move |(node, busy)| {
            let (begin, end) = Self::stretches(busy, at).next()?;
            (begin == at).then_some((end.unwrap_or(i64::MAX), node))
        })
    }

    /// The nodes that are free for so long from a moment on, with the end of that; those that are not free for much longer come first.
    pub(super) fn free(&self, at: i64, lasts: i64) -> Vec<(i64, usize)> {
        let least = at.saturating_add(lasts);
        let most = least.saturating_add(DAY);
        let long = self.free_at(at).filter(|(end, _)| *end >= least);
        let mut free: Vec<(i64, usize)> = long.map(|(end, node)| (end.min(most), node)).collect();
        free.sort_unstable();
        free
    }

    /// Until when each node that is free now stays so, in order.
    pub(super) fn free_now(&self, now: i64) -> Vec<i64> {
        let mut free: Vec<i64> = self.free_at(now).map(|(end, _)| end).collect();
        free.sort_unstable();
        free
    }

    /// Whether a node is busy at a moment.
    pub(super) fn is_busy(&self, node: usize, at: i64) -> bool {
        self.busy[node].range(..=at).next_back().is_some_and(|(_, end)| *end > at)
    }

    /// Takes the first so many of free nodes for a time; gives them.
    pub(super) fn take_first(
        &mut self,
        free: &[(i64, usize)],
        count: u32,
        from: i64,
        until: i64,
    ) -> Vec<usize> {
        let nodes: Vec<usize> = free.iter().take(count as usize).map(|(_, node)| *node).collect();
        self.take(&nodes, from, until);
        nodes
    }

    /// Takes free nodes for a time.
    ///
    /// # Panics
    /// When one is not free then.
    fn take(&mut self, nodes: &[usize], from: i64, until: i64) {
        for node in nodes {
            let busy = &mut self.busy[*node];
            let before = busy.range(..until).next_back();
            assert!(before.is_none_or(|(_, end)| *end <= from), "a node is given that is not free");
            busy.insert(from, until);
        }
    }

    /// Gives back what was taken from a moment on.
    pub(super) fn give(&mut self, nodes: &[usize], from: i64) {
        for node in nodes {
            self.busy[*node].remove(&from);
        }
    }

    /// When a node that is busy now, or will be next, is free again.
    pub(super) fn next_free(&self, now: i64) -> Option<i64> {
        let next = |busy: &BTreeMap<i64, i64>| {
            let current = busy.range(..=now).next_back().map(|(_, end)| *end).filter(|end| *end > now);
            current.or_else(|| busy.range(now.saturating_add(1)..).next().map(|(_, end)| *end))
        };
        self.there().filter_map(|(_, busy)| next(busy)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_starts_where_enough_nodes_stay_free() {
        let mut nodes = Nodes::new(3, 0, None);
        nodes.pass(0);
        nodes.take(&[0], 10, 20);
        nodes.take(&[1], 0, 5);
        assert_eq!(nodes.earliest(0, 1, 100), Some(0));
        // The first is free until 10 only, the second from 5 on.
        assert_eq!(nodes.earliest(0, 2, 8), Some(0));
        assert_eq!(nodes.earliest(0, 2, 11), Some(5));
        assert_eq!(nodes.earliest(0, 3, 5), Some(5));
        assert_eq!(nodes.earliest(0, 3, 6), Some(20));
        assert_eq!(nodes.free(0, 8), [(10, 0), (8 + DAY, 2)]);
        assert_eq!((nodes.free_now(0), nodes.next_free(0)), (vec![10, i64::MAX], Some(5)));
        nodes.give(&[1], 0);
        assert_eq!(nodes.earliest(0, 2, 11), Some(0));
        nodes.set_away(2, true);
        assert_eq!((nodes.earliest(0, 2, 11), nodes.earliest(0, 3, 1)), (Some(20), None));
        assert_eq!(nodes.free_now(0), vec![10, i64::MAX]);
        nodes.set_away(2, false);
        assert_eq!(nodes.earliest(0, 2, 11), Some(0));
        assert!(!nodes.is_busy(1, 2) && nodes.is_busy(0, 19) && !nodes.is_busy(0, 20));
    }
}
