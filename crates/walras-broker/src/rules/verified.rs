//! What the verifiers say of an alternative: windows of parallel jobs, and the tasks of workflows.
//!
//! The verifier is given nothing but the nodes that the alternative uses and what is free there; it shares nothing with the
//! searches.

use super::check::{PricedNodes, name_of};
use super::market::Piece;
use super::violation::{of_task, of_window};
use crate::model::allocation::{Allocation, Hold, Part};
use crate::model::mismatch::Mismatch;
use crate::model::site::NodeSpec;
use crate::model::state::State;
use crate::plan::Remaining;
use std::collections::BTreeMap;
use walras_model::workflow::Terms;
use walras_model::workflow::{Lane, Platform};
use walras_model::{
    Batch, Factor, Interval, Money, Node, NodeId, Offers, Request, Scope, Site, SiteId, Slot, TaskId,
};
use walras_verify::tasks::{ClaimedTask, TaskClaim, verify_tasks};
use walras_verify::{ClaimedAlternative, ClaimedSlot, Rules, verify_window};

/// A parallel window, by the verifier of the core, on nothing but the nodes that it uses.
pub(super) fn window(
    state: &State,
    request: &Request,
    allocation: &Allocation,
    priced: &PricedNodes,
) -> Vec<Mismatch> {
    let mut sites: Vec<SiteId> = allocation.legs.iter().map(|leg| leg.site).collect();
    sites.sort_unstable();
    let Some(horizon) = horizon_of(priced.pieces()) else { return vec![Mismatch::NothingFree] };
    let (mut nodes, mut slots) =
        (Vec::with_capacity(priced.len()), Vec::with_capacity(priced.pieces().len()));
    let mut known: Vec<NodeId> = Vec::with_capacity(priced.len());
    for (id, pieces) in priced.iter() {
        let place = NodeId::from_index(nodes.len()).expect("there are no more nodes than ids");
        let Some(node) = plain_node(state, id, &sites) else { continue };
        nodes.push(node);
        known.push(id);
        let slot = |it: &Piece| Slot::new(place, it.interval, it.rate).map(|slot| slot.with_units(it.units));
        slots.extend(pieces.iter().filter_map(slot));
    }
    // Nobody asks what sites and nodes are called: what is wrong is told by places.
    let site = |_: &SiteId| Site { name: String::new() };
    let Ok(offers) = Offers::new(horizon, sites.iter().map(site).collect(), nodes, slots) else {
        return vec![Mismatch::NotOffered];
    };
    let scope = Scope {
        same_site: request.scope.same_site,
        separate_nodes: request.scope.separate_nodes,
        sites: request.scope.sites.as_ref().map(|wanted| {
            let place = |id: &SiteId| sites.binary_search(id).ok().and_then(SiteId::from_index);
            wanted.iter().filter_map(place).collect()
        }),
        nodes: None,
        asks: Vec::new(),
    };
    let batch = Batch::new(vec![Request { scope, ..request.clone() }]);
    // A node that is not there has a place that nothing has.
    let place = |hold: &Hold| hold.node.and_then(|node| NodeId::from_index(known.binary_search(&node).ok()?));
    let nowhere = NodeId::new(u32::MAX);
    let rules = Rules { budget_factor: Factor::ONE, price_cap: false };
    let holds: Vec<(SiteId, &Hold)> = allocation.holds().collect();
    let on: Vec<NodeId> = holds.iter().map(|(_, hold)| place(hold).unwrap_or(nowhere)).collect();
    verify_window(&claimed(request, allocation), &on, &offers, &batch, rules)
        .into_iter()
        .map(|it| of_window(it, allocation, &holds))
        .collect()
}

/// A parallel job runs one part on every hold, for all of its time.
pub(super) fn one_each(allocation: &Allocation) -> Option<Mismatch> {
    let of_part = |part: &Part| {
        (part.site, part.hold, part.start, part.end, part.task.is_none() && part.after.is_empty())
    };
    let mut parts: Vec<_> = allocation.parts.iter().map(of_part).collect();
    parts.sort_unstable();
    let mut holds = Vec::with_capacity(parts.len());
    for leg in &allocation.legs {
        let of_hold =
            |(hold, place): (&Hold, u32)| (leg.site, place, hold.interval.start(), hold.interval.end(), true);
        holds.extend(leg.holds.iter().zip(0_u32..).map(of_hold));
    }
    holds.sort_unstable();
    (parts != holds).then_some(Mismatch::Inconsistent)
}

fn horizon_of(pieces: &[Piece]) -> Option<Interval> {
    let all = || pieces.iter().map(|piece| piece.interval);
    Interval::new(all().map(|it| it.start()).min()?, all().map(|it| it.end()).max()?)
}

fn plain_node(state: &State, id: NodeId, sites: &[SiteId]) -> Option<Node> {
    let known = state.known.node(id)?;
    let site = sites.binary_search(&known.site).ok()?;
    Some(Node {
        division: known.division.clone(),
        name: String::new(),
        site: SiteId::from_index(site)?,
        performance: known.performance,
        watts: known.watts,
        attributes: known.attributes.clone(),
    })
}

