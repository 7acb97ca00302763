//! Workflows of a trace in the dialect of the Grid Workload Format that names them.
//!
//! **Problem.** [`super::GwfJobs`] takes every task of a workflow for a job by itself, submitted when the trace says: that is when its
//! dependencies had been met on the machine of the trace, and says nothing of when they are met under another policy.
//!
//! **Method.** Lines of one `WorkflowID` are one workflow, wherever they stand in the file: every line is a task that waits for the tasks whose
//! `JobID`s its column `Dependencies` lists, divided by blanks. A workflow comes when the first of its tasks was submitted; what its tasks
//! gave to each other the trace does not say, so that it is taken to be nothing. A task has one node, so a workflow with a task
//! on more processors is left out, as is one of which a run time is not known; both are counted, as are tasks for which
//! somebody waits that the workflow does not have.
//!
//! **Complexity.** The workflows are held, O(tasks + dependencies).
//!
//! ```
//! use walras_sim::workload::read_flows;
//! let text = "WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies\n\
//!             0, 1, 16, 11, 1, 1,\n0, 2, 40, 12, 1, 1, 1\n0, 3, 40, 13, 1, 1, 1 2\n";
//! let flows = read_flows(text.as_bytes()).unwrap().flows;
//! assert_eq!((flows.len(), flows[0].submit.as_millis()), (1, 16_000));
//! assert_eq!((flows[0].workflow.tasks().len(), flows[0].workflow.edges().len()), (3, 3));
//! ```

use super::csv::columns;
use super::gwf::{Layout, named, number};
use crate::lines::Lines;
use crate::trace::BadLine;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use walras_model::{Data, Edge, Task, TaskId, Time, Work, Workflow, WorkflowError};

/// What a trace holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedFlows {
    /// The workflows, in order of submission.
    pub flows: Vec<TracedFlow>,
    /// So many are left out because a task of theirs has more than one processor.
    pub wide: u64,
    /// So many are left out because nobody knows how long a task of theirs ran.
    pub run_unknown: u64,
    /// So many dependencies are on tasks that the workflow does not have; nobody waits for these.
    pub missing: u64,
}

/// A workflow, and when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFlow {
    /// What is to be done; named by its number in the trace.
    pub workflow: Workflow,
    /// When the first of its tasks was submitted.
    pub submit: Time,
    /// Whose it is, where the trace says so.
    pub user: Option<i64>,
}

