//! What a job waits for, as files and scripts say it.
//!
//! A job names others by number, and elements of arrays as `18_3`. It can only name jobs that are there already, so that no circle can be
//! written down.

use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::scenario::{List, Scalar, quantity};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use walras_broker::gate::{Condition, Dependency, Gate, NeverMet, NoWhich, Which};
use walras_broker::id::JobNumber;
use walras_broker::indices::{BadIndices, Indices};

/// Jobs that must have come so far first, by number; elements of arrays as `18_3`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "After")]
pub(super) struct AfterFile {
    /// These must have ended well.
    #[schemars(with = "List<Scalar>")]
    ok: List<Scalar>,
    /// These must have ended, one way or another.
    #[schemars(with = "List<Scalar>")]
    any: List<Scalar>,
    /// These must have ended, and not well.
    #[schemars(with = "List<Scalar>")]
    failed: List<Scalar>,
    /// These must have begun.
    #[schemars(with = "List<Scalar>")]
    started: List<Scalar>,
}

/// The highest number that a job can have in a file.
const NUMBER_MAX: i64 = 1_000_000_000_000_000;

/// The job that is named.
fn which(named: &Scalar) -> Result<Which, Problem> {
    match named {
        Scalar::Number(number) => {
            let number = quantity::whole(*number, "a job", 1, NUMBER_MAX)?;
            Ok(Which::whole(JobNumber::new(number.unsigned_abs())))
        }
        Scalar::Text(text) => {
            text.parse().map_err(|why: NoWhich| Problem::new(text, format!("names no job: {why}")))
        }
        Scalar::Flag(flag) => Err(Problem::new(&flag.to_string(), format!("names no job: {NoWhich}"))),
    }
}

/// What a job waits for.
pub(super) fn gate(after: Option<AfterFile>, singleton: bool, held: bool) -> Result<Gate, Problem> {
    let file = after.unwrap_or_default();
    let lists = [
        (Condition::Ok, file.ok),
        (Condition::Any, file.any),
        (Condition::Failed, file.failed),
        (Condition::Started, file.started),
    ];
    let mut after = BTreeSet::new();
    for (condition, List(named)) in lists {
        for (index, named) in named.iter().enumerate() {
            let on = which(named).in_item(index).in_field(condition.text()).in_field("after")?;
            after.insert(Dependency { on, condition });
        }
    }
    Ok(Gate { after, singleton, held })
}

/// The elements of an array.
pub(super) fn indices(text: &str) -> Result<Indices, Problem> {
    text.parse().map_err(|why: BadIndices| Problem::new(text, format!("is not an array: {why}")))
}

/// A job whose tasks need not run at once: so many of one task each, with indices from 0 on. A single task is what it is.
pub(super) fn apart(
    tasks: u32,
    array: Option<Indices>,
    workflow: bool,
) -> Result<(u32, Option<Indices>), Problem> {
    if workflow {
        let what = "is for tasks without a workflow: those of one run as it and its nodes allow";
        return Err(Problem::new("false", what)).in_field("together");
    }
    if array.is_some() {
        let what = "makes an array of the tasks: expected no array besides";
        return Err(Problem::new("false", what)).in_field("together");
    }
    match tasks {
        0 | 1 => Ok((tasks, None)),
        _ => Ok((1, Some(indices(&format!("0-{}", tasks - 1)).in_field("tasks")?))),
    }
}

/// What becomes of a job that waits for what can never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NeverMet")]
pub enum NeverMetFile {
    /// It is given up.
    Cancel,
    /// It waits until its user cancels it.
    Wait,
}

impl NeverMetFile {
    pub(super) fn rule(self) -> NeverMet {
        match self {
            NeverMetFile::Cancel => NeverMet::Cancel,
            NeverMetFile::Wait => NeverMet::Wait,
        }
    }

    pub(super) fn of(rule: NeverMet) -> NeverMetFile {
        match rule {
            NeverMet::Cancel => NeverMetFile::Cancel,
            NeverMet::Wait => NeverMetFile::Wait,
        }
    }
}

/// What Slurm's `--dependency` says, as the keys `after` and `singleton` of a job file: `afterok:17:18_3,afterany:19,singleton`. `None` for
/// what is not understood: either of several (`?`), delays (`+5`), pairs of elements (`aftercorr`).
pub(super) fn dependency(text: &str) -> Option<(Map<String, Value>, bool)> {
    let (mut after, mut singleton) = (Map::new(), false);
    for part in text.split(',') {
        if part == "singleton" {
            singleton = true;
            continue;
        }
        let (kind, jobs) = part.split_once(':')?;
        let key = match kind {
            "afterok" => Condition::Ok,
            "afterany" => Condition::Any,
            "afternotok" => Condition::Failed,
            "after" => Condition::Started,
            _ => return None,
        };
        let list = after.entry(key.text()).or_insert_with(|| Value::Array(Vec::new()));
        for job in jobs.split(':') {
            job.parse::<Which>().ok()?;
            list.as_array_mut()?.push(job.into());
        }
    }
    Some((after, singleton))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_as_slurm_has_them() {
        let shown = |text| dependency(text).map(|(after, alone)| (Value::from(after).to_string(), alone));
        let cases = [
            ("afterok:17", Some((r#"{"ok":["17"]}"#, false))),
            ("afterok:17:18_3,afterok:4", Some((r#"{"ok":["17","18_3","4"]}"#, false))),
            (
                "after:1,afternotok:2,afterany:3",
                Some((r#"{"any":["3"],"failed":["2"],"started":["1"]}"#, false)),
            ),
            ("singleton", Some(("{}", true))),
            ("afterok:1,singleton", Some((r#"{"ok":["1"]}"#, true))),
            ("afterok:1?afterok:2", None),
            ("after:1+5", None),
            ("aftercorr:1", None),
            ("afterok", None),
            ("afterok:", None),
            ("afterok:-1", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(after, alone): (&str, bool)| (after.to_owned(), alone));
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
