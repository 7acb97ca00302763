//! WfCommons instances in WfFormat 1.5 and 1.6: tasks and files under `workflow.specification`, run times under
//! `workflow.execution`, with the commands where they are known. The data of an edge is what the parent writes and the child reads.

use super::draft::{Draft, DraftEdge, DraftLocation, data_of, missing, refuse, work_of};
use super::shell_words;
use super::warning::ReadWarnings;
use crate::decode::Document;
use crate::error::{ReadError, echo};
use crate::input::Syntax;
use crate::locate::{locate, path_steps};
use crate::number::Number;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::program::TaskProgram;
use walras_model::{Data, Task};

/// The versions that are read.
const VERSIONS: [&str; 2] = ["1.5", "1.6"];

/// An instance, as far as it matters here.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    name: Option<String>,
    #[serde(rename = "schemaVersion", default)]
    version: Option<String>,
    workflow: Body,
}

#[derive(Deserialize)]
struct Body {
    specification: Specification,
    #[serde(default)]
    execution: Execution,
}

#[derive(Deserialize)]
struct Specification {
    tasks: Vec<TaskEntry>,
    #[serde(default)]
    files: Vec<FileEntry>,
}

#[derive(Deserialize, Default)]
struct Execution {
    #[serde(default)]
    tasks: Vec<RunEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskEntry {
    id: String,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    children: Vec<String>,
    #[serde(default)]
    input_files: Vec<String>,
    #[serde(default)]
    output_files: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileEntry {
    id: String,
    size_in_bytes: Number,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunEntry {
    id: String,
    #[serde(default)]
    runtime_in_seconds: Option<Number>,
    #[serde(default)]
    core_count: Option<Number>,
    #[serde(default)]
    memory_in_bytes: Option<Number>,
    #[serde(default)]
    command: Option<CommandEntry>,
}

/// What was run, where the instance says so.
#[derive(Default, Deserialize)]
struct CommandEntry {
    #[serde(default)]
    program: String,
    #[serde(default)]
    arguments: Vec<String>,
}

pub(super) fn read<'a>(bytes: &[u8], source: &'a str) -> Result<Draft<'a>, ReadError> {
    let tag = ("schemaVersion", VERSIONS[0]);
    let document = Document::new(bytes, source, Syntax::Json, tag, super::WORKFLOW_BYTES_MAX)?;
    let mut draft = draft(document.decode_json()?, source).map_err(|mut error| {
        place(&document, &mut error);
        error
    })?;
    draft.unrunnable.iter_mut().for_each(|error| place(&document, error));
    draft.warnings.first.iter_mut().for_each(|warning| place(&document, &mut warning.error));
    Ok(draft)
}

/// Finds the line of what is wrong, which the types do not keep.
fn place(document: &Document<'_>, error: &mut ReadError) {
    let path = error.path.split(' ').next().unwrap_or_default();
    let found = locate(document.text, document.syntax, &path_steps(path));
    error.position = error.position.or(found.map(|found| found.position));
}

fn draft(file: File, source: &str) -> Result<Draft<'_>, ReadError> {
    let version = file.version.unwrap_or_default();
    if !VERSIONS.contains(&version.as_str()) {
        let location = DraftLocation { position: None, path: "schemaVersion".to_owned() };
        let what = "is not a version of WfFormat that is read here: expected 1.5 or 1.6";
        return Err(refuse(source, &location, &version, what));
    }
    let name = file.name.unwrap_or_else(|| source.to_owned());
    let mut draft = Draft::new(source, name);
    let sizes = sizes(source, &file.workflow.specification.files, &mut draft.warnings)?;
    let runs = runs(source, &file.workflow.execution.tasks)?;
    for (index, entry) in file.workflow.specification.tasks.iter().enumerate() {
        let path = format!("workflow.specification.tasks[{index}] ({})", echo(&entry.id));
        let location = DraftLocation { position: None, path };
        draft.tasks.push((task(source, entry, &runs, &location, &mut draft.warnings)?, location));
    }
    draft.edges = edges(&file.workflow.specification.tasks, &sizes);
    match programs(source, file.workflow.specification.tasks, &runs) {
        Ok(programs) => draft.programs = programs,
        Err(error) => draft.unrunnable = Some(error),
    }
    Ok(draft)
}

fn sizes(
    source: &str,
    files: &[FileEntry],
    warnings: &mut ReadWarnings,
) -> Result<BTreeMap<String, Data>, ReadError> {
    let mut sizes = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let path = format!("workflow.specification.files[{index}].sizeInBytes");
        let text = file.size_in_bytes.to_string();
        let location = DraftLocation { position: None, path };
        let assumed = (Data::ZERO, "no data is assumed");
        let size = warnings.unless_negative(data_of(&text), (source, &location, &text), assumed)?;
        sizes.insert(file.id.clone(), size);
    }
    Ok(sizes)
}

fn runs<'a>(
    source: &str,
    entries: &'a [RunEntry],
) -> Result<BTreeMap<&'a str, (usize, &'a RunEntry)>, ReadError> {
    let mut runs = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if runs.insert(entry.id.as_str(), (index, entry)).is_some() {
            let location =
                DraftLocation { position: None, path: format!("workflow.execution.tasks[{index}].id") };
            return Err(refuse(source, &location, &entry.id, "is the name of two tasks: names must differ"));
        }
    }
    Ok(runs)
}

