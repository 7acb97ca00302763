//! The connector that a `[[site]]` table asks for.

use super::config::{ConnectorName, LocalConfig, SiteConfig};
use super::{Connector, Limits, Local, Machine, Model, Simulated, SiteError};
use crate::clock::Clock;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walras_model::SiteId;
use walras_world::site::Kind;

/// Opens the connector of a site. What it keeps lies in `sites/` of the service's data directory; `executable` is what
/// supervises local parts; `first_node` is the number that the broker has given its first node.
pub fn open(
    config: &SiteConfig,
    clock: Clock,
    data: &Path,
    executable: &Path,
    id: SiteId,
    first_node: u32,
) -> Result<Box<dyn Connector>, SiteError> {
    let spec = config.spec().map_err(SiteError)?;
    let directory = data.join("sites");
    let wrong = |error: std::io::Error| SiteError(format!("{}: {error}", directory.display()));
    super::part::make_directory(&directory, true).map_err(wrong)?;
    let memory = directory.join(format!("{}.db", config.name));
    let nodes: Vec<String> = spec.nodes.into_iter().map(|node| node.name).collect();
    let kind = config.sells();
    match config.connector {
        ConnectorName::Simulated => {
            let seed = config.simulated.clone().unwrap_or_default().seed;
            let behaviour = config.behaviour().map_err(SiteError)?;
            let load = config.load().map_err(SiteError)?;
            let model = Model { id, kind, first_node, nodes, seed, behaviour, load };
            Ok(Box::new(Simulated::open(model, &memory)?))
        }
        ConnectorName::Local => {
            let limits = config.limits().map_err(SiteError)?;
            let machine = machine(
                config.local.clone().unwrap_or_default(),
                limits,
                kind,
                nodes,
                first_node,
                executable,
            );
            Ok(Box::new(Local::open(machine, clock, &memory, &directory.join(&config.name))?))
        }
    }
}

fn machine(
    config: LocalConfig,
    limits: Limits,
    kind: Kind,
    nodes: Vec<String>,
    first_node: u32,
    executable: &Path,
) -> Machine {
    Machine {
        kind,
        first_node,
        nodes,
        limits,
        uid: config.uid,
        gid: config.gid,
        path: config.path.unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned()),
        lang: config.lang.unwrap_or_else(|| "C.UTF-8".to_owned()),
        grace: Duration::from_secs(config.grace_seconds.unwrap_or(2).into()),
        keep: Duration::from_secs(86_400 * u64::from(config.keep_days.unwrap_or(7))),
        executable: PathBuf::from(executable),
    }
}
