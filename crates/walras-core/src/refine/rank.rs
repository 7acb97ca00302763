//! Ranks: how urgent a task is.

use super::instance::{Flow, Instance, NEVER, pairs};

/// The longest ways from the begin of the workflow to a task's start and from there to the end, in mean run and transfer times that are
/// not rounded: all are multiples of the same fraction of a millisecond. (Where tasks may not run everywhere, their means are rounded to it.)
///
/// Ranks of whole milliseconds tell tasks apart that the means make equal, and make others equal.
pub(super) struct Exact {
    pub(super) upward: Vec<i128>,
    pub(super) downward: Vec<i128>,
    mean: Vec<i128>,
    /// What one millisecond of a transfer within a site counts, and of one between sites.
    weight: (i128, i128),
}

impl Exact {
    pub(super) fn new(instance: &Instance) -> Exact {
        let (near, all) = pairs(&instance.costs);
        let lanes = i128::try_from(instance.lanes).unwrap_or(1);
        let mean = |task: usize| {
            let fit = || instance.runtimes(task).iter().filter(|millis| **millis != NEVER);
            let sum: i128 = fit().map(|millis| i128::from(*millis)).sum();
            let count = i128::try_from(fit().count()).unwrap_or(lanes).max(1);
            sum * lanes * all.max(1) / count
        };
        let mut exact = Exact {
            upward: vec![0; instance.tasks],
            downward: vec![0; instance.tasks],
            mean: (0..instance.tasks).map(mean).collect(),
            weight: (near * lanes, (all - near) * lanes),
        };
        for task in instance.order.iter().rev().map(|task| *task as usize) {
            let way = |flow: &Flow| exact.transfer(flow) + exact.upward[flow.task as usize];
            let after = instance.after.of(task).iter().map(way).max();
            exact.upward[task] = exact.mean[task] + after.unwrap_or(0);
        }
        for task in instance.order.iter().map(|task| *task as usize) {
            let before = instance.before.of(task).iter().map(|flow| exact.arrival(flow.task as usize, flow));
            exact.downward[task] = before.max().unwrap_or(0);
        }
        exact
    }

    /// The longest way through each task.
    pub(super) fn through(&self) -> Vec<i128> {
        self.upward.iter().zip(&self.downward).map(|(up, down)| up + down).collect()
    }

    /// When the data of an edge from this task would arrive.
    pub(super) fn arrival(&self, from: usize, flow: &Flow) -> i128 {
        self.downward[from] + self.mean[from] + self.transfer(flow)
    }

    fn transfer(&self, flow: &Flow) -> i128 {
        i128::from(flow.near) * self.weight.0 + i128::from(flow.far) * self.weight.1
    }
}

/// By task: the longest way from its start to the end of the workflow, in mean run and transfer times (HEFT's
/// upward rank).
pub(super) fn upward(instance: &Instance) -> Vec<i64> {
    let mut rank = vec![0; instance.tasks];
    for task in instance.order.iter().rev().map(|task| *task as usize) {
        let after = instance.after.of(task).iter().map(|flow| flow.mean + rank[flow.task as usize]).max();
        rank[task] = instance.costs.mean[task] + after.unwrap_or(0);
    }
    rank
}

/// By task, then lane: PEFT's optimistic cost table, the time from the task's end on that lane to the end of the
/// workflow when every later task has the best lane to itself.
///
/// O(edges × lanes): the best lane of a successor is either the task's own, or the best of all after a transfer.
pub(super) fn optimistic(instance: &Instance) -> Vec<i64> {
    let lanes = instance.lanes;
    let mut table = vec![0_i64; instance.tasks * lanes];
    let mut own = vec![0_i64; lanes];
    for task in instance.order.iter().rev().map(|task| *task as usize) {
        for flow in instance.after.of(task) {
            let next = flow.task as usize;
            let mut best = NEVER;
            for (lane, own) in own.iter_mut().enumerate() {
                let runtime = instance.runtime(next, lane);
                *own = if runtime == NEVER { NEVER } else { runtime + table[next * lanes + lane] };
                best = best.min(*own);
            }
            let moved = best.saturating_add(flow.mean);
            for (cell, own) in table[task * lanes..][..lanes].iter_mut().zip(&own) {
                *cell = (*cell).max(moved.min(*own));
            }
        }
    }
    table
}

/// By task: the mean of its row of the optimistic cost table (PEFT's rank).
pub(super) fn mean_optimistic(instance: &Instance, table: &[i64]) -> Vec<i64> {
    let count = i64::try_from(instance.lanes).unwrap_or(i64::MAX);
    let row = |task: usize| &table[task * instance.lanes..][..instance.lanes];
    (0..instance.tasks).map(|task| row(task).iter().map(|millis| millis / count).sum()).collect()
}

/// All tasks, the highest rank first. With equal ranks the topological order decides, so that a task that takes no
/// time does not go before those it waits for.
pub(super) fn by_rank<R: Copy + Ord>(instance: &Instance, rank: &[R]) -> Vec<u32> {
    let mut order = instance.order.to_vec();
    order.sort_by_key(|task| std::cmp::Reverse(rank[*task as usize]));
    order
}

/// By task: the longest way from its start to the end of the workflow on the fastest lanes, without any transfer.
pub(super) fn longest_without_transfers(instance: &Instance) -> Vec<i64> {
    let mut rank = vec![0; instance.tasks];
    for task in instance.order.iter().rev().map(|task| *task as usize) {
        let after = instance.after.of(task).iter().map(|flow| rank[flow.task as usize]).max();
        rank[task] = instance.costs.fastest[task] + after.unwrap_or(0);
    }
    rank
}
