//! Whether a job makes sense by itself: names, programs, files.

use super::JobFile;
use crate::error::{Problem, ReadError, Within};
use crate::scenario::{jobs, quantity};
use crate::workflow::{check_files, check_program};
use std::collections::BTreeSet;
use walras_broker::job::{JobSpec, WorkflowSpec, is_output_name};
use walras_broker::particulars::{COMMENT_MAX, is_directory_name};
use walras_broker::program::producers;
use walras_core::refine::Strategy;

/// Whether what a job asks of resources that some node counts is something; `source` names it in errors.
pub fn check_amounts(
    spec: &JobSpec,
    is_counted: impl Fn(&str) -> bool,
    source: &str,
) -> Result<(), ReadError> {
    jobs::amounts(&spec.request.requires, is_counted).map_err(|problem| problem.into_error(source))
}

impl JobFile {
    /// Whether everything that it names could be called so.
    pub(super) fn names(&self) -> Result<(), Problem> {
        quantity::name(&self.name, "a job").in_field("name")?;
        if let Some(user) = &self.user {
            quantity::name(user, "a user").in_field("user")?;
        }
        for (index, site) in self.sites.iter().flat_map(|sites| &sites.0).enumerate() {
            quantity::name(site, "a site").in_item(index).in_field("sites")?;
        }
        Ok(())
    }

    /// The strategy that it asks for, beside what that needs.
    pub(super) fn strategy_asked_for(&self) -> Result<Option<Strategy>, Problem> {
        let fastest = if self.budget.is_some() { jobs::Fastest::Paid } else { jobs::Fastest::Unpaid };
        let strategy = jobs::strategy(self.strategy.as_deref(), self.workflow.is_some(), fastest)?;
        let open_ended = strategy.filter(|strategy| strategy.needs_deadline() && self.deadline.is_none());
        match (open_ended, &self.strategy) {
            (Some(_), Some(name)) => {
                Err(Problem::new(name, "needs a `deadline`, by when all of it must have ended"))
                    .in_field("strategy")
            }
            (_, _) => Ok(strategy),
        }
    }

    /// Whether there is time between when it may start and when it must have ended.
    pub(super) fn times(&self) -> Result<(), Problem> {
        match (self.earliest, self.deadline) {
            (Some(earliest), Some(deadline)) if earliest >= deadline => {
                let what = format!("is not before the `deadline`, {deadline}: nothing can run between them");
                Err(Problem::new(&earliest.to_string(), what)).in_field("earliest")
            }
            (_, _) => Ok(()),
        }
    }

    /// Whether a machine could run it.
    pub(super) fn runnable(&self) -> Result<(), Problem> {
        check_program(&self.command, self.script.as_deref())?;
        let inputs = self.inputs.iter().flat_map(|entries| &entries.0);
        check_files(inputs.clone().map(|(name, _)| name)).in_field("inputs")?;
        for (name, text) in inputs {
            if !is_base64(text) {
                return Err(Problem::new(text, "is not base64: expected what is in the file, in that code"))
                    .in_field(name)
                    .in_field("inputs");
            }
        }
        check_files(&self.outputs).in_field("outputs")?;
        for (key, name) in [("output", &self.output), ("error", &self.error)] {
            if let Some(name) = name.as_deref().filter(|name| !is_output_name(name)) {
                let what = "is not a file in the job's directory: expected a relative path such as logs/%j.out, no dot at the \
                            begin of a name, at most 200 bytes; or /dev/null";
                return Err(Problem::new(name, what)).in_field(key);
            }
        }
        if let Some(directory) = self.directory.as_deref().filter(|it| !is_directory_name(it)) {
            let what = "is not a directory on a site: expected an absolute path, such as /scratch/ada";
            return Err(Problem::new(directory, what)).in_field("directory");
        }
        if let Some(comment) = self.comment.as_deref().filter(|comment| comment.len() > COMMENT_MAX) {
            let what = format!("is longer than {COMMENT_MAX} bytes");
            return Err(Problem::new(comment, what)).in_field("comment");
        }
        Ok(())
    }
}

/// Whether a text is base64 with padding, in letters of the usual alphabet.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(known)
}

/// Whether every file that a task reads is written by a task or comes with the job, and those that are wanted back are written.
pub(super) fn sources(
    workflow: Option<&WorkflowSpec>,
    inputs: &[(String, String)],
    outputs: &[String],
) -> Result<(), Problem> {
    let Some(workflow) = workflow else { return Ok(()) };
    let Ok(writers) = producers(&workflow.programs) else { return Ok(()) };
    let brought: BTreeSet<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
    for (index, program) in workflow.programs.iter().enumerate() {
        let known = |file: &str| writers.contains_key(file) || brought.contains(file);
        if let Some((place, file)) = program.inputs.iter().enumerate().find(|(_, file)| !known(file)) {
            let what = "is written by no task: expected the output of a task, or one of the job's inputs";
            let wrong = Err(Problem::new(file, what)).in_item(place).in_field("inputs");
            return wrong.in_item(index).in_field("tasks").in_field("workflow");
        }
    }
    if let Some(file) = brought.iter().find(|file| writers.contains_key(**file)) {
        return Err(Problem::new(file, "is written by a task too: expected one place where it comes from"))
            .in_field("inputs");
    }
    match outputs.iter().enumerate().find(|(_, file)| !writers.contains_key(file.as_str())) {
        Some((place, file)) => {
            let what = "is written by no task: expected the output of a task";
            Err(Problem::new(file, what)).in_item(place).in_field("outputs")
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_amounts, is_base64};
    use crate::service::read_job;
    use std::collections::BTreeMap;

    /// What no node counts is a test, which any number may be.
    #[test]
    fn nothing_is_no_amount_of_what_nodes_count() {
        let check = |amount: &str, counted: bool| {
            let text = format!(
                r#"{{"walras": "job/1", "name": "j", "work": 1, "requires": {{"cores": {amount}}}}}"#
            );
            let spec = read_job(text.as_bytes(), "body").unwrap().into_spec("ada", &BTreeMap::new(), "body");
            check_amounts(&spec.unwrap(), |name| counted && name == "cores", "body")
        };
        let wrong = check("-4", true).unwrap_err().to_string();
        assert!(wrong.contains("requires.cores: -4 is not an amount of a resource"), "{wrong}");
        assert!(check("0", true).is_err() && check(r#"{"min": -4}"#, true).is_err());
        assert!(check("2", true).is_ok() && check("-4", false).is_ok());
    }

    #[test]
    fn texts_in_that_code() {
        assert!(["", "aGk=", "aGkh", "aA=="].iter().all(|good| is_base64(good)));
        assert!(["a", "aGk", "a===", "aG k", "=aGk"].iter().all(|bad| !is_base64(bad)));
    }
}
