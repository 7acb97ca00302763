//! A workflow on a platform as plain numbers: milliseconds and micro-credits in flat arrays.
//!
//! Everything that the schedulers read again and again is looked up here by position. Times are bounded so that no
//! sum in a schedule can overflow: all tasks one after the other on their slowest nodes, with every transfer, end
//! within [`TIME_LIMIT`].

use super::NoSchedule;
use std::sync::Arc;
use walras_model::id::TaskId;
use walras_model::quantity::{Rate, TIME_LIMIT, rounding};
use walras_model::workflow::Terms;
use walras_model::workflow::{Lane, Platform, Task, Workflow};

/// The run time on a lane that may not run the task.
pub(super) const NEVER: i64 = i64::MAX;

/// Tasks × lanes of at most this many cells are planned.
pub const CELLS_MAX: usize = 100_000_000;

/// An edge seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// The task at the other end.
    pub(super) task: u32,
    /// Transfer time between nodes of one site.
    pub(super) near: i64,
    /// Transfer time between sites.
    pub(super) far: i64,
    /// Mean transfer time over pairs of different nodes.
    pub(super) mean: i64,
}

/// Edges by task: those of task t are `flows[from[t]..from[t + 1]]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    from: Vec<usize>,
    flows: Vec<Flow>,
}

impl Adjacency {
    pub(super) fn new(tasks: usize, edges: &[(u32, Flow)]) -> Adjacency {
        let mut from = vec![0; tasks + 1];
        for (task, _) in edges {
            from[*task as usize + 1] += 1;
        }
        for task in 0..tasks {
            from[task + 1] += from[task];
        }
        let mut sorted = edges.to_vec();
        sorted.sort_by_key(|(task, flow)| (*task, flow.task));
        Adjacency { from, flows: sorted.into_iter().map(|(_, flow)| flow).collect() }
    }

    pub(super) fn of(&self, task: usize) -> &[Flow] {
        &self.flows[self.from[task]..self.from[task + 1]]
    }
}

/// The numbers that do not depend on the direction of time.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// By task, then lane; [`NEVER`] where it may not run.
    pub(super) runtime: Vec<i64>,
    pub(super) rate: Vec<Rate>,
    /// By lane: which node it belongs to, counted without gaps.
    pub(super) node: Vec<u32>,
    /// By lane: which site it belongs to, counted without gaps.
    pub(super) site: Vec<u32>,
    pub(super) nodes: usize,
    pub(super) sites: usize,
    /// Whether tasks run side by side on parts of some node.
    pub(super) side_by_side: bool,
    /// By lane, in millionths.
    pub(super) performance: Vec<i64>,
    /// By task: mean run time over the lanes that may run it.
    pub(super) mean: Vec<i64>,
    /// By task: least run time and least cost.
    pub(super) fastest: Vec<i64>,
    pub(super) cheapest: Vec<i64>,
}

/// A workflow on a platform, ready to be planned.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(super) tasks: usize,
    pub(super) lanes: usize,
    pub(super) costs: Arc<Costs>,
    pub(super) before: Arc<Adjacency>,
    pub(super) after: Arc<Adjacency>,
    /// All tasks, each after those that it waits for.
    pub(super) order: Arc<Vec<u32>>,
    /// By lane: when it is free.
    pub(super) free: Vec<Vec<(i64, i64)>>,
    /// No task starts before.
    pub(super) earliest: i64,
    /// No task ends after.
    pub(super) latest: i64,
    /// What all tasks may cost.
    pub(super) budget: i64,
    /// Whether time runs backwards.
    pub(super) mirrored: bool,
}

impl Instance {
    /// The instance, or why no schedule can exist.
    pub fn new(workflow: &Workflow, platform: &Platform, terms: &Terms) -> Result<Instance, NoSchedule> {
        let (tasks, lanes) = (workflow.tasks().len(), platform.lanes.len());
        if lanes == 0 || tasks.checked_mul(lanes).is_none_or(|cells| cells > CELLS_MAX) {
            return Err(NoSchedule::Size { tasks, lanes });
        }
        let costs = costs(workflow, platform)?;
        let (before, after) = adjacency(workflow, platform, &costs)?;
        check_length(&costs, &after, tasks, lanes)?;
        let millis = |time: walras_model::quantity::Time| time.as_millis();
        Ok(Instance {
            tasks,
            lanes,
            costs: Arc::new(costs),
            before: Arc::new(before),
            after: Arc::new(after),
            order: Arc::new(workflow.order().iter().map(|task| task.number()).collect()),
            free: platform.lanes.iter().map(|lane| free_within(lane, terms)).collect(),
            earliest: terms.earliest.map_or_else(|| platform.span().map_or(0, |span| millis(span.0)), millis),
            latest: terms.deadline.map_or_else(|| platform.span().map_or(0, |span| millis(span.1)), millis),
            budget: terms.budget.map_or(i64::MAX, |budget| budget.as_micros()),
            mirrored: false,
        })
    }

