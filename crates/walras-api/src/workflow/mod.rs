//! Workflow files: WfCommons JSON, Pegasus DAX, Standard Task Graphs, and our own `workflow/1`.
//!
//! Each reader turns its format into a [`draft::Draft`]: tasks and edges by name, each with its place in the file. What
//! must hold of every workflow (names are unique, edges have ends, there is no cycle) is checked there, once, with the
//! place in the error. A run time in a file is the time on a node of performance 1.
//!
//! ```
//! use walras_api::{WorkflowFormat, read_workflow};
//! let text = "3\n0 0 0\n1 5 1 0\n2 0 1 1\n";
//! let workflow = read_workflow(text.as_bytes(), "small.stg", WorkflowFormat::Stg).unwrap();
//! assert_eq!((workflow.tasks().len(), workflow.edges().len()), (3, 2));
//!
//! let error = read_workflow(text.replace("1 5 1 0", "1 -5 1 0").as_bytes(), "small.stg", WorkflowFormat::Stg);
//! assert_eq!(
//!     error.unwrap_err().to_string(),
//!     "small.stg:3:1: task 1: -5 is not a run time: it must not be negative"
//! );
//! ```

mod dax;
mod draft;
mod length;
mod own;
mod program;
mod shell_words;
mod stg;
mod warning;
mod wfcommons;
mod write;

pub(crate) use own::{WorkflowFile, is_own, workflow_of};
pub use program::Runnable;
pub(crate) use program::{check_files, check_program};
pub use warning::{ReadWarning, ReadWarnings};
pub use write::{runnable_json, workflow_json};

use crate::error::ReadError;
use crate::input::{Syntax, check_size};
use std::fmt;
use std::path::Path;
use walras_model::Workflow;

/// What a workflow file of our own must call itself: the value of its key `walras`.
pub const WORKFLOW_TAG: &str = "workflow/1";

/// Workflow files larger than this are refused: 128 MiB.
pub const WORKFLOW_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Workflows of more tasks than this are refused.
pub const WORKFLOW_TASKS_MAX: usize = 1_000_000;

/// The format of a workflow file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkflowFormat {
    /// `.yaml`, `.yml`: our own.
    Yaml,
    /// `.json`: WfCommons, or our own when it says so.
    Json,
    /// `.xml`, `.dax`: Pegasus DAX.
    Dax,
    /// `.stg`: Standard Task Graph.
    Stg,
}

/// A file name whose extension names no workflow format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWorkflow {
    /// The file's name.
    pub source: String,
}

// By hand: `source` is the name of a file here, and not an error that caused this one.
impl fmt::Display for UnknownWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = ".yaml or .yml (workflow/1), .json (WfCommons), .xml or .dax (Pegasus) or .stg";
        write!(f, "{}: the name of a workflow file must end in {expected}", self.source)
    }
}

impl std::error::Error for UnknownWorkflow {}

impl WorkflowFormat {
    /// The format that the extension of a file name stands for.
    pub fn of_path(path: &Path) -> Result<WorkflowFormat, UnknownWorkflow> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Ok(WorkflowFormat::Yaml),
            "json" => Ok(WorkflowFormat::Json),
            "xml" | "dax" => Ok(WorkflowFormat::Dax),
            "stg" => Ok(WorkflowFormat::Stg),
            _ => Err(UnknownWorkflow { source: path.display().to_string() }),
        }
    }
}

/// Reads a workflow. `source` is the file's name, for errors and as the workflow's name where the file has none.
pub fn read_workflow(bytes: &[u8], source: &str, format: WorkflowFormat) -> Result<Workflow, ReadError> {
    let (workflow, warnings) = read_workflow_leniently(bytes, source, format)?;
    match warnings.first.into_iter().next() {
        None => Ok(workflow),
        Some(first) => Err(first.error),
    }
}

/// The same, but reads what can be read: of sizes and run times below zero, which generators of instances write now and
/// then, nothing is believed, and the warnings say where they are and what is assumed. What is malformed is still refused.
///
/// ```
/// use walras_api::{WorkflowFormat, read_workflow_leniently};
/// let text = r#"<adag name="w"><job id="a" runtime="-3"/></adag>"#;
/// let (workflow, warnings) = read_workflow_leniently(text.as_bytes(), "w.dax", WorkflowFormat::Dax).unwrap();
/// assert_eq!(workflow.tasks()[0].work, None);
/// assert_eq!(
///     warnings.lines(),
///     ["w.dax:1:16: job a: -3 is not a run time: it must not be negative; no run time is assumed"]
/// );
/// ```
pub fn read_workflow_leniently(
    bytes: &[u8],
    source: &str,
    format: WorkflowFormat,
) -> Result<(Workflow, ReadWarnings), ReadError> {
    let read = drafted(bytes, source, format)?;
    match read {
        Drafted::Own(runnable) => Ok((runnable.workflow, ReadWarnings::default())),
        Drafted::Foreign(draft) => draft.finish_lenient(),
    }
}

/// A workflow as leniently, with what its tasks run. In other formats than ours these are commands and the files that pass between tasks,
/// where the file has them.
///
/// ```
/// use walras_api::{WorkflowFormat, read_runnable};
/// let text = "{walras: workflow/1, tasks: [{name: a, work: 1, command: [touch, x], outputs: [x]}, \
///             {name: b, work: 1, command: [cat, x], inputs: [x]}]}";
/// let (read, _) = read_runnable(text.as_bytes(), "w.yaml", WorkflowFormat::Yaml).unwrap();
/// assert_eq!(read.workflow.edges().len(), 1);
/// assert_eq!(read.programs[1].command, ["cat", "x"]);
///
/// let error = read_runnable(text.replace("[x]", "[../x]").as_bytes(), "w.yaml", WorkflowFormat::Yaml).unwrap_err();
/// assert!(error.to_string().starts_with("w.yaml:1:80: tasks[0].outputs[0]: ../x is not a file in the job's directory"));
/// ```
pub fn read_runnable(
    bytes: &[u8],
    source: &str,
    format: WorkflowFormat,
) -> Result<(Runnable, ReadWarnings), ReadError> {
    match drafted(bytes, source, format)? {
        Drafted::Own(runnable) => Ok((runnable, ReadWarnings::default())),
        Drafted::Foreign(draft) => draft.finish_foreign(),
    }
}

/// What a file says: all of it checked, or as a draft whose commands may be of no use here.
enum Drafted<'a> {
    Own(Runnable),
    Foreign(draft::Draft<'a>),
}

fn drafted<'a>(bytes: &'a [u8], source: &'a str, format: WorkflowFormat) -> Result<Drafted<'a>, ReadError> {
    check_size(bytes, source, WORKFLOW_BYTES_MAX)?;
    match format {
        WorkflowFormat::Yaml => own::read(bytes, source, Syntax::Yaml).map(Drafted::Own),
        WorkflowFormat::Json if own::is_own(bytes) => {
            own::read(bytes, source, Syntax::Json).map(Drafted::Own)
        }
        WorkflowFormat::Json => wfcommons::read(bytes, source).map(Drafted::Foreign),
        WorkflowFormat::Dax => dax::read(bytes, source).map(Drafted::Foreign),
        WorkflowFormat::Stg => stg::read(bytes, source).map(Drafted::Foreign),
    }
}
