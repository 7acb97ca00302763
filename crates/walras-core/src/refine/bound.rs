//! What no schedule can beat.

use super::instance::{Instance, NEVER};

/// A time before which no schedule can end: the longest chain on the fastest nodes without any transfer, and all
/// work over all the free speed there is.
pub(super) fn finish(instance: &Instance) -> i64 {
    chain(instance).max(capacity(instance))
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

/// The moment by which the lanes' free time, weighed by speed, covers all work.
///
/// A task takes run time × speed of its lane; the least of that over the lanes is what it takes at least.
fn capacity(instance: &Instance) -> i64 {
    let speed = &instance.costs.performance;
    let least = |task: usize| {
        let row = instance.runtimes(task).iter().zip(speed);
        row.filter(|(millis, _)| **millis != NEVER)
            .map(|(millis, speed)| i128::from(*millis) * i128::from(*speed))
            .min()
            .unwrap_or(0)
    };
    let mut work: i128 = (0..instance.tasks).map(least).sum();
    // Where the free speed changes.
    let mut changes: Vec<(i64, i128)> = Vec::new();
    for (free, speed) in instance.free.iter().zip(speed) {
        for (start, end) in free {
            changes.extend([(*start, i128::from(*speed)), (*end, -i128::from(*speed))]);
        }
    }
    changes.sort_unstable();
    let (mut now, mut free) = (instance.earliest, 0_i128);
    for (time, change) in changes {
        let done = free * i128::from(time - now);
        if done >= work && free > 0 {
            break;
        }
        work -= done.max(0);
        (now, free) = (time, free + change);
    }
    if work <= 0 || free <= 0 {
        return now.max(instance.earliest);
    }
    let rest = (work + free - 1) / free;
    now.saturating_add(i64::try_from(rest).unwrap_or(i64::MAX / 4))
}
