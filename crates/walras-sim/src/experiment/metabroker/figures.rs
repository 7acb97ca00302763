//! From records to the paper's figures and table.

use super::cycle::{Record, period_settings, regimes};
use super::methods::{Measured, Method, Row};
use super::periods::{self, Course};
use super::{Config, Deadlines, headlines, notes};
use crate::generate::market::Prices;
use crate::results::{Figure, Series, Tolerance, shortened};
use crate::statistics::Sample;

/// Micro-credits in a credit.
const MICROS: f64 = 1e6;

/// Table I: what users spend in all, by number of sites, for tight, medium and relaxed deadlines.
const TABLE: [(u32, [f64; 3]); 5] = [
    (25, [245_280.8, 259_832.6, 194_668.9]),
    (50, [247_655.0, 261_059.7, 198_771.5]),
    (100, [247_251.2, 260_689.1, 198_462.5]),
    (150, [247_245.4, 260_653.5, 198_360.5]),
    (200, [247_015.7, 260_664.0, 198_455.3]),
];
/// The jobs that the paper completes once there are enough sites, for tight, medium and relaxed deadlines.
const JOBS: [f64; 3] = [34.0, 50.0, 50.0];

/// All figures, in the paper's order.
pub(super) fn figures(config: &Config, records: &[Record]) -> Vec<Figure> {
    let mut figures = headlines::figures(config, records);
    figures.extend(table(config, records));
    for deadlines in Deadlines::ALL {
        for sites in ends(config) {
            figures.extend(totals(config, records, deadlines, sites));
        }
    }
    figures.extend(over_periods(config, records));
    figures.extend(iterations(config, records));
    figures.extend(by_regime(config, records));
    figures.extend(laws(records));
    figures
}

/// The least and the largest number of sites.
fn ends(config: &Config) -> Vec<u32> {
    let mut ends: Vec<u32> =
        [config.sites.first(), config.sites.last()].into_iter().flatten().copied().collect();
    ends.dedup();
    ends
}

/// The rows of a setting of the paper's figures.
pub(super) fn rows<'a>(
    config: &Config,
    records: &'a [Record],
    deadlines: Deadlines,
    sites: u32,
) -> Vec<&'a Row> {
    let size = config
        .sites
        .iter()
        .position(|other| *other == sites)
        .expect("the size is one of the configuration's");
    let index = deadlines as usize * config.sites.len() + size;
    records.iter().filter_map(|record| record.main.get(index)).collect()
}

pub(super) fn sample(rows: &[&Row], method: Method, measure: impl Fn(&Measured) -> f64) -> Sample {
    Sample::of(rows.iter().map(|row| measure(&row[method as usize])))
}

fn spending(measured: &Measured) -> f64 {
    measured.cost as f64 / MICROS
}

fn jobs(measured: &Measured) -> f64 {
    measured.jobs as f64
}

/// Table I: the division of jobs that may be split.
fn table(config: &Config, records: &[Record]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for sites in config.sites.iter().copied() {
        let printed = TABLE.iter().find(|(size, _)| *size == sites).map(|(_, printed)| printed);
        for (index, deadlines) in Deadlines::ALL.into_iter().enumerate() {
            let rows = rows(config, records, deadlines, sites);
            let name = format!("Table I, {sites} sites, {}: MGN", deadlines.name());
            let paper = printed.map(|printed| printed[index]);
            let measured = sample(&rows, Method::Division, spending);
            let figure =
                Figure::shown(&format!("{name} spending"), paper, measured.mean(), notes::TABLE_BROKEN);
            figures.push(figure.over(&measured));
            let measured = sample(&rows, Method::Division, jobs);
            let paper = printed.map(|_| JOBS[index]);
            let figure = Figure::shown(&format!("{name} jobs"), paper, measured.mean(), notes::TABLE_JOBS);
            figures.push(figure.over(&measured));
        }
    }
    figures
}

