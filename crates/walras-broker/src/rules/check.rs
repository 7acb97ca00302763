//! The last look before an alternative is reserved: is it free, is it what the job asked for, and is its price right?
//!
//! Parallel windows go to the verifier of `walras-core`, which shares nothing with the searches; the tasks of workflows
//! to its twin for task schedules. What is left is checked here: holds against free time, and queues.

use super::held_places::holds;
use super::market::{Piece, left_of};
use super::times::{FreeTimes, HeldTimes};
use super::verified::{one_each, tasks, window};
use crate::model::allocation::{Allocation, Hold};
use crate::model::job::Job;
use crate::model::mismatch::{Mismatch, NodeOrQueue};
use crate::model::site::SiteKind;
use crate::model::state::State;
use crate::plan::Remaining;
use std::collections::BTreeSet;
use walras_model::quantity::rounding;
use walras_model::workflow::Workflow;
use walras_model::{Factor, Interval, Money, NodeId, Performance, Rate, Request, Requirement, SiteId, Time};

/// Which price counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prices {
    /// What owners ask now.
    AsNow,
    /// What was promised.
    AsHeld,
}

/// Free time on nodes, and what is held or planned of it: as many times as units of the node are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occupancy {
    free: FreeTimes,
    held: HeldTimes,
}

impl Occupancy {
    /// What is free from a moment on, and what is held.
    pub(crate) fn of(state: &State, now: Time) -> Occupancy {
        let free = Interval::new(now, Time::MAX).map(|horizon| state.free(horizon)).unwrap_or_default();
        Occupancy { free, held: state.held_or_planned() }
    }

    /// Whether all that a state holds or plans is held here, and nothing else.
    pub(crate) fn holds_what(&self, state: &State) -> bool {
        self.held.is_like(&state.held_or_planned())
    }

    /// Counts the time for which a job is planned as held no more.
    pub(crate) fn release(&mut self, state: &State, job: &Job) {
        for (node, interval, units) in state.planned_times(job) {
            self.held.remove(node, interval, units);
        }
    }

    /// Counts the time of an alternative as held.
    pub(crate) fn hold(&mut self, allocation: &Allocation) {
        for (_, hold) in allocation.holds() {
            if let Some(node) = hold.node {
                self.held.add(node, hold.interval, hold.units);
            }
        }
    }

