//! Jobs.

use super::App;
use super::answer::Json;
use super::elements;
use super::endpoint::{Endpoint, USERS};
use super::extract::{Asked, JsonBytes, Key, number};
use super::fault::Fault;
use super::outlook::{asked, look_briefly};
use super::taking::{is_repeated, noted_spec, payable, possible, timely};
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::journal::record::Record;
use crate::token::Caller;
use crate::view::array::{array_view, cut_view, pending_view};
use crate::view::ended::ended_view;
use crate::view::happening::history;
use crate::view::job::{job_view, rank_view};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use serde::Deserialize;
use walras_api::sentence::Context;
use walras_api::service::{
    ExplanationView, JobFile, JobState, JobView, Meant, NoneMeant, Role, SubmittedView,
};
use walras_broker::array::number_at;
use walras_broker::gate::Which;
use walras_broker::id::JobNumber;
use walras_broker::{Answer, Input, Refusal};

/// A job's history shows at most so many entries.
pub(super) const HISTORY_MAX: usize = 200;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<SubmittedView>("post", "/v1/jobs", USERS, "Submit a job.", post(submit))
            .query::<SubmitQuery>()
            .body::<JobFile>()
            .keyed()
            .status(201)
            .refuses(&[400, 403, 409, 413, 415, 422]),
        Endpoint::new::<JobView>("get", "/v1/jobs/{job}", USERS, "Show a job.", get(show))
            .refuses(&[400, 404]),
        Endpoint::new::<JobView>(
            "delete",
            "/v1/jobs/{job}",
            USERS,
            "Cancel a job, or elements of an array: `17_3` or `17_[3-9]`.",
            delete(cancel),
        )
        .refuses(&[400, 404, 409]),
        Endpoint::new::<JobView>(
            "post",
            "/v1/jobs/{job}/release",
            USERS,
            "Let a job go that is held.",
            post(release),
        )
        .refuses(&[400, 404, 409]),
        Endpoint::new::<ExplanationView>(
            "get",
            "/v1/jobs/{job}/explanation",
            USERS,
            "Say why a job is where it is, and what would help.",
            get(explain),
        )
        .query::<ExplainQuery>()
        .refuses(&[400, 404]),
    ]
}

/// What is asked with a submission.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubmitQuery {
    /// Say what the next plan would do with it, too, unless that takes too long.
    outlook: Option<bool>,
}

/// What is asked of a job's history.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainQuery {
    /// Say every step of its window, and not only what its user was told.
    steps: Option<bool>,
}

/// Only this user's jobs may be seen; any, by an administrator.
pub(super) fn only(caller: &Caller) -> Option<&str> {
    (caller.role == Role::User).then_some(caller.name.as_str())
}

async fn submit(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
    Asked(query): Asked<SubmitQuery>,
    JsonBytes(bytes, _held): JsonBytes,
) -> Result<(StatusCode, Json<SubmittedView>), Fault> {
    let (spec, notes) = noted_spec(&app, &caller, &bytes).await?;
    // What was taken once is so again, whatever has changed meanwhile.
    let repeated = is_repeated(&app, &spec.user, &key).await;
    if !repeated {
        timely(&app, &spec).await?;
        possible(&app, &spec).await?;
        payable(&app, &spec).await?;
    }
    // What is for sale before the job is there; whether it can be said is no matter of the submission.
    let wanted = query.outlook == Some(true) && !repeated;
    let inquiry = if wanted { asked(&app, &spec).await.ok() } else { None };
    match app.handle.send(Input::Submit { key, job: Box::new(spec.clone()) }).await? {
        Answer::Job(job) => {
            let outlook = match inquiry {
                Some(inquiry) => look_briefly(&app, spec, inquiry).await,
                None => None,
            };
            Ok((StatusCode::CREATED, Json(SubmittedView { job: job.get(), outlook, notes })))
        }
        other => Err(unexpected(&other)),
    }
}

pub(super) fn unexpected(answer: &Answer) -> Fault {
    tracing::error!(?answer, "an answer that does not belong to the request");
    Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "fault", "the broker answered something else")
}

