//! What the tasks of a workflow run, and which files pass between them.
//!
//! All tasks of one run of a workflow share a directory on each site: what one writes there the next reads. Files are named by their path in
//! it, which never leads out of it. A file that a task reads is written by another task, or comes with the job.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use walras_model::TaskId;

/// The name of a file has at most so many bytes.
pub const FILE_NAME_MAX: usize = 500;
/// A task reads and writes at most so many files.
pub const FILES_MAX: usize = 10_000;
/// What a file is called while it is written; no task has files of such names.
pub const DRAFT_PREFIX: &str = ".walras-";

/// What one task of a workflow runs, where that is not what its job says for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskProgram {
    /// An argument vector; the arguments of the script, where there is one. The job's, where neither is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The text of a program that begins with `#!`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Variables of its environment, over those of the job.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The files that must be there before it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// The files that are there when it has ended well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
}

impl TaskProgram {
    /// Whether it says nothing.
    pub fn is_plain(&self) -> bool {
        *self == TaskProgram::default()
    }

    /// Whether it runs something of its own.
    pub fn runs(&self) -> bool {
        !self.command.is_empty() || self.script.is_some()
    }

    /// About as much as it takes to keep, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        const EACH: usize = 40;
        let texts = self.command.iter().chain(&self.inputs).chain(&self.outputs).chain(&self.script);
        let env = self.env.iter().map(|(name, value)| name.len() + value.len() + EACH);
        texts.map(|text| text.len() + EACH).sum::<usize>() + env.sum::<usize>()
    }
}

/// Whether a name is a path inside a directory, whatever is there: relative, without `.` and `..`, and none of the names that files have
/// while they are written.
///
/// ```
/// use walras_broker::program::is_inside;
/// assert!(is_inside("images/m31.fits"));
/// assert!(!is_inside("../m31.fits") && !is_inside("/etc/passwd") && !is_inside("images//m31.fits"));
/// ```
pub fn is_inside(name: &str) -> bool {
    let plain =
        |step: &str| !step.is_empty() && step != "." && step != ".." && !step.starts_with(DRAFT_PREFIX);
    name.len() <= FILE_NAME_MAX && !name.chars().any(char::is_control) && name.split('/').all(plain)
}

/// A file of a workflow that two tasks write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two tasks write {0}")]
pub struct WrittenTwice<'a>(pub &'a str);

/// Who writes each file of a workflow. Time O(files · log files).
pub fn producers(programs: &[TaskProgram]) -> Result<BTreeMap<&str, TaskId>, WrittenTwice<'_>> {
    let mut producers = BTreeMap::new();
    for (index, program) in programs.iter().enumerate() {
        for file in &program.outputs {
            let task = TaskId::from_index(index).expect("a workflow has no more tasks than there are ids");
            if producers.insert(file.as_str(), task).is_some() {
                return Err(WrittenTwice(file));
            }
        }
    }
    Ok(producers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for good in ["a", "a.b", ".hidden", "a/b/c", "ä ö", "a..b", "...", "a\\b"] {
            assert!(is_inside(good), "{good}");
        }
        let long = "a".repeat(FILE_NAME_MAX + 1);
        for bad in
            ["", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\n", ".walras-x", &long]
        {
            assert!(!is_inside(bad), "{bad}");
        }
    }

    #[test]
    fn a_file_is_written_by_one_task() {
        let writes = |files: &[&str]| TaskProgram {
            outputs: files.iter().map(|file| (*file).to_owned()).collect(),
            ..TaskProgram::default()
        };
        let (one, two) = (writes(&["a", "b"]), writes(&["c"]));
        let all = [one.clone(), two];
        let found = producers(&all).unwrap();
        assert_eq!(found.get("c"), Some(&TaskId::new(1)));
        assert_eq!(found.len(), 3);
        assert_eq!(producers(&[one, writes(&["b"])]), Err(WrittenTwice("b")));
    }
}
