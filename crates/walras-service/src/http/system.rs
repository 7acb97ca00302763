//! Health, metrics, and the API's own description.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::fault::Fault;
use crate::described::JsonSchema;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use serde_json::Value;

/// That it lives.
#[derive(Serialize, JsonSchema)]
struct HealthView {
    /// Always `ok`.
    status: &'static str,
    /// What an administrator should look at, although requests are taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alarms: Vec<String>,
}

/// What an administrator should look at.
pub(super) fn alarms() -> Vec<String> {
    let hours = |millis: i64| millis.unsigned_abs() / 3_600_000;
    let apart = crate::clock::wall_apart().map(|millis| {
        let way = if millis > 0 { "ahead of" } else { "behind" };
        let hours = hours(millis);
        format!("the machine's clock is {hours} hours or more {way} the time that goes on here: it is not followed")
    });
    apart.into_iter().collect()
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<HealthView>("get", "/healthz", &[], "Say that the service lives.", get(health)),
        Endpoint::new::<HealthView>("get", "/readyz", &[], "Say whether requests are taken.", get(ready))
            .refuses(&[503]),
        Endpoint::new::<String>(
            "get",
            "/metrics",
            ADMINISTRATOR,
            "Show what Prometheus reads.",
            get(metrics),
        )
        .text("text/plain; version=0.0.4; charset=utf-8"),
        Endpoint::new::<Value>("get", "/v1/openapi.json", &[], "Describe this API.", get(openapi)),
        Endpoint::new::<String>("get", "/docs", &[], "Describe this API for people.", get(page))
            .text("text/html; charset=utf-8"),
    ]
}

async fn health() -> Json<HealthView> {
    Json(HealthView { status: "ok", alarms: Vec::new() })
}

async fn ready(State(app): State<App>) -> Result<Json<HealthView>, Fault> {
    let not = |message: &str| Err(Fault::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", message));
    if !app.handle.is_ready() {
        return not("the service is starting or stopping");
    }
    if !app.handle.is_writable() {
        return not("the journal cannot be written: submissions are refused until it can");
    }
    Ok(Json(HealthView { status: "ok", alarms: alarms() }))
}

async fn metrics(State(app): State<App>) -> Result<Response, Fault> {
    let metrics = app.metrics.clone();
    metrics.bodies(app.bodies.taken());
    let text = app.handle.ask(move |state, _| {
        metrics.observe(state);
        metrics.text()
    });
    let media = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((media, text.await?).into_response())
}

#[expect(clippy::disallowed_types, reason = "a document that is kept as it is, and has no amounts")]
async fn openapi(State(app): State<App>) -> axum::Json<Value> {
    axum::Json(app.openapi.clone())
}

async fn page(State(app): State<App>) -> Html<String> {
    Html(app.page.clone())
}
