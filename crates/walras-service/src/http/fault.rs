//! Refusals as answers: a status, a code for programs, a sentence for people.

use super::answer::Json;
use super::extract::KEY_PREFIX;
use crate::engine::Failed;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use walras_api::ReadError;
use walras_api::sentence::Context;
use walras_api::service::ErrorView;
use walras_broker::Refusal;
use walras_broker::refusal::Countable;

tokio::task_local! {
    /// The number under which the log knows the request that is being answered.
    pub(super) static TRACE: String;
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The status.
    pub status: StatusCode,
    /// What kind of refusal.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl Fault {
    /// A refusal.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Fault {
        Fault { status, code, message: message.into() }
    }

    /// The request cannot be read, or a value in it is out of bounds.
    pub fn bad(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// The same about a part of what was sent.
    #[must_use]
    pub(super) fn within(self, place: impl std::fmt::Display) -> Fault {
        Fault { message: format!("{place}: {}", self.message), ..self }
    }

    /// There is no such thing, or the caller may not know of it.
    pub fn missing(what: impl std::fmt::Display) -> Fault {
        Fault::new(StatusCode::NOT_FOUND, "not-found", format!("there is no {what}"))
    }

    /// The caller may not do that.
    pub fn forbidden(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::FORBIDDEN, "forbidden", message)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let trace = TRACE.try_with(Clone::clone).unwrap_or_default();
        let view = ErrorView { code: self.code.to_owned(), message: self.message, trace };
        let mut response = (self.status, Json(view)).into_response();
        let headers = response.headers_mut();
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        Fault::bad(error.to_string())
    }
}

impl From<Failed> for Fault {
    fn from(failed: Failed) -> Fault {
        let unavailable = |code| Fault::new(StatusCode::SERVICE_UNAVAILABLE, code, failed.to_string());
        match &failed {
            Failed::Refused(refusal) => refused(refusal),
            Failed::Busy => unavailable("busy"),
            Failed::Unwritable(_) => unavailable("unwritable"),
            Failed::Stopped => unavailable("stopping"),
        }
    }
}

fn refused(refusal: &Refusal) -> Fault {
    let (status, code) = match refusal {
        Refusal::NoJob(_) | Refusal::NoQuote(_) | Refusal::NoSite(_) | Refusal::NoAccount(_) => {
            (StatusCode::NOT_FOUND, "not-found")
        }
        Refusal::NoUser(_) => (StatusCode::UNPROCESSABLE_ENTITY, "no-user"),
        Refusal::NoOption(_) => (StatusCode::UNPROCESSABLE_ENTITY, "no-option"),
        Refusal::OptionPast(_) => (StatusCode::CONFLICT, "option-past"),
        Refusal::Outdated => (StatusCode::SERVICE_UNAVAILABLE, "outdated"),
        Refusal::NotYours(_) => (StatusCode::FORBIDDEN, "forbidden"),
        Refusal::NotHeld(_) => (StatusCode::CONFLICT, "not-held"),
        Refusal::KeyUsed(key) => {
            let shown = key.strip_prefix(KEY_PREFIX).unwrap_or(key);
            let message = Context::nameless().refusal(&Refusal::KeyUsed(shown.to_owned()));
            return Fault::new(StatusCode::CONFLICT, "key-used", message);
        }
        Refusal::BadName { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "bad-name"),
        Refusal::BadJob(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-job"),
        Refusal::BadChain(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-chain"),
        Refusal::ChainUnfit { .. } => (StatusCode::CONFLICT, "chain-unfit"),
        Refusal::BadSite(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-site"),
        Refusal::BadPolicy(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-policy"),
        Refusal::BadPrices(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-prices"),
        Refusal::BadAmount(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-amount"),
        Refusal::BadWish(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-wish"),
        Refusal::BadHold { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "bad-hold"),
        Refusal::NoMoney(_) => (StatusCode::CONFLICT, "no-money"),
        Refusal::OverBudget(_) => (StatusCode::CONFLICT, "over-budget"),
        Refusal::TooMany { what: Countable::HeldQuotes, .. } => (StatusCode::TOO_MANY_REQUESTS, "over-limit"),
        Refusal::TooMany { .. } => (StatusCode::SERVICE_UNAVAILABLE, "too-many"),
        Refusal::OverLimit(_) => (StatusCode::TOO_MANY_REQUESTS, "over-limit"),
        Refusal::NoCycle(_) => (StatusCode::CONFLICT, "no-cycle"),
    };
    Fault::new(status, code, Context::nameless().refusal(refusal))
}
