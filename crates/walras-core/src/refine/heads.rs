//! How early every task can start at best, lane by lane: what all bounds begin with.

use super::instance::{Instance, NEVER};

/// By task, then lane: how long after the earliest moment the task can start there at best, when tasks may be only where `may` says and
/// start nowhere before what the table says already.
pub(super) fn earliest_starts(
    instance: &Instance,
    may: &impl Fn(usize, usize) -> bool,
    mut table: Vec<i64>,
) -> Vec<i64> {
    let (lanes, costs) = (instance.lanes, &instance.costs);
    let mut on_node = vec![NEVER; costs.nodes];
    let mut on_site = vec![NEVER; costs.sites];
    for task in instance.order.iter().map(|task| *task as usize) {
        for flow in instance.before.of(task) {
            let before = flow.task as usize;
            on_node.fill(NEVER);
            on_site.fill(NEVER);
            let mut anywhere = NEVER;
            for lane in (0..lanes).filter(|lane| may(before, *lane)) {
                let end = table[before * lanes + lane].saturating_add(instance.runtime(before, lane));
                let (node, site) = (costs.node[lane] as usize, costs.site[lane] as usize);
                on_node[node] = on_node[node].min(end);
                on_site[site] = on_site[site].min(end);
                anywhere = anywhere.min(end);
            }
            for (lane, cell) in table[task * lanes..][..lanes].iter_mut().enumerate() {
                let near = on_site[costs.site[lane] as usize].saturating_add(flow.near);
                let moved = near.min(anywhere.saturating_add(flow.far));
                *cell = (*cell).max(moved.min(on_node[costs.node[lane] as usize]));
            }
        }
    }
    table
}

/// At most so many of the different values, evenly spread.
pub(super) fn some_of(values: &[i64], count: usize) -> Vec<i64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    let step = values.len().div_ceil(count).max(1);
    values.into_iter().step_by(step).collect()
}
