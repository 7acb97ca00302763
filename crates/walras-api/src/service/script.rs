//! Scripts as jobs: a program that begins with `#!` and says in comments what it needs.
//!
//! Directives stand in lines that begin with `#WALRAS` or `#SBATCH`, up to the first line that is neither a comment nor
//! blank, as Slurm reads them. `#WALRAS` knows the keys of `job/1`. Which of `#SBATCH` are understood, and as what, says the table of
//! [`DIRECTIVES`](super::directive::DIRECTIVES). One that is not known in either is an error. Where both say the same, `#WALRAS` counts, and
//! options of the command line go over both.
//!
//! ```
//! use walras_api::service::{Submitter, read_script};
//! let text = "#!/bin/sh\n#SBATCH --ntasks=2 --time=10\n#WALRAS budget 40\n#SBATCH --wckey=x\necho hello\n";
//! let submitter = Submitter::in_zone(jiff::tz::TimeZone::UTC);
//! let draft = read_script(text.as_bytes(), "hello.sh", &submitter, &[]).unwrap();
//! assert_eq!(draft.left_out()[0].directive, "--wckey=x");
//! let job = draft.finish(walras_model::Time::from_millis(0).unwrap()).unwrap();
//! assert_eq!((&job["tasks"], &job["work"], &job["budget"]), (&2.into(), &600.into(), &40.into()));
//! ```

use super::draft::JobDraft;
use super::job::{JOB_BYTES_MAX, JOB_TAG};
use super::places::Places;
use super::sbatch::{DirectiveLocation, Keys, OPTIONS, Sbatch, refuse};
use super::slurm::{self, Flag};
use super::submitter::Submitter;
use crate::decode::{Document, yaml_options};
use crate::error::ReadError;
use crate::input::Syntax;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The keys whose values are text, whatever they look like.
const TEXTS: [&str; 14] = [
    "array",
    "name",
    "user",
    "deadline",
    "earliest",
    "delay_after",
    "output",
    "error",
    "directory",
    "comment",
    "account",
    "partition",
    "qos",
    "search",
];
/// The others that a directive may give.
const VALUES: [&str; 21] = [
    "rerun",
    "segments",
    "after",
    "together",
    "notify",
    "singleton",
    "held",
    "env",
    "tasks",
    "work",
    "price_max",
    "budget",
    "performance_min",
    "priority",
    "requires",
    "resources",
    "same_site",
    "separate_nodes",
    "prefers",
    "delay_cost",
    "alternatives",
];
/// Lists of names.
const LISTS: [&str; 3] = ["sites", "inputs", "outputs"];

/// Reads a script that somebody submits with these options.
pub fn read_script(
    bytes: &[u8],
    source: &str,
    submitter: &Submitter,
    options: &[Flag],
) -> Result<JobDraft, ReadError> {
    let document = Document::new(bytes, source, Syntax::Yaml, ("walras", JOB_TAG), JOB_BYTES_MAX)?;
    if let Some(line) = document.text.split('\n').position(|line| line.ends_with('\r')) {
        let line = u32::try_from(line + 1).ok();
        let location = DirectiveLocation { source, line };
        let what = "has line breaks of DOS (CR LF), with which nothing finds its program: expected those of Unix (LF), as `dos2unix` makes them";
        return Err(refuse(&location, "script", source, what));
    }
    let mut script =
        Script { source, own: Map::new(), lines: BTreeMap::new(), slurm: Sbatch::new(submitter) };
    for (number, line) in header(document.text) {
        if let Some(directive) = after(line, "#WALRAS") {
            script.walras(directive, number)?;
        } else if let Some(directive) = after(line, "#SBATCH") {
            for flag in slurm::flags(directive) {
                script.slurm.take(&flag, &DirectiveLocation { source, line: Some(number) })?;
            }
        }
    }
    for flag in options {
        script.slurm.take(flag, &OPTIONS)?;
    }
    script.finish(document.text, submitter)
}

/// Whether this is a script that says of itself what it needs.
pub fn has_directives(bytes: &[u8]) -> bool {
    let text = if bytes.starts_with(b"#!") { std::str::from_utf8(bytes).ok() } else { None };
    let says = |(_, line): (u32, &str)| after(line, "#WALRAS").or_else(|| after(line, "#SBATCH")).is_some();
    text.is_some_and(|text| header(text).any(says))
}

