//! Sweeps: the same study at several loads and latencies, from one file.
//!
//! ```
//! use walras_sim::config::read_config;
//! use walras_sim::study::Sweep;
//! let sweep: Sweep = read_config("load: [0.9, 1.1]\nlatency: [0, 5]").unwrap();
//! assert_eq!(sweep.points().len(), 4);
//! ```

use crate::config::{Config, ConfigError};
use serde::{Deserialize, Serialize};

/// What is varied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sweep {
    /// How many times as densely jobs come; as they do, without.
    pub load: Vec<f64>,
    /// How many seconds messages to sites take; as the call says, without.
    pub latency: Vec<f64>,
    /// The policies; those of the call, without.
    pub policy: Vec<String>,
}

/// One point of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// The factor of load.
    pub load: Option<f64>,
    /// The latency in seconds.
    pub latency: Option<f64>,
}

impl Config for Sweep {
    fn check(&self) -> Result<(), ConfigError> {
        if self.load.iter().any(|load| !(0.001..=1_000.0).contains(load)) {
            return Err(ConfigError::new("load", "must lie within [0.001, 1000]"));
        }
        if self.latency.iter().any(|latency| !(0.0..=3_600.0).contains(latency)) {
            return Err(ConfigError::new("latency", "must lie within [0, 3600]"));
        }
        Ok(())
    }
}

impl Sweep {
    /// Every combination, loads first.
    pub fn points(&self) -> Vec<Point> {
        let some = |values: &[f64]| -> Vec<Option<f64>> {
            if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
        };
        let latencies = some(&self.latency);
        let loads = some(&self.load).into_iter();
        loads
            .flat_map(|load| latencies.iter().map(move |latency| Point { load, latency: *latency }))
            .collect()
    }
}

impl Point {
    /// The point in words; empty for the study as it is.
    pub fn words(&self) -> String {
        let load = self.load.map(|load| format!("load {load}"));
        let latency = self.latency.map(|latency| format!("latency {latency}"));
        load.into_iter().chain(latency).collect::<Vec<_>>().join(", ")
    }
}
