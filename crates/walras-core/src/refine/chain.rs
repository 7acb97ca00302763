//! The best plan of one chain of tasks against the nodes' free time.
//!
//! **Problem.** Tasks c₁ → c₂ → … → cₖ, each waiting for the one before it. Other tasks are placed already: some give
//! data to the chain (a task may not start before it is there), some wait for it (a task may not end later than they
//! can bear). Find lanes and start times, the best by the goal, within the allowance of money.
//!
//! **Method.** Dynamic programming over tasks and lanes. A label says: the first i tasks can be done with the i-th on
//! this lane, ending then, for this much. Of two labels on a lane the one that ends no later and weighs no more
//! dominates, because whatever fits after the one fits after the other; so only the labels that are not dominated go
//! on. Start times need no enumeration: the earliest gap after the data has arrived dominates all later ones. When
//! only the end counts, one label a lane is enough.
//!
//! Labels reach a lane from its own node at once, from its site after the near transfer, from elsewhere after the far
//! one, so labels are first merged by site: a lane looks at three lists instead of all lanes.
//!
//! **Complexity.** O(k · lanes · labels · log gaps). The number of labels kept on a lane is limited; hitting the limit
//! shows in the result, and the plan is then good but not proven.
//!
//! A task may also wait for a task further up the chain. Labels then look back for that task's place; they stay right,
//! but which of them is best can depend on the way, so the plan is exact only for chains without such edges.
//!
//! **Exact** for the chain: finish (then weight), or weight (then finish), each within deadline and allowance. Tests
//! hold it against all assignments.

use super::arrival::Arrivals;
use super::instance::{Flow, Instance, NEVER};
use super::list::Spot;
use super::schedule::Placed;
use super::strategy::Goal;
use super::timeline::Timeline;
use std::collections::BTreeMap;

/// A way to do the first tasks of a chain.
#[derive(Clone, Copy, Debug)]
struct Label {
    end: i64,
    weight: i64,
    start: i64,
    lane: u32,
    /// Its predecessor among the labels of the task before.
    from: u32,
}

/// What a chain is planned for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim<'a> {
    pub(super) goal: Goal,
    /// The most that the chain may cost.
    pub(super) allowance: i64,
    /// By lane: how busy its node is already.
    pub(super) load: &'a [i64],
    /// Labels kept on a lane.
    pub(super) labels_max: usize,
}

/// A planned chain.
#[derive(Clone, Debug)]
pub(super) struct ChainPlan {
    pub(super) spots: Vec<Spot>,
    /// Whether labels had to be dropped.
    pub(super) limit_hit: bool,
}

/// When a task of the chain may run on each lane, as far as placed tasks are concerned.
struct Frame {
    release: Vec<i64>,
    due: Vec<i64>,
}

/// Plans a chain; `None` when it does not fit. With `keep_due`, tasks that are placed and wait for the chain are not
/// made late.
pub(super) fn plan(
    instance: &Instance,
    line: &Timeline,
    placed: &Placed,
    chain: &[usize],
    aim: &Aim<'_>,
    keep_due: bool,
) -> Option<ChainPlan> {
    let mut arrivals = Arrivals::new(instance);
    let mut stages: Vec<Vec<Label>> = Vec::with_capacity(chain.len());
    let mut limit_hit = false;
    let places: BTreeMap<u32, usize> =
        chain.iter().enumerate().filter_map(|(at, task)| Some((u32::try_from(*task).ok()?, at))).collect();
    let mut rest: i64 = chain.iter().map(|task| least_weight(instance, *task, aim)).sum();
    for (index, task) in chain.iter().enumerate() {
        rest -= least_weight(instance, *task, aim);
        let frame = frame(instance, placed, &mut arrivals, *task, keep_due);
        let sources = match index.checked_sub(1) {
            None => Sources::start(instance),
            Some(before) => Sources::new(instance, &stages[before], link(instance, chain[before], *task)),
        };
        let step = Step {
            instance,
            line,
            aim,
            task: *task,
            frame: &frame,
            room: aim.allowance.saturating_sub(rest),
            stages: &stages,
            skips: skips(instance, &places, *task, index),
        };
        let labels = step.labels(&sources, &mut limit_hit);
        if labels.is_empty() {
            return None;
        }
        stages.push(labels);
    }
    let last = stages.last()?;
    let best = (0..last.len()).min_by_key(|index| {
        let Label { end, weight, lane, .. } = last[*index];
        let (first, second) = if aim.goal == Goal::Finish { (end, weight) } else { (weight, end) };
        (first, second, lane)
    })?;
    Some(ChainPlan { spots: trace(&stages, best), limit_hit })
}

