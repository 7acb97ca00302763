//! Where the fields of a job stand in the file that it was read from.

use crate::error::{Position, Step};
use crate::input::Syntax;
use crate::locate::{locate, path_steps};
use std::collections::{BTreeMap, BTreeSet};

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

/// What a service calls the body of a request.
const BODY: &str = "body: ";

/// A job's file, for whoever has sent what it says: what the service refuses is then told where it stands.
#[derive(Clone, Debug)]
pub struct Origin {
    pub(super) source: String,
    pub(super) places: Places,
    pub(super) fields: BTreeSet<String>,
}

impl Origin {
    /// What a service says of a job, with the file, and the line where it names a field.
    pub fn placed(&self, refusal: &str) -> String {
        let text = refusal.strip_prefix(BODY).unwrap_or(refusal);
        let field = text.split_once(": ").map(|(field, _)| field).filter(|field| self.is_field(field));
        match field.and_then(|field| self.places.position(field)) {
            Some(Position { line, column }) => format!("{}:{line}:{column}: {text}", self.source),
            None => format!("{}: {text}", self.source),
        }
    }

    fn is_field(&self, path: &str) -> bool {
        matches!(path_steps(path).first(), Some(Step::Key(key)) if self.fields.contains(key))
    }
}
