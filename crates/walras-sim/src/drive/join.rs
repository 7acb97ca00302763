//! Jobs and sites of a simulation as the broker knows them.

use super::setup::Setup;
use crate::record::{Fate, Site, wholes};
use crate::workload::Job;
use std::collections::BTreeMap;
use walras_broker::job::{JobSpec, WorkflowSpec};
use walras_broker::price::PriceRules;
use walras_broker::site::{NodeSpec, SiteKind, SiteSpec, Timing};
use walras_core::refine::Strategy;
use walras_model::quantity::{MILLION, rounding};
use walras_model::{Attributes, Multiplier, Performance, Request, Span, Work};

/// A job as its user submits it, by how many there were before.
pub(super) fn job_spec(job: &Job, user: &str, number: u64, setup: &Setup) -> JobSpec {
    let work = Work::from_millis(job.estimate.as_millis()).unwrap_or(UNIT);
    let mut request = Request::new(&format!("job-{number}"), job.nodes, work);
    // Every node will do, whatever its speed.
    request.performance_min = Performance::from_millionths(1).unwrap_or(Performance::ONE);
    request.budget = job.budget;
    request.deadline = job.deadline;
    request.scope.same_site = !setup.across_sites;
    request.requires = setup.shares.needs.get(&job.number).cloned().unwrap_or_default();
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
    let all = |kinds: &[Site]| kinds.iter().map(|kind| u64::from(kind.nodes)).sum::<u64>();
    let nodes = || wholes(&setup.sites).map(all);
    let most = if setup.across_sites { nodes().sum() } else { nodes().max().unwrap_or(0) };
    // Tasks share nodes that are sold in units.
    if u64::from(job.nodes) > most && setup.shares.divisions.is_empty() {
        return Some(Fate::TooWide);
    }
    if setup.workflows.get(job.number).is_some() || !setup.prices.is_empty() {
        // What its tasks cost, and when, is for the broker to find out.
        return None;
    }
    let wide = wholes(&setup.sites).filter(|kinds| setup.across_sites || u64::from(job.nodes) <= all(kinds));
    let mut costs = wide.flatten().filter_map(|kind| kind.cost(job.nodes, kind.takes(job.estimate)?));
    let dear = job.budget.is_some_and(|budget| costs.all(|cost| cost > budget));
    dear.then_some(Fate::TooDear)
}

/// What a job can cost at the very most, in micro-credits: four times what all its nodes do for its estimate at the dearest site, since
/// workflows may take more, and tasks twice.
pub(super) fn most_cost(setup: &Setup, job: &Job) -> i128 {
    let most = |factors: &mut dyn Iterator<Item = Multiplier>| {
        factors.map(Multiplier::as_millionths).max().unwrap_or(MILLION).max(MILLION)
    };
    let rules = || setup.prices.values();
    let factors = [
        most(&mut setup.demand.iter().copied().chain(rules().filter_map(|it| it.demand)).map(|it| it.max)),
        most(&mut rules().flat_map(|it| &it.hours).copied()),
        most(&mut rules().flat_map(|it| &it.weekdays).copied()),
    ];
    let factor = factors.into_iter().map(i128::from).fold(1, i128::saturating_mul);
    let costs = setup.sites.iter().filter_map(|site| site.cost(job.nodes, site.takes(job.estimate)?));
    let dearest = costs.map(|cost| i128::from(cost.as_micros())).max().unwrap_or(0);
    4 * rounding::up(dearest.saturating_mul(factor), i128::from(MILLION).pow(3))
}

/// A whole site as the broker knows it, by the kinds of its nodes; whether it answers at once.
pub(super) fn site_spec(kinds: &[Site], setup: &Setup) -> Option<SiteSpec> {
    let name = kinds.first()?.whole();
    let several = kinds.len() > 1;
    let all = kinds.iter().flat_map(|kind| (0..kind.nodes).map(move |_| kind));
    let node = |(number, kind): (u32, &Site)| {
        let division = setup.shares.divisions.get(&kind.name).cloned().unwrap_or_default();
        let mut attributes = Attributes::new();
        // It contradicts nothing, since nothing else is stated.
        let _ = division.state_in(&mut attributes);
        NodeSpec {
            division,
            name: format!("n{number}"),
            class: several.then(|| kind.name.clone()),
            performance: kind.speed,
            watts: kind.watts,
            attributes,
        }
    };
    let rules = setup.prices.get(name).cloned();
    let mut prices = rules.unwrap_or_else(|| PriceRules::flat(kinds[0].price));
    prices.base = kinds[0].price;
    prices.classes = kinds.iter().filter(|_| several).map(|kind| (kind.name.clone(), kind.price)).collect();
    (prices.nodes, prices.users) = (BTreeMap::new(), BTreeMap::new());
    prices.demand = setup.demand.or(prices.demand);
    Some(SiteSpec {
        name: name.to_owned(),
        owner: name.to_owned(),
        kind: SiteKind::Slots,
        nodes: (0..).zip(all).map(node).collect(),
        prices,
        access: Default::default(),
        timing: Timing { at_once: setup.latency == Span::ZERO, ..Timing::NOTHING },
    })
}
