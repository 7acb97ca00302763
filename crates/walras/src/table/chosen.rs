//! What was chosen, as a table for people.

use super::{aligned, counted, node_names};
use std::fmt::Write;
use walras_api::Num;
use walras_api::sentence::{OtherPlans, best_of_listed_text, improved_by_search_text};
use walras_api::{
    ChoiceStatus, ChosenAlternative, PlannedChoice, PlannedImprovement, PlannedSatisfaction, Scenario, Unit,
};
use walras_core::Alternatives;
use walras_core::choose::ObjectiveName;
use walras_core::plan::Unimproved;
use walras_model::Decimal;

/// The chosen combination, its totals, and who was left out; or why there is none.
pub(super) fn of_choice(
    scenario: &Scenario,
    found: &Alternatives,
    choice: &PlannedChoice,
    satisfaction: Option<&PlannedSatisfaction>,
) -> String {
    if !choice.found() {
        return no_combination(choice);
    }
    let mut rows = vec![["job", "start", "end", "cost", "nodes"].map(str::to_owned)];
    rows.extend(choice.chosen.iter().map(|chosen| row(scenario, found, chosen)));
    let mut text = format!("\nchosen by {}\n{}", choice.objective, aligned(&rows));
    let _ = writeln!(
        text,
        "{}; {}",
        totals(choice, scenario.unit),
        status(choice, !found.unscheduled.is_empty())
    );
    for chosen in &choice.chosen {
        for cheaper in &chosen.cheaper {
            let _ = writeln!(text, "{} would cost {}.", chosen.job, cheaper.text);
        }
    }
    let limits = limits_in_words(choice, scenario.unit);
    let queued =
        |job: &String| satisfaction.is_some_and(|it| it.queued.iter().any(|queued| queued.job == *job));
    for job in choice.left_out.iter().filter(|job| !queued(job)) {
        let _ = if choice.left_out_by_quota.contains(job) {
            writeln!(text, "\n{job} is left out: what is chosen leaves it no room within the owners' quotas.")
        } else {
            writeln!(text, "\n{job} is left out: what is chosen leaves it no room within {limits}.")
        };
    }
    text
}

/// `chosen: 5 jobs, 385.7 credits, 16200 s`, for a picture.
pub(crate) fn chosen_in_short(choice: &PlannedChoice, unit: Unit) -> String {
    let totals = &choice.totals;
    let jobs = counted(choice.chosen.len(), "job");
    format!("chosen: {jobs}, {} credits, {} {} in all", totals.cost, totals.time, unit.symbol())
}

fn row(scenario: &Scenario, found: &Alternatives, chosen: &ChosenAlternative) -> [String; 5] {
    let nodes = found.found.get(chosen.alternative);
    [
        chosen.job.clone(),
        chosen.start.to_string(),
        chosen.end.to_string(),
        chosen.cost.to_string(),
        nodes.map_or_else(String::new, |alternative| node_names(&scenario.offers, alternative)),
    ]
}

/// `total: 5 jobs, cost 385.7, time 16200 of at most 17180, makespan 14400`
fn totals(choice: &PlannedChoice, unit: Unit) -> String {
    let (totals, limits) = (&choice.totals, &choice.limits);
    let most =
        |limit: &Option<_>| limit.as_ref().map_or_else(String::new, |most| format!(" of at most {most}"));
    let mut text = format!(
        "total: {}, {}{} credits, {}{} {} of run time",
        counted(choice.chosen.len(), "job"),
        totals.cost,
        most(&limits.budget),
        totals.time,
        most(&limits.time),
        unit.symbol(),
    );
    if let Some(makespan) = &totals.makespan {
        let _ = write!(text, ", all done at {makespan} {}", unit.symbol());
    }
    text
}

/// What is proven; whether somebody has no window at all decides what it is held against.
fn status(choice: &PlannedChoice, somebody_waits: bool) -> String {
    let why = match choice.unimproved {
        None => return proven(choice, somebody_waits),
        Some(Unimproved::InUnits) => "some nodes are sold in units",
        Some(Unimproved::TooLarge) => "the batch is too large for that",
    };
    format!("{}; not improved by search: {why}", proven(choice, somebody_waits))
}

fn proven(choice: &PlannedChoice, somebody_waits: bool) -> String {
    let all = choice.left_out.is_empty() && !somebody_waits;
    let others = if all { OtherPlans::Any } else { OtherPlans::ForTheseJobs };
    let above = choice.above_any_plan.as_ref().map(|above| (above, others));
    if let Some(improvement) = choice.improvement.as_ref().filter(|improvement| improvement.better) {
        return improved(choice, improvement, above);
    }
    match (choice.status, &choice.gap) {
        (ChoiceStatus::Optimal, _) => best_of_listed_text(above),
        _ if !choice.left_out_by_quota.is_empty() => {
            "nothing is proven of what is left after jobs were left out to keep owners' quotas".to_owned()
        }
        (_, Some(gap)) => format!(
            "not proven best of the listed alternatives within the limit on work, the gap is at most {gap}"
        ),
        (status, None) => status.text().to_owned(),
    }
}

/// What is known of a plan that was improved by search.
fn improved(
    choice: &PlannedChoice,
    improvement: &PlannedImprovement,
    above: Option<(&Num, OtherPlans)>,
) -> String {
    // Ends are counted from where time begins, so that a share of them says nothing.
    let measured = matches!(choice.objective, ObjectiveName::MinCost | ObjectiveName::MinTime);
    match improvement.above_any_plan().filter(|_| measured) {
        _ if choice.status == ChoiceStatus::Optimal => "improved by search, and no plan is better".to_owned(),
        Some(thousandths) => {
            let percent = Decimal::new(thousandths.into(), 1);
            format!("improved by search, at most {percent}% above any plan")
        }
        None => improved_by_search_text(above),
    }
}

fn limits_in_words(choice: &PlannedChoice, unit: Unit) -> String {
    let time = choice.limits.time.as_ref().map(|most| format!("the time limit of {most} {}", unit.symbol()));
    let budget = choice.limits.budget.as_ref().map(|most| format!("the budget limit of {most} credits"));
    let limits: Vec<String> = time.into_iter().chain(budget).collect();
    if limits.is_empty() { "the limits".to_owned() } else { limits.join(" and ") }
}

fn no_combination(choice: &PlannedChoice) -> String {
    let why = match (&choice.infeasible, choice.status) {
        (Some(infeasible), _) => infeasible.text.as_str(),
        (None, ChoiceStatus::Unknown) => "The limit on work was reached before any combination was found.",
        (None, _) => return String::new(),
    };
    format!("\nnothing chosen by {}: {}\n  {why}\n", choice.objective, choice.status.text())
}
