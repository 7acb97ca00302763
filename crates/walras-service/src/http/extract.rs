//! What requests carry, with refusals that say what would be right.

use super::budget::{Budget, Share, Spent};
use super::fault::Fault;
use crate::token::{Caller, Whose};
use crate::turns::{Turn, Turns};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use walras_api::service::exact;

/// Bodies larger than this are refused, unless the endpoint takes jobs.
const BODY_MAX: usize = 1 << 20;
/// What tells keys of clients from our own.
pub(super) const KEY_PREFIX: &str = "client ";
/// A key of the client's own has at most so many characters.
const KEY_MAX: usize = 190;

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Fault> {
        let missing = || Fault::new(StatusCode::UNAUTHORIZED, "no-token", "a token is needed");
        parts.extensions.get::<Caller>().cloned().ok_or_else(missing)
    }
}

/// The query of a request.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Fault> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(query)) => Ok(Asked(query)),
            Err(error) => Err(Fault::bad(format!("the query cannot be read: {}", error.body_text()))),
        }
    }
}

/// The client's own name of a request, so that it can be repeated; one of ours when it gives none.
pub(super) struct Key(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Key, Fault> {
        let Some(value) = parts.headers.get("idempotency-key") else { return own_key().map(Key) };
        let key = value.to_str().ok().filter(|key| !key.is_empty() && key.chars().count() <= KEY_MAX);
        let wrong = || Fault::bad(format!("Idempotency-Key must have 1 to {KEY_MAX} visible characters"));
        key.map(|key| Key(format!("{KEY_PREFIX}{key}"))).ok_or_else(wrong)
    }
}

fn own_key() -> Result<String, Fault> {
    let number = getrandom::u64().and_then(|high| Ok((high, getrandom::u64()?)));
    let (high, low) = number.map_err(|_| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "no-chance", "the system gives no random numbers")
    })?;
    Ok(format!("own {high:016x}{low:016x}"))
}

/// Of larger bodies one token has only one worked on at a time.
const LARGE: usize = 64 << 10;

/// What a body has while it is worked on: its part of what all bodies may take, and its caller's turn where it is large.
pub(super) type Held = (Option<Share>, Option<Turn>);

/// The bytes of a JSON body, and what it has until it has been worked on.
pub(super) struct JsonBytes(pub(super) Bytes, pub(super) Held);

impl<S: Send + Sync> FromRequest<S> for JsonBytes {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<JsonBytes, Fault> {
        let whose = request.extensions().get::<Caller>().map_or(Whose::STRANGER, Caller::whose);
        let turns = request.extensions().get::<Arc<Turns<Whose>>>().cloned();
        let (bytes, share) = json_bytes(request, walras_api::service::JOB_BYTES_MAX).await?;
        let turn = match turns.filter(|_| bytes.len() > LARGE) {
            Some(turns) => turns.take(&whose).await,
            None => None,
        };
        Ok(JsonBytes(bytes, (share, turn)))
    }
}

/// The bytes of a body, and what they take of what all bodies may.
async fn json_bytes(request: Request<Body>, most: usize) -> Result<(Bytes, Option<Share>), Fault> {
    let media = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_json = media.is_some_and(|media| {
        let plain = media.split(';').next().unwrap_or_default().trim();
        plain.eq_ignore_ascii_case("application/json")
    });
    if !is_json {
        let message = "the body must be JSON: `Content-Type: application/json`";
        return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", message));
    }
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        let message = format!("the body is larger than {most} bytes");
        Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    };
    if declared.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let whose = request.extensions().get::<Caller>().map_or(Whose::STRANGER, Caller::whose);
    let mut share = request.extensions().get::<Arc<Budget>>().map(|budget| budget.open(whose));
    let mut body = request.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Fault::bad("the body could not be read to its end"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > most {
            return Err(too_large());
        }
        if let Some(share) = &mut share {
            share.grow_to(length).map_err(no_room)?;
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes.into(), share))
}

/// There is no memory for a body now.
fn no_room(spent: Spent) -> Fault {
    match spent {
        Spent::Own => Fault::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-bytes",
            "the bodies of your requests are too large together: send them one after the other",
        ),
        Spent::All => Fault::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-many-bytes",
            "too much is being sent: try again later",
        ),
    }
}

/// A JSON body of this shape.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Sent<T>, Fault> {
        let (bytes, _share) = json_bytes(request, BODY_MAX).await?;
        // A list in order would do for serde, but not for the description.
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(Fault::bad("body: expected a JSON object"));
        }
        // What was answered with its amounts as text besides may be sent back so.
        let meant = std::str::from_utf8(&bytes).ok().and_then(exact::understood);
        let meant = meant.as_ref().map_or(bytes.as_ref(), String::as_bytes);
        let mut json = serde_json::Deserializer::from_slice(meant);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            let place = if path == "." { String::new() } else { format!("{path}: ") };
            Fault::bad(format!("body: {place}{}", error.inner()))
        })?;
        json.end().map_err(|error| Fault::bad(format!("body: {error}")))?;
        Ok(Sent(value))
    }
}

/// A number in a path.
pub(super) fn number(text: &str, what: &str) -> Result<u64, Fault> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().filter(|it| !it.is_control()).take(40).collect();
        Fault::bad(format!("{shown} is not the number of a {what}: expected a whole number"))
    })
}
