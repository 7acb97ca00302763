//! How content everybody is, as a table for people.

use super::aligned;
use std::fmt::Write;
use walras_api::{Plan, PlannedPareto, PlannedSatisfaction, Scenario};

/// How many stakeholders and how many points are shown one by one.
const SHOWN_MAX: usize = 12;

/// Queues, satisfaction and the Pareto front, as far as a plan has them.
pub(super) fn of_plan(scenario: &Scenario, plan: &Plan) -> String {
    let mut text = String::new();
    if let Some(satisfaction) = &plan.satisfaction {
        text += &queued(satisfaction);
        text += &stakeholders(satisfaction);
    }
    if let Some(pareto) = &plan.pareto {
        text += &front(scenario, pareto);
    }
    text
}

fn queued(satisfaction: &PlannedSatisfaction) -> String {
    if satisfaction.queued.is_empty() {
        return String::new();
    }
    let mut rows = vec![["job", "start", "end", "cost", "queue"].map(str::to_owned)];
    rows.extend(satisfaction.queued.iter().map(|it| {
        [it.job.clone(), it.start.to_string(), it.end.to_string(), it.cost.to_string(), it.queue.clone()]
    }));
    format!("\nqueued, times are expected and not guaranteed\n{}", aligned(&rows))
}

fn stakeholders(satisfaction: &PlannedSatisfaction) -> String {
    let PlannedSatisfaction { least, mean, stakeholders, windows_refused, .. } = satisfaction;
    let mut rows = vec![["stakeholder", "satisfaction"].map(str::to_owned)];
    let shown = stakeholders.iter().take(SHOWN_MAX);
    rows.extend(shown.map(|it| [it.name.clone(), it.satisfaction.to_string()]));
    let mut text = format!("\n{}", aligned(&rows));
    if let Some(more @ 1..) = stakeholders.len().checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "and {more} more (see --json)");
    }
    let _ = writeln!(text, "satisfaction: least {least}, mean {mean}");
    if *windows_refused > 0 {
        let _ = writeln!(text, "owners' rules refuse {windows_refused} of the windows below");
    }
    text
}

fn front(scenario: &Scenario, pareto: &PlannedPareto) -> String {
    let mut rows = vec![[pareto.x.clone(), pareto.y.clone()]];
    rows.extend(pareto.points.iter().take(SHOWN_MAX).map(|point| [point.x.to_string(), point.y.to_string()]));
    let whole = if pareto.complete { "complete" } else { "not complete" };
    let count = pareto.points.len();
    let mut text = format!(
        "\nPareto front over total {} and {}: {count} combinations, {whole}; times in {}\n{}",
        pareto.x,
        pareto.y,
        scenario.unit.symbol(),
        aligned(&rows)
    );
    if let Some(more @ 1..) = count.checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "and {more} more (see --json)");
    }
    text
}
