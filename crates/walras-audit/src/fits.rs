//! Whether an alternative is one in which a job can be run: its places, its times and its price.
//!
//! Time O(holds · log holds + parts), and O(tasks + edges) for a workflow.

use crate::finding::AllocationFault;
use crate::look::Look;
use crate::state::Job;
use crate::sums::{
    MILLION, cost_of, hold_of, holds, is_kept, is_queue, length, price_of, runtime_of, share_of, units_needed,
};
use crate::{Auditor, tasks};
use std::collections::BTreeSet;
use walras_broker::allocation::{Allocation, Hold};
use walras_core::agenda::Promise;
use walras_model::{NodeId, Request, SiteId, Task};

impl Auditor {
    /// What is wrong with an alternative for a job at this moment, by what it is promised. Who else holds its nodes is not looked at here.
    pub(crate) fn allocation_faults(
        &self,
        look: &Look<'_>,
        job: &Job,
        promise: Option<Promise>,
        allocation: &Allocation,
    ) -> Vec<AllocationFault> {
        let mut faults = Vec::new();
        if allocation.parts.is_empty() || holds(allocation).next().is_none() {
            faults.push(AllocationFault::Empty);
        }
        let mut seen = BTreeSet::new();
        for leg in &allocation.legs {
            if !seen.insert(leg.site) {
                faults.push(AllocationFault::SiteTwice(leg.site));
            }
            if leg.holds.is_empty() {
                faults.push(AllocationFault::Empty);
            }
        }
        let needs = job.spec.workflow.as_ref().and_then(|of| tasks::needs(&of.workflow, &job.done));
        for (site, _, hold) in holds(allocation) {
            self.hold_faults(look, site, hold, &mut faults);
            self.machine_faults((job, needs.as_deref()), site, hold, &mut faults);
        }
        part_faults(allocation, &mut faults);
        self.limit_faults(job, promise, allocation, &mut faults);
        match &job.spec.workflow {
            None => self.parallel_faults(&job.spec.request, allocation, &mut faults),
            Some(spec) => {
                let workflow = &spec.workflow;
                // A gang has nodes of its own.
                if workflow.widest() > 1 || job.spec.request.scope.separate_nodes {
                    faults.extend(shared_node(allocation).map(AllocationFault::NotSeparate));
                }
                tasks::faults(
                    workflow,
                    &job.done,
                    allocation,
                    &self.places,
                    &self.policy.network,
                    &mut faults,
                );
            }
        }
        faults
    }

    /// A hold is on a node or a queue that stands, in time that is to come and nobody else's, at its price.
    fn hold_faults(&self, look: &Look<'_>, site: SiteId, hold: &Hold, faults: &mut Vec<AllocationFault>) {
        if !self.places.has(site) {
            faults.push(AllocationFault::NoSite(site));
        } else if !self.places.site_stands(site) {
            faults.push(AllocationFault::SiteLost(site));
        } else if self.places.is_leaving(site) {
            faults.push(AllocationFault::SiteLeaving(site));
        }
        let (start, end) = (hold.interval.start(), hold.interval.end());
        match hold.node {
            Some(node) if self.places.site_of(node) != Some(site) => {
                faults.push(AllocationFault::NotOfSite { node, site });
            }
            Some(node) if !self.places.node_stands(node) => faults.push(AllocationFault::NodeLost(node)),
            Some(node) if self.places.is_taken(node, start, end) => {
                faults.push(AllocationFault::NodeTaken(node))
            }
            Some(node) if self.places.is_drained(node, start, end) => {
                faults.push(AllocationFault::NodeDrained(node))
            }
            Some(_) => {}
            None if !self.places.is_queue(site) => faults.push(AllocationFault::NotAQueue(site)),
            None => {}
        }
        // In a queue times are expectations.
        if hold.node.is_some() && start <= look.now {
            faults.push(AllocationFault::Past(start));
        }
        let (expected, cost) = (cost_of(hold.rate, length(hold.interval)), i128::from(hold.cost.as_micros()));
        if expected != cost {
            faults.push(AllocationFault::WrongCost { expected, cost });
        }
    }

    /// What the job asks of every node.
    fn machine_faults(
        &self,
        (job, needs): (&Job, Option<&[&Task]>),
        site: SiteId,
        hold: &Hold,
        faults: &mut Vec<AllocationFault>,
    ) {
        let request = &job.spec.request;
        let wanted = request.scope.sites.as_ref();
        if wanted.is_some_and(|sites| !sites.contains(&site)) {
            faults.push(AllocationFault::OutOfScope(site));
        }
        let Some(machine) = self.places.machine(site, hold.node) else { return };
        if machine.performance < request.performance_min {
            faults.push(AllocationFault::TooSlow(site));
        }
        let Some(needed) = units_needed(&request.requires, machine.attributes, machine.division) else {
            return faults.push(AllocationFault::Unmet(site));
        };
        // Of a workflow it is enough that one of its tasks asks for it.
        let tasks = job.spec.workflow.iter().flat_map(|of| of.workflow.tasks());
        let asked = request.requires.iter().chain(tasks.flat_map(|task| &task.requires));
        if let Some(node) = hold.node.filter(|_| is_kept(asked, machine.division)) {
            faults.push(AllocationFault::KeptForOthers(node));
        }
        // A place for the tasks of a workflow has what the dearest of those needs that can run there.
        let needed = match job.spec.workflow {
            Some(_) => tasks::units_of_place(needs, needed, &machine),
            None => needed,
        };
        if let Some(node) = hold.node.filter(|_| hold.units != needed) {
            faults.push(AllocationFault::WrongUnits { node, needed, held: hold.units });
        }
    }

