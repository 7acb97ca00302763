//! Pictures of a study: distributions, use over time, cost against wait.

use super::sketch::Sketch;
use super::{Run, Study};
use crate::record::wholes;
use crate::statistics::Distribution;
use walras_model::Time;
use walras_picture::{Line, LineChart, line_chart};

/// Distributions are shown at these percentiles.
const PERCENTILES: [u64; 21] =
    [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 99];
/// So many points of time.
const MOMENTS: usize = 120;

/// All pictures, each as SVG with what it shows.
pub(super) fn pictures(study: &Study, runs: &[Run]) -> Vec<(String, String)> {
    // Distributions are those of the first seed.
    let first: Vec<&Run> = study
        .policies
        .iter()
        .filter_map(|policy| runs.iter().find(|run| run.policy == policy.to_string()))
        .collect();
    vec![
        ("Waits".to_owned(), distribution("wait", &first)),
        ("Slowdowns".to_owned(), slowdown(&first)),
        ("Use over time".to_owned(), use_over_time(study, &first)),
        ("Prices over time".to_owned(), prices_over_time(study, &first)),
        ("Cost against wait".to_owned(), cost_against_wait(study, runs)),
    ]
}

fn points(of: &Distribution, shown: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let values = of.percentiles(PERCENTILES);
    PERCENTILES.iter().zip(values).map(|(percent, value)| (*percent as f64, shown(value))).collect()
}

/// What the runs have for their pictures.
fn sketched<'a>(runs: &'a [&'a Run]) -> impl Iterator<Item = (&'a Run, &'a Sketch)> {
    runs.iter().filter_map(|run| Some((*run, run.sketch.as_ref()?)))
}

fn distribution(id: &str, runs: &[&Run]) -> String {
    let lines = sketched(runs).map(|(run, sketch)| Line {
        name: &run.policy,
        points: points(&sketch.waits, |wait| wait / 3_600.0),
    });
    line_chart(&LineChart {
        id,
        title: "How long jobs wait",
        subtitle: "So many percent of the jobs wait no longer than this; first seed",
        x_title: "jobs, %",
        y_title: "wait, hours",
        lines: lines.collect(),
    })
}

fn slowdown(runs: &[&Run]) -> String {
    let lines = sketched(runs).map(|(run, sketch)| Line {
        name: &run.policy,
        points: points(&sketch.slowdowns, |slowdown| slowdown.max(1.0).log10()),
    });
    line_chart(&LineChart {
        id: "slowdown",
        title: "How much longer jobs take than they run",
        subtitle: "Bounded slowdown (10 s) in powers of ten: 0 is no wait, 1 is ten times, 2 a hundred; first seed",
        x_title: "jobs, %",
        y_title: "slowdown, log10",
        lines: lines.collect(),
    })
}

/// When the first job comes, and a step of time, in milliseconds.
fn steps(study: &Study, runs: &[&Run]) -> (i64, f64) {
    let start = study.jobs.first().map_or(0, Time::as_millis);
    let ends = sketched(runs).map(|(_, sketch)| sketch.used.end().as_millis());
    let end = ends.max().unwrap_or(start + 1).max(start + 1);
    (start, (end - start) as f64 / MOMENTS as f64)
}

/// At most so many sites are drawn.
const SITES_MAX: usize = 8;

