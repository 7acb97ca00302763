//! What the paper claims of its figures in numbers.

use super::cycle::{Record, Setting, period_settings};
use super::figures::{rows, saving};
use super::methods::Method;
use super::{Config, Deadlines, notes, periods};
use crate::results::{Figure, Tolerance};
use crate::statistics::Sample;

/// All of them.
pub(super) fn figures(config: &Config, records: &[Record]) -> Vec<Figure> {
    let tasks = Sample::of(records.iter().map(|record| f64::from(record.tasks)));
    let mut figures = vec![
        Figure::compared("tasks of 50 jobs", 246.0, tasks.mean(), Tolerance::relative(246.0, 0.04))
            .over(&tasks)
            .fitted(),
        greatest(
            "MMC below greedy by price, most of all sizes and classes, %",
            (30.0, Tolerance::absolute(30.0, 5.0)),
            settings(config).map(|at| saving(&of(config, records, at), Method::Mmc, Method::GreedyPrice)),
        )
        .because(notes::MMC),
        greatest(
            "LPGA below HGA, most of all sizes and classes, %",
            (7.5, Tolerance::absolute(7.5, 2.0)),
            settings(config).map(|at| saving(&of(config, records, at), Method::Lpga, Method::Hga)),
        )
        .because(notes::LPGA),
    ];
    figures.extend(iterations(config, records));
    figures
}

type At = (Deadlines, u32);

fn settings(config: &Config) -> impl Iterator<Item = At> {
    Deadlines::ALL.into_iter().flat_map(|deadlines| config.sites.iter().map(move |sites| (deadlines, *sites)))
}

fn of<'a>(config: &Config, records: &'a [Record], (deadlines, sites): At) -> Vec<&'a super::methods::Row> {
    rows(config, records, deadlines, sites)
}

/// The greatest mean of several samples, with its interval.
fn greatest(
    name: &str,
    (paper, tolerance): (f64, Tolerance),
    samples: impl Iterator<Item = Sample>,
) -> Figure {
    let mean = |sample: &Sample| sample.mean().unwrap_or(f64::NEG_INFINITY);
    let most = samples.max_by(|one, other| mean(one).total_cmp(&mean(other)));
    let figure = Figure::compared(name, paper, most.as_ref().and_then(Sample::mean), tolerance);
    most.map_or_else(|| figure.clone(), |most| figure.clone().over(&most))
}

/// By cycle the iterations of a method under tight deadlines: of all rounds where a size is followed over periods, of the one round
/// elsewhere, in which nearly everybody finds a place. `None` for a size that is not looked at.
fn generations(config: &Config, records: &[Record], sites: u32, method: Method) -> Option<Vec<f64>> {
    let is_it = |setting: &Setting| setting.sites == sites && setting.deadlines == Deadlines::Tight;
    let place = period_settings(config).iter().position(is_it);
    let course = periods::METHODS.iter().position(|other| *other == method);
    if let Some((place, course)) = place.zip(course) {
        let courses = records.iter().filter_map(|record| record.periods.get(place));
        return Some(courses.map(|courses| f64::from(courses[course].generations)).collect());
    }
    let rows = config.sites.contains(&sites).then(|| rows(config, records, Deadlines::Tight, sites))?;
    Some(rows.iter().map(|row| f64::from(row[method as usize].generations)).collect())
}

/// Figure 5 and what is said of it.
fn iterations(config: &Config, records: &[Record]) -> Vec<Figure> {
    let of = |sites: u32, method: Method| generations(config, records, sites, method);
    let mut figures = Vec::new();
    for (method, paper, tolerance) in [
        (Method::Hga, 1_000.0, Tolerance::relative(1_000.0, 0.2)),
        (Method::Lpga, 700.0, Tolerance::Between(350.0, 700.0)),
    ] {
        let Some(all) = of(50, method) else { continue };
        let sample = Sample::of(all.into_iter());
        let name = format!("tight, 50 sites: iterations of {} over all rounds, printed", method.name());
        let figure = Figure::compared(&name, paper, sample.mean(), tolerance).over(&sample);
        // Populations and patience were chosen so that HGA takes about as long as printed.
        let figure = if method == Method::Hga { figure.fitted() } else { figure };
        figures.push(figure.because(notes::EFFORT));
    }
    let fewer = |sites: &u32| {
        let (lpga, hga) = (of(*sites, Method::Lpga)?, of(*sites, Method::Hga)?);
        Sample::of(lpga.iter().zip(&hga).map(|(lpga, hga)| (1.0 - lpga / hga) * 100.0)).mean()
    };
    let reductions: Vec<f64> = config.sites.iter().filter_map(fewer).collect();
    let least = reductions.iter().copied().min_by(f64::total_cmp);
    let most = reductions.iter().copied().max_by(f64::total_cmp);
    for (end, paper, ours) in [("least", 7.0, least), ("most", 25.0, most)] {
        let name = format!("tight: fewer iterations of LPGA than of HGA, {end} of all sizes, %");
        figures.push(
            Figure::compared(&name, paper, ours, Tolerance::absolute(paper, 5.0)).because(notes::FEWER),
        );
    }
    let mean = |method: Method| of(150, method).and_then(|all| Sample::of(all.into_iter()).mean());
    if let (Some(hga), Some(lpga)) = (mean(Method::Hga), mean(Method::Lpga)) {
        let name = "tight, 150 sites: iterations of LPGA less those of HGA";
        figures.push(Figure::shown(name, None, Some(lpga - hga), notes::EXCEPTION));
    }
    figures
}
