//! What Slurm prints, as data. Pure, and ready for anything: versions differ, and what is printed is input.
//!
//! Only formats that have not changed between versions are read: `scontrol -o show` (words `Key=Value`, one object a line) and `squeue -o`
//! (columns of our own choice). Objects that are not understood are left out and said in `left_out`; where leaving one out could sell time
//! that is taken, `blocked` says so, and nothing is sold.
//!
//! O(bytes).

use super::command::TAG;
use super::hostlist::expand;
use super::uses::{self, Reserved, Takes, gpus};
use std::collections::BTreeMap;

/// At most so many of what is left out are named.
const NAMED_MAX: usize = 20;

/// A node as Slurm knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSeen {
    /// Its name.
    pub name: String,
    /// Whether it can be used, by its state.
    pub usable: bool,
    /// Whether it does not answer: what runs there may go on.
    pub down: bool,
    /// Whether Slurm itself does not know yet, as after its controller was started again.
    pub unknown: bool,
    /// The state as it was written.
    pub state: String,
    /// Its features, those that can be had.
    pub features: Vec<String>,
    /// Its processors.
    pub processors: Option<u32>,
    /// Its cores.
    pub cores: Option<u32>,
    /// Its processors without those that Slurm keeps for itself.
    pub effective: Option<u32>,
    /// Its memory, in MiB.
    pub memory: Option<u64>,
    /// What Slurm keeps of that for itself.
    pub kept_memory: u64,
    /// Its GPUs.
    pub gpus: u32,
    /// What Slurm prefers to leave free: nodes of high weight are given out last.
    pub weight: u32,
    /// The partitions it is in.
    pub partitions: Vec<String>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits.
    Pending,
    /// It has ended, and nothing of it runs.
    Over,
    /// Slurm or somebody has ended it, and nothing of it runs.
    Stopped,
    /// Its node failed: it is over for Slurm, but may run.
    NodeFailed,
    /// Everything else: it has its nodes.
    Active,
}

impl JobState {
    /// Whether nothing of it runs any more, nor ever will.
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Over | JobState::Stopped)
    }
}

/// A job as Slurm knows it. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSeen {
    /// Its number, which another may get after a crash.
    pub id: String,
    /// How far it is.
    pub state: JobState,
    /// When it started or is to start.
    pub start: Option<i64>,
    /// When it must have ended; never, without.
    pub end: Option<i64>,
    /// The nodes it has, or is planned on.
    pub nodes: Vec<String>,
    /// The nodes it had, where it is over and one of ours.
    pub ran_on: Vec<String>,
    /// What it has of each of its nodes; all of it, where that was not asked for.
    pub takes: Takes,
    /// In which reservation.
    pub reservation: Option<String>,
    /// Its name.
    pub name: String,
}

/// A reservation as Slurm knows it. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservationSeen {
    /// Its name.
    pub name: String,
    /// From when on.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// On which nodes.
    pub nodes: Vec<String>,
    /// Whether it gives way to others.
    pub overlaps: bool,
    /// What it has of them.
    pub reserved: Reserved,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What was understood.
    pub items: Vec<T>,
    /// What was not, and is left out.
    pub left_out: Vec<String>,
    /// Why nothing may be sold: something that takes time on nodes is not understood.
    pub blocked: Option<String>,
}

impl<T> Default for Parsed<T> {
    fn default() -> Parsed<T> {
        Parsed { items: Vec::new(), left_out: Vec::new(), blocked: None }
    }
}

impl<T> Parsed<T> {
    pub(super) fn leave_out(&mut self, what: &str, why: &str) {
        if self.left_out.len() < NAMED_MAX {
            let shown: String = what.chars().filter(|it| !it.is_control()).take(80).collect();
            self.left_out.push(format!("{shown}: {why}"));
        }
    }

    fn block(&mut self, what: &str, why: &str) {
        self.leave_out(what, why);
        let shown: String = what.chars().filter(|it| !it.is_control()).take(80).collect();
        self.blocked.get_or_insert(format!("{shown}: {why}"));
    }
}