fn claimed(request: &Request, allocation: &Allocation) -> ClaimedAlternative {
    let slot = |(_, hold): (SiteId, &Hold)| ClaimedSlot {
        units: hold.units,
        site: String::new(),
        node: String::new(),
        start: hold.interval.start(),
        end: hold.interval.end(),
        cost: hold.cost,
        capacity: false,
    };
    ClaimedAlternative {
        job: request.name.clone(),
        start: allocation.start(),
        end: allocation.end(),
        cost: allocation.cost(),
        slots: allocation.holds().map(slot).collect(),
    }
}

/// The tasks of a workflow inside what is held, by the verifier of task schedules.
pub(super) fn tasks(
    state: &State,
    remaining: &Remaining,
    allocation: &Allocation,
    network: walras_model::Network,
) -> Vec<Mismatch> {
    let lane = |(site, hold): (SiteId, &Hold)| {
        let node = hold.node?;
        let spec = state.node_spec(node)?;
        Some(Lane {
            node,
            name: spec.name.clone(),
            site,
            site_name: name_of(state, site)?,
            performance: spec.performance,
            rate: hold.rate,
            free: vec![hold.interval],
            attributes: spec.attributes.clone(),
        })
    };
    let platform = Platform { lanes: allocation.holds().filter_map(lane).collect(), network };
    let mut claim = TaskClaim { tasks: Vec::new(), cost: Money::ZERO };
    let (firsts, others) = allocation.parts.split_at(allocation.parts.len().min(remaining.tasks.len()));
    let mut gangs: BTreeMap<Option<TaskId>, Vec<&Part>> = BTreeMap::new();
    for part in others {
        gangs.entry(part.task).or_default().push(part);
    }
    for (part, task) in firsts.iter().zip(remaining.workflow.tasks()) {
        let rest = gangs.get(&part.task).map_or(&[][..], Vec::as_slice);
        let claimed = match claimed_task(state, allocation, &task.name, part, rest) {
            Ok(claimed) => claimed,
            Err(mismatch) => return vec![mismatch],
        };
        let Some(total) = claim.cost.checked_add(claimed.cost) else { return vec![Mismatch::Inconsistent] };
        claim.cost = total;
        claim.tasks.push(claimed);
    }
    let mut wrong: Vec<Mismatch> = verify_tasks(&claim, &remaining.workflow, &platform, &Terms::default())
        .into_iter()
        .map(|violation| of_task(violation, remaining))
        .collect();
    let tasks = firsts.iter().map(|part| part.task);
    let known = tasks.eq(remaining.tasks.iter().copied().map(Some));
    let of_known =
        gangs.keys().all(|task| task.is_some_and(|task| remaining.tasks.binary_search(&task).is_ok()));
    if !known || !of_known || !waits(remaining, &allocation.parts) {
        wrong.push(Mismatch::WrongTasks);
    }
    wrong
}

/// A task with all its parts as the verifier takes it; parts of a gang that are not together are none of one.
fn claimed_task(
    state: &State,
    allocation: &Allocation,
    task: &str,
    first: &Part,
    rest: &[&Part],
) -> Result<ClaimedTask, Mismatch> {
    let site = name_of(state, first.site).ok_or(Mismatch::NoSite(first.site))?;
    let as_first =
        |other: &&&Part| (other.site, other.start, other.end) == (first.site, first.start, first.end);
    if rest.iter().filter(as_first).count() < rest.len() {
        return Err(Mismatch::WrongTasks);
    }
    let on = |part: &Part| allocation.hold_of(part).and_then(|hold| priced(state, hold, part));
    let (node, mut cost) = on(first).ok_or(Mismatch::Inconsistent)?;
    let mut others = Vec::with_capacity(rest.len());
    for part in rest {
        let (node, more) = on(part).ok_or(Mismatch::Inconsistent)?;
        cost = cost.checked_add(more).ok_or(Mismatch::Inconsistent)?;
        others.push(node.name.clone());
    }
    let (start, end, node) = (first.start, first.end, node.name.clone());
    Ok(ClaimedTask { task: task.to_owned(), site, node, others, start, end, cost })
}

/// The node of a part, and what its time there costs.
fn priced<'a>(state: &'a State, hold: &Hold, part: &Part) -> Option<(&'a NodeSpec, Money)> {
    let spec = state.node_spec(hold.node?)?;
    Some((spec, hold.rate.cost_of(part.end.span_since(part.start)?)?))
}

/// Whether every task waits, with its first part, for all parts of those that it waits for.
fn waits(remaining: &Remaining, parts: &[Part]) -> bool {
    let gangs = parts.iter().zip(0_u32..).skip(remaining.tasks.len());
    let mut others: BTreeMap<Option<TaskId>, Vec<u32>> = BTreeMap::new();
    for (part, place) in gangs {
        others.entry(part.task).or_default().push(place);
    }
    remaining.workflow.edges().iter().all(|edge| {
        let waits = |taker: &Part, giver: u32| taker.after.iter().any(|(from, _)| *from == giver);
        let more = remaining.tasks.get(edge.from.index()).and_then(|task| others.get(&Some(*task)));
        parts.get(edge.to.index()).is_some_and(|part| {
            let mut givers = std::iter::once(edge.from.number()).chain(more.into_iter().flatten().copied());
            givers.all(|giver| waits(part, giver))
        })
    })
}
