//! A plan as a table for people.

mod chosen;
mod clearing;
mod satisfaction;
mod workflows;

pub(crate) use chosen::chosen_in_short;
pub(crate) use clearing::of_clearing;
pub(crate) use workflows::of_workflows;

use std::collections::BTreeSet;
use std::fmt::Write;
use walras_api::sentence::{change_texts, reason_text};
use walras_api::{Plan, PlannedChoice, Scenario};
use walras_core::plan::Unconfirmed;
use walras_core::{Alternatives, Beyond, LimitHit, SearchConfig, Unscheduled};
use walras_model::{Alternative, Offers, Reason};

/// The whole plan; at most `show` alternatives of each job.
pub(crate) fn of_plan(
    scenario: &Scenario,
    config: &SearchConfig,
    found: &Alternatives,
    plan: &Plan,
    show: usize,
) -> String {
    let mut text = heading(scenario, config, found);
    if let Some(choice) = &plan.choice {
        text.push_str(&chosen::of_choice(scenario, found, choice, plan.satisfaction.as_ref()));
    }
    text.push_str(&satisfaction::of_plan(scenario, plan));
    text.push_str(&alternatives(scenario, found, plan.choice.as_ref(), show));
    let queued = plan.satisfaction.iter().flat_map(|it| &it.queued);
    let queued: BTreeSet<&str> = queued.map(|it| it.job.as_str()).collect();
    let name = |unscheduled: &Unscheduled| &scenario.batch.request(unscheduled.job).name;
    for unscheduled in found.unscheduled.iter().filter(|it| !queued.contains(name(it).as_str())) {
        let planned = plan.unscheduled.iter().find(|it| it.job == *name(unscheduled));
        text.push_str(&no_window(scenario, unscheduled, planned.and_then(|it| it.unconfirmed)));
    }
    for limit in &found.limits_hit {
        let _ = writeln!(text, "\n{}", limit_text(*limit));
    }
    if found.beyond == Beyond::Needless {
        text.push_str("\nThere are more windows, which could not change the choice (see --all).\n");
    }
    text
}

/// Every alternative of every job; chosen ones are marked.
fn alternatives(
    scenario: &Scenario,
    found: &Alternatives,
    choice: Option<&PlannedChoice>,
    show: usize,
) -> String {
    let chosen = choice.iter().flat_map(|choice| &choice.chosen).map(|chosen| chosen.alternative);
    let chosen: BTreeSet<usize> = chosen.collect();
    let mut by_job: Vec<Vec<usize>> = vec![Vec::new(); scenario.batch.requests().len()];
    for (index, alternative) in found.found.iter().enumerate() {
        by_job[alternative.job.index()].push(index);
    }
    let mut rows = vec![["job", "#", "start", "end", "cost", "nodes"].map(str::to_owned)];
    let mut left_out = Vec::new();
    for job in scenario.batch.by_priority() {
        let all = &by_job[job.index()];
        for (number, index) in (1_u32..).zip(all).take(show) {
            let mark = if chosen.contains(index) { "*" } else { "" };
            rows.push(row(scenario, &found.found[*index], &format!("{mark}{number}")));
        }
        if all.len() > show {
            left_out.push(format!("{} of {}", all.len() - show, scenario.batch.request(job).name));
        }
    }
    let mut text = String::new();
    if rows.len() > 1 {
        let title = if chosen.is_empty() { "" } else { "alternatives (* chosen)\n" };
        let _ = write!(text, "\n{title}{}", aligned(&rows));
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "\nNot shown: {} (see --show and --json).", left_out.join(", "));
    }
    text
}

fn heading(scenario: &Scenario, config: &SearchConfig, found: &Alternatives) -> String {
    format!(
        "{}; times in {}\nsearch {}: {}\n",
        what_there_is(scenario),
        scenario.unit.symbol(),
        config.algorithm,
        counted(found.found.len(), "alternative"),
    )
}

