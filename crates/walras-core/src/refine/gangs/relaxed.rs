//! What no schedule with gangs can beat.
//!
//! Whoever leaves only one node of every gang, and lets it take no longer than any gang with that node must, has a plain schedule of plain
//! tasks: so whatever holds for all of those holds for the gangs. Besides, all of them together need their nodes' time.

use super::super::NoSchedule;
use super::super::instance::{Instance, NEVER, cost};
use super::Wide;
use std::sync::Arc;
use walras_model::id::TaskId;

impl Wide {
    /// The same tasks on one node each, as short and as cheap as a gang with that node can be. Refuses a gang for which no site has the nodes.
    pub(super) fn relaxed(&self) -> Result<Instance, NoSchedule> {
        let mut relaxed = self.instance.clone();
        let costs = Arc::make_mut(&mut relaxed.costs);
        for (task, nodes) in self.nodes.iter().copied().enumerate().filter(|(_, nodes)| *nodes > 1) {
            let mut row = vec![NEVER; self.instance.lanes];
            let mut cheapest = None;
            for lanes in &self.sites {
                let Some((fastest, least)) = self.least_of(task, nodes, lanes) else { continue };
                cheapest = Some(cheapest.map_or(least, |known: i64| known.min(least)));
                for lane in lanes {
                    let own = self.instance.runtime(task, *lane);
                    row[*lane] = if own == NEVER { NEVER } else { own.max(fastest) };
                }
            }
            let id = TaskId::from_index(task).ok_or(NoSchedule::TooLong)?;
            costs.cheapest[task] = cheapest.ok_or(NoSchedule::NoGang { task: id, nodes })?;
            costs.fastest[task] = row.iter().copied().min().unwrap_or(0);
            costs.runtime[task * self.instance.lanes..][..self.instance.lanes].copy_from_slice(&row);
        }
        Ok(relaxed)
    }

    /// How long a gang takes at the least on a site, and what it costs at the least; `None` where the site has not the nodes.
    fn least_of(&self, task: usize, nodes: usize, lanes: &[usize]) -> Option<(i64, i64)> {
        let costs = &self.instance.costs;
        // By node: its run time, and its rates.
        let mut known: Vec<(i64, u32, walras_model::Rate)> = lanes
            .iter()
            .map(|lane| (self.instance.runtime(task, *lane), costs.node[*lane], costs.rate[*lane]))
            .filter(|(runtime, ..)| *runtime != NEVER)
            .collect();
        known.sort_unstable_by_key(|(runtime, node, rate)| (*node, *rate, *runtime));
        known.dedup_by_key(|(_, node, _)| *node);
        known.sort_unstable();
        let fastest = known.get(nodes.checked_sub(1)?)?.0;
        // The longer it may take, the more nodes there are to choose from.
        let mut least = i64::MAX;
        let mut rates: Vec<walras_model::Rate> = Vec::new();
        for (runtime, _, rate) in &known {
            let place = rates.partition_point(|known| known <= rate);
            rates.insert(place, *rate);
            if rates.len() >= nodes {
                let all = rates[..nodes].iter().map(|rate| cost(*rate, (*runtime).max(fastest)));
                least = least.min(all.fold(0, i64::saturating_add));
            }
        }
        Some((fastest, least))
    }

    /// When all nodes together may have given all tasks the time that they need at the least.
    pub(super) fn crowded(&self, relaxed: &Instance) -> i64 {
        let needed = |(task, nodes): (usize, &usize)| {
            i128::from(relaxed.costs.fastest[task]) * i128::try_from(*nodes).unwrap_or(i128::MAX)
        };
        let mut left: i128 = self.nodes.iter().enumerate().map(needed).sum();
        let pieces = relaxed.free.iter().flatten().filter(|(start, end)| start < end);
        let mut steps: Vec<(i64, i128)> = pieces.flat_map(|(start, end)| [(*start, 1), (*end, -1)]).collect();
        steps.sort_unstable();
        let (mut now, mut free) = (relaxed.earliest, 0_i128);
        for (at, more) in steps {
            let gives = i128::from(at - now).max(0) * free;
            if free > 0 && gives >= left {
                break;
            }
            left -= gives;
            (now, free) = (now.max(at), free + more);
        }
        if left <= 0 {
            return relaxed.earliest;
        }
        if free <= 0 {
            // Nothing is free any more, and something is left to do.
            return i64::MAX;
        }
        let more = walras_model::quantity::rounding::up(left, free);
        i64::try_from(i128::from(now) + more).unwrap_or(i64::MAX)
    }
}