/// The lines that are text; others are left out.
pub(super) fn lines<'a, T>(bytes: &'a [u8], parsed: &mut Parsed<T>, blocks: bool) -> Vec<&'a str> {
    let mut all = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(line) => all.push(line.trim_end_matches('\r')),
            Err(_) if blocks => parsed.block(&String::from_utf8_lossy(line), "not UTF-8"),
            Err(_) => parsed.leave_out(&String::from_utf8_lossy(line), "not UTF-8"),
        }
    }
    all
}

/// The words `Key=Value` of a line, the first of each key: what people write (reasons, comments) comes after what Slurm says.
pub(super) fn words(line: &str) -> BTreeMap<&str, &str> {
    let mut all = BTreeMap::new();
    for (key, value) in line.split_ascii_whitespace().filter_map(|word| word.split_once('=')) {
        all.entry(key).or_insert(value);
    }
    all
}

pub(super) fn given(value: &str) -> Option<&str> {
    Some(value).filter(|value| !matches!(*value, "" | "(null)" | "N/A" | "n/a" | "NONE" | "Unknown" | "None"))
}

fn seconds(value: &str) -> Option<i64> {
    given(value)?.parse().ok().filter(|it| (0..=100_000_000_000).contains(it))
}

fn list(value: Option<&&str>) -> Vec<String> {
    let value = value.and_then(|value| given(value)).unwrap_or_default();
    value.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Reads `scontrol -o show node`.
pub fn nodes(bytes: &[u8]) -> Parsed<NodeSeen> {
    let mut parsed = Parsed::default();
    for line in lines(bytes, &mut parsed, false) {
        let words = words(line);
        let Some(name) = words.get("NodeName").filter(|name| is_plain(name)) else {
            if !line.trim().is_empty() && line.trim() != "No nodes in the system" {
                parsed.leave_out(line, "no node");
            }
            continue;
        };
        let Some(state) = words.get("State") else {
            parsed.leave_out(name, "no state");
            continue;
        };
        let number = |key: &str| words.get(key).and_then(|value| value.parse::<u64>().ok());
        let count = |key: &str| number(key).and_then(|it| u32::try_from(it).ok());
        let cores = || count("Sockets")?.checked_mul(count("CoresPerSocket")?);
        parsed.items.push(NodeSeen {
            name: (*name).to_owned(),
            usable: is_usable(state),
            down: is_down(state),
            unknown: is_unknown(state),
            state: (*state).to_owned(),
            features: list(words.get("AvailableFeatures").or(words.get("Features"))),
            processors: count("CPUTot"),
            cores: cores(),
            effective: count("CPUEfctv"),
            memory: number("RealMemory"),
            kept_memory: number("MemSpecLimit").unwrap_or(0),
            gpus: gpus(words.get("Gres").copied().unwrap_or_default()),
            weight: count("Weight").unwrap_or(1),
            partitions: list(words.get("Partitions")),
        });
    }
    parsed
}

/// Whether jobs can be started on a node of this state some day without anybody's doing. What is not known is not usable.
fn is_usable(state: &str) -> bool {
    let mut words = state.split('+');
    let base = words.next().unwrap_or_default();
    let known = |word: &str| matches!(word, "PLANNED" | "RESERVED" | "COMPLETING");
    // Later versions put the base state anywhere, earlier ones have `RESERVED` as a base.
    let is_base = |word: &str| matches!(word, "IDLE" | "ALLOCATED" | "MIXED");
    (is_base(base) || known(base)) && words.all(|word| is_base(word) || known(word))
}

/// Whether a controller has yet to hear of a node since it was started: that is no news of the node.
fn is_unknown(state: &str) -> bool {
    state.split('+').next().is_some_and(|base| base.trim_end_matches('*') == "UNKNOWN")
}

/// Whether Slurm does not hear of a node: `DOWN`, or any state with a star behind it.
fn is_down(state: &str) -> bool {
    let silent = |word: &str| matches!(word.trim_end_matches('*'), "DOWN" | "FAIL" | "NOT_RESPONDING");
    !is_unknown(state) && (state.contains('*') || state.split('+').any(silent))
}

/// A name that can be put into a command and a list of hosts.
pub(super) fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 255 && !name.starts_with('-') && name.bytes().all(plain)
}

