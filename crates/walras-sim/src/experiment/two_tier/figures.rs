//! From records to the paper's table and figures.

use super::cycle::{Point, Record};
use super::flow::Flow;
use super::{FACTORS, MULTIPLES, TIERS, notes};
use crate::results::{Figure, Series, Tolerance, shortened};
use crate::statistics::Sample;

/// The points of all cycles together.
pub(super) fn sum(records: &[Record]) -> Record {
    let mut total = Record::default();
    for record in records {
        let points = record.by_factor.iter().chain(record.by_nodes.iter().flatten());
        let sums = total.by_factor.iter_mut().chain(total.by_nodes.iter_mut().flatten());
        sums.zip(points).for_each(|(sum, point)| sum.join(point));
    }
    total
}

impl Flow {
    fn collisions(&self) -> f64 {
        f64::from(self.collisions) / f64::from(self.jobs)
    }

    /// Over the jobs placed.
    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.placed)
    }

    fn cost(&self) -> f64 {
        self.mean(self.cost as f64 / 1e6)
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

/// A measure of a mode: its name, the printed values of both modes, the tolerance as a share, and how it is taken.
type Measure = (&'static str, [f64; 2], f64, fn(&Flow) -> f64);

/// Table 3.
const TABLE: [Measure; 6] = [
    ("execution time", [531_089.0, 399_465.0], 0.05, |flow| flow.time as f64),
    ("optimal schedules", [687.0, 703.0], 0.05, |flow| f64::from(flow.optimal)),
    ("mean collisions", [3.85, 4.41], 0.10, Flow::collisions),
    ("mean load, forecast", [0.1843, 0.1836], 0.10, |flow| flow.mean(flow.load_forecast)),
    ("mean load, fact", [0.1841, 0.1830], 0.10, |flow| flow.mean(flow.load_fact)),
    ("mean job cost", [14.51, 14.47], 0.05, Flow::cost),
];

/// Ratios that follow from table 3: name, the printed ratio, how far ours may be, and how it is taken of both modes.
type Ratio = (&'static str, f64, f64, fn(&Flow, &Flow) -> f64);

const RATIOS: [Ratio; 4] = [
    ("optimal schedules", 703.0 / 687.0, 0.05, |one, two| f64::from(two.optimal) / f64::from(one.optimal)),
    ("collisions", 4.41 / 3.85, 0.10, |one, two| two.collisions() / one.collisions()),
    ("load, forecast", 0.1836 / 0.1843, 0.02, |one, two| {
        two.mean(two.load_forecast) / one.mean(one.load_forecast)
    }),
    ("load, fact", 0.1830 / 0.1841, 0.02, |one, two| two.mean(two.load_fact) / one.mean(one.load_fact)),
];

/// Ratios that cannot but come out: name, the printed ratio, how it is taken of both modes, and why.
type Certain = (&'static str, f64, fn(&Flow, &Flow) -> f64, &'static str);

const CERTAIN: [Certain; 2] = [
    ("time", 399_465.0 / 531_089.0, |one, two| two.time as f64 / one.time as f64, notes::SENT),
    ("mean job cost", 14.47 / 14.51, |one, two| two.cost() / one.cost(), notes::SAME_JOBS),
];

/// Of the second mode these follow from what was fitted in the first: the time is its k-fold, and the jobs are the same.
const FOLLOWING: [&str; 2] = ["execution time", "mean job cost"];

/// An outcome of a mode: its name, and how it is taken.
type OutcomeOf = (&'static str, fn(&Flow) -> f64);

/// What the simulation gives beside the table.
const OUTCOMES: [OutcomeOf; 5] = [
    ("jobs placed", |flow| f64::from(flow.placed)),
    ("times that a job was sent back to the job-flow tier", |flow| f64::from(flow.returned)),
    ("jobs that end after their interval", |flow| f64::from(flow.late)),
    ("fact over forecast of the load", |flow| flow.load_fact / flow.load_forecast),
    ("node time used per time unit", |flow| flow.busy as f64 / flow.time as f64),
];

const MODES: [&str; 2] = ["one after the other", "two tiers"];

/// Table 3, then the figures, then the laws.
pub(super) fn figures(records: &[Record]) -> Vec<Figure> {
    let of = |measure: &dyn Fn(&Record) -> f64| Sample::of(records.iter().map(measure));
    let mut figures = Vec::new();
    for (name, paper, distance, ratio) in RATIOS {
        let sample = of(&|record| ratio(&record.flows[0], &record.flows[1]));
        let name = format!("{name}, two tiers over one after the other");
        let tolerance = Tolerance::absolute(paper, distance);
        figures.push(
            Figure::compared(&name, paper, sample.mean(), tolerance).over(&sample).because(notes::RATIO),
        );
    }
    for (name, paper, ratio, why) in CERTAIN {
        let sample = of(&|record| ratio(&record.flows[0], &record.flows[1]));
        let name = format!("{name}, two tiers over one after the other");
        figures.push(Figure::shown(&name, Some(paper), sample.mean(), why).over(&sample));
    }
    for (place, mode) in MODES.into_iter().enumerate() {
        for (name, printed, share, measure) in TABLE {
            let sample = of(&|record| measure(&record.flows[place]));
            let paper = printed[place];
            let tolerance = Tolerance::relative(paper, share);
            let figure = Figure::compared(&format!("{name}, {mode}"), paper, sample.mean(), tolerance);
            let figure = figure.over(&sample).because(notes::TABLE);
            let follows = place == 0 || FOLLOWING.contains(&name);
            figures.push(if follows { figure.fitted() } else { figure });
        }
        for (name, measure) in OUTCOMES {
            let sample = of(&|record| measure(&record.flows[place]));
            let name = format!("{name}, {mode}");
            figures.push(Figure::shown(&name, None, sample.mean(), notes::OUTCOMES).over(&sample));
        }
    }
    let total = sum(records);
    figures.extend(saturation(&total));
    figures.extend(shapes(&total));
    let placed = |point: &Point| point.placed as usize;
    let points = total.by_factor.iter().chain(total.by_nodes.iter().flatten()).map(placed).sum::<usize>();
    let flows: usize = records.iter().flat_map(|record| &record.flows).map(|flow| flow.placed as usize).sum();
    figures
        .push(Figure::checked("every schedule passes the independent verifier: schedules", flows + points));
    figures
}

/// "With a value of j > 4 all cases provide the maximum value of successful distribution probability."
fn saturation(total: &Record) -> Vec<Figure> {
    let figure = |(points, tiers): (&[Point; MULTIPLES.len()], u32)| {
        let success: Vec<f64> = points.iter().map(Point::success).collect();
        let most = success.iter().copied().fold(0.0, f64::max);
        let at = MULTIPLES.iter().position(|multiple| *multiple == 5).map(|place| success[place] / most);
        let name = format!("figure 4, N = {tiers}: success at j = 5 over the greatest");
        Figure::compared(&name, 1.0, at.filter(|share| share.is_finite()), Tolerance::Between(0.95, 1.0))
    };
    total.by_nodes.iter().zip(TIERS).map(figure).collect()
}

/// The shapes of figures 3 and 4.
fn shapes(total: &Record) -> Vec<Figure> {
    let shown = |name: &str, ours: Option<f64>| Figure::shown(name, None, ours, notes::DRAWN);
    let success: Vec<f64> = total.by_factor.iter().map(Point::success).collect();
    let steps = success.windows(2).map(|pair| pair[1] - pair[0]).min_by(f64::total_cmp);
    let mut shapes = vec![
        shown("figure 3: success at h = 1.0", success.first().copied()),
        shown("figure 3: success at h = 2.6", success.last().copied()),
        shown("figure 3: least step of success", steps),
    ];
    for (points, tiers) in total.by_nodes.iter().zip(TIERS) {
        let (first, last) = (points.first(), points.last());
        for (end, point) in [(1, first), (6, last)] {
            shapes.push(shown(
                &format!("figure 4, N = {tiers}: success at j = {end}"),
                point.map(Point::success),
            ));
            let collisions = point.map(Point::collisions);
            shapes.push(shown(&format!("figure 4, N = {tiers}: collisions at j = {end}"), collisions));
        }
    }
    shapes
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
