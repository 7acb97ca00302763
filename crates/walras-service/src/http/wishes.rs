//! What owners and the administrator want of plans.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, ALL, Endpoint, OWNERS};
use super::extract::Sent;
use super::fault::Fault;
use super::market::named;
use crate::token::Caller;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, put};
use walras_api::service::{Role, WishFile, WishView};
use walras_broker::Input;
use walras_broker::wish::Wisher;
use walras_model::SiteId;

const OF_SITE: &str = "/v1/sites/{site}/wish";
const OF_VO: &str = "/v1/wish";

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<WishView>(
            "get",
            OF_VO,
            ALL,
            "Show what the administrator wants of plans.",
            get(show),
        ),
        Endpoint::new::<WishView>(
            "put",
            OF_VO,
            ADMINISTRATOR,
            "Say what the administrator wants of plans.",
            put(set),
        )
        .body::<WishFile>()
        .refuses(&[400, 413, 415, 422]),
        Endpoint::new::<WishView>(
            "delete",
            OF_VO,
            ADMINISTRATOR,
            "Want nothing of plans any more.",
            delete(forget),
        ),
        Endpoint::new::<WishView>(
            "get",
            OF_SITE,
            ALL,
            "Show what a site's owner wants of plans.",
            get(show_of),
        )
        .refuses(&[404]),
        Endpoint::new::<WishView>(
            "put",
            OF_SITE,
            OWNERS,
            "Say what a site's owner wants of plans.",
            put(set_of),
        )
        .body::<WishFile>()
        .refuses(&[400, 403, 404, 413, 415, 422]),
        Endpoint::new::<WishView>(
            "delete",
            OF_SITE,
            OWNERS,
            "Want nothing of what runs on a site any more.",
            delete(forget_of),
        )
        .refuses(&[403, 404]),
    ]
}

async fn shown(app: &App, of: Wisher) -> Result<Json<WishView>, Fault> {
    let view = app.handle.ask(move |state, _| WishView { wish: state.wish(of).map(WishFile::of) });
    Ok(Json(view.await?))
}

async fn wanted(app: &App, of: Wisher, file: &WishFile) -> Result<Json<WishView>, Fault> {
    let wish = file
        .wish("body")
        .map_err(|error| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-wish", error.to_string()))?;
    app.handle.send(Input::SetWish { of, wish: Some(wish) }).await?;
    shown(app, of).await
}

/// The site, where the caller may speak for its owner.
async fn own(app: &App, caller: &Caller, name: &str) -> Result<SiteId, Fault> {
    let site = named(app, name)?;
    let owner = app.handle.ask(move |state, _| state.site(site).map(|it| it.spec.owner.clone())).await?;
    if caller.role == Role::Owner && owner.as_deref() != Some(caller.name.as_str()) {
        return Err(Fault::forbidden(
            "only its owner or the administrator may say what a site's owner wants",
        ));
    }
    Ok(site)
}

async fn show(State(app): State<App>) -> Result<Json<WishView>, Fault> {
    shown(&app, Wisher::Administrator).await
}

async fn set(State(app): State<App>, Sent(file): Sent<WishFile>) -> Result<Json<WishView>, Fault> {
    wanted(&app, Wisher::Administrator, &file).await
}

async fn forget(State(app): State<App>) -> Result<Json<WishView>, Fault> {
    app.handle.send(Input::SetWish { of: Wisher::Administrator, wish: None }).await?;
    shown(&app, Wisher::Administrator).await
}

async fn show_of(State(app): State<App>, Path(name): Path<String>) -> Result<Json<WishView>, Fault> {
    let site = named(&app, &name)?;
    shown(&app, Wisher::Owner(site)).await
}

async fn set_of(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(file): Sent<WishFile>,
) -> Result<Json<WishView>, Fault> {
    let site = own(&app, &caller, &name).await?;
    wanted(&app, Wisher::Owner(site), &file).await
}

async fn forget_of(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<WishView>, Fault> {
    let of = Wisher::Owner(own(&app, &caller, &name).await?);
    app.handle.send(Input::SetWish { of, wish: None }).await?;
    shown(&app, of).await
}