/// Reads `scontrol -o show reservation`.
pub fn reservations(bytes: &[u8]) -> Parsed<ReservationSeen> {
    let mut parsed = Parsed::default();
    for line in lines(bytes, &mut parsed, true) {
        let line = line.trim();
        if line.is_empty() || line == "No reservations in the system" {
            continue;
        }
        let words = words(line);
        let Some(name) = words.get("ReservationName") else {
            parsed.block(line, "no reservation");
            continue;
        };
        // One without nodes is of licences alone.
        let Some(hosts) = words.get("Nodes").and_then(|nodes| given(nodes)) else { continue };
        let time = |key: &str| words.get(key).and_then(|value| seconds(value));
        let (Some(start), Some(end)) = (time("StartTime"), time("EndTime")) else {
            parsed.block(name, "no start or end");
            continue;
        };
        match expand(hosts) {
            Ok(nodes) => parsed.items.push(ReservationSeen {
                name: (*name).to_owned(),
                start,
                end,
                nodes,
                overlaps: list(words.get("Flags")).iter().any(|flag| flag == "OVERLAP"),
                reserved: Reserved::of(line),
            }),
            Err(wrong) => parsed.block(name, &wrong.to_string()),
        }
    }
    parsed
}

/// Reads `squeue` with the columns of [`super::command::jobs`].
pub fn jobs(bytes: &[u8]) -> Parsed<JobSeen> {
    read_jobs(bytes, 0)
}

/// The same with those of [`super::command::jobs_with_uses`].
pub fn jobs_with_uses(bytes: &[u8]) -> Parsed<JobSeen> {
    read_jobs(bytes, uses::COLUMNS.len())
}

/// So many columns before the last say what a job has.
fn read_jobs(bytes: &[u8], more: usize) -> Parsed<JobSeen> {
    let mut parsed = Parsed::default();
    for line in lines(bytes, &mut parsed, true) {
        let columns: Vec<&str> = line.splitn(8 + more, '|').collect();
        let all = columns.len() == 8 + more;
        let (true, &[id, state, start, end, nodes, planned, reservation, ref uses @ .., name]) =
            (all, columns.as_slice())
        else {
            // A name may hold line breaks: what follows one is no job. What begins as one does and is cut off may be.
            let number = columns[0].bytes().take_while(u8::is_ascii_digit).count();
            if number > 0 && columns.len() > 1 {
                parsed.block(line, "not all of a job");
            } else if !line.trim().is_empty() {
                parsed.leave_out(line, "no job");
            }
            continue;
        };
        let state = job_state(state);
        let hosts = match state {
            JobState::Pending => planned,
            JobState::Active | JobState::NodeFailed => nodes,
            JobState::Over | JobState::Stopped => "",
        };
        // Where others' jobs were is nobody's concern.
        let left = if state.is_over() && name.starts_with(TAG) { nodes } else { "" };
        let of = |hosts: &str| expand(given(hosts).unwrap_or_default());
        let (nodes, ran_on) = match of(hosts).and_then(|nodes| Ok((nodes, of(left)?))) {
            Ok(both) => both,
            Err(wrong) => {
                parsed.block(&format!("job {id}"), &wrong.to_string());
                continue;
            }
        };
        parsed.items.push(JobSeen {
            id: id.to_owned(),
            state,
            start: seconds(start),
            end: seconds(end),
            nodes,
            ran_on,
            takes: if uses.is_empty() { Takes::Whole } else { uses::takes(uses) },
            reservation: given(reservation).map(str::to_owned),
            name: name.to_owned(),
        });
    }
    parsed
}

/// A state that is not known may well run.
fn job_state(state: &str) -> JobState {
    match state {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => JobState::Pending,
        "COMPLETED" | "FAILED" | "OUT_OF_MEMORY" => JobState::Over,
        "CANCELLED" | "TIMEOUT" | "PREEMPTED" | "DEADLINE" | "REVOKED" | "BOOT_FAIL" => JobState::Stopped,
        "NODE_FAIL" => JobState::NodeFailed,
        _ => JobState::Active,
    }
}

#[cfg(test)]
mod tests;
