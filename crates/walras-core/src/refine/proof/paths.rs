//! Data on its way: a task starts when what it waits for has ended and its data is there.
//!
//! How early a task can start on a lane follows from where the other one may be and when it can end there at best; how late it can
//! start there, from where the one that waits for it may be. Both are known lane by lane.
//!
//! **Complexity.** O(lanes) for an edge, and O(lanes) more for every start that becomes known better.

use super::super::instance::Flow;
use super::model::Model;
use super::trail::{Contradiction, Fact, Trail};

/// Room for the least over nodes and sites.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    by_node: Vec<i64>,
    by_site: Vec<i64>,
    causes: Vec<Fact>,
}

/// Later than everything.
const FAR: i64 = i64::MAX / 8;

impl Paths {
    pub(super) fn new(model: &Model<'_>) -> Paths {
        let costs = &model.instance.costs;
        Paths { by_node: vec![0; costs.nodes], by_site: vec![0; costs.sites], causes: Vec::new() }
    }

    /// The least over the lanes that a task may be on: here, on the site of a lane, anywhere.
    fn least(&mut self, model: &Model<'_>, trail: &Trail, task: usize, of: impl Fn(usize) -> i64) -> i64 {
        let costs = &model.instance.costs;
        self.by_node.fill(FAR);
        self.by_site.fill(FAR);
        let mut anywhere = FAR;
        for lane in (0..model.lanes).filter(|lane| model.may(trail, task, *lane)) {
            let (value, node, site) = (of(lane), costs.node[lane] as usize, costs.site[lane] as usize);
            self.by_node[node] = self.by_node[node].min(value);
            self.by_site[site] = self.by_site[site].min(value);
            anywhere = anywhere.min(value);
        }
        anywhere
    }

    /// With data that moves to or from a lane.
    fn moved(&self, model: &Model<'_>, flow: &Flow, lane: usize, anywhere: i64) -> i64 {
        let costs = &model.instance.costs;
        let site = costs.site[lane] as usize;
        let near = self.by_site[site] + flow.near;
        // Where data moves faster between sites than within one, the site itself must not count as another.
        let elsewhere = if flow.far < flow.near { self.elsewhere(site) } else { anywhere };
        near.min(elsewhere + flow.far).min(self.by_node[costs.node[lane] as usize])
    }

    /// The least over all other sites.
    fn elsewhere(&self, site: usize) -> i64 {
        let others = self.by_site.iter().enumerate().filter(|(other, _)| *other != site);
        others.map(|(_, least)| *least).min().unwrap_or(FAR)
    }

    /// The causes: on every lane that a task may be on the fact of that lane, and that it is on no other.
    fn because(&mut self, model: &Model<'_>, trail: &Trail, task: usize, fact: impl Fn(usize) -> Fact) {
        self.causes.clear();
        self.causes.extend((0..model.lanes).map(|lane| {
            if model.may(trail, task, lane) { fact(lane) } else { Fact::at_most(model.on(task, lane), 0) }
        }));
    }

    /// How early a task can start, by one that it waits for.
    pub(super) fn forwards(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        task: usize,
        flow: &Flow,
    ) -> Result<(), Contradiction> {
        let (before, instance) = (flow.task as usize, model.instance);
        let end = |lane: usize| trail.least(model.start(before, lane)) + instance.runtime(before, lane);
        let anywhere = self.least(model, trail, before, end);
        for lane in 0..model.lanes {
            let first = self.moved(model, flow, lane, anywhere);
            let start = model.start(task, lane);
            if first >= FAR || !model.may(trail, task, lane) || trail.least(start) >= first {
                continue;
            }
            self.because(model, trail, before, |other| {
                let path = instance.runtime(before, other) + instance.transfer(flow, other, lane);
                Fact::at_least(model.start(before, other), first - path)
            });
            trail.learn(Fact::at_least(start, first), &self.causes)?;
        }
        Ok(())
    }

    /// How late a task can start, by one that waits for it.
    pub(super) fn backwards(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        task: usize,
        flow: &Flow,
    ) -> Result<(), Contradiction> {
        let (after, instance) = (flow.task as usize, model.instance);
        // Turned round in time, so that the latest is the least.
        let start = |lane: usize| -trail.most(model.start(after, lane));
        let anywhere = self.least(model, trail, after, start);
        for lane in 0..model.lanes {
            let end = self.moved(model, flow, lane, anywhere);
            let start = model.start(task, lane);
            if end >= FAR || !model.may(trail, task, lane) {
                continue;
            }
            let last = -end - instance.runtime(task, lane);
            if trail.most(start) <= last {
                continue;
            }
            self.because(model, trail, after, |other| {
                let path = instance.transfer(flow, lane, other);
                Fact::at_most(model.start(after, other), path - end)
            });
            trail.learn(Fact::at_most(start, last), &self.causes)?;
        }
        Ok(())
    }
}
