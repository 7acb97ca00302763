//! What the next plan would do with a job: asked before it is submitted, or with the submission.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::JsonBytes;
use super::fault::Fault;
use super::searched::searched;
use super::taking::{possible, spec};
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::outlook::outlook_view;
use axum::extract::State;
use axum::routing::post;
use std::time::Duration;
use walras_api::service::{JobFile, OutlookView};
use walras_broker::job::JobSpec;
use walras_broker::quoting::Inquiry;

/// A submission waits no longer for it.
const WITHIN: Duration = Duration::from_secs(2);

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Say what the next plan would do with a job as things are, without submitting it.";
    vec![
        Endpoint::new::<OutlookView>("post", "/v1/outlooks", USERS, summary, post(outlook))
            .body::<JobFile>()
            .refuses(&[400, 403, 413, 415, 422]),
    ]
}

async fn outlook(
    State(app): State<App>,
    caller: Caller,
    JsonBytes(bytes, _held): JsonBytes,
) -> Result<Json<OutlookView>, Fault> {
    let job = spec(&app, &caller, &bytes).await?;
    possible(&app, &job).await?;
    let inquiry = asked(&app, &job).await?;
    look(&app, job, inquiry).await.map(Json)
}

/// A copy of what is for sale now; `None` when no site has said what is free.
pub(super) async fn asked(app: &App, job: &JobSpec) -> Result<Option<Inquiry>, Fault> {
    let job = job.clone();
    let inquiry = app.handle.ask(move |state, now| Inquiry::at_once(state, now, &job)).await?;
    Ok(inquiry.map_err(|refusal| Failed::Refused(Box::new(refusal)))?)
}

/// The same as [`look`], unless that takes too long or goes wrong: what was submitted is submitted.
pub(super) async fn look_briefly(app: &App, job: JobSpec, inquiry: Option<Inquiry>) -> Option<OutlookView> {
    tokio::time::timeout(WITHIN, look(app, job, inquiry)).await.ok()?.ok()
}

/// Searches on a thread that may take its time.
async fn look(app: &App, job: JobSpec, inquiry: Option<Inquiry>) -> Result<OutlookView, Fault> {
    let worth = inquiry.as_ref().and_then(Inquiry::worth);
    let findings = match inquiry {
        None => None,
        Some(inquiry) => {
            let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
            Some(searched(app, turn, inquiry).await?)
        }
    };
    Ok(app.handle.ask(move |state, _| outlook_view(state, &job, findings.as_ref(), worth)).await?)
}
