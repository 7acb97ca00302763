//! The JSON Schemas of `scenario/1`, `workflow/1` and `job/1`, derived from the types that read them.

use crate::scenario::wire::ScenarioFile;
use crate::service::JobFile;
use crate::workflow::WorkflowFile;

/// The JSON Schema (draft 2020-12) of scenario files, for editors and other programs.
///
/// It says what has the right shape. Some of what is refused lies beyond it: overlapping intervals, names
/// that are not unique, numbers beyond the range of the core.
pub fn scenario_schema() -> serde_json::Value {
    schemars::schema_for!(ScenarioFile).to_value()
}

/// The JSON Schema of jobs as the service takes them. A file may also give times from now (`2h`) and the name of a workflow's
/// file.
pub fn job_schema() -> serde_json::Value {
    schemars::schema_for!(JobFile).to_value()
}

/// The JSON Schema of workflow files of our own.
pub fn workflow_schema() -> serde_json::Value {
    schemars::schema_for!(WorkflowFile).to_value()
}
