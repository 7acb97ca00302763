//! Jobs on their way in: read, with what their words mean here, and whether they could run at all.

use super::App;
use super::admin::seen_name;
use super::fault::Fault;
use crate::notice::config::{Untold, settle};
use crate::token::Caller;
use axum::body::Bytes;
use axum::http::StatusCode;
use walras_api::sentence::{beyond_share_text, unmet_task_text, unmet_text};
use walras_api::service::{Role, Stamp, check_amounts, read_job};
use walras_api::{Num, ReadError, echo};
use walras_broker::State as Known;
use walras_broker::fitting::{beyond_budget, beyond_share, fitting, is_never_met, unmet_task};
use walras_broker::input::RequestKey;
use walras_broker::job::JobSpec;
use walras_broker::program::TaskProgram;
use walras_model::SiteId;

/// What is behind sites on which nothing really runs.
const SIMULATED: &str = "simulated";

/// The job that a request carries, as the broker takes it. A workflow of thousands of tasks takes its time to be read, and so on a thread
/// that may take it.
pub(super) async fn spec(app: &App, caller: &Caller, bytes: &Bytes) -> Result<JobSpec, Fault> {
    noted_spec(app, caller, bytes).await.map(|(spec, _)| spec)
}

/// The same, with what should be said to whoever sent it.
pub(super) async fn noted_spec(
    app: &App,
    caller: &Caller,
    bytes: &Bytes,
) -> Result<(JobSpec, Vec<String>), Fault> {
    let (service, caller, bytes) = (app.clone(), caller.clone(), bytes.clone());
    app.handle.ask(move |state, _| read_spec(&service, state, &caller, &bytes)).await?
}

fn read_spec(
    app: &App,
    state: &Known,
    caller: &Caller,
    bytes: &Bytes,
) -> Result<(JobSpec, Vec<String>), Fault> {
    let file = read_job(bytes, "body")?;
    let user = match (caller.role, file.user()) {
        (Role::Administrator, Some(user)) => user.to_owned(),
        (Role::Administrator, None) => {
            return Err(Fault::bad("body: user: it is missing: an administrator must say whose job it is"));
        }
        (_, Some(user)) if user != caller.name => {
            return Err(Fault::forbidden("a user may only submit jobs of their own"));
        }
        _ => caller.name.clone(),
    };
    let group = state.users.get(user.as_str()).and_then(|known| known.user.group.as_deref());
    let unfit = |error: ReadError| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-job", error.to_string());
    let file = app.words.apply(file, group, "body").map_err(unfit)?;
    let mut spec = file.into_spec(&user, &app.sites().names, "body").map_err(unfit)?;
    let is_counted = |name: &str| {
        let mut nodes = state.sites.iter().flat_map(|site| &site.spec.nodes);
        nodes.any(|node| node.division.resources().contains_key(name))
    };
    check_amounts(&spec, is_counted, "body").map_err(unfit)?;
    seen_name(&spec.request.name, "body: name:")?;
    let notes = told(app, &mut spec)?;
    Ok((spec, notes))
}

/// Who is told of the job is settled by what the service can do, and may.
fn told(app: &App, spec: &mut JobSpec) -> Result<Vec<String>, Fault> {
    let Some(notify) = spec.notify.as_deref_mut() else { return Ok(Vec::new()) };
    let (mail, webhooks) = &app.letters;
    let untold = settle(mail.as_ref(), webhooks, &spec.user, notify).map_err(|refused| {
        let message = format!("body: notify.{}: {}", refused.field, refused.text);
        Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "not-allowed", message)
    })?;
    if !notify.is_for_somebody() {
        spec.notify = None;
    }
    let note = untold.map(|untold| match untold {
        Untold::NoMail => "nobody is told by mail: this service sends none",
        Untold::NoAddress => "nobody is told by mail: this service does not know your address; give one",
    });
    Ok(note.map(str::to_owned).into_iter().collect())
}