    /// The same with time running backwards from the latest end: what is as soon as possible here is as late as
    /// possible there.
    pub(super) fn mirror(&self) -> Instance {
        let flip = |free: &Vec<(i64, i64)>| free.iter().rev().map(|(start, end)| (-end, -start)).collect();
        Instance {
            before: Arc::clone(&self.after),
            after: Arc::clone(&self.before),
            order: Arc::new(self.order.iter().rev().copied().collect()),
            free: self.free.iter().map(flip).collect(),
            earliest: -self.latest,
            latest: -self.earliest,
            mirrored: !self.mirrored,
            ..self.clone()
        }
    }

    pub(super) fn runtime(&self, task: usize, lane: usize) -> i64 {
        self.costs.runtime[task * self.lanes + lane]
    }

    pub(super) fn runtimes(&self, task: usize) -> &[i64] {
        &self.costs.runtime[task * self.lanes..][..self.lanes]
    }

    /// What the task costs on a lane that may run it, in micro-credits.
    pub(super) fn cost(&self, task: usize, lane: usize) -> i64 {
        cost(self.costs.rate[lane], self.runtime(task, lane))
    }

    /// By lane: the last one before it on the same site with the same free time, price and run times, when each is all there is of its
    /// node.
    pub(super) fn alike(&self) -> Vec<Option<usize>> {
        let costs = &self.costs;
        let is_whole = |lane: usize| costs.node.iter().filter(|node| **node == costs.node[lane]).count() == 1;
        let is_like = |lane: usize, other: usize| {
            costs.site[lane] == costs.site[other]
                && costs.rate[lane] == costs.rate[other]
                && self.free[lane] == self.free[other]
                && (0..self.tasks).all(|task| self.runtime(task, lane) == self.runtime(task, other))
        };
        let before = |lane: usize| (0..lane).rev().find(|other| is_like(lane, *other) && is_whole(*other));
        (0..self.lanes).map(|lane| before(lane).filter(|_| is_whole(lane))).collect()
    }

    /// How long the data of an edge takes between two lanes.
    pub(super) fn transfer(&self, flow: &Flow, from: usize, to: usize) -> i64 {
        let costs = &self.costs;
        if costs.node[from] == costs.node[to] {
            0
        } else if costs.site[from] == costs.site[to] {
            flow.near
        } else {
            flow.far
        }
    }
}

/// What so many milliseconds cost; that it fits is checked when the instance is made.
pub(super) fn cost(rate: Rate, millis: i64) -> i64 {
    rate.cost_of_millis(i128::from(millis)).and_then(|micros| i64::try_from(micros).ok()).unwrap_or(i64::MAX)
}

/// The free time of a lane within the terms. Where the terms leave a moment of it, that stays: a task that takes no time has room there.
fn free_within(lane: &Lane, terms: &Terms) -> Vec<(i64, i64)> {
    let low = terms.earliest.map_or(i64::MIN, |time| time.as_millis());
    let high = terms.deadline.map_or(i64::MAX, |time| time.as_millis());
    let cut =
        lane.free.iter().map(|free| (free.start().as_millis().max(low), free.end().as_millis().min(high)));
    cut.filter(|(start, end)| start <= end).collect()
}

fn costs(workflow: &Workflow, platform: &Platform) -> Result<Costs, NoSchedule> {
    let lanes = &platform.lanes;
    let numbered = |key: &dyn Fn(&Lane) -> u32| {
        let mut known: Vec<u32> = lanes.iter().map(key).collect();
        known.sort_unstable();
        known.dedup();
        let of = |lane: &Lane| u32::try_from(known.partition_point(|other| *other < key(lane))).unwrap_or(0);
        (lanes.iter().map(of).collect::<Vec<u32>>(), known.len())
    };
    let (node, nodes) = numbered(&|lane| lane.node.number());
    let (site, sites) = numbered(&|lane| lane.site.number());
    let mut costs = Costs {
        runtime: Vec::with_capacity(workflow.tasks().len() * lanes.len()),
        rate: lanes.iter().map(|lane| lane.rate).collect(),
        node,
        site,
        nodes,
        sites,
        side_by_side: lanes.iter().any(|lane| lane.part > 0),
        performance: lanes.iter().map(|lane| lane.performance.as_millionths()).collect(),
        mean: Vec::new(),
        fastest: Vec::new(),
        cheapest: Vec::new(),
    };
    for (number, task) in (0..).zip(workflow.tasks()) {
        let row = row(task, lanes);
        summarise(&row, &mut costs).ok_or(NoSchedule::NoNode { task: TaskId::new(number) })?;
        costs.runtime.extend(row);
    }
    Ok(costs)
}

