//! The checks, each on plain integers.

use super::super::facts::{cost_micros, money, passes, runtime_millis};
use super::{ClaimedTask, TaskClaim, TaskViolation};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::attribute::Value;
use walras_model::quantity::{Data, Span, Time};
use walras_model::workflow::Terms;
use walras_model::workflow::{Edge, Lane, Link, Platform, Task, Workflow};

/// A claim beside what it is about, and what is wrong with it so far.
pub(super) struct Check<'a> {
    claim: &'a TaskClaim,
    workflow: &'a Workflow,
    platform: &'a Platform,
    /// By task of the workflow: its first mention in the claim.
    mentions: Vec<Option<&'a ClaimedTask>>,
    tasks: BTreeMap<&'a str, usize>,
    /// By site and node name: the node's lanes.
    nodes: BTreeMap<(&'a str, &'a str), Vec<&'a Lane>>,
    pub(super) violations: Vec<TaskViolation>,
}

impl<'a> Check<'a> {
    pub(super) fn new(claim: &'a TaskClaim, workflow: &'a Workflow, platform: &'a Platform) -> Check<'a> {
        let tasks = workflow.tasks().iter().enumerate().map(|(index, task)| (task.name.as_str(), index));
        let mut nodes: BTreeMap<(&str, &str), Vec<&Lane>> = BTreeMap::new();
        for lane in &platform.lanes {
            nodes.entry((&lane.site_name, &lane.name)).or_default().push(lane);
        }
        Check {
            claim,
            workflow,
            platform,
            mentions: vec![None; workflow.tasks().len()],
            tasks: tasks.collect(),
            nodes,
            violations: Vec::new(),
        }
    }

    /// Every task once, and the sum of their costs.
    pub(super) fn account(&mut self) {
        for claimed in &self.claim.tasks {
            let task = claimed.task.clone();
            match self.tasks.get(task.as_str()) {
                None => self.violations.push(TaskViolation::UnknownTask { task }),
                Some(index) if self.mentions[*index].is_some() => {
                    self.violations.push(TaskViolation::TaskTwice { task });
                }
                Some(index) => self.mentions[*index] = Some(claimed),
            }
        }
        let all = self.workflow.tasks().iter().zip(&self.mentions);
        let missing = all.filter(|(_, mention)| mention.is_none());
        let missing: Vec<String> = missing.map(|(task, _)| task.name.clone()).collect();
        self.violations.extend(missing.into_iter().map(|task| TaskViolation::TaskMissing { task }));
        let sum: i128 = self.claim.tasks.iter().map(|task| i128::from(task.cost.as_micros())).sum();
        if sum != i128::from(self.claim.cost.as_micros()) {
            let (expected, claimed) = (money(sum), self.claim.cost);
            self.violations.push(TaskViolation::WrongTotal { expected, claimed });
        }
    }

    /// Every task against its node.
    pub(super) fn each_task(&mut self) {
        for (index, claimed) in self.mentions.clone().into_iter().enumerate() {
            let Some(claimed) = claimed else { continue };
            let task = claimed.task.clone();
            if claimed.end < claimed.start {
                let (start, end) = (claimed.start, claimed.end);
                self.violations.push(TaskViolation::Reversed { task, start, end });
                continue;
            }
            self.on_nodes(&self.workflow.tasks()[index], claimed);
        }
    }

    /// As many different nodes as the task takes, each as long as the slowest needs, at the price of all.
    fn on_nodes(&mut self, task: &Task, claimed: &ClaimedTask) {
        let name = claimed.task.clone();
        let all: Vec<&str> = nodes_of(claimed).collect();
        if usize::try_from(task.nodes).ok() != Some(all.len()) {
            let (expected, claimed) = (task.nodes, all.len());
            self.violations.push(TaskViolation::WrongGang { task: name.clone(), expected, claimed });
        }
        let distinct: BTreeSet<&str> = all.iter().copied().collect();
        if distinct.len() < all.len() {
            self.violations.push(TaskViolation::NodeTwice { task: name.clone() });
        }
        let mut known: Vec<(String, Vec<&'a Lane>)> = Vec::new();
        for node in all {
            let full = full_name(&claimed.site, node);
            match self.nodes.get(&(claimed.site.as_str(), node)) {
                Some(lanes) => known.push((full, lanes.clone())),
                None => self.violations.push(TaskViolation::UnknownNode { task: name.clone(), node: full }),
            }
        }
        let lasts = i128::from(claimed.end.as_millis()) - i128::from(claimed.start.as_millis());
        let needs = |(node, lanes): &(String, Vec<&'a Lane>)| {
            Some((needed_millis(task, lanes.first()?), node.clone()))
        };
        let mut slowest: Option<(i128, String)> = None;
        for (needed, node) in known.iter().filter_map(needs) {
            if slowest.as_ref().is_none_or(|(most, _)| needed > *most) {
                slowest = Some((needed, node));
            }
        }
        if let Some((needed, node)) = slowest.filter(|(needed, _)| lasts != *needed) {
            let expected = i64::try_from(needed).ok().and_then(Span::from_millis);
            let span = i64::try_from(lasts).ok().and_then(Span::from_millis).unwrap_or(Span::ZERO);
            let task = name.clone();
            self.violations.push(TaskViolation::WrongRuntime { task, node, expected, claimed: span });
        }
        let mut costs = Some(0_i128);
        for (node, lanes) in &known {
            let cost = self.on_node(task, claimed, node, lanes);
            costs = costs.zip(cost).map(|(sum, cost)| sum.saturating_add(cost));
        }
        // Of what runs outside of free time nobody knows the price.
        if let Some(expected) = costs.filter(|_| !known.is_empty()).map(money)
            && expected != claimed.cost
        {
            self.violations.push(TaskViolation::WrongCost { task: name, expected, claimed: claimed.cost });
        }
    }

    /// A node of a task: what it is, and that it is free; what its time costs then.
    fn on_node(&mut self, task: &Task, claimed: &ClaimedTask, node: &str, lanes: &[&Lane]) -> Option<i128> {
        let lasts = i128::from(claimed.end.as_millis()) - i128::from(claimed.start.as_millis());
        self.requirements(task, claimed, node, lanes.first()?);
        let holds = |lane: &&&Lane| {
            let is_its = lane.part == claimed.part || node != full_name(&claimed.site, &claimed.node);
            is_its && lane.free.iter().any(|free| free.start() <= claimed.start && claimed.end <= free.end())
        };
        // A task that takes no time costs nothing, whichever of touching intervals it is in.
        let Some(lane) = lanes.iter().find(holds) else {
            let (task, node) = (claimed.task.clone(), node.to_owned());
            let (start, end) = (claimed.start, claimed.end);
            self.violations.push(TaskViolation::OutsideFreeTime { task, node, start, end });
            return None;
        };
        Some(cost_micros(lane.rate, lasts).unwrap_or(i128::MAX))
    }

    /// Cores, memory and attributes.
    fn requirements(&mut self, task: &Task, claimed: &ClaimedTask, node: &str, lane: &Lane) {
        let (name, node) = (&claimed.task, node.to_owned());
        let stated = |attribute: &str| match lane.attributes.get(attribute) {
            Some(Value::Number(number)) => Some(i128::from(number.as_millionths())),
            _ => None,
        };
        if stated("cores").is_some_and(|cores| cores < i128::from(task.cores) * 1_000_000) {
            let (task, needed) = (name.clone(), task.cores);
            self.violations.push(TaskViolation::TooFewCores { task, node: node.clone(), needed });
        }
        let bytes = |data: Data| i128::from(data.as_bytes());
        if let Some(needed) = task.memory
            && stated("memory_gb").is_some_and(|memory| memory * 1_000 < bytes(needed))
        {
            let task = name.clone();
            self.violations.push(TaskViolation::TooLittleMemory { task, node: node.clone(), needed });
        }
        for requirement in &task.requires {
            if !passes(requirement, &lane.attributes) {
                let (task, node, requirement) = (name.clone(), node.clone(), requirement.clone());
                self.violations.push(TaskViolation::RequirementUnmet { task, node, requirement });
            }
        }
    }

    /// The data of every edge has arrived when the task starts.
    pub(super) fn each_edge(&mut self) {
        for edge in self.workflow.edges() {
            let ends = (self.mentions[edge.from.index()], self.mentions[edge.to.index()]);
            let (Some(from), Some(to)) = ends else { continue };
            let arrives = i128::from(from.end.as_millis()) + self.moving_millis(edge, from, to);
            if i128::from(to.start.as_millis()) < arrives {
                self.violations.push(TaskViolation::BeforeData {
                    task: to.task.clone(),
                    from: from.task.clone(),
                    arrives: time(arrives),
                    start: to.start,
                });
            }
        }
    }

    fn moving_millis(&self, edge: &Edge, from: &ClaimedTask, to: &ClaimedTask) -> i128 {
        let network = &self.platform.network;
        // Every node of the one gives to every node of the other.
        let stays = nodes_of(from).all(|from| nodes_of(to).all(|to| from == to));
        let Link { latency, bandwidth } = match (from.site == to.site, stays) {
            (true, true) => return 0,
            (true, false) => network.within_site,
            (false, _) => network.between_sites,
        };
        let moving = bandwidth.map_or(0, |bandwidth| {
            let speed = i128::from(bandwidth.as_bytes_per_second());
            let product = i128::from(edge.data.as_bytes()) * 1_000;
            product / speed + i128::from(product % speed > 0)
        });
        i128::from(latency.as_millis()) + moving
    }

    /// One task at a time on every node, or on each part of it.
    pub(super) fn each_node(&mut self) {
        let lasting = self.claim.tasks.iter().filter(|task| task.start < task.end);
        let mut taken: Vec<(&ClaimedTask, (&str, u32))> =
            lasting.flat_map(|task| parts_of(task).map(move |part| (task, part))).collect();
        taken.sort_by(|(a, on), (b, other)| {
            (&a.site, on, a.start, a.end, &a.task).cmp(&(&b.site, other, b.start, b.end, &b.task))
        });
        let mut furthest: Option<(&ClaimedTask, (&str, u32))> = None;
        for (next, part) in taken {
            let reach = furthest.filter(|(reach, on)| reach.site == next.site && *on == part);
            if let Some((reach, _)) = reach.filter(|(reach, _)| reach.end > next.start) {
                self.violations.push(TaskViolation::Overlap {
                    first: reach.task.clone(),
                    second: next.task.clone(),
                    node: full_name(&next.site, part.0),
                });
            }
            furthest = reach.filter(|(reach, _)| reach.end >= next.end).or(Some((next, part)));
        }
    }

    /// The job's terms.
    pub(super) fn limits(&mut self, terms: &Terms) {
        for claimed in &self.claim.tasks {
            let (task, start, end) = (claimed.task.clone(), claimed.start, claimed.end);
            if let Some(earliest) = terms.earliest.filter(|earliest| start < *earliest) {
                self.violations.push(TaskViolation::BeforeEarliest { task: task.clone(), earliest, start });
            }
            if let Some(deadline) = terms.deadline.filter(|deadline| end > *deadline) {
                self.violations.push(TaskViolation::AfterDeadline { task, deadline, end });
            }
        }
        let sum: i128 = self.claim.tasks.iter().map(|task| i128::from(task.cost.as_micros())).sum();
        if let Some(budget) = terms.budget.filter(|budget| sum > i128::from(budget.as_micros())) {
            self.violations.push(TaskViolation::OverBudget { budget, cost: money(sum) });
        }
    }
}

/// All nodes of a task.
fn nodes_of(claimed: &ClaimedTask) -> impl Iterator<Item = &str> {
    std::iter::once(&claimed.node).chain(&claimed.others).map(String::as_str)
}

/// The parts of nodes that a task has: of a gang's other nodes the first.
fn parts_of(claimed: &ClaimedTask) -> impl Iterator<Item = (&str, u32)> {
    let others = claimed.others.iter().map(|node| (node.as_str(), 0));
    std::iter::once((claimed.node.as_str(), claimed.part)).chain(others)
}

fn full_name(site: &str, node: &str) -> String {
    format!("{site}/{node}")
}

/// How long a task must last on a node.
fn needed_millis(task: &Task, lane: &Lane) -> i128 {
    let full = format!("{}/{}", lane.site_name, lane.name);
    let estimate = task.estimates.get(&full).or(task.estimates.get(&lane.name));
    match (estimate, task.work) {
        (Some(span), _) => i128::from(span.as_millis()),
        (None, Some(work)) => runtime_millis(work, lane.performance),
        (None, None) => 0,
    }
}

/// A point in time, clamped; for reports, never for comparisons.
fn time(millis: i128) -> Time {
    i64::try_from(millis).ok().and_then(Time::from_millis).unwrap_or(Time::MAX)
}
