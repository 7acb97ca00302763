//! `walras serve`: the service, until it is told to stop.

use crate::failure::Failure;
use std::io::Write;
use std::path::PathBuf;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::fmt::MakeWriter;
use walras_service::config::Config;
use walras_service::serve::{Started, check, serve};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How it runs: what it keeps where, its sites, its limits
    #[arg(long, default_value = "walras.toml")]
    config: PathBuf,
    /// Only look whether the configuration makes sense
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let source = args.config.display().to_string();
    let config = Config::read(&args.config).map_err(|error| Failure::Input(error.to_string()))?;
    if args.check {
        let found = check(&config, &source).map_err(|error| Failure::Input(error.to_string()))?;
        let found: String = found.iter().map(|line| format!("{line}\n")).collect();
        return crate::files::print(&format!("{source}: {} sites\n{found}", config.sites.len()));
    }
    log(std::io::stderr, tracing::Level::WARN);
    let executable = std::env::current_exe().map_err(Failure::fault)?;
    let started = |started: &Started| {
        let scheme = if started.tls { "https" } else { "http" };
        let _ = crate::files::print(&format!(
            "listening on {scheme}://{}\nthe administrator's token is in {}\n",
            started.address,
            started.token_file.display()
        ));
        for warning in &started.warnings {
            let _ = writeln!(std::io::stderr(), "walras: {warning}");
        }
    };
    serve(&config, &source, &executable, started, told_to_stop())
        .map_err(|error| Failure::Input(error.to_string()))
}

/// Returns when somebody asks for an end, with Ctrl-C or a signal.
pub(crate) async fn told_to_stop() {
    let mut signals = [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).ok());
    let [terminate, interrupt] = &mut signals;
    tokio::select! {
        () = heard(terminate) => {}
        () = heard(interrupt) => {}
    }
}

async fn heard(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Where the log goes, one JSON object a line; WALRAS_LOG says how much of it.
pub(crate) fn log(to: impl for<'a> MakeWriter<'a> + Send + Sync + 'static, otherwise: tracing::Level) {
    let level = std::env::var("WALRAS_LOG").ok().and_then(|level| level.parse().ok()).unwrap_or(otherwise);
    // Where the log cannot be written either, nobody is told: saying so on a full disk would end the program.
    let log = tracing_subscriber::fmt().json().with_writer(to).with_max_level(level);
    log.log_internal_errors(false).init();
}
