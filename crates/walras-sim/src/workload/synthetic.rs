//! A synthetic workload: arrivals, sizes and run times as on the machines that Lublin and Feitelson fitted.
//!
//! **Source.** U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid
//! jobs", JPDC 63(11), 2003; the parameters of [`Model::default`] are theirs for batch and interactive jobs together.
//!
//! **Method.**
//! - *Sizes.* A job is serial with `serial`; else the logarithm (base 2) of its size is uniform between `size_low` and
//!   `size_middle` with `size_split`, else between `size_middle` and that of the machine; with `power_of_two` it is rounded to a
//!   whole number first.
//! - *Run times.* Their natural logarithm follows a gamma distribution with probability p, else another; p falls with size:
//!   `run_slope` · nodes + `run_offset`.
//! - *Arrivals.* The logarithm of the time between two follows a gamma distribution, in units that pass faster by day: the
//!   48 half hours from half past five on have weights by a third gamma distribution, counted from midnight.
//! - *Estimates* are not in their model. A job uses a share of its estimate that is uniform between `used_least` and 1, and
//!   people state round times ([`ROUND`]), so the estimate is the next of these (after Tsafrir, Etsion and Feitelson 2005,
//!   who found twenty values in most estimates).
//! - *Users* are drawn by a law in which a few have most jobs.
//!
//! ```
//! use walras_sim::workload::{Model, Synthetic};
//! let jobs: Vec<_> = Synthetic::new(Model { nodes: 64, ..Model::default() }, 7).take(100).collect();
//! assert!(jobs.is_sorted_by_key(|job| job.submit) && jobs.iter().all(|job| (1..=64).contains(&job.nodes)));
//! ```

use super::Job;
use serde::{Deserialize, Serialize};
use walras_model::{Span, Time};
use walras_random::Purpose;
use walras_random::Stream;

/// Times that people state, in minutes.
const ROUND: [i64; 20] =
    [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 600, 720, 900, 1_080, 1_440, 2_160, 2_880];

/// A model of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// How large the machine is.
    pub nodes: u32,
    /// How many users there are.
    pub users: u32,
    /// The share of serial jobs.
    pub serial: f64,
    /// The share of the others whose size is a power of two.
    pub power_of_two: f64,
    /// The least logarithm of a size.
    pub size_low: f64,
    /// So far below the machine's is the logarithm at which the two stages meet.
    pub size_middle: f64,
    /// How likely a size is of the first stage.
    pub size_split: f64,
    /// Shape and scale of the first distribution of run times.
    pub run_first: (f64, f64),
    /// Shape and scale of the second.
    pub run_second: (f64, f64),
    /// How much less likely the first is with each node.
    pub run_slope: f64,
    /// How likely the first is for no nodes.
    pub run_offset: f64,
    /// Shape and scale of the time between arrivals.
    pub arrivals: (f64, f64),
    /// Shape and scale of the daily cycle, in half hours.
    pub day: (f64, f64),
    /// The least share of its estimate that a job uses.
    pub used_least: f64,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            nodes: 128,
            users: 64,
            serial: 0.244,
            power_of_two: 0.576,
            size_low: 0.8,
            size_middle: 2.5,
            size_split: 0.86,
            run_first: (4.2, 0.94),
            run_second: (312.0, 0.03),
            run_slope: -0.0054,
            run_offset: 0.78,
            arrivals: (10.230_3, 0.487_1),
            day: (8.173_7, 3.963_1),
            used_least: 0.05,
        }
    }
}

/// The half hours of a day.
const BUCKETS: usize = 48;
/// The half hour in which a day begins, as work goes.
const DAWN: usize = 11;
/// A half hour, in seconds.
const BUCKET: f64 = 1_800.0;
/// No time between arrivals, and no run time, is longer, in seconds: 60 days.
const LONGEST: f64 = 5_184_000.0;

/// Jobs of a model, without end.
pub struct Synthetic {
    model: Model,
    chance: Stream,
    /// How fast time passes in every half hour; one on average.
    weights: [f64; BUCKETS],
    now: f64,
    number: u64,
}

impl Synthetic {
    /// The jobs of a model and a seed.
    pub fn new(model: Model, seed: u64) -> Synthetic {
        let weights = weights(model.day);
        Synthetic { model, chance: Purpose::Workload.stream(seed, 0), weights, now: 0.0, number: 0 }
    }

    fn size(&mut self) -> u32 {
        let model = self.model;
        if model.nodes <= 1 || self.chance.share() < model.serial {
            return 1;
        }
        let high = f64::from(model.nodes).log2();
        let middle = (high - model.size_middle).max(model.size_low);
        let first = self.chance.share() < model.size_split;
        let (low, high) = if first { (model.size_low, middle) } else { (middle, high) };
        let logarithm = low + (high - low) * self.chance.share();
        let round = self.chance.share() < model.power_of_two;
        let size = if round { logarithm.round() } else { logarithm }.exp2().round();
        whole(size).clamp(1, model.nodes)
    }

    fn run(&mut self, nodes: u32) -> f64 {
        let first = self.model.run_slope * f64::from(nodes) + self.model.run_offset;
        let of = if self.chance.share() < first { self.model.run_first } else { self.model.run_second };
        gamma(of, &mut self.chance).exp().clamp(1.0, LONGEST)
    }