    /// Deadline, earliest start, budget, and all on one site where that is asked for. Who is promised an end after its deadline is
    /// bound by that instead.
    fn limit_faults(
        &self,
        job: &Job,
        promise: Option<Promise>,
        allocation: &Allocation,
        faults: &mut Vec<AllocationFault>,
    ) {
        let request = &job.spec.request;
        let last = match job.spec.workflow {
            None => holds(allocation).map(|(_, _, hold)| hold.interval.end()).max(),
            Some(_) => allocation.parts.iter().map(|part| part.end).max(),
        };
        let deadline = request.deadline.filter(|deadline| promise.is_none_or(|it| it.finish <= *deadline));
        if last.zip(deadline).is_some_and(|(end, deadline)| end > deadline) {
            faults.push(AllocationFault::AfterDeadline);
        }
        let first = holds(allocation).map(|(_, _, hold)| hold.interval.start()).min();
        if first.zip(request.earliest).is_some_and(|(start, earliest)| start < earliest) {
            faults.push(AllocationFault::BeforeEarliest);
        }
        let cost = price_of(allocation);
        // Elements of an array have one budget together.
        let own = || self.may_spend(request).map(|limit| limit - job.spent);
        if let Some(limit) = self.left_for(job).or_else(own)
            && cost > limit
        {
            faults.push(AllocationFault::OverBudget { limit, cost });
        }
        if let Some(second) = allocation.legs.get(1).filter(|_| request.scope.same_site) {
            faults.push(AllocationFault::OutOfScope(second.site));
        }
    }

    /// What a job may spend in all: its budget, or what follows from its price cap, or no limit.
    fn may_spend(&self, request: &Request) -> Option<i128> {
        if let Some(budget) = request.budget {
            return Some(i128::from(budget.as_micros()));
        }
        let task = cost_of(request.price_max?, runtime_of(request.work, request.performance_min));
        let all = task.checked_mul(i128::from(request.tasks)).filter(|all| *all < i128::MAX / MILLION)?;
        Some(share_of(all, self.policy.search.budget_factor.as_millionths()))
    }

    /// As many holds as tasks, on nodes of their own, with one start, each as long as the work takes there; and a part
    /// for each.
    fn parallel_faults(&self, request: &Request, allocation: &Allocation, faults: &mut Vec<AllocationFault>) {
        let count = u32::try_from(holds(allocation).count()).unwrap_or(u32::MAX);
        if count != request.tasks {
            faults.push(AllocationFault::WrongCount);
        }
        if request.scope.separate_nodes {
            faults.extend(shared_node(allocation).map(AllocationFault::NotSeparate));
        }
        let mut starts = holds(allocation).map(|(_, _, hold)| hold.interval.start());
        let first = starts.next();
        if starts.any(|start| Some(start) != first) {
            faults.push(AllocationFault::StartsApart);
        }
        for (site, _, hold) in holds(allocation) {
            let Some(machine) = self.places.machine(site, hold.node) else { continue };
            let (expected, length) = (runtime_of(request.work, machine.performance), length(hold.interval));
            if expected != length {
                faults.push(AllocationFault::WrongLength { expected, length });
            }
        }
        let mut places = BTreeSet::new();
        let whole = |hold: &Hold, start, end| hold.interval.start() == start && hold.interval.end() == end;
        let each = allocation.parts.iter().all(|part| {
            let fits = hold_of(allocation, part).is_some_and(|hold| whole(hold, part.start, part.end));
            fits && part.task.is_none() && part.after.is_empty() && places.insert((part.site, part.hold))
        });
        if !each || u32::try_from(allocation.parts.len()) != Ok(count) {
            faults.push(AllocationFault::WrongTasks);
        }
    }
}

/// A node of which there are several holds.
fn shared_node(allocation: &Allocation) -> Option<NodeId> {
    let mut nodes = BTreeSet::new();
    holds(allocation).filter_map(|(_, _, hold)| hold.node).find(|node| !nodes.insert(*node))
}

/// Every part lies within what is held for it; a queue holds for nobody but itself.
fn part_faults(allocation: &Allocation, faults: &mut Vec<AllocationFault>) {
    for (part, place) in allocation.parts.iter().zip(0_u32..) {
        let inside = hold_of(allocation, part).is_some_and(|hold| {
            hold.node.is_none() || (hold.interval.start() <= part.start && part.end <= hold.interval.end())
        });
        if !inside || part.end < part.start {
            faults.push(AllocationFault::PartOutside(place));
        }
    }
    if is_queue(allocation)
        && let Some((site, _, _)) = holds(allocation).find(|(_, _, hold)| hold.node.is_some())
    {
        faults.push(AllocationFault::NotAQueue(site));
    }
}
