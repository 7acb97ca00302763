//! How well a trace can be predicted: walking it forward.
//!
//! Jobs are taken in the order of submission. When a job is submitted, everything that has finished by then is
//! known, and nothing else: the prediction is made from that, and compared with what happened. Three other
//! predictions are made at the same moment: the user's own estimate, the mean of the user's last two finished
//! jobs (the estimate while there are none), and the same but at most the estimate (Tsafrir, Etsion and Feitelson 2007). Predictions
//! are compared on the same jobs: those for which all had something to say. Every job of which it was said what nine of
//! ten stay within is counted by whether it did ([`Bounds`]), and every one of which it was said how likely it is to end within its
//! estimate by whether that came out ([`Chances`]).

use super::bounds::Bounds;
use super::chances::Chances;
use super::swf::{Trace, TraceJob};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use walras_core::predict::{Forecast, Predicted, Prediction, Predictor, Quantity};
use walras_model::{Span, Time};

/// How well a trace could be predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// What was predicted.
    pub quantity: Quantity,
    /// On all jobs for which the templates and the last two jobs had something to say.
    pub all: Compared,
    /// On those of them that carry an estimate.
    pub with_estimate: Compared,
    /// What nine of ten were said to stay within.
    pub bounds: Bounds,
    /// How likely jobs were said to be to end within their estimates; nothing of waits.
    pub chances: Chances,
    /// Jobs for which one of them had nothing to say.
    pub unpredicted: u32,
    /// How often each template was used, in its words, most often first.
    pub used: Vec<(String, u32)>,
}

/// Predictions of the same jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// By templates.
    pub templates: Figures,
    /// By the mean of the user's last two finished jobs.
    pub last_two: Figures,
    /// By the same, but at most the user's estimate; empty as the next.
    pub last_two_capped: Figures,
    /// By the user's estimate; empty for waits and for jobs without one.
    pub estimate: Figures,
}

/// How good predictions were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many there were.
    pub jobs: u32,
    /// How many were below what happened.
    pub under: u32,
    /// The sum of absolute errors, in milliseconds.
    error_sum: i128,
}

impl Figures {
    fn add(&mut self, predicted: Span, actual: Span) {
        self.jobs += 1;
        self.under += u32::from(predicted < actual);
        self.error_sum += i128::from(predicted.as_millis().abs_diff(actual.as_millis()));
    }

    /// The mean absolute error; `None` without jobs.
    pub fn error_mean(&self) -> Option<Span> {
        let mean = self.error_sum.checked_div(i128::from(self.jobs))?;
        Span::from_millis(i64::try_from(mean).ok()?)
    }

    /// The share of predictions that were below what happened; `None` without jobs.
    pub fn under_rate(&self) -> Option<f64> {
        (self.jobs > 0).then(|| f64::from(self.under) / f64::from(self.jobs))
    }
}

/// Walks a trace forward and compares predictions with what happened.
pub fn evaluate(trace: &Trace, quantity: Quantity) -> Evaluation {
    let mut evaluation = Evaluation {
        quantity,
        all: Compared::default(),
        with_estimate: Compared::default(),
        bounds: Bounds::default(),
        chances: Chances::default(),
        unpredicted: 0,
        used: Vec::new(),
    };
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    walk(trace, quantity, |job, prediction, last_two, actual| {
        if let Some(bound) = prediction.and_then(|prediction| prediction.announcement().nine_in_ten) {
            evaluation.bounds.add(bound, actual);
        }
        let own = job.features.estimate.filter(|_| quantity == Quantity::RunTime);
        let said = prediction.and_then(|prediction| prediction.margin?.within_estimate);
        if let Some((said, own)) = said.zip(own) {
            evaluation.chances.add(said, actual <= own);
        }
        let (Some(prediction), Some(last_two)) = (prediction, last_two.or(own)) else {
            evaluation.unpredicted += 1;
            return;
        };
        *used.entry(source(&prediction.by)).or_default() += 1;
        let groups = [Some(&mut evaluation.all), own.map(|_| &mut evaluation.with_estimate)];
        for compared in groups.into_iter().flatten() {
            compared.templates.add(prediction.value, actual);
            compared.last_two.add(last_two, actual);
            if let Some(own) = own {
                compared.last_two_capped.add(last_two.min(own), actual);
                compared.estimate.add(own, actual);
            }
        }
    });
    evaluation.used = used.into_iter().collect();
    evaluation.used.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    evaluation
}

/// A predictor that has learnt everything that a trace has to teach.
pub fn train(trace: &Trace, quantity: Quantity) -> Predictor {
    walk(trace, quantity, |_, _, _, _| {})
}

/// A prediction's source in words.
pub fn source(by: &Predicted) -> String {
    match by {
        Predicted::Template { template, .. } => template.to_string(),
        Predicted::Estimate => "the user's estimate".to_owned(),
    }
}

/// A job whose outcome is not known yet; ordered by when it will be, then by its place in the trace.
struct Open {
    known_at: Time,
    place: usize,
    forecast: Forecast,
    value: Span,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> std::cmp::Ordering {
        (self.known_at, self.place).cmp(&(other.known_at, other.place))
    }
}

/// What the user's last two finished jobs took.
type LastTwo = BTreeMap<i64, (Option<Span>, Span)>;

