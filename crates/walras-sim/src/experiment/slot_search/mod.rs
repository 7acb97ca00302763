//! ALP against AMP: the slot search experiment of Toporkov et al.
//!
//! **Problem.** On the same slot list, AMP should find more alternatives than ALP, and the batch should run faster
//! for a somewhat higher price. By how much?
//!
//! **Method.** In every cycle a slot list and a batch are drawn and all alternatives of all jobs are found, once by
//! ALP and once by AMP. A cycle counts when every job has an alternative under both. In counted cycles the total
//! time is minimised under B*, and the total cost under T*, for both sets of alternatives. A figure is the mean over
//! counted cycles of the mean over the cycle's jobs; a job's time is that of its longest task.
//!
//! Laws: AMP's first window does not start after ALP's on the same list (for the first job of every cycle, and for
//! every job of the verified ones); T* can be kept; the verifier finds nothing wrong.
//!
//! **Source.** Toporkov, Toporkova, Tselishchev, Yemelyanov: slot selection algorithms, section on simulation.

mod cycle;
mod figures;
mod notes;
mod pictures;

use super::{Experiment, ExperimentError, Findings, Options, Reproduction, cycles};
use crate::config::{self, Check, ConfigError};
use crate::generate::{JobGenerator, SlotGenerator};
use serde::{Deserialize, Serialize};

/// The name by which the experiment is called.
pub const NAME: &str = "slot-search";
/// What it does, in a line.
pub const SUMMARY: &str = "ALP against AMP: alternatives found, least time under B*, least cost under T*";

/// Every parameter of the experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How slots are drawn.
    pub slots: SlotGenerator,
    /// How jobs are drawn.
    pub jobs: JobGenerator,
    /// Cycles whose number is a multiple of this are checked by the verifier.
    pub verify_every: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { slots: SlotGenerator::default(), jobs: JobGenerator::default(), verify_every: 50 }
    }
}

impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> {
        self.slots.check(Check::of("slots"))?;
        self.jobs.check(Check::of("jobs"))?;
        Check::of("verify_every").whole(self.verify_every, 1, u32::MAX)
    }
}

/// Runs the experiment.
pub fn run(config: &Config, options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    config::Config::check(config)?;
    let records = cycles::run(options, |number| cycle::run(config, options.seed, number))?;
    let findings = Findings {
        figures: figures::figures(config, &records),
        fitted: notes::fitted(),
        series: figures::first_experiments(&records),
        notes: notes::NOTES.map(str::to_owned).into(),
    };
    let results = Experiment::SlotSearch.results(config, options, findings);
    let pictures = pictures::pictures(&results);
    Ok(Reproduction { results, pictures })
}