/// Why there are no workflows in a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadFlows {
    /// No line of names says which column holds what.
    #[error(
        "no line names the columns WorkflowID, JobID, SubmitTime, RunTime, NProcs and Dependencies: what has no workflows is read as jobs, without --workflow"
    )]
    Unnamed,
    /// A line cannot be read.
    #[error(transparent)]
    Line(#[from] BadLine),
    /// Tasks do not make a workflow.
    #[error("workflow {0}: {1}")]
    Workflow(i64, WorkflowError),
    /// Reading ended before the file did.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// A task as its line says it.
struct Row {
    line: u32,
    number: i64,
    submit: Time,
    /// `None` where nobody knows.
    run: Option<i64>,
    is_wide: bool,
    after: Vec<i64>,
    user: Option<i64>,
}

/// Where the workflow of a line stands, and what it waits for.
struct Names {
    layout: Layout,
    workflow: usize,
    dependencies: usize,
}

/// Reads all workflows of a trace that is not packed; see [`super::plain`].
pub fn read_flows<R: BufRead>(reader: R) -> Result<TracedFlows, BadFlows> {
    let mut lines = Lines::new(reader);
    let mut names: Option<Names> = None;
    let mut rows: BTreeMap<i64, Vec<Row>> = BTreeMap::new();
    while let Some((line, text)) = lines.next() {
        let text = String::from_utf8_lossy(text);
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        let columns = columns(text);
        let Some(known) = &names else {
            names = Some(names_of(&columns).ok_or(BadFlows::Unnamed)?);
            continue;
        };
        let (workflow, row) = row(line, &columns, known).map_err(|problem| BadLine { line, problem })?;
        rows.entry(workflow).or_default().push(row);
    }
    if let Some(fault) = lines.fault() {
        return Err(BadFlows::Io(io::Error::new(fault.kind(), fault.to_string())));
    }
    names.ok_or(BadFlows::Unnamed)?;
    let mut all = TracedFlows::default();
    for (number, rows) in rows {
        all.add(number, &rows)?;
    }
    all.flows.sort_by_key(|flow| flow.submit);
    Ok(all)
}

fn names_of(columns: &[&str]) -> Option<Names> {
    let at = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    Some(Names { layout: named(columns)?, workflow: at("WorkflowID")?, dependencies: at("Dependencies")? })
}

/// A line: the number of its workflow, and its task.
fn row(line: u32, columns: &[&str], names: &Names) -> Result<(i64, Row), String> {
    let Names { layout, workflow, dependencies } = names;
    if columns.len() < layout.columns {
        return Err(format!("{} columns where {} are needed", columns.len(), layout.columns));
    }
    let need = |column: usize, name: &str| {
        number(columns, column, 0)?.ok_or_else(|| format!("column {}: no {name}", column + 1))
    };
    let submit = number(columns, layout.submit, 3)?.filter(|at| *at >= 0).and_then(Time::from_millis);
    let submit = submit.ok_or_else(|| format!("column {}: no moment of submission", layout.submit + 1))?;
    let run = number(columns, layout.run, 3)?.filter(|run| *run >= 0);
    let asked = number(columns, layout.asked, 0)?.filter(|count| *count > 0);
    let processors = asked.or(number(columns, layout.got, 0)?).unwrap_or(1);
    let after = columns[*dependencies].split_whitespace().filter(|text| *text != "-1");
    let after: Result<Vec<i64>, _> = after.map(str::parse::<i64>).collect();
    let after = after.map_err(|_| {
        format!("column {}: dependencies must be numbers of jobs divided by blanks", dependencies + 1)
    })?;
    let (number, user) = (need(layout.number, "number of a job")?, layout.user_of(columns));
    let task = Row { line, number, submit, run, is_wide: processors > 1, after, user };
    Ok((need(*workflow, "number of a workflow")?, task))
}

impl TracedFlows {
    /// Adds the workflow of some lines, of which there is one at least, or counts why it is left out.
    fn add(&mut self, number: i64, rows: &[Row]) -> Result<(), BadFlows> {
        if rows.iter().any(|row| row.is_wide) {
            self.wide += 1;
            return Ok(());
        }
        if rows.iter().any(|row| row.run.is_none()) {
            self.run_unknown += 1;
            return Ok(());
        }
        let mut places: BTreeMap<i64, TaskId> = BTreeMap::new();
        for (place, row) in (0..).zip(rows) {
            if places.insert(row.number, TaskId::new(place)).is_some() {
                let problem = format!("workflow {number} has job {} twice", row.number);
                return Err(BadLine { line: row.line, problem }.into());
            }
        }
        let task = |row: &Row| Task::new(&row.number.to_string(), row.run.and_then(Work::from_millis));
        let mut edges = Vec::new();
        for row in rows {
            let to = places[&row.number];
            for before in row.after.iter().collect::<BTreeSet<_>>() {
                match places.get(before) {
                    Some(from) => edges.push(Edge { from: *from, to, data: Data::ZERO }),
                    None => self.missing += 1,
                }
            }
        }
        let workflow = Workflow::new(&number.to_string(), rows.iter().map(task).collect(), edges)
            .map_err(|error| BadFlows::Workflow(number, error))?;
        let user = rows.iter().find_map(|row| row.user);
        let submit = rows.iter().map(|row| row.submit).min();
        self.flows.extend(submit.map(|submit| TracedFlow { workflow, submit, user }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &str = "WorkflowID, JobID  , SubmitTime, RunTime, NProcs, ReqNProcs , Dependencies\n";

    #[test]
    fn tasks_of_a_workflow_wait_for_each_other_wherever_they_stand() {
        let text = format!(
            "{NAMES}7, 3, 40, 5, 1, 1, 2 1 2\n2, 1, 30, 0, 1, 1, -1\n7, 1, 16.5, 11, 1, 1,\n7, 2, 40, 12, 1, -1, 1 99\n"
        );
        let found = read_flows(text.as_bytes()).unwrap();
        let seen: Vec<_> =
            found.flows.iter().map(|flow| (flow.workflow.name(), flow.submit.as_millis())).collect();
        assert_eq!((seen, found.missing), (vec![("7", 16_500), ("2", 30_000)], 1));
        let workflow = &found.flows[0].workflow;
        let names: Vec<&str> =
            workflow.order().iter().map(|task| workflow.task(*task).name.as_str()).collect();
        assert_eq!((names, workflow.edges().len()), (vec!["1", "2", "3"], 3));
        assert_eq!(workflow.task(workflow.order()[1]).work, Work::from_millis(12_000));
        // What takes no time takes none.
        assert_eq!(found.flows[1].workflow.tasks()[0].work, None);
    }

    #[test]
    fn what_cannot_be_simulated_is_counted() {
        let text =
            format!("{NAMES}1, 1, 0, 9, 2, 2,\n1, 2, 0, 9, 1, 1, 1\n2, 3, 0, -1, 1, 1,\n3, 4, 0, 9, 1, 1,\n");
        let found = read_flows(text.as_bytes()).unwrap();
        assert_eq!((found.wide, found.run_unknown, found.flows.len()), (1, 1, 1));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |lines: &str| read_flows(format!("{NAMES}{lines}").as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("1, 1, 0, 9, 1, 1, a\n"),
            "line 2: column 7: dependencies must be numbers of jobs divided by blanks"
        );
        assert_eq!(error("1, 1, 0, 9, 1, 1,\n1, 1, 0, 9, 1, 1,\n"), "line 3: workflow 1 has job 1 twice");
        assert_eq!(error(", 1, 0, 9, 1, 1,\n"), "line 2: column 1: no number of a workflow");
        assert_eq!(
            error("4, 1, 0, 9, 1, 1, 2\n4, 2, 0, 9, 1, 1, 1\n"),
            "workflow 4: 2 tasks wait for each other in a circle"
        );
        let plain = read_flows("1 0 0 9 1 -1 -1 1 9\n".as_bytes()).unwrap_err().to_string();
        assert!(plain.starts_with("no line names the columns WorkflowID"), "{plain}");
    }
}