fn walk(
    trace: &Trace,
    quantity: Quantity,
    mut seen: impl FnMut(&TraceJob, Option<Prediction>, Option<Span>, Span),
) -> Predictor {
    let mut order: Vec<usize> = (0..trace.jobs.len()).collect();
    order.sort_by_key(|place| trace.jobs[*place].submit);
    let mut predictor = Predictor::new(quantity);
    let mut last_two = LastTwo::new();
    let mut open: BinaryHeap<Reverse<Open>> = BinaryHeap::new();
    for place in order {
        let job = &trace.jobs[place];
        let Some((value, known_at)) = outcome(job, quantity) else { continue };
        while open.peek().is_some_and(|Reverse(next)| next.known_at <= job.submit) {
            if let Some(Reverse(next)) = open.pop() {
                close(&next, trace, &mut predictor, &mut last_two);
            }
        }
        let forecast = predictor.forecast(&job.features);
        let mean = job.features.user.and_then(|user| last_two.get(&user)).map(mean_of_two);
        seen(job, forecast.prediction().copied(), mean, value);
        open.push(Reverse(Open { known_at, place, forecast, value }));
    }
    while let Some(Reverse(next)) = open.pop() {
        close(&next, trace, &mut predictor, &mut last_two);
    }
    predictor
}

/// What happened to a job, and when that was known; `None` for jobs that tell nothing.
fn outcome(job: &TraceJob, quantity: Quantity) -> Option<(Span, Time)> {
    if job.never_started {
        return None;
    }
    match quantity {
        Quantity::RunTime => {
            // Where waits are not recorded, the submission is the start.
            let start = job.submit.checked_add(job.wait.unwrap_or(Span::ZERO))?;
            Some((job.run?, start.checked_add(job.run?)?))
        }
        Quantity::Wait => Some((job.wait?, job.submit.checked_add(job.wait?)?)),
    }
}

fn close(job: &Open, trace: &Trace, predictor: &mut Predictor, last_two: &mut LastTwo) {
    // The reader lets no time pass that would be refused here.
    let learnt = predictor.learn(&job.forecast, job.value);
    debug_assert!(learnt.is_ok());
    if let Some(user) = trace.jobs[job.place].features.user {
        let before = last_two.get(&user).map(|(_, last)| *last);
        last_two.insert(user, (before, job.value));
    }
}

fn mean_of_two((before, last): &(Option<Span>, Span)) -> Span {
    let sum = before.unwrap_or(*last).as_millis() + last.as_millis();
    Span::from_millis(sum / 2).unwrap_or(*last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::read_swf;

    fn trace(jobs: &[(i64, i64, i64, i64)]) -> Trace {
        let line = |(submit, wait, run, estimate): &(i64, i64, i64, i64)| {
            format!("1 {submit} {wait} {run} 1 -1 -1 1 {estimate} -1 1 7 1 -1 -1 -1 -1 -1\n")
        };
        read_swf(jobs.iter().map(line).collect::<String>().as_bytes())
    }

    fn seconds(figures: &Figures) -> i64 {
        figures.error_mean().unwrap().as_millis() / 1_000
    }

    #[test]
    fn only_what_has_finished_is_known() {
        // The second job is submitted while the first still runs: only its estimate is known.
        let evaluation = evaluate(&trace(&[(0, 0, 100, 1_000), (50, 0, 100, 1_000)]), Quantity::RunTime);
        assert_eq!(seconds(&evaluation.all.templates), 900);
        assert_eq!(seconds(&evaluation.all.last_two), 900);
        // Once it has finished, it is; a template is trusted once it has been right before.
        let jobs = [0, 100, 200, 300].map(|submit| (submit, 0, 100, 1_000));
        let evaluation = evaluate(&trace(&jobs), Quantity::RunTime);
        assert_eq!(evaluation.all.last_two.error_sum, 900_000);
        assert_eq!(evaluation.all.templates.error_sum, 1_800_000);
        assert_eq!(seconds(&evaluation.all.estimate), 900);
    }

    #[test]
    fn the_last_two_are_the_last_two() {
        let jobs = [(0, 0, 10, 99), (20, 0, 10, 99), (40, 0, 30, 99), (80, 0, 40, 99), (200, 0, 0, 99)];
        let evaluation = evaluate(&trace(&jobs), Quantity::RunTime);
        // Errors: 89 (the estimate), 0, 20, 20 (mean of 10 and 30), 35 (mean of 30 and 40).
        assert_eq!(evaluation.all.last_two.error_sum, 164_000);
        assert_eq!(evaluation.all.last_two.under, 2);
        assert_eq!(evaluation.all.last_two_capped, evaluation.all.last_two);
    }

    #[test]
    fn the_last_two_may_be_capped() {
        let jobs = [(0, 0, 80, 90), (100, 0, 60, 90), (200, 0, 10, 20), (300, 0, 9, 12)];
        let evaluation = evaluate(&trace(&jobs), Quantity::RunTime);
        // Uncapped 90, 80, 70 and 35; capped 90, 80, 20 and 12.
        assert_eq!(evaluation.all.last_two.error_sum, 116_000);
        assert_eq!(evaluation.all.last_two_capped.error_sum, 43_000);
        // Without estimates there is nothing to cap with.
        let evaluation = evaluate(&trace(&[(0, 0, 80, -1), (100, 0, 60, -1)]), Quantity::RunTime);
        assert_eq!(evaluation.all.last_two_capped, Figures::default());
    }

    #[test]
    fn waits_are_known_from_the_start_on() {
        let evaluation = evaluate(&trace(&[(0, 30, 1_000, 9), (40, 30, 10, 9)]), Quantity::Wait);
        assert_eq!((evaluation.unpredicted, seconds(&evaluation.all.templates)), (1, 0));
        assert_eq!(evaluation.all.estimate, Figures::default());
    }

    #[test]
    fn training_learns_from_every_job_that_ran() {
        let predictor = train(&trace(&[(0, 0, 5, 9), (1, 0, -1, 9), (2, 0, 7, 9)]), Quantity::RunTime);
        assert_eq!(predictor.jobs(), 2);
    }
}
