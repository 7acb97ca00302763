//! Generalised assignment instances as the OR-Library has them.
//!
//! A file is a row of whole numbers, broken into lines anywhere: the number of agents m, the number of jobs n, m × n
//! costs, m × n resources, m capacities. Agents are our sites. Cost is minimised and every job must be placed. Files
//! with several instances begin with a line that holds their number alone.
//!
//! ```
//! use walras_api::read_orlib_gap;
//! let instances = read_orlib_gap(b"2 2\n 5 6\n 7 8\n 1 1 2 2\n 2 2\n", "tiny").unwrap();
//! assert_eq!((instances.len(), instances[0].jobs()), (1, 2));
//! let error = read_orlib_gap(b"2 2\n 5 6\n 7 8\n 1 1 2\n", "tiny").unwrap_err();
//! assert_eq!(error.to_string(), "tiny:4:7: the file ends after 9 numbers: 2 agents and 2 jobs need 12");
//! ```

use crate::error::{ErrorKind, Position, ReadError, echo};
use crate::input::check_size;
use walras_model::market::{Choices, Instance, InstanceError, Pair, Serve};

/// Files with instances above this are refused: 128 MiB, enough for ten thousand jobs on a thousand agents.
pub const ORLIB_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Reads all instances of a file, at least one. `source` is the file's name, for errors.
pub fn read_orlib_gap(bytes: &[u8], source: &str) -> Result<Vec<Instance>, ReadError> {
    check_size(bytes, source, ORLIB_BYTES_MAX)?;
    let mut reader = Reader { bytes, source, at: 0, line: 1, line_start: 0, read: 0 };
    let count = if reader.first_line_is_a_count() {
        reader.number("a number of instances", 1, 1_000_000)?
    } else {
        1
    };
    let mut instances = Vec::new();
    for _ in 0..count {
        instances.push(reader.instance()?);
    }
    match reader.word() {
        None => Ok(instances),
        Some(word) => {
            let problem = format!("{} comes after the last of {} numbers", word.shown(), reader.read - 1);
            Err(reader.error(word.position, Some(word.shown()), problem))
        }
    }
}

/// A row of words, and how far it has been read.
struct Reader<'a> {
    bytes: &'a [u8],
    source: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// How many words have been read.
    read: u64,
}

/// A word and where it stands.
struct Word<'a> {
    bytes: &'a [u8],
    position: Position,
}

impl Word<'_> {
    fn shown(&self) -> String {
        echo(&String::from_utf8_lossy(self.bytes))
    }

    /// Its digits as a number; `None` for anything else.
    fn number(&self) -> Option<u64> {
        let text = std::str::from_utf8(self.bytes).ok()?;
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    }
}

impl<'a> Reader<'a> {
    /// Whether the first line that is not blank holds one word.
    fn first_line_is_a_count(&self) -> bool {
        let mut lines = self.bytes.split(|byte| *byte == b'\n');
        let words =
            |line: &&[u8]| line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        lines.find(|line| words(line) > 0).is_some_and(|line| words(&line) == 1)
    }

    fn word(&mut self) -> Option<Word<'a>> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
            if self.bytes[self.at - 1] == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = self.at;
            }
        }
        let position = self.here();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        self.read += u64::from(length > 0);
        (length > 0).then(|| Word { bytes: &rest[..length], position })
    }

    fn here(&self) -> Position {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX - 1) + 1;
        Position { line: self.line, column }
    }

    /// A whole number within a range.
    fn number(&mut self, called: &str, min: u64, max: u64) -> Result<u64, ReadError> {
        let end = self.here();
        let Some(word) = self.word() else {
            return Err(self.error(end, None, format!("the file ends before {called}")));
        };
        word.number().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
            let shown = word.shown();
            let problem = format!("{shown} is not {called}: it must be a whole number from {min} to {max}");
            self.error(word.position, Some(shown), problem)
        })
    }

    fn instance(&mut self) -> Result<Instance, ReadError> {
        let first = self.read;
        let agents = self.number("a number of agents", 1, u32::MAX.into())?;
        let jobs = self.number("a number of jobs", 1, u32::MAX.into())?;
        let pairs = agents.saturating_mul(jobs);
        let needed = pairs.saturating_mul(2).saturating_add(agents).saturating_add(2);
        let table = Table { agents, jobs, from: first, needed };
        let mut lists: Vec<Vec<Pair>> = Vec::new();
        for agent in 0..agents {
            for job in 0..usize::try_from(jobs).unwrap_or(usize::MAX) {
                let cost = self.entry(&table, "a cost", i64::MAX.unsigned_abs())?;
                if agent == 0 {
                    lists.push(Vec::new());
                }
                let site = u32::try_from(agent).unwrap_or(u32::MAX);
                lists[job].push(Pair { site, takes: 0, cost: i64::try_from(cost).unwrap_or(i64::MAX) });
            }
        }
        for agent in 0..usize::try_from(agents).unwrap_or(usize::MAX) {
            for list in &mut lists {
                let takes = self.entry(&table, "a resource", u32::MAX.into())?;
                list[agent].takes = u32::try_from(takes).unwrap_or(u32::MAX);
            }
        }
        let mut capacities = Vec::new();
        for _ in 0..agents {
            let capacity = self.entry(&table, "a capacity", u32::MAX.into())?;
            capacities.push(u32::try_from(capacity).unwrap_or(u32::MAX));
        }
        let choices = lists.into_iter().map(|pairs| Choices { weight: 1, pairs }).collect();
        Instance::new(capacities, choices, Serve::All).map_err(|error| self.refused(&error))
    }

    /// A number of a table; when the file ends, how many there should have been.
    fn entry(&mut self, table: &Table, called: &str, max: u64) -> Result<u64, ReadError> {
        let end = self.here();
        match self.number(called, 0, max) {
            Err(error) if error.value.is_none() => {
                let Table { agents, jobs, from, needed } = table;
                let read = self.read - from;
                let problem = format!(
                    "the file ends after {read} numbers: {agents} agents and {jobs} jobs need {needed}"
                );
                Err(self.error(end, None, problem))
            }
            other => other,
        }
    }

    fn refused(&self, error: &InstanceError) -> ReadError {
        let problem = match error {
            InstanceError::CostOutOfRange { job } => {
                format!("the costs up to job {} are too large to be summed", job + 1)
            }
            InstanceError::UnknownSite { job, .. }
            | InstanceError::SiteTwice { job, .. }
            | InstanceError::NoWeight { job } => format!("job {} does not belong to the instance", job + 1),
        };
        self.error(self.here(), None, problem)
    }

    fn error(&self, position: Position, value: Option<String>, problem: String) -> ReadError {
        ReadError {
            kind: if value.is_some() { ErrorKind::Value } else { ErrorKind::Shape },
            source: self.source.to_owned(),
            position: Some(position),
            path: String::new(),
            value,
            problem,
        }
    }
}

/// What an instance's first two numbers announce.
struct Table {
    agents: u64,
    jobs: u64,
    /// How many words came before it.
    from: u64,
    needed: u64,
}
