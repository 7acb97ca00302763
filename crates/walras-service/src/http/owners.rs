//! What owners do with their nodes while the service runs.

use super::App;
use super::answer::Json;
use super::endpoint::{Endpoint, OWNERS};
use super::extract::Sent;
use super::fault::Fault;
use super::market::{owned, show_site};
use crate::described::JsonSchema;
use crate::engine::Failed;
use crate::token::Caller;
use crate::view::owner::{NoSuchNode, nodes_of, reclaimed};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde::Deserialize;
use walras_api::service::{ReclaimView, SiteView, moment};
use walras_broker::Input;
use walras_model::{Interval, NodeId, SiteId, Time};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let refuses = &[400, 403, 404, 413, 415, 422];
    vec![
        Endpoint::new::<SiteView>(
            "post",
            "/v1/sites/{site}/drain",
            OWNERS,
            "Sell nothing new of a site, or of some of its nodes, for a while; what is held stays.",
            post(drain),
        )
        .body::<Drain>()
        .refuses(refuses),
        Endpoint::new::<SiteView>(
            "post",
            "/v1/sites/{site}/resume",
            OWNERS,
            "Sell a site's nodes again.",
            post(resume),
        )
        .body::<Resume>()
        .refuses(refuses),
        Endpoint::new::<ReclaimView>(
            "post",
            "/v1/sites/{site}/reclaim",
            OWNERS,
            "Use nodes of one's own whatever is held there, or ask what that would do.",
            post(reclaim),
        )
        .body::<Reclaim>()
        .refuses(refuses),
    ]
}

/// What is drained, and when.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Drain {
    /// The names of the nodes; all of the site's, without.
    nodes: Option<Vec<String>>,
    /// From when: a point in time, or a time from now such as 2h; from now on, without.
    from: Option<String>,
    /// Until when, in the same manner; until it is resumed, without.
    until: Option<String>,
}

/// What is sold again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Resume {
    /// The names of the nodes; all of the site's, without.
    nodes: Option<Vec<String>>,
}

/// What is reclaimed, and when.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reclaim {
    /// The names of the nodes.
    nodes: Vec<String>,
    /// From when: a point in time, or a time from now such as 2h; from now on, without.
    from: Option<String>,
    /// Until when, in the same manner.
    until: String,
    /// Only say what it would do.
    #[serde(default)]
    dry_run: bool,
}

async fn drain(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(body): Sent<Drain>,
) -> Result<Json<SiteView>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    let interval = interval(&app, body.from.as_deref(), body.until.as_deref())?;
    let nodes = nodes(&app, site, body.nodes).await?;
    app.handle.send(Input::Drain { site, nodes, interval }).await?;
    show_site(&app, site).await.map(Json)
}

async fn resume(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(body): Sent<Resume>,
) -> Result<Json<SiteView>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    let nodes = nodes(&app, site, body.nodes).await?;
    app.handle.send(Input::Resume { site, nodes }).await?;
    show_site(&app, site).await.map(Json)
}

async fn reclaim(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(body): Sent<Reclaim>,
) -> Result<Json<ReclaimView>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    let interval = interval(&app, body.from.as_deref(), Some(&body.until))?;
    let nodes = nodes(&app, site, Some(body.nodes)).await?;
    let input = Input::Reclaim { site, nodes, interval };
    let asked = input.clone();
    let view = app.handle.ask(move |state, now| reclaimed(state, now, site, &asked)).await?;
    let view = view.map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
    if body.dry_run {
        return Ok(Json(view));
    }
    app.handle.send(input).await?;
    Ok(Json(ReclaimView { done: true, ..view }))
}

/// The nodes of those names, or all of the site's.
async fn nodes(app: &App, site: SiteId, names: Option<Vec<String>>) -> Result<Vec<NodeId>, Fault> {
    let found = app.handle.ask(move |state, _| nodes_of(state, site, names.as_deref())).await?;
    found.map_err(|unknown: NoSuchNode| {
        let message = format!("nodes: {unknown}");
        Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "no-such-node", message)
    })
}

/// From a moment or from now on, until a moment or for good.
fn interval(app: &App, from: Option<&str>, until: Option<&str>) -> Result<Interval, Fault> {
    let now = app.clock.now();
    let at =
        |field: &str, text: &str| moment(text, now).map_err(|error| Fault::bad(format!("{field}: {error}")));
    let from = from.map_or(Ok(now), |text| at("from", text))?;
    let until = until.map_or(Ok(Time::MAX), |text| at("until", text))?;
    let interval = Interval::new(from, until).filter(|it| it.start() < it.end());
    interval.ok_or_else(|| Fault::bad("until: it must come after from"))
}
