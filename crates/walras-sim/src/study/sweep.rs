//! Sweeps: the same study with other options, every combination of what one file lists.
//!
//! ```
//! use walras_sim::config::read_config;
//! use walras_sim::study::Sweep;
//! let sweep: Sweep = read_config("load: [0.9, 1.1]\nowners: ['10,3', '30,3']\npolicy: [easy]").unwrap();
//! assert_eq!(sweep.points().len(), 4);
//! assert_eq!(sweep.points()[1].words(), "load 0.9, owners 30,3");
//! assert_eq!(sweep.policies(), ["easy"]);
//! ```

use crate::config::{Config, ConfigError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What may be varied: options of the call, by their names without dashes.
pub const VARIED: [&str; 13] = [
    "load",
    "sites",
    "skip",
    "take",
    "seed",
    "budgets",
    "deadlines",
    "failures",
    "owners",
    "latency",
    "patience",
    "quotes",
    "demand",
];
/// At most so many points.
const POINTS_MAX: usize = 10_000;

/// What is varied: options with the values that they take, and `policy` with all policies, which are compared at every point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sweep(BTreeMap<String, Vec<Setting>>);

/// A value as a file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// Words.
    Words(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Whole(number) => number.fmt(f),
            Setting::Number(number) => number.fmt(f),
            Setting::Words(words) => words.fmt(f),
        }
    }
}

/// One point of a sweep: what every option that is varied says there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point(pub Vec<(String, String)>);

impl Config for Sweep {
    fn check(&self) -> Result<(), ConfigError> {
        for (option, values) in &self.0 {
            if option != "policy" && !VARIED.contains(&option.as_str()) {
                let known = VARIED.join(", ");
                return Err(ConfigError::new(option, format!("cannot be varied; what can: policy, {known}")));
            }
            if values.is_empty() {
                return Err(ConfigError::new(option, "must list a value"));
            }
        }
        let counts = self.varied().map(|(_, values)| values.len());
        let points = counts.fold(1_usize, usize::saturating_mul);
        if points > POINTS_MAX {
            return Err(ConfigError::new(
                "all lists",
                format!("make {points} points, more than {POINTS_MAX}"),
            ));
        }
        Ok(())
    }
}

impl Sweep {
    fn varied(&self) -> impl Iterator<Item = (&String, &Vec<Setting>)> {
        self.0.iter().filter(|(option, _)| *option != "policy")
    }

    /// The policies; none where the file names none.
    pub fn policies(&self) -> Vec<String> {
        self.0.get("policy").into_iter().flatten().map(ToString::to_string).collect()
    }

    /// Every combination; what comes later in the alphabet changes first.
    pub fn points(&self) -> Vec<Point> {
        let mut points = vec![Point::default()];
        for (option, values) in self.varied() {
            let with = |point: &Point| -> Vec<Point> {
                let one = |value: &Setting| {
                    let mut point = point.clone();
                    point.0.push((option.clone(), value.to_string()));
                    point
                };
                values.iter().map(one).collect()
            };
            points = points.iter().flat_map(with).collect();
        }
        points
    }
}

impl Point {
    /// The point in words; empty for the study as it is.
    pub fn words(&self) -> String {
        let words = self.0.iter().map(|(option, value)| format!("{option} {value}"));
        words.collect::<Vec<_>>().join(", ")
    }
}