    /// Lets the time to the next arrival pass, faster by day.
    fn arrive(&mut self) {
        let mut left = gamma(self.model.arrivals, &mut self.chance).exp().min(LONGEST);
        loop {
            let bucket = (self.now / BUCKET).floor();
            let weight = self.weights[usize::try_from(whole(bucket)).unwrap_or(0) % BUCKETS].max(1e-3);
            let until = (bucket + 1.0) * BUCKET;
            let passes = (until - self.now) * weight;
            if left <= passes {
                self.now += left / weight;
                return;
            }
            left -= passes;
            self.now = until;
        }
    }

    /// What a user says of a run time in seconds.
    fn estimate(&mut self, run: f64) -> f64 {
        let least = self.model.used_least.clamp(0.001, 1.0);
        let used = least + (1.0 - least) * self.chance.share();
        let stated = run / used;
        let round = ROUND.iter().map(|minutes| *minutes as f64 * 60.0).find(|round| *round >= stated);
        round.unwrap_or(stated)
    }

    fn user(&mut self) -> i64 {
        let users = f64::from(self.model.users.max(1));
        i64::from(whole(users.powf(self.chance.share()))).clamp(1, i64::from(self.model.users.max(1)))
    }
}

impl Iterator for Synthetic {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        self.arrive();
        let nodes = self.size();
        let run = self.run(nodes);
        let estimate = self.estimate(run);
        let user = Some(self.user());
        self.number += 1;
        Some(Job {
            number: self.number,
            submit: Time::from_millis(millis(self.now))?,
            nodes,
            run: Span::from_millis(millis(run).max(1_000))?,
            estimate: Span::from_millis(millis(estimate).max(1_000))?,
            user,
            budget: None,
            deadline: None,
        })
    }
}

/// How fast time passes in every half hour: the density of the day's distribution, with one on average.
fn weights((shape, scale): (f64, f64)) -> [f64; BUCKETS] {
    let mut weights = [0.0; BUCKETS];
    for half_hour in DAWN..DAWN + BUCKETS {
        let at = half_hour as f64 + 0.5;
        weights[half_hour % BUCKETS] = ((shape - 1.0) * at.ln() - at / scale).exp();
    }
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| if sum > 0.0 { weight * BUCKETS as f64 / sum } else { 1.0 })
}

/// A draw from a gamma distribution (Marsaglia, Tsang 2000); shapes below 1 count as 1.
fn gamma((shape, scale): (f64, f64), chance: &mut Stream) -> f64 {
    let d = shape.max(1.0) - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    // Each try fails in one of twenty: the bound is never met.
    for _ in 0..10_000 {
        let x = normal(chance);
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - chance.share();
        if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v * scale;
        }
    }
    d * scale
}

/// A draw from the normal distribution (Box, Muller 1958).
fn normal(chance: &mut Stream) -> f64 {
    let radius = (-2.0 * (1.0 - chance.share()).ln()).sqrt();
    radius * (std::f64::consts::TAU * chance.share()).cos()
}

/// A number that is not negative as a whole one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn whole(value: f64) -> u32 {
    value.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// Seconds as whole milliseconds.
#[allow(clippy::cast_possible_truncation, reason = "clamped before")]
fn millis(seconds: f64) -> i64 {
    (seconds * 1_000.0).clamp(0.0, 1e15) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    #[test]
    fn draws_follow_their_distributions() {
        let mut chance = Purpose::Workload.stream(3, 1);
        let drawn: Vec<f64> = (0..20_000).map(|_| gamma((4.2, 0.94), &mut chance)).collect();
        let average = mean(drawn.iter().copied());
        let variance = mean(drawn.iter().map(|value| (value - average).powi(2)));
        assert!((average - 4.2 * 0.94).abs() < 0.05, "{average}");
        assert!((variance - 4.2 * 0.94 * 0.94).abs() < 0.15, "{variance}");
        assert!((mean(weights((8.173_7, 3.963_1)).into_iter()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn jobs_are_as_the_model_says() {
        let jobs: Vec<Job> = Synthetic::new(Model::default(), 1).take(20_000).collect();
        let share = |what: &dyn Fn(&Job) -> bool| mean(jobs.iter().map(|job| f64::from(u8::from(what(job)))));
        assert!((share(&|job| job.nodes == 1) - 0.244).abs() < 0.05);
        assert!(share(&|job| job.nodes.is_power_of_two()) > 0.7);
        assert!(jobs.iter().all(|job| job.estimate >= job.run));
        // More come by day than by night.
        let hour = |job: &Job| job.submit.as_millis() / 3_600_000 % 24;
        let day = share(&|job| (9..17).contains(&hour(job)));
        assert!(day > 0.4, "{day}");
        // The mean of what the exponential of a gamma distribution gives.
        let between = jobs.last().unwrap().submit.as_millis() as f64 / 1_000.0 / jobs.len() as f64;
        let expected = (1.0_f64 - 0.487_1).powf(-10.230_3);
        assert!((between / expected - 1.0).abs() < 0.15, "{between} {expected}");
    }

    #[test]
    fn a_seed_is_a_workload() {
        let of = |seed| Synthetic::new(Model::default(), seed).take(50).collect::<Vec<_>>();
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
