//! A study as one page that needs nothing else.

use super::figures::{SATISFACTION, names, spread_of, summary as over_seeds};
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
    page += &timing(study, runs);
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

/// Figures below each other, policies beside each other; those of single stakeholders, of whom there may be hundreds, unfold.
fn summary(study: &Study, runs: &[Run]) -> String {
    let (of_each, of_all): (Vec<String>, Vec<String>) =
        names(runs).into_iter().partition(|name| name.starts_with(SATISFACTION));
    let mut page = table(study, runs, "figure", &of_all, |name| name);
    if !of_each.is_empty() {
        let table =
            table(study, runs, "who", &of_each, |name| name.strip_prefix(SATISFACTION).unwrap_or(name));
        let _ = writeln!(
            page,
            "<details>\n<summary>Satisfaction of each of {} stakeholders</summary>\n{table}</details>",
            of_each.len()
        );
    }
    page
}

fn table(study: &Study, runs: &[Run], head: &str, names: &[String], shown: fn(&str) -> &str) -> String {
    let mut table = format!("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">{head}</th>");
    for policy in &study.policies {
        let _ = write!(table, "<th scope=\"col\">{}</th>", escape(&policy.to_string()));
    }
    table += "</tr></thead>\n<tbody>\n";
    let all: Vec<_> = study.policies.iter().map(|policy| over_seeds(runs, &policy.to_string())).collect();
    for name in names {
        let _ = write!(table, "<tr><th scope=\"row\">{}</th>", escape(shown(name)));
        for figures in &all {
            let cell = figures.get(name).map(|(mean, half)| cell(*mean, *half));
            let _ = write!(table, "<td>{}</td>", cell.unwrap_or_default());
        }
        table += "</tr>\n";
    }
    table + "</tbody>\n</table></div>\n"
}

fn fates(study: &Study, runs: &[Run]) -> String {
    let mut table = String::from(
        "<div class=\"scroll\"><table class=\"words\">\n<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">ended as</th>\
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

/// How long runs took on this machine, by job and by cycle; nothing where no run was made now.
fn timing(study: &Study, runs: &[Run]) -> String {
    let mut rows = String::new();
    for policy in study.policies.iter().map(ToString::to_string) {
        let made: Vec<(&Run, f64)> = runs
            .iter()
            .filter(|run| run.policy == policy)
            .filter_map(|run| Some((run, run.took?.as_secs_f64())))
            .collect();
        if made.is_empty() {
            continue;
        }
        let cycles_of = |run: &Run| run.metrics.broker.as_ref().map_or(0, |broker| broker.cycles);
        // Each run is one observation, whatever its length.
        let millis = |of: &dyn Fn(&Run) -> u64| {
            let some = made.iter().map(|(run, seconds)| (of(run), seconds)).filter(|(of, _)| *of > 0);
            let each: Vec<f64> = some.map(|(of, seconds)| 1_000.0 * seconds / of as f64).collect();
            let (mean, half) = spread_of(each.iter().copied());
            if each.is_empty() { String::new() } else { cell(mean, half) }
        };
        let (seconds, half) = spread_of(made.iter().map(|(_, seconds)| *seconds));
        let cycles: u64 = made.iter().map(|(run, _)| cycles_of(run)).sum();
        let count = if cycles == 0 { String::new() } else { cycles.to_string() };
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{count}</td><td>{}</td></tr>",
            escape(&policy),
            cell(seconds, half),
            millis(&|run| run.metrics.jobs),
            millis(&cycles_of)
        );
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Time on this machine</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">policy</th>\
         <th scope=\"col\">seconds a run</th><th scope=\"col\">ms a job</th><th scope=\"col\">cycles</th>\
         <th scope=\"col\">ms a cycle</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n\
         <p>Of the runs that were made when this page was written, with half the width of the 95% confidence interval over seeds; the only \
         figures here in which two calls differ.</p>\n"
    )
}

/// A figure, and below it half the width of its interval.
pub(super) fn cell(mean: f64, half: Option<f64>) -> String {
    let half = half.filter(|half| *half > 0.0).map(|half| format!("<br><em>± {}</em>", short(half)));
    format!("{}{}", short(mean), half.unwrap_or_default())
}

/// A number as people read it: counts as they are, large ones in groups of three digits.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => grouped(&format!("{value:.0}")),
        whole if whole.fract() == 0.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn grouped(digits: &str) -> String {
    let count = digits.chars().filter(char::is_ascii_digit).count();
    let mut text = String::new();
    let mut left = count;
    for digit in digits.chars() {
        if digit.is_ascii_digit() {
            if left < count && left % 3 == 0 {
                text.push(',');
            }
            left -= 1;
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Site;
    use crate::study::{BrokerMetrics, Metrics};
    use crate::workload::Jobs;
    use std::time::Duration;

    #[test]
    fn times_have_intervals_over_the_runs_that_were_made() {
        let policies = vec!["walras".parse().unwrap(), "easy".parse().unwrap()];
        let study = Study::new(Jobs::held(Vec::new()), vec![Site::plain("one", 4)], policies);
        let run = |policy: &str, seed, millis: Option<u64>, cycles: u64| {
            let broker = BrokerMetrics { cycles, ..BrokerMetrics::default() };
            let broker = Some(broker).filter(|_| cycles > 0);
            let metrics = Metrics { jobs: 100, broker, ..Metrics::default() };
            let (policy, took) = (policy.to_owned(), millis.map(Duration::from_millis));
            Run { policy, seed, metrics, sketch: None, demand: Vec::new(), took }
        };
        let of = |runs: &[Run]| timing(&study, runs);
        // 40 and 60 ms a cycle: their mean, and 12.706 times the standard error of two.
        let two = of(&[run("walras", 1, Some(400), 10), run("walras", 2, Some(1_200), 20)]);
        assert!(two.contains("<td>30</td><td>50<br><em>± 127.1</em></td>"), "{two}");
        assert!(two.contains("<td>8<br><em>± 50.8</em></td>"), "{two}");
        // What was read from a file took nobody knows how long; a baseline has no cycles; one run has no interval.
        let one = of(&[run("walras", 1, None, 10), run("easy", 1, Some(500), 0)]);
        assert!(one.contains("easy</th><td>0.500</td><td>5</td><td></td><td></td>"), "{one}");
        assert!(!one.contains("walras") && of(&[]).is_empty());
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 7.0, 0.25, 12.34, 999.96, 1_234.5, -1_234_567.0, 17_927_597.2].map(short);
        assert_eq!(shown, ["0", "7", "0.250", "12.3", "1000.0", "1,234", "-1,234,567", "17,927,597"]);
        assert_eq!(
            (cell(3.0, Some(0.0)), cell(3.0, Some(0.5))),
            ("3".into(), "3<br><em>± 0.500</em>".into())
        );
    }
}
