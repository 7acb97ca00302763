//! Tokens, and the log of who has changed what with them.

use super::App;
use super::admin::{name, unprocessable};
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::extract::{Asked, Sent, number};
use super::fault::Fault;
use super::market::named;
use crate::described::JsonSchema;
use crate::journal::act::Act;
use crate::token::{Tokens, Wanted};
use crate::view::log::log_line;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use serde::Deserialize;
use walras_api::service::{LogView, Role, Scope, TokenMade, TokenView, TokensView};
use walras_model::Time;

/// How many lines of the log are listed at most, and without a word.
const LIST_MAX: usize = 1_000;
const LIST_DEFAULT: usize = 100;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<TokensView>("get", "/v1/tokens", ADMINISTRATOR, "List the tokens.", get(tokens)),
        Endpoint::new::<TokenMade>("post", "/v1/tokens", ADMINISTRATOR, "Make a token.", post(make_token))
            .body::<TokenBody>()
            .status(201)
            .refuses(&[400, 404, 413, 415, 422]),
        Endpoint::new::<TokenView>(
            "delete",
            "/v1/tokens/{token}",
            ADMINISTRATOR,
            "Revoke a token.",
            delete(revoke),
        )
        .refuses(&[400, 404]),
        Endpoint::new::<LogView>(
            "get",
            "/v1/log",
            ADMINISTRATOR,
            "List who has changed what, newest first.",
            get(log),
        )
        .query::<LogQuery>()
        .refuses(&[400]),
    ]
}

/// A token to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    /// What it allows.
    role: Role,
    /// Whose it is: the name of a user or of an owner.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// What it is narrowed down to; all that its role may do, without.
    #[serde(default)]
    scope: Option<Scope>,
    /// The one site that it is for, of an owner; all of theirs, without.
    #[serde(default)]
    site: Option<String>,
    /// After how many seconds it expires; never, without.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    expires_in: Option<u32>,
}

/// Which lines are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LogQuery {
    /// Only lines whose numbers are below this.
    before: Option<u64>,
    /// At most so many.
    #[schemars(range(min = 1, max = 1_000))]
    limit: Option<usize>,
}

async fn tokens(State(app): State<App>) -> Json<TokensView> {
    Json(TokensView { tokens: app.tokens.list() })
}

/// A scope must leave something that the role may do.
fn check_scope(app: &App, body: &TokenBody) -> Result<(), Fault> {
    if body.scope == Some(Scope::SubmitOnly) && body.role == Role::Owner {
        return Err(unprocessable("bad-scope", "body: scope: owners submit nothing"));
    }
    let Some(site) = &body.site else { return Ok(()) };
    if body.role != Role::Owner {
        return Err(unprocessable("bad-scope", "body: site: only a token of an owner is for one site"));
    }
    named(app, site).map(|_| ())
}

async fn make_token(
    State(app): State<App>,
    Sent(body): Sent<TokenBody>,
) -> Result<(StatusCode, Json<TokenMade>), Fault> {
    name(&body.name, "body: name:")?;
    if body.expires_in.is_some_and(|seconds| !(1..=1_000_000_000).contains(&seconds)) {
        return Err(unprocessable("bad-time", "body: expires_in must be between 1 and 1000000000 seconds"));
    }
    check_scope(&app, &body)?;
    let now = app.clock.now();
    let expires_at = body
        .expires_in
        .map(|seconds| Time::from_millis(now.as_millis() + i64::from(seconds) * 1_000).unwrap_or(Time::MAX));
    let (token, secret) = made(&app, move |tokens| {
        let (role, scope, site) = (body.role, body.scope, body.site.as_deref());
        tokens.make(&Wanted { role, name: &body.name, scope, site, expires_at }, now)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(TokenMade { token, secret })))
}

/// Makes a token with its secret, and notes who has it.
pub(super) async fn made(
    app: &App,
    make: impl FnOnce(&Tokens) -> std::io::Result<(TokenView, String)> + Send + 'static,
) -> Result<(TokenView, String), Fault> {
    let inner = app.clone();
    let made = tokio::task::spawn_blocking(move || make(&inner.tokens));
    let (token, secret) = made.await.map_err(|error| app.broken(&error))?.map_err(|error| unkept(&error))?;
    if let Err(failed) = app.handle.note(&Act::TokenMade(token.clone())).await {
        // Nobody has a token that the log does not know.
        let (inner, now) = (app.clone(), app.clock.now());
        let _ = tokio::task::spawn_blocking(move || inner.tokens.revoke(token.token, now)).await;
        return Err(failed.into());
    }
    Ok((token, secret))
}

fn unkept(error: &std::io::Error) -> Fault {
    Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unwritable", error.to_string())
}

async fn revoke(State(app): State<App>, Path(token): Path<String>) -> Result<Json<TokenView>, Fault> {
    let token = number(&token, "token")?;
    let (inner, now) = (app.clone(), app.clock.now());
    let revoked = tokio::task::spawn_blocking(move || inner.tokens.revoke(token, now));
    let revoked = revoked.await.map_err(|error| app.broken(&error))?.map_err(|error| unkept(&error))?;
    // Whoever listens with it hears no more.
    app.closing.send_modify(|_| {});
    let revoked = revoked.ok_or_else(|| Fault::missing(format_args!("token {token}")))?;
    app.handle.note(&Act::TokenRevoked(revoked.clone())).await?;
    Ok(Json(revoked))
}

async fn log(State(app): State<App>, Asked(query): Asked<LogQuery>) -> Result<Json<LogView>, Fault> {
    let most = query.limit.unwrap_or(LIST_DEFAULT);
    if !(1..=LIST_MAX).contains(&most) {
        return Err(Fault::bad(format!("limit: {most} is not between 1 and {LIST_MAX}")));
    }
    let mut found = app.read(move |register| register.acts(query.before, most + 1)).await?;
    let more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| more).map(|line| line.number);
    let lines = app.handle.ask(move |state, _| found.into_iter().map(|it| log_line(state, it)).collect());
    Ok(Json(LogView { lines: lines.await?, next }))
}
