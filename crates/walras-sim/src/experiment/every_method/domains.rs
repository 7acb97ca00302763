//! Two tiers: the job-flow tier sends every job to a domain, the application tier places its tasks there.

use super::market::{DrawnMarket, Got};
use super::windows::Decision;
use crate::experiment::CycleError;
use walras_core::refine::{Strategy, TaskSchedule, critical_jobs};
use walras_model::interval::complement;
use walras_model::workflow::Terms;
use walras_model::{Attributes, Interval, Lane, Network, NodeId, Platform, SiteId, Task, Workflow};

/// The strategies, and what they are called.
pub(super) const STRATEGIES: [(&str, Strategy); 2] = [
    ("two tiers, as soon as possible", Strategy::Asap),
    ("two tiers, as cheap as possible", Strategy::Cheapest),
];

/// Labels kept by the planning of chains.
const LABELS_MAX: usize = 16;

/// What each strategy decides.
pub(super) fn run(market: &DrawnMarket) -> Result<Vec<Decision>, CycleError> {
    STRATEGIES.iter().map(|(_, strategy)| follow(market, *strategy)).collect()
}

/// Job after job: the domain where the strategy does best by its own goal.
fn follow(market: &DrawnMarket, strategy: Strategy) -> Result<Decision, CycleError> {
    let mut busy: Vec<Vec<Vec<Interval>>> =
        market.domains.iter().map(|domain| vec![Vec::new(); domain.nodes as usize]).collect();
    let mut decision = Vec::new();
    for job in &market.jobs {
        let workflow = workflow(job.tasks, job.work)?;
        let terms =
            Terms { earliest: Some(market.start), deadline: Some(job.deadline), budget: Some(job.budget) };
        let mut best: Option<((i64, i64), usize, Got, TaskSchedule)> = None;
        for (site, busy) in busy.iter().enumerate() {
            let platform = platform(market, site, busy);
            // A job that does not fit a domain goes to another.
            let Ok(plan) = critical_jobs(&workflow, &platform, &terms, strategy, LABELS_MAX) else {
                continue;
            };
            let Some(schedule) = plan.schedule else { continue };
            let finish =
                schedule.placements().iter().map(|placement| placement.end).max().unwrap_or(market.start);
            let got = Got { cost: schedule.cost().as_micros(), finish: finish.as_millis() };
            let key =
                if strategy == Strategy::Cheapest { (got.cost, got.finish) } else { (got.finish, got.cost) };
            if best.as_ref().is_none_or(|(least, ..)| key < *least) {
                best = Some((key, site, got, schedule));
            }
        }
        let Some((_, site, got, schedule)) = best else {
            decision.push(None);
            continue;
        };
        for placement in schedule.placements() {
            busy[site][placement.node.index()].extend(Interval::new(placement.start, placement.end));
        }
        decision.push(Some(got));
    }
    Ok(decision)
}

/// Tasks that do not wait for each other.
fn workflow(tasks: u32, work: walras_model::Work) -> Result<Workflow, CycleError> {
    let tasks = (0..tasks).map(|number| Task::new(&format!("t{number}"), Some(work))).collect();
    Workflow::new("job", tasks, Vec::new())
        .map_err(|error| CycleError::law(format!("tasks are a workflow: {error:?}")))
}

fn platform(market: &DrawnMarket, site: usize, busy: &[Vec<Interval>]) -> Platform {
    let domain = &market.domains[site];
    let lane = |(number, busy): (u32, &Vec<Interval>)| Lane {
        part: 0,
        node: NodeId::new(number),
        name: format!("n{number}"),
        site: SiteId::new(0),
        site_name: "domain".to_owned(),
        performance: domain.speed,
        rate: domain.rate,
        free: complement(market.horizon, busy),
        attributes: Attributes::new(),
    };
    Platform { lanes: (0..).zip(busy).map(lane).collect(), network: Network::INSTANT }
}
