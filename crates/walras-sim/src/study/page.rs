//! A study as one page that needs nothing else.

use super::figures::{names, summary as over_seeds};
use super::{Run, Study, gantt, pictures};
use crate::report::{STYLE, escape};
use std::fmt::Write as _;

/// What a page begins with, up to its header's end.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Walras: simulation</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<p class=\"kicker\">Walras · simulation</p>\n<h1>{title}</h1>\n",
    )
}

/// The page.
pub fn page(study: &Study, runs: &[Run], notes: &[String]) -> String {
    let mut page = head(&format!("{} policies on {} jobs", study.policies.len(), study.jobs.len()));
    let input: Vec<String> = study.input.iter().map(|(option, value)| format!("{option} {value}")).collect();
    if !input.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escape(&input.join("; ")));
    }
    for note in notes {
        let _ = writeln!(page, "<p>{}</p>", escape(note));
    }
    page += "</header>\n<h2>Summary</h2>\n";
    page += &summary(study, runs);
    page += "<p>Times in seconds, money in credits. ± is half the width of the 95% confidence interval over seeds. \
             Wait by work weighs each job by the node-time that it used.</p>\n";
    page += "<h2>What became of the jobs</h2>\n";
    page += &fates(study, runs);
    for (caption, svg) in pictures::pictures(study, runs) {
        let _ = writeln!(page, "<figure aria-label=\"{}\">\n{svg}</figure>", escape(&caption));
    }
    page += "<h2>Timetables</h2>\n<p>First seed; jobs of one colour are of one user, or of users that share it.</p>\n";
    for policy in study.policies.iter().map(ToString::to_string) {
        let run = runs.iter().find(|run| run.policy == policy);
        if let Some(sketch) = run.and_then(|run| run.sketch.as_ref()) {
            let svg = gantt::gantt(study, &policy, sketch);
            let _ =
                writeln!(page, "<figure aria-label=\"timetable of {}\">\n{svg}</figure>", escape(&policy));
        }
    }
    page + "</main>\n</body>\n</html>\n"
}

/// Figures below each other, policies beside each other.
fn summary(study: &Study, runs: &[Run]) -> String {
    let mut table = String::from("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">figure</th>");
    for policy in &study.policies {
        let _ = write!(table, "<th scope=\"col\">{}</th>", escape(&policy.to_string()));
    }
    table += "</tr></thead>\n<tbody>\n";
    let all: Vec<_> = study.policies.iter().map(|policy| over_seeds(runs, &policy.to_string())).collect();
    for name in names(runs) {
        let _ = write!(table, "<tr><th scope=\"row\">{}</th>", escape(&name));
        for figures in &all {
            let cell = figures.get(&name).map(|(mean, half)| {
                let half = half.filter(|half| *half > 0.0).map(|half| format!(" ± {}", short(half)));
                format!("{}{}", short(*mean), half.unwrap_or_default())
            });
            let _ = write!(table, "<td>{}</td>", cell.unwrap_or_default());
        }
        table += "</tr>\n";
    }
    table + "</tbody>\n</table></div>\n"
}

fn fates(study: &Study, runs: &[Run]) -> String {
    let mut table = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">ended as</th>\
         <th scope=\"col\">started late</th><th scope=\"col\">income by site</th></tr></thead>\n<tbody>\n",
    );
    for policy in &study.policies {
        let Some(run) = runs.iter().find(|run| run.policy == policy.to_string()) else { continue };
        let ended: Vec<String> =
            run.metrics.fates.iter().map(|(fate, count)| format!("{count} {fate}")).collect();
        let income: Vec<String> =
            run.metrics.income.iter().map(|(site, income)| format!("{site} {}", short(*income))).collect();
        let (promised, late) = run.metrics.promises;
        let late = if promised == 0 { "no promises".to_owned() } else { format!("{late} of {promised}") };
        let _ = writeln!(
            table,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{late}</td><td>{}</td></tr>",
            escape(&run.policy),
            escape(&ended.join(", ")),
            escape(&income.join(", "))
        );
    }
    table + "</tbody>\n</table></div>\n"
}

/// A number as people read it.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
