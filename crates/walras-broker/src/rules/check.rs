//! The last look before an alternative is reserved: is it free, is it what the job asked for, and is its price right?
//!
//! Parallel windows go to the verifier of `walras-core`, which shares nothing with the searches; the tasks of workflows
//! to its twin for task schedules. What is left is checked here: holds against free time, and queues.

use super::violation::{of_task, of_window};
use crate::model::allocation::{Allocation, Hold, Part};
use crate::model::mismatch::{Mismatch, Place};
use crate::model::site::{NodeSpec, SiteKind};
use crate::model::state::State;
use crate::plan::Remaining;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::workflow::Terms;
use walras_model::workflow::{Lane, Platform};
use walras_model::{
    Attributes, Batch, Factor, Interval, Money, Node, NodeId, Offers, Performance, Rate, Request, Scope,
    Site, SiteId, Slot, Time,
};
use walras_verify::tasks::{ClaimedTask, TaskClaim, verify_tasks};
use walras_verify::{Claim, ClaimedAlternative, ClaimedSlot, Rules, verify_plan};

/// Which price counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prices {
    /// What owners ask now.
    AsNow,
    /// What was promised.
    AsHeld,
}

/// Free time on nodes, and what is held of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occupancy {
    pub(crate) free: BTreeMap<NodeId, Vec<Interval>>,
    pub(crate) held: BTreeMap<NodeId, Vec<Interval>>,
}

impl Occupancy {
    /// What is free from a moment on, and what is held.
    pub(crate) fn of(state: &State, now: Time) -> Occupancy {
        let free = Interval::new(now, Time::MAX).map(|horizon| state.free(horizon)).unwrap_or_default();
        Occupancy { free, held: state.held() }
    }

    /// Counts the time of an alternative as held.
    pub(crate) fn hold(&mut self, allocation: &Allocation) {
        for (_, hold) in allocation.holds() {
            if let Some(node) = hold.node {
                self.held.entry(node).or_default().push(hold.interval);
            }
        }
    }
}

/// What a job asks for, as it is checked.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request,
    pub(crate) remaining: Option<&'a Remaining>,
}

/// Everything that does not hold about an alternative.
pub(crate) fn violations(
    state: &State,
    occupancy: &Occupancy,
    now: Time,
    asked: &Asked<'_>,
    allocation: &Allocation,
    prices: Prices,
) -> Vec<Mismatch> {
    let mut wrong = shape(state, allocation, now);
    if !wrong.is_empty() {
        return wrong;
    }
    if allocation.is_queue() {
        wrong.extend(limits(asked.request, allocation));
        wrong.extend(costs(allocation));
        wrong.extend(queue(state, asked, allocation));
        return wrong;
    }
    let user = asked.request.user.as_deref().unwrap_or_default();
    let slots = slots(state, occupancy, allocation, now, prices, user);
    match asked.remaining {
        None => {
            wrong.extend(window(state, asked.request, allocation, slots));
            wrong.extend(one_each(allocation));
        }
        Some(remaining) => {
            wrong.extend(holds(allocation, &slots));
            wrong.extend(limits(asked.request, allocation));
            wrong.extend(costs(allocation));
            wrong.extend(nodes(state, asked.request, allocation));
            wrong.extend(tasks(state, remaining, allocation, state.policy.network));
        }
    }
    wrong
}

/// Sites, nodes and parts must be there, and each where it says.
fn shape(state: &State, allocation: &Allocation, now: Time) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    if allocation.legs.is_empty() || allocation.parts.is_empty() {
        wrong.push(Mismatch::Empty);
    }
    for (site, hold) in allocation.holds() {
        let Some(of_site) = state.site(site) else {
            wrong.push(Mismatch::NoSite(site));
            continue;
        };
        if of_site.lost {
            wrong.push(Mismatch::SiteLost(site));
        }
        if let Some(node) = hold.node
            && state.node(node).is_none_or(|state| state.site != site)
        {
            wrong.push(Mismatch::NoNode { site, node });
        }
        // In a queue times are expectations.
        if hold.node.is_some() && hold.interval.start() <= now {
            wrong.push(Mismatch::StartPassed(hold.interval.start()));
        }
    }
    let mut sites = BTreeSet::new();
    if !allocation.legs.iter().all(|leg| sites.insert(leg.site)) {
        wrong.push(Mismatch::Inconsistent);
    }
    let cost: i128 = allocation.holds().map(|(_, hold)| i128::from(hold.cost.as_micros())).sum();
    if i64::try_from(cost).is_err() || allocation.holds().any(|(_, hold)| hold.cost < Money::ZERO) {
        wrong.push(Mismatch::Inconsistent);
    }
    for (part, place) in allocation.parts.iter().zip(0_u32..) {
        let inside = allocation.hold_of(part).is_some_and(|hold| {
            let within = hold.interval.start() <= part.start && part.end <= hold.interval.end();
            part.start <= part.end && (hold.node.is_none() || within)
        });
        if !inside {
            wrong.push(Mismatch::PartOutside(place));
        }
    }
    wrong
}

