//! How long a window a workflow needs, by list scheduling on as many nodes of one performance.

use super::{Baseline, baseline, gangs};
use walras_model::attribute::Attributes;
use walras_model::id::{NodeId, SiteId, TaskId};
use walras_model::interval::Interval;
use walras_model::offer::Offers;
use walras_model::quantity::{Performance, Rate, Span, TIME_LIMIT, Time, Work};
use walras_model::request::Request;
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
            part: 0,
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

/// How long nodes of different speed are held for tasks that take turns on them, in work of the fastest: for as long as the tasks take on the
/// slowest, and where nodes are of several sites also with the time that data takes between these, along the way on which it takes
/// longest, and all of it one after the other.
pub(super) fn held_long(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    request: &Request,
    in_turn: Work,
) -> Vec<Work> {
    let fastest = offers.nodes().iter().map(|node| node.performance).max();
    let Some((fastest, span)) = fastest.zip(in_turn.runtime_on(request.performance_min)) else {
        return Vec::new();
    };
    let mut moves = vec![0];
    if !request.scope.same_site && offers.sites().len() > 1 {
        let (longest, all) = on_the_way(workflow, network);
        moves.extend([longest, all]);
    }
    moves.dedup();
    let held = |millis: i64| {
        let millis = span.as_millis().checked_add(millis)?;
        Work::from_millis(i64::try_from(fastest.work_in_millis(millis)).ok()?)
    };
    moves.into_iter().filter_map(held).filter(|work| *work > in_turn).collect()
}

/// How many milliseconds data takes from site to site: along the way on which it takes longest, and all of it.
fn on_the_way(workflow: &Workflow, network: Network) -> (i64, i64) {
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
