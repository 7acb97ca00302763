//! What can be submitted at all: names of a sensible length, jobs that some market could serve.

use super::files;
use super::gating::check_gate;
use super::predicting::unknown_criterion;
use crate::model::input::Refusal;
use crate::model::job::{JobSearch, JobSpec, is_output_name};
use crate::model::limits::NAME_MAX;
use crate::model::particulars::{COMMENT_MAX, ENV_MAX, Particulars, is_directory_name};
use crate::model::refusal::{BadJob, BadName};
use crate::model::state::State;
use walras_core::{Algorithm, Criterion};
use walras_model::Money;

/// A command has at most so many arguments, and so many bytes.
const COMMAND_MAX: usize = 100_000;

/// A workflow has at most so many tasks.
const TASKS_MAX: usize = 100_000;

/// A script has at most so many bytes.
const SCRIPT_MAX: usize = 1_000_000;

/// Whether a job can be taken.
pub(crate) fn check_job(state: &State, spec: &JobSpec) -> Result<(), Refusal> {
    check_name(&spec.request.name)?;
    state.users.get(spec.user.as_str()).ok_or_else(|| Refusal::NoUser(spec.user.clone()))?;
    let bad = |why: BadJob| Err(Refusal::BadJob(why));
    let request = &spec.request;
    if request.tasks == 0 {
        return bad(BadJob::NoTasks);
    }
    if let Some(budget) = request.budget.filter(|budget| *budget < Money::ZERO) {
        return bad(BadJob::NegativeBudget(budget));
    }
    if let Some(delay) = spec.delay.filter(|delay| delay.per_hour < Money::ZERO) {
        return bad(BadJob::NegativeDelayCost(delay.per_hour));
    }
    check_program(&spec.command, spec.script.as_deref()).map_err(Refusal::BadJob)?;
    if let Some(output) = spec.output.as_ref().filter(|output| !is_output_name(output)) {
        return bad(BadJob::BadOutput(output.chars().take(NAME_MAX).collect()));
    }
    check_particulars(&spec.particulars).map_err(Refusal::BadJob)?;
    if let Some(address) = spec.notify.as_ref().and_then(|notify| notify.bad_address()) {
        return bad(BadJob::BadAddress(address.chars().take(NAME_MAX).collect()));
    }
    files::check(spec).map_err(Refusal::BadJob)?;
    if let Some(criterion) = unknown_criterion(state, spec) {
        return bad(BadJob::UnknownOfJobs(criterion));
    }
    if let Some(search) = &spec.search {
        check_search(search).map_err(Refusal::BadJob)?;
    }
    let named = request.scope.sites.iter().flatten();
    if let Some(site) = named.copied().find(|site| state.site(*site).is_none()) {
        return bad(BadJob::NoSite(site));
    }
    check_gate(state, spec)?;
    if let Some(workflow) = &spec.workflow {
        // Each node of a task has a part of its own.
        let parts = workflow.workflow.tasks().iter().map(|task| u64::from(task.nodes));
        let tasks = usize::try_from(parts.sum::<u64>()).unwrap_or(usize::MAX);
        if tasks > TASKS_MAX {
            return bad(BadJob::TooManyTasks { tasks, most: TASKS_MAX });
        }
        if workflow.strategy.needs_deadline() && request.deadline.is_none() {
            return bad(BadJob::NeedsDeadline);
        }
        if workflow.strategy.needs_budget() && request.budget.is_none() && request.price_max.is_none() {
            return bad(BadJob::NeedsBudget);
        }
    }
    Ok(())
}

/// Whether a command and a script are of a sensible size.
pub(super) fn check_program(command: &[String], script: Option<&str>) -> Result<(), BadJob> {
    if command.len() > COMMAND_MAX {
        return Err(BadJob::TooManyArguments { arguments: command.len(), most: COMMAND_MAX });
    }
    let bytes = command.iter().map(String::len).sum::<usize>();
    if bytes > COMMAND_MAX {
        return Err(BadJob::CommandTooLong { bytes, most: COMMAND_MAX });
    }
    match script.map(str::len).filter(|bytes| *bytes > SCRIPT_MAX) {
        Some(bytes) => Err(BadJob::ScriptTooLong { bytes, most: SCRIPT_MAX }),
        None => Ok(()),
    }
}

/// Whether a machine could set its programs up like this.
pub(super) fn check_particulars(said: &Particulars) -> Result<(), BadJob> {
    let short = |text: &str| text.chars().take(NAME_MAX).collect::<String>();
    if let Some(name) = said.bad_variable() {
        return Err(BadJob::BadVariable(short(name)));
    }
    let bytes = said.env_bytes();
    if bytes > ENV_MAX {
        return Err(BadJob::EnvironmentTooLarge { bytes, most: ENV_MAX });
    }
    if let Some(error) = said.error.as_ref().filter(|error| !is_output_name(error)) {
        return Err(BadJob::BadOutput(short(error)));
    }
    if let Some(directory) = said.directory.as_ref().filter(|it| !is_directory_name(it)) {
        return Err(BadJob::BadDirectory(short(directory)));
    }
    match said.comment.as_ref().map(String::len).filter(|bytes| *bytes > COMMENT_MAX) {
        Some(bytes) => Err(BadJob::CommentTooLong { bytes, most: COMMENT_MAX }),
        None => Ok(()),
    }
}

/// Whether a job's own search can find anything.
fn check_search(search: &JobSearch) -> Result<(), BadJob> {
    if search.alternatives == 0 {
        return Err(BadJob::NoAlternatives);
    }
    match &search.algorithm {
        Algorithm::Criterion(Criterion::Attribute(name)) if name.len() > NAME_MAX => {
            Err(BadJob::LongCriterion { bytes: name.len(), most: NAME_MAX })
        }
        Algorithm::Alp | Algorithm::Amp | Algorithm::Criterion(_) => Ok(()),
    }
}

/// A name that is neither empty nor too long.
pub(crate) fn check_name(text: &str) -> Result<(), Refusal> {
    let fault = if text.is_empty() {
        BadName::Empty
    } else if text.len() > NAME_MAX {
        BadName::TooLong { bytes: text.len(), most: NAME_MAX }
    } else if text.chars().any(char::is_control) {
        BadName::Control
    } else {
        return Ok(());
    };
    Err(Refusal::BadName { name: text.chars().take(NAME_MAX).collect(), fault })
}
