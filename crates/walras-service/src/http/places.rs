//! Where a job runs and where else it could, and the same job once more.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::{Asked, Key};
use super::fault::Fault;
use super::jobs::{HISTORY_MAX, find, named, unexpected};
use super::searched::searched;
use super::taking::possible;
use crate::described::JsonSchema;
use crate::token::Caller;
use crate::view::places::{alternative_view, asked, places_view, planned_parts};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use std::sync::Arc;
use walras_api::service::{AlternativeView, JobState, JobView, PlacesView, SubmittedView};
use walras_broker::gate::{Gate, Which};
use walras_broker::id::JobNumber;
use walras_broker::job::JobSpec;
use walras_broker::quoting::Inquiry;
use walras_broker::{Answer, Input};
use walras_model::Time;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<PlacesView>(
            "get",
            "/v1/jobs/{job}/places",
            USERS,
            "Say where a job runs, part by part, as it was planned and as it went; and where else it could run.",
            get(places),
        )
        .query::<PlacesQuery>()
        .refuses(&[400, 404]),
        Endpoint::new::<SubmittedView>(
            "post",
            "/v1/jobs/{job}/again",
            USERS,
            "Submit a job again as it was; its times count from now as they counted then, and it waits for no other job.",
            post(again),
        )
        .keyed()
        .status(201)
        .refuses(&[400, 404, 409, 422]),
    ]
}

/// What is asked of a job's places.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlacesQuery {
    /// Look where else it could run, too: what a plan keeps ready, and what is for sale now.
    alternatives: Option<bool>,
}

async fn places(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
    Asked(query): Asked<PlacesQuery>,
) -> Result<Json<PlacesView>, Fault> {
    let job = find(&app, &caller, named(&app, &job).await?).await?;
    let number = JobNumber::new(job.job);
    let entries = app.read(move |register| register.about(number.get(), HISTORY_MAX)).await?;
    let plan = asked(&entries, job.reservation);
    let wanted = query.alternatives == Some(true) && may_move(&job);
    let view = app.handle.ask(move |state, _| {
        let mut view = places_view(state, &job, plan.as_deref());
        if let Some(job) = state.jobs.get(&number).filter(|_| view.parts.is_empty()) {
            view.parts = planned_parts(state, job);
        }
        view
    });
    let mut view = view.await?;
    if wanted {
        view.alternatives = alternatives(&app, number).await?;
    }
    Ok(Json(view))
}

/// Whether nothing of it has begun, and it may be planned.
fn may_move(job: &JobView) -> bool {
    match job.state {
        JobState::Queued
        | JobState::Planning
        | JobState::Planned
        | JobState::Reserving
        | JobState::Reserved => true,
        JobState::Held
        | JobState::Waiting
        | JobState::Running
        | JobState::Done
        | JobState::Failed
        | JobState::Cancelled
        | JobState::GivenUp => false,
    }
}

/// What a plan keeps ready for a job, and what a quote would offer now; searched on a thread that may take its time.
async fn alternatives(app: &App, number: JobNumber) -> Result<Vec<AlternativeView>, Fault> {
    let known = app.handle.ask(move |state, now| {
        let job = state.jobs.get(&number)?;
        let spares: Vec<_> =
            job.spares.iter().map(|allocation| alternative_view(state, allocation, true)).collect();
        let spec = JobSpec { array: None, gate: Gate::default(), ..job.spec.as_ref().clone() };
        // Who cannot be asked for has no alternatives.
        let inquiry = Inquiry::at_once(state, now, &spec).ok().flatten();
        Some((job.spec.user.clone(), spares, inquiry))
    });
    let Some((user, mut all, inquiry)) = known.await? else { return Ok(Vec::new()) };
    if let Some(inquiry) = inquiry {
        // Who looks at many jobs at once keeps only themselves waiting.
        let _own = app.turns.take(&user).await;
        let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
        let found = searched(app, turn, inquiry).await?;
        let views = app.handle.ask(move |state, _| {
            found
                .allocations
                .iter()
                .map(|(allocation, _)| alternative_view(state, allocation, false))
                .collect::<Vec<_>>()
        });
        all.extend(views.await?);
    }
    all.sort_by_key(|alternative| (alternative.finish, alternative.start));
    Ok(all)
}

async fn again(
    State(app): State<App>,
    caller: Caller,
    Path(job): Path<String>,
    Key(key): Key,
) -> Result<(StatusCode, Json<SubmittedView>), Fault> {
    let view = find(&app, &caller, named(&app, &job).await?).await?;
    let known = original(&app, &view).await?;
    let spec = known.ok_or_else(|| Fault::missing(format_args!("submission of job {}", view.id)))?;
    let spec = once_more(&spec, view.queued_at.time(), app.clock.now());
    possible(&app, &spec).await?;
    match app.handle.send(Input::Submit { key, job: Box::new(spec) }).await? {
        Answer::Job(job) => Ok((
            StatusCode::CREATED,
            Json(SubmittedView { job: job.get(), outlook: None, notes: Vec::new() }),
        )),
        other => Err(unexpected(&other)),
    }
}

/// What was submitted as a job; of an element, an array of it alone.
async fn original(app: &App, view: &JobView) -> Result<Option<JobSpec>, Fault> {
    let which = view.id.parse::<Which>().unwrap_or(Which::whole(JobNumber::new(view.job)));
    let whole = which.job;
    let live = app.handle.ask(move |state, _| {
        let array = state.arrays.get(&whole).map(|array| array.spec.clone());
        array.or_else(|| state.jobs.get(&whole).map(|job| job.spec.clone()))
    });
    let spec: Option<Arc<JobSpec>> = match live.await? {
        Some(spec) => Some(spec),
        None => app.read(move |register| register.asked(whole.get())).await?,
    };
    let alone = which.element.and_then(|index| index.to_string().parse().ok());
    Ok(spec.map(|spec| JobSpec { array: alone.or_else(|| spec.array.clone()), ..spec.as_ref().clone() }))
}

/// The same job from now on: as long after now as it was after its submission, and after no other job.
fn once_more(spec: &JobSpec, then: Time, now: Time) -> JobSpec {
    let moved = |time: Time| {
        let millis = time.as_millis().saturating_add(now.as_millis().saturating_sub(then.as_millis()));
        Time::from_millis(millis).unwrap_or(Time::MAX)
    };
    let mut spec = spec.as_asked();
    spec.request.deadline = spec.request.deadline.map(moved);
    spec.request.earliest = spec.request.earliest.map(moved);
    if let Some(delay) = &mut spec.delay {
        delay.after = delay.after.map(moved);
    }
    spec.gate.after.clear();
    spec
}
