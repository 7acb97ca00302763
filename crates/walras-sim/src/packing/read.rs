//! Machines and jobs with cores and memory, as MetaCentrum writes them: a table of machines, and a trace with three columns more than the Standard
//! Workload Format has.

use super::{BadCluster, Cluster, Need, PackedJob};
use crate::lines::Lines;
use std::fmt;
use std::io::{self, BufRead};

/// What is wrong with a table of machines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadMachines {
    /// A line that is none of it.
    #[error(
        "line {line}: expected a number, a name, nodes, cores, speed and memory (KiB) of each, and not {text:?}"
    )]
    Line {
        /// Its number.
        line: u32,
        /// What it says.
        text: String,
    },
    /// A line with nodes that nobody has.
    #[error("line {line}: {why}")]
    Node {
        /// Its number.
        line: u32,
        /// What is wrong.
        why: BadCluster,
    },
    /// No cluster.
    #[error("{0}")]
    Cluster(BadCluster),
    /// It breaks off.
    #[error("cannot be read: {0}")]
    Broken(io::Error),
}

/// What a trace of jobs holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The jobs that ran for a second at least, in the order of the trace.
    pub jobs: Vec<PackedJob>,
    /// Jobs that ran for less.
    pub short: u64,
    /// Lines that do not say what a job takes, or how long it ran.
    pub unread: u64,
    /// The first few of them.
    pub bad: Vec<BadLine>,
}

/// A line of a trace that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number.
    pub line: u32,
    /// Which column, from 1 on, and what it says.
    pub column: (usize, String),
    /// What it should be.
    pub expected: &'static str,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, text) = &self.column;
        write!(f, "line {}, column {column}: expected {}, and not {text:?}", self.line, self.expected)
    }
}

/// So many bad lines are kept.
const BAD_MAX: usize = 3;

/// So much of a line is shown.
const SHOWN_MAX: usize = 80;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}

/// A table of machines: number, name, nodes, and of each cores, speed and memory in KiB, by tabs or spaces. Speeds are not looked at.
pub fn read_machines(reader: impl BufRead) -> Result<Cluster, BadMachines> {
    let mut kinds = Vec::new();
    let mut lines = Lines::new(reader);
    while let Some((line, text)) = lines.next() {
        let text = String::from_utf8_lossy(text);
        let columns: Vec<&str> = text.split_whitespace().collect();
        if columns.is_empty() {
            continue;
        }
        let kind = || {
            let &[_, _, nodes, cores, _, memory] = columns.as_slice() else { return None };
            let need = Need { cores: cores.parse().ok()?, memory: memory.parse().ok()? };
            Some((nodes.parse::<u32>().ok()?, need))
        };
        let kind = kind().ok_or_else(|| BadMachines::Line { line, text: shown(&text) })?;
        // By itself it would be a cluster.
        Cluster::new([kind]).map_err(|why| BadMachines::Node { line, why })?;
        kinds.push(kind);
    }
    match lines.into_fault() {
        Some(fault) => Err(BadMachines::Broken(fault)),
        None => Cluster::new(kinds).map_err(BadMachines::Cluster),
    }
}

/// The jobs of a trace: the tenth column is the memory of each node in bytes, and the last says how many nodes with how many cores each, as in
/// `4:ppn=12`. Fails where the trace breaks off.
pub fn read_jobs(reader: impl BufRead) -> io::Result<Read> {
    let mut read = Read::default();
    let mut lines = Lines::new(reader);
    while let Some((line, text)) = lines.next() {
        let text = String::from_utf8_lossy(text);
        if text.trim().is_empty() || text.trim_start().starts_with(';') {
            continue;
        }
        match job(&text) {
            Err((column, expected)) => {
                read.unread += 1;
                if read.bad.len() < BAD_MAX {
                    read.bad.push(BadLine { line, column: (column.0, shown(column.1)), expected });
                }
            }
            Ok(job) if job.run < 1_000 => read.short += 1,
            Ok(job) => read.jobs.push(job),
        }
    }
    lines.into_fault().map_or(Ok(read), Err)
}

/// Which column, and what it says; and what it should be.
type Wrong<'a> = ((usize, &'a str), &'static str);

const NUMBER: &str = "a whole number";
const SECONDS: &str = "a number of seconds";
const NODES: &str = "nodes and cores, as in 4:ppn=12";

fn job(text: &str) -> Result<PackedJob, Wrong<'_>> {
    let columns: Vec<&str> = text.split_whitespace().collect();
    if columns.len() < 19 {
        return Err(((columns.len(), columns.last().copied().unwrap_or_default()), "19 columns or more"));
    }
    let wrong = |place: usize, expected| ((place + 1, columns[place]), expected);
    let whole = |place: usize| columns[place].parse::<i64>().map_err(|_| wrong(place, NUMBER));
    let millis = |place: usize| whole(place)?.checked_mul(1_000).ok_or_else(|| wrong(place, SECONDS));
    let last = columns.len() - 1;
    let (tasks, cores) = nodes_and_cores(columns[last]).ok_or_else(|| wrong(last, NODES))?;
    let run = millis(3)?;
    if run < 0 {
        return Err(wrong(3, SECONDS));
    }
    // What nobody knows is a number below nothing.
    let memory = u64::try_from(whole(9)?).unwrap_or(0).div_ceil(1_024);
    Ok(PackedJob {
        number: u64::try_from(whole(0)?).map_err(|_| wrong(0, NUMBER))?,
        submit: millis(1)?,
        run,
        estimate: Some(millis(8)?).filter(|estimate| *estimate > 0).unwrap_or(run),
        tasks,
        each: Need { cores, memory },
    })
}

/// `4:ppn=12:x86_64` is four nodes with twelve cores each; a part of a core is one.
fn nodes_and_cores(text: &str) -> Option<(u32, u32)> {
    let mut words = text.split([':', '#']);
    let tasks: u32 = words.next()?.parse().ok().filter(|tasks| *tasks > 0)?;
    let cores = words.find_map(|word| word.strip_prefix("ppn="))?;
    let (whole, part) = cores.split_once('.').unwrap_or((cores, ""));
    let more = u32::from(part.bytes().any(|digit| digit != b'0'));
    let cores = whole.parse::<u32>().ok()?.checked_add(more).filter(|cores| *cores > 0)?;
    Some((tasks, cores))
}
