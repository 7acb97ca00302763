//! The checks, each on plain integers.

use super::super::facts::{cost_micros, money, passes, runtime_millis};
use super::{ClaimedTask, TaskClaim, TaskViolation};
use std::collections::BTreeMap;
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
            match self.nodes.get(&(claimed.site.as_str(), claimed.node.as_str())).cloned() {
                None => self.violations.push(TaskViolation::UnknownNode { task, node: full_name(claimed) }),
                Some(lanes) => self.on_node(&self.workflow.tasks()[index], claimed, &lanes),
            }
        }
    }

    fn on_node(&mut self, task: &Task, claimed: &ClaimedTask, lanes: &[&Lane]) {
        let Some(any) = lanes.first() else { return };
        let (name, node) = (claimed.task.clone(), full_name(claimed));
        let lasts = i128::from(claimed.end.as_millis()) - i128::from(claimed.start.as_millis());
        let needed = needed_millis(task, any);
        if lasts != needed {
            let expected = i64::try_from(needed).ok().and_then(Span::from_millis);
            let span = i64::try_from(lasts).ok().and_then(Span::from_millis).unwrap_or(Span::ZERO);
            let (task, node) = (name.clone(), node.clone());
            self.violations.push(TaskViolation::WrongRuntime { task, node, expected, claimed: span });
        }
        self.requirements(task, claimed, any);
        let holds = |lane: &&&Lane| {
            lane.free.iter().any(|free| free.start() <= claimed.start && claimed.end <= free.end())
        };
        // A task that takes no time costs nothing, whichever of touching intervals it is in.
        let Some(lane) = lanes.iter().find(holds) else {
            let (start, end) = (claimed.start, claimed.end);
            return self.violations.push(TaskViolation::OutsideFreeTime { task: name, node, start, end });
        };
        let expected = money(cost_micros(lane.rate, lasts).unwrap_or(i128::MAX));
        if expected != claimed.cost {
            self.violations.push(TaskViolation::WrongCost { task: name, expected, claimed: claimed.cost });
        }
    }

    /// Cores, memory and attributes.
    fn requirements(&mut self, task: &Task, claimed: &ClaimedTask, lane: &Lane) {
        let (name, node) = (&claimed.task, full_name(claimed));
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
        let Link { latency, bandwidth } = match (from.site == to.site, from.node == to.node) {
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

    /// One task at a time on every node.
    pub(super) fn each_node(&mut self) {
        let lasting = self.claim.tasks.iter().filter(|task| task.start < task.end);
        let mut taken: Vec<&ClaimedTask> = lasting.collect();
        taken.sort_by(|a, b| {
            (&a.site, &a.node, a.start, a.end, &a.task).cmp(&(&b.site, &b.node, b.start, b.end, &b.task))
        });
        let mut furthest: Option<&ClaimedTask> = None;
        for next in taken {
            let reach = furthest.filter(|reach| reach.site == next.site && reach.node == next.node);
            if let Some(reach) = reach.filter(|reach| reach.end > next.start) {
                self.violations.push(TaskViolation::Overlap {
                    first: reach.task.clone(),
                    second: next.task.clone(),
                    node: full_name(next),
                });
            }
            furthest = reach.filter(|reach| reach.end >= next.end).or(Some(next));
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

fn full_name(claimed: &ClaimedTask) -> String {
    format!("{}/{}", claimed.site, claimed.node)
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