/// The number of a job in a path, or of an element, such as `18_3`; of several elements their array's.
pub(super) async fn named(app: &App, text: &str) -> Result<u64, Fault> {
    let which = match text.parse::<Meant>() {
        Ok(Meant::One(which)) => which,
        Ok(Meant::Elements { array, .. }) => return Ok(array.get()),
        Err(NoneMeant::NoWhich) => return number(text, "job"),
        Err(why) => return Err(Fault::bad(why.to_string())),
    };
    let Some(index) = which.element else { return Ok(which.job.get()) };
    let known = app.handle.ask(move |state, _| state.number_of(which)).await?;
    if let Some(number) = known {
        return Ok(number.get());
    }
    // It may have ended long ago.
    let record = app.read(move |register| register.ended(which.job.get())).await?;
    let rank = record.and_then(|Record::V1(job)| job.array?.indices.rank_of(index));
    let missing = || Fault::missing(format_args!("job {which}"));
    rank.map(|rank| number_at(which.job, rank).get()).ok_or_else(missing)
}

/// An element that ended before its turn came: nothing is kept of it but what is known of its array.
async fn cut(app: &App, number: JobNumber) -> Result<Option<JobView>, Fault> {
    let known = app.handle.ask(move |state, _| {
        let which = state.which(number);
        (which, state.arrays.get(&which.job).map(|array| array_view(state, array)))
    });
    let (which, open) = known.await?;
    if which.element.is_none() {
        return Ok(None);
    }
    let record = app.read(move |register| register.ended(which.job.get())).await?;
    let ended = app.handle.ask(move |state, _| record.map(|record| ended_view(state, &record, false)));
    Ok(open.or(ended.await?).map(|array| cut_view(array, number, which)))
}

/// A job wherever it is, unless the caller may not know of it.
pub(super) async fn find(app: &App, caller: &Caller, job: u64) -> Result<JobView, Fault> {
    let number = JobNumber::new(job);
    let live = app.handle.ask(move |state, _| {
        let job = state.jobs.get(&number).filter(|job| job.offered.is_none());
        let array = || state.arrays.get(&number).map(|array| array_view(state, array));
        let pending = || pending_view(state, number);
        job.map(|job| job_view(state, job, true)).or_else(array).or_else(pending)
    });
    let live = live.await?;
    let view = match live {
        Some(view) => Some(view),
        None => {
            let record = app.read(move |register| register.ended(job)).await?;
            let ended = app.handle.ask(move |state, _| record.map(|record| ended_view(state, &record, true)));
            match ended.await? {
                Some(view) => Some(view),
                None => cut(app, number).await?,
            }
        }
    };
    // What one may not see is not there.
    let view: Option<JobView> = view.filter(|view: &JobView| only(caller).is_none_or(|own| view.user == own));
    view.ok_or_else(|| Fault::missing(format_args!("job {job}")))
}

async fn show(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
) -> Result<Json<JobView>, Fault> {
    find(&app, &caller, named(&app, &job).await?).await.map(Json)
}

async fn cancel(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
) -> Result<Json<JobView>, Fault> {
    if let Ok(Meant::Elements { array, indices }) = job.parse() {
        return elements::cancel(&app, &caller, array, &indices).await.map(Json);
    }
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    let job = JobNumber::new(view.job);
    if view.state.is_over() {
        return cancelled(view);
    }
    match app.handle.send(Input::CancelJob { user: view.user.clone(), job }).await {
        Ok(_) => Ok(Json(elements::all_changed(find(&app, &caller, job.get()).await?, &view.array))),
        // It has ended meanwhile; who cancels what another has just cancelled is told the same as the other.
        Err(Failed::Refused(refusal)) if matches!(*refusal, Refusal::NoJob(_)) => {
            cancelled(find(&app, &caller, job.get()).await?)
        }
        Err(failed) => Err(failed.into()),
    }
}

/// A job that is held goes into the queue, or waits for others from now on.
async fn release(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
) -> Result<Json<JobView>, Fault> {
    match job.parse() {
        Ok(Meant::Elements { array, indices }) => {
            return elements::release(&app, &caller, array, &indices).await.map(Json);
        }
        Ok(Meant::One(Which { job, element: Some(index) })) => {
            if let Ok(index) = index.to_string().parse() {
                return elements::release(&app, &caller, job, &index).await.map(Json);
            }
        }
        Ok(Meant::One(_)) | Err(_) => {}
    }
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    let job = JobNumber::new(view.job);
    app.handle.send(Input::Release { user: view.user.clone(), job }).await?;
    Ok(Json(elements::all_changed(find(&app, &caller, job.get()).await?, &view.array)))
}

