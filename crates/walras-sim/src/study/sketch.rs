//! What pictures of a run need, gathered job by job.
//!
//! **Problem.** A picture of a million jobs shows a hundred points; they need not be kept for it.
//!
//! **Method.** Waits and slowdowns are [`Distribution`]s. How much is used when is summed up in equal steps of time, of which there are at
//! most [`STEPS_MAX`]: where a run goes on beyond them, neighbours become one, so that a step is twice as long. Only jobs that run
//! within the interval of the timetable are kept.
//!
//! **Complexity.** O(k) a job that runs for k steps; memory does not grow with the workload but for those of the timetable.

use crate::record::{Ran, Record};
use crate::statistics::Distribution;
use crate::workload::Job;
use walras_model::Time;

/// At most so many steps of time.
const STEPS_MAX: usize = 4_096;

/// What pictures of a run need.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// In seconds.
    pub(super) waits: Distribution,
    pub(super) slowdowns: Distribution,
    pub(super) used: Used,
    /// The timetable's interval, in milliseconds, and who ran in it.
    pub(super) interval: (i64, i64),
    pub(super) shown: Vec<(Ran, Job)>,
}

impl Sketch {
    /// Nothing yet, of a run that begins then, with a timetable between two moments; in milliseconds.
    pub(super) fn new(begin: i64, interval: (i64, i64)) -> Sketch {
        Sketch {
            waits: Distribution::default(),
            slowdowns: Distribution::default(),
            used: Used::new(begin),
            interval,
            shown: Vec::new(),
        }
    }

    /// Takes in what became of a job.
    pub(super) fn add(&mut self, record: &Record) {
        let Some(ran) = record.ran else { return };
        if let Some(wait) = record.wait() {
            self.waits.add(wait.as_millis() as f64 / 1_000.0);
        }
        if let Some(slowdown) = record.bounded_slowdown() {
            self.slowdowns.add(slowdown);
        }
        let (start, end) = (ran.start.as_millis(), ran.end.as_millis());
        self.used.add(start, end, f64::from(record.job.nodes));
        if start < self.interval.1 && end > self.interval.0 {
            self.shown.push((ran, record.job));
        }
    }
}

/// Node-time that is used, in equal steps of time.
#[derive(Clone, Debug)]
pub(super) struct Used {
    begin: i64,
    /// The length of a step, in milliseconds.
    step: i64,
    /// How many nodes are used on average in each.
    nodes: Vec<f64>,
    end: i64,
}

impl Used {
    fn new(begin: i64) -> Used {
        Used { begin, step: 1_000, nodes: Vec::new(), end: begin }
    }

    fn add(&mut self, start: i64, end: i64, nodes: f64) {
        self.end = self.end.max(end);
        let capacity = i64::try_from(STEPS_MAX).unwrap_or(i64::MAX);
        while (end - self.begin) / self.step >= capacity {
            self.halve();
        }
        let of = |time: i64| (time - self.begin) as f64 / self.step as f64;
        let last = usize::try_from((end - self.begin) / self.step).unwrap_or(0);
        if last >= self.nodes.len() {
            self.nodes.resize(last + 1, 0.0);
        }
        spread(&mut self.nodes, of(start), of(end), nodes);
    }

    /// Makes one step of two.
    fn halve(&mut self) {
        let both = |two: &[f64]| two.iter().sum::<f64>() / 2.0;
        self.nodes = self.nodes.chunks(2).map(both).collect();
        self.step *= 2;
    }

    /// When the last job ended.
    pub(super) fn end(&self) -> Time {
        Time::from_millis(self.end).unwrap_or(Time::MAX)
    }

    /// The same in so many steps of another length, in milliseconds.
    pub(super) fn in_steps(&self, count: usize, step: f64) -> Vec<f64> {
        let mut steps = vec![0.0; count];
        let scale = self.step as f64 / step;
        for (place, nodes) in self.nodes.iter().enumerate().filter(|(_, nodes)| **nodes > 0.0) {
            spread(&mut steps, place as f64 * scale, (place as f64 + 1.0) * scale, *nodes);
        }
        steps
    }
}

/// Adds a weight to every step that an interval touches, by how much of it.
fn spread(steps: &mut [f64], from: f64, until: f64, weight: f64) {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from a step on, none is before the first"
    )]
    let first = from.max(0.0) as usize;
    for (place, step) in steps.iter_mut().enumerate().skip(first) {
        let (begin, end) = (place as f64, place as f64 + 1.0);
        if begin >= until {
            return;
        }
        *step += weight * (until.min(end) - from.max(begin)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Draws;

    #[test]
    fn weights_are_spread_over_what_is_touched() {
        let mut steps = vec![0.0; 4];
        spread(&mut steps, 0.5, 2.25, 4.0);
        assert_eq!(steps, [2.0, 4.0, 1.0, 0.0]);
    }

    /// However long a run turns out to be, no node-time is lost, and it lies where it was used.
    #[test]
    fn use_is_the_same_in_steps_of_any_length() {
        let mut draws = Draws::new(3);
        let mut below = |count: usize| i64::try_from(draws.below(count)).unwrap();
        let mut used = Used::new(500);
        let mut all = Vec::new();
        for number in 0..3_000 {
            let start = 500 + number * 9_000 + below(50_000);
            let end = start + 1 + below(4_000_000);
            used.add(start, end, 3.0);
            all.push((start, end));
        }
        assert!(used.nodes.len() <= STEPS_MAX && used.step > 1_000);
        let length = (used.end().as_millis() - 500) as f64 / 10.0;
        let found = used.in_steps(10, length);
        let mut expected = vec![0.0; 10];
        for (start, end) in all {
            let of = |time: i64| (time - 500) as f64 / length;
            spread(&mut expected, of(start), of(end), 3.0);
        }
        let sum = |of: &[f64]| of.iter().sum::<f64>();
        assert!((sum(&found) / sum(&expected) - 1.0).abs() < 1e-3, "{found:?} {expected:?}");
        let mean = sum(&found) / 10.0;
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 0.01 * mean, "{found} {expected}");
        }
    }
}
