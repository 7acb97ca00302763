//! `workflow/1`, our own format, in YAML or JSON.
//!
//! The comments of these types are the descriptions in the published JSON Schema.

use super::draft::{Draft, DraftEdge, DraftLocation};
use super::length::Length;
use super::program::{Runnable, check_files, check_program};
use crate::decode::Document;
use crate::described::JsonSchema;
use crate::error::{Problem, ReadError, Within};
use crate::input::Syntax;
use crate::locate::{locate, path_steps};
use crate::number::Number;
use crate::scenario::{Entries, List, Object, Scalar, TestSpec, objects, present, quantity, requires};
use crate::service::environment;
use crate::unit::Unit;
use serde::Deserialize;
use std::collections::BTreeMap;
use walras_broker::program::TaskProgram;
use walras_model::{Data, Decimal, Span, Task};

/// A task takes at most so many nodes.
const NODES_MAX: i64 = 100_000;

/// Tasks, and the data that flows between them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "workflow")]
#[schemars(title = "Walras workflow/1")]
pub(crate) struct WorkflowFile {
    /// The format and its version.
    #[schemars(extend("const" = super::WORKFLOW_TAG))]
    walras: String,
    /// What it is called; without it, as its file.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(min = 1, max = 200))]
    name: Option<String>,
    /// The unit of work and estimates: seconds or milliseconds.
    #[serde(default)]
    unit: Unit,
    /// The tasks; names are unique.
    #[serde(deserialize_with = "objects")]
    #[schemars(length(min = 1))]
    tasks: List<TaskEntry>,
    /// Who waits for whose data.
    #[serde(default, deserialize_with = "present_objects")]
    #[schemars(with = "List<EdgeEntry>")]
    edges: Option<List<EdgeEntry>>,
}

/// A step that has a node by itself, or a place on one, or several nodes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "task")]
struct TaskEntry {
    /// Unique in the workflow.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// Run time on a node of performance 1, in `unit` or as `10h` or `2h 30m`; 0 for a task that takes no time.
    work: Length,
    /// Cores that it uses; nodes whose attribute `cores` is less do not fit.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("type" = "integer", "minimum" = 1, "maximum" = u32::MAX, "default" = 1))]
    cores: Option<Number>,
    /// Nodes of one site that it takes at the same time; its work is that of each of them.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("type" = "integer", "minimum" = 1, "maximum" = NODES_MAX, "default" = 1))]
    nodes: Option<Number>,
    /// Memory that it needs in gigabytes; nodes whose attribute `memory_gb` is less do not fit.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", range(min = 0))]
    memory_gb: Option<Number>,
    /// What its node must satisfy, by attribute.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<TestSpec>")]
    requires: Option<Entries<TestSpec>>,
    /// How long it takes on nodes of these names (`node` or `site/node`), instead of work / performance.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Number>")]
    estimates: Option<Entries<Number>>,
    /// What it runs, as an argument vector; what the job says, where it has neither this nor a script.
    #[serde(default)]
    #[schemars(extend("maxItems" = 10_000))]
    command: Vec<String>,
    /// The text of a program to run: a script that begins with `#!`. `command` holds its arguments.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 1_000_000))]
    script: Option<String>,
    /// Variables of its environment, over those of the job.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Entries<Scalar>")]
    env: Option<Entries<Scalar>>,
    /// The files that it reads, by their path in the directory that the tasks share: each is written by another task, or comes with the
    /// job.
    #[serde(default)]
    #[schemars(extend("maxItems" = 10_000))]
    inputs: Vec<String>,
    /// The files that are there when it has ended well, by their path in the directory that the tasks share.
    #[serde(default)]
    #[schemars(extend("maxItems" = 10_000))]
    outputs: Vec<String>,
}

/// Data that one task gives to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename = "edge")]
struct EdgeEntry {
    /// The task that gives it.
    from: String,
    /// The task that waits for it.
    to: String,
    /// How much it is.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Number", extend("type" = "integer", "minimum" = 0, "default" = 0))]
    bytes: Option<Number>,
}

fn present_objects<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<List<T>>, D::Error> {
    objects(deserializer).map(Some)
}

