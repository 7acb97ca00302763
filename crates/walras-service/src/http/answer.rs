//! The JSON of answers: every answer of the API is written here, so that none forgets to be exact for clients with doubles.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use walras_api::service::exact;

/// A view as JSON, with the texts of numbers beside them that a double does not hold ([`exact`]).
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match exact::json(&self.0) {
            Ok(text) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
            }
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