/// Figures 2 to 4 at one size: spending and jobs of every method.
fn totals(config: &Config, records: &[Record], deadlines: Deadlines, sites: u32) -> Vec<Figure> {
    let rows = rows(config, records, deadlines, sites);
    let largest = config.sites.last() == Some(&sites);
    let mut figures = Vec::new();
    for method in Method::ALL.into_iter().filter(|method| *method != Method::Division) {
        let name = format!("{}, {sites} sites: {}", deadlines.name(), method.name());
        let (jobs, spending) = (sample(&rows, method, jobs), sample(&rows, method, spending));
        let jobs_name = format!("{name}, jobs");
        // All methods complete as many there: the printed number is compared once, with that of the paper's own method.
        figures.push(match largest && method == Method::Lpga {
            true => {
                let paper = JOBS[deadlines as usize];
                let tolerance = Tolerance::absolute(paper, 1.0);
                let figure = Figure::compared(&jobs_name, paper, jobs.mean(), tolerance);
                figure.over(&jobs).because(notes::TIGHT_JOBS)
            }
            false => Figure::shown(&jobs_name, None, jobs.mean(), notes::DRAWN).over(&jobs),
        });
        let figure = Figure::shown(&format!("{name}, spending"), None, spending.mean(), notes::DRAWN);
        figures.push(figure.over(&spending));
    }
    figures
}

/// What every method's course over the broker's periods comes to.
fn over_periods(config: &Config, records: &[Record]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (index, setting) in period_settings(config).into_iter().enumerate() {
        for (place, method) in periods::METHODS.into_iter().enumerate() {
            let of = |measure: fn(&Course) -> f64| {
                let courses = records.iter().filter_map(|record| record.periods.get(index));
                Sample::of(courses.map(|courses| measure(&courses[place])))
            };
            let (class, sites, method) = (setting.deadlines.name(), setting.sites, method.name());
            let mut shown = |what: &str, measure: fn(&Course) -> f64| {
                let sample = of(measure);
                let name = format!("{class}, {sites} sites, over periods: {method}, {what}");
                figures.push(Figure::shown(&name, None, sample.mean(), notes::PERIODS).over(&sample));
            };
            shown("jobs", |course| course.jobs as f64);
            shown("spending", |course| course.cost as f64 / MICROS);
            shown("rounds", |course| f64::from(course.rounds));
            if method == Method::Hga.name() || method == Method::Lpga.name() {
                shown("iterations of all rounds", |course| f64::from(course.generations));
            }
        }
    }
    figures
}

/// By how much one method spends less than another, in per cent, over the cycles in which both complete as many jobs.
pub(super) fn saving(rows: &[&Row], better: Method, worse: Method) -> Sample {
    let pairs = rows.iter().map(|row| (&row[better as usize], &row[worse as usize]));
    let equal = pairs.filter(|(better, worse)| better.jobs == worse.jobs && worse.cost > 0);
    Sample::of(equal.map(|(better, worse)| (1.0 - better.cost as f64 / worse.cost as f64) * 100.0))
}

/// By how much fewer iterations one method needs, in per cent.
fn fewer(rows: &[&Row], better: Method, worse: Method) -> Sample {
    let iterations = |row: &Row, method: Method| f64::from(row[method as usize].generations);
    Sample::of(rows.iter().map(|row| (1.0 - iterations(row, better) / iterations(row, worse)) * 100.0))
}

/// Figure 5: iterations of the genetic algorithms under tight deadlines.
fn iterations(config: &Config, records: &[Record]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for sites in config.sites.iter().copied() {
        let rows = rows(config, records, Deadlines::Tight, sites);
        for method in [Method::Hga, Method::Lpga] {
            let measured = sample(&rows, method, |measured| f64::from(measured.generations));
            let name = format!("tight, {sites} sites: iterations of {}", method.name());
            figures.push(Figure::shown(&name, None, measured.mean(), notes::DRAWN).over(&measured));
        }
    }
    figures
}

