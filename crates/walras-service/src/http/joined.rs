//! Sites that join, change and leave while the service runs, by the API.

use super::App;
use super::answer::Json;
use super::endpoint::{ADMINISTRATOR, Endpoint, OWNERS};
use super::extract::Sent;
use super::fault::Fault;
use super::market::{owned, show_site};
use crate::described::JsonSchema;
use crate::joining::NotJoined;
use crate::site::added::Table;
use crate::site::rules;
use crate::token::Caller;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, post, put};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use walras_api::service::{PricesFile, SiteView};
use walras_broker::Input;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<SiteView>(
            "post",
            "/v1/sites",
            ADMINISTRATOR,
            "Add a site, by a table with the keys of [[site]] in walras.toml.",
            post(add),
        )
        .body::<Table>()
        .status(201)
        .refuses(&[400, 409, 413, 415, 422]),
        Endpoint::new::<SiteView>(
            "put",
            "/v1/sites/{site}",
            OWNERS,
            "Change a site's prices, who may run there, and how much they may get.",
            put(change),
        )
        .body::<SiteChange>()
        .refuses(&[400, 403, 404, 413, 415, 422]),
        Endpoint::new::<SiteView>(
            "delete",
            "/v1/sites/{site}",
            OWNERS,
            "Tell a site to leave: it sells nothing new, and is gone when what it holds has ended.",
            delete(remove),
        )
        .refuses(&[403, 404]),
    ]
}

/// What changes of a site; what is not given stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SiteChange {
    /// Its prices, as in a file of prices.
    prices: Option<Table>,
    /// Who may run there, as access in the table of a site in walras.toml.
    access: Option<Vec<Table>>,
    /// How much they may get in a cycle, as quotas in the table of a site.
    quotas: Option<Vec<Table>>,
}

async fn change(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    Sent(body): Sent<SiteChange>,
) -> Result<Json<SiteView>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    let wrong =
        |why: String| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-site", format!("body: {why}"));
    let known = app.handle.ask(move |state, _| state.site(site).map(|it| it.spec.terms())).await?;
    let mut terms = known.ok_or_else(|| Fault::missing("such site"))?;
    if let Some(prices) = body.prices {
        let file: PricesFile = read("prices", prices).map_err(wrong)?;
        terms.prices = file.rules("body").map_err(|error| wrong(error.to_string()))?;
    }
    let access = body.access.map(|tables| each("access", tables)).transpose().map_err(wrong)?;
    let quotas = body.quotas.map(|tables| each("quotas", tables)).transpose().map_err(wrong)?;
    let given = rules(access.as_deref().unwrap_or_default(), quotas.as_deref().unwrap_or_default());
    let given = given.map_err(|bad| wrong(bad.to_string()))?;
    if access.is_some() {
        terms.access.access = given.access;
    }
    if quotas.is_some() {
        terms.access.quotas = given.quotas;
    }
    app.handle.send(Input::ChangeSite { site, terms: Box::new(terms) }).await?;
    show_site(&app, site).await.map(Json)
}

fn read<T: DeserializeOwned>(key: &str, table: Table) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(table)).map_err(|error| format!("{key}: {error}"))
}

fn each<T: DeserializeOwned>(key: &str, tables: Vec<Table>) -> Result<Vec<T>, String> {
    let one = |(place, table): (usize, Table)| read(&format!("{key}[{place}]"), table);
    tables.into_iter().enumerate().map(one).collect()
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<SiteView>, Fault> {
    let site = owned(&app, &caller, &name).await?;
    app.handle.send(Input::RemoveSite(site)).await?;
    show_site(&app, site).await.map(Json)
}

async fn add(
    State(app): State<App>,
    Sent(table): Sent<Table>,
) -> Result<(StatusCode, Json<SiteView>), Fault> {
    let joined = app.joiner.join_by_table(&app.handle, &app.sites, table).await;
    let site = joined.map_err(|why| match why {
        NotJoined::Table(why) => {
            Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-site", format!("body: {why}"))
        }
        NotJoined::Failed(failed) => failed.into(),
        NotJoined::Unkept(error) => {
            Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unwritable", error.to_string())
        }
        NotJoined::Unopened(_) => Fault::new(StatusCode::CONFLICT, "unreachable", why.to_string()),
    })?;
    Ok((StatusCode::CREATED, Json(show_site(&app, site).await?)))
}
