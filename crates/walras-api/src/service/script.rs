//! Scripts as jobs: a program that begins with `#!` and says in comments what it needs.
//!
//! Directives stand in lines that begin with `#WALRAS` or `#SBATCH`, up to the first line that is neither a comment nor
//! blank, as Slurm reads them. `#WALRAS` knows the keys of `job/1`; a directive that it does not know is an error. Of
//! `#SBATCH` those are understood that mean something to a market: nodes, ntasks, time, job-name, output, deadline and
//! begin. Others are named and left out. Where both say the same, `#WALRAS` counts.
//!
//! | directive | key |
//! | --- | --- |
//! | `--nodes`, `--ntasks` | `tasks`: the greater of the two |
//! | `--time` | `work`, in seconds |
//! | `--job-name` | `name`; without it, the name of the file |
//! | `--output` | `output`, when it is a plain name |
//! | `--deadline`, `--begin` | `deadline`, `earliest` |
//! | `--dependency` | `after`, `singleton` |
//! | `--hold` | `held` |
//! | `--array` | `array` |
//!
//! ```
//! let text = "#!/bin/sh\n#SBATCH --ntasks=2 --time=10\n#WALRAS budget 40\n#SBATCH --gres=gpu:1\necho hello\n";
//! let zone = jiff::tz::TimeZone::UTC;
//! let draft = walras_api::service::read_script(text.as_bytes(), "hello.sh", &zone).unwrap();
//! assert_eq!(draft.not_understood()[0].directive, "--gres=gpu:1");
//! let job = draft.finish(walras_model::Time::from_millis(0).unwrap()).unwrap();
//! assert_eq!((&job["tasks"], &job["work"], &job["budget"]), (&2.into(), &600.into(), &40.into()));
//! ```

use super::draft::{JobDraft, NotUnderstood, Places};
use super::job::{JOB_BYTES_MAX, JOB_TAG};
use super::slurm::{self, Flag};
use super::waiting;
use crate::decode::{Document, yaml_options};
use crate::error::{ErrorKind, Position, ReadError, echo};
use crate::input::Syntax;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The keys whose values are text, whatever they look like.
const TEXTS: [&str; 8] = ["array", "name", "user", "deadline", "earliest", "delay_after", "output", "search"];
/// The others that a directive may give.
const VALUES: [&str; 14] = [
    "after",
    "singleton",
    "held",
    "tasks",
    "work",
    "price_max",
    "budget",
    "performance_min",
    "priority",
    "requires",
    "same_site",
    "prefers",
    "delay_cost",
    "alternatives",
];
/// A list of names.
const SITES: &str = "sites";

/// Reads a script. Times of day in `#SBATCH` directives are in `zone`.
pub fn read_script(bytes: &[u8], source: &str, zone: &TimeZone) -> Result<JobDraft, ReadError> {
    let document = Document::new(bytes, source, Syntax::Yaml, ("walras", JOB_TAG), JOB_BYTES_MAX)?;
    let mut script =
        Script { source, zone, own: Map::new(), lines: BTreeMap::new(), slurm: Slurm::default() };
    for (number, line) in (1_u32..).zip(document.text.lines()) {
        let line = line.trim_end();
        if let Some(directive) = after(line, "#WALRAS") {
            script.walras(directive, number)?;
        } else if let Some(directive) = after(line, "#SBATCH") {
            for flag in slurm::flags(directive) {
                script.sbatch(flag, number)?;
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            break;
        }
    }
    Ok(script.finish(document.text))
}

/// What follows the word that a directive begins with.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest.trim())
}

struct Script<'a> {
    source: &'a str,
    zone: &'a TimeZone,
    /// What `#WALRAS` says.
    own: Map<String, Value>,
    /// By key: the line that gave it.
    lines: BTreeMap<String, u32>,
    slurm: Slurm,
}

/// What `#SBATCH` says.
#[derive(Default)]
struct Slurm {
    nodes: u64,
    ntasks: u64,
    fields: Map<String, Value>,
    lines: BTreeMap<String, u32>,
    /// Its name may be said later.
    output: Option<(String, u32, String)>,
    not_understood: Vec<NotUnderstood>,
}

impl Slurm {
    fn set(&mut self, key: &str, value: Value, line: u32) {
        self.fields.insert(key.to_owned(), value);
        self.lines.insert(key.to_owned(), line);
    }
}

