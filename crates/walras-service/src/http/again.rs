//! Cycles planned again: other rules tried on them, what a choice has cost others, and whether a plan follows from what was known.

use super::App;
use super::admin::changed;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::extract::{Asked, Sent, number};
use super::fault::Fault;
use crate::described::JsonSchema;
use crate::view::again::{Sums, displaced, trial};
use axum::extract::{Path, State};
use axum::routing::{get, post};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use walras_api::service::{DisplacedView, PolicyFile, ReplayView, TrialView};
use walras_broker::Input;
use walras_broker::again::BegunCycle;
use walras_broker::decision::Decision;
use walras_broker::id::{CycleNumber, JobNumber};

/// After so long no further cycle is tried.
const TRIAL_WITHIN: Duration = Duration::from_secs(20);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<TrialView>(
            "post",
            "/v1/policy/trial",
            ADMINISTRATOR,
            "Say what changed rules would have decided in the latest cycles; nothing is changed.",
            post(try_policy),
        )
        .body::<PolicyFile>()
        .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<ReplayView>(
            "get",
            "/v1/decisions/{position}/replay",
            ADMINISTRATOR,
            "Plan one of the latest cycles again, and say whether it is decided the same.",
            get(replay),
        )
        .refuses(&[400, 404]),
        Endpoint::new::<DisplacedView>(
            "get",
            "/v1/decisions/{position}/displaced",
            ADMINISTRATOR,
            "Plan one of the latest cycles again without one of its jobs, and say for whom that changes anything.",
            get(displaced_by),
        )
        .query::<DisplacedQuery>()
        .refuses(&[400, 404]),
    ]
}

/// Which job is left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DisplacedQuery {
    /// Its number.
    job: u64,
}

/// Plans on a thread that may take its time, as searches for quotes do.
async fn planned<T: Send + 'static>(
    app: &App,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    work.await.map_err(|error| app.broken(&error))
}

async fn try_policy(
    State(app): State<App>,
    Sent(change): Sent<PolicyFile>,
) -> Result<Json<TrialView>, Fault> {
    let policy = changed(&app, change).await?;
    let kept = app.handle.begun();
    let view = planned(&app, move || {
        let begun = Instant::now();
        let (mut cycles, mut left) = (Vec::new(), 0);
        let (mut before, mut after) = (Sums::nothing(), Sums::nothing());
        for cycle in kept {
            if begun.elapsed() > TRIAL_WITHIN {
                left += 1;
            } else {
                let (view, of_before, of_after) = trial(&cycle, policy.clone());
                cycles.push(view);
                before.add(&of_before);
                after.add(&of_after);
            }
        }
        TrialView { cycles, left, before: before.figures(), after: after.figures() }
    });
    view.await.map(Json)
}

/// The decision at a place in the journal, and the cycle as it was when it was planned.
async fn kept(app: &App, position: &str) -> Result<(Box<Decision>, Arc<BegunCycle>), Fault> {
    let position: u64 = number(position, "decision")?;
    let before = position.checked_add(1);
    let entries = app.read(move |register| register.entries_before(before, 1)).await?;
    let decided =
        entries.into_iter().filter(|(at, _)| *at == position).find_map(|(_, entry)| decision(entry.input));
    let (cycle, decision) =
        decided.ok_or_else(|| Fault::missing(format_args!("decision at {position} in the journal")))?;
    let begun = app.handle.begun().into_iter();
    let same = |begun: &Arc<BegunCycle>| begun.number() == cycle && begun.basis() == decision.basis;
    let begun = begun.into_iter().find(same).ok_or_else(|| {
        Fault::missing(format_args!(
            "cycle {cycle} among the latest, which are kept while the service runs: `walras replay` plans any"
        ))
    })?;
    Ok((decision, begun))
}

fn decision(input: Input) -> Option<(CycleNumber, Box<Decision>)> {
    if let Input::Decided { cycle, decision } = input { Some((cycle, decision)) } else { None }
}

async fn replay(State(app): State<App>, Path(position): Path<String>) -> Result<Json<ReplayView>, Fault> {
    let (decision, begun) = kept(&app, &position).await?;
    let cycle = begun.number().get();
    let same = planned(&app, move || begun.leads_to(&decision)).await?;
    Ok(Json(ReplayView { cycle, same }))
}

async fn displaced_by(
    State(app): State<App>,
    Path(position): Path<String>,
    Asked(query): Asked<DisplacedQuery>,
) -> Result<Json<DisplacedView>, Fault> {
    let (decision, begun) = kept(&app, &position).await?;
    let job = JobNumber::new(query.job);
    if !begun.state().jobs.contains_key(&job) {
        return Err(Fault::missing(format_args!("job {job} in that cycle")));
    }
    planned(&app, move || displaced(&begun, &decision, job)).await.map(Json)
}
