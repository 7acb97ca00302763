//! Signing in to the page, and out again.

use super::App;
use super::answer::Json;
use super::browser::{COOKIE_NAME, From, by_cookie, secret};
use super::endpoint::{ALL, Endpoint};
use super::extract::{Asked, Sent};
use super::fault::Fault;
use crate::clock::wall_millis;
use crate::described::JsonSchema;
use crate::session::{CODE_SECONDS, SESSION_SECONDS};
use crate::token::Caller;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use serde::Deserialize;
use std::io;
use std::time::Instant;
use walras_api::service::{CodeView, MeView, SessionView};

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<SessionView>(
            "get",
            "/v1/session",
            &[],
            "Say who is signed in with this browser.",
            get(session),
        ),
        Endpoint::new::<SessionView>(
            "post",
            "/v1/session",
            &[],
            "Sign this browser in with a token or a code; a cookie keeps it so.",
            post(sign_in),
        )
        .body::<SignInBody>()
        .status(201)
        .refuses(&[400, 408, 413, 415, 422, 429, 503]),
        Endpoint::new::<SessionView>(
            "delete",
            "/v1/session",
            ALL,
            "Sign this browser out, or all that are signed in with the same token.",
            delete(sign_out),
        )
        .query::<SignOutQuery>()
        .refuses(&[400]),
        Endpoint::new::<CodeView>(
            "post",
            "/v1/codes",
            ALL,
            "Make a code that signs a browser in once.",
            post(code),
        )
        .status(201),
    ]
}

/// A token or a code.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignInBody {
    /// A token's secret.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    token: Option<String>,
    /// Or a code.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    code: Option<String>,
}

/// How much is signed out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignOutQuery {
    /// Whether all browsers are that are signed in with the same token.
    everywhere: Option<bool>,
}

fn cookie(app: &App, secret: &str, seconds: u32) -> Result<HeaderValue, Fault> {
    let secure = if app.secure { "; Secure" } else { "" };
    let text =
        format!("{COOKIE_NAME}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).map_err(|error| app.broken(&error))
}

fn unkept(error: &io::Error) -> Fault {
    Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unwritable", error.to_string())
}

/// Changes sessions on a thread that may wait for the disk.
async fn change<T: Send + 'static>(
    app: &App,
    change: impl FnOnce(&App) -> io::Result<T> + Send + 'static,
) -> Result<T, Fault> {
    let inner = app.clone();
    let changed = tokio::task::spawn_blocking(move || change(&inner)).await;
    changed.map_err(|error| app.broken(&error))?.map_err(|error| unkept(&error))
}

fn nobody(app: &App) -> SessionView {
    SessionView { me: None, provider: app.sign_on.as_ref().map(|parts| parts.config.name.clone()) }
}

async fn session(State(app): State<App>, headers: HeaderMap) -> Json<SessionView> {
    let caller = by_cookie(&app.sessions, &app.tokens, app.clock.now(), &Method::GET, &headers);
    Json(SessionView {
        me: caller.map(|caller| MeView { role: caller.role, name: caller.name }),
        ..nobody(&app)
    })
}

async fn sign_in(
    State(app): State<App>,
    From(from): From,
    Sent(body): Sent<SignInBody>,
) -> Result<Response, Fault> {
    let now = wall_millis();
    let caller = match (&body.token, &body.code) {
        (Some(token), None) => app.tokens.caller(token.trim(), app.clock.now()),
        (None, Some(code)) => {
            let token = app.sessions.redeem(code.trim(), now);
            token.and_then(|token| app.tokens.caller_of(token, app.clock.now()))
        }
        _ => return Err(Fault::bad("body: either token or code is needed")),
    };
    let Some(caller) = caller else {
        // Whoever guesses may not guess fast.
        if !app.strangers.allows(&from, Instant::now()) {
            let message = "too many requests: slow down";
            return Err(Fault::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message));
        }
        let message = "it is not valid, or not any more";
        return Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-token", message));
    };
    let number = caller.token;
    let secret = change(&app, move |app| app.sessions.begin(number, now)).await?;
    let cookie = cookie(&app, &secret, SESSION_SECONDS)?;
    let view = SessionView { me: Some(MeView { role: caller.role, name: caller.name }), ..nobody(&app) };
    Ok((StatusCode::CREATED, [(SET_COOKIE, cookie)], Json(view)).into_response())
}

async fn sign_out(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Asked(query): Asked<SignOutQuery>,
) -> Result<Response, Fault> {
    let secret = secret(&headers).map(str::to_owned);
    let everywhere = query.everywhere.unwrap_or(false);
    let end = move |app: &App| match (everywhere, secret) {
        (true, _) => app.sessions.end_all(caller.token),
        (false, Some(secret)) => app.sessions.end(&secret),
        (false, None) => Ok(()),
    };
    change(&app, end).await?;
    // Whoever listens with it hears no more.
    app.closing.send_modify(|_| {});
    let gone = cookie(&app, "", 0)?;
    Ok(([(SET_COOKIE, gone)], Json(nobody(&app))).into_response())
}

async fn code(State(app): State<App>, caller: Caller) -> Result<(StatusCode, Json<CodeView>), Fault> {
    let code = app.sessions.code(caller.token, wall_millis()).map_err(|error| unkept(&error))?;
    Ok((StatusCode::CREATED, Json(CodeView { code, seconds: CODE_SECONDS })))
}
