//! Signing in to the page, and out again.
//!
//! A session's cookie is `HttpOnly` and `SameSite=Strict`: no script reads it, and no other site's page sends it. Besides, a
//! request that changes something counts as signed in only with the header `X-Walras-Page`, which a form of another site
//! cannot send, and a browser that says where a request comes from must say that it comes from here.

use super::App;
use super::endpoint::{ALL, Endpoint};
use super::extract::{Asked, Sent};
use super::fault::Fault;
use crate::clock::wall_millis;
use crate::described::JsonSchema;
use crate::session::{CODE_SECONDS, SESSION_SECONDS};
use crate::token::Caller;
use axum::Json;
use axum::extract::State;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use serde::Deserialize;
use std::io;
use std::net::IpAddr;
use std::time::Instant;
use walras_api::service::{CodeView, MeView, SessionView};

/// What the cookie is called.
const COOKIE_NAME: &str = "walras_session";
/// What the page sends with every request of its own.
const PAGE_HEADER: &str = "x-walras-page";

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

/// The session's secret that a request carries.
pub(super) fn secret(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value)
}

/// Whether the page itself sent a request, as far as a browser says so.
fn is_own(method: &Method, headers: &HeaderMap) -> bool {
    let from = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let from_here = from.is_none_or(|from| from == b"same-origin" || from == b"none");
    from_here && (method.is_safe() || headers.contains_key(PAGE_HEADER))
}

/// Whether a session that somebody listens with has not ended.
pub(super) fn goes_on(app: &App, secret: &str) -> bool {
    app.sessions.token_of(secret, wall_millis()).is_some()
}

/// Who is signed in with the cookie of a request.
pub(super) fn by_cookie(app: &App, method: &Method, headers: &HeaderMap) -> Option<Caller> {
    let secret = secret(headers).filter(|_| is_own(method, headers))?;
    let token = app.sessions.token_of(secret, wall_millis())?;
    app.tokens.caller_of(token, app.clock.now())
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

async fn session(State(app): State<App>, headers: HeaderMap) -> Json<SessionView> {
    let caller = by_cookie(&app, &Method::GET, &headers);
    Json(SessionView { me: caller.map(|caller| MeView { role: caller.role, name: caller.name }) })
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
    let view = SessionView { me: Some(MeView { role: caller.role, name: caller.name }) };
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
    Ok(([(SET_COOKIE, gone)], Json(SessionView { me: None })).into_response())
}

async fn code(State(app): State<App>, caller: Caller) -> Result<(StatusCode, Json<CodeView>), Fault> {
    let code = app.sessions.code(caller.token, wall_millis()).map_err(|error| unkept(&error))?;
    Ok((StatusCode::CREATED, Json(CodeView { code, seconds: CODE_SECONDS })))
}

/// Where a request comes from.
pub(super) struct From(pub(super) IpAddr);

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for From {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<From, std::convert::Infallible> {
        Ok(From(super::guard::address(&parts.extensions)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_session_is_found_among_cookies() {
        assert_eq!(secret(&headers(&[("cookie", "a=1; walras_session=x; b=2")])), Some("x"));
        assert_eq!(secret(&headers(&[("cookie", "not_walras_session=x")])), None);
        assert_eq!(secret(&headers(&[])), None);
    }

    #[test]
    fn only_the_page_changes_anything_with_a_cookie() {
        let page = ("x-walras-page", "1");
        let own = |method: Method, sent: &[(&'static str, &'static str)]| is_own(&method, &headers(sent));
        assert!(own(Method::GET, &[]));
        assert!(!own(Method::POST, &[]));
        assert!(own(Method::POST, &[page]));
        assert!(own(Method::POST, &[page, ("sec-fetch-site", "same-origin")]));
        assert!(!own(Method::POST, &[page, ("sec-fetch-site", "cross-site")]));
        assert!(!own(Method::GET, &[("sec-fetch-site", "same-site")]));
    }
}
