//! Jobs and sites of a simulation as the broker knows them.

use super::setup::Setup;
use crate::record::{Fate, Site};
use crate::workload::Job;
use walras_broker::job::{JobSpec, WorkflowSpec};
use walras_broker::price::{Demand, PriceRules};
use walras_broker::site::{NodeSpec, SiteKind, SiteSpec, Timing};
use walras_core::refine::Strategy;
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Attributes, Performance, Request, Work};

/// A job as its user submits it, by how many there were before.
pub(super) fn job_spec(job: &Job, user: &str, number: u64, setup: &Setup) -> JobSpec {
    let work = Work::from_millis(job.estimate.as_millis()).unwrap_or(UNIT);
    let mut request = Request::new(&format!("job-{number}"), job.nodes, work);
    // Every node will do, whatever its speed.
    request.performance_min = Performance::from_millionths(1).unwrap_or(Performance::ONE);
    request.budget = job.budget;
    request.deadline = job.deadline;
    request.scope.same_site = !setup.across_sites;
    let tasks = setup.workflows.get(job.number).cloned();
    let workflow =
        tasks.map(|workflow| WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
    JobSpec { workflow, ..JobSpec::plain(user.to_owned(), request) }
}

/// A second of work.
const UNIT: Work = match Work::from_millis(1_000) {
    Some(work) => work,
    None => panic!("a second is an amount of work"),
};

/// Why no site can ever serve a job.
pub(super) fn hopeless(setup: &Setup, job: &Job) -> Option<Fate> {
    let nodes = || setup.sites.iter().map(|site| u64::from(site.nodes));
    let most = if setup.across_sites { nodes().sum() } else { nodes().max().unwrap_or(0) };
    if u64::from(job.nodes) > most {
        return Some(Fate::TooWide);
    }
    if setup.workflows.get(job.number).is_some() {
        // What its tasks cost is for the broker to find out.
        return None;
    }
    let wide = setup.sites.iter().filter(|site| setup.across_sites || job.nodes <= site.nodes);
    let mut costs = wide.filter_map(|site| site.cost(job.nodes, site.takes(job.estimate)?));
    let dear = job.budget.is_some_and(|budget| costs.all(|cost| cost > budget));
    dear.then_some(Fate::TooDear)
}

/// What a job can cost at the very most, in micro-credits: four times what all its nodes do for its estimate at the dearest site, since
/// workflows may take more, and tasks twice.
pub(super) fn most_cost(setup: &Setup, job: &Job) -> i128 {
    let factor = setup.demand.map_or(MILLION, |demand| demand.max.as_millionths().max(MILLION));
    let costs = setup.sites.iter().filter_map(|site| site.cost(job.nodes, site.takes(job.estimate)?));
    let dearest = costs.map(|cost| i128::from(cost.as_micros())).max().unwrap_or(0);
    4 * rounding::up(dearest * i128::from(factor), i128::from(MILLION))
}

/// A site as the broker knows it; whether it answers at once.
pub(super) fn site_spec(site: &Site, demand: Option<Demand>, at_once: bool) -> SiteSpec {
    let node = |number: u32| NodeSpec {
        division: Default::default(),
        name: format!("n{number}"),
        class: None,
        performance: site.speed,
        watts: site.watts,
        attributes: Attributes::new(),
    };
    SiteSpec {
        name: site.name.clone(),
        owner: site.name.clone(),
        kind: SiteKind::Slots,
        nodes: (0..site.nodes).map(node).collect(),
        prices: PriceRules { demand, ..PriceRules::flat(site.price) },
        access: Default::default(),
        timing: Timing { at_once, ..Timing::NOTHING },
    }
}
