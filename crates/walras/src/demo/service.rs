//! The service inside this process: whatever ends the demo ends the service too, and its local commands go on.

use super::home::DemoHome;
use crate::failure::Failure;
use crate::serve;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use walras_service::config::{Config, ConfigError};
use walras_service::serve::Started;

/// A running service.
pub(super) struct Service {
    pub(super) url: String,
    pub(super) token_file: PathBuf,
    /// Where it should have listened, when somebody else does.
    pub(super) taken: Option<SocketAddr>,
    stopping: Arc<AtomicBool>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), ConfigError>>,
}

fn wrong(error: &ConfigError) -> Failure {
    Failure::input(error)
}

impl Service {
    /// Starts it; returns once it takes requests.
    pub(super) fn start(home: &DemoHome) -> Result<Service, Failure> {
        let path = home.config();
        let mut config = Config::read(&path).map_err(|error| wrong(&error))?;
        let taken = TcpListener::bind(config.listen).is_err().then_some(config.listen);
        if taken.is_some() {
            config.listen.set_port(0);
        }
        log_to(home)?;
        let executable = std::env::current_exe().map_err(Failure::fault)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let (stop, told) = oneshot::channel();
        let (started, running) = mpsc::channel();
        let flag = Arc::clone(&stopping);
        let thread = std::thread::spawn(move || {
            let until = async move {
                tokio::select! {
                    _ = told => {}
                    () = serve::told_to_stop() => {}
                }
                flag.store(true, Ordering::Relaxed);
            };
            let tell = |it: &Started| {
                // The demo waits for this.
                let _ = started.send(it.clone());
            };
            walras_service::serve::serve(&config, &path.display().to_string(), &executable, tell, until)
        });
        match running.recv() {
            Ok(Started { address, tls, token_file, warnings }) => {
                for warning in warnings {
                    let _ = writeln!(std::io::stderr(), "walras: {warning}");
                }
                let url = format!("{}://{address}", if tls { "https" } else { "http" });
                Ok(Service { url, token_file, taken, stopping, stop, thread })
            }
            Err(_) => {
                Err(joined(thread).err().unwrap_or_else(|| Failure::fault("the service did not start")))
            }
        }
    }

    /// Whether somebody has asked for an end, with Ctrl-C or a signal.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Stops it; returns once everything is on the disk.
    pub(super) fn stop(self) -> Result<(), Failure> {
        // It may be stopping already.
        let _ = self.stop.send(());
        joined(self.thread)
    }
}

fn joined(thread: JoinHandle<Result<(), ConfigError>>) -> Result<(), Failure> {
    match thread.join() {
        Ok(served) => served.map_err(|error| wrong(&error)),
        Err(_) => Err(Failure::fault("the service has panicked; its journal is intact")),
    }
}

fn log_to(home: &DemoHome) -> Result<(), Failure> {
    let path = home.log();
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file =
        file.map_err(|error| Failure::Input(format!("{}: cannot be written: {error}", path.display())))?;
    serve::log(Mutex::new(file), tracing::Level::INFO);
    Ok(())
}