/// The time that is free on the alternative's nodes, with its price.
fn slots(
    state: &State,
    occupancy: &Occupancy,
    allocation: &Allocation,
    now: Time,
    prices: Prices,
    user: &str,
) -> BTreeMap<NodeId, Vec<(Interval, Rate)>> {
    let mut slots = BTreeMap::new();
    // What is sold whole has the price of all that is for sale, and not only of what the alternative uses.
    let all = now.checked_add(state.policy.horizon).unwrap_or(Time::MAX);
    let Some(horizon) = Interval::new(now, allocation.end().max(all)) else { return slots };
    for (_, hold) in allocation.holds() {
        let Some(node) = hold.node else { continue };
        let of = |map: &BTreeMap<NodeId, Vec<Interval>>| map.get(&node).cloned().unwrap_or_default();
        let (free, held) = (of(&occupancy.free), of(&occupancy.held));
        let mut priced: Vec<(Interval, Rate)> = match prices {
            Prices::AsNow => state.sell(node, &free, horizon, &held, Some(user)),
            Prices::AsHeld => {
                let open = state.open(node, &free, horizon, &held);
                open.into_iter().map(|free| (free, hold.rate)).collect()
            }
        };
        priced.retain(|(piece, _)| piece.start() < allocation.end());
        slots.insert(node, priced);
    }
    slots
}

/// A parallel window, by the verifier of the core, on nothing but the nodes that it uses.
fn window(
    state: &State,
    request: &Request,
    allocation: &Allocation,
    priced: BTreeMap<NodeId, Vec<(Interval, Rate)>>,
) -> Vec<Mismatch> {
    let mut sites: Vec<SiteId> = allocation.legs.iter().map(|leg| leg.site).collect();
    sites.sort_unstable();
    let Some(horizon) = horizon_of(&priced) else { return vec![Mismatch::NothingFree] };
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for (id, pieces) in &priced {
        let place = NodeId::from_index(nodes.len()).expect("there are no more nodes than ids");
        let Some(node) = plain_node(state, *id, &sites) else { continue };
        nodes.push(node);
        slots.extend(pieces.iter().filter_map(|(interval, rate)| Slot::new(place, *interval, *rate)));
    }
    let site = |id: &SiteId| Site { name: name_of(state, *id) };
    let Ok(offers) = Offers::new(horizon, sites.iter().map(site).collect(), nodes, slots) else {
        return vec![Mismatch::NotOffered];
    };
    let scope = Scope {
        same_site: request.scope.same_site,
        sites: request.scope.sites.as_ref().map(|wanted| {
            let place = |id: &SiteId| sites.binary_search(id).ok().and_then(SiteId::from_index);
            wanted.iter().filter_map(place).collect()
        }),
    };
    let batch = Batch::new(vec![Request { scope, ..request.clone() }]);
    let claim = Claim { alternatives: vec![claimed(state, request, allocation)], ..Claim::default() };
    let rules = Rules { budget_factor: Factor::ONE, price_cap: false };
    let holds: Vec<(SiteId, &Hold)> = allocation.holds().collect();
    verify_plan(&claim, &offers, &batch, rules)
        .into_iter()
        .map(|it| of_window(it, allocation, &holds))
        .collect()
}

