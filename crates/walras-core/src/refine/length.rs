//! How long a window a workflow needs, by list scheduling on as many nodes of one performance.

use super::{Baseline, baseline, gangs};
use walras_model::attribute::Attributes;
use walras_model::id::{NodeId, SiteId, TaskId};
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

/// Work with the time that data takes between sites, on the fastest node: along the way on which it takes longest, and all of it one after
/// the other. Nothing where there is one site, or data takes no time.
pub(super) fn moved(workflow: &Workflow, offers: &Offers, network: Network, work: Work) -> Vec<Work> {
    let fastest = offers.nodes().iter().map(|node| node.performance).max();
    let Some(fastest) = fastest.filter(|_| offers.sites().len() > 1) else { return Vec::new() };
    let with = |millis: i64| {
        let added = i64::try_from(fastest.work_in_millis(millis)).ok()?;
        Work::from_millis(work.as_millis().checked_add(added)?)
    };
    let (longest, all) = moves(workflow, network);
    let mut both: Vec<i64> = [longest, all].into_iter().filter(|millis| *millis > 0).collect();
    both.dedup();
    both.into_iter().filter_map(with).collect()
}

/// How many milliseconds data takes from site to site: along the way on which it takes longest, and all of it.
fn moves(workflow: &Workflow, network: Network) -> (i64, i64) {
    let mut after: Vec<Vec<(TaskId, i64)>> = vec![Vec::new(); workflow.tasks().len()];
    let mut all = 0_i64;
    for edge in workflow.edges() {
        let takes = network.between_sites.time_for(edge.data).map_or(i64::MAX, Span::as_millis);
        all = all.saturating_add(takes);
        after[edge.from.index()].push((edge.to, takes));
    }
    let mut by: Vec<i64> = vec![0; workflow.tasks().len()];
    for task in workflow.order() {
        for (to, takes) in &after[task.index()] {
            by[to.index()] = by[to.index()].max(by[task.index()].saturating_add(*takes));
        }
    }
    (by.into_iter().max().unwrap_or(0), all)
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
