//! What scarce time is worth: looked for by whoever asks, on a copy, beside the quotes that are searched.

use super::App;
use super::answer::Json;
use super::endpoint::{ALL, Endpoint};
use super::fault::Fault;
use crate::view::worth::worth_view;
use axum::extract::State;
use axum::routing::get;
use walras_api::service::WorthView;
use walras_broker::WorthInquiry;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let summary = "Say what nodes' time is worth to those who wait for it, and when none is scarce.";
    vec![Endpoint::new::<WorthView>("get", "/v1/worth", ALL, summary, get(worth))]
}

async fn worth(State(app): State<App>) -> Result<Json<WorthView>, Fault> {
    let Some(inquiry) = app.handle.ask(WorthInquiry::new).await? else {
        return Ok(Json(WorthView::default()));
    };
    let turn = app.searches.clone().acquire_owned().await.map_err(|error| app.broken(&error))?;
    let searched = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let found = inquiry.search();
        (inquiry, found)
    });
    let (inquiry, found) = searched.await.map_err(|error| app.broken(&error))?;
    Ok(Json(app.handle.ask(move |state, _| worth_view(state, &inquiry, found.as_ref())).await?))
}