/// A parallel job runs one part on every hold, for all of its time.
fn one_each(allocation: &Allocation) -> Option<Mismatch> {
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

fn horizon_of(priced: &BTreeMap<NodeId, Vec<(Interval, Rate)>>) -> Option<Interval> {
    let all = || priced.values().flatten().map(|(interval, _)| interval);
    Interval::new(all().map(|it| it.start()).min()?, all().map(|it| it.end()).max()?)
}

fn name_of(state: &State, site: SiteId) -> String {
    state.site(site).map(|site| site.spec.name.clone()).unwrap_or_default()
}

fn plain_node(state: &State, id: NodeId, sites: &[SiteId]) -> Option<Node> {
    let spec = state.node_spec(id)?;
    let site = sites.binary_search(&state.node(id)?.site).ok()?;
    Some(Node {
        name: spec.name.clone(),
        site: SiteId::from_index(site)?,
        performance: spec.performance,
        watts: spec.watts,
        attributes: spec.attributes.clone(),
    })
}

fn claimed(state: &State, request: &Request, allocation: &Allocation) -> ClaimedAlternative {
    let slot = |(site, hold): (SiteId, &Hold)| ClaimedSlot {
        site: name_of(state, site),
        node: hold
            .node
            .and_then(|node| state.node_spec(node))
            .map(|spec| spec.name.clone())
            .unwrap_or_default(),
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

/// Every hold must lie within one free piece at its own price, and no two on one node.
fn holds(allocation: &Allocation, slots: &BTreeMap<NodeId, Vec<(Interval, Rate)>>) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (_, hold) in allocation.holds() {
        let Some(node) = hold.node else { continue };
        let pieces = slots.get(&node).map_or(&[][..], Vec::as_slice);
        let mut rates =
            pieces.iter().filter(|(piece, _)| piece.contains(hold.interval)).map(|(_, rate)| *rate);
        let asked = rates.clone().next();
        if !seen.insert(node) {
            wrong.push(Mismatch::NodeTwice(node));
        } else if !rates.any(|rate| rate == hold.rate) {
            let now = asked.and_then(|rate| rate.cost_of(hold.interval.span()));
            wrong.push(match now {
                Some(now) => Mismatch::PriceChanged { node, was: hold.cost, now },
                None => Mismatch::NotFree { node, interval: hold.interval },
            });
        }
    }
    wrong
}

/// What a request asks of every node, and of where they are.
fn nodes(state: &State, request: &Request, allocation: &Allocation) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    if request.scope.same_site && allocation.legs.len() > 1 {
        wrong.push(Mismatch::SeveralSites);
    }
    for (site, hold) in allocation.holds() {
        match hold.node.and_then(|node| Some((node, state.node_spec(node)?))) {
            Some((node, spec)) => {
                wrong.extend(unfit(request, site, Place::Node(node), spec.performance, &spec.attributes));
            }
            None => wrong.push(Mismatch::NotForQueues),
        }
    }
    wrong
}

/// What a request asks of a node or a queue.
fn unfit(
    request: &Request,
    site: SiteId,
    place: Place,
    performance: Performance,
    attributes: &Attributes,
) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    if performance < request.performance_min {
        wrong.push(Mismatch::TooSlow { place, performance, least: request.performance_min });
    }
    let unmet = request.requires.iter().filter(|requirement| !requirement.is_met_by(attributes));
    wrong.extend(unmet.map(|it| Mismatch::RequirementUnmet { place, requirement: it.clone() }));
    if !request.scope.admits(site) {
        wrong.push(Mismatch::OutsideScope(site));
    }
    wrong
}

/// A queue must be one, fit the job, and hold every task for as long as it takes there.
fn queue(state: &State, asked: &Asked<'_>, allocation: &Allocation) -> Vec<Mismatch> {
    let request = asked.request;
    let Some(leg) =
        allocation.legs.first().filter(|_| allocation.legs.len() == 1 && asked.remaining.is_none())
    else {
        return vec![Mismatch::NotForQueues];
    };
    let Some(SiteKind::Queue(spec)) = state.site(leg.site).map(|site| &site.spec.kind) else {
        return vec![Mismatch::NotAQueue(leg.site)];
    };
    let place = Place::Queue(leg.site);
    let mut wrong = unfit(request, leg.site, place, spec.performance, &spec.attributes);
    let expected = request.work.runtime_on(spec.performance);
    if leg.holds.iter().any(|hold| hold.node.is_some()) {
        wrong.push(Mismatch::Inconsistent);
    }
    let other = leg.holds.iter().find(|hold| Some(hold.interval.span()) != expected);
    wrong.extend(other.map(|hold| Mismatch::WrongLength { place, held: hold.interval.span(), expected }));
    let holds = u32::try_from(leg.holds.len()).unwrap_or(u32::MAX);
    let parts = u32::try_from(allocation.parts.len()).unwrap_or(u32::MAX);
    if holds != request.tasks || parts != request.tasks {
        wrong.push(Mismatch::WrongCount { tasks: request.tasks, holds, parts });
    }
    wrong
}