/// The run times of a task on all lanes.
fn row(task: &Task, lanes: &[Lane]) -> Vec<i64> {
    // Lanes of one speed mostly stand together, and what is estimated for none of them takes the same on all: one division for many cells.
    let mut last = None;
    let cell = |lane: &Lane| match last {
        _ if !may_run(task, lane) => NEVER,
        Some((speed, millis)) if speed == lane.performance && task.estimates.is_empty() => millis,
        Some(_) | None => {
            let millis = runtime(task, lane);
            last = Some((lane.performance, millis));
            millis
        }
    };
    lanes.iter().map(cell).collect()
}

/// Whether the lane's node is what the task asks for.
fn may_run(task: &Task, lane: &Lane) -> bool {
    task.may_run_on(&lane.attributes)
}

fn runtime(task: &Task, lane: &Lane) -> i64 {
    if !task.estimates.is_empty() {
        let full = format!("{}/{}", lane.site_name, lane.name);
        if let Some(span) = task.estimates.get(&full).or_else(|| task.estimates.get(&lane.name)) {
            return span.as_millis();
        }
    }
    match task.work {
        None => 0,
        Some(work) => work.runtime_on(lane.performance).map_or(NEVER, |span| span.as_millis()),
    }
}

/// Adds the mean, the least run time and the least cost of a row; `None` when no lane may run it.
fn summarise(row: &[i64], costs: &mut Costs) -> Option<()> {
    let fit = || row.iter().zip(&costs.rate).filter(|(millis, _)| **millis != NEVER);
    let fastest = fit().map(|(millis, _)| *millis).min()?;
    let mut last = None;
    let cost_of = |(millis, rate): (&i64, &Rate)| match last {
        Some((alike, cost)) if alike == (*millis, *rate) => cost,
        Some(_) | None => {
            let cost = cost(*rate, *millis);
            last = Some(((*millis, *rate), cost));
            cost
        }
    };
    let cheapest = fit().map(cost_of).min()?;
    let sum: i128 = fit().map(|(millis, _)| i128::from(*millis)).sum();
    let count = i128::try_from(fit().count()).ok()?;
    let mean = i64::try_from(sum / count).ok()?;
    costs.fastest.push(fastest);
    costs.cheapest.push(cheapest);
    costs.mean.push(mean);
    Some(())
}

fn adjacency(
    workflow: &Workflow,
    platform: &Platform,
    costs: &Costs,
) -> Result<(Adjacency, Adjacency), NoSchedule> {
    let (near_pairs, pairs) = pairs(costs);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for edge in workflow.edges() {
        let time = |link: &walras_model::workflow::Link| {
            link.time_for(edge.data).map(|span| span.as_millis()).ok_or(NoSchedule::TooLong)
        };
        let near = time(&platform.network.within_site)?;
        let far = time(&platform.network.between_sites)?;
        let weighted = i128::from(near) * near_pairs + i128::from(far) * (pairs - near_pairs);
        let mean =
            if pairs == 0 { 0 } else { i64::try_from(weighted / pairs).map_err(|_| NoSchedule::TooLong)? };
        after.push((edge.from.number(), Flow { task: edge.to.number(), near, far, mean }));
        before.push((edge.to.number(), Flow { task: edge.from.number(), near, far, mean }));
    }
    let tasks = workflow.tasks().len();
    Ok((Adjacency::new(tasks, &before), Adjacency::new(tasks, &after)))
}

/// How many ordered pairs of different nodes there are within sites, and in all.
pub(super) fn pairs(costs: &Costs) -> (i128, i128) {
    let mut nodes: Vec<(u32, u32)> = costs.site.iter().copied().zip(costs.node.iter().copied()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut counts = vec![0_i128; costs.sites];
    for (site, _) in &nodes {
        counts[*site as usize] += 1;
    }
    let all: i128 = counts.iter().sum();
    (counts.iter().map(|count| count * (count - 1)).sum(), all * (all - 1))
}

/// Everything one after the other on the slowest nodes must stay within the range of time.
fn check_length(costs: &Costs, after: &Adjacency, tasks: usize, lanes: usize) -> Result<(), NoSchedule> {
    let slowest = |task: usize| {
        let row = &costs.runtime[task * lanes..][..lanes];
        row.iter().filter(|millis| **millis != NEVER).max().copied().unwrap_or(0)
    };
    let running: i128 = (0..tasks).map(|task| i128::from(slowest(task))).sum();
    let moving: i128 = after.flows.iter().map(|flow| i128::from(flow.near.max(flow.far))).sum();
    let dearest: i128 =
        costs.rate.iter().map(|rate| i128::from(rate.as_micros_per_second())).max().unwrap_or(0);
    let money = rounding::down(running.saturating_mul(dearest), 1_000) + i128::try_from(tasks).unwrap_or(0);
    if running + moving > i128::from(TIME_LIMIT) || money > i128::from(i64::MAX) {
        return Err(NoSchedule::TooLong);
    }
    Ok(())
}
