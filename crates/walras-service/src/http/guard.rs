//! What stands before every handler: who is asking, may they, and not too often.

use super::App;
use super::browser::{address, by_cookie};
use super::budget::Share;
use super::fault::{Fault, TRACE};
use super::scope::{Post, too_narrow};
use crate::engine::{ASKS, WRITER};
use crate::journal::Writer;
use crate::token::Caller;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

/// So many callers are remembered; those who have not asked for long are forgotten, and without any, newcomers have to wait.
const CALLERS_MAX: usize = 100_000;

/// How often each caller may ask.
pub(super) struct Limiter<K> {
    rate: f64,
    burst: f64,
    buckets: Mutex<HashMap<K, (f64, Instant)>>,
}

impl<K: std::hash::Hash + Eq + Clone> Limiter<K> {
    pub(super) fn new(rate: u32, burst: u32) -> Limiter<K> {
        Limiter { rate: f64::from(rate), burst: f64::from(burst), buckets: Mutex::new(HashMap::new()) }
    }

    /// Whether a caller may ask once more now.
    pub(super) fn allows(&self, caller: &K, now: Instant) -> bool {
        let Ok(mut buckets) = self.buckets.lock() else { return false };
        if buckets.len() >= CALLERS_MAX && !buckets.contains_key(caller) {
            let full = |(left, at): &(f64, Instant)| {
                left + now.duration_since(*at).as_secs_f64() * self.rate >= self.burst
            };
            buckets.retain(|_, bucket| !full(bucket));
            if buckets.len() >= CALLERS_MAX {
                return false;
            }
        }
        let (left, at) = buckets.entry(caller.clone()).or_insert((self.burst, now));
        *left = (*left + now.duration_since(*at).as_secs_f64() * self.rate).min(self.burst);
        *at = now;
        let allowed = *left >= 1.0;
        if allowed {
            *left -= 1.0;
        }
        allowed
    }
}

/// Stands before a handler.
pub(super) async fn guard(State((app, post)): State<(App, Post)>, request: Request, next: Next) -> Response {
    let trace = trace(&app);
    let begun = Instant::now();
    let answer = TRACE.scope(trace.clone(), async {
        match admit(&app, post, request) {
            // A stream counts among the streams, and not for ever among the requests.
            Ok((request, _)) if post.streams => next.run(request).await,
            Ok((request, _busy)) => {
                match tokio::time::timeout(app.answer_within, signed(request, next)).await {
                    Ok(response) => response,
                    Err(_) => {
                        let message = "the request took too long to read or to answer";
                        Fault::new(StatusCode::REQUEST_TIMEOUT, "too-slow", message).into_response()
                    }
                }
            }
            Err(fault) => fault.into_response(),
        }
    });
    let mut response = answer.await;
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    app.metrics.request(post.method, post.path, status, took);
    tracing::info!(
        trace,
        method = post.method,
        path = post.path,
        status,
        micros = took.as_micros(),
        "request"
    );
    if let Ok(value) = HeaderValue::from_str(&trace) {
        response.headers_mut().insert("x-trace", value);
    }
    response
}

/// Lets a handler answer, in the name of whoever asks.
async fn signed(request: Request, next: Next) -> Response {
    let Some(caller) = request.extensions().get::<Caller>() else { return next.run(request).await };
    let by = Writer { role: caller.role.into(), name: caller.name.clone(), token: Some(caller.token) };
    let whose = caller.whose();
    WRITER.scope(by, ASKS.scope(whose, next.run(request))).await
}

/// The number under which the log knows a request.
fn trace(app: &App) -> String {
    let count = app.requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{:08x}-{count:x}", app.started)
}

/// The request with who is asking, and a place among their requests.
fn admit(app: &App, post: Post, mut request: Request<Body>) -> Result<(Request, Option<Share>), Fault> {
    let now = Instant::now();
    let from = address(request.extensions());
    if !app.handle.is_ready() && post.path.starts_with("/v1") {
        let message = "the service is starting or stopping";
        return Err(Fault::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", message));
    }
    if post.roles.is_empty() {
        return Ok((request, None));
    }
    let too_often = || {
        let message = "too many requests: slow down";
        Fault::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message)
    };
    let caller = match caller(app, &request) {
        Some(caller) => caller,
        // Whoever guesses may not guess fast.
        None if !app.strangers.allows(&from, now) => return Err(too_often()),
        None => {
            let message = "a valid token is needed: `Authorization: Bearer TOKEN`";
            return Err(Fault::new(StatusCode::UNAUTHORIZED, "no-token", message));
        }
    };
    if !app.callers.allows(&caller.whose(), now) {
        return Err(too_often());
    }
    if !post.roles.contains(&caller.role) {
        let roles: Vec<&str> = post.roles.iter().map(|role| role.text()).collect();
        let message =
            format!("only for {}: this token is of the role {}", roles.join(" or "), caller.role.text());
        return Err(Fault::forbidden(message));
    }
    if let Some(why) = too_narrow(&caller, post, request.uri().path()) {
        return Err(Fault::forbidden(why));
    }
    let busy = app.busy.take(caller.whose(), 1).map_err(|_| {
        let message = "too many requests of yours at a time: wait for the others' answers";
        Fault::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", message)
    })?;
    request.extensions_mut().insert(app.bodies.clone());
    request.extensions_mut().insert(app.large.clone());
    request.extensions_mut().insert(caller);
    Ok((request, Some(busy)))
}

/// Whoever a request's token belongs to; without one, whoever is signed in with its cookie.
fn caller(app: &App, request: &Request) -> Option<Caller> {
    let Some(header) = request.headers().get(header::AUTHORIZATION) else {
        return by_cookie(&app.sessions, &app.tokens, app.clock.now(), request.method(), request.headers());
    };
    let header = header.to_str().ok()?;
    let (scheme, secret) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    app.tokens.caller(secret.trim(), app.clock.now())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_caller_may_ask_in_a_burst_and_then_at_a_rate() {
        let limiter = Limiter::new(10, 3);
        let now = Instant::now();
        let asked: Vec<bool> = (0..4).map(|_| limiter.allows(&7, now)).collect();
        assert_eq!(asked, [true, true, true, false]);
        assert!(limiter.allows(&8, now), "others do not wait");
        let later = now + Duration::from_millis(100);
        assert_eq!([limiter.allows(&7, later), limiter.allows(&7, later)], [true, false]);
    }
}
