//! From records to the paper's table and figures.

use super::cycle::{Flow, Point, Record};
use super::{Config, FACTORS, MULTIPLES, TIERS};
use crate::experiment::{Experiment, Options};
use crate::results::{Figure, Series, Tolerance, shortened};

/// All cycles together.
pub(super) fn sum(records: &[Record]) -> Record {
    let mut total = Record::default();
    for record in records {
        for (sum, flow) in total.flows.iter_mut().zip(&record.flows) {
            sum.join(flow);
        }
        let points = record.by_factor.iter().chain(record.by_nodes.iter().flatten());
        let sums = total.by_factor.iter_mut().chain(total.by_nodes.iter_mut().flatten());
        sums.zip(points).for_each(|(sum, point)| sum.join(point));
    }
    total
}

impl Flow {
    fn join(&mut self, other: &Flow) {
        self.jobs += other.jobs;
        self.placed += other.placed;
        self.optimal += other.optimal;
        self.collisions += other.collisions;
        self.cost += other.cost;
        self.time += other.time;
        // Only the last job of all is waited for.
        self.rest = other.rest;
        self.load_forecast += other.load_forecast;
        self.load_fact += other.load_fact;
    }

    fn duration(&self) -> f64 {
        (self.time + self.rest) as f64
    }

    /// Over the jobs placed.
    fn mean(&self, sum: f64) -> Option<f64> {
        Some(sum / f64::from(self.placed)).filter(|mean| mean.is_finite())
    }
}

impl Point {
    fn join(&mut self, other: &Point) {
        self.experiments += other.experiments;
        self.placed += other.placed;
        self.collisions += other.collisions;
    }

    fn success(&self) -> f64 {
        f64::from(self.placed) / f64::from(self.experiments.max(1))
    }

    fn collisions(&self) -> f64 {
        f64::from(self.collisions) / f64::from(self.experiments.max(1))
    }
}

/// Table 3, then what must hold of the figures.
pub(super) fn figures(total: &Record) -> Vec<Figure> {
    let [one, two] = &total.flows;
    let mut figures = vec![
        Figure::compared(
            "time, two tiers over one after the other",
            399_465.0 / 531_089.0,
            Some(two.duration() / one.duration()).filter(|ratio| ratio.is_finite()),
            Tolerance::Between(0.74, 0.77),
        ),
        Figure::compared(
            "mean job cost, two tiers over one after the other",
            14.47 / 14.51,
            cost_ratio(one, two),
            Tolerance::Between(0.97, 1.03),
        ),
    ];
    let printed = [
        ("one after the other", one, [531_089.0, 687.0, 3.85, 0.1843, 0.1841, 14.51]),
        ("two tiers", two, [399_465.0, 703.0, 4.41, 0.1836, 0.1830, 14.47]),
    ];
    for (mode, flow, [time, optimal, collisions, forecast, fact, cost]) in printed {
        let shown = |what: &str, paper: Option<f64>, ours: Option<f64>| {
            Figure::shown(&format!("{what}, {mode}"), paper, ours)
        };
        figures.extend([
            shown("jobs", Some(1_000.0), Some(f64::from(flow.jobs))),
            shown("jobs placed", None, Some(f64::from(flow.placed))),
            shown("execution time", Some(time), Some(flow.duration())),
            shown("optimal schedules", Some(optimal), Some(f64::from(flow.optimal))),
            shown(
                "mean collisions",
                Some(collisions),
                Some(f64::from(flow.collisions) / f64::from(flow.jobs.max(1))),
            ),
            shown("mean load, forecast", Some(forecast), flow.mean(flow.load_forecast)),
            shown("mean load, fact", Some(fact), flow.mean(flow.load_fact)),
            shown("mean job cost", Some(cost), flow.mean(flow.cost as f64 / 1e6)),
        ]);
    }
    figures.extend(laws(total));
    figures
}

fn cost_ratio(one: &Flow, two: &Flow) -> Option<f64> {
    Some(two.mean(two.cost as f64)? / one.mean(one.cost as f64)?)
}

