//! List scheduling: one task after the other, each on the lane that a rule prefers.

use super::arrival::Arrivals;
use super::instance::{Instance, NEVER};
use super::schedule::Placed;
use super::timeline::Timeline;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A place that a task could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) lane: usize,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Room for list scheduling, kept between runs.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) placed: Placed,
    pub(super) line: Timeline,
    pub(super) arrivals: Arrivals,
}

impl Board {
    pub(super) fn new(instance: &Instance) -> Board {
        Board {
            placed: Placed::new(instance.tasks),
            line: Timeline::new(instance),
            arrivals: Arrivals::new(instance),
        }
    }

    pub(super) fn reset(&mut self, instance: &Instance) {
        self.placed.clear();
        self.line.reset(instance);
    }

    /// All spots of a task whose predecessors are placed, in order of lanes.
    pub(super) fn spots<'a>(
        &'a self,
        instance: &'a Instance,
        task: usize,
    ) -> impl Iterator<Item = Spot> + 'a {
        (0..instance.lanes).filter_map(move |lane| self.spot_on(instance, task, lane))
    }

    /// The spot of a task on this lane, once its arrivals are computed.
    pub(super) fn spot_on(&self, instance: &Instance, task: usize, lane: usize) -> Option<Spot> {
        let length = instance.runtime(task, lane);
        if length == NEVER {
            return None;
        }
        let start = self.line.earliest(lane, self.arrivals.ready[lane], length)?;
        Some(Spot { lane, start, end: start + length })
    }

    pub(super) fn put(&mut self, task: usize, spot: Spot) {
        self.line.take(spot.lane, spot.start, spot.end - spot.start);
        self.placed.put(task, spot.lane, spot.start, spot.end);
    }

    /// Places the task where it ends first, counting also what `more` says of the lane; `false` when it fits
    /// nowhere. Ties go to the first lane.
    pub(super) fn place_first(
        &mut self,
        instance: &Instance,
        task: usize,
        more: impl Fn(usize) -> i64,
    ) -> bool {
        self.arrivals.compute(instance, &self.placed, task);
        let mut best: Option<(i64, Spot)> = None;
        for (lane, length) in instance.runtimes(task).iter().enumerate() {
            if *length == NEVER {
                continue;
            }
            let ready = self.arrivals.ready[lane];
            let extra = more(lane);
            // A lane whose earliest conceivable end is no better need not be searched.
            if best.is_some_and(|(value, _)| ready + length + extra >= value) {
                continue;
            }
            let Some(start) = self.line.earliest(lane, ready, *length) else { continue };
            let value = start + length + extra;
            if best.is_none_or(|(least, _)| value < least) {
                best = Some((value, Spot { lane, start, end: start + length }));
            }
        }
        best.inspect(|(_, spot)| self.put(task, *spot)).is_some()
    }
}

/// Places tasks in the given order, each where it ends first; tasks that fit nowhere, and what follows them, are left
/// out.
pub(super) fn in_order(instance: &Instance, order: &[u32], board: &mut Board) {
    board.reset(instance);
    for task in order.iter().map(|task| *task as usize) {
        if !can_start(instance, &board.placed, task) || !board.place_first(instance, task, |_| 0) {
            break;
        }
    }
}

/// Whether everything that the task waits for is placed.
pub(super) fn can_start(instance: &Instance, placed: &Placed, task: usize) -> bool {
    instance.before.of(task).iter().all(|flow| placed.is_placed(flow.task as usize))
}

/// All tasks in an order that keeps to the graph: of those that may come next, the highest priority first, then the
/// smallest id.
pub(super) fn by_priority<R: Copy + Ord>(instance: &Instance, priority: &[R]) -> Vec<u32> {
    let mut waits: Vec<usize> = (0..instance.tasks).map(|task| instance.before.of(task).len()).collect();
    let ids = instance.order.iter().copied();
    let mut ready: BinaryHeap<(R, Reverse<u32>)> = ids
        .filter(|task| waits[*task as usize] == 0)
        .map(|task| (priority[task as usize], Reverse(task)))
        .collect();
    let mut order = Vec::with_capacity(instance.tasks);
    while let Some((_, Reverse(task))) = ready.pop() {
        order.push(task);
        for flow in instance.after.of(task as usize) {
            let waiting = &mut waits[flow.task as usize];
            *waiting -= 1;
            if *waiting == 0 {
                ready.push((priority[flow.task as usize], Reverse(flow.task)));
            }
        }
    }
    order
}
