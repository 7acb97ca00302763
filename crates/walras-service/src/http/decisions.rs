//! What cycles decided, from the journal.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::extract::Asked;
use super::fault::Fault;
use crate::described::JsonSchema;
use crate::journal::record::Record;
use crate::view::decision::{Decided, decided, decision_view};
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;
use walras_api::service::{DecisionView, DecisionsView};

/// How many decisions are listed at most, and without a word.
const LIST_MAX: usize = 100;
const LIST_DEFAULT: usize = 20;
/// So many entries are read at a time, and at most for one request.
const ENTRIES_AT_ONCE: usize = 200;
const ENTRIES_MAX: usize = 10_000;
/// Of so many jobs that have ended it is looked up what they were called.
const NAMES_MAX: usize = 2_000;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "List what cycles decided, newest first; cycles that had nothing to decide are left out.";
    vec![
        Endpoint::new::<DecisionsView>("get", "/v1/decisions", ADMINISTRATOR, summary, get(list))
            .query::<DecisionsQuery>()
            .refuses(&[400]),
    ]
}

/// Which decisions are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionsQuery {
    /// Only decisions before this place in the journal.
    before: Option<u64>,
    /// At most so many.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

async fn list(
    State(app): State<App>,
    Asked(query): Asked<DecisionsQuery>,
) -> Result<Json<DecisionsView>, Fault> {
    let most = query.limit.unwrap_or(LIST_DEFAULT);
    if !(1..=LIST_MAX).contains(&most) {
        return Err(Fault::bad(format!("limit: {most} is not between 1 and {LIST_MAX}")));
    }
    let mut found: Vec<Decided> = Vec::new();
    let (mut before, mut looked) = (query.before, 0);
    let next = loop {
        let entries = app.read(move |register| register.entries_before(before, ENTRIES_AT_ONCE)).await?;
        looked += entries.len();
        let Some((first, _)) = entries.last() else { break None };
        before = Some(*first);
        let room = most - found.len();
        found.extend(entries.iter().filter_map(|(position, entry)| decided(*position, entry)).take(room));
        // A journal without decisions is not read to its beginning at once.
        if found.len() == most || looked >= ENTRIES_MAX {
            let full = found.len() == most;
            break if full { found.last().map(|last| last.position) } else { before };
        }
    };
    let decisions =
        app.handle.ask(move |state, _| found.iter().map(|decided| decision_view(state, decided)).collect());
    let decisions = app.read_names(decisions.await?).await?;
    Ok(Json(DecisionsView { decisions, next }))
}

impl App {
    /// Says of jobs that have ended what they were called and whose they were.
    async fn read_names(&self, mut decisions: Vec<DecisionView>) -> Result<Vec<DecisionView>, Fault> {
        self.read(move |register| {
            let jobs = decisions.iter_mut().flat_map(|decision| &mut decision.jobs);
            for job in jobs.filter(|job| job.user.is_none()).take(NAMES_MAX) {
                if let Some(Record::V1(ended)) = register.ended(job.job)? {
                    (job.name, job.user) = (Some(ended.name), Some(ended.user));
                }
            }
            Ok(decisions)
        })
        .await
    }
}