/// The spots that lead to a label of the last stage.
fn trace(stages: &[Vec<Label>], mut index: usize) -> Vec<Spot> {
    let mut spots = Vec::with_capacity(stages.len());
    for labels in stages.iter().rev() {
        let Label { lane, start, end, from, .. } = labels[index];
        spots.push(Spot { lane: lane as usize, start, end });
        index = from as usize;
    }
    spots.reverse();
    spots
}

/// The edge between two tasks that follow each other in a chain.
fn link(instance: &Instance, from: usize, to: usize) -> Flow {
    let found = instance.after.of(from).iter().find(|flow| flow.task as usize == to).copied();
    found.unwrap_or(Flow { task: 0, near: 0, far: 0, mean: 0 })
}

fn frame(
    instance: &Instance,
    placed: &Placed,
    arrivals: &mut Arrivals,
    task: usize,
    keep_due: bool,
) -> Frame {
    arrivals.compute(instance, placed, task);
    let release = arrivals.ready.clone();
    if !keep_due {
        return Frame { release, due: vec![instance.latest; instance.lanes] };
    }
    arrivals.compute_due(instance, placed, task);
    Frame { release, due: arrivals.ready.iter().map(|negative| -negative).collect() }
}

/// What a task weighs on a lane: money, or what it adds to the load.
fn weight(instance: &Instance, task: usize, lane: usize, aim: &Aim<'_>) -> i64 {
    match aim.goal {
        Goal::Finish | Goal::Cost => instance.cost(task, lane),
        Goal::Balance => aim.load[lane].saturating_add(instance.runtime(task, lane)),
    }
}

/// What a task weighs at least; only money is limited.
fn least_weight(instance: &Instance, task: usize, aim: &Aim<'_>) -> i64 {
    if aim.goal == Goal::Balance { 0 } else { instance.costs.cheapest[task] }
}

/// Where the data of the task before can come from.
struct Sources {
    /// By node: (time, weight, label) of what is there.
    own: Vec<Vec<(i64, i64, u32)>>,
    /// By site: what reaches the site from its own nodes, and from others.
    near: Vec<Vec<(i64, i64, u32)>>,
    far: Vec<Vec<(i64, i64, u32)>>,
}

impl Sources {
    /// The first task of a chain waits for nothing.
    fn start(instance: &Instance) -> Sources {
        let begin = vec![(instance.earliest, 0, 0)];
        let none = vec![Vec::new(); instance.costs.sites];
        Sources { own: vec![begin; instance.costs.nodes], near: none.clone(), far: none }
    }

    fn new(instance: &Instance, labels: &[Label], flow: Flow) -> Sources {
        let costs = &instance.costs;
        let mut own = vec![Vec::new(); costs.nodes];
        let mut made = vec![Vec::new(); costs.sites];
        for (index, label) in (0_u32..).zip(labels) {
            let lane = label.lane as usize;
            own[costs.node[lane] as usize].push((label.end, label.weight, index));
            made[costs.site[lane] as usize].push((label.end, label.weight, index));
        }
        own.iter_mut().chain(&mut made).for_each(undominated);
        let moved = |list: &[(i64, i64, u32)], by: i64| -> Vec<(i64, i64, u32)> {
            list.iter().map(|(end, weight, index)| (end + by, *weight, *index)).collect()
        };
        let near = made.iter().map(|list| moved(list, flow.near)).collect();
        let far = (0..costs.sites).map(|site| {
            let others = made.iter().enumerate().filter(|(other, _)| *other != site);
            let mut list: Vec<_> = others.flat_map(|(_, list)| moved(list, flow.far)).collect();
            undominated(&mut list);
            list
        });
        Sources { own, near, far: far.collect() }
    }
}

