//! A flow of jobs through both tiers, from the sending of the first to the end of the last.
//!
//! The job-flow tier gives every job an interval of h times its longest critical path, and a strategy: as soon as possible, or
//! as late as possible within the interval. The next job is sent after k of the interval of the one before. The application tier
//! places the tasks by the critical jobs method around the owners' tasks and what earlier jobs have reserved. When it finds no
//! place for all, the job goes back to the job-flow tier, which gives it a later interval.
//!
//! Then the tasks run. A task takes more or less than was estimated; it starts at its reserved time, or later when what it waits
//! for or the task before it on its node is late; while an owner's task runs, it is suspended. The application tier
//! plans the next job with what is known then: ended tasks have freed their nodes, running ones keep them as long as estimated.

use super::Config;
use super::cycle::place;
use super::draw::{Nodes, between, critical_path, job};
use crate::experiment::CycleError;
use walras_core::refine::{CriticalPlan, Strategy};
use walras_model::{Interval, NodeId, TaskId, Workflow};
use walras_random::Purpose;

/// Intervals that a job is given, one after the other, before it is dropped.
const INTERVALS_MAX: u32 = 40;

/// Sums over the jobs of a mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flow {
    pub(super) jobs: u32,
    pub(super) placed: u32,
    /// Jobs that the application tier sent back, each time.
    pub(super) returned: u32,
    /// Schedules that reach the lower bound.
    pub(super) optimal: u32,
    pub(super) collisions: u32,
    /// Micro-credits of the jobs placed.
    pub(super) cost: i64,
    /// When the last task ended, in time units from the start.
    pub(super) time: i64,
    /// Sums over jobs of busy node time over offered node time, within the jobs' intervals.
    pub(super) load_forecast: f64,
    pub(super) load_fact: f64,
    /// Node time that tasks ran in all.
    pub(super) busy: i64,
    /// Jobs that ended after their interval.
    pub(super) late: u32,
}

/// A task of a job that has been placed.
#[derive(Clone, Copy, Debug)]
struct Placed {
    task: TaskId,
    node: NodeId,
    /// As reserved.
    start: i64,
    end: i64,
    /// How long it runs in fact.
    takes: i64,
    /// As it comes; not known before the task has been followed.
    began: i64,
    ended: i64,
    followed: bool,
}

/// A job that has been placed.
struct Running {
    job: Workflow,
    interval: Interval,
    tasks: Vec<Placed>,
}

/// The same jobs, nodes, owners' tasks and run times for either k.
pub(super) fn run(config: &Config, seed: u64, number: u32, k: f64) -> Result<Flow, CycleError> {
    let mut jobs = Purpose::Jobs.stream(seed, number);
    let mut facts = Purpose::Workload.stream(seed, number);
    let mut owners = Purpose::Slots.stream(seed, number);
    let mut nodes = Nodes::draw(&config.table_3, config.price, config.nodes, &mut owners)?;
    let mut flow = Flow::default();
    let mut running: Vec<Running> = Vec::new();
    let mut start = 0;
    for _ in 0..config.jobs_per_cycle {
        let tiers = config.tiers.draw(&mut jobs);
        let job = job(&config.table_3, tiers, &mut jobs)?;
        let late = jobs.share() < config.late_share;
        let strategy = if late { Strategy::Alap } else { Strategy::Asap };
        let length = share(critical_path(&job, nodes.fastest()), config.interval_factor);
        flow.jobs += 1;
        let factors: Vec<f64> = job.tasks().iter().map(|_| config.facts.draw(&mut facts)).collect();
        for attempt in 1..=INTERVALS_MAX {
            let interval =
                between(start, start + length).ok_or_else(|| CycleError::law("an interval is empty"))?;
            retire(&mut flow, &mut running, &nodes, start);
            let reserved = reservations(&running, start);
            let platform = nodes.platform(&config.table_3, interval, &reserved, &mut owners);
            let plan = place(&job, &platform, interval, strategy)?;
            flow.collisions += if attempt == 1 { plan.collisions.total() } else { 0 };
            if plan.schedule.is_none() {
                flow.returned += 1;
                start += share(length, config.again_after);
                continue;
            }
            flow.add(&plan, interval, strategy, nodes.count());
            running.push(Running::new(job, interval, &plan, &factors));
            proceed(&mut running, &nodes, start);
            break;
        }
        start += share(length, k);
    }
    retire(&mut flow, &mut running, &nodes, i64::MAX);
    Ok(flow)
}

impl Running {
    fn new(job: Workflow, interval: Interval, plan: &CriticalPlan, factors: &[f64]) -> Running {
        let placements = plan.schedule.iter().flat_map(|schedule| schedule.placements());
        let task = |placement: &walras_core::refine::TaskPlacement| {
            let (start, end) = (placement.start.as_millis(), placement.end.as_millis());
            let takes = share(end - start, factors[placement.task.index()]);
            let (task, node) = (placement.task, placement.node);
            Placed { task, node, start, end, takes, began: start, ended: end, followed: false }
        };
        Running { tasks: placements.map(task).collect(), job, interval }
    }

    /// When a task may start: what it waits for has ended, and its data has come.
    fn ready(&self, placed: &Placed) -> i64 {
        let edges = self.job.edges().iter().filter(|edge| edge.to == placed.task);
        let arrival = |edge: &walras_model::Edge| {
            let from = self.tasks.iter().find(|other| other.task == edge.from)?;
            // A byte takes a time unit.
            let moving = if from.node == placed.node { 0 } else { edge.data.as_bytes() };
            Some(from.ended + moving)
        };
        edges.filter_map(arrival).max().unwrap_or(i64::MIN)
    }