/// The lines in which directives may stand, with their numbers.
fn header(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = (1_u32..).zip(text.lines().map(str::trim_end));
    lines.take_while(|(_, line)| line.is_empty() || line.starts_with('#'))
}

/// What follows the word that a directive begins with.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest.trim())
}

struct Script<'a> {
    source: &'a str,
    /// What `#WALRAS` says.
    own: Map<String, Value>,
    /// By key: the line that gave it.
    lines: BTreeMap<String, u32>,
    /// What `#SBATCH` and the options say.
    slurm: Sbatch<'a>,
}

impl Script<'_> {
    fn walras(&mut self, directive: &str, line: u32) -> Result<(), ReadError> {
        let (key, text) = key_and_text(directive);
        let known =
            TEXTS.contains(&key.as_str()) || VALUES.contains(&key.as_str()) || LISTS.contains(&key.as_str());
        if !known {
            let mut all: Vec<&str> = TEXTS.into_iter().chain(VALUES).chain(LISTS).collect();
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

    fn refuse(&self, line: u32, path: &str, value: &str, what: &str) -> ReadError {
        refuse(&DirectiveLocation { source: self.source, line: Some(line) }, path, value, what)
    }

    /// Everything together: options go over `#WALRAS`, that over `#SBATCH`, and all over what follows from the file.
    fn finish(mut self, text: &str, submitter: &Submitter) -> Result<JobDraft, ReadError> {
        let file = self.source.rsplit('/').next().unwrap_or(self.source);
        let mut keys = self.slurm.keys()?;
        let mut fields = Map::new();
        fields.insert("walras".into(), JOB_TAG.into());
        fields.insert("name".into(), file.into());
        fields.append(&mut keys.fields);
        for (key, value) in self.own {
            if !keys.by_option.contains(&key) || matches!(key.as_str(), "requires" | "env") {
                fields.insert(key, value);
            }
        }
        keys.merge(&mut fields);
        fields.insert("script".into(), text.into());
        let mut left_out = self.slurm.left_out;
        left_out.sort_by_key(|left_out| left_out.line);
        let mut lines = keys.lines;
        lines.append(&mut self.lines);
        let (source, zone) = (self.source.to_owned(), Some(submitter.zone.clone()));
        Ok(JobDraft { source, fields, places: Places::Lines(lines), left_out, zone, workflow: None })
    }
}

impl Keys {
    /// Adds requirements and variables to those that a job has itself, which count unless an option says otherwise.
    pub(super) fn merge(&mut self, fields: &mut Map<String, Value>) {
        // What a task takes is asked for once: by the job's own `resources`, or by an option over them.
        if let Some(Value::Object(own)) = fields.get_mut("resources") {
            own.retain(|name, _| !self.by_option.contains(&format!("requires.{name}")));
            self.requires.retain(|name, _| !own.contains_key(name));
        }
        for (key, more) in [("requires", &mut self.requires), ("env", &mut self.env)] {
            match fields.get_mut(key) {
                None if more.is_empty() => {}
                None => {
                    fields.insert(key.to_owned(), std::mem::take(more).into());
                }
                Some(Value::Object(own)) => {
                    for (name, value) in std::mem::take(more) {
                        let by_option = self.by_option.contains(&format!("requires.{name}"))
                            || key == "env" && self.by_option.contains("env");
                        if by_option || !own.contains_key(&name) {
                            own.insert(name, value);
                        }
                    }
                }
                // What is no map is refused with the rest.
                Some(_) => {}
            }
        }
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
        "same_site" | "separate_nodes" | "singleton" | "held" | "rerun" if text.is_empty() => {
            Some(true.into())
        }
        _ if text.is_empty() => None,
        _ if LISTS.contains(&key) && !text.starts_with('[') && !quoted => {
            Some(text.split(',').map(|name| Value::from(name.trim())).collect())
        }
        _ if TEXTS.contains(&key) && !quoted => Some(text.into()),
        _ => serde_saphyr::from_str_with_options(text, yaml_options()).ok(),
    }
}

#[cfg(test)]
mod tests;