fn task(
    source: &str,
    entry: &TaskEntry,
    runs: &BTreeMap<&str, (usize, &RunEntry)>,
    location: &DraftLocation,
    warnings: &mut ReadWarnings,
) -> Result<Task, ReadError> {
    let Some((index, run)) = runs.get(entry.id.as_str()) else {
        let problem = "has no run time: workflow.execution.tasks must have an entry with its id".to_owned();
        return Err(missing(source, location, problem));
    };
    let at = |field: &str| DraftLocation {
        position: None,
        path: format!("workflow.execution.tasks[{index}].{field}"),
    };
    let Some(runtime) = run.runtime_in_seconds else {
        let problem = "is missing: every task must have a run time in seconds".to_owned();
        return Err(missing(source, &at("runtimeInSeconds"), problem));
    };
    let text = runtime.to_string();
    let (here, assumed) = (at("runtimeInSeconds"), (None, "no run time is assumed"));
    let work = warnings.unless_negative(work_of(&text), (source, &here, &text), assumed)?;
    let mut task = Task::new(&entry.id, work);
    if let Some(cores) = run.core_count {
        // Some tracers state parts of a core.
        let whole = cores.rounded(0).and_then(|cores| u32::try_from(cores).ok());
        let whole = whole.ok_or("is not a number of cores: it must not be negative");
        let (here, text) = (at("coreCount"), cores.to_string());
        let assumed = (1, "one core is assumed");
        task.cores = warnings.unless_negative(whole, (source, &here, &text), assumed)?.max(1);
    }
    if let Some(memory) = run.memory_in_bytes {
        let text = memory.to_string();
        let (here, assumed) = (at("memoryInBytes"), (None, "no need of memory is assumed"));
        task.memory = warnings.unless_negative(data_of(&text).map(Some), (source, &here, &text), assumed)?;
    }
    Ok(task)
}

/// What the tasks ran, with their files, where the instance says what was run.
fn programs(
    source: &str,
    tasks: Vec<TaskEntry>,
    runs: &BTreeMap<&str, (usize, &RunEntry)>,
) -> Result<Vec<TaskProgram>, ReadError> {
    let mut programs = Vec::with_capacity(tasks.len());
    for task in tasks {
        let run = runs.get(task.id.as_str());
        let command = run.map_or(Ok(Vec::new()), |(index, run)| command(source, *index, run))?;
        let (inputs, outputs) = (task.input_files, task.output_files);
        programs.push(TaskProgram { command, inputs, outputs, ..TaskProgram::default() });
    }
    Ok(if programs.iter().any(TaskProgram::runs) { programs } else { Vec::new() })
}

/// What one task ran. Instances keep its arguments as words, or several in one as they were typed: a shell splits them alike.
fn command(source: &str, index: usize, run: &RunEntry) -> Result<Vec<String>, ReadError> {
    let Some(CommandEntry { program, arguments }) = run.command.as_ref().filter(|it| !it.program.is_empty())
    else {
        return Ok(Vec::new());
    };
    let mut command = vec![program.clone()];
    for (place, argument) in arguments.iter().enumerate() {
        let path = format!("workflow.execution.tasks[{index}].command.arguments[{place}]");
        let location = DraftLocation { position: None, path };
        let words = shell_words::split(argument);
        command.extend(
            words.map_err(|open| refuse(source, &location, argument, &format!("is no argument: {open}")))?,
        );
    }
    Ok(command)
}

/// Every pair that either end names, once.
fn edges(tasks: &[TaskEntry], sizes: &BTreeMap<String, Data>) -> Vec<DraftEdge> {
    let by_id: BTreeMap<&str, &TaskEntry> = tasks.iter().map(|task| (task.id.as_str(), task)).collect();
    let mut seen = BTreeSet::new();
    let mut edges = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let parents = task.parents.iter().map(|parent| (parent, &task.id, "parents"));
        let children = task.children.iter().map(|child| (&task.id, child, "children"));
        for (from, to, list) in parents.chain(children) {
            if seen.insert((from.clone(), to.clone())) {
                let data = shared(by_id.get(from.as_str()).copied(), by_id.get(to.as_str()).copied(), sizes);
                let path = format!("workflow.specification.tasks[{index}].{list}");
                let location = DraftLocation { position: None, path };
                edges.push(DraftEdge { from: from.clone(), to: to.clone(), data, location });
            }
        }
    }
    edges
}

fn shared(from: Option<&TaskEntry>, to: Option<&TaskEntry>, sizes: &BTreeMap<String, Data>) -> Data {
    let (Some(from), Some(to)) = (from, to) else { return Data::ZERO };
    let reads: BTreeSet<&String> = to.input_files.iter().collect();
    let both = from.output_files.iter().filter(|file| reads.contains(file));
    let bytes =
        both.filter_map(|file| sizes.get(file)).map(|size| size.as_bytes()).fold(0, i64::saturating_add);
    Data::from_bytes(bytes).unwrap_or(Data::ZERO)
}