/// What is said of a job that has ended to whoever cancels it.
fn cancelled(view: JobView) -> Result<Json<JobView>, Fault> {
    if view.state == JobState::Cancelled {
        return Ok(Json(view));
    }
    let message = format!("job {} has ended already: it is {}", view.id, view.state.text());
    Err(Fault::new(StatusCode::CONFLICT, "ended", message))
}

async fn explain(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
    Asked(query): Asked<ExplainQuery>,
) -> Result<Json<ExplanationView>, Fault> {
    let steps = query.steps == Some(true);
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    let number = JobNumber::new(view.job);
    let entries = app.read(move |register| register.about(number.get(), HISTORY_MAX)).await?;
    let told = move |state: &walras_broker::State, now| {
        let job = state.jobs.get(&number);
        let why = job.and_then(|job| Some((job, job.why.as_ref()?)));
        let why = why.map(|(job, why)| Context::of_job(state, &job.spec, why).why_view(why));
        let (reasons, changes) = why.map(|why| (why.reasons, why.changes)).unwrap_or_default();
        ExplanationView {
            job: number.get(),
            state: view.state,
            summary: summary(&view),
            reasons,
            changes,
            rank: job.and_then(|job| rank_view(state, job, now)),
            history: history(state, number, &entries, steps),
        }
    };
    app.handle.ask(told).await.map(Json).map_err(Fault::from)
}

fn summary(view: &JobView) -> String {
    let name = format!("Job {} ({})", view.id, view.name);
    let why = view.why.as_deref().map(|why| format!(" {why}")).unwrap_or_default();
    let place = view.sites.join(", ");
    let moment =
        |stamp: Option<walras_api::service::Stamp>| stamp.map(|at| at.to_string()).unwrap_or_default();
    match view.state {
        JobState::Held | JobState::Waiting => format!("{name} is not in the queue yet.{why}"),
        JobState::Queued if view.why.is_some() => {
            format!("{name} waits for the next cycle; the last left it out.{why}")
        }
        JobState::Queued => format!("{name} waits for the next cycle."),
        JobState::Planning => format!("{name} is being planned.{why}"),
        // An array, of which some elements are planned and none runs.
        JobState::Planned if place.is_empty() => format!("{name} is planned.{why}"),
        JobState::Planned => {
            let promise = view.promise.as_ref();
            let latest = promise.map(|it| format!(", by {} at the latest", it.start)).unwrap_or_default();
            format!("{name} is planned on {place} for {}{latest}.{why}", moment(view.start))
        }
        JobState::Reserving => format!("{name}: {place} is asked to hold its window."),
        JobState::Reserved => {
            format!("{name} has its window on {place} and starts at {}.", moment(view.start))
        }
        JobState::Running => {
            let until =
                view.finish.map(|finish| format!(" until {finish} at the latest")).unwrap_or_default();
            format!("{name} runs on {place}{until}.")
        }
        JobState::Done => format!("{name} is done; it cost {}.", view.charged.credits()),
        JobState::Failed => format!("{name} failed.{why}"),
        JobState::Cancelled => format!("{name} was cancelled."),
        JobState::GivenUp => format!("{name} was given up.{why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is planned ahead waits for others all the same.
    #[test]
    fn a_planned_follower_says_what_it_waits_for() {
        let view = r#"{"job":42,"id":"42","name":"plot","user":"ada","state":"planned","tasks":1,"workflow":false,
            "queued_at":"2026-11-15T12:00:00Z","start":"2026-11-15T13:00:00Z","finish":null,"deadline":null,"budget":null,
            "held":0,"charged":0,"sites":["campus"],"attempts":0,"why":"It waits for job 41 to end.","parts":[]}"#;
        let view: JobView = serde_json::from_str(view).unwrap();
        let expected =
            "Job 42 (plot) is planned on campus for 2026-11-15T13:00:00.000Z. It waits for job 41 to end.";
        assert_eq!(summary(&view), expected);
    }
}
