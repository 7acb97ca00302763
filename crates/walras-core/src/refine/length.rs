//! How long a window a workflow needs, by list scheduling on as many nodes of one performance.

use super::{Baseline, baseline, gangs};
use walras_model::attribute::Attributes;
use walras_model::id::{NodeId, SiteId};
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Performance, Rate, Span, TIME_LIMIT, Time, Work};
use walras_model::workflow::{Lane, Network, Platform, Terms, Workflow};

/// The work that a node must offer so that as many of this performance take all tasks, by list scheduling.
pub(super) fn least_work(
    workflow: &Workflow,
    nodes: u32,
    performance: Performance,
    network: Network,
) -> Option<Work> {
    let horizon = Interval::new(Time::from_millis(0)?, Time::from_millis(TIME_LIMIT)?)?;
    let lane = |number: u32| {
        Some(Lane {
            node: NodeId::new(number),
            name: String::new(),
            site: SiteId::new(0),
            site_name: String::new(),
            performance,
            rate: Rate::from_micros_per_second(1)?,
            free: vec![horizon],
            attributes: Attributes::new(),
        })
    };
    let lanes: Option<Vec<Lane>> = (0..nodes).map(lane).collect();
    let platform = Platform { lanes: lanes?, network };
    // Attributes, cores and memory are for the real nodes to satisfy.
    let tasks = workflow.tasks().iter().map(|task| {
        let mut plain = task.clone();
        plain.requires.clear();
        plain
    });
    let plain = Workflow::new(workflow.name(), tasks.collect(), workflow.edges().to_vec()).ok()?;
    let schedule = match plain.widest() {
        1 => baseline(&plain, &platform, &Terms::default(), Baseline::Heft)?,
        _ => gangs::listed(&plain, &platform, &Terms::default())?,
    };
    let span = schedule.makespan().max(Span::from_millis(1)?);
    let work = performance.work_in_millis(span.as_millis());
    Work::from_millis(i64::try_from(work.max(1)).ok()?)
}

/// The work times so many hundredths.
pub(super) fn stretched(work: Work, hundredths: i64) -> Option<Work> {
    Work::from_millis(work.as_millis().checked_mul(hundredths)? / 100)
}

/// What one node after another may lose of the least work where the time of every task is rounded up on the fastest node.
pub(super) fn rounded_up(workflow: &Workflow, offers: &Offers, least: Work) -> Option<Work> {
    let fastest = offers.nodes().iter().map(|node| node.performance).max()?;
    let lost = fastest.work_in_millis(i64::try_from(workflow.tasks().len()).ok()?);
    Work::from_millis(least.as_millis().checked_add(i64::try_from(lost).ok()?)?)
}
