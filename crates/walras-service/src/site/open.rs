//! The connector that a `[[site]]` table asks for.

use super::config::{ConnectorName, SiteConfig};
use super::joined::Joined;
use super::spec::BadSite;
use std::path::{Path, PathBuf};
use walras_sites::local::{LocalConnector, make_directory};
use walras_sites::simulated::{SimulatedConnector, SimulatedOptions};
use walras_sites::{Clock, Connector, SiteError};

/// Why a site cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The table makes no site.
    #[error(transparent)]
    Config(#[from] BadSite),
    /// The site itself says why.
    #[error(transparent)]
    Site(#[from] SiteError),
}

/// Opens the connector of a site. What it keeps lies in `sites/` of the service's data directory; `executable` is what
/// supervises local parts; `joined` are its nodes, with the numbers that the broker has given them;
/// `hidden` is what no program may see.
pub fn open(
    config: &SiteConfig,
    clock: Clock,
    data: &Path,
    executable: &Path,
    joined: &Joined,
    hidden: &[PathBuf],
) -> Result<Box<dyn Connector>, OpenError> {
    config.spec()?;
    let (first_node, nodes) = joined.in_a_row();
    let directory = data.join("sites");
    make_directory(&directory, true).map_err(|error| SiteError::file(&directory, error))?;
    let memory = directory.join(format!("{}.db", config.name));
    let offering = config.offering();
    match config.connector {
        ConnectorName::Simulated => {
            let seed = config.simulated.clone().unwrap_or_default().seed;
            let behaviour = config.behaviour().map_err(|wrong| config.bad(wrong))?;
            let load = config.load().map_err(|wrong| config.bad(wrong))?;
            let units = config.units_of(&nodes).map_err(|wrong| config.bad(wrong))?;
            let options = SimulatedOptions { offering, first_node, nodes, units, seed, behaviour, load };
            Ok(Box::new(SimulatedConnector::open(options, &memory)?))
        }
        ConnectorName::Local => {
            let options = config.local_options((first_node, nodes), executable, hidden);
            let options = options.map_err(|wrong| config.bad(wrong))?;
            Ok(Box::new(LocalConnector::open(options, clock, &memory, &directory.join(&config.name))?))
        }
        ConnectorName::Slurm => {
            let slurm = config.slurm_table().map_err(|wrong| config.bad(wrong))?;
            Ok(Box::new(slurm.open(config, joined, &memory, executable)?))
        }
    }
}
