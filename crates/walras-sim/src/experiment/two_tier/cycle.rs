//! One cycle: the flow in both modes, and the experiments of every point of the figures.

use super::draw::{Nodes, between, critical_path, job};
use super::flow::{self, Flow, share};
use super::{Config, FACTORS, MULTIPLES, TIERS};
use crate::experiment::CycleError;
use walras_core::refine::{CriticalPlan, Strategy, critical_jobs};
use walras_model::workflow::Terms;
use walras_model::{Platform, Workflow};
use walras_random::{Purpose, Stream};
use walras_verify::tasks::{ClaimedTask, TaskClaim, verify_tasks};

/// Labels kept by the planning of chains; the goal is an early end, for which one is enough.
const LABELS_MAX: usize = 16;

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
    for (own, k) in record.flows.iter_mut().zip([1.0, config.k]) {
        *own = flow::run(config, seed, number, k)?;
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
    let platform = nodes.platform(&config.figures, interval, &[], stream);
    place(job, &platform, interval, Strategy::Asap)
}

fn interval_length(job: &Workflow, nodes: &Nodes, h: f64) -> i64 {
    share(critical_path(job, nodes.fastest()), h)
}

/// The critical jobs method alone; every schedule is verified.
pub(super) fn place(
    job: &Workflow,
    platform: &Platform,
    interval: walras_model::Interval,
    strategy: Strategy,
) -> Result<CriticalPlan, CycleError> {
    let terms = Terms { earliest: Some(interval.start()), deadline: Some(interval.end()), budget: None };
    let plan = critical_jobs(job, platform, &terms, strategy, LABELS_MAX)
        .map_err(|reason| CycleError::law(format!("a job cannot be planned: {reason:?}")))?;
    if let Some(schedule) = &plan.schedule {
        let tasks = schedule.placements().iter().map(|placement| ClaimedTask {
            task: job.task(placement.task).name.clone(),
            site: "domain".to_owned(),
            node: platform.lanes[placement.node.index()].name.clone(),
            part: placement.part,
            others: Vec::new(),
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

impl Point {
    fn add(&mut self, plan: &CriticalPlan) {
        self.experiments += 1;
        self.placed += u32::from(plan.schedule.is_some());
        self.collisions += plan.collisions.total();
    }
}
