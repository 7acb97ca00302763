//! A plan as a table for people.

use std::fmt::Write;
use walras_api::Scenario;
use walras_api::text::{change_texts, reason_text};
use walras_core::{Alternative, Alternatives, JobId, LimitHit, Offers, SearchConfig, Unscheduled};

/// The whole plan; at most `show` alternatives of each job.
pub(crate) fn of_plan(
    scenario: &Scenario,
    config: &SearchConfig,
    found: &Alternatives,
    show: usize,
) -> String {
    let mut text = heading(scenario, config, found);
    let mut rows = vec![["job", "#", "start", "end", "cost", "nodes"].map(str::to_owned)];
    let mut left_out = Vec::new();
    for job in scenario.batch.by_priority() {
        let all: Vec<&Alternative> = found.found.iter().filter(|found| found.job == job).collect();
        rows.extend(
            all.iter().take(show).zip(1_u32..).map(|(found, number)| row(scenario, job, found, number)),
        );
        if all.len() > show {
            left_out.push(format!("{} of {}", all.len() - show, scenario.batch.request(job).name));
        }
    }
    if rows.len() > 1 {
        text.push('\n');
        text.push_str(&aligned(&rows));
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "\nNot shown: {} (see --show and --json).", left_out.join(", "));
    }
    for unscheduled in &found.unscheduled {
        text.push_str(&no_window(scenario, unscheduled));
    }
    for limit in &found.limits_hit {
        let _ = writeln!(text, "\n{}", limit_text(*limit));
    }
    text
}

fn heading(scenario: &Scenario, config: &SearchConfig, found: &Alternatives) -> String {
    let Scenario { unit, offers, batch } = scenario;
    format!(
        "{}, {} on {}, {}; times in {}\nsearch {}: {}\n",
        counted(batch.requests().len(), "job"),
        counted(offers.nodes().len(), "node"),
        counted(offers.sites().len(), "site"),
        counted(offers.slots().len(), "slot"),
        unit.symbol(),
        config.algorithm,
        counted(found.found.len(), "alternative"),
    )
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn row(scenario: &Scenario, job: JobId, found: &Alternative, number: u32) -> [String; 6] {
    let (unit, window) = (scenario.unit, &found.window);
    [
        scenario.batch.request(job).name.clone(),
        number.to_string(),
        unit.time_text(window.start()),
        unit.time_text(window.end()),
        window.cost().to_string(),
        node_names(&scenario.offers, found),
    ]
}

/// The nodes of a window, grouped by site: `campus/c1,c2 cloud/g1`.
fn node_names(offers: &Offers, found: &Alternative) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for placement in found.window.placements() {
        let (site, node) = (offers.site_of(placement.node).name.as_str(), offers.node(placement.node));
        match groups.last_mut() {
            Some((last, nodes)) if *last == site => nodes.push(&node.name),
            _ => groups.push((site, vec![&node.name])),
        }
    }
    let texts: Vec<String> =
        groups.iter().map(|(site, nodes)| format!("{site}/{}", nodes.join(","))).collect();
    texts.join(" ")
}

/// Columns as wide as their widest cell; numbers to the right.
fn aligned(rows: &[[String; 6]]) -> String {
    let mut widths = [0; 6];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for [job, number, start, end, cost, nodes] in rows {
        let [w0, w1, w2, w3, w4, _] = widths;
        let _ = writeln!(text, "{job:<w0$}  {number:>w1$}  {start:>w2$}  {end:>w3$}  {cost:>w4$}  {nodes}");
    }
    text
}

fn no_window(scenario: &Scenario, unscheduled: &Unscheduled) -> String {
    let name = &scenario.batch.request(unscheduled.job).name;
    let explanation = &unscheduled.explanation;
    let mut text = format!("\n{name} has no window.\n");
    for reason in &explanation.reasons {
        let _ = writeln!(text, "  {}", reason_text(reason, scenario.unit));
    }
    let changes = change_texts(&explanation.smallest_change, scenario.unit);
    let _ = match changes.as_slice() {
        [] => {
            writeln!(text, "  No single change of budget, deadline, tasks or performance would give it one.")
        }
        [only] => writeln!(text, "  It would have one with {only}."),
        several => writeln!(text, "  It would have one with any one of: {}.", several.join("; ")),
    };
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
