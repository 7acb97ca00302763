//! Whether parts are what is left of a workflow: every task once, long enough, on a node that suits it, after its data.
//!
//! Time O((tasks + edges) · log tasks).

use crate::finding::AllocationFault;
use crate::places::{Machine, Places};
use crate::sums::{divide_upwards, hold_of, lag_of, meet, millis_between, passes, runtime_of, units_needed};
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
    // By task: all its parts, of which a gang has several.
    let mut at: BTreeMap<TaskId, Vec<u32>> = BTreeMap::new();
    for (part, place) in allocation.parts.iter().zip(0_u32..) {
        match part.task.filter(|task| task.index() < workflow.tasks().len() && !done.contains(task)) {
            Some(task) => at.entry(task).or_default().push(place),
            None => faults.push(AllocationFault::WrongTasks),
        }
    }
    let left = (0..workflow.tasks().len()).filter_map(TaskId::from_index).filter(|task| !done.contains(task));
    if left.count() != at.len() {
        faults.push(AllocationFault::WrongTasks);
    }
    let parts_of = |places: &[u32]| -> Vec<&Part> {
        places.iter().filter_map(|place| allocation.parts.get(*place as usize)).collect()
    };
    for (task, places_of) in &at {
        let (task, parts) = (workflow.task(*task), parts_of(places_of));
        if usize::try_from(task.nodes).ok() != Some(parts.len()) || !is_together(&parts) {
            faults.push(AllocationFault::WrongTasks);
        }
        task_faults(task, &parts, allocation, places, faults);
    }
    for edge in workflow.edges() {
        let (Some(from), Some(to)) = (at.get(&edge.from), at.get(&edge.to)) else { continue };
        let (givers, takers) = (parts_of(from), parts_of(to));
        let late = givers.iter().any(|giver| {
            takers.iter().any(|taker| {
                let bytes = edge.data.as_bytes().into();
                let node = |part: &Part| (part.site, hold_of(allocation, part).and_then(|hold| hold.node));
                let lag = lag_of(network, bytes, node(giver), node(taker));
                millis_between(giver.end, taker.start) < lag
            })
        });
        // A gang starts together: with the first of its parts all of them wait.
        let waits =
            |giver: &u32| takers.first().is_some_and(|it| it.after.iter().any(|(part, _)| part == giver));
        if let Some(first) = to.first().filter(|_| late || !from.iter().all(waits)) {
            faults.push(AllocationFault::BeforeData(*first));
        }
    }
    faults.extend(overlapping(&allocation.parts, |_| true).into_iter().map(AllocationFault::PartsOverlap));
}

/// Whether parts are those of one task: at one time, on different nodes of one site.
fn is_together(parts: &[&Part]) -> bool {
    let holds: BTreeSet<u32> = parts.iter().map(|part| part.hold).collect();
    let when = |part: &Part| (part.site, part.start, part.end);
    holds.len() == parts.len() && parts.windows(2).all(|pair| when(pair[0]) == when(pair[1]))
}

fn task_faults(
    task: &Task,
    parts: &[&Part],
    allocation: &Allocation,
    places: &Places,
    faults: &mut Vec<AllocationFault>,
) {
    let machine = |part: &&Part| {
        let node = hold_of(allocation, part).and_then(|hold| hold.node);
        places.machine(part.site, node)
    };
    // All of a gang take as long as the slowest.
    let expected = parts.iter().filter_map(machine).map(|machine| needed(task, &machine)).max();
    let length = parts.first().map_or(0, |part| millis_between(part.start, part.end));
    if let Some(expected) = expected.filter(|expected| *expected != length) {
        faults.push(AllocationFault::WrongLength { expected, length });
    }
    for part in parts {
        if machine(part).is_some_and(|machine| is_unmet(task, &machine)) {
            faults.push(AllocationFault::Unmet(part.site));
        }
    }
}

/// Of workflows whose tasks need more different things, nodes are taken whole.
const NEEDS_MAX: usize = 64;

/// A task for each of the things that those that are left need of their nodes; `None` where these are too many.
pub(crate) fn needs<'a>(workflow: &'a Workflow, done: &BTreeSet<TaskId>) -> Option<Vec<&'a Task>> {
    let mut known: Vec<&Task> = Vec::new();
    let left = workflow.tasks().iter().zip(0..).filter(|(_, number)| !done.contains(&TaskId::new(*number)));
    for (task, _) in left {
        let is_like = |other: &&Task| {
            task.cores == other.cores && task.memory == other.memory && task.requires == other.requires
        };
        if !known.iter().any(is_like) {
            known.push(task);
        }
        if known.len() > NEEDS_MAX {
            return None;
        }
    }
    Some(known)
}

/// The units of a machine that a place for tasks has there: the most that one of those needs which it can run, or all.
pub(crate) fn units_of_place(needs: Option<&[&Task]>, asked: u32, machine: &Machine<'_>) -> u32 {
    let Some(division) = machine.division else { return asked };
    let (Some(needs), true) = (needs, division.units() > 1) else { return division.units() };
    let of_task = |task: &&Task| {
        let required = units_needed(&task.requires, machine.attributes, Some(division))?;
        let bytes = task.memory.map_or(0, |memory| i128::from(memory.as_bytes()));
        let counted = [("cores", i128::from(task.cores), 1), ("memory_gb", bytes, 1_000_000_000)];
        let units = counted.map(|(name, amount, each)| match division.resources().get(name) {
            Some(all) => divide_upwards(amount * i128::from(division.units()), i128::from(*all) * each),
            None => 0,
        });
        let most = units.into_iter().max().unwrap_or(0).max(i128::from(required));
        let fits = most <= i128::from(division.units()) && !has_too_little(task, machine);
        u32::try_from(most).ok().filter(|_| fits)
    };
    needs.iter().filter_map(of_task).max().map_or(asked, |units| units.max(asked))
}

/// How long a task takes on a machine.
fn needed(task: &Task, machine: &Machine<'_>) -> i128 {
    let known = machine.names.as_ref();
    let estimate = known.and_then(|(full, name)| task.estimates.get(full).or(task.estimates.get(*name)));
    match (estimate, task.work) {
        (Some(span), _) => i128::from(span.as_millis()),
        (None, Some(work)) => runtime_of(work, machine.performance),
        (None, None) => 0,
    }
}

/// Whether a machine is not what a task needs.
fn is_unmet(task: &Task, machine: &Machine<'_>) -> bool {
    has_too_little(task, machine) || task.requires.iter().any(|it| !passes(it, machine.attributes))
}

/// Whether a machine states too few cores for a task, or too little memory.
fn has_too_little(task: &Task, machine: &Machine<'_>) -> bool {
    let stated = |name: &str| match machine.attributes.get(name) {
        Some(Value::Number(number)) => Some(i128::from(number.as_millionths())),
        _ => None,
    };
    let too_few = stated("cores").is_some_and(|cores| cores < i128::from(task.cores) * 1_000_000);
    let needed = task.memory.map_or(0, |memory| i128::from(memory.as_bytes()));
    let too_little = stated("memory_gb").is_some_and(|memory| memory * 1_000 < needed);
    too_few || too_little
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
