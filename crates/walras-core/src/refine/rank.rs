//! Ranks: how urgent a task is.

use super::instance::{Instance, NEVER};

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

/// By task: the longest way from the begin of the workflow to its start, in mean run and transfer times.
pub(super) fn downward(instance: &Instance) -> Vec<i64> {
    let mut rank = vec![0; instance.tasks];
    for task in instance.order.iter().map(|task| *task as usize) {
        let way = |before: usize, mean: i64| rank[before] + instance.costs.mean[before] + mean;
        let before = instance.before.of(task).iter().map(|flow| way(flow.task as usize, flow.mean)).max();
        rank[task] = before.unwrap_or(0);
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
pub(super) fn by_rank(instance: &Instance, rank: &[i64]) -> Vec<u32> {
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
