//! Configurations of experiments: files in YAML or JSON, refused with the name of the field that is wrong.
//!
//! Every experiment has a configuration type whose default is the papers' setting. A file states what differs:
//!
//! ```
//! use walras_sim::config::read_config;
//! use walras_sim::experiment::slot_search::Config;
//! let config: Config = read_config("slots: {count: [300, 400]}").unwrap();
//! assert_eq!(config.slots.length, Config::default().slots.length);
//!
//! let error = read_config::<Config>("slots: {same_start: 1.5}").unwrap_err();
//! assert_eq!(error.to_string(), "slots.same_start: 1.5 must lie within [0, 1]");
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Deserializer as Tracked, Track};

/// A configuration that can be checked as a whole.
pub trait Config: DeserializeOwned + Serialize + Default {
    /// Whether every parameter makes sense.
    fn check(&self) -> Result<(), ConfigError>;
}

/// Why a configuration was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}{}{problem}", if field.is_empty() { "" } else { ": " })]
pub struct ConfigError {
    /// The field, as a path; empty for the whole.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl ConfigError {
    /// An error of this field.
    pub fn new(field: &str, problem: impl Into<String>) -> ConfigError {
        ConfigError { field: field.to_owned(), problem: problem.into() }
    }
}

/// Reads a configuration in YAML (of which JSON is a part) and checks it; what the text leaves out, in any section,
/// is the default of the experiment.
pub fn read_config<C: Config>(text: &str) -> Result<C, ConfigError> {
    // A file with nothing but comments states nothing that differs.
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if text.lines().all(says_nothing) {
        return Ok(C::default());
    }
    // The first reading refuses what is wrong with names and positions; a section that is there in part has the
    // defaults of its type by then, so the second lays what is stated over the experiment's own.
    read::<C>(text)?.check()?;
    let mut whole =
        serde_json::to_value(C::default()).map_err(|error| ConfigError::new("", error.to_string()))?;
    lay_over(&mut whole, read(text)?);
    let config: C = serde_json::from_value(whole).map_err(|error| ConfigError::new("", error.to_string()))?;
    config.check()?;
    Ok(config)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, ConfigError> {
    let mut track = Track::new();
    let read = serde_saphyr::with_deserializer_from_str_with_options(text, options(), |deserializer| {
        T::deserialize(Tracked::new(deserializer, &mut track))
    });
    read.map_err(|error| {
        let path = track.path().to_string();
        let field = if path == "." { String::new() } else { path };
        let problem = error.to_string().replace("invalid u32", "not a whole number of 0 or more");
        ConfigError { field, problem }
    })
}

/// Replaces in `below` what `above` states, key by key.
fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

/// Short files, read strictly; what is not finite reaches the range checks, which name the field.
fn options() -> serde_saphyr::options::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// The path to a field that is being checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check<'a> {
    parent: &'a str,
    name: &'a str,
}

impl<'a> Check<'a> {
    /// A field of the whole.
    pub(crate) fn of(name: &'a str) -> Check<'a> {
        Check { parent: "", name }
    }

    /// A field of this field; two levels are enough.
    pub(crate) fn field(self, name: &'a str) -> Check<'a> {
        Check { parent: self.name, name }
    }

    /// The error that this field is wrong.
    pub(crate) fn fail(self, problem: String) -> Result<(), ConfigError> {
        let Check { parent, name } = self;
        let field = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        Err(ConfigError { field, problem })
    }

    /// Whether a number is within these bounds.
    pub(crate) fn real(self, value: f64, least: f64, greatest: f64) -> Result<(), ConfigError> {
        if (least..=greatest).contains(&value) {
            return Ok(());
        }
        self.fail(format!("{value} must lie within [{least}, {greatest}]"))
    }

    /// Whether a whole number is within these bounds.
    pub(crate) fn whole(self, value: u32, least: u32, greatest: u32) -> Result<(), ConfigError> {
        if (least..=greatest).contains(&value) {
            return Ok(());
        }
        self.fail(format!("{value} must lie within [{least}, {greatest}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{batch_optimisation, slot_search};

    fn refused(text: &str) -> String {
        read_config::<slot_search::Config>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_file_states_what_differs() {
        let config: slot_search::Config = read_config("jobs: {count: [2, 2]}\nverify_every: 7").unwrap();
        assert_eq!(config.jobs.count, crate::generate::WholeRange(2, 2));
        assert_eq!(config.verify_every, 7);
        assert_eq!(config.slots, slot_search::Config::default().slots);
        assert_eq!(read_config(""), Ok(slot_search::Config::default()));
        assert_eq!(read_config("# nothing\n\n"), Ok(slot_search::Config::default()));
        assert_eq!(read_config("{\"verify_every\": 50}"), Ok(slot_search::Config::default()));
    }

    #[test]
    fn a_section_in_part_keeps_the_rest_of_the_experiments_own() {
        let config: batch_optimisation::Config = read_config("jobs: {nodes: [2, 3]}").unwrap();
        let mut expected = batch_optimisation::Config::default();
        expected.jobs.nodes = crate::generate::WholeRange(2, 3);
        assert_eq!(config, expected);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let config = batch_optimisation::Config::default();
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(read_config(&text), Ok(config));
    }

    #[test]
    fn errors_name_the_field() {
        let errors = [
            "slots: {count: [150, 120]}",
            "slots: {count: [0, 10]}",
            "slots: {price_base: .nan}",
            "slots: {length: [1, 1000000000], price_base: 10}",
            "jobs: {performance_min: [0, 1]}",
            "jobs: {performance_min: [1, .inf]}",
            "jobs: {price_base: 1000, performance_min: [1, 100]}",
            "verify_every: 0",
            "slots: {speed: 3}",
            "slots: {count: [1, 2, 3]}",
            "jobs: {nodes: [1, -2]}",
            "jobs: [",
            "slots: many",
        ];
        let lines: Vec<String> = errors.iter().map(|text| refused(text)).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        slots.count: [150, 120] is no range: the first number must not be above the second
        slots.count: [0, 10] must lie within [1, 100000]
        slots.price_base: NaN must lie within [0.001, 1000]
        slots: slots would be worth up to 1.25e12 credits: at most 1e9 each and a thousand times that in all
        jobs.performance_min: [0, 1] must lie within [0.001, 1000]
        jobs.performance_min: [1, inf] must be two finite numbers
        jobs: price caps would reach 1.10e300 per time unit: at most 1e9
        verify_every: 0 must lie within [1, 4294967295]
        slots.speed: unknown field `speed`, expected one of count, length, performance, same_start, gap, price_base, price_spread at line 1, column 9
        slots.count: invalid length 3, expected a tuple of size 2 at line 1, column 9
        jobs.nodes[1]: not a whole number of 0 or more at line 1, column 19
        jobs: expected mapping start at line 1, column 7
        slots: expected mapping start at line 1, column 8
        ");
    }
}
