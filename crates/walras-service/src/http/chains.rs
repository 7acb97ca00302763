//! Quotes for whole chains of jobs: asked for, and looked at. They are accepted as any other.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::{JsonBytes, Key, number};
use super::fault::Fault;
use super::jobs::{only, unexpected};
use super::searched::searched;
use super::taking::{is_repeated, possible, spec, timely};
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::chain::{chain_view, unfit_view};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use walras_api::service::ChainView;
use walras_broker::chain::{CHAIN_MAX, ChainMember};
use walras_broker::gate::Condition;
use walras_broker::id::QuoteNumber;
use walras_broker::quoting::Inquiry;
use walras_broker::{Answer, Input, Refusal};
use walras_model::{Money, Time};

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<ChainView>(
            "post",
            "/v1/chains",
            USERS,
            "Ask what a whole chain of jobs would cost and when it would run; the answer binds for a while, and is accepted as a quote.",
            post(quote),
        )
        .body::<ChainBody>()
        .keyed()
        .refuses(&[400, 403, 409, 413, 415, 422]),
        Endpoint::new::<ChainView>(
            "get",
            "/v1/chains/{quote}",
            USERS,
            "Show a quote for a chain.",
            get(show_chain),
        )
        .refuses(&[400, 404]),
    ]
}

/// A chain of jobs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChainBody {
    /// Its jobs, each after those it waits for.
    #[schemars(length(min = 2, max = 100))]
    jobs: Vec<ChainJob>,
}

/// A job of a chain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChainJob {
    /// The job; what it waits for of the chain is said beside it.
    #[schemars(with = "walras_api::service::JobFile")]
    job: Value,
    /// What must have become of jobs before it.
    #[serde(default)]
    after: Vec<ChainAfter>,
}

/// What must have become of another job of a chain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChainAfter {
    /// The other, by its place from 0 on.
    job: u32,
    /// What must have become of it; `ok`, without.
    #[serde(default)]
    condition: ChainCondition,
}

/// What must have become of a job of a chain.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ChainCondition {
    /// It is done.
    #[default]
    Ok,
    /// It has ended, one way or another.
    Any,
    /// It has begun.
    Started,
}

impl ChainCondition {
    fn condition(self) -> Condition {
        match self {
            ChainCondition::Ok => Condition::Ok,
            ChainCondition::Any => Condition::Any,
            ChainCondition::Started => Condition::Started,
        }
    }
}

async fn quote(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
    JsonBytes(bytes, _held): JsonBytes,
) -> Result<Json<ChainView>, Fault> {
    let members = members(&app, &caller, &bytes).await?;
    let user = members.first().map(|first| first.job.user.clone()).unwrap_or_default();
    // What was quoted once is so again, as long as the quote is there.
    if !is_repeated(&app, &user, &key).await {
        for (member, place) in members.iter().zip(0_u32..) {
            timely(&app, &member.job).await.map_err(|fault| fault.within(format_args!("jobs[{place}]")))?;
        }
    }
    // A user who asks for many quotes at once keeps only themselves waiting.
    let _turn = app.turns.take(&user).await;
    let input = Input::AskChain { key, members: members.clone() };
    match app.handle.send(input).await {
        Ok(Answer::Quote(quote)) => shown(&app, quote, None).await.map(Json),
        Ok(other) => Err(unexpected(&other)),
        Err(Failed::Refused(refusal)) => match *refusal {
            Refusal::ChainUnfit { member, from } => unfit(&app, &members, member, from).await.map(Json),
            other => Err(Failed::Refused(Box::new(other)).into()),
        },
        Err(failed) => Err(failed.into()),
    }
}

/// The jobs of a chain, each as it would be submitted.
async fn members(app: &App, caller: &Caller, bytes: &Bytes) -> Result<Vec<ChainMember>, Fault> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let body: ChainBody = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| Fault::bad(format!("body: {}: {}", error.path(), error.inner())))?;
    json.end().map_err(|error| Fault::bad(format!("body: {error}")))?;
    if body.jobs.len() > CHAIN_MAX {
        return Err(Fault::bad(format!("body: jobs: {} are too many: at most {CHAIN_MAX}", body.jobs.len())));
    }
    let mut members = Vec::with_capacity(body.jobs.len());
    for (ChainJob { job, after }, place) in body.jobs.into_iter().zip(0_u32..) {
        let placed = |fault: Fault| fault.within(format_args!("jobs[{place}]"));
        let bytes = Bytes::from(job.to_string());
        let job = spec(app, caller, &bytes).await.map_err(placed)?;
        possible(app, &job).await.map_err(placed)?;
        let after = after.into_iter().map(|it| (it.job, it.condition.condition())).collect();
        members.push(ChainMember { job: Arc::new(job), after });
    }
    Ok(members)
}

/// Why a job of a chain finds no window, and what would help: looked for as for a quote of its own, after those it waits for, beside all others before it.
async fn unfit(
    app: &App,
    members: &[ChainMember],
    place: u32,
    from: Option<Time>,
) -> Result<ChainView, Fault> {
    let Some(member) = members.get(place as usize) else {
        return Err(Fault::bad("body: jobs: the chain has no such job"));
    };
    let mut job = (*member.job).clone();
    job.request.earliest = job.request.earliest.max(from);
    let asked = members.to_vec();
    let inquiry =
        app.handle.ask(move |state, now| Inquiry::of_chain(state, now, &asked, place as usize)).await?;
    let inquiry = inquiry.map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
    let (mut findings, mut before) = (None, Money::ZERO);
    if let Some((inquiry, cost)) = inquiry {
        let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
        (findings, before) = (Some(searched(app, turn, inquiry).await?), cost);
    }
    let about = (place, from, before);
    Ok(app.handle.ask(move |state, _| unfit_view(state, &job, about, findings.as_ref())).await?)
}

async fn shown(app: &App, number: QuoteNumber, own: Option<String>) -> Result<ChainView, Fault> {
    let found = app.handle.ask(move |state, _| {
        let quote = state.chains.get(&number)?;
        let visible = own.is_none_or(|own| own == quote.user());
        visible.then(|| chain_view(state, number, quote))
    });
    found.await?.ok_or_else(|| Fault::missing(format_args!("quote {number} for a chain, or it has expired")))
}

async fn show_chain(
    State(app): State<App>,
    caller: Caller,
    Path(quote): Path<String>,
) -> Result<Json<ChainView>, Fault> {
    let number = QuoteNumber::new(number(&quote, "quote")?);
    shown(&app, number, only(&caller).map(str::to_owned)).await.map(Json)
}
