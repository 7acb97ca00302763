//! An assignment as a table for people.

use crate::table::{aligned, counted};
use std::fmt::Write;
use walras_api::{AssignmentReport, AssignmentStatus, PlacedJob};
use walras_assign::method::Method;

/// The whole report.
pub(super) fn of_report(report: &AssignmentReport) -> String {
    let mut text = format!("{} by {}\n", counted(report.jobs, "job"), report.method);
    if !report.assignment.is_empty() {
        let _ = write!(text, "\n{}", placements(&report.assignment));
    }
    let _ = writeln!(text, "{}", total(report));
    for left_out in &report.left_out {
        let _ = writeln!(text, "\n{} goes back to the queue.\n  {}", left_out.job, left_out.reason.text);
    }
    text
}

fn placements(placed: &[PlacedJob]) -> String {
    let runtimes = placed.iter().any(|placed| placed.runtime.is_some());
    let head = ["job", "processors", "cost", "site"].map(str::to_owned);
    if !runtimes {
        let row = |placed: &PlacedJob| {
            [placed.job.clone(), placed.processors.to_string(), placed.cost.to_string(), placed.site.clone()]
        };
        return aligned(&std::iter::once(head).chain(placed.iter().map(row)).collect::<Vec<_>>());
    }
    let head = ["job", "processors", "run time", "cost", "site"].map(str::to_owned);
    let row = |placed: &PlacedJob| {
        [
            placed.job.clone(),
            placed.processors.to_string(),
            placed.runtime.as_ref().map_or_else(String::new, ToString::to_string),
            placed.cost.to_string(),
            placed.site.clone(),
        ]
    };
    aligned(&std::iter::once(head).chain(placed.iter().map(row)).collect::<Vec<_>>())
}

fn total(report: &AssignmentReport) -> String {
    let Some(objective) = &report.objective else {
        return match report.status {
            AssignmentStatus::Infeasible => "infeasible: the jobs cannot all be placed".to_owned(),
            _ => "nothing found: the method has no way to place all jobs".to_owned(),
        };
    };
    let mut text = format!("total: {} of {}", report.scheduled, counted(report.jobs, "job"));
    let _ = write!(text, ", cost {objective}");
    let _ = match (report.status, &report.gap, report.weight_bound) {
        (AssignmentStatus::Optimal, ..) => write!(text, "; proven best"),
        (_, Some(gap), _) => write!(text, "; not proven best, the gap is at most {gap}"),
        (_, None, Some(most)) => {
            write!(text, "; not proven best, the weight served is {} of at most {most}", report.weight)
        }
        (_, None, None) => write!(text, "; this method proves nothing"),
    };
    // The rounds of other methods say little to people; the data has them.
    if matches!(report.method, Method::Hga | Method::Lpga) {
        let generations = usize::try_from(report.iterations).unwrap_or(usize::MAX);
        let _ = write!(text, "; {}", counted(generations, "generation"));
    }
    text
}