    /// The same for one that is asked of sites, with the time that they need around it. What is only planned may lie closer: it still moves.
    pub(crate) fn keep(&mut self, state: &State, allocation: &Allocation) {
        for (_, hold) in allocation.holds() {
            if let Some(node) = hold.node {
                self.held.add(node, state.kept_for(node, hold.interval), hold.units);
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
            wrong.extend(window(state, asked.request, allocation, &slots));
            wrong.extend(one_each(allocation));
        }
        Some(remaining) => {
            let pieces = |node| slots.get(node);
            wrong.extend(holds(state, (asked.request, &remaining.workflow), allocation, pieces));
            wrong.extend(limits(asked.request, allocation));
            wrong.extend(costs(allocation));
            wrong.extend(nodes(state, (asked.request, &remaining.workflow), allocation));
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
    let by_site = allocation.legs.iter().map(|leg| (state.site(leg.site), leg));
    let holds =
        by_site.flat_map(|(of_site, leg)| leg.holds.iter().map(move |hold| (leg.site, of_site, hold)));
    for (site, of_site, hold) in holds {
        let Some(of_site) = of_site else {
            wrong.push(Mismatch::NoSite(site));
            continue;
        };
        if of_site.lost {
            wrong.push(Mismatch::SiteLost(site));
        }
        if of_site.leaving {
            wrong.push(Mismatch::SiteLeaving(site));
        }
        if let Some(node) = hold.node
            && state.known.node(node).is_none_or(|known| known.site != site)
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

/// Free time on the nodes of an alternative, with its price.
#[derive(Default)]
pub(super) struct PricedNodes {
    /// In order, each once; and where its pieces end among all.
    nodes: Vec<(NodeId, usize)>,
    pieces: Vec<Piece>,
}

impl PricedNodes {
    /// Every node with its pieces, in order of nodes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, &[Piece])> {
        let begins = std::iter::once(0).chain(self.nodes.iter().map(|(_, end)| *end));
        self.nodes.iter().zip(begins).map(|((node, end), begin)| (*node, &self.pieces[begin..*end]))
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All pieces of all nodes.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The pieces of a node.
    fn get(&self, node: NodeId) -> &[Piece] {
        let Ok(place) = self.nodes.binary_search_by_key(&node, |(node, _)| *node) else { return &[] };
        let begin = place.checked_sub(1).map_or(0, |before| self.nodes[before].1);
        &self.pieces[begin..self.nodes[place].1]
    }
}

/// The time that is free on the alternative's nodes, with its price.
fn slots(
    state: &State,
    occupancy: &Occupancy,
    allocation: &Allocation,
    now: Time,
    prices: Prices,
    user: &str,
) -> PricedNodes {
    let mut slots = PricedNodes::default();
    // What is sold whole has the price of all that is for sale, and not only of what the alternative uses.
    let all = now.checked_add(state.policy.horizon).unwrap_or(Time::MAX);
    let end = allocation.end();
    let Some(horizon) = Interval::new(now, end.max(all)) else { return slots };
    let Some(used) = Interval::new(allocation.start(), end) else { return slots };
    let mut beside: Vec<Interval> = Vec::new();
    let on_nodes = allocation.holds().filter_map(|(_, hold)| Some((hold.node?, hold)));
    let mut holds: Vec<(NodeId, &Hold)> = on_nodes.collect();
    // Of several on one node the last counts.
    holds.sort_by_key(|(node, _)| *node);
    for (place, (node, hold)) in holds.iter().enumerate() {
        let node = *node;
        if holds.get(place + 1).is_some_and(|(next, _)| *next == node) {
            continue;
        }
        // What is held at other times is in nobody's way here.
        beside.clear();
        beside.extend(occupancy.held.get(node).iter().filter(|held| held.overlaps(used)));
        beside.extend(occupancy.free.unsold(node).filter(|unsold| unsold.overlaps(used)));
        let (free, held) = (occupancy.free.get(node), beside.as_slice());
        let first = slots.pieces.len();
        match prices {
            Prices::AsNow => state.sell(node, free, horizon, held, Some(user), &mut slots.pieces),
            Prices::AsHeld => {
                let units = state.node_spec(node).map_or(1, |spec| spec.division.units());
                let rate = whole_rate(hold, units);
                for open in state.open(node, free, horizon, &[]) {
                    left_of(open, rate, held, units, &mut slots.pieces);
                }
            }
        }
        // They are in order of time.
        let before_end = slots.pieces[first..].partition_point(|piece| piece.interval.start() < end);
        slots.pieces.truncate(first + before_end);
        slots.nodes.push((node, slots.pieces.len()));
    }
    slots
}

/// A price of the whole node of which a hold's price is that of its units: the highest there is.
pub(super) fn whole_rate(hold: &Hold, of: u32) -> Rate {
    let part = i128::from(hold.rate.as_micros_per_second());
    let whole = rounding::down(part * i128::from(of), i128::from(hold.units.max(1)));
    i64::try_from(whole).ok().and_then(Rate::from_micros_per_second).unwrap_or(hold.rate)
}

pub(super) fn name_of(state: &State, site: SiteId) -> Option<String> {
    state.site(site).map(|site| site.spec.name.clone())
}

/// What a request asks of every node, and of where they are.
fn nodes(
    state: &State,
    (request, workflow): (&Request, &Workflow),
    allocation: &Allocation,
) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    let asks = workflow.asks();
    if request.scope.same_site && allocation.legs.len() > 1 {
        wrong.push(Mismatch::SeveralSites);
    }
    for (site, hold) in allocation.holds() {
        match hold.node.and_then(|node| Some((node, state.node_spec(node)?))) {
            Some((node, spec)) => {
                wrong.extend(unfit(request, site, NodeOrQueue::Node(node), spec.performance, |it| {
                    spec.division.meets(it, &spec.attributes)
                }));
                if !spec.division.admits(request.requires.iter().chain(&asks)) {
                    wrong.push(Mismatch::KeptForOthers(node));
                }
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
    place: NodeOrQueue,
    performance: Performance,
    meets: impl Fn(&Requirement) -> bool,
) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    if performance < request.performance_min {
        wrong.push(Mismatch::TooSlow { place, performance, least: request.performance_min });
    }
    let unmet = request.requires.iter().filter(|requirement| !meets(requirement));
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
    let place = NodeOrQueue::Queue(leg.site);
    let mut wrong = unfit(request, leg.site, place, spec.performance, |it| it.is_met_by(&spec.attributes));
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
