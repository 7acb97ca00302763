//! Figures by name: of a run, and over the seeds of a policy.

use super::{Metrics, Run};
use crate::statistics::Sample;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A figure that every run has.
type Figure = (&'static str, fn(&Metrics) -> f64);

/// Figures that every run has, in the order of tables.
const FIGURES: [Figure; 22] = [
    ("wait mean", |it| it.wait.mean),
    ("wait median", |it| it.wait.median),
    ("wait p95", |it| it.wait.p95),
    ("wait max", |it| it.wait.max),
    ("response mean", |it| it.response.mean),
    ("response median", |it| it.response.median),
    ("response p95", |it| it.response.p95),
    ("slowdown mean", |it| it.slowdown.mean),
    ("slowdown median", |it| it.slowdown.median),
    ("slowdown p95", |it| it.slowdown.p95),
    ("wait by work", |it| it.wait_by_work),
    ("makespan", |it| it.makespan),
    ("utilisation", |it| it.utilisation),
    ("cost", |it| it.cost),
    ("cost of work", |it| it.cost_of_work),
    ("deadline misses", |it| it.deadline_misses),
    ("budget misses", |it| it.budget_misses),
    ("fairness", |it| it.fairness),
    ("energy", |it| it.energy),
    ("promised", |it| it.promises.0 as f64),
    ("started late", |it| it.promises.1 as f64),
    ("not served", |it| it.jobs.saturating_sub(served(it)) as f64),
];

fn served(metrics: &Metrics) -> u64 {
    ["done", "killed"].iter().filter_map(|fate| metrics.fates.get(*fate)).sum()
}

/// All figures of a run: those that every run has, what each site earned, and what only the broker has.
pub fn figures(metrics: &Metrics) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> =
        FIGURES.iter().map(|(name, figure)| ((*name).to_owned(), figure(metrics))).collect();
    all.extend(metrics.income.iter().map(|(site, income)| (format!("income of {site}"), *income)));
    if let Some(outcomes) = metrics.outcomes {
        all.push(("outcome satisfaction mean".to_owned(), outcomes.mean));
        all.push(("outcome satisfaction least".to_owned(), outcomes.least));
    }
    if let Some(broker) = &metrics.broker {
        all.push(("jobs a cycle".to_owned(), broker.batch));
        all.push(("reservations broken".to_owned(), broker.reservations.1 as f64));
        all.push(("gap to the best listed".to_owned(), broker.gap));
        all.extend(broker.bound_gap.map(|gap| ("gap to the bound".to_owned(), gap)));
        if broker.quotes_asked.0 > 0 {
            all.push(("quotes kept".to_owned(), broker.quotes_kept));
            all.push(("quotes met".to_owned(), broker.quotes_met));
        }
        let bounds = [
            ("run times within nine in ten", broker.run_bounds),
            ("waits within nine in ten", broker.wait_bounds),
        ];
        let known = bounds.into_iter().filter(|(_, (said, _))| *said > 0);
        all.extend(known.map(|(name, (said, held))| (name.to_owned(), held as f64 / said as f64)));
        all.extend(content(&broker.satisfaction));
    }
    all
}

/// What the figures of a single stakeholder begin with.
pub(super) const SATISFACTION: &str = "satisfaction of ";

/// How content the least content stakeholder is and all are on average, and each of them.
fn content(satisfaction: &BTreeMap<String, f64>) -> Vec<(String, f64)> {
    let Some(least) = satisfaction.values().copied().min_by(f64::total_cmp) else { return Vec::new() };
    let mean = satisfaction.values().sum::<f64>() / satisfaction.len() as f64;
    let of_all = [("satisfaction least", least), ("satisfaction mean", mean)];
    let of_each = satisfaction.iter().map(|(who, mean)| (format!("{SATISFACTION}{who}"), *mean));
    of_all.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(of_each).collect()
}

/// A figure over seeds: its mean, and half the width of its 95% confidence interval.
pub type OverSeeds = (f64, Option<f64>);

/// The mean of a figure over the seeds of a policy, and half the width of its 95% confidence interval.
pub fn over_seeds(runs: &[Run], policy: &str, figure: fn(&Metrics) -> f64) -> OverSeeds {
    spread_of(runs.iter().filter(|run| run.policy == policy).map(|run| figure(&run.metrics)))
}

/// The mean of values, and half the width of the 95% confidence interval of what they are drawn from.
pub(super) fn spread_of(values: impl Iterator<Item = f64>) -> OverSeeds {
    let sample = Sample::of(values);
    (sample.mean().unwrap_or(0.0), sample.half_width())
}

/// All figures of a policy over its seeds, by name.
pub fn summary(runs: &[Run], policy: &str) -> BTreeMap<String, OverSeeds> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.policy == policy) {
        for (name, value) in figures(&run.metrics) {
            values.entry(name).or_default().push(value);
        }
    }
    values.into_iter().map(|(name, values)| (name, spread_of(values.into_iter()))).collect()
}

/// The names of all figures that some run has, in the order of tables.
pub fn names(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in runs.iter().flat_map(|run| figures(&run.metrics)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// One line for every run.
pub fn runs_csv(runs: &[Run]) -> String {
    let names = names(runs);
    let mut text = String::from("policy,seed,jobs");
    for name in &names {
        let _ = write!(text, ",{}", quoted(&name.replace(' ', "_")));
    }
    text.push('\n');
    for run in runs {
        let _ = write!(text, "{},{},{}", quoted(&run.policy), run.seed, run.metrics.jobs);
        let figures: BTreeMap<String, f64> = figures(&run.metrics).into_iter().collect();
        for name in &names {
            let value = figures.get(name).map(ToString::to_string).unwrap_or_default();
            let _ = write!(text, ",{value}");
        }
        text.push('\n');
    }
    text
}

/// How long every run took on this machine; one line each, and the only figures that two calls do not share.
pub fn timing_csv(runs: &[Run]) -> String {
    let mut text = String::from("policy,seed,jobs,seconds,milliseconds_a_job,cycles,milliseconds_a_cycle\n");
    for run in runs {
        let Some(took) = run.took else { continue };
        let cycles = run.metrics.broker.as_ref().map(|broker| broker.cycles).filter(|cycles| *cycles > 0);
        let millis = took.as_secs_f64() * 1_000.0;
        let _ = writeln!(
            text,
            "{},{},{},{:.3},{:.4},{},{}",
            quoted(&run.policy),
            run.seed,
            run.metrics.jobs,
            took.as_secs_f64(),
            millis / run.metrics.jobs.max(1) as f64,
            cycles.map(|cycles| cycles.to_string()).unwrap_or_default(),
            cycles.map(|cycles| format!("{:.4}", millis / cycles as f64)).unwrap_or_default(),
        );
    }
    text
}

/// A cell; quoted where it must be.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
