//! The JSON Schema of `scenario/1`, derived from the types that read it.

use crate::scenario::wire::ScenarioFile;

/// The JSON Schema (draft 2020-12) of scenario files, for editors and other programs.
///
/// It says what has the right shape. Some of what is refused lies beyond it: overlapping intervals, names
/// that are not unique, numbers beyond the range of the core.
pub fn scenario_schema() -> serde_json::Value {
    schemars::schema_for!(ScenarioFile).to_value()
}
