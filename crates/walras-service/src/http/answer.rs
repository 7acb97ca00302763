//! The JSON of answers: every answer of the API is written here, so that none forgets to be exact for clients with doubles.

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use walras_api::service::exact;

/// A view as JSON, with the texts of numbers beside them that a double does not hold ([`exact`]).
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        Written::of(&self.0).into_response()
    }
}

/// An answer that is written already, so that many can be given the same; none where it could not be.
#[derive(Clone)]
pub(super) struct Written(Option<Bytes>);

impl Written {
    pub(super) fn of(view: &impl Serialize) -> Written {
        let written = exact::json(view);
        let written = written.inspect_err(|error| tracing::error!(%error, "an answer cannot be written"));
        Written(written.ok().map(Bytes::from))
    }
}

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        match self.0 {
            Some(text) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
            }
            None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}