impl Script<'_> {
    fn walras(&mut self, directive: &str, line: u32) -> Result<(), ReadError> {
        let (key, text) = key_and_text(directive);
        let known = TEXTS.contains(&key.as_str()) || VALUES.contains(&key.as_str()) || key == SITES;
        if !known {
            let mut all: Vec<&str> = TEXTS.into_iter().chain(VALUES).chain([SITES]).collect();
            all.sort_unstable();
            let what = format!("is not understood: expected one of {}", all.join(", "));
            return Err(self.refuse(line, "#WALRAS", &key, &what));
        }
        if self.own.contains_key(&key) {
            return Err(self.refuse(line, "#WALRAS", &key, "is there twice: give it once"));
        }
        let value = value(&key, text)
            .ok_or_else(|| self.refuse(line, &key, text, "is not a value: expected one as in a job file"))?;
        self.lines.insert(key.clone(), line);
        self.own.insert(key, value);
        Ok(())
    }

    fn sbatch(&mut self, flag: Flag, line: u32) -> Result<(), ReadError> {
        let Flag { text, name, value } = flag;
        let leave_out = |script: &mut Self, text: &str| {
            let directive = echo(text);
            script.slurm.not_understood.push(NotUnderstood { line, directive });
        };
        if name == "hold" {
            self.slurm.set("held", true.into(), line);
            return Ok(());
        }
        if !matches!(
            name.as_str(),
            "nodes"
                | "ntasks"
                | "time"
                | "job-name"
                | "output"
                | "deadline"
                | "begin"
                | "dependency"
                | "array"
        ) {
            leave_out(self, &text);
            return Ok(());
        }
        let option = format!("--{name}");
        let Some(value) = value else {
            return Err(self.refuse(line, "#SBATCH", &option, "has no value"));
        };
        let wrong = |what: &str| self.refuse(line, &option, &value, what);
        match name.as_str() {
            "nodes" | "ntasks" => {
                let count = slurm::count(&value).ok_or_else(|| wrong("is not a number of them"))?;
                let place = if name == "nodes" { &mut self.slurm.nodes } else { &mut self.slurm.ntasks };
                *place = count;
                let tasks = self.slurm.nodes.max(self.slurm.ntasks);
                self.slurm.set("tasks", tasks.into(), line);
            }
            "time" => {
                let seconds = slurm::limit_seconds(&value);
                let what = "is not a time limit: expected minutes, hours:minutes:seconds or days-hours";
                self.slurm.set("work", seconds.ok_or_else(|| wrong(what))?.into(), line);
            }
            "dependency" => {
                let (after, singleton) = waiting::dependency(&value).ok_or_else(|| {
                    wrong("is not understood: expected afterok:JOB, afterany, afternotok, after or singleton")
                })?;
                if !after.is_empty() {
                    self.slurm.set("after", after.into(), line);
                }
                if singleton {
                    self.slurm.set("singleton", true.into(), line);
                }
            }
            "job-name" => self.slurm.set("name", value.into(), line),
            "array" => self.slurm.set("array", value.into(), line),
            "output" => self.slurm.output = Some((value, line, text)),
            _ => match slurm::point(&value, self.zone) {
                Some(point) => {
                    let key = if name == "deadline" { "deadline" } else { "earliest" };
                    self.slurm.set(key, point.into(), line);
                }
                None => leave_out(self, &text),
            },
        }
        Ok(())
    }

    fn refuse(&self, line: u32, path: &str, value: &str, what: &str) -> ReadError {
        let value = echo(value);
        ReadError {
            kind: ErrorKind::Value,
            source: self.source.to_owned(),
            position: Some(Position { line, column: 1 }),
            path: path.to_owned(),
            problem: format!("{value} {what}"),
            value: Some(value),
        }
    }

    /// Everything together: `#WALRAS` goes over `#SBATCH`, and both over what follows from the file.
    fn finish(mut self, text: &str) -> JobDraft {
        let file = self.source.rsplit('/').next().unwrap_or(self.source);
        let mut fields = Map::new();
        fields.insert("walras".into(), JOB_TAG.into());
        fields.insert("name".into(), file.into());
        fields.append(&mut self.slurm.fields);
        fields.append(&mut self.own);
        if let Some((pattern, line, text)) = self.slurm.output {
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
            match slurm::output_name(&pattern, name) {
                _ if fields.contains_key("output") => {}
                Some(output) => {
                    fields.insert("output".into(), output.into());
                    self.slurm.lines.insert("output".into(), line);
                }
                None => {
                    let directive = echo(&text);
                    self.slurm.not_understood.push(NotUnderstood { line, directive });
                }
            }
        }
        fields.insert("script".into(), text.into());
        let mut not_understood = self.slurm.not_understood;
        not_understood.sort_by_key(|left_out| left_out.line);
        let mut lines = self.slurm.lines;
        lines.append(&mut self.lines);
        JobDraft { source: self.source.to_owned(), fields, places: Places::Lines(lines), not_understood }
    }
}

/// `--price-max=5`, `--price-max 5`, `price_max 5` and `price_max=5` are the same.
fn key_and_text(directive: &str) -> (String, &str) {
    let bare = directive.strip_prefix("--").unwrap_or(directive);
    let end = bare.find(|character: char| character == '=' || character.is_whitespace());
    let (key, rest) = bare.split_at(end.unwrap_or(bare.len()));
    let rest = rest.trim_start();
    (key.replace('-', "_"), rest.strip_prefix('=').unwrap_or(rest).trim())
}

/// The value of a directive, as a job file would have it. A flag needs none.
fn value(key: &str, text: &str) -> Option<Value> {
    let quoted = text.starts_with(['"', '\'']);
    let text = if quoted { text } else { text.split(" #").next().unwrap_or_default().trim_end() };
    match key {
        "same_site" | "singleton" | "held" if text.is_empty() => Some(true.into()),
        _ if text.is_empty() => None,
        SITES if !text.starts_with('[') && !quoted => {
            Some(text.split(',').map(|name| Value::from(name.trim())).collect())
        }
        _ if TEXTS.contains(&key) && !quoted => Some(text.into()),
        _ => serde_saphyr::from_str_with_options(text, yaml_options()).ok(),
    }
}

#[cfg(test)]
mod tests;
