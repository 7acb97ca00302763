//! What no schedule can beat.
//!
//! **Problem.** A time before which no schedule can end, as late as can be proven cheaply.
//!
//! **Method.** Four reasons, of which the strongest counts:
//! 1. *Capacity*: all work over all the free speed there is.
//! 2. *Ways*: the longest chain of tasks, each on its fastest lane ([`quick`]); in [`finish`] with transfers: by task
//!    and lane, the least time before it (its *head*) and after it (its *tail*), when every other task has the best
//!    lane for it to itself. A task lies on some lane, so its head, its run time and its tail there fit in.
//! 3. *Crowds*: tasks of which none can start before `r`, and after each of which there is at least `q` to do, must share
//!    the lanes between `r` and `q` before the end; fewer tasks than lanes can use only as many lanes as they are.
//!
//! 4. *Whole tasks* ([`super::uncut`]): the same, when tasks are not cut in pieces.
//!
//! **Complexity.** O((edges + tasks) × lanes) for ways, O(tasks log tasks) for each of at most [`HEADS_MAX`] values of `r`.
//! Beyond [`WAYS_MAX`] steps the quick bound has to do.

use super::heads::{earliest_starts, some_of};
use super::instance::{Instance, NEVER};
use super::profile::Profile;
use super::uncut::{self, Crowd};
use super::{refute, together};

/// Crowds are looked at from at most so many heads.
const HEADS_MAX: usize = 32;
/// Ways with transfers are followed through at most so many edges × lanes and tasks × lanes.
const WAYS_MAX: usize = 50_000_000;

/// The longest chain on the fastest lanes without any transfer, and all work over all the free speed.
pub(super) fn quick(instance: &Instance) -> i64 {
    let profile = Profile::new(instance);
    let work = least_works(instance).into_iter().sum();
    chain(instance).max(profile.done(instance.earliest, work))
}

/// The quick bound, ways with transfers, and crowds; looked at closely also turns on one node.
pub(super) fn finish(instance: &Instance, closely: bool) -> i64 {
    let edges: usize = (0..instance.tasks).map(|task| instance.before.of(task).len()).sum();
    if (edges + instance.tasks).saturating_mul(instance.lanes) > WAYS_MAX {
        return quick(instance);
    }
    let mirror = instance.mirror();
    let may = |task: usize, lane: usize| instance.runtime(task, lane) != NEVER;
    let of = |instance: &Instance| {
        if closely && together::is_small(instance) {
            refute::heads(instance, may)
        } else {
            earliest_starts(instance, &may, vec![0; instance.tasks * instance.lanes])
        }
    };
    let (heads, tails) = (of(instance), of(&mirror));
    let (head, tail) = (least(instance, &heads), least(instance, &tails));
    let so_far = quick(instance).max(through(instance, &heads, &tails)).max(crowds(instance, &head, &tail));
    let works = least_works(instance);
    let length = uncut::finish(
        &Crowd { heads: &head, tails: &tail, works: &works },
        &instance.costs.performance,
        so_far - instance.earliest,
    );
    instance.earliest.saturating_add(length)
}

/// The longest chain, each task on its fastest lane.
fn chain(instance: &Instance) -> i64 {
    let mut end = vec![instance.earliest; instance.tasks];
    for task in instance.order.iter().map(|task| *task as usize) {
        let ready = instance.before.of(task).iter().map(|flow| end[flow.task as usize]).max();
        end[task] = ready.unwrap_or(instance.earliest) + instance.costs.fastest[task];
    }
    end.into_iter().max().unwrap_or(instance.earliest)
}

/// By task: the least of run time × speed over the lanes.
fn least_works(instance: &Instance) -> Vec<i128> {
    let speed = &instance.costs.performance;
    let least = |task: usize| {
        let row = instance.runtimes(task).iter().zip(speed);
        let works = row.filter(|(millis, _)| **millis != NEVER);
        works.map(|(millis, speed)| i128::from(*millis) * i128::from(*speed)).min().unwrap_or(0)
    };
    (0..instance.tasks).map(least).collect()
}

/// The longest path through one task on the lane that is best for it.
fn through(instance: &Instance, heads: &[i64], tails: &[i64]) -> i64 {
    let lanes = instance.lanes;
    let path = |task: usize| {
        let cells = heads[task * lanes..][..lanes].iter().zip(&tails[task * lanes..]);
        let paths = cells.zip(instance.runtimes(task)).filter(|(_, millis)| **millis != NEVER);
        paths.map(|((head, tail), millis)| head.saturating_add(*tail).saturating_add(*millis)).min()
    };
    let longest = (0..instance.tasks).filter_map(path).max().unwrap_or(0);
    instance.earliest.saturating_add(longest)
}

/// The least head or tail of each task over the lanes that may run it.
fn least(instance: &Instance, table: &[i64]) -> Vec<i64> {
    let cells = |task: usize| table[task * instance.lanes..].iter().zip(instance.runtimes(task));
    let least =
        |task: usize| cells(task).filter(|(_, millis)| **millis != NEVER).map(|(cell, _)| *cell).min();
    (0..instance.tasks).map(|task| least(task).unwrap_or(0)).collect()
}

/// The latest end that some crowd of tasks enforces.
fn crowds(instance: &Instance, heads: &[i64], tails: &[i64]) -> i64 {
    let (works, profile) = (least_works(instance), Profile::new(instance));
    let mut by_tail: Vec<usize> = (0..instance.tasks).filter(|task| works[*task] > 0).collect();
    by_tail.sort_by_key(|task| (-tails[*task], *task));
    let mut latest = instance.earliest;
    for head in some_of(heads, HEADS_MAX) {
        let start = instance.earliest + head;
        let (mut work, mut count) = (0_i128, 0);
        for task in by_tail.iter().copied().filter(|task| heads[*task] >= head) {
            work += works[task];
            count += 1;
            let done = profile.done(start, work).max(profile.done_by_few(start, work, count));
            latest = latest.max(done.saturating_add(tails[task]));
        }
    }
    latest
}
