//! The tables of sites that were added while the service ran: in a file of its own, so that the next start finds them.
//!
//! The journal has what the broker knows of a site; what runs there is asked for by its table. A table is written before the site joins: one whose
//! site did not join after all joins at the next start.

use super::config::SiteConfig;
use crate::config::ConfigError;
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A table as it was sent.
pub type Table = Map<String, Value>;

fn path(data: &Path) -> PathBuf {
    data.join("sites.json")
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct BadTable {
    /// Where in it, unless it is the whole.
    pub place: Option<String>,
    /// What is wrong there.
    pub problem: String,
}

/// The site that a table asks for, or what is wrong with it.
pub fn site_of(table: &Table) -> Result<SiteConfig, BadTable> {
    serde_path_to_error::deserialize(Value::Object(table.clone())).map_err(|error| {
        let place = Some(error.path().to_string()).filter(|place| place != ".");
        BadTable { place, problem: error.inner().to_string() }
    })
}

/// All tables.
pub fn read(data: &Path) -> Result<Vec<Table>, ConfigError> {
    let path = path(data);
    let wrong = |error: &dyn std::fmt::Display| ConfigError(format!("{}: {error}", path.display()));
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| wrong(&error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(wrong(&error)),
    }
}

/// The sites that they ask for.
pub fn sites(data: &Path) -> Result<Vec<SiteConfig>, ConfigError> {
    let site =
        |table: &Table| site_of(table).map_err(|why| ConfigError(format!("{}: {why}", path(data).display())));
    read(data)?.iter().map(site).collect()
}

/// Keeps these tables, in place of all others.
pub fn write(data: &Path, tables: &[Table]) -> io::Result<()> {
    let draft = path(data).with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(&serde_json::to_vec_pretty(tables).map_err(io::Error::other)?)?;
    file.sync_all()?;
    fs::rename(&draft, path(data))?;
    File::open(data)?.sync_all()
}