/// Whether a request was made under this key before.
pub(super) async fn is_repeated(app: &App, by: &str, key: &str) -> bool {
    let key = RequestKey { by: by.to_owned(), key: key.to_owned() };
    app.handle.ask(move |state, _| state.requests.contains_key(&key)).await.unwrap_or(false)
}

/// Refuses a job whose deadline has passed already.
pub(super) async fn timely(app: &App, spec: &JobSpec) -> Result<(), Fault> {
    let Some(deadline) = spec.request.deadline else { return Ok(()) };
    let now = app.handle.ask(|_, now| now).await?;
    if deadline > now {
        return Ok(());
    }
    let (deadline, now) = (Stamp::from(deadline), Stamp::from(now));
    let text = format!("body: deadline: {deadline} has passed: it is {now} here");
    Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "past-deadline", text))
}

/// Refuses an array that its budget cannot pay whatever the hour.
pub(super) async fn payable(app: &App, spec: &JobSpec) -> Result<(), Fault> {
    let job = spec.clone();
    let beyond = app.handle.ask(move |state, now| beyond_budget(state, now, &job)).await?;
    let (Some(least), Some(array), Some(budget)) = (beyond, &spec.array, spec.request.budget) else {
        return Ok(());
    };
    let text = format!(
        "body: budget: {} credits do not pay all {} elements, which cost {} credits or more on any nodes at any hour",
        Num::of_money(budget),
        array.count(),
        Num::of_money(least),
    );
    Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "over-budget", text))
}

/// What of a job runs nothing: the job, or a task of its workflow and where it stands.
fn runs_nothing(job: &JobSpec) -> Option<String> {
    if job.script.is_some() || !job.command.is_empty() {
        return None;
    }
    let Some(of) = &job.workflow else { return Some("the job".to_owned()) };
    let runs = |index: usize| of.programs.get(index).is_some_and(TaskProgram::runs);
    let (index, task) = of.workflow.tasks().iter().enumerate().find(|(index, _)| !runs(*index))?;
    Some(format!("body: workflow.tasks[{index}]: task {}", echo(&task.name)))
}

/// Refuses a workflow of which no plan could ever place a task, for a quote: of all of it by itself something else would be said.
pub(super) async fn placeable(app: &App, spec: &JobSpec) -> Result<(), Fault> {
    if spec.workflow.is_none() {
        return Ok(());
    }
    let job = spec.clone();
    let unmet = move |state: &Known| Some(unmet_task_text(state, &unmet_task(state, &job)?));
    match app.handle.ask(move |state, _| unmet(state).filter(|_| !state.sites.is_empty())).await? {
        Some(text) => Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "never-met", text)),
        None => Ok(()),
    }
}

/// Refuses what could never run: more than all nodes that are what it asks for, or nothing where something would really be run.
pub(super) async fn possible(app: &App, spec: &JobSpec) -> Result<(), Fault> {
    let sites = app.sites();
    let real = move |site: SiteId| sites.connectors.get(site.index()).is_some_and(|kind| kind != SIMULATED);
    let job = spec.clone();
    let wrong = app.handle.ask(move |state, _| {
        if state.sites.is_empty() {
            return None;
        }
        let fitting = fitting(state, &job);
        if is_never_met(&job, &fitting) {
            return Some(("never-met", unmet_text(state, &job, &fitting)));
        }
        if let Some((needed, most)) = beyond_share(state, &job) {
            return Some(("never-met", beyond_share_text(&job, needed, most)));
        }
        if let Some(unmet) = unmet_task(state, &job) {
            return Some(("never-met", unmet_task_text(state, &unmet)));
        }
        let who = runs_nothing(&job)?;
        let site = fitting.iter().find(|it| real(it.site)).and_then(|it| state.site(it.site))?;
        let what = format!("neither a command nor a script, and {} would really run it", site.spec.name);
        Some(("nothing-to-run", format!("{who} has {what}")))
    });
    match wrong.await? {
        Some((code, text)) => Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, code, text)),
        None => Ok(()),
    }
}