/// What every site asks for a node and second: its own price, and what demand makes of it under a policy.
fn prices_over_time(study: &Study, runs: &[&Run]) -> String {
    let (start, step) = steps(study, runs);
    let moved: Vec<&&Run> = runs.iter().filter(|run| run.demand.len() > 1).collect();
    let mut named: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let wholes = (0..).zip(wholes(&study.sites));
    let kinds = wholes.flat_map(|(place, kinds)| kinds.iter().map(move |kind| (place, kind)));
    for (place, site) in kinds.take(SITES_MAX) {
        let base = site.price.as_micros_per_second() as f64 / 1e6;
        let line = |factor: &dyn Fn(i64) -> f64| -> Vec<(f64, f64)> {
            let at = |moment: usize| (moment as f64 + 0.5) * step;
            #[allow(clippy::cast_possible_truncation, reason = "within a schedule")]
            let time = |moment: usize| start + at(moment) as i64;
            (0..MOMENTS).map(|moment| (at(moment) / 86_400_000.0, base * factor(time(moment)))).collect()
        };
        if moved.is_empty() {
            named.push((site.name.clone(), line(&|_| 1.0)));
        }
        for run in &moved {
            let factor = |time: i64| {
                let now = run.demand.partition_point(|(at, _)| at.as_millis() <= time);
                let factors = now.checked_sub(1).and_then(|last| run.demand.get(last));
                factors
                    .and_then(|(_, of)| of.get::<usize>(place))
                    .map_or(1.0, |it| it.as_millionths() as f64 / 1e6)
            };
            named.push((format!("{}, {}", site.name, run.policy), line(&factor)));
        }
    }
    let lines = named.iter().map(|(name, points)| Line { name, points: points.clone() });
    line_chart(&LineChart {
        id: "prices",
        title: "What a node costs",
        subtitle: if moved.is_empty() {
            "By site; no price follows demand here"
        } else {
            "By site, where owners let prices follow demand; those of other policies stay at their base; first seed"
        },
        x_title: "days since the first submission",
        y_title: "credits a second",
        lines: lines.collect(),
    })
}

/// The share of all nodes that is used, in equal steps of time.
fn use_over_time(study: &Study, runs: &[&Run]) -> String {
    let nodes: f64 = study.sites.iter().map(|site| f64::from(site.nodes)).sum();
    let (_, step) = steps(study, runs);
    let lines = sketched(runs).map(|(run, sketch)| {
        let used = sketch.used.in_steps(MOMENTS, step);
        let at = |place: usize| (place as f64 + 0.5) * step / 86_400_000.0;
        let points = used.iter().enumerate().map(|(place, used)| (at(place), 100.0 * used / nodes.max(1.0)));
        Line { name: &run.policy, points: points.collect() }
    });
    line_chart(&LineChart {
        id: "use",
        title: "How much of the sites is used",
        subtitle: "The share of all nodes that compute, in equal steps of time; first seed",
        x_title: "days since the first submission",
        y_title: "nodes in use, %",
        lines: lines.collect(),
    })
}

/// A point for every policy; policies that differ by what a delay is worth alone are one line.
pub fn cost_against_wait(study: &Study, runs: &[Run]) -> String {
    let mut families: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for policy in study.policies.iter().map(ToString::to_string) {
        let (cost, _) = super::over_seeds(runs, &policy, |it| it.cost_of_work);
        let (wait, _) = super::over_seeds(runs, &policy, |it| it.wait.mean / 3_600.0);
        let name = family(&policy);
        match families.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push((cost, wait)),
            None => families.push((name, vec![(cost, wait)])),
        }
    }
    for (_, points) in &mut families {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    let lines = families.iter().map(|(name, points)| Line { name, points: points.clone() });
    line_chart(&LineChart {
        id: "pareto",
        title: "What it costs, and how long one waits for it",
        subtitle: "One point for each policy, mean over seeds, and a line through settings of value; nearer to the lower left is better",
        x_title: "credits for a node-second of work",
        y_title: "mean wait, hours",
        lines: lines.collect(),
    })
}

/// A policy without what a delay is worth in it.
fn family(policy: &str) -> String {
    let (name, settings) = policy.split_once(':').unwrap_or((policy, ""));
    let others: Vec<&str> =
        settings.split(',').filter(|it| !it.is_empty() && !it.starts_with("value=")).collect();
    if others.is_empty() { name.to_owned() } else { format!("{name}:{}", others.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_value_are_one_family() {
        let names = ["walras:value=0.3", "walras", "walras:slack=0,value=2", "mct:queue=easy", "easy"];
        assert_eq!(names.map(family), ["walras", "walras", "walras:slack=0", "mct:queue=easy", "easy"]);
    }
}
