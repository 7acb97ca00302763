//! The transitive reduction of a workflow, as far as data allows: edges that say nothing new.
//!
//! Where data of no volume passes from a task to another that waits for it anyway, through tasks in between, the edge
//! can be left out: the way through the others takes at least as long, whichever lanes they are on. Graphs as dense
//! as some standard task graphs then have a tenth of the edges or less, and every step of the improvement is as
//! much cheaper.
//!
//! **Complexity.** O(edges kept × tasks / 64) time and tasks² bits; graphs with few edges, or more than [`TASKS_MAX`] tasks,
//! are left as they are.

use super::instance::{Adjacency, Flow, Instance};
use std::sync::Arc;

/// Graphs of more tasks are left as they are; this many take 12.5 megabytes of bits.
const TASKS_MAX: usize = 10_000;
/// A graph is dense when it has more edges a task than this.
const DENSE: usize = 2;

impl Instance {
    /// The same without edges that follow from others.
    pub(super) fn transitive_reduction(&self) -> Instance {
        let edges: usize = (0..self.tasks).map(|task| self.before.of(task).len()).sum();
        if self.tasks > TASKS_MAX || edges <= DENSE * self.tasks {
            return self.clone();
        }
        let kept = kept_edges(self);
        let turned: Vec<(u32, Flow)> =
            kept.iter().map(|(task, flow)| (flow.task, Flow { task: *task, ..*flow })).collect();
        Instance {
            before: Arc::new(Adjacency::new(self.tasks, &kept)),
            after: Arc::new(Adjacency::new(self.tasks, &turned)),
            ..self.clone()
        }
    }
}

/// The edges into each task without those that a longer way covers.
fn kept_edges(instance: &Instance) -> Vec<(u32, Flow)> {
    let least = least_flow(instance);
    // Between sites is never nearer than within one, so that a way round is no short cut.
    let covers = |flow: &Flow| least.0 <= least.1 && (flow.near, flow.far) == least;
    let mut position = vec![0; instance.tasks];
    for (at, task) in instance.order.iter().enumerate() {
        position[*task as usize] = at;
    }
    let words = instance.tasks.div_ceil(64);
    let mut ancestors = vec![0_u64; instance.tasks * words];
    let mut kept = Vec::new();
    let mut known = vec![0_u64; words];
    for task in instance.order.iter().copied() {
        known.fill(0);
        let mut flows = instance.before.of(task as usize).to_vec();
        // The last first: whatever leads here through others is known by then.
        flows.sort_by_key(|flow| std::cmp::Reverse(position[flow.task as usize]));
        for flow in flows {
            let before = flow.task as usize;
            let is_known = known[before / 64] >> (before % 64) & 1 == 1;
            if !(is_known && covers(&flow)) {
                kept.push((task, flow));
            }
            if !is_known {
                let theirs = &ancestors[before * words..][..words];
                known.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
                known[before / 64] |= 1 << (before % 64);
            }
        }
        ancestors[task as usize * words..][..words].copy_from_slice(&known);
    }
    kept
}

/// The least transfer times of all edges, within a site and between sites.
fn least_flow(instance: &Instance) -> (i64, i64) {
    let flows = || (0..instance.tasks).flat_map(|task| instance.before.of(task));
    let near = flows().map(|flow| flow.near).min().unwrap_or(0);
    let far = flows().map(|flow| flow.far).min().unwrap_or(0);
    (near, far)
}

#[cfg(test)]
mod tests {
    use crate::refine::Instance;
    use walras_model::workflow::Terms;
    use walras_model::{
        Attributes, Bandwidth, Data, Edge, Interval, Lane, Link, Network, NodeId, Performance, Platform,
        Rate, SiteId, Span, Task, TaskId, Time, Work, Workflow,
    };

    /// Every task waits for every earlier one; edges over `far` or more places carry data.
    fn dense(tasks: u32, far: u32) -> Instance {
        let pairs = (0..tasks).flat_map(|to| (0..to).map(move |from| (from, to)));
        let edge = |(from, to): (u32, u32)| Edge {
            from: TaskId::new(from),
            to: TaskId::new(to),
            data: Data::from_bytes(i64::from(to - from >= far)).unwrap(),
        };
        let named = |number: u32| Task::new(&format!("t{number}"), Work::from_millis(5));
        let workflow =
            Workflow::new("dense", (0..tasks).map(named).collect(), pairs.map(edge).collect()).unwrap();
        let time = |millis| Time::from_millis(millis).unwrap();
        let lane = |number: u32| Lane {
            part: 0,
            node: NodeId::new(number),
            name: format!("n{number}"),
            site: SiteId::new(number),
            site_name: format!("s{number}"),
            performance: Performance::ONE,
            rate: Rate::from_micros_per_second(1).unwrap(),
            free: vec![Interval::new(time(0), time(1_000_000)).unwrap()],
            attributes: Attributes::new(),
        };
        let link = |latency| Link {
            latency: Span::from_millis(latency).unwrap(),
            bandwidth: Bandwidth::from_bytes_per_second(1),
        };
        let network = Network { within_site: link(1), between_sites: link(2) };
        let platform = Platform { lanes: (0..2).map(lane).collect(), network };
        Instance::new(&workflow, &platform, &Terms::default()).unwrap()
    }

    fn edges(instance: &Instance) -> Vec<(u32, usize)> {
        let of = |task: usize| instance.before.of(task).iter().map(move |flow| (flow.task, task));
        (0..instance.tasks).flat_map(of).collect()
    }

    #[test]
    fn of_a_dense_graph_a_chain_is_left() {
        let chain: Vec<(u32, usize)> = (0..8).zip(1..).collect();
        assert_eq!(edges(&dense(9, u32::MAX).transitive_reduction()), chain);
        assert_eq!(edges(&dense(9, u32::MAX).transitive_reduction().mirror()).len(), chain.len());
    }

    #[test]
    fn edges_with_data_stay() {
        let kept = edges(&dense(9, 5).transitive_reduction());
        assert!(kept.iter().all(|(from, to)| to - *from as usize == 1 || to - *from as usize >= 5));
        assert_eq!(kept.len(), 8 + 4 + 3 + 2 + 1);
    }
}