/// Leaves what no other beats in both time and weight, in order of time.
fn undominated(list: &mut Vec<(i64, i64, u32)>) {
    list.sort_unstable();
    let mut least = i64::MAX;
    list.retain(|(_, weight, _)| {
        let better = *weight < least;
        least = least.min(*weight);
        better
    });
}

/// One task of the chain.
struct Step<'a> {
    instance: &'a Instance,
    line: &'a Timeline,
    aim: &'a Aim<'a>,
    task: usize,
    frame: &'a Frame,
    /// What the chain may weigh up to this task.
    room: i64,
    /// The labels of the tasks before.
    stages: &'a [Vec<Label>],
    /// Edges from tasks of the chain before the last one, with their places in it, latest first.
    skips: Vec<(usize, Flow)>,
}

/// The edges that pass by tasks of the chain.
fn skips(
    instance: &Instance,
    places: &BTreeMap<u32, usize>,
    task: usize,
    index: usize,
) -> Vec<(usize, Flow)> {
    let inside = instance.before.of(task).iter().filter_map(|flow| Some((*places.get(&flow.task)?, *flow)));
    let mut skips: Vec<(usize, Flow)> = inside.filter(|(place, _)| place + 1 < index).collect();
    skips.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    skips
}

impl Step<'_> {
    fn labels(&self, sources: &Sources, limit_hit: &mut bool) -> Vec<Label> {
        let costs = &self.instance.costs;
        let mut all = Vec::new();
        let mut on_lane = Vec::new();
        for (lane, length) in self.instance.runtimes(self.task).iter().enumerate() {
            if *length == NEVER {
                continue;
            }
            let (node, site) = (costs.node[lane] as usize, costs.site[lane] as usize);
            on_lane.clear();
            for list in [&sources.own[node], &sources.near[site], &sources.far[site]] {
                on_lane.extend(list.iter().filter_map(|source| self.extend(*source, lane, *length)));
            }
            self.prune(&mut on_lane, limit_hit);
            all.append(&mut on_lane);
        }
        all
    }

    fn extend(
        &self,
        (ready, weight_before, from): (i64, i64, u32),
        lane: usize,
        length: i64,
    ) -> Option<Label> {
        let weight = weight_before.saturating_add(weight(self.instance, self.task, lane, self.aim));
        if self.aim.goal != Goal::Balance && weight > self.room {
            return None;
        }
        let ready = self.after_skips(ready.max(self.frame.release[lane]), from, lane);
        let start = self.line.earliest(lane, ready, length)?;
        let lane_number = u32::try_from(lane).ok()?;
        let end = start + length;
        (end <= self.frame.due[lane]).then_some(Label { end, weight, start, lane: lane_number, from })
    }

    /// When the data of edges that pass by tasks of the chain has arrived too.
    fn after_skips(&self, mut ready: i64, from: u32, lane: usize) -> i64 {
        // `label` is one of stage `stage`; going back one stage follows its `from`.
        let (mut stage, mut label) = (self.stages.len().saturating_sub(1), from as usize);
        for (place, flow) in &self.skips {
            while stage > *place {
                label = self.stages[stage][label].from as usize;
                stage -= 1;
            }
            let giver = &self.stages[stage][label];
            ready = ready.max(giver.end + self.instance.transfer(flow, giver.lane as usize, lane));
        }
        ready
    }

    /// Keeps what is not dominated, and no more than the limit: evenly spread, both ends included.
    fn prune(&self, labels: &mut Vec<Label>, limit_hit: &mut bool) {
        labels.sort_unstable_by_key(|label| (label.end, label.weight, label.from));
        if self.aim.goal == Goal::Finish && self.aim.allowance == i64::MAX {
            labels.truncate(1);
            return;
        }
        let mut least = i64::MAX;
        labels.retain(|label| {
            let better = label.weight < least;
            least = least.min(label.weight);
            better
        });
        let (count, most) = (labels.len(), self.aim.labels_max.max(2));
        if count > most {
            *limit_hit = true;
            let kept: Vec<Label> = (0..most).map(|index| labels[index * (count - 1) / (most - 1)]).collect();
            *labels = kept;
        }
    }
}
