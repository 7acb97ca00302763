//! What must hold of a graph of tasks.

use super::{Edge, Task, WorkflowError};
use crate::id::TaskId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Every name stands once.
pub(super) fn check_names(tasks: &[Task]) -> Result<(), WorkflowError> {
    let mut seen: BTreeMap<&str, TaskId> = BTreeMap::new();
    for (number, task) in (0..).zip(tasks) {
        let second = TaskId::new(number);
        if let Some(first) = seen.insert(&task.name, second) {
            return Err(WorkflowError::Duplicate { first, second });
        }
    }
    Ok(())
}

/// Every edge joins two tasks that are there, and no other edge joins them.
pub(super) fn check_edges(tasks: usize, edges: &[Edge]) -> Result<(), WorkflowError> {
    let mut seen = BTreeSet::new();
    for (position, edge) in edges.iter().enumerate() {
        for task in [edge.from, edge.to] {
            if task.index() >= tasks {
                return Err(WorkflowError::Dangling { edge: position, task });
            }
        }
        if !seen.insert((edge.from, edge.to)) {
            return Err(WorkflowError::DoubleEdge { edge: position });
        }
    }
    Ok(())
}

/// A topological order, smallest id first among those that may come next; or a cycle.
pub(super) fn order(tasks: usize, edges: &[Edge]) -> Result<Vec<TaskId>, WorkflowError> {
    let mut waits = vec![0_usize; tasks];
    let mut after: Vec<Vec<TaskId>> = vec![Vec::new(); tasks];
    for edge in edges {
        waits[edge.to.index()] += 1;
        after[edge.from.index()].push(edge.to);
    }
    let ids = (0..tasks).filter_map(TaskId::from_index);
    let mut ready: BinaryHeap<Reverse<TaskId>> =
        ids.filter(|task| waits[task.index()] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(tasks);
    while let Some(Reverse(task)) = ready.pop() {
        order.push(task);
        for next in &after[task.index()] {
            waits[next.index()] -= 1;
            if waits[next.index()] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    if order.len() == tasks { Ok(order) } else { Err(WorkflowError::Cycle(cycle(&waits, edges))) }
}

/// A cycle among the tasks that still wait: going back from one to one that it waits for, a task must come again.
fn cycle(waits: &[usize], edges: &[Edge]) -> Vec<TaskId> {
    let mut before: BTreeMap<TaskId, TaskId> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| waits[edge.from.index()] > 0 && waits[edge.to.index()] > 0) {
        before.insert(edge.to, edge.from);
    }
    let mut seen: BTreeMap<TaskId, usize> = BTreeMap::new();
    let mut way = Vec::new();
    let mut next = before.keys().next().copied();
    while let Some(task) = next {
        if let Some(first) = seen.insert(task, way.len()) {
            let mut cycle = way.split_off(first);
            cycle.reverse();
            // From the smallest id on, so that the same cycle reads the same.
            let smallest = (0..cycle.len()).min_by_key(|at| cycle[*at]).unwrap_or(0);
            cycle.rotate_left(smallest);
            return cycle;
        }
        way.push(task);
        next = before.get(&task).copied();
    }
    way
}