/// The shapes of figures 3 and 4.
fn laws(total: &Record) -> Vec<Figure> {
    let success: Vec<f64> = total.by_factor.iter().map(Point::success).collect();
    let rise = success.last().zip(success.first()).map(|(last, first)| last - first);
    let steps = success.windows(2).map(|pair| pair[1] - pair[0]).min_by(f64::total_cmp);
    let mut laws = vec![
        Figure::law("figure 3: rise of success from h = 1.0 to 2.6", rise, Tolerance::AtLeast(0.5)),
        Figure::law("figure 3: least step of success", steps, Tolerance::AtLeast(-0.05)),
    ];
    for (points, tiers) in total.by_nodes.iter().zip(TIERS) {
        let at =
            |multiple: u32| MULTIPLES.iter().position(|other| *other == multiple).map(|index| points[index]);
        let (first, middle, last) = (at(1), at(4), at(6));
        let gain = |from: Option<Point>, to: Option<Point>| Some(to?.success() - from?.success());
        let fewer = first.zip(last).map(|(first, last)| first.collisions() - last.collisions());
        laws.extend([
            Figure::law(
                &format!("figure 4, N = {tiers}: gain of success from j = 1 to 4"),
                gain(first, middle),
                Tolerance::Above(0.0),
            ),
            Figure::law(
                &format!("figure 4, N = {tiers}: gain of success from j = 4 to 6"),
                gain(middle, last),
                Tolerance::Between(-0.1, 0.1),
            ),
            Figure::law(
                &format!("figure 4, N = {tiers}: fewer collisions at j = 6 than at 1"),
                fewer,
                Tolerance::Above(0.0),
            ),
        ]);
    }
    laws
}

/// The lines of figures 3, 4a and 4b.
pub(super) fn series(total: &Record) -> Vec<Series> {
    let factors = FACTORS.map(|tenths| f64::from(tenths) / 10.0);
    let line = |name: String, x: &[f64], y: Vec<f64>| Series {
        name,
        x: x.to_vec(),
        y: y.into_iter().map(shortened).collect(),
    };
    let mut series = vec![line(
        "success against h".into(),
        &factors,
        total.by_factor.iter().map(Point::success).collect(),
    )];
    let multiples = MULTIPLES.map(f64::from);
    for (points, tiers) in total.by_nodes.iter().zip(TIERS) {
        series.push(line(
            format!("collisions, N = {tiers}"),
            &multiples,
            points.iter().map(Point::collisions).collect(),
        ));
    }
    for (points, tiers) in total.by_nodes.iter().zip(TIERS) {
        series.push(line(
            format!("success, N = {tiers}"),
            &multiples,
            points.iter().map(Point::success).collect(),
        ));
    }
    series
}

/// How to read the figures.
pub(super) fn notes(config: &Config, options: &Options<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if *config != Config::default() {
        notes.push("The configuration is not the default one.".into());
    }
    if options.cycles < Experiment::TwoTier.cycles_default() {
        notes.push(format!("{} cycles are fewer than the 40 that make the paper's numbers.", options.cycles));
    }
    notes.extend(NOTES.map(str::to_owned));
    notes
}

const NOTES: [&str; 5] = [
    "Fitted: everything about jobs and nodes. The paper prints the number of jobs, k, the values of h, j and N and the \
     number of experiments; graphs, run times, speeds, prices, owners' tasks and the strategy it does not.",
    "Read as: a job's interval is h times its longest critical path on the fastest node, without transfers; the next job \
     is sent after the whole interval of the one before, or after k of it, and works around what earlier jobs took.",
    "Read as: a schedule is optimal when it ends at the lower bound, which no schedule can beat. That is stricter than \
     optimal among the schedules that the owners' tasks leave, so our count is a lower one.",
    "Read as: the forecast is the load that the schedule plans; in fact tasks run a little shorter than estimated.",
    "What must hold, and is checked: two tiers take about a quarter less time at about the same mean cost; success rises \
     with h; with more nodes there are fewer collisions, and above j = 4 success no longer changes.",
];
