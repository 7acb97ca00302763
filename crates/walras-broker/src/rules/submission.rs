//! What can be submitted at all: names of a sensible length, jobs that some market could serve.

use crate::model::input::Refusal;
use crate::model::job::{JobSpec, is_plain_name};
use crate::model::limits::NAME_MAX;
use crate::model::state::State;
use walras_model::{Money, SiteId};

/// A command has at most so many arguments, and so many bytes.
const COMMAND_MAX: usize = 100_000;

/// A workflow has at most so many tasks.
const TASKS_MAX: usize = 100_000;

/// A script has at most so many bytes.
const SCRIPT_MAX: usize = 1_000_000;

/// Whether a job makes sense.
pub(crate) fn check_job(state: &State, spec: &JobSpec) -> Result<(), Refusal> {
    check_name(&spec.request.name)?;
    state.users.get(spec.user.as_str()).ok_or_else(|| Refusal::NoUser(spec.user.clone()))?;
    let bad = |why: &str| Err(Refusal::BadJob(why.to_owned()));
    let request = &spec.request;
    if request.tasks == 0 {
        return bad("it has no tasks");
    }
    if request.budget.is_some_and(|budget| budget < Money::ZERO) {
        return bad("its budget is negative");
    }
    if spec.command.len() > COMMAND_MAX || spec.command.iter().map(String::len).sum::<usize>() > COMMAND_MAX {
        return bad("its command is too long");
    }
    if spec.script.as_ref().is_some_and(|script| script.len() > SCRIPT_MAX) {
        return bad("its script is too long");
    }
    if spec.output.as_ref().is_some_and(|output| !is_plain_name(output)) {
        return bad("its output is not the plain name of a file");
    }
    let unknown = |site: &SiteId| state.site(*site).is_none();
    if request.scope.sites.as_ref().is_some_and(|sites| sites.iter().any(unknown)) {
        return bad("it names a site that is not there");
    }
    if let Some(workflow) = &spec.workflow {
        if workflow.workflow.tasks().len() > TASKS_MAX {
            return bad("its workflow has too many tasks");
        }
        if workflow.strategy.needs_deadline() && request.deadline.is_none() {
            return bad("its strategy needs a deadline");
        }
        if workflow.strategy.needs_budget() && request.budget.is_none() && request.price_max.is_none() {
            return bad("its strategy needs a budget");
        }
    }
    Ok(())
}

/// A name that is neither empty nor too long.
pub(crate) fn check_name(text: &str) -> Result<(), Refusal> {
    let fine = !text.is_empty() && text.len() <= NAME_MAX && !text.chars().any(char::is_control);
    if fine { Ok(()) } else { Err(Refusal::BadName(text.chars().take(NAME_MAX).collect())) }
}