/// `6 jobs, 12 nodes on 3 sites, 21 slots`, and processors where there are some.
fn what_there_is(scenario: &Scenario) -> String {
    let Scenario { offers, batch, .. } = scenario;
    let capacities = offers.capacities();
    let processors: usize = capacities.iter().map(|offer| offer.capacity.processors as usize).sum();
    let (nodes, sites) = (offers.nodes().len() - processors, offers.sites().len() - capacities.len());
    let mut text = counted(batch.requests().len(), "job");
    if sites > 0 {
        let slots = counted(offers.slots().len() - processors, "slot");
        let _ = write!(text, ", {} on {}, {slots}", counted(nodes, "node"), counted(sites, "site"));
    }
    if processors > 0 {
        let on = counted(capacities.len(), "site");
        let _ = write!(text, ", {} on {on}", counted(processors, "processor"));
    }
    text
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn row(scenario: &Scenario, found: &Alternative, number: &str) -> [String; 6] {
    let (unit, window) = (scenario.unit, &found.window);
    [
        scenario.batch.request(found.job).name.clone(),
        number.to_owned(),
        unit.time_text(window.start()),
        unit.time_text(window.end()),
        window.cost().to_string(),
        node_names(&scenario.offers, found),
    ]
}

/// The nodes of a window, grouped by site: `campus/c1,c2 cloud/g1`; and how many processors: `grid:3`.
fn node_names(offers: &Offers, found: &Alternative) -> String {
    let mut groups: Vec<(&str, bool, Vec<&str>)> = Vec::new();
    for placement in found.window.placements() {
        let (site, node) = (offers.site_of(placement.node).name.as_str(), offers.node(placement.node));
        match groups.last_mut() {
            Some((last, _, nodes)) if *last == site => nodes.push(&node.name),
            _ => groups.push((site, offers.capacity_of(placement.node).is_some(), vec![&node.name])),
        }
    }
    let texts: Vec<String> = groups
        .iter()
        .map(|(site, on_capacity, nodes)| match on_capacity {
            true => format!("{site}:{}", nodes.len()),
            false => format!("{site}/{}", nodes.join(",")),
        })
        .collect();
    texts.join(" ")
}

/// Columns as wide as their widest cell; the first and the last to the left, numbers to the right.
pub(crate) fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                last if last + 1 == COLUMNS => write!(text, "  {cell}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

fn no_window(scenario: &Scenario, unscheduled: &Unscheduled, unconfirmed: Option<Unconfirmed>) -> String {
    let name = &scenario.batch.request(unscheduled.job).name;
    let explanation = &unscheduled.explanation;
    let mut text = format!("\n{name} has no window.\n");
    for reason in &explanation.reasons {
        let _ = writeln!(text, "  {}", reason_text(reason, scenario.unit));
    }
    let changes = change_texts(&explanation.smallest_change, scenario.unit);
    let _ = match changes.as_slice() {
        // What the others would then get is not known either.
        [] if explanation.reasons.contains(&Reason::LeftForOthers) => Ok(()),
        [] if unconfirmed == Some(Unconfirmed::OthersInstead) => {
            writeln!(text, "  With any single change that gives it one, others would be served in its place.")
        }
        [] => {
            writeln!(text, "  No single change of budget, deadline, tasks or performance would give it one.")
        }
        [only] => writeln!(text, "  It would have one with {only}."),
        several => writeln!(text, "  It would have one with any one of: {}.", several.join("; ")),
    };
    if unconfirmed == Some(Unconfirmed::Untried) {
        text.push_str("  Not all of that was tried by planning again: others may be served in its place all the same.\n");
    }
    text
}

fn limit_text(limit: LimitHit) -> &'static str {
    match limit {
        LimitHit::AlternativesPerJob => {
            "A job has as many alternatives as --alternatives-max allows; there may be more."
        }
        LimitHit::Alternatives => "The limit on alternatives in all was reached; there may be more.",
        LimitHit::Branches => {
            "Some windows are not proven best within the limit on branches; --json gives the bounds."
        }
        LimitHit::Explanations => "So many jobs have no window that not all of them were looked into.",
    }
}
