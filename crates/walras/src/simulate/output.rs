//! What is printed, and what is written.

use crate::failure::Failure;
use crate::files;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use walras_sim::record::Site;
use walras_sim::study::{
    Metrics, Run, Study, cost_against_wait, over_seeds, page, results_json, runs_csv, timing_csv,
};

/// A column of the table.
type Column = (&'static str, fn(&Metrics) -> f64);

/// The columns of the table.
const COLUMNS: [Column; 8] = [
    ("wait s", |it| it.wait.mean),
    ("median", |it| it.wait.median),
    ("p95", |it| it.wait.p95),
    ("slowdown", |it| it.slowdown.mean),
    ("used", |it| it.utilisation),
    ("cost/work", |it| it.cost_of_work),
    ("missed", |it| it.deadline_misses),
    ("fair", |it| it.fairness),
];

/// Makes the directory.
pub(super) fn make(directory: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::Input(format!("{}: cannot be made: {error}", directory.display()));
    fs::create_dir_all(directory).map_err(cannot)
}

/// The files of a study beside its schedules.
const FILES: [&str; 5] = ["results.json", "runs.csv", "report.html", "cost-against-wait.svg", "timing.csv"];

/// All files of a study but its schedules.
pub(super) fn write(directory: &Path, study: &Study, runs: &[Run], notes: &[String]) -> Result<(), Failure> {
    let picture = cost_against_wait(study, runs);
    let texts = [json(study, runs)?, runs_csv(runs), page(study, runs, notes), picture, timing_csv(runs)];
    FILES.iter().zip(texts).try_for_each(|(file, text)| files::write(&directory.join(file), &text))
}

/// Whether all of them are there.
pub(super) fn is_written(directory: &Path) -> bool {
    FILES.iter().all(|file| directory.join(file).is_file())
}

/// Words as a part of a file's name.
pub(super) fn plain_name(words: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '-' { it } else { '_' };
    words.chars().map(plain).take(60).collect()
}

pub(super) fn json(study: &Study, runs: &[Run]) -> Result<String, Failure> {
    results_json(study, runs).map_err(Failure::fault)
}

/// The summary for people.
pub(super) fn table(study: &Study, runs: &[Run], notes: &[String]) -> String {
    let mut text = String::new();
    for note in notes {
        let _ = writeln!(text, "{note}");
    }
    let seeds = study.seeds.len();
    let nodes: u64 = study.sites.iter().map(|site| u64::from(site.nodes)).sum();
    // Kinds of nodes are no sites of their own.
    let sites = study.sites.iter().map(Site::whole).collect::<BTreeSet<_>>().len();
    let _ = writeln!(
        text,
        "{} jobs on {nodes} nodes of {}; {seeds} {}\n",
        study.jobs.len(),
        if sites == 1 { "1 site".to_owned() } else { format!("{sites} sites") },
        if seeds == 1 { "seed" } else { "seeds" }
    );
    let width =
        study.policies.iter().map(|policy| policy.to_string().chars().count()).max().unwrap_or(6).max(6);
    let _ = write!(text, "{:<width$}", "policy");
    for (name, _) in COLUMNS {
        let _ = write!(text, "  {name:>9}");
    }
    text.push('\n');
    for policy in study.policies.iter().map(ToString::to_string) {
        let _ = write!(text, "{policy:<width$}");
        for (_, figure) in COLUMNS {
            let (mean, _) = over_seeds(runs, &policy, figure);
            let _ = write!(text, "  {:>9}", short(mean));
        }
        text.push('\n');
    }
    for run in runs {
        let unserved: Vec<String> = run
            .metrics
            .fates
            .iter()
            .filter(|(fate, _)| !["done", "killed"].contains(&fate.as_str()))
            .map(|(fate, count)| format!("{count} {fate}"))
            .collect();
        if !unserved.is_empty() {
            let _ = writeln!(text, "{}, seed {}: {}", run.policy, run.seed, unserved.join(", "));
        }
    }
    text
}

/// A number as people read it.
fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
