//! x
use super::{ExperimentError, Options, Reproduction};
use crate::config::{self, ConfigError};
use crate::generate::{JobGenerator, SlotGenerator};
use serde::{Deserialize, Serialize};
/// The name by which the experiment is called.
pub const NAME: &str = "batch-optimisation";
/// What it does, in a line.
pub const SUMMARY: &str = "the best combination against a random one, in four problems";
/// Every parameter of the experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// s
    pub slots: SlotGenerator,
    /// j
    pub jobs: JobGenerator,
}
impl config::Config for Config {
    fn check(&self) -> Result<(), ConfigError> { Ok(()) }
}
/// Runs the experiment.
pub fn run(_config: &Config, _options: &Options<'_>) -> Result<Reproduction, ExperimentError> {
    Err(ExperimentError::Config(ConfigError::new("", "todo")))
}
