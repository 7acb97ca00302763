//! Values that cannot be, of which something is assumed so that the rest of a file can be read.

use super::draft::{DraftLocation, refuse};
use crate::error::ReadError;
use std::fmt;
use walras_model::Decimal;

/// At most so many warnings are kept; the others are counted.
const WARNINGS_MAX: usize = 20;

/// A value that cannot be, and what is assumed in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadWarning {
    /// What is wrong and where.
    pub error: ReadError,
    /// What is assumed.
    pub assumed: &'static str,
}

impl fmt::Display for ReadWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.error, self.assumed)
    }
}

/// All that was assumed while a file was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadWarnings {
    /// The first of them.
    pub first: Vec<ReadWarning>,
    /// How many more there are.
    pub more: usize,
}

impl ReadWarnings {
    /// Each as a line, and how many are not told.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.first.iter().map(ToString::to_string).collect();
        if self.more > 0 {
            let source = self.first.first().map_or("", |warning| warning.error.source.as_str());
            lines.push(format!("{source}: {} more values cannot be and are not listed", self.more));
        }
        lines
    }

    /// What was read; of a negative number `instead`, with a warning. Anything else that cannot be is refused.
    pub(super) fn unless_negative<T>(
        &mut self,
        read: Result<T, &'static str>,
        (source, location, text): (&str, &DraftLocation, &str),
        (instead, assumed): (T, &'static str),
    ) -> Result<T, ReadError> {
        let what = match read {
            Ok(value) => return Ok(value),
            Err(what) => what,
        };
        let error = refuse(source, location, text, what);
        if !is_negative(text) {
            return Err(error);
        }
        if self.first.len() < WARNINGS_MAX {
            self.first.push(ReadWarning { error, assumed });
        } else {
            self.more += 1;
        }
        Ok(instead)
    }
}

/// Whether a text is a number below zero.
fn is_negative(text: &str) -> bool {
    text.trim_start().starts_with('-') && text.parse::<Decimal>().is_ok()
}
