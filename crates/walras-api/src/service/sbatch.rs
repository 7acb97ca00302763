//! What a script's `#SBATCH` lines and the options of `walras submit` say together, as keys of a job.
//!
//! They are gathered first and understood afterwards, since some mean something only beside others: how many nodes `--ntasks` needs
//! depends on `--nodes` and `--ntasks-per-node`. Of one that is there twice the last counts, and options come last.
//!
//! What is asked of a part of a node (cores, memory, GPUs) is asked of each node: it must have at least so
//! much.

mod devices;
mod mail;

use super::directive::{Meaning, directive};
use super::moments;
use super::slurm::{self, Flag};
use super::submitter::{Submitter, portable};
use super::waiting;
use crate::error::{ErrorKind, Position, ReadError, echo};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::particulars::is_variable;

/// Where a directive stands: on a line of a file, or among the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DirectiveLocation<'a> {
    pub(super) source: &'a str,
    pub(super) line: Option<u32>,
}

/// What options are called in errors.
pub(super) const OPTIONS: DirectiveLocation<'static> = DirectiveLocation { source: "options", line: None };

#[derive(Clone, Debug)]
struct Given<'a> {
    option: String,
    value: String,
    text: String,
    location: DirectiveLocation<'a>,
}

impl Given<'_> {
    fn refuse(&self, what: &str) -> ReadError {
        refuse(&self.location, &self.option, &self.value, what)
    }
}

pub(super) fn refuse(location: &DirectiveLocation<'_>, path: &str, value: &str, what: &str) -> ReadError {
    let value = echo(value);
    ReadError {
        kind: ErrorKind::Value,
        source: location.source.to_owned(),
        position: location.line.map(|line| Position { line, column: 1 }),
        path: path.to_owned(),
        problem: format!("{value} {what}"),
        value: Some(value),
    }
}

/// A directive that was left out.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftOut {
    /// The line, from 1 on; none for an option.
    pub line: Option<u32>,
    /// What it says.
    pub directive: String,
    /// Why, as the rest of a sentence about it.
    pub why: &'static str,
}

/// The directives of a job, gathered.
#[derive(Debug)]
pub(super) struct Sbatch<'a> {
    submitter: &'a Submitter,
    given: BTreeMap<Meaning, Given<'a>>,
    pub(super) left_out: Vec<LeftOut>,
}

/// What they come to.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub(super) fields: Map<String, Value>,
    pub(super) requires: Map<String, Value>,
    pub(super) env: Map<String, Value>,
    /// By key: the line that gave it.
    pub(super) lines: BTreeMap<String, u32>,
    /// The keys that an option gave; attributes of `requires` as `requires.NAME`.
    pub(super) by_option: BTreeSet<String>,
}

impl Keys {
    fn locate(&mut self, key: &str, location: &DirectiveLocation<'_>) {
        match location.line {
            Some(line) => {
                self.lines.insert(key.to_owned(), line);
            }
            None => {
                self.by_option.insert(key.to_owned());
            }
        }
    }

    fn set(&mut self, key: &str, value: impl Into<Value>, given: &Given<'_>) {
        self.fields.insert(key.to_owned(), value.into());
        self.locate(key, &given.location);
    }

    fn require(&mut self, attribute: &str, test: Value, given: &Given<'_>) {
        self.requires.insert(attribute.to_owned(), test);
        self.locate("requires", &given.location);
        self.locate(&format!("requires.{attribute}"), &given.location);
    }

    fn tell(&mut self, variable: &str, value: impl ToString) {
        self.env.insert(variable.to_owned(), value.to_string().into());
    }
}