    fn ended(&self) -> i64 {
        self.tasks.iter().map(|placed| placed.ended).max().unwrap_or(0)
    }
}

/// Lets all tasks run, in the order in which they are reserved. What has begun by now goes on as it does: whatever is planned
/// now starts later.
fn proceed(running: &mut [Running], nodes: &Nodes, now: i64) {
    let mut order: Vec<(i64, usize, usize)> = Vec::new();
    for (job, own) in running.iter().enumerate() {
        order.extend(own.tasks.iter().enumerate().map(|(task, placed)| (placed.start, job, task)));
    }
    order.sort_unstable();
    let mut free = vec![i64::MIN; nodes.count()];
    for (_, job, task) in order {
        let placed = running[job].tasks[task];
        let node = placed.node.index();
        if placed.followed && placed.began < now {
            free[node] = free[node].max(placed.ended);
            continue;
        }
        let from = placed.start.max(running[job].ready(&placed)).max(free[node]);
        let (began, ended) = nodes.around_owners(node, from, placed.takes);
        free[node] = ended;
        let placed = &mut running[job].tasks[task];
        (placed.began, placed.ended, placed.followed) = (began, ended, true);
    }
}

/// What is reserved at a moment, by node, as far as is known then.
fn reservations(running: &[Running], now: i64) -> Vec<(NodeId, Interval)> {
    let tasks = running.iter().flat_map(|own| &own.tasks).filter(|placed| placed.ended > now);
    let known = |placed: &Placed| {
        // Who is overdue is given a tenth of the estimate more.
        let more = ((placed.end - placed.start) / 10).max(1);
        let (start, end) = match placed.began < now {
            true => (now, placed.end.max(now + more)),
            false => (placed.start, placed.end),
        };
        Some((placed.node, between(start, end)?))
    };
    tasks.filter_map(known).collect()
}

/// Takes out the jobs that have ended by then.
fn retire(flow: &mut Flow, running: &mut Vec<Running>, nodes: &Nodes, now: i64) {
    running.retain(|own| {
        let ended = own.ended();
        if ended > now {
            return true;
        }
        let (from, until) = (own.interval.start().as_millis(), own.interval.end().as_millis());
        let within =
            |placed: &Placed| (placed.ended.min(until) - placed.began.max(from)).min(placed.takes).max(0);
        let busy: i64 = own.tasks.iter().map(within).sum();
        flow.load_fact += load(busy, own.interval, nodes.count());
        flow.busy += own.tasks.iter().map(|placed| placed.takes).sum::<i64>();
        flow.late += u32::from(ended > until);
        flow.time = flow.time.max(ended);
        false
    });
}

fn load(busy: i64, interval: Interval, nodes: usize) -> f64 {
    busy as f64 / ((interval.end() - interval.start()) as f64 * nodes as f64)
}

impl Flow {
    fn add(&mut self, plan: &CriticalPlan, interval: Interval, strategy: Strategy, nodes: usize) {
        let Some(schedule) = &plan.schedule else { return };
        self.placed += 1;
        self.cost += schedule.cost().as_micros();
        let placements = schedule.placements();
        let busy: i64 = placements.iter().map(|placement| placement.end - placement.start).sum();
        self.load_forecast += load(busy, interval, nodes);
        // As late as possible is as soon as possible seen from the end.
        let first = placements.iter().map(|placement| placement.start).min().unwrap_or(interval.end());
        let last = placements.iter().map(|placement| placement.end).max().unwrap_or(interval.start());
        let taken = if strategy == Strategy::Alap { interval.end() - first } else { last - interval.start() };
        self.optimal += u32::from(taken <= plan.lower_bound.as_millis());
    }
}

#[expect(clippy::cast_possible_truncation, reason = "lengths of intervals are far below 2^53")]
pub(super) fn share(length: i64, share: f64) -> i64 {
    ((length as f64 * share).round() as i64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(facts: f64) -> Config {
        let facts = crate::generate::RealRange(facts, facts);
        Config { jobs_per_cycle: 60, facts, ..Config::default() }
    }

    #[test]
    fn what_runs_as_estimated_comes_as_planned() {
        let flow = run(&config(1.0), 3, 0, 0.75).unwrap();
        assert_eq!((flow.jobs, flow.placed, flow.late), (60, 60, 0));
        assert!((flow.load_forecast - flow.load_fact).abs() < 1e-9, "{flow:?}");
    }

    #[test]
    fn late_tasks_make_late_jobs_and_a_longer_flow() {
        let (exact, slow) = (run(&config(1.0), 3, 0, 1.0).unwrap(), run(&config(1.5), 3, 0, 1.0).unwrap());
        assert!(slow.late > 10 && slow.time > exact.time, "{slow:?}");
        assert!(slow.busy > exact.busy);
        assert_eq!(slow.placed, 60);
    }

    #[test]
    fn sending_sooner_ends_sooner() {
        let (one, two) = (run(&config(1.0), 5, 0, 1.0).unwrap(), run(&config(1.0), 5, 0, 0.75).unwrap());
        assert!(two.time < one.time && two.jobs == one.jobs);
    }
}
