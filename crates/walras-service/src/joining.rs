//! Sites that join while the service runs.
//!
//! The order is what makes it durable: the table is kept, the broker takes the site in (which is an entry of the journal), and its connector is
//! opened. Whatever stops the service in between, the next start goes on from there. One site joins at a time, so that connectors come in the
//! broker's order.

use crate::clock::Clock;
use crate::config::{Config, hidden};
use crate::engine::{Failed, Handle, SiteLine, SitePort};
use crate::site::added::{self, Table, site_of};
use crate::site::{Joined, SiteConfig, open};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use tokio::sync::Mutex;
use walras_broker::{Answer, Input};
use walras_model::SiteId;

/// What is behind a site that has left, and whose table is gone.
pub const LEFT: &str = "none";

/// The sites, in the broker's order.
#[derive(Clone, Default)]
pub struct Sites {
    /// The place of each by its name.
    pub names: BTreeMap<String, SiteId>,
    /// What is behind each.
    pub connectors: Vec<String>,
    /// A line to each.
    pub lines: Vec<SiteLine>,
}

impl Sites {
    /// With one more.
    pub fn add(&mut self, name: &str, connector: &str, line: SiteLine) {
        if let Some(id) = SiteId::from_index(self.lines.len()) {
            self.names.insert(name.to_owned(), id);
            self.connectors.push(connector.to_owned());
            self.lines.push(line);
        }
    }
}

/// What opens connectors.
pub struct Joiner {
    /// The configuration as it was last read; whoever holds it may let sites join.
    pub(crate) config: Mutex<Config>,
    clock: Clock,
    executable: PathBuf,
}

/// Why a site does not join.
#[derive(Debug, thiserror::Error)]
pub enum NotJoined {
    /// Its table makes no site.
    #[error("{0}")]
    Table(String),
    /// The broker refused it, or cannot write it down.
    #[error("{0}")]
    Failed(#[from] Failed),
    /// Its table cannot be kept, or its thread not be started.
    #[error("{0}")]
    Unkept(#[from] std::io::Error),
    /// It has joined, and its connector cannot be opened; it is tried again at the next start.
    #[error("it has joined, but cannot be reached: {0}")]
    Unopened(String),
}

impl Joiner {
    /// Of a service.
    pub fn new(config: Config, clock: Clock, executable: PathBuf) -> Joiner {
        Joiner { config: Mutex::new(config), clock, executable }
    }

    /// Lets a site join by the table that was sent, and keeps the table.
    pub async fn join_by_table(
        &self,
        handle: &Handle,
        sites: &RwLock<Arc<Sites>>,
        table: Table,
    ) -> Result<SiteId, NotJoined> {
        let config = self.config.lock().await;
        let site = site_of(&table).map_err(|bad| NotJoined::Table(bad.to_string()))?;
        let data = config.data.clone();
        let kept = added::read(&data).map_err(|error| NotJoined::Table(error.to_string()))?;
        let name = site.name.clone();
        let taken =
            handle.ask(move |state, _| state.sites.iter().any(|known| known.spec.name == name)).await?;
        let spec = joined_spec(&site).await?;
        let same = |kept: &Table| kept.get("name").and_then(Value::as_str) == Some(&site.name);
        let mut with = kept.clone();
        match kept.iter().position(same) {
            // One that was leaving stays, by what its table says now.
            Some(place) => with[place] = table,
            // The table of one that is there already is in the file, and not kept twice.
            None if taken => return self.join(handle, sites, &config, &site, spec).await,
            None => with.push(table),
        }
        added::write(&data, &with)?;
        let joined = self.join(handle, sites, &config, &site, spec).await;
        if let Err(NotJoined::Failed(_)) = &joined {
            added::write(&data, &kept)?;
        }
        joined
    }

    /// Lets a site of the file join.
    pub async fn join_by_file(
        &self,
        handle: &Handle,
        sites: &RwLock<Arc<Sites>>,
        config: &Config,
        site: &SiteConfig,
    ) -> Result<SiteId, NotJoined> {
        let spec = joined_spec(site).await?;
        self.join(handle, sites, config, site, spec).await
    }

    async fn join(
        &self,
        handle: &Handle,
        sites: &RwLock<Arc<Sites>>,
        config: &Config,
        site: &SiteConfig,
        spec: walras_broker::site::SiteSpec,
    ) -> Result<SiteId, NotJoined> {
        let id = match handle.send(Input::AddSite(Box::new(spec))).await? {
            Answer::Site(id) => id,
            _ => return Err(NotJoined::Failed(Failed::Stopped)),
        };
        let connected = sites.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        match connected.connectors.get(id.index()) {
            None => {}
            Some(connector) if connector == LEFT => {
                return Err(NotJoined::Unopened("it had left; it is reached with the next start".to_owned()));
            }
            Some(_) => return Ok(id),
        }
        let first = handle.ask(move |state, _| state.site(id).map(|site| Joined::of(state, site))).await?;
        let unopened = |why: &dyn std::fmt::Display| NotJoined::Unopened(why.to_string());
        let joined = first.ok_or_else(|| unopened(&"the broker does not know it"))?;
        let (table, clock, data) = (site.clone(), self.clock, config.data.clone());
        let (executable, hidden) = (self.executable.clone(), hidden(config));
        let opened =
            tokio::task::spawn_blocking(move || open(&table, clock, &data, &executable, &joined, &hidden));
        let connector = opened.await.map_err(|error| unopened(&error))?.map_err(|error| unopened(&error))?;
        let line = handle.connect(SitePort { name: site.name.clone(), connector }).await?;
        let mut sites = sites.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut more = Sites::clone(&sites);
        more.add(&site.name, site.connector.text(), line);
        *sites = Arc::new(more);
        Ok(id)
    }
}

/// What is said of a site that joins; a cluster is asked.
async fn joined_spec(site: &SiteConfig) -> Result<walras_broker::site::SiteSpec, NotJoined> {
    let table = site.clone();
    let joining = tokio::task::spawn_blocking(move || table.join()).await;
    let joining = joining.map_err(|error| NotJoined::Table(error.to_string()))?;
    joining.map(|joining| joining.spec).map_err(|why| NotJoined::Table(why.to_string()))
}
