//! Quotes: asked for, looked at, taken.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, USERS};
use super::extract::{Asked, JsonBytes, Key, Sent, number};
use super::fault::Fault;
use super::jobs::{only, unexpected};
use super::searched::searched;
use super::taking::{is_repeated, placeable, spec, timely};
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::criteria::choices_view;
use crate::view::job::{is_asked, quote_view};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use std::time::Duration;
use walras_api::Num;
use walras_api::sentence::Context;
use walras_api::service::{AcceptedView, ChoicesView, JobFile, QuoteView};
use walras_broker::id::QuoteNumber;
use walras_broker::job::{JobSpec, Why};
use walras_broker::quote::Findings;
use walras_broker::quoting::Inquiry;
use walras_broker::{Answer, Input, Refusal};
use walras_model::Span;

/// A quote is searched at most so often while others buy what was found.
const SEARCHES_MAX: u32 = 4;
/// So often, and at these intervals, it is looked whether sites hold what they were asked for, before a quote is shown.
const LOOKS_MAX: u32 = 200;
const LOOK_EVERY: Duration = Duration::from_millis(25);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<QuoteView>(
            "post",
            "/v1/quotes",
            USERS,
            "Ask what a job would cost and when it would run; the answer binds for a while.",
            post(quote),
        )
        .query::<QuoteQuery>()
        .body::<JobFile>()
        .keyed()
        .status(201)
        .refuses(&[400, 403, 409, 413, 415, 422]),
        Endpoint::new::<QuoteView>("get", "/v1/quotes/{quote}", USERS, "Show a quote.", get(show_quote))
            .refuses(&[400, 404]),
        Endpoint::new::<AcceptedView>(
            "post",
            "/v1/quotes/{quote}/accept",
            USERS,
            "Take one of a quote's alternatives.",
            post(accept),
        )
        .body::<AcceptBody>()
        .keyed()
        .status(201)
        .refuses(&[400, 404, 409, 413, 415, 422]),
        Endpoint::new::<ChoicesView>(
            "get",
            "/v1/choices",
            USERS,
            "List what one took of quotes with several alternatives, to learn from.",
            get(choices),
        ),
    ]
}

/// How a quote is made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QuoteQuery {
    /// Sites are to hold the alternatives for so many seconds: then accepting one cannot fail, short of a site's failure. None of them starts
    /// before. What is held and not taken costs a share of its price, as the policy says.
    #[schemars(range(min = 1, max = 31_536_000))]
    hold: Option<u32>,
}

/// Which alternative is taken.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AcceptBody {
    /// Its number, from 0 on.
    option: u32,
}

async fn quote(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
    Asked(query): Asked<QuoteQuery>,
    JsonBytes(bytes, _held): JsonBytes,
) -> Result<(StatusCode, Json<QuoteView>), Fault> {
    let job = Box::new(spec(&app, &caller, &bytes).await?);
    let hold = query.hold.and_then(|seconds| Span::from_millis(i64::from(seconds) * 1_000));
    // What was quoted once is so again, as long as the quote is there.
    if !is_repeated(&app, &job.user, &key).await {
        timely(&app, &job).await?;
        placeable(&app, &job).await?;
    }
    match given(&app, key, job, hold).await? {
        Answer::Quote(quote) => {
            if hold.is_some() {
                answered(&app, quote).await?;
            }
            let (view, _) = quote_of(&app, quote).await?;
            Ok((StatusCode::CREATED, Json(view)))
        }
        other => Err(unexpected(&other)),
    }
}

/// Searches and asks the broker, and again while others buy faster than is searched.
async fn given(app: &App, key: String, job: Box<JobSpec>, hold: Option<Span>) -> Result<Answer, Fault> {
    // A user who asks for many quotes at once keeps only themselves waiting.
    let _turn = app.turns.take(&job.user).await;
    let mut left = SEARCHES_MAX;
    loop {
        left -= 1;
        // Who repeats a request is told the same again: there is nothing to search.
        let known = is_repeated(app, &job.user, &key).await;
        let findings = if known { None } else { search(app, job.as_ref().clone(), hold).await? };
        let input = Input::AskQuote { key: key.clone(), job: job.clone(), findings, hold };
        match app.handle.send(input).await {
            Err(Failed::Refused(refusal)) if *refusal == Refusal::Outdated && left > 0 => {}
            answer => return answer.map_err(Fault::from),
        }
    }
}

