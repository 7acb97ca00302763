//! Sites that join while the service runs: by the API, and by the file when it is read again.

use super::App;
use super::endpoint::{ADMINISTRATOR, Endpoint};
use super::extract::Sent;
use super::fault::Fault;
use super::market::show_site;
use crate::check::same;
use crate::config::Config;
use crate::engine::WRITER;
use crate::joining::NotJoined;
use crate::journal::Writer;
use crate::site::added::Table;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use std::path::Path;
use walras_api::service::SiteView;

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
    ]
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

impl App {
    /// Reads the configuration again: sites that are new in it join. Says what changed, a line each.
    pub async fn reload(&self, path: &Path) -> Vec<String> {
        let source = path.display().to_string();
        let by = Writer { role: "configuration".to_owned(), name: source, token: None };
        WRITER.scope(by, self.reload_by_file(path)).await
    }

    async fn reload_by_file(&self, path: &Path) -> Vec<String> {
        let mut before = self.joiner.config.lock().await;
        let now = match Config::read(path) {
            Ok(now) => now,
            Err(error) => return vec![format!("nothing is changed: {error}")],
        };
        let changed = now.changed_since(&before);
        let mut said: Vec<String> = changed
            .iter()
            .map(|what| format!("{what} has changed: it takes effect with the next start"))
            .collect();
        for site in &now.sites {
            let name = site.name.clone();
            let known = self.handle.ask(move |state, _| {
                state.sites.iter().find(|known| known.spec.name == name).map(|known| known.spec.clone())
            });
            let was = before.sites.iter().find(|was| was.name == site.name);
            match known.await {
                Err(failed) => return vec![format!("nothing is changed: {failed}")],
                Ok(None) => {
                    let joined = self.joiner.join_by_file(&self.handle, &self.sites, &before, site).await;
                    said.push(match joined {
                        Ok(_) => format!("site {} has joined", site.name),
                        Err(why) => format!("site {} has not joined: {why}", site.name),
                    });
                }
                Ok(Some(known)) => match same(&known, site) {
                    Err(why) => said.push(format!("refused: {why}")),
                    Ok(()) if was.is_some_and(|was| format!("{was:?}") != format!("{site:?}")) => {
                        let what = "its table has changed: prices are set with `walras prices`, the rest takes effect with the next start";
                        said.push(format!("site {}: {what}", site.name));
                    }
                    Ok(()) => {}
                },
            }
        }
        for gone in before.sites.iter().filter(|was| now.sites.iter().all(|site| site.name != was.name)) {
            said.push(format!("refused: site {} is missing: sites that have joined stay", gone.name));
        }
        *before = now;
        if said.is_empty() {
            said.push("nothing has changed".to_owned());
        }
        said
    }
}
