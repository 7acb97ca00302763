//! Workflows of a plan: the sizes that were looked at, and where every task is.

use super::aligned;
use std::fmt::Write;
use walras_api::{Num, Plan, PlannedSize, PlannedWorkflow};

/// At most so many tasks of a job are listed; JSON has all of them.
const TASKS_SHOWN_MAX: usize = 40;

/// Nothing when no job is a workflow.
pub(crate) fn of_workflows(plan: &Plan) -> String {
    let mut text = String::new();
    for planned in &plan.workflows {
        let _ = write!(
            text,
            "\nworkflow {}, strategy {}: sizes of its window (* taken)\n{}",
            planned.job,
            planned.strategy,
            sizes(planned)
        );
        if !planned.tasks.is_empty() {
            text.push_str(&tasks(planned));
        }
    }
    text
}

fn sizes(planned: &PlannedWorkflow) -> String {
    let mut rows = vec![["nodes", "work of each", "start", "end", "tasks done", "cost"].map(str::to_owned)];
    let number = |number: &Option<Num>| number.as_ref().map_or("–".to_owned(), Num::to_string);
    let row = |size: &PlannedSize| {
        let taken = size.nodes == planned.nodes && size.work == planned.work;
        let mark = if taken { "*" } else { "" };
        [
            format!("{mark}{}", size.nodes),
            size.work.to_string(),
            number(&size.start),
            number(&size.end),
            number(&size.finish),
            number(&size.cost),
        ]
    };
    rows.extend(planned.sizes.iter().map(row));
    aligned(&rows)
}

fn tasks(planned: &PlannedWorkflow) -> String {
    let mut rows = vec![["task", "start", "end", "transfer", "node"].map(str::to_owned)];
    for task in planned.tasks.iter().take(TASKS_SHOWN_MAX) {
        rows.push([
            task.id.clone(),
            task.start.to_string(),
            task.end.to_string(),
            task.transfer.to_string(),
            task.place(),
        ]);
    }
    let mut text = aligned(&rows);
    if let Some(more @ 1..) = planned.tasks.len().checked_sub(TASKS_SHOWN_MAX) {
        let _ = writeln!(text, "… and {more} more tasks; --json lists all");
    }
    text
}
