//! `walras backup`: a copy of what a service keeps, also while it runs.

use crate::failure::Failure;
use crate::files;
use std::path::PathBuf;
use walras_service::backup::backup;
use walras_service::config::Config;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to: a directory that is not there yet
    directory: PathBuf,
    /// The configuration of the service
    #[arg(long, default_value = "walras.toml")]
    config: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let config = Config::read(&args.config).map_err(|error| wrong(&error))?;
    let copied = backup(&config, &args.directory).map_err(|error| wrong(&error))?;
    let (entries, databases) = (copied.entries, copied.databases);
    files::print(&format!(
        "{}: {databases} databases; the journal has {entries} entries, every one as it was written\n",
        args.directory.display()
    ))
}
