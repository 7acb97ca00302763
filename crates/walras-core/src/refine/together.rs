//! Heads of tasks, seeing that what must be on one node takes turns there.
//!
//! **Problem.** A task waits for several others. Each of them has its data there in time when it is on the same node, but there they run
//! one after the other; elsewhere they run at once, but their data takes time. How early can the task start on a lane, at best?
//!
//! **Method** (after the bounds for unlimited processors with transfers, Papadimitriou and Yannakakis 1990, with the node's own
//! capacity). For a task `j` on a lane: of every task `a` that it waits for, also through others, we know
//! - the least time from `a`'s end to `j`'s start when `a` is on the node of the lane, and when it is on another one: then some edge on
//!   every way between them has to move data;
//! - so, with `a`'s own heads, how early `j` can start at best with `a` *away*.
//!
//! For a start at `t`, all whose data would come later than `t` from away must be on the node. These take turns there, each not before its
//! head and with its way to `j` after it; the preemptive schedule by longest way first (Jackson) ends no later than any. The more must be on
//! the node, the longer that takes and the sooner the rest is there, so the least `t` is found by bisection over them in order of arrival.
//!
//! Tails are the heads of the mirror image.
//!
//! **Complexity.** O(tasks × lanes × (edges + tasks log² tasks)) at most: not used beyond [`STEPS_MAX`], counted beforehand.
//!
//! **Example.** Two tasks of 10 and one that waits for both, data takes 8: it starts at 18, for together on its node they take 20.

use super::instance::{Flow, Instance, NEVER};

/// Beyond so many steps it is not tried.
const STEPS_MAX: u64 = 4_000_000;

/// Later than everything, and far from the end of numbers.
const FAR: i64 = i64::MAX / 8;

/// Whether the instance is small enough, and what is on one node takes turns.
pub(super) fn is_small(instance: &Instance) -> bool {
    steps(instance) <= STEPS_MAX && !instance.costs.side_by_side
}

/// About so many steps it takes, at most.
pub(super) fn steps(instance: &Instance) -> u64 {
    let edges: usize = (0..instance.tasks).map(|task| instance.before.of(task).len()).sum();
    let cells = instance.tasks.saturating_mul(instance.lanes);
    cells.saturating_mul(edges + 8 * instance.tasks) as u64
}

/// Raises heads, by task and then lane, in order: each relies on those before it. `may` says which task may be on which lane.
pub(super) fn raise(instance: &Instance, heads: &mut [i64], may: impl Fn(usize, usize) -> bool) {
    let mut work = Together::new(instance);
    let mut best = vec![(FAR, FAR); instance.tasks];
    for task in instance.order.iter().map(|task| *task as usize) {
        if instance.before.of(task).is_empty() {
            continue;
        }
        work.collect(task);
        for lane in (0..instance.lanes).filter(|lane| may(task, *lane)) {
            work.ends(heads, lane, &may, &mut best);
            let head = work.head(task, lane, &best, heads);
            let cell = &mut heads[task * instance.lanes + lane];
            *cell = (*cell).max(head);
        }
    }
}

/// Room for one task after the other.
struct Together<'a> {
    instance: &'a Instance,
    /// The tasks that the one looked at waits for, each after those that it waits for.
    before: Vec<usize>,
    is_before: Vec<bool>,
    /// By task: the least time from its end to the start of the one looked at, from the same node and from away.
    here: Vec<i64>,
    away: Vec<i64>,
    /// By task: its run times on the node, and the least elsewhere.
    run_here: Vec<i64>,
    run_away: Vec<i64>,
    /// By lane: whether there is another node on its site.
    has_neighbour: Vec<bool>,
}

/// A task that must be on the node: not before its head, for so long, and so long before the start that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) head: i64,
    pub(super) length: i64,
    pub(super) tail: i64,
}