impl<'a> Sbatch<'a> {
    pub(super) fn new(submitter: &'a Submitter) -> Sbatch<'a> {
        Sbatch { submitter, given: BTreeMap::new(), left_out: Vec::new() }
    }

    /// Gathers one.
    pub(super) fn take(&mut self, flag: &Flag, location: &DirectiveLocation<'a>) -> Result<(), ReadError> {
        let Some(known) = directive(&flag.name) else {
            if self.submitter.ignore_unknown {
                self.leave_out(&flag.text, location, "is not understood");
                return Ok(());
            }
            let what =
                "is not understood, and what runs may depend on it; --ignore-unknown goes on without it";
            return Err(refuse(location, "#SBATCH", &flag.text, what));
        };
        let option = format!("--{}", known.name);
        match (known.meaning, &flag.value) {
            (Meaning::Holds, _) => {}
            (meaning @ (Meaning::Hold | Meaning::Exclusive), None) => {
                let given = Given {
                    option,
                    value: String::new(),
                    text: flag.text.clone(),
                    location: location.clone(),
                };
                self.given.insert(meaning, given);
            }
            (Meaning::Hold, Some(value)) => {
                return Err(refuse(location, "--hold", value, "is too much: it takes no value"));
            }
            (Meaning::Noted, _) => self.leave_out(&flag.text, location, "does nothing here"),
            (_, None) => return Err(refuse(location, "#SBATCH", &option, "has no value")),
            (meaning, Some(value)) => {
                let (value, text) = (value.clone(), flag.text.clone());
                self.given.insert(meaning, Given { option, value, text, location: location.clone() });
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, text: &str, location: &DirectiveLocation<'_>, why: &'static str) {
        self.left_out.push(LeftOut { line: location.line, directive: echo(text), why });
    }

    fn get(&self, meaning: Meaning) -> Option<&Given<'a>> {
        self.given.get(&meaning)
    }

    /// Everything that was gathered, understood.
    pub(super) fn keys(&mut self) -> Result<Keys, ReadError> {
        let mut keys = Keys::default();
        for (meaning, key) in [
            (Meaning::JobName, "name"),
            (Meaning::Output, "output"),
            (Meaning::Error, "error"),
            (Meaning::Chdir, "directory"),
            (Meaning::Comment, "comment"),
            (Meaning::Array, "array"),
            (Meaning::Account, "account"),
            (Meaning::Partition, "partition"),
            (Meaning::Qos, "qos"),
        ] {
            let Some(given) = self.get(meaning) else { continue };
            // Where a program begins is where it prints to; many scripts say so besides.
            let here = matches!(meaning, Meaning::Output | Meaning::Error);
            let value = given.value.strip_prefix("./").filter(|_| here);
            keys.set(key, value.unwrap_or(given.value.as_str()), given);
        }
        for (meaning, variable) in [
            (Meaning::Account, "SLURM_JOB_ACCOUNT"),
            (Meaning::Partition, "SLURM_JOB_PARTITION"),
            (Meaning::Qos, "SLURM_JOB_QOS"),
        ] {
            if let Some(given) = self.get(meaning) {
                keys.tell(variable, &given.value);
            }
        }
        if let Some(given) = self.get(Meaning::Time) {
            let what = "is not a time limit: expected minutes, hours:minutes:seconds or days-hours";
            keys.set("work", slurm::limit_seconds(&given.value).ok_or_else(|| given.refuse(what))?, given);
        }
        for (meaning, key) in [(Meaning::Begin, "earliest"), (Meaning::Deadline, "deadline")] {
            if let Some(given) = self.get(meaning) {
                let what =
                    "is not a point in time: expected one such as now+2hours, 16:00 or 2026-11-15T12:30";
                let zone = &self.submitter.zone;
                moments::point(&given.value, zone, Timestamp::UNIX_EPOCH)
                    .ok_or_else(|| given.refuse(what))?;
                keys.set(key, given.value.as_str(), given);
            }
        }
        self.waits(&mut keys)?;
        let sizes = self.sizes(&mut keys)?;
        self.memory(&mut keys, &sizes)?;
        self.devices(&mut keys, &sizes)?;
        self.features(&mut keys)?;
        self.variables(&mut keys)?;
        self.notify(&mut keys)?;
        Ok(keys)
    }

    fn waits(&self, keys: &mut Keys) -> Result<(), ReadError> {
        if let Some(given) = self.get(Meaning::Hold) {
            keys.set("held", true, given);
        }
        let Some(given) = self.get(Meaning::Dependency) else { return Ok(()) };
        let what = "is not understood: expected afterok:JOB, afterany, afternotok, after or singleton";
        let (after, singleton) = waiting::dependency(&given.value).ok_or_else(|| given.refuse(what))?;
        if !after.is_empty() {
            keys.set("after", after, given);
        }
        if singleton {
            keys.set("singleton", true, given);
        }
        Ok(())
    }

    fn number(&self, meaning: Meaning) -> Result<Option<(u64, &Given<'a>)>, ReadError> {
        let Some(given) = self.get(meaning) else { return Ok(None) };
        let number = slurm::count(&given.value).ok_or_else(|| given.refuse("is not a number of them"))?;
        Ok(Some((number, given)))
    }

    /// How many nodes, how many tasks on each, and the cores that those need.
    fn sizes(&self, keys: &mut Keys) -> Result<Sizes, ReadError> {
        let nodes = self.number(Meaning::Nodes)?;
        let ntasks = self.number(Meaning::Ntasks)?;
        let per_node = self.number(Meaning::NtasksPerNode)?;
        let cpus = self.number(Meaning::CpusPerTask)?;
        let mincpus = self.number(Meaning::Mincpus)?;
        let count = |found: &Option<(u64, &Given<'a>)>| found.as_ref().map(|(count, _)| *count);
        let (width, share) = match (count(&nodes), count(&ntasks), count(&per_node)) {
            (Some(nodes), Some(tasks), per_node) => {
                let width = nodes.min(tasks);
                (Some(width), per_node.unwrap_or(slurm::upwards(tasks, width)))
            }
            (Some(nodes), None, per_node) => (Some(nodes), per_node.unwrap_or(1)),
            (None, Some(tasks), Some(per_node)) => {
                (Some(slurm::upwards(tasks, per_node)), per_node.min(tasks))
            }
            (None, Some(tasks), None) => (Some(tasks), 1),
            (None, None, per_node) => (None, per_node.unwrap_or(1)),
        };
        if let (Some(width), Some((tasks, given))) = (width, &ntasks)
            && width.saturating_mul(share) < *tasks
        {
            return Err(given.refuse(&format!("is more than {width} nodes with {share} tasks each have")));
        }
        for (_, given) in [nodes, ntasks, per_node].into_iter().flatten() {
            if let Some(width) = width {
                keys.set("tasks", width, given);
            }
        }
        // Several on one node would be fewer nodes, or more on one, than was asked for.
        if let Some((_, given)) = nodes.or(per_node).filter(|_| width.is_some_and(|width| width > 1)) {
            keys.set("separate_nodes", true, given);
        }
        let each = count(&cpus).unwrap_or(1);
        let cores = share.saturating_mul(each).max(count(&mincpus).unwrap_or(1));
        if let Some((_, given)) = mincpus.or(cpus).or(per_node).or(ntasks).filter(|_| cores > 1) {
            keys.require("cores", json!({"min": cores}), given);
        }
        let width = width.unwrap_or(1);
        if nodes.or(ntasks).or(per_node).is_some() {
            let tasks = count(&ntasks).unwrap_or(width.saturating_mul(share));
            keys.tell("SLURM_NTASKS", tasks);
            keys.tell("SLURM_NPROCS", tasks);
        }
        if per_node.is_some() {
            keys.tell("SLURM_NTASKS_PER_NODE", share);
        }
        if cpus.is_some() {
            keys.tell("SLURM_CPUS_PER_TASK", each);
        }
        Ok(Sizes { nodes: width, tasks_per_node: share, cores })
    }

    fn memory(&self, keys: &mut Keys, sizes: &Sizes) -> Result<(), ReadError> {
        let (given, times, variable) = match (self.get(Meaning::Mem), self.get(Meaning::MemPerCpu)) {
            (Some(_), Some(given)) => {
                return Err(given.refuse("stands beside --mem: give one of the two"));
            }
            (Some(given), None) => (given, 1, "SLURM_MEM_PER_NODE"),
            (None, Some(given)) => (given, sizes.cores, "SLURM_MEM_PER_CPU"),
            (None, None) => return Ok(()),
        };
        let what = "is not an amount of memory: expected mebibytes, or a number with K, M, G or T";
        let each = slurm::mebibytes(&given.value).ok_or_else(|| given.refuse(what))?;
        let all = each.checked_mul(times).filter(|all| *all <= 1 << 40).ok_or_else(|| given.refuse(what))?;
        keys.tell(variable, each);
        if all > 0 {
            keys.require("memory_gb", json!({"min": gibibytes(all)}), given);
        }
        Ok(())
    }

    fn variables(&mut self, keys: &mut Keys) -> Result<(), ReadError> {
        if let Some(directory) = &self.submitter.directory {
            keys.tell("SLURM_SUBMIT_DIR", directory);
        }
        let Some(given) = self.get(Meaning::Export).cloned() else { return Ok(()) };
        for word in given.value.split(',') {
            match (word, word.split_once('='), &self.submitter.environment) {
                ("NONE" | "NIL", ..) => {}
                (_, Some((name, value)), _) if is_variable(name) => keys.tell(name, value),
                ("ALL", None, Some(environment)) => {
                    for (name, value) in portable(environment) {
                        keys.env.entry(name.as_str()).or_insert_with(|| value.as_str().into());
                    }
                }
                (name, None, Some(environment)) if is_variable(name) => {
                    let value = environment.get(name).ok_or_else(|| {
                        refuse(&given.location, &given.option, name, "is not set where it is submitted")
                    })?;
                    keys.tell(name, value);
                }
                (name, None, None) if is_variable(name) => {
                    self.leave_out(&given.text, &given.location, "is known only where it is submitted");
                }
                _ => {
                    let what = "is not understood: expected ALL, NONE, NAME or NAME=value, without spaces";
                    return Err(refuse(&given.location, &given.option, word, what));
                }
            }
        }
        keys.locate("env", &given.location);
        Ok(())
    }
}

struct Sizes {
    nodes: u64,
    tasks_per_node: u64,
    /// Of a node.
    cores: u64,
}

/// Mebibytes as gibibytes, to a millionth upwards, as a job file has numbers.
fn gibibytes(mebibytes: u64) -> Value {
    let (whole, rest) = (mebibytes >> 10, mebibytes & 1_023);
    if rest == 0 {
        return whole.into();
    }
    let millionths = slurm::upwards(rest * 1_000_000, 1_024);
    let text = format!("{whole}.{millionths:06}");
    // What is written like a number is one.
    serde_json::from_str(&text).unwrap_or_else(|_| (whole + 1).into())
}

#[cfg(test)]
mod tests;
