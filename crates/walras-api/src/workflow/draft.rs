//! A workflow as a file tells it, and the checks that all formats share.

use super::WORKFLOW_TASKS_MAX;
use super::warning::ReadWarnings;
use crate::error::{ErrorKind, Position, ReadError, echo};
use std::collections::BTreeMap;
use walras_broker::program::TaskProgram;
use walras_model::{Data, Decimal, DecimalError, Edge, Task, TaskId, Work, Workflow, WorkflowError};

/// Where something stands in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct DraftLocation {
    pub(super) position: Option<Position>,
    /// Such as `tasks[3]` or `task ID00001`.
    pub(super) path: String,
}

/// An edge by names.
#[derive(Clone, Debug)]
pub(super) struct DraftEdge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) data: Data,
    pub(super) location: DraftLocation,
}

/// A workflow that has been read and not been checked.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) source: &'a str,
    pub(super) name: String,
    pub(super) tasks: Vec<(Task, DraftLocation)>,
    pub(super) edges: Vec<DraftEdge>,
    /// What each task runs, in their order; none where nothing is known of that.
    pub(super) programs: Vec<TaskProgram>,
    /// Why these cannot be run, which is no matter to whoever only plans.
    pub(super) unrunnable: Option<ReadError>,
    /// What was assumed so far.
    pub(super) warnings: ReadWarnings,
}

/// How many tasks of a cycle an error lists.
const CYCLE_SHOWN_MAX: usize = 8;

/// The error that "`value` `what`" at this place.
pub(super) fn refuse(source: &str, location: &DraftLocation, value: &str, what: &str) -> ReadError {
    let value = echo(value);
    ReadError {
        kind: ErrorKind::Value,
        source: source.to_owned(),
        position: location.position,
        path: location.path.clone(),
        problem: format!("{value} {what}"),
        value: Some(value),
    }
}

/// The error that something is not there.
pub(super) fn missing(source: &str, location: &DraftLocation, problem: String) -> ReadError {
    ReadError {
        kind: ErrorKind::Shape,
        source: source.to_owned(),
        position: location.position,
        path: location.path.clone(),
        value: None,
        problem,
    }
}

/// Run time in seconds as work; a task of less than a millisecond has one.
pub(super) fn work_of(text: &str) -> Result<Option<Work>, &'static str> {
    let wrong = "is not a run time: it must be a number of seconds";
    let seconds = text.parse::<Decimal>().map_err(|_| wrong)?;
    match seconds.rounded(3).ok_or(wrong)? {
        negative if negative < 0 => Err("is not a run time: it must not be negative"),
        0 if seconds.units(3).is_ok() => Ok(None),
        units => {
            let millis = i64::try_from(units.max(1)).ok();
            let work = millis.and_then(Work::from_millis);
            work.map(Some).ok_or("is not a run time: it must be at most 1000000000000 seconds")
        }
    }
}

/// A number of bytes, rounded up.
pub(super) fn data_of(text: &str) -> Result<Data, &'static str> {
    let wrong = "is not an amount of data: it must be a number of bytes, not negative";
    let stated = text.parse::<Decimal>().map_err(|_| wrong)?;
    let negative = stated.to_string().starts_with('-');
    let bytes = stated.cut(0).filter(|_| !negative).ok_or(wrong)?;
    let finer = matches!(stated.units_wide(0), Err(DecimalError::TooFine { .. }));
    bytes.checked_add(i64::from(finer)).and_then(Data::from_bytes).ok_or(wrong)
}

impl<'a> Draft<'a> {
    /// Nothing yet.
    pub(super) fn new(source: &'a str, name: String) -> Draft<'a> {
        let (tasks, edges, programs) = (Vec::new(), Vec::new(), Vec::new());
        Draft { source, name, tasks, edges, programs, unrunnable: None, warnings: ReadWarnings::default() }
    }
}

impl Draft<'_> {
    /// The workflow with what was assumed, or what is wrong and where.
    pub(super) fn finish_lenient(mut self) -> Result<(Workflow, ReadWarnings), ReadError> {
        let warnings = std::mem::take(&mut self.warnings);
        Ok((self.finish()?, warnings))
    }