impl<'a> Together<'a> {
    fn new(instance: &'a Instance) -> Together<'a> {
        let (tasks, costs) = (instance.tasks, &instance.costs);
        let mut first = vec![None; costs.sites];
        let mut has_several = vec![false; costs.sites];
        for (site, node) in costs.site.iter().map(|site| *site as usize).zip(&costs.node) {
            has_several[site] |= first[site].get_or_insert(*node) != node;
        }
        Together {
            has_neighbour: costs.site.iter().map(|site| has_several[*site as usize]).collect(),
            instance,
            before: Vec::new(),
            is_before: vec![false; tasks],
            here: vec![0; tasks],
            away: vec![0; tasks],
            run_here: vec![0; tasks],
            run_away: vec![0; tasks],
        }
    }

    /// All tasks before this one.
    fn collect(&mut self, task: usize) {
        self.before.clear();
        self.is_before.fill(false);
        self.is_before[task] = true;
        for other in self.instance.order.iter().rev().map(|other| *other as usize) {
            let leads = self.instance.after.of(other).iter().any(|flow| self.is_before[flow.task as usize]);
            if leads && other != task {
                self.is_before[other] = true;
                self.before.push(other);
            }
        }
        self.before.reverse();
    }

    /// By task before: its earliest end on the lane's node, and elsewhere; and its run times there.
    fn ends(
        &mut self,
        heads: &[i64],
        lane: usize,
        may: &impl Fn(usize, usize) -> bool,
        best: &mut [(i64, i64)],
    ) {
        let (lanes, node) = (self.instance.lanes, &self.instance.costs.node);
        for other in self.before.iter().copied() {
            let (mut here, mut away) = (FAR, FAR);
            let (mut run_here, mut run_away) = (FAR, FAR);
            for (at, millis) in self.instance.runtimes(other).iter().enumerate() {
                if *millis == NEVER || !may(other, at) {
                    continue;
                }
                let end = heads[other * lanes + at].saturating_add(*millis);
                let (end_of, run_of) = if node[at] == node[lane] {
                    (&mut here, &mut run_here)
                } else {
                    (&mut away, &mut run_away)
                };
                *end_of = (*end_of).min(end);
                *run_of = (*run_of).min(*millis);
            }
            best[other] = (here, away);
            (self.run_here[other], self.run_away[other]) = (run_here, run_away);
        }
    }

    /// The least time that the data of an edge takes to or from another node.
    fn moved(&self, flow: &Flow, lane: usize) -> i64 {
        if self.has_neighbour[lane] { flow.near.min(flow.far) } else { flow.far }
    }

    /// The least start of a task on a lane.
    fn head(&mut self, task: usize, lane: usize, ends: &[(i64, i64)], heads: &[i64]) -> i64 {
        self.paths(task, lane);
        let mut known: Vec<(i64, Turn)> = Vec::with_capacity(self.before.len());
        for other in self.before.iter().copied() {
            let (here, away) = ends[other];
            let arrival = away.saturating_add(self.away[other]).min(FAR);
            let length = self.run_here[other];
            let head = if length == FAR { FAR } else { here - length };
            known.push((arrival, Turn { head, length, tail: self.here[other] }));
        }
        known.sort_unstable_by_key(|(arrival, turn)| (-arrival, turn.head, turn.tail));
        let floor = heads[task * self.instance.lanes + lane];
        // With the first `count` on the node, the rest arrives at `arrival(count)`.
        let arrival = |count: usize| known.get(count).map_or(0, |(arrival, _)| *arrival);
        let turns = |count: usize| longest_first(known[..count].iter().map(|(_, turn)| *turn));
        let (mut few, mut many) = (0, known.len());
        // The least count whose turns take no less than the arrival of the rest.
        while few < many {
            let middle = usize::midpoint(few, many);
            if turns(middle) >= arrival(middle) { many = middle } else { few = middle + 1 }
        }
        let at = |count: usize| turns(count).max(arrival(count));
        let least = if few == 0 { at(0) } else { at(few).min(at(few - 1)) };
        least.max(floor).min(FAR)
    }

    /// The least times from the ends of tasks before to the start of this one.
    fn paths(&mut self, task: usize, lane: usize) {
        for at in (0..self.before.len()).rev() {
            let other = self.before[at];
            let (mut here, mut away) = (0, 0);
            for flow in self.instance.after.of(other) {
                let next = flow.task as usize;
                if !self.is_before[next] {
                    continue;
                }
                let moved = self.moved(flow, lane);
                let (from_here, from_away) = if next == task {
                    (0, moved)
                } else {
                    let stays = self.run_here[next].saturating_add(self.here[next]);
                    let leaves = self.run_away[next].saturating_add(self.away[next]);
                    (stays.min(leaves.saturating_add(moved)), leaves.min(stays.saturating_add(moved)))
                };
                here = here.max(from_here);
                away = away.max(from_away);
            }
            (self.here[other], self.away[other]) = (here.min(FAR), away.min(FAR));
        }
    }
}

/// When the last way ends if tasks take turns, may be interrupted, and the one with the longest way after it goes first.
pub(super) fn longest_first(turns: impl Iterator<Item = Turn>) -> i64 {
    let mut waiting: Vec<Turn> = turns.collect();
    if waiting.iter().any(|turn| turn.head >= FAR || turn.length >= FAR) {
        return FAR;
    }
    waiting.sort_unstable_by_key(|turn| (turn.head, turn.tail));
    let mut ready: std::collections::BinaryHeap<(i64, i64)> = std::collections::BinaryHeap::new();
    let (mut now, mut last) = (0, 0);
    let mut next = waiting.into_iter().peekable();
    loop {
        if ready.is_empty() {
            let Some(turn) = next.peek() else { return last };
            now = now.max(turn.head);
        }
        while let Some(turn) = next.next_if(|turn| turn.head <= now) {
            ready.push((turn.tail, turn.length));
        }
        let Some((tail, length)) = ready.pop() else { continue };
        let until = next.peek().map_or(FAR, |turn| turn.head);
        let run = length.min(until - now);
        now += run;
        if run < length {
            ready.push((tail, length - run));
        } else {
            last = last.max(now.saturating_add(tail));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_way_goes_first() {
        let turn = |head, length, tail| Turn { head, length, tail };
        assert_eq!(longest_first([].into_iter()), 0);
        assert_eq!(longest_first([turn(0, 4, 0), turn(0, 4, 5)].into_iter()), 9);
        // The second interrupts the first, and both ways end at 10.
        assert_eq!(longest_first([turn(0, 6, 1), turn(2, 3, 5)].into_iter()), 10);
        assert_eq!(longest_first([turn(3, 0, 2), turn(9, 1, 0)].into_iter()), 10);
    }
}
