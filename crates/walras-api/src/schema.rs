//! The JSON Schemas of `scenario/1`, `workflow/1` and `job/1`: committed files, which tests hold against the types that read
//! the formats.

#[cfg(feature = "schema")]
pub use generated::generated;

use serde_json::Value;

/// The formats that have a schema, and the schemas as they are committed in `schemas/`.
pub const SCHEMAS: [(&str, &str); 3] = [
    ("scenario", include_str!("../schemas/scenario.json")),
    ("workflow", include_str!("../schemas/workflow.json")),
    ("job", include_str!("../schemas/job.json")),
];

fn committed(name: &str) -> Value {
    let text = SCHEMAS.iter().find(|(of, _)| *of == name).map_or("null", |(_, text)| text);
    // A test reads all of them.
    serde_json::from_str(text).unwrap_or_default()
}

/// The JSON Schema (draft 2020-12) of scenario files, for editors and other programs.
///
/// It says what has the right shape. Some of what is refused lies beyond it: overlapping intervals, names
/// that are not unique, numbers beyond the range of the core.
pub fn scenario_schema() -> Value {
    committed("scenario")
}

/// The JSON Schema of jobs as the service takes them. A file may also give times from now (`2h`) and the name of a workflow's
/// file.
pub fn job_schema() -> Value {
    committed("job")
}

/// The JSON Schema of workflow files of our own.
pub fn workflow_schema() -> Value {
    committed("workflow")
}

#[cfg(feature = "schema")]
mod generated {
    use crate::scenario::wire::ScenarioFile;
    use crate::service::JobFile;
    use crate::workflow::WorkflowFile;
    use serde_json::Value;

    /// The schema of a format as its types say it.
    pub fn generated(name: &str) -> Option<Value> {
        match name {
            "scenario" => Some(schemars::schema_for!(ScenarioFile).to_value()),
            "workflow" => Some(schemars::schema_for!(WorkflowFile).to_value()),
            "job" => Some(schemars::schema_for!(JobFile).to_value()),
            _ => None,
        }
    }
}
