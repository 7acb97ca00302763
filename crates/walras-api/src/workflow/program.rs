//! What tasks run, and the files that pass between them: as a file says it, checked and joined.
//!
//! A file that one task writes and another reads joins the two: where a file of ours gives no edge between them, there is one without a
//! size. Of other formats only files between tasks count, since nobody says where the rest is.

use super::draft::{Draft, DraftEdge, DraftLocation, refuse};
use super::warning::ReadWarnings;
use crate::error::{Problem, ReadError, Within, echo};
use std::collections::{BTreeMap, BTreeSet};
use walras_broker::program::{FILES_MAX, TaskProgram, is_inside};
use walras_model::{Data, Workflow};

/// A workflow, and what its tasks run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// The workflow.
    pub workflow: Workflow,
    /// What each task runs, in the order of the tasks; empty where none says so.
    pub programs: Vec<TaskProgram>,
}

/// Whether a machine could run it: words that a system takes, a script that says by what it is run.
pub(crate) fn check_program(command: &[String], script: Option<&str>) -> Result<(), Problem> {
    if let Some(argument) = command.iter().find(|argument| argument.contains('\0')) {
        let what = "is not an argument: it must not contain the character 0";
        return Err(Problem::new(argument, what)).in_field("command");
    }
    // Of a script these are its arguments, which may be empty; by itself the first is a program.
    if script.is_none() && command.first().is_some_and(String::is_empty) {
        return Err(Problem::new("", "is not a program: it must not be empty")).in_field("command");
    }
    if let Some(script) = script.filter(|script| !script.starts_with("#!")) {
        let first = script.lines().next().unwrap_or_default();
        return Err(Problem::new(first, "is not how a script begins: expected `#!` and a program"))
            .in_field("script");
    }
    Ok(())
}

/// What a name of a file must be.
const INSIDE: &str = "is not a file in the job's directory: expected a relative path without . and .., \
                      at most 500 bytes, such as images/m31.fits";

/// Whether the files stand inside the directory, each once.
pub(crate) fn check_files<'a>(files: impl IntoIterator<Item = &'a String>) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for (index, file) in files.into_iter().enumerate() {
        if !is_inside(file) {
            return Err(Problem::new(file, INSIDE)).in_item(index);
        }
        if !seen.insert(file) {
            return Err(Problem::new(file, "is there twice: give it once")).in_item(index);
        }
        if seen.len() > FILES_MAX {
            return Err(Problem::new(file, format!("is one too many: expected at most {FILES_MAX} files")));
        }
    }
    let seen: BTreeSet<&str> = seen.into_iter().map(String::as_str).collect();
    match seen.iter().find_map(|file| Some((file, directories(file).find(|above| seen.contains(above))?))) {
        Some((file, above)) => Err(Problem::new(file, in_a_file(above))),
        None => Ok(()),
    }
}

/// The directories that a file lies in, by their paths.
fn directories(file: &str) -> impl Iterator<Item = &str> {
    file.match_indices('/').map(|(at, _)| file.get(..at).unwrap_or_default())
}

/// Why there can be no file below what is one itself.
fn in_a_file(above: &str) -> String {
    format!("cannot be there beside {}: that would be a directory and a file", echo(above))
}

impl Draft<'_> {
    /// The workflow with what its tasks run and what was assumed, or what is wrong and where.
    pub(super) fn finish_runnable(mut self) -> Result<(Runnable, ReadWarnings), ReadError> {
        let mut programs = std::mem::take(&mut self.programs);
        if programs.iter().all(TaskProgram::is_plain) {
            programs.clear();
        }
        let names: BTreeSet<(&str, &str)> =
            self.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
        let more = self.joined(&programs, &names)?;
        self.edges.extend(more);
        let (workflow, warnings) = self.finish_lenient()?;
        Ok((Runnable { workflow, programs }, warnings))
    }

    /// The edges that follow from files and stand nowhere else.
    fn joined(
        &self,
        programs: &[TaskProgram],
        known: &BTreeSet<(&str, &str)>,
    ) -> Result<Vec<DraftEdge>, ReadError> {
        let mut writers: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, program) in programs.iter().enumerate() {
            for file in &program.outputs {
                if writers.insert(file, index).is_some() {
                    let what = "is written by two tasks: expected one";
                    return Err(refuse(self.source, &self.location(index, "outputs"), file, what));
                }
            }
        }
        for (file, index) in &writers {
            if let Some(above) = directories(file).find(|above| writers.contains_key(above)) {
                return Err(refuse(self.source, &self.location(*index, "outputs"), file, &in_a_file(above)));
            }
        }
        let name = |index: usize| self.tasks.get(index).map_or("", |(task, _)| task.name.as_str());
        let mut edges = BTreeMap::new();
        for (index, program) in programs.iter().enumerate() {
            for file in &program.inputs {
                let Some(writer) = writers.get(file.as_str()).copied() else { continue };
                let location = self.location(index, "inputs");
                if writer == index {
                    let what = "is read and written by one task: expected two names";
                    return Err(refuse(self.source, &location, file, what));
                }
                let (from, to) = (name(writer), name(index));
                if !known.contains(&(from, to)) {
                    let (from, to) = (from.to_owned(), to.to_owned());
                    edges.insert((writer, index), DraftEdge { from, to, data: Data::ZERO, location });
                }
            }
        }
        Ok(edges.into_values().collect())
    }

    fn location(&self, index: usize, field: &str) -> DraftLocation {
        let location = self.tasks.get(index).map(|(_, location)| location.clone()).unwrap_or_default();
        let path =
            if location.position.is_none() { format!("{}.{field}", location.path) } else { location.path };
        DraftLocation { path, ..location }
    }

    /// The tasks of another format: only files between tasks are kept, and those must stay inside.
    pub(super) fn finish_foreign(mut self) -> Result<(Runnable, ReadWarnings), ReadError> {
        if let Some(error) = self.unrunnable.take() {
            return Err(error);
        }
        let written: BTreeSet<String> =
            self.programs.iter().flat_map(|program| program.outputs.iter().cloned()).collect();
        for (index, program) in self.programs.iter_mut().enumerate() {
            let own: BTreeSet<&String> = program.outputs.iter().collect();
            let between = |file: &String| written.contains(file) && !own.contains(file);
            program.inputs = program.inputs.iter().filter(|file| between(file)).cloned().collect();
            let (inputs, outputs) = (&program.inputs, &program.outputs);
            let bad = check_files(inputs).in_field("inputs").and(check_files(outputs).in_field("outputs"));
            let bad = bad.and(check_program(&program.command, program.script.as_deref()));
            if let Err(problem) = bad {
                let location =
                    self.tasks.get(index).map(|(_, location)| location.clone()).unwrap_or_default();
                return Err(refuse(self.source, &location, &problem.value, &problem.what));
            }
        }
        self.finish_runnable()
    }
}