/// The claims under every regime.
fn by_regime(config: &Config, records: &[Record]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (index, setting) in regimes(config).into_iter().enumerate() {
        let rows: Vec<&Row> = records.iter().filter_map(|record| record.regimes.get(index)).collect();
        let name = regime_name(setting.generator.prices, setting.generator.speed_spread);
        let mut shown = |what: &str, sample: &Sample| {
            let figure = Figure::shown(&format!("{name}: {what}, %"), None, sample.mean(), notes::REGIMES);
            figures.push(figure.over(sample));
        };
        let pairs = [
            (Method::Mmc, Method::GreedyPrice),
            (Method::MmcPrice, Method::GreedyPrice),
            (Method::MmcCost, Method::GreedyPrice),
            (Method::Mmc, Method::GreedyCost),
            (Method::Lpga, Method::Hga),
            (Method::Exact, Method::Lpga),
        ];
        for (better, worse) in pairs {
            let what = format!("{} below {}", better.name(), worse.name());
            shown(&what, &saving(&rows, better, worse));
        }
        shown("fewer iterations of LPGA than of HGA", &fewer(&rows, Method::Lpga, Method::Hga));
    }
    figures
}

/// What every cycle was held to.
fn laws(records: &[Record]) -> Vec<Figure> {
    let rows = || records.iter().flat_map(|record| record.main.iter().chain(&record.regimes));
    let proven = rows().filter(|row| row[Method::Exact as usize].proven).count();
    let courses = records.iter().map(|record| record.periods.len() * periods::METHODS.len()).sum();
    vec![
        Figure::checked("no method beats the exact one where that is proven: markets", proven),
        Figure::checked(
            "LPGA is no worse than MMC, HGA than its greedy, MMC than either completion: markets",
            rows().count(),
        ),
        Figure::checked("the broker verifies and reserves every round's plan: courses over periods", courses),
    ]
}

/// How a regime is called.
pub(super) fn regime_name(prices: Prices, spread: f64) -> String {
    let prices = match prices {
        Prices::PerSite => "prices per site",
        Prices::PerPair => "prices per pair",
        Prices::BySpeed => "prices by speed",
    };
    format!("{prices}, speeds ±{}%", shortened(spread * 100.0))
}

/// The lines of figures 2 to 5: `class measure: method` over the number of sites, each followed by half the width of
/// its 95% interval.
pub(super) fn series(config: &Config, records: &[Record]) -> Vec<Series> {
    let mut series = Vec::new();
    for deadlines in Deadlines::ALL {
        for method in Method::ALL {
            let name = |measure: &str| format!("{} {measure}: {}", deadlines.name(), method.name());
            let mut add = |measure: &str, of: &dyn Fn(&Measured) -> f64| {
                let at = |sites: &u32| sample(&rows(config, records, deadlines, *sites), method, of);
                series.extend(lines(config, &name(measure), at));
            };
            add("spending", &spending);
            add("jobs", &jobs);
            if matches!(method, Method::Hga | Method::Lpga) {
                add("iterations", &|measured| f64::from(measured.generations));
            }
        }
    }
    series
}

fn lines(config: &Config, name: &str, at: impl Fn(&u32) -> Sample) -> [Series; 2] {
    let samples: Vec<Sample> = config.sites.iter().map(at).collect();
    let line = |name: String, of: &dyn Fn(&Sample) -> Option<f64>| {
        let points = config.sites.iter().zip(&samples).filter_map(|(x, sample)| Some((*x, of(sample)?)));
        let (x, y) = points.map(|(x, y)| (f64::from(x), shortened(y))).unzip();
        Series { name, x, y }
    };
    [line(name.to_owned(), &Sample::mean), line(format!("{name}, 95% interval ±"), &Sample::half_width)]
}
