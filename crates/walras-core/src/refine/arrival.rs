//! When the data of a task can be on each lane.
//!
//! **Problem.** A task may start on a lane when the data of all its predecessors has arrived there: at once where it
//! was made, after the near transfer on its site, after the far one elsewhere.
//!
//! **Method.** Instead of asking every lane about every predecessor, the latest near arrival of each site and the
//! latest far arrival of all sites are kept together with the second latest from another node (or site), so that a
//! lane can leave out what is its own.
//!
//! **Complexity.** O(predecessors + lanes) instead of their product.

use super::instance::{Flow, Instance};
use super::schedule::Placed;

const LONG_AGO: i64 = i64::MIN;

/// The latest value, and the latest of another owner.
#[derive(Clone, Copy, Debug)]
struct Latest {
    value: i64,
    owner: u32,
    other: i64,
}

impl Latest {
    const NONE: Latest = Latest { value: LONG_AGO, owner: u32::MAX, other: LONG_AGO };

    fn add(&mut self, value: i64, owner: u32) {
        if owner == self.owner {
            self.value = self.value.max(value);
        } else if value > self.value {
            *self = Latest { value, owner, other: self.value };
        } else {
            self.other = self.other.max(value);
        }
    }

    fn without(&self, owner: u32) -> i64 {
        if owner == self.owner { self.other } else { self.value }
    }
}

/// Room for one computation, kept between them.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    /// By node: when what was made there is ready.
    own: Vec<i64>,
    /// By site: when what was made there is everywhere on the site.
    near: Vec<Latest>,
    far: Latest,
    /// By lane: the result.
    pub(super) ready: Vec<i64>,
}

impl Arrivals {
    pub(super) fn new(instance: &Instance) -> Arrivals {
        Arrivals {
            own: vec![LONG_AGO; instance.costs.nodes],
            near: vec![Latest::NONE; instance.costs.sites],
            far: Latest::NONE,
            ready: vec![0; instance.lanes],
        }
    }

    /// Fills `ready` with when the data of the task's predecessors can be on each lane; those that are not placed are
    /// left out.
    pub(super) fn compute(&mut self, instance: &Instance, placed: &Placed, task: usize) {
        let at = |task: usize| placed.end_of(task);
        self.spread(instance, instance.before.of(task), instance.earliest, at);
    }

    /// Fills `ready` with the *negative* of the latest end on each lane that still serves the task's successors in
    /// time; those that are not placed are left out.
    pub(super) fn compute_due(&mut self, instance: &Instance, placed: &Placed, task: usize) {
        let at = |task: usize| placed.lane_of(task).map(|lane| (lane, -placed.start[task]));
        self.spread(instance, instance.after.of(task), -instance.latest, at);
    }

    /// Fills `ready` with when what `at` says of the tasks at the other ends can be on each lane, not before `floor`.
    pub(super) fn spread(
        &mut self,
        instance: &Instance,
        flows: &[Flow],
        floor: i64,
        at: impl Fn(usize) -> Option<(usize, i64)>,
    ) {
        let costs = &instance.costs;
        for flow in flows {
            if let Some((lane, value)) = at(flow.task as usize) {
                self.add(flow, value, costs.node[lane], costs.site[lane]);
            }
        }
        for (lane, ready) in self.ready.iter_mut().enumerate() {
            let (node, site) = (costs.node[lane], costs.site[lane]);
            let arrived = self.own[node as usize]
                .max(self.near[site as usize].without(node))
                .max(self.far.without(site));
            *ready = arrived.max(floor);
        }
        self.far = Latest::NONE;
        for flow in flows {
            if let Some((lane, _)) = at(flow.task as usize) {
                self.own[costs.node[lane] as usize] = LONG_AGO;
                self.near[costs.site[lane] as usize] = Latest::NONE;
            }
        }
    }

    fn add(&mut self, flow: &Flow, end: i64, node: u32, site: u32) {
        let own = &mut self.own[node as usize];
        *own = (*own).max(end);
        self.near[site as usize].add(end + flow.near, node);
        self.far.add(end + flow.far, site);
    }
}
