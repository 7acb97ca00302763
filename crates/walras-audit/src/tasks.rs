//! Whether parts are what is left of a workflow: every task once, long enough, on a node that suits it, after its data.
//!
//! Time O((tasks + edges) · log tasks).

use crate::finding::AllocationFault;
use crate::places::{Machine, Places};
use crate::sums::{hold_of, lag_of, meet, millis_between, passes, runtime_of};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::allocation::{Allocation, Part};
use walras_model::{Network, Task, TaskId, Time, Value, Workflow};

/// Appends what is wrong with the parts of an alternative as the rest of a workflow.
pub(crate) fn faults(
    workflow: &Workflow,
    done: &BTreeSet<TaskId>,
    allocation: &Allocation,
    places: &Places,
    network: &Network,
    faults: &mut Vec<AllocationFault>,
) {
    let mut at: BTreeMap<TaskId, u32> = BTreeMap::new();
    for (part, place) in allocation.parts.iter().zip(0_u32..) {
        let task = part.task.filter(|task| task.index() < workflow.tasks().len() && !done.contains(task));
        if task.is_none_or(|task| at.insert(task, place).is_some()) {
            faults.push(AllocationFault::WrongTasks);
        }
    }
    let left = (0..workflow.tasks().len()).filter_map(TaskId::from_index).filter(|task| !done.contains(task));
    if left.count() != at.len() {
        faults.push(AllocationFault::WrongTasks);
    }
    for (task, place) in &at {
        let Some(part) = allocation.parts.get(*place as usize) else { continue };
        let node = hold_of(allocation, part).and_then(|hold| hold.node);
        let Some(machine) = places.machine(part.site, node) else { continue };
        task_faults(workflow.task(*task), part, &machine, faults);
    }
    for edge in workflow.edges() {
        let (Some(from), Some(to)) = (at.get(&edge.from), at.get(&edge.to)) else { continue };
        let (Some(giver), Some(taker)) =
            (allocation.parts.get(*from as usize), allocation.parts.get(*to as usize))
        else {
            continue;
        };
        let lag =
            lag_of(network, edge.data.as_bytes().into(), (giver.site, giver.hold), (taker.site, taker.hold));
        let waits = taker.after.iter().any(|(part, _)| part == from);
        if !waits || millis_between(giver.end, taker.start) < lag {
            faults.push(AllocationFault::BeforeData(*to));
        }
    }
    faults.extend(overlapping(&allocation.parts, |_| true).into_iter().map(AllocationFault::PartsOverlap));
}

fn task_faults(task: &Task, part: &Part, machine: &Machine<'_>, faults: &mut Vec<AllocationFault>) {
    let known = machine.names.as_ref();
    let estimate = known.and_then(|(full, name)| task.estimates.get(full).or(task.estimates.get(*name)));
    let expected = match (estimate, task.work) {
        (Some(span), _) => i128::from(span.as_millis()),
        (None, Some(work)) => runtime_of(work, machine.performance),
        (None, None) => 0,
    };
    let length = millis_between(part.start, part.end);
    if length != expected {
        faults.push(AllocationFault::WrongLength { expected, length });
    }
    let stated = |name: &str| match machine.attributes.get(name) {
        Some(Value::Number(number)) => Some(i128::from(number.as_millionths())),
        _ => None,
    };
    let too_few = stated("cores").is_some_and(|cores| cores < i128::from(task.cores) * 1_000_000);
    let needed = task.memory.map_or(0, |memory| i128::from(memory.as_bytes()));
    let too_little = stated("memory_gb").is_some_and(|memory| memory * 1_000 < needed);
    let unmet = task.requires.iter().any(|it| !passes(it, machine.attributes));
    if too_few || too_little || unmet {
        faults.push(AllocationFault::Unmet(part.site));
    }
}

/// The parts that begin on a hold before another on it, of those that count, has ended. Parts that take no time are
/// never in the allocation.
pub(crate) fn overlapping(parts: &[Part], counts: impl Fn(usize) -> bool) -> Vec<u32> {
    let lasting =
        parts.iter().zip(0_u32..).filter(|(part, at)| part.start < part.end && counts(*at as usize));
    let mut order: Vec<(&Part, u32)> = lasting.collect();
    order.sort_by_key(|(part, at)| (part.site, part.hold, part.start, part.end, *at));
    let mut found = Vec::new();
    let mut reach: Option<(&Part, Time)> = None;
    for (part, at) in order {
        let before = reach.filter(|(last, _)| (last.site, last.hold) == (part.site, part.hold));
        if before.is_some_and(|(last, end)| meet((last.start, end), (part.start, part.end))) {
            found.push(at);
        }
        reach = Some((part, before.map_or(part.end, |(_, end)| end.max(part.end))));
    }
    found
}
