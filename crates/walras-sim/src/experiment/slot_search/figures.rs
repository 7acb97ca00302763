//! From records to figures.

use super::Config;
use super::cycle::{Chosen, Record, Side, Sums};
use crate::experiment::{Experiment, Options};
use crate::results::{Figure, Series, Tolerance, shortened};

/// Experiments that the paper's figure 5 compares.
const FIRST: usize = 300;

/// Micro-credits in a credit.
const MICROS: f64 = 1e6;

/// A figure of one search in one problem: name, the paper's values for ALP and AMP, tolerance, measure.
type Pair = (&'static str, [f64; 2], f64, fn(&Record, &Chosen) -> f64);

const PAIRS: [Pair; 4] = [
    ("min time: time", [59.85, 39.01], 0.02, |record, chosen| chosen.min_time.time_per_job(record)),
    ("min time: cost", [313.56, 369.69], 0.03, |record, chosen| chosen.min_time.cost_per_job(record)),
    ("min cost: cost", [313.09, 343.3], 0.03, |record, chosen| chosen.min_cost.cost_per_job(record)),
    ("min cost: time", [61.04, 51.62], 0.02, |record, chosen| chosen.min_cost.time_per_job(record)),
];

impl Sums {
    fn time_per_job(self, record: &Record) -> f64 {
        self.time as f64 / record.jobs as f64
    }

    fn cost_per_job(self, record: &Record) -> f64 {
        self.cost as f64 / MICROS / record.jobs as f64
    }
}

/// All figures, in the order of the papers.
pub(super) fn figures(records: &[Record]) -> Vec<Figure> {
    let counted: Vec<&Record> = records.iter().filter(|record| record.counted().is_some()).collect();
    let average = |measure: &dyn Fn(&Record) -> f64| mean(counted.iter().map(|record| measure(record)));
    let compared = |name: &str, paper: f64, share: f64, measure: &dyn Fn(&Record) -> f64| {
        Figure::compared(name, paper, average(measure), Tolerance::relative(paper, share))
    };
    let share = counted.len() as f64 / records.len() as f64;
    let (jobs, slots) = (average(&|record| record.jobs as f64), average(&|record| record.slots as f64));
    let mut figures = vec![
        Figure::compared("counted cycles, share", 0.343, Some(share), Tolerance::Between(0.30, 0.36)),
        Figure::compared("jobs per counted cycle", 4.18, jobs, Tolerance::absolute(4.18, 0.05)),
        Figure::compared("slots per counted cycle", 135.11, slots, Tolerance::absolute(135.11, 0.4)),
        compared("alternatives per job, ALP", 7.39, 0.04, &|record| record.alp.per_job(record)),
        compared("alternatives per job, AMP", 34.28, 0.04, &|record| record.amp.per_job(record)),
    ];
    for (name, [alp, amp], share, measure) in PAIRS {
        let of = |record: &Record, amp: bool| {
            record.counted().map_or(0.0, |chosen| measure(record, if amp { &chosen.1 } else { &chosen.0 }))
        };
        figures.push(compared(&format!("{name}, ALP"), alp, share, &|record| of(record, false)));
        figures.push(compared(&format!("{name}, AMP"), amp, share, &|record| of(record, true)));
    }
    figures.extend(others(&counted));
    figures
}

/// What the papers say in passing.
fn others(counted: &[&Record]) -> [Figure; 4] {
    let is_faster =
        |record: &&&Record| record.counted().is_some_and(|(alp, amp)| amp.min_time.time < alp.min_time.time);
    let faster = counted.iter().filter(is_faster).count() as f64 / counted.len() as f64;
    let faster = Some(faster).filter(|share| share.is_finite());
    let total =
        |found: fn(&Record) -> usize| counted.iter().map(|record| found(record)).sum::<usize>() as f64;
    let shown = |name: &str, paper: f64, ours: f64| Figure::shown(name, Some(paper), Some(ours));
    [
        Figure::law("AMP faster than ALP in min time, share", faster, Tolerance::AtLeast(0.99)),
        shown("counted cycles", 8_571.0, counted.len() as f64),
        shown("alternatives in counted cycles, ALP", 258_079.0, total(|record| record.alp.found)),
        shown("alternatives in counted cycles, AMP", 1_160_029.0, total(|record| record.amp.found)),
    ]
}

impl Side {
    fn per_job(&self, record: &Record) -> f64 {
        self.found as f64 / record.jobs as f64
    }
}

/// The mean in the order given; `None` of nothing.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// The times per job of the first counted cycles, for the paper's figure 5.
pub(super) fn first_experiments(records: &[Record]) -> Vec<Series> {
    let first: Vec<(&Record, (Chosen, Chosen))> =
        records.iter().filter_map(|record| Some((record, record.counted()?))).take(FIRST).collect();
    let x: Vec<f64> = (1..=first.len()).map(|number| number as f64).collect();
    let line = |name: &str, pick: fn(&(Chosen, Chosen)) -> Sums| {
        let y = first.iter().map(|(record, chosen)| shortened(pick(chosen).time_per_job(record))).collect();
        Series { name: name.to_owned(), x: x.clone(), y }
    };
    vec![line("ALP", |chosen| chosen.0.min_time), line("AMP", |chosen| chosen.1.min_time)]
}

/// How to read the figures.
pub(super) fn notes(config: &Config, options: &Options<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if *config != Config::default() {
        notes.push(
            "The configuration is not the papers': their figures are shown for orientation only.".into(),
        );
    }
    if options.cycles < Experiment::SlotSearch.cycles_default() {
        notes.push(format!(
            "{} cycles are fewer than the papers' 25,000: expect figures to scatter beyond their tolerances.",
            options.cycles
        ));
    }
    notes.extend(NOTES.map(str::to_owned));
    notes
}

const NOTES: [&str; 6] = [
    "Fitted: the price cap C of a job. The papers do not print it. C = 1.7^Pmin · U[0.9, 1.1] per time unit, for \
     the minimum performance Pmin that the job asks for, brings all printed averages within their tolerances.",
    "Fitted: whole numbers are drawn without the upper end of their range (120 to 149 slots, 3 to 6 jobs, 1 to 5 \
     nodes, job lengths 50 to 149, slot lengths 50 to 299, gaps 0 to 9). The papers write closed brackets, but \
     print 135.11 slots and 4.18 jobs per counted cycle.",
    "Read as: a run time is ceil(length / performance), t = ceil(length / Pmin), S = C · t · nodes; a job's time is \
     that of its longest task. The papers print t · P(s) / P, by which faster nodes would take longer.",
    "Read as: T* is the sum over the jobs of floor(mean time of the job's alternatives). As printed, formula (2) \
     floors every term of the mean, and most cycles would have no solution.",
    "The papers count 8,571 of 25,000 cycles; here the share is about 5% lower. It is very sensitive to the fitted \
     price cap: with U[0.94, 1.14] it is 0.53, but then ALP finds 12% too many alternatives and costs are 5 to 10% \
     too high.",
    "The totals of alternatives follow from the number of counted cycles; the means per job are what compares. \
     (The second paper prints 115,116 alternatives of AMP at 34.23 per job: a digit is missing.)",
];
