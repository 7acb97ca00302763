//! The journal as a file, `walras.journal/2`: one JSON value a line, the format's name first, then every entry.
//!
//! Lines are written and read one at a time, so a journal may be larger than memory. A journal that was cut off in the
//! middle of a line is refused at that line; everything before it can be read.

use crate::error::{ErrorKind, Position, ReadError, echo_message};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, Read, Write};
use walras_broker::journal::Entry;

/// The name of the format.
pub const JOURNAL_TAG: &str = "walras.journal/2";
/// The longest line that is read, in bytes.
pub const JOURNAL_LINE_MAX: u64 = 256 << 20;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
}

/// Writes a journal.
pub struct JournalWriter<W> {
    to: W,
}

impl<W: Write> JournalWriter<W> {
    /// Begins a journal.
    pub fn new(mut to: W) -> std::io::Result<JournalWriter<W>> {
        serde_json::to_writer(&mut to, &Header { format: JOURNAL_TAG.to_owned() })?;
        to.write_all(b"\n")?;
        Ok(JournalWriter { to })
    }

    /// Adds an entry.
    pub fn entry(&mut self, entry: &Entry) -> std::io::Result<()> {
        serde_json::to_writer(&mut self.to, entry)?;
        self.to.write_all(b"\n")
    }

    /// Ends it.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// Reads a journal, entry by entry.
pub struct JournalReader<R> {
    from: R,
    source: String,
    line: u32,
}

impl<R: BufRead> JournalReader<R> {
    /// Begins to read; the first line must name the format.
    pub fn new(from: R, source: &str) -> Result<JournalReader<R>, ReadError> {
        let mut reader = JournalReader { from, source: source.to_owned(), line: 0 };
        let text = reader.next_line()?.unwrap_or_default();
        let header: Result<Header, _> = serde_json::from_slice(&text);
        match header {
            Ok(header) if header.format == JOURNAL_TAG => Ok(reader),
            Ok(header) => Err(reader.error(
                ErrorKind::Version,
                "format",
                Some(header.format.clone()),
                format!("{} is not a journal that is understood here: expected {JOURNAL_TAG}", header.format),
            )),
            Err(_) => Err(reader.error(
                ErrorKind::Version,
                "",
                None,
                format!("this is no journal: its first line must be {{\"format\":\"{JOURNAL_TAG}\"}}"),
            )),
        }
    }

    /// The next line without its end; `None` after the last.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        self.line += 1;
        let mut text = Vec::new();
        let read = (&mut self.from).take(JOURNAL_LINE_MAX + 1).read_until(b'\n', &mut text);
        let count = read.map_err(|error| {
            self.error(ErrorKind::Syntax, "", None, format!("the journal cannot be read: {error}"))
        })?;
        if count == 0 {
            return Ok(None);
        }
        if text.pop_if(|byte| *byte == b'\n').is_none() {
            let problem = if u64::try_from(count).unwrap_or(u64::MAX) > JOURNAL_LINE_MAX {
                format!("the line is longer than {JOURNAL_LINE_MAX} bytes")
            } else {
                "the journal ends in the middle of a line".to_owned()
            };
            return Err(self.error(ErrorKind::Syntax, "", None, problem));
        }
        Ok(Some(text))
    }

    fn error(&self, kind: ErrorKind, path: &str, value: Option<String>, problem: String) -> ReadError {
        let position = Some(Position { line: self.line, column: 1 });
        ReadError { kind, source: self.source.clone(), position, path: path.to_owned(), value, problem }
    }

    /// The next entry; `None` after the last.
    pub fn entry(&mut self) -> Result<Option<Entry>, ReadError> {
        let Some(text) = self.next_line()? else { return Ok(None) };
        let mut json = serde_json::Deserializer::from_slice(&text);
        match serde_path_to_error::deserialize(&mut json) {
            Ok(entry) => self.nothing_unknown(&text, &entry).map(|()| Some(entry)),
            Err(error) => {
                let path = error.path().to_string();
                let path = if path == "." { String::new() } else { echo_message(&path) };
                let problem = echo_message(&error.into_inner().to_string());
                Err(self.error(ErrorKind::Shape, &path, None, problem))
            }
        }
    }

    /// Refuses an entry that says more than is understood: what was not read would be left out of every check.
    fn nothing_unknown(&self, text: &[u8], entry: &Entry) -> Result<(), ReadError> {
        let wrong = |error: serde_json::Error| {
            self.error(ErrorKind::Syntax, "", None, echo_message(&error.to_string()))
        };
        let written: Value = serde_json::from_slice(text).map_err(wrong)?;
        let understood = serde_json::to_value(entry).map_err(wrong)?;
        match unknown(&written, &understood) {
            None => Ok(()),
            Some(path) => {
                let problem =
                    "is not known here: an entry must say nothing that is not understood".to_owned();
                Err(self.error(ErrorKind::Shape, &path, None, problem))
            }
        }
    }

    /// The line of the entry that was read last.
    pub fn line(&self) -> u32 {
        self.line
    }
}

/// The path of the first key of `written` that `understood` does not have.
fn unknown(written: &Value, understood: &Value) -> Option<String> {
    let below = |step: String, inner: Option<String>| {
        inner.map(|inner| match inner.starts_with('[') {
            _ if inner.is_empty() => step.clone(),
            true => format!("{step}{inner}"),
            false => format!("{step}.{inner}"),
        })
    };
    match (written, understood) {
        (Value::Object(written), Value::Object(understood)) => {
            written.iter().find_map(|(key, value)| match understood.get(key) {
                Some(known) => below(key.clone(), unknown(value, known)),
                None if value.is_null() => None,
                None => Some(key.clone()),
            })
        }
        (Value::Array(written), Value::Array(understood)) => {
            let pairs = written.iter().zip(understood).enumerate();
            let mut found = pairs
                .filter_map(|(index, (value, known))| below(format!("[{index}]"), unknown(value, known)));
            found.next()
        }
        _ => None,
    }
}
