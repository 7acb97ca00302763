//! What the next plan would do with a job: asked before it is submitted, or with the submission.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::{Asked, JsonBytes};
use super::fault::Fault;
use super::searched::searched;
use super::taking::{payable, possible, spec, timely};
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::outlook::outlook_view;
use axum::extract::State;
use axum::routing::post;
use serde::Deserialize;
use std::time::Duration;
use walras_api::service::{JobFile, OutlookView};
use walras_broker::Refusal;
use walras_broker::foreseen::{Foreseen, foreseen};
use walras_broker::job::JobSpec;
use walras_broker::quoting::Inquiry;

/// A submission waits no longer for it.
const WITHIN: Duration = Duration::from_secs(2);

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Say what the next plan would do with a job as things are, without submitting it.";
    vec![
        Endpoint::new::<OutlookView>("post", "/v1/outlooks", USERS, summary, post(outlook))
            .query::<OutlookQuery>()
            .body::<JobFile>()
            .refuses(&[400, 403, 413, 415, 422]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OutlookQuery {
    /// Say only whether it would be taken, and nothing of what would become of it.
    check: Option<bool>,
}

async fn outlook(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<OutlookQuery>,
    JsonBytes(bytes, _held): JsonBytes,
) -> Result<Json<OutlookView>, Fault> {
    let job = spec(&app, &caller, &bytes).await?;
    timely(&app, &job).await?;
    possible(&app, &job).await?;
    let inquiry = asked(&app, &job).await?;
    if query.check == Some(true) {
        payable(&app, &job).await?;
        return Ok(Json(OutlookView::default()));
    }
    look(&app, job, inquiry).await.map(Json)
}

/// What is asked about a job, and from when on.
pub(super) struct About {
    inquiry: Option<Inquiry>,
    foreseen: Foreseen,
}

/// A copy of what is for sale, from when on the job may be planned; no inquiry when no site has said what is free.
pub(super) async fn asked(app: &App, job: &JobSpec) -> Result<About, Fault> {
    let mut job = job.clone();
    let about = app.handle.ask(move |state, now| {
        let mut foreseen = Foreseen::Now;
        job.request.scope.same_site |= state.assigns_whole(&job);
        // What cannot be waited for is refused before anything else is said of it.
        let mut inquiry = Inquiry::at_once(state, now, &job)?;
        if !job.gate.is_open() {
            foreseen = self::foreseen(state, now, &job);
            if let Foreseen::From(at) = foreseen {
                job.request.earliest = job.request.earliest.max(Some(at));
                inquiry = Inquiry::at_once(state, now, &job)?;
            }
        }
        Ok(About { inquiry, foreseen })
    });
    Ok(about.await?.map_err(|refusal: Refusal| Failed::Refused(Box::new(refusal)))?)
}

/// The same as [`look`], unless that takes too long or goes wrong: what was submitted is submitted.
pub(super) async fn look_briefly(app: &App, job: JobSpec, about: About) -> Option<OutlookView> {
    tokio::time::timeout(WITHIN, look(app, job, about)).await.ok()?.ok()
}

/// Searches on a thread that may take its time.
async fn look(app: &App, job: JobSpec, about: About) -> Result<OutlookView, Fault> {
    let About { inquiry, foreseen } = about;
    let worth = inquiry.as_ref().and_then(Inquiry::worth);
    let findings = match inquiry {
        None => None,
        Some(inquiry) => {
            let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
            Some(searched(app, turn, inquiry).await?)
        }
    };
    Ok(app.handle.ask(move |state, _| outlook_view(state, &job, findings.as_ref(), worth, &foreseen)).await?)
}