/// Searches on a thread that may take its time: the engine only copies what is for sale, and looks whether what was found
/// can be had. `None` when no site has said what is free.
async fn search(app: &App, job: JobSpec, hold: Option<Span>) -> Result<Option<Box<Findings>>, Fault> {
    let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
    let inquiry = app.handle.ask(move |state, now| Inquiry::new(state, now, &job, hold)).await?;
    let Some(inquiry) = inquiry.map_err(|refusal| Failed::Refused(Box::new(refusal)))? else {
        return Ok(None);
    };
    searched(app, turn, inquiry).await.map(|found| Some(Box::new(found)))
}

/// Waits a little for sites to say whether they hold what they are asked for; who is told before they have sees that they are asked.
async fn answered(app: &App, quote: QuoteNumber) -> Result<(), Fault> {
    for _ in 0..LOOKS_MAX {
        if !app.handle.ask(move |state, _| is_asked(state, quote)).await? {
            break;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// A quote, and whose it is.
async fn quote_of(app: &App, number: QuoteNumber) -> Result<(QuoteView, String), Fault> {
    let found = app.handle.ask(move |state, now| {
        let quote = state.quotes.get(&number)?;
        Some((quote_view(state, now, number, quote), quote.spec.user.clone()))
    });
    found.await?.ok_or_else(|| Fault::missing(format_args!("quote {number}, or it has expired")))
}

async fn own_quote(app: &App, caller: &Caller, text: &str) -> Result<QuoteView, Fault> {
    let number = QuoteNumber::new(number(text, "quote")?);
    let (view, user) = quote_of(app, number).await?;
    if only(caller).is_some_and(|own| user != own) {
        return Err(Fault::missing(format_args!("quote {number}, or it has expired")));
    }
    Ok(view)
}

async fn show_quote(
    State(app): State<App>,
    caller: Caller,
    Path(quote): Path<String>,
) -> Result<Json<QuoteView>, Fault> {
    own_quote(&app, &caller, &quote).await.map(Json)
}

async fn accept(
    State(app): State<App>,
    caller: Caller,
    Path(quote): Path<String>,
    Key(key): Key,
    Sent(body): Sent<AcceptBody>,
) -> Result<(StatusCode, Json<AcceptedView>), Fault> {
    let number = QuoteNumber::new(number(&quote, "quote")?);
    // An administrator accepts for whom a quote was given to. A quote that was accepted is gone; who repeats the request under the
    // same key is told the same again.
    let user = only(&caller).map(str::to_owned);
    let input = Input::Accept { user, key, quote: number, option: body.option };
    match app.handle.send(input).await? {
        Answer::Accepted { job, reservation } => {
            let view =
                AcceptedView { job: job.get(), reservation: Some(reservation.get()), jobs: Vec::new() };
            Ok((StatusCode::CREATED, Json(view)))
        }
        Answer::Chain(jobs) => {
            let job = jobs.first().map_or(0, |first| first.get());
            let jobs = jobs.iter().map(|job| job.get()).collect();
            Ok((StatusCode::CREATED, Json(AcceptedView { job, reservation: None, jobs })))
        }
        Answer::Broken { why, compensation } => {
            let why = app.handle.ask(move |state, _| match &why {
                Why::Outdated(_) => "Some of its time has been taken meanwhile.".to_owned(),
                why => Context::of_service(state).why(why),
            });
            let why = why.await?;
            let given = Num::of_money(compensation).credits();
            let message = format!("the quote cannot be honoured: {why} You were given {given} for it.");
            Err(Fault::new(StatusCode::CONFLICT, "quote-broken", message))
        }
        other => Err(unexpected(&other)),
    }
}

async fn choices(State(app): State<App>, caller: Caller) -> Result<Json<ChoicesView>, Fault> {
    let view = app.handle.ask(move |state, _| choices_view(state, &caller.name));
    Ok(Json(view.await?))
}
