//! The files of a job: names that stay inside its directory, one writer each, and somebody who brings what is read.

use super::submission::{check_particulars, check_program};
use crate::model::job::{JobSpec, WorkflowSpec};
use crate::model::limits::NAME_MAX;
use crate::model::particulars::Particulars;
use crate::model::program::{FILES_MAX, TaskProgram, WrittenTwice, is_inside, producers};
use crate::model::refusal::BadJob;
use std::collections::{BTreeMap, BTreeSet};
use walras_model::TaskId;

/// All files that come with a job have at most so many bytes.
pub const FILES_BYTES_MAX: usize = 4 << 20;

/// Whether the files of a job and of its tasks can be brought where they are wanted. Time O(files · log files + edges).
pub(crate) fn check(spec: &JobSpec) -> Result<(), BadJob> {
    let said = &spec.particulars;
    names(said.inputs.keys().chain(&said.outputs))?;
    let bytes = said.input_bytes();
    if bytes > FILES_BYTES_MAX {
        return Err(BadJob::FilesTooLarge { bytes, most: FILES_BYTES_MAX });
    }
    let Some(workflow) = &spec.workflow else { return Ok(()) };
    let (programs, most) = (workflow.programs.len(), workflow.workflow.tasks().len());
    if programs > most {
        return Err(BadJob::TooManyPrograms { programs, most });
    }
    for program in &workflow.programs {
        check_program(&program.command, program.script.as_deref())?;
        check_particulars(&Particulars { env: program.env.clone(), ..Particulars::default() })?;
        names(program.inputs.iter().chain(&program.outputs))?;
    }
    sources(workflow, said)
}

fn names<'a>(files: impl Iterator<Item = &'a String>) -> Result<(), BadJob> {
    let mut count = 0;
    for file in files {
        if !is_inside(file) {
            return Err(BadJob::OutsideFile(short(file)));
        }
        count += 1;
    }
    if count > FILES_MAX { Err(BadJob::TooManyFiles { files: count, most: FILES_MAX }) } else { Ok(()) }
}

fn short(name: &str) -> String {
    name.chars().take(NAME_MAX).collect()
}

/// Whether every file that a task reads is written by a task that it waits for, or comes with the job.
fn sources(workflow: &WorkflowSpec, said: &Particulars) -> Result<(), BadJob> {
    let writers =
        producers(&workflow.programs).map_err(|WrittenTwice(file)| BadJob::WrittenTwice(short(file)))?;
    if let Some(file) = said.inputs.keys().find(|file| writers.contains_key(file.as_str())) {
        return Err(BadJob::WrittenTwice(short(file)));
    }
    let mut before: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
    for edge in workflow.workflow.edges() {
        before.entry(edge.to).or_default().insert(edge.from);
    }
    let reads = |(index, program): (usize, &TaskProgram)| {
        let task = TaskId::from_index(index)?;
        let unknown = program.inputs.iter().find(|file| match writers.get(file.as_str()) {
            Some(writer) => !before.get(&task).is_some_and(|before| before.contains(writer)),
            None => !said.inputs.contains_key(*file),
        });
        unknown.map(|file| BadJob::NoSource(short(file)))
    };
    let wrong = workflow.programs.iter().enumerate().find_map(reads);
    let missing = said.outputs.iter().find(|file| !writers.contains_key(file.as_str()));
    let missing = missing.map(|file| BadJob::NoSource(short(file)));
    wrong.or(missing).map_or(Ok(()), Err)
}