/// Whether a JSON file calls itself a workflow of ours.
pub(crate) fn is_own(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Tag {
        walras: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice::<Tag>(bytes).is_ok_and(|tag| tag.walras.is_some())
}

pub(super) fn read(bytes: &[u8], source: &str, syntax: Syntax) -> Result<Runnable, ReadError> {
    let tag = ("walras", super::WORKFLOW_TAG);
    let document = Document::new(bytes, source, syntax, tag, super::WORKFLOW_BYTES_MAX)?;
    let Object(file) = document.decode::<Object<WorkflowFile>>()?;
    if file.walras != super::WORKFLOW_TAG {
        document.check_tag()?;
    }
    let read = workflow(file, source, source, |problem| document.value_error(problem));
    read.map_err(|error| match error.position {
        Some(_) => error,
        None => {
            let found = locate(document.text, syntax, &path_steps(&error.path));
            ReadError { position: found.map(|found| found.position), ..error }
        }
    })
}

/// The workflow of a job that carries it. `name` is its name where it has none of its own.
pub(crate) fn workflow_of(file: WorkflowFile, name: &str, source: &str) -> Result<Runnable, ReadError> {
    if file.walras != super::WORKFLOW_TAG {
        let what = format!("is not a version that is read here: expected {}", super::WORKFLOW_TAG);
        let problem: Result<(), Problem> = Err(Problem::new(&file.walras, what));
        let problem = problem.in_field("walras").in_field("workflow");
        problem.map_err(|problem| problem.into_error(source))?;
    }
    let read = workflow(file, name, source, |problem| problem.clone().into_error(source));
    read.map_err(|error| ReadError { path: format!("workflow.{}", error.path), ..error })
}

fn workflow(
    file: WorkflowFile,
    name: &str,
    source: &str,
    error: impl Fn(&Problem) -> ReadError,
) -> Result<Runnable, ReadError> {
    let at = |path: String| DraftLocation { position: None, path };
    let name = file.name.unwrap_or_else(|| name.to_owned());
    let mut draft = Draft::new(source, name);
    for (index, mut entry) in file.tasks.0.into_iter().enumerate() {
        let program = program(&mut entry).in_item(index).in_field("tasks");
        draft.programs.push(program.map_err(|problem| error(&problem))?);
        let task = task(entry, file.unit).in_item(index).in_field("tasks");
        draft.tasks.push((task.map_err(|problem| error(&problem))?, at(format!("tasks[{index}]"))));
    }
    for (index, entry) in file.edges.map_or(Vec::new(), |edges| edges.0).into_iter().enumerate() {
        let data = entry.bytes.map(bytes_of).transpose().in_field("bytes").in_item(index).in_field("edges");
        let data = data.map_err(|problem| error(&problem))?.unwrap_or(Data::ZERO);
        draft.edges.push(DraftEdge {
            from: entry.from,
            to: entry.to,
            data,
            location: at(format!("edges[{index}]")),
        });
    }
    draft.finish_runnable().map(|(runnable, _)| runnable)
}

fn bytes_of(number: Number) -> Result<Data, Problem> {
    let bytes = quantity::whole(number, "an amount of data", 0, i64::MAX)?;
    Data::from_bytes(bytes).ok_or_else(|| Problem::new(&number.to_string(), "is out of range"))
}

/// What a task runs, taken out of its entry.
fn program(entry: &mut TaskEntry) -> Result<TaskProgram, Problem> {
    check_program(&entry.command, entry.script.as_deref())?;
    check_files(&entry.inputs).in_field("inputs")?;
    check_files(&entry.outputs).in_field("outputs")?;
    Ok(TaskProgram {
        command: std::mem::take(&mut entry.command),
        script: entry.script.take(),
        env: environment(entry.env.take()).in_field("env")?,
        inputs: std::mem::take(&mut entry.inputs),
        outputs: std::mem::take(&mut entry.outputs),
    })
}

fn task(entry: TaskEntry, unit: Unit) -> Result<Task, Problem> {
    quantity::name(&entry.name, "a task").in_field("name")?;
    let (length, unit_of_work) = entry.work.number(unit).in_field("work")?;
    let zero = length.decimal() == Some(Decimal::new(0, 0));
    let work = if zero { None } else { Some(quantity::work(length, unit_of_work).in_field("work")?) };
    let cores =
        entry.cores.map_or(Ok(1), |cores| quantity::whole(cores, "a number of cores", 1, u32::MAX.into()));
    let nodes = entry.nodes.map_or(Ok(1), |nodes| quantity::whole(nodes, "a number of nodes", 1, NODES_MAX));
    let memory = entry.memory_gb.map(memory_of).transpose().in_field("memory_gb")?;
    let mut estimates = BTreeMap::new();
    for (node, number) in entry.estimates.map_or(Vec::new(), |entries| entries.0) {
        let span = quantity::span(number, unit).in_field(&node).in_field("estimates")?;
        estimates.insert(node, span);
    }
    let estimates: BTreeMap<String, Span> = estimates;
    Ok(Task {
        name: entry.name,
        work,
        cores: u32::try_from(cores.in_field("cores")?).unwrap_or(u32::MAX),
        nodes: u32::try_from(nodes.in_field("nodes")?).unwrap_or(u32::MAX),
        memory,
        requires: entry.requires.map(requires).transpose().in_field("requires")?.unwrap_or_default(),
        estimates,
    })
}

fn memory_of(number: Number) -> Result<Data, Problem> {
    let wrong =
        || Problem::new(&number.to_string(), "is not an amount of memory: it must be 0 or more gigabytes");
    let bytes = number.rounded(9).ok_or_else(wrong)?;
    Data::from_bytes(bytes).ok_or_else(wrong)
}
