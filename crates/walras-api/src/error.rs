//! Why a file was refused: one line that names the file, the place, the value and what would be right.

use std::fmt;

/// The most characters of a file that an error repeats in one place.
const ECHO_MAX: usize = 80;
/// The most characters of a parser's own message.
const MESSAGE_MAX: usize = 300;

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What sort of mistake it is.
    pub kind: ErrorKind,
    /// The file's name as the reader was told it.
    pub source: String,
    /// Where in the file, when that is known.
    pub position: Option<Position>,
    /// Where in the data, like `sites[0].nodes[1].performance`; empty for the whole document.
    pub path: String,
    /// The value that was refused, when there is one.
    pub value: Option<String>,
    /// What is wrong and what would be right, as one sentence that contains the value.
    pub problem: String,
}

/// What sort of mistake a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is more of it than is read.
    TooLarge,
    /// It is not YAML, or not JSON.
    Syntax,
    /// It does not say which format it is, or names another one.
    Version,
    /// A key or a kind of value that does not belong there.
    Shape,
    /// A value that cannot be used.
    Value,
}

/// A place in a file; both count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

// By hand: `source` is the name of a file here, and not an error that caused this one.
impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for ReadError {}

/// One step from a value into a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a map.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// `sites[0].nodes[1].performance`
pub(crate) fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&echo(key));
            }
        }
    }
    text
}

/// A value that cannot be used, as the conversions report it: the path grows on the way out, so that
/// nothing is spent on it while all is well.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Innermost step first.
    steps: Vec<Step>,
    pub(crate) value: String,
    pub(crate) what: String,
}

impl Problem {
    /// "`value` `what`" is the sentence; long values are shortened and control characters escaped.
    pub(crate) fn new(value: &str, what: impl Into<String>) -> Problem {
        Problem { steps: Vec::new(), value: echo(value), what: what.into() }
    }

    /// The steps from the document to the value.
    pub(crate) fn path(&self) -> Vec<Step> {
        self.steps.iter().rev().cloned().collect()
    }

    /// The error for a value whose line is not known, only its path.
    pub(crate) fn into_error(self, source: &str) -> ReadError {
        ReadError {
            kind: ErrorKind::Value,
            source: source.to_owned(),
            position: None,
            path: path_text(&self.path()),
            value: Some(self.value.clone()),
            problem: format!("{} {}", self.value, self.what),
        }
    }

    fn within(mut self, step: Step) -> Problem {
        self.steps.push(step);
        self
    }
}

/// Says where the value of a failed conversion lies.
pub(crate) trait Within {
    /// Under this key.
    fn in_field(self, name: &str) -> Self;
    /// At this place of a list.
    fn in_item(self, index: usize) -> Self;
}

impl<T> Within for Result<T, Problem> {
    fn in_field(self, name: &str) -> Self {
        self.map_err(|problem| problem.within(Step::Key(name.to_owned())))
    }

    fn in_item(self, index: usize) -> Self {
        self.map_err(|problem| problem.within(Step::Index(index)))
    }
}

/// Text from a file as an error may show it: on one line, without control characters, not too long.
pub fn echo(text: &str) -> String {
    tame(text, ECHO_MAX)
}

/// The message of a parser, which may repeat parts of the file.
pub fn echo_message(text: &str) -> String {
    tame(text, MESSAGE_MAX)
}

fn tame(text: &str, chars_max: usize) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == chars_max {
            shown.push_str("...");
            break;
        }
        if is_unprintable(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Characters that would break the line of an error or change how a terminal shows it.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || ('\u{202a}'..='\u{202e}').contains(&character)
        || ('\u{2066}'..='\u{2069}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn echoes_are_harmless() {
        assert_eq!(echo("a\nb\u{1b}[31m"), "a\\u{a}b\\u{1b}[31m");
        assert_eq!(echo(&"x".repeat(1_000)), format!("{}...", "x".repeat(80)));
        assert_eq!(echo("\u{202e}evil"), "\\u{202e}evil");
    }

    #[test]
    fn paths_read_as_people_write_them() {
        let path = [Step::Key("sites".into()), Step::Index(0), Step::Key("name".into())];
        assert_eq!(path_text(&path), "sites[0].name");
    }
}
