//! Three users, four providers, many criteria: tables 1 to 6 and figures 3 and 4 of Kurowski et al. (2006).
//!
//! **Problem.** Three jobs go to four resource providers. In model (i) nothing is known of times but the wait in
//! each queue; in model (ii) providers guarantee a start, and completions are predicted. Each user weighs three
//! criteria. The paper values some assignments and picks the most satisfying.
//!
//! **Method.** Each table is computed twice. The *reading* is what reproduces the printed digits:
//! model (i) V = 1 − [max w(1−s) + 0.01·Σ w(1−s)]; model (ii) V = max w·s + 0.01·Σ w·s, each user's value
//! min–maxed over the listed solutions, and the total = min + 0.1·mean; s is the criterion scaled over the four
//! providers so that 1 is best, weights sum to 1. The *product's* form is the one that the text defines, distance
//! to the ideal: [`walras_core::prefer`] scores and chooses, the very code that serves `walras plan`.
//!
//! What does not follow from the printed data is shown and not judged: in table 3 the values on provider 2, the
//! totals, C_max and times (two of its rows repeat rows of table 6), and in table 6 user C on provider 2, printed
//! 0.590 where the printed costs give 0.592 (a cost of 35 instead of 25 would give it).

mod figures;
mod paper;
mod pictures;
mod product;

use super::{Experiment, ExperimentError, Findings, Options, Reproduction};
use crate::config::{self, Check, ConfigError};
use serde::{Deserialize, Serialize};

/// The name by which the experiment is called.
pub const NAME: &str = "multicriteria";
/// What it does, in a line.
pub const SUMMARY: &str = "Three users weigh criteria of four providers: the most satisfying assignment";

/// Every number of the two examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Table 1: for each job the weights of wait, speed and memory.
    pub weights_queues: [[f64; 3]; 3],
    /// Table 2: for each provider its wait, speed and memory.
    pub queues: [[f64; 3]; 4],
    /// Table 4: for each job the weights of guaranteed start, completion and cost.
    pub weights_slots: [[f64; 3]; 3],
    /// Table 5: for each job and provider the guaranteed start, the completion and the cost.
    pub slots: [[[f64; 3]; 4]; 3],
}

impl Default for Config {
    fn default() -> Self {
        Config {
            weights_queues: [[3.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 5.0]],
            queues: [[50.0, 4.5, 1.0], [0.0, 2.2, 4.0], [70.0, 2.4, 4.0], [0.0, 1.6, 2.0]],
            weights_slots: [[1.0, 1.0, 5.0], [3.0, 4.0, 1.0], [3.0, 0.0, 1.0]],
            slots: [
                [[100.0, 125.0, 15.0], [65.0, 75.0, 25.0], [55.0, 75.0, 35.0], [60.0, 80.0, 30.0]],
                [[100.0, 130.0, 15.0], [65.0, 75.0, 25.0], [55.0, 85.0, 35.0], [60.0, 90.0, 30.0]],
                [[100.0, 145.0, 25.0], [65.0, 100.0, 25.0], [55.0, 95.0, 40.0], [60.0, 100.0, 30.0]],
            ],
        }
    }
}

/// Criteria and weights lie below this.
const VALUE_MAX: f64 = 1e6;

impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> {
        for (name, weights) in
            [("weights_queues", &self.weights_queues), ("weights_slots", &self.weights_slots)]
        {
            for row in weights {
                row.iter().try_for_each(|weight| Check::of(name).real(*weight, 0.0, VALUE_MAX))?;
                if row.iter().sum::<f64>() <= 0.0 {
                    return Check::of(name).fail("the weights of a job are all zero".to_owned());
                }
            }
        }
        for row in &self.queues {
            row.iter().try_for_each(|value| Check::of("queues").real(*value, 0.0, VALUE_MAX))?;
        }
        for [start, completion, cost] in self.slots.iter().flatten() {
            Check::of("slots").real(*start, 0.0, VALUE_MAX)?;
            Check::of("slots").real(*completion, 0.0, VALUE_MAX)?;
            Check::of("slots").real(*cost, 0.0, VALUE_MAX)?;
            if completion <= start {
                return Check::of("slots")
                    .fail(format!("a completion at {completion} is not after the start"));
            }
        }
        Ok(())
    }
}

/// Which provider each of the three jobs gets, from 0.
pub(crate) type Assignment = [usize; 3];

/// `A1B2C3`
pub(crate) fn name(assignment: Assignment) -> String {
    let [a, b, c] = assignment.map(|provider| provider + 1);
    format!("A{a}B{b}C{c}")
}

/// Computes both examples.
pub fn run(config: &Config, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    config::Config::check(config)?;
    let chosen = product::choices(config)
        .map_err(|problem| ConfigError::new("", format!("the example cannot be chosen from: {problem}")))?;
    let findings = Findings {
        figures: figures::figures(config, &chosen),
        fitted: figures::fitted(),
        series: Vec::new(),
        notes: figures::notes(config, &chosen),
    };
    let results = Experiment::Multicriteria.results(config, options, findings);
    (options.progress)(options.cycles, options.cycles);
    let pictures = pictures::pictures(config, &chosen)
        .ok_or_else(|| ConfigError::new("slots", "the charts cannot be drawn: times lie too far apart"))?;
    Ok(Reproduction { results, pictures })
}
