//! One cycle: a part of the flow in both modes, and some experiments for every point of the figures.

use super::draw::{Nodes, between, critical_path, job};
use super::{Config, FACTORS, MULTIPLES, TIERS};
use crate::experiment::CycleError;
use walras_core::refine::{CriticalPlan, Strategy, critical_jobs};
use walras_model::workflow::Terms;
use walras_model::{Platform, Workflow};
use walras_random::Purpose;
use walras_random::Stream;
use walras_verify::tasks::{ClaimedTask, TaskClaim, verify_tasks};

/// Labels kept by the planning of chains; the goal is an early end, for which one is enough.
const LABELS_MAX: usize = 16;

/// Sums over the jobs of a mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flow {
    pub(super) jobs: u32,
    pub(super) placed: u32,
    /// Schedules that reach the lower bound.
    pub(super) optimal: u32,
    pub(super) collisions: u32,
    /// Micro-credits of the jobs placed.
    pub(super) cost: i64,
    /// Time units from one job's start to the next's.
    pub(super) time: i64,
    /// What is left of the last interval, in time units.
    pub(super) rest: i64,
    /// Sums over jobs of busy node time over offered node time.
    pub(super) load_forecast: f64,
    pub(super) load_fact: f64,
}

/// Successes and collisions of so many experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) experiments: u32,
    pub(super) placed: u32,
    pub(super) collisions: u32,
}

/// What is kept of a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// One after the other, and in two tiers.
    pub(super) flows: [Flow; 2],
    pub(super) by_factor: [Point; FACTORS.len()],
    pub(super) by_nodes: [[Point; MULTIPLES.len()]; TIERS.len()],
}

/// Cycle `number` of a seed.
pub(super) fn run(config: &Config, seed: u64, number: u32) -> Result<Record, CycleError> {
    let mut record = Record::default();
    for (flow, k) in record.flows.iter_mut().zip([1.0, config.k]) {
        *flow = run_flow(config, seed, number, k)?;
    }
    let mut nodes_stream = Purpose::Choices.stream(seed, number);
    let mut jobs_stream = Purpose::Choices.stream(seed, number.wrapping_add(1 << 20));
    for _ in 0..config.experiments_per_cycle {
        for (point, tenths) in record.by_factor.iter_mut().zip(FACTORS) {
            let tiers = config.tiers.draw(&mut jobs_stream);
            let job = job(&config.figures, tiers, &mut jobs_stream)?;
            let h = f64::from(tenths) / 10.0;
            point.add(&alone(config, &job, config.nodes_figure_3, h, &mut nodes_stream)?);
        }
        for (points, tiers) in record.by_nodes.iter_mut().zip(TIERS) {
            for (point, multiple) in points.iter_mut().zip(MULTIPLES) {
                let job = job(&config.figures, tiers, &mut jobs_stream)?;
                let h = config.interval_factor_figure_4;
                point.add(&alone(config, &job, multiple * tiers, h, &mut nodes_stream)?);
            }
        }
    }
    Ok(record)
}

/// The same jobs, nodes and owners' tasks for either k.
fn run_flow(config: &Config, seed: u64, number: u32, k: f64) -> Result<Flow, CycleError> {
    let mut jobs = Purpose::Jobs.stream(seed, number);
    let mut owners = Purpose::Slots.stream(seed, number);
    let mut nodes = Nodes::draw(&config.table_3, config.price, config.nodes, &mut owners)?;
    let mut flow = Flow::default();
    let mut start = 0;
    for _ in 0..config.jobs_per_cycle {
        let tiers = config.tiers.draw(&mut jobs);
        let job = job(&config.table_3, tiers, &mut jobs)?;
        let length = interval_length(&job, &nodes, config.interval_factor);
        let shorter = 1.0 - config.shorter * jobs.share();
        let interval =
            between(start, start + length).ok_or_else(|| CycleError::law("an interval is empty"))?;
        nodes.forget(interval.start());
        let platform = nodes.platform(&config.table_3, interval, &mut owners);
        let plan = place(&job, &platform, interval)?;
        flow.add(&plan, length, nodes.count(), shorter);
        for placement in plan.schedule.iter().flat_map(|schedule| schedule.placements()) {
            nodes.take(placement.node, placement.start, placement.end);
        }
        let step = share(length, k);
        flow.time += step;
        flow.rest = length - step;
        start += step;
    }
    Ok(flow)
}

/// One job on nodes of its own.
fn alone(
    config: &Config,
    job: &Workflow,
    count: u32,
    h: f64,
    stream: &mut Stream,
) -> Result<CriticalPlan, CycleError> {
    let mut nodes = Nodes::draw(&config.figures, config.price, count, stream)?;
    let length = interval_length(job, &nodes, h);
    let interval = between(0, length).ok_or_else(|| CycleError::law("an interval is empty"))?;
    let platform = nodes.platform(&config.figures, interval, stream);
    place(job, &platform, interval)
}

fn interval_length(job: &Workflow, nodes: &Nodes, h: f64) -> i64 {
    share(critical_path(job, nodes.fastest()), h)
}

/// The critical jobs method alone; every schedule is verified.
fn place(
    job: &Workflow,
    platform: &Platform,
    interval: walras_model::Interval,
) -> Result<CriticalPlan, CycleError> {
    let terms = Terms { earliest: Some(interval.start()), deadline: Some(interval.end()), budget: None };
    let plan = critical_jobs(job, platform, &terms, Strategy::Asap, LABELS_MAX)
        .map_err(|reason| CycleError::law(format!("a job cannot be planned: {reason:?}")))?;
    if let Some(schedule) = &plan.schedule {
        let tasks = schedule.placements().iter().map(|placement| ClaimedTask {
            task: job.task(placement.task).name.clone(),
            site: "domain".to_owned(),
            node: platform.lanes[placement.node.index()].name.clone(),
            start: placement.start,
            end: placement.end,
            cost: placement.cost,
        });
        let claim = TaskClaim { tasks: tasks.collect(), cost: schedule.cost() };
        if let Some(violation) = verify_tasks(&claim, job, platform, &terms).first() {
            return Err(CycleError::law(format!("a schedule does not verify: {violation}")));
        }
    }
    Ok(plan)
}

impl Flow {
    fn add(&mut self, plan: &CriticalPlan, length: i64, nodes: usize, shorter: f64) {
        self.jobs += 1;
        self.collisions += plan.collisions.total();
        let Some(schedule) = &plan.schedule else { return };
        self.placed += 1;
        self.optimal += u32::from(schedule.makespan() <= plan.lower_bound);
        self.cost += schedule.cost().as_micros();
        let busy: i64 = schedule.placements().iter().map(|placement| placement.end - placement.start).sum();
        let load = busy as f64 / (length as f64 * nodes as f64);
        self.load_forecast += load;
        self.load_fact += load * shorter;
    }
}

impl Point {
    fn add(&mut self, plan: &CriticalPlan) {
        self.experiments += 1;
        self.placed += u32::from(plan.schedule.is_some());
        self.collisions += plan.collisions.total();
    }
}

#[expect(clippy::cast_possible_truncation, reason = "lengths of intervals are far below 2^53")]
fn share(length: i64, share: f64) -> i64 {
    ((length as f64 * share).round() as i64).max(1)
}
