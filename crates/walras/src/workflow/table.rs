//! A task schedule as a table for people.

use crate::table::aligned;
use std::fmt::Write;
use walras_api::{Num, SupportEvent, TaskPlan, TaskPlanStatus};

/// At most so many tasks are listed; JSON has all of them.
const TASKS_SHOWN_MAX: usize = 60;

pub(crate) fn of_plan(plan: &TaskPlan) -> String {
    let unit = plan.unit.symbol();
    let mut text = format!("workflow {}, strategy {}; times in {unit}\n", plan.workflow, plan.strategy);
    if let Some(reason) = &plan.reason {
        let _ = writeln!(text, "\nThere is no schedule. {reason}");
        return text;
    }
    text.push_str(&tasks(plan));
    let number = |number: &Option<Num>| number.as_ref().map_or("–".to_owned(), Num::to_string);
    let best = if plan.status == TaskPlanStatus::Optimal { "; proven best" } else { "" };
    let _ = writeln!(
        text,
        "\nmakespan {} {unit} (no schedule takes less than {}), cost {} credits, {} collisions resolved{best}",
        number(&plan.makespan),
        number(&plan.lower_bound),
        number(&plan.cost),
        plan.collisions.unwrap_or(0),
    );
    if !plan.baselines.is_empty() {
        let mut rows = vec![["heuristic", "makespan", "cost"].map(str::to_owned)];
        let row = |result: &walras_api::BaselineResult| {
            [result.name.to_owned(), number(&result.makespan), number(&result.cost)]
        };
        rows.extend(plan.baselines.iter().map(row));
        let _ = write!(text, "\n{}", aligned(&rows));
    }
    if !plan.supports.is_empty() {
        let mut rows = vec![["prepared for", "when", "makespan", "cost"].map(str::to_owned)];
        let row = |support: &walras_api::PlannedSupport| {
            let event = match support.event {
                SupportEvent::NodeLost => "loss of",
                SupportEvent::TaskLate => "late",
            };
            let name = format!("{event} {}", support.what);
            [name, support.when.to_string(), number(&support.makespan), number(&support.cost)]
        };
        rows.extend(plan.supports.iter().map(row));
        let _ = write!(text, "\n{}", aligned(&rows));
    }
    text
}

fn tasks(plan: &TaskPlan) -> String {
    let mut rows = vec![["task", "start", "end", "transfer", "cost", "node"].map(str::to_owned)];
    for task in plan.tasks.iter().take(TASKS_SHOWN_MAX) {
        let number = |number: &Num| number.to_string();
        rows.push([
            task.id.clone(),
            number(&task.start),
            number(&task.end),
            number(&task.transfer),
            number(&task.cost),
            task.place(),
        ]);
    }
    let mut text = format!("\n{}", aligned(&rows));
    if let Some(more @ 1..) = plan.tasks.len().checked_sub(TASKS_SHOWN_MAX) {
        let _ = writeln!(text, "… and {more} more tasks; --json lists all");
    }
    text
}
