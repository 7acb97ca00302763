//! Where the fields of a job stand in the file that it was read from.

use crate::error::{Position, ReadError, Step, echo};
use crate::input::Syntax;
use crate::locate::{locate, path_steps};
use crate::workflow::{Runnable, is_own};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where the fields of a draft stand in their file.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Anywhere in a document.
    Document { text: String, syntax: Syntax },
    /// Each on its line.
    Lines(BTreeMap<String, u32>),
}

impl Places {
    /// Where that field stands, when it is found.
    pub(super) fn position(&self, path: &str) -> Option<Position> {
        let steps = path_steps(path);
        match self {
            Places::Document { text, syntax } => locate(text, *syntax, &steps).map(|found| found.position),
            Places::Lines(lines) => match steps.first() {
                Some(Step::Key(key)) => lines.get(key).map(|line| Position { line: *line, column: 1 }),
                _ => None,
            },
        }
    }
}

/// The file of a workflow that a job's file names, and where its fields stand.
#[derive(Clone, Debug)]
pub(super) struct WorkflowOrigin {
    source: String,
    /// Where it is one of ours: the fields of another are called otherwise.
    places: Option<Places>,
    tasks: Vec<String>,
}

/// What fields of a job's workflow begin with.
const WORKFLOW: &str = "workflow.";

impl WorkflowOrigin {
    /// The workflow that was read from these bytes of a file called `source`.
    pub(super) fn new(workflow: &Runnable, source: &str, bytes: &[u8]) -> WorkflowOrigin {
        let syntax = Syntax::of_path(Path::new(source)).ok();
        let own = syntax.filter(|syntax| *syntax == Syntax::Yaml || is_own(bytes));
        let text = std::str::from_utf8(bytes).ok();
        let places = own.zip(text).map(|(syntax, text)| Places::Document { text: text.to_owned(), syntax });
        let tasks = workflow.workflow.tasks().iter().map(|task| task.name.clone()).collect();
        WorkflowOrigin { source: source.to_owned(), places, tasks }
    }

    /// What a field of the job's workflow is in that file: its name there, and where it stands.
    fn field(&self, path: &str) -> Option<(String, Option<Position>)> {
        let inner = path.strip_prefix(WORKFLOW)?;
        if let Some(places) = &self.places {
            return Some((inner.to_owned(), places.position(inner)));
        }
        let task = match path_steps(inner).get(1) {
            Some(Step::Index(index)) => self.tasks.get(*index),
            Some(Step::Key(_)) | None => None,
        };
        Some((task.map_or_else(|| inner.to_owned(), |task| format!("task {}", echo(task))), None))
    }

    /// An error with the place in that file, where it is about its workflow.
    pub(super) fn placed(&self, error: ReadError) -> ReadError {
        match self.field(&error.path) {
            Some((path, position)) => ReadError { source: self.source.clone(), position, path, ..error },
            None => error,
        }
    }
}

/// What a service calls the body of a request.
const BODY: &str = "body: ";

/// A job's file, for whoever has sent what it says: what the service refuses is then told where it stands.
#[derive(Clone, Debug)]
pub struct Origin {
    pub(super) source: String,
    pub(super) places: Places,
    pub(super) fields: BTreeSet<String>,
    pub(super) workflow: Option<WorkflowOrigin>,
}

impl Origin {
    /// What a service says of a job, with the file, and the line where it names a field.
    pub fn placed(&self, refusal: &str) -> String {
        let text = refusal.strip_prefix(BODY).unwrap_or(refusal);
        let field = text.split_once(": ").map(|(field, _)| field).filter(|field| self.is_field(field));
        if let Some((field, workflow)) = field.zip(self.workflow.as_ref())
            && let Some((path, position)) = workflow.field(field)
        {
            let rest = text.get(field.len()..).unwrap_or_default();
            let place = position.map_or_else(String::new, |it| format!(":{}:{}", it.line, it.column));
            return format!("{}{place}: {path}{rest}", workflow.source);
        }
        match field.and_then(|field| self.places.position(field)) {
            Some(Position { line, column }) => format!("{}:{line}:{column}: {text}", self.source),
            None => format!("{}: {text}", self.source),
        }
    }

    fn is_field(&self, path: &str) -> bool {
        matches!(path_steps(path).first(), Some(Step::Key(key)) if self.fields.contains(key))
    }
}