/// Deadline, earliest start and budget.
fn limits(request: &Request, allocation: &Allocation) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    let (start, end, cost) = (allocation.start(), allocation.finish(), allocation.cost());
    if let Some(deadline) = request.deadline.filter(|deadline| end > *deadline) {
        wrong.push(Mismatch::AfterDeadline { end, deadline });
    }
    if let Some(earliest) = request.earliest.filter(|earliest| start < *earliest) {
        wrong.push(Mismatch::BeforeEarliest { start, earliest });
    }
    if let Some(budget) = request.budget_limit(Factor::ONE).filter(|budget| cost > *budget) {
        wrong.push(Mismatch::OverBudget { cost, budget });
    }
    wrong
}

/// Every hold's cost follows from its rate and length, counted here once more.
fn costs(allocation: &Allocation) -> Vec<Mismatch> {
    let expected = |hold: &Hold| {
        let product =
            i128::from(hold.rate.as_micros_per_second()) * i128::from(hold.interval.span().as_millis());
        i64::try_from((product + 999).div_euclid(1_000)).ok().map(Money::from_micros)
    };
    let all = allocation.holds().map(|(_, hold)| (hold.cost, expected(hold)));
    let wrong = all.filter(|(cost, expected)| Some(*cost) != *expected);
    wrong.map(|(cost, expected)| Mismatch::WrongCost { cost, expected }).collect()
}

/// The tasks of a workflow inside what is held, by the verifier of task schedules.
fn tasks(
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
            site_name: name_of(state, site),
            performance: spec.performance,
            rate: hold.rate,
            free: vec![hold.interval],
            attributes: spec.attributes.clone(),
        })
    };
    let platform = Platform { lanes: allocation.holds().filter_map(lane).collect(), network };
    let mut claim = TaskClaim { tasks: Vec::new(), cost: Money::ZERO };
    for (part, task) in allocation.parts.iter().zip(remaining.workflow.tasks()) {
        let Some((node, cost)) = allocation.hold_of(part).and_then(|hold| priced(state, hold, part)) else {
            return vec![Mismatch::Inconsistent];
        };
        let Some(total) = claim.cost.checked_add(cost) else {
            return vec![Mismatch::Inconsistent];
        };
        claim.cost = total;
        claim.tasks.push(ClaimedTask {
            task: task.name.clone(),
            site: name_of(state, part.site),
            node: node.name.clone(),
            start: part.start,
            end: part.end,
            cost,
        });
    }
    let mut wrong: Vec<Mismatch> = verify_tasks(&claim, &remaining.workflow, &platform, &Terms::default())
        .into_iter()
        .map(|violation| of_task(violation, remaining))
        .collect();
    let tasks = allocation.parts.iter().map(|part| part.task);
    if !tasks.eq(remaining.tasks.iter().copied().map(Some)) || !waits(remaining, &allocation.parts) {
        wrong.push(Mismatch::WrongTasks);
    }
    wrong
}

/// The node of a part, and what its time there costs.
fn priced<'a>(state: &'a State, hold: &Hold, part: &Part) -> Option<(&'a NodeSpec, Money)> {
    let spec = state.node_spec(hold.node?)?;
    Some((spec, hold.rate.cost_of(part.end.span_since(part.start)?)?))
}

/// Whether every part waits for those that its task waits for.
fn waits(remaining: &Remaining, parts: &[Part]) -> bool {
    remaining.workflow.edges().iter().all(|edge| {
        parts
            .get(edge.to.index())
            .is_some_and(|part| part.after.iter().any(|(from, _)| *from == edge.from.number()))
    })
}
