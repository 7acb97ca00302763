//! `/sign-in` sends a browser to the VO's provider, `/sign-in/back` signs it in when it comes back.
//!
//! The browser then gets a code like any other that signs it in once, so that its session begins on the page and from here alone.

use super::App;
use super::admin::name as plain_name;
use super::browser::{From, cookie_of};
use super::fault::Fault;
use super::tokens::made;
use crate::clock::wall_millis;
use crate::engine::{Failed, WRITER};
use crate::journal::Writer;
use crate::session::SESSION_SECONDS;
use crate::sign_on::{BACK, Back, NotSigned, OidcConfig, Person};
use crate::token::{Tokens, Wanted};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use std::time::Instant;
use walras_api::service::{Role, WriterRole};
use walras_broker::Input;
use walras_broker::input::User;
use walras_model::{Money, Time};

/// What a browser keeps while it is away.
const COOKIE: &str = "walras_sign_in";
/// For how long, in seconds.
const AWAY_SECONDS: u32 = 600;

/// What signs people in, and by which rules.
pub struct SignOnParts {
    /// The provider.
    pub provider: std::sync::Arc<dyn crate::sign_on::SignOn>,
    /// Who may come.
    pub config: OidcConfig,
}

pub(super) fn routes(router: Router<App>) -> Router<App> {
    router.route("/sign-in", get(leave)).route(BACK, get(come_back))
}

/// What the provider adds to the address.
#[derive(Debug, Deserialize)]
struct Answer {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
}

fn said(status: StatusCode, text: &str) -> Response {
    let page = format!(
        "Signing in did not work: {text}.\n\nGo back to the page and try again, or sign in with a token.\n"
    );
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    (status, [(CONTENT_TYPE, plain), (CACHE_CONTROL, HeaderValue::from_static("no-store"))], page)
        .into_response()
}

fn to(address: &str, cookie: &str) -> Response {
    let headers = HeaderValue::from_str(address).ok().zip(HeaderValue::from_str(cookie).ok());
    match headers {
        None => said(StatusCode::BAD_GATEWAY, "an address cannot be written"),
        Some((address, cookie)) => {
            let no_store = HeaderValue::from_static("no-store");
            (StatusCode::SEE_OTHER, [(LOCATION, address), (SET_COOKIE, cookie), (CACHE_CONTROL, no_store)])
                .into_response()
        }
    }
}

fn kept(app: &App, browser: &str, seconds: u32) -> String {
    let secure = if app.secure { "; Secure" } else { "" };
    format!("{COOKIE}={browser}; Path=/sign-in; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

fn status_of(why: &NotSigned) -> StatusCode {
    match why {
        NotSigned::Unreachable(..) => StatusCode::BAD_GATEWAY,
        NotSigned::Unexpected | NotSigned::Invalid(..) | NotSigned::Nameless(..) => StatusCode::FORBIDDEN,
    }
}

async fn leave(State(app): State<App>, From(from): From) -> Response {
    let Some(parts) = &app.sign_on else {
        return said(StatusCode::NOT_FOUND, "this service has no provider");
    };
    if !app.strangers.allows(&from, Instant::now()) {
        return said(StatusCode::TOO_MANY_REQUESTS, "too many requests, slow down");
    }
    let provider = parts.provider.clone();
    match tokio::task::spawn_blocking(move || provider.begin(wall_millis())).await {
        Ok(Ok(begun)) => to(&begun.to, &kept(&app, &begun.browser, AWAY_SECONDS)),
        Ok(Err(why)) => said(status_of(&why), &why.to_string()),
        Err(error) => app.broken(&error).into_response(),
    }
}

async fn come_back(
    State(app): State<App>,
    From(from): From,
    headers: HeaderMap,
    answer: Result<Query<Answer>, QueryRejection>,
) -> Response {
    let Some(parts) = &app.sign_on else {
        return said(StatusCode::NOT_FOUND, "this service has no provider");
    };
    if !app.strangers.allows(&from, Instant::now()) {
        return said(StatusCode::TOO_MANY_REQUESTS, "too many requests, slow down");
    }
    let (state, code) = match answer {
        Ok(Query(Answer { state: Some(state), code: Some(code), error: None })) => (state, code),
        Ok(Query(Answer { error: Some(_), .. })) => {
            return said(StatusCode::FORBIDDEN, "the provider has refused it");
        }
        Ok(_) | Err(_) => return said(StatusCode::BAD_REQUEST, "state and code are needed"),
    };
    let browser = cookie_of(&headers, COOKIE).unwrap_or_default().to_owned();
    let (provider, back) = (parts.provider.clone(), Back { browser, state, code });
    let person = match tokio::task::spawn_blocking(move || provider.finish(&back, wall_millis())).await {
        Ok(Ok(person)) => person,
        Ok(Err(why)) => return said(status_of(&why), &why.to_string()),
        Err(error) => return app.broken(&error).into_response(),
    };
    let by = Writer { role: WriterRole::Provider, name: parts.config.name.clone(), token: None };
    match WRITER.scope(by, code_for(&app, &parts.config, person)).await {
        Ok(Some(code)) => to(&format!("/#code={code}"), &kept(&app, "", 0)),
        Ok(None) => said(StatusCode::FORBIDDEN, "the VO does not know you, ask its administrator to add you"),
        Err(fault) => fault.into_response(),
    }
}

/// A code that signs them in once; none where the VO does not know them.
async fn code_for(app: &App, config: &OidcConfig, person: Person) -> Result<Option<String>, Fault> {
    let role = config.role_of(&person);
    let name = person.name;
    let asked = name.clone();
    let known = app.handle.ask(move |state, _| state.users.get(asked.as_str()).is_some()).await?;
    if !known && role == Role::User {
        // A name that cannot be one is nobody's.
        if !config.create || plain_name(&name, "").is_err() {
            return Ok(None);
        }
        let user = User { name: name.clone(), group: None, lowest: Money::ZERO, share: 1 };
        match app.handle.send(Input::SetUser(user)).await {
            Ok(_) => {}
            Err(Failed::Refused(_)) => return Ok(None),
            Err(failed) => return Err(failed.into()),
        }
    }
    let now = app.clock.now();
    let until = now.as_millis().saturating_add(i64::from(SESSION_SECONDS) * 1_000);
    let expires_at = Some(Time::from_millis(until).unwrap_or(Time::MAX));
    // Nobody needs its secret: it is for this session alone.
    let make = move |tokens: &Tokens| tokens.make(&Wanted { expires_at, ..Wanted::plain(role, &name) }, now);
    let (token, _) = made(app, make).await?;
    let code = app.sessions.code(token.token, wall_millis());
    code.map(Some)
        .map_err(|error| Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unwritable", error.to_string()))
}
