//! What jobs took that have ended: waits, run times, cost, exit codes, and how good their estimates were.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::Asked;
use super::fault::Fault;
#[cfg(feature = "schema")]
use super::listing::states_pattern;
use super::listing::{States, limit, name, whose};
use crate::described::JsonSchema;
use crate::journal::ended::{Elements, Wanted};
use crate::token::Caller;
use crate::view::past::past_view;
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;
use walras_api::service::{PastJobsView, Stamp};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary =
        "List what jobs took that have ended, newest first: waits, run times, cost, exit codes, estimates.";
    vec![
        Endpoint::new::<PastJobsView>("get", "/v1/reports/jobs", USERS, summary, get(past))
            .query::<PastQuery>()
            .refuses(&[400]),
    ]
}

/// Which jobs are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PastQuery {
    /// Only jobs that ended in this state, or in one of several with commas between them; letters may be of any case.
    #[schemars(with = "Option<String>", extend("pattern" = states_pattern()))]
    state: Option<States>,
    /// Only jobs of this user; users see their own only.
    user: Option<String>,
    /// Only jobs of this name; `*` stands for anything, `?` for one character.
    #[schemars(length(max = 200))]
    name: Option<String>,
    /// Only jobs that were submitted then or later.
    since: Option<Stamp>,
    /// Only jobs that were submitted before.
    until: Option<Stamp>,
    /// Only jobs whose numbers are below this.
    before: Option<u64>,
    /// Only the elements of this array.
    array: Option<u64>,
    /// The elements of arrays instead of the arrays.
    elements: Option<bool>,
    /// At most so many.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<usize>,
}

async fn past(
    State(app): State<App>,
    caller: Caller,
    Asked(query): Asked<PastQuery>,
) -> Result<Json<PastJobsView>, Fault> {
    let most = limit(query.limit)?;
    let wanted = Wanted {
        before: query.before,
        user: whose(&caller, query.user)?,
        states: query.state.unwrap_or_default().0,
        name: name(query.name)?,
        since: query.since.map(Stamp::time),
        until: query.until.map(Stamp::time),
        elements: match (query.array, query.elements) {
            (Some(array), _) => Elements::Of(array),
            (None, Some(true)) => Elements::All,
            (None, Some(false) | None) => Elements::Whole,
        },
    };
    let mut records = app.read(move |register| register.ended_like(&wanted, most + 1)).await?;
    let more = records.len() > most;
    records.truncate(most);
    let listed = app
        .handle
        .ask(move |known, _| records.iter().map(|record| past_view(known, record)).collect::<Vec<_>>());
    let jobs = listed.await?;
    let next = jobs.last().filter(|_| more).map(|job| job.job);
    Ok(Json(PastJobsView { jobs, next }))
}