    /// The workflow, or what is wrong and where.
    pub(super) fn finish(self) -> Result<Workflow, ReadError> {
        if self.tasks.len() > WORKFLOW_TASKS_MAX {
            let what = format!("are too many tasks: a workflow has at most {WORKFLOW_TASKS_MAX}");
            return Err(refuse(self.source, &DraftLocation::default(), &self.tasks.len().to_string(), &what));
        }
        let ids = self.ids()?;
        let mut edges = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            let find = |name: &String| {
                ids.get(name.as_str()).copied().ok_or_else(|| {
                    let what = "is not the name of a task: an edge must join two tasks of the workflow";
                    refuse(self.source, &edge.location, name, what)
                })
            };
            edges.push(Edge { from: find(&edge.from)?, to: find(&edge.to)?, data: edge.data });
        }
        let tasks = self.tasks.iter().map(|(task, _)| task.clone()).collect();
        Workflow::new(&self.name, tasks, edges).map_err(|error| self.explain(&error))
    }

    fn ids(&self) -> Result<BTreeMap<&str, TaskId>, ReadError> {
        let mut ids: BTreeMap<&str, TaskId> = BTreeMap::new();
        for (index, (task, location)) in self.tasks.iter().enumerate() {
            let Some(id) = TaskId::from_index(index) else {
                return Err(refuse(
                    self.source,
                    location,
                    &task.name,
                    "is beyond the greatest number of a task",
                ));
            };
            if task.name.is_empty() || task.name.chars().any(char::is_control) {
                let what = "is not a name for a task: it must not be empty or contain control characters";
                return Err(refuse(self.source, location, &task.name, what));
            }
            if let Some(first) = ids.insert(&task.name, id) {
                let first = &self.tasks[first.index()].1;
                let at =
                    first.position.map_or(first.path.clone(), |position| format!("line {}", position.line));
                let what = format!("is the name of two tasks, first at {at}: names must differ");
                return Err(refuse(self.source, location, &task.name, &what));
            }
        }
        Ok(ids)
    }

    fn explain(&self, error: &WorkflowError) -> ReadError {
        let nowhere = DraftLocation::default();
        match error {
            WorkflowError::Count(_) => {
                missing(self.source, &nowhere, "there are no tasks: a workflow has at least one".to_owned())
            }
            WorkflowError::NoNodes(task) => {
                let (task, location) = &self.tasks[task.index()];
                refuse(self.source, location, &task.name, "takes no node: expected 1 or more")
            }
            WorkflowError::Cycle(tasks) => {
                let name = |task: &TaskId| echo(&self.tasks[task.index()].0.name);
                let mut names: Vec<String> = tasks.iter().take(CYCLE_SHOWN_MAX).map(name).collect();
                if let Some(more @ 1..) = tasks.len().checked_sub(CYCLE_SHOWN_MAX) {
                    names.push(format!("{more} more"));
                }
                names.extend(tasks.first().map(name));
                let first = tasks.first().map_or(&nowhere, |task| &self.tasks[task.index()].1);
                let what = "is a cycle: no task may wait for itself";
                let mut refused = refuse(self.source, first, "", what);
                let way = names.join(" -> ");
                refused.problem = format!("{way} {what}");
                refused.value = Some(way);
                refused
            }
            WorkflowError::DoubleEdge { edge } | WorkflowError::Dangling { edge, .. } => {
                let edge = &self.edges[*edge];
                let what = "is there twice: give all data between two tasks in one edge";
                refuse(self.source, &edge.location, &format!("{} -> {}", edge.from, edge.to), what)
            }
            WorkflowError::Duplicate { second, .. } => {
                let (task, location) = &self.tasks[second.index()];
                refuse(self.source, location, &task.name, "is the name of two tasks: names must differ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_byte_are_rounded_up() {
        let bytes = |text: &str| data_of(text).map(Data::as_bytes);
        assert_eq!([bytes("1.7"), bytes("1.2"), bytes("0.5"), bytes("2")], [Ok(2), Ok(2), Ok(1), Ok(2)]);
        for wrong in ["-1", "-0.2", "1e30", "many"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
