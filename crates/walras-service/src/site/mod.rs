//! The `[[site]]` tables of the service's configuration, and the connectors that they ask for.
//!
//! What sites are and do is in `walras-sites`; here is how the service's configuration writes it down.

mod access;
pub mod added;
mod amount;
mod cluster;
pub mod config;
mod divided;
mod joined;
mod left;
mod limits;
mod local;
mod open;
mod slurm;
mod spec;

pub use access::{AccessConfig, QuotaConfig, rules};
pub use amount::Amount;
pub use cluster::SlurmConfig;
pub use config::SiteConfig;
pub use joined::Joined;
pub use left::LeftConnector;
pub use open::{OpenError, open};
pub use slurm::Joining;
pub use spec::BadSite;
