//! Putting a service together, and running it until it is told to stop.

pub use crate::check::check;

use crate::check::{ArrangedSite, prepare};
use crate::clock::{Clock, wall_millis};
use crate::config::{Config, ConfigError, TlsConfig, hidden, refused};
use crate::connections::Bounded;
use crate::engine::{Engine, EngineConfig, SitePort};
use crate::http::{App, AppParts, SignOnParts, router};
use crate::joining::{Joiner, LEFT, Sites};
use crate::journal::Register;
use crate::journal::snapshot::Snapshots;
use crate::journal::sqlite::SqliteJournal;
use crate::notice::Notifier;
use crate::session::Sessions;
use crate::site::{Joined, LeftConnector, open};
use crate::token::{Tokens, Wanted};
use axum_server::Handle as Listener;
use axum_server::accept::DefaultAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use hyper_util::rt::TokioTimer;
use rustix::fs::{FlockOperation, Mode, flock};
use rustix::process::umask;
use std::fs::{File, OpenOptions, Permissions};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use walras_api::service::{Role, TokenView};
use walras_model::SiteId;

/// After being told to stop, requests under way may take this long.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// Where a running service can be reached.
#[derive(Clone, Debug)]
pub struct Started {
    /// Its address.
    pub address: SocketAddr,
    /// Whether it speaks TLS.
    pub tls: bool,
    /// The file with the administrator's token.
    pub token_file: PathBuf,
    /// What an administrator should know, a line each.
    pub warnings: Vec<String>,
}

/// Only one service at a time works with something: a directory, a journal.
fn lock(path: &Path, what: &Path) -> Result<File, ConfigError> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
    let file = file.map_err(|error| refused(format!("{}: {error}", path.display())))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| refused(format!("{}: another service works here", what.display())))?;
    Ok(file)
}

fn private_directory(path: &Path) -> Result<(), ConfigError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    // One that was made by others is closed too, where it is ours.
    let closed = made.and_then(|()| match std::fs::metadata(path)?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => std::fs::set_permissions(path, Permissions::from_mode(0o700)),
    });
    closed.map_err(|error| {
        refused(format!("{}: it cannot be made for the service alone: {error}", path.display()))
    })
}

/// The clock as it was, at the speed that is wanted now.
fn clock(journal: &SqliteJournal, speed: u32) -> Result<Clock, ConfigError> {
    let kept = journal.meta("clock").map_err(refused)?.and_then(|text| Clock::from_text(&text));
    let clock = match kept {
        Some(clock) if clock.speed() == speed => clock,
        Some(clock) => clock.at_speed(wall_millis(), speed),
        None if speed == 1 => Clock::WALL,
        None => Clock::new(wall_millis(), speed),
    };
    if kept != Some(clock) {
        journal.set_meta("clock", &clock.text()).map_err(refused)?;
    }
    Ok(clock)
}

/// What is said aloud of sites on which users are not kept apart.
fn warnings(config: &Config) -> Result<Vec<String>, ConfigError> {
    let mut warnings = Vec::new();
    for site in &config.sites {
        let isolation = site.isolation(&hidden(config)).map_err(refused)?;
        let missing = isolation.filter(|isolation| !isolation.is_there());
        warnings.extend(missing.map(|it| format!("site {}: isolation: {it}", site.name)));
    }
    Ok(warnings)
}

fn ports(
    config: &Config,
    sites: &[ArrangedSite],
    engine: &Engine<SqliteJournal>,
    clock: Clock,
    executable: &Path,
) -> Result<Vec<SitePort>, ConfigError> {
    let mut ports = Vec::new();
    let hidden = hidden(config);
    for (arranged, number) in sites.iter().zip(0_u32..) {
        let site = match arranged {
            ArrangedSite::Site(site) => site,
            ArrangedSite::Left(name) => {
                ports.push(SitePort { name: name.clone(), connector: Box::new(LeftConnector) });
                continue;
            }
        };
        let id = SiteId::new(number);
        let known = engine.broker().state().site(id);
        let known =
            known.ok_or_else(|| ConfigError(format!("site {}: the broker does not know it", site.name)))?;
        let joined = Joined::of(engine.broker().state(), known);
        let connector = open(site, clock, &config.data, executable, &joined, &hidden)
            .map_err(|error| ConfigError(format!("site {}: {error}", site.name)))?;
        ports.push(SitePort { name: site.name.clone(), connector });
    }
    Ok(ports)
}

/// Writes the administrator's first token where only the owner of the service can read it.
fn administrator(tokens: &Tokens, clock: Clock, path: &Path) -> Result<(), ConfigError> {
    let now = clock.now();
    let good = |token: &TokenView| token.role == Role::Administrator && tokens.is_valid(token.token, now);
    if tokens.list().iter().any(good) {
        return Ok(());
    }
    let wanted = Wanted::plain(Role::Administrator, "administrator");
    let kept = tokens.make_kept(&wanted, now, |secret| keep_secret(secret, path));
    kept.map(|_| ()).map_err(|error| ConfigError(format!("{}: {error}", path.display())))
}

fn keep_secret(secret: &str, path: &Path) -> std::io::Result<()> {
    // A file that is there already may be readable by others.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{secret}")?;
    file.sync_all()?;
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// Runs a service until `stop` says so. `started` is told once requests are taken.
pub fn serve(
    config: &Config,
    source: &str,
    executable: &Path,
    started: impl FnOnce(&Started),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ConfigError> {
    // Whatever it writes is for itself alone.
    umask(Mode::from_raw_mode(0o077));
    private_directory(&config.data)?;
    let _lock = lock(&config.data.join("lock"), &config.data)?;
    let path = config.journal_path();
    // Another service may work in another directory, and with the same journal.
    let _journal_lock = lock(&path.with_extension("lock"), &path)?;
    let journal =
        SqliteJournal::open(&path).map_err(|error| refused(format!("{}: {error}", path.display())))?;
    let clock = clock(&journal, config.clock.speed)?;
    let snapshots = Snapshots::open(&config.data.join("snapshots")).map_err(refused)?;
    let repeat_every = Duration::from_secs(config.journal.repeat_seconds.into());
    let settings = EngineConfig { clock, snapshot_every: config.journal.snapshot_every, repeat_every };
    let mut engine = Engine::new(journal, snapshots, settings).map_err(refused)?;
    if clock == Clock::WALL {
        crate::clock::not_before(engine.broker().state().clock.as_millis());
    }
    let sites = prepare(&mut engine, config, source)?;
    let notifier = Notifier::start(config.mail.as_ref(), &config.webhooks, engine.handle());
    engine.send_through(notifier.map_err(|why| ConfigError(format!("{source}: {why}")))?);
    let tokens = Tokens::open(&config.data.join("tokens.db")).map_err(refused)?;
    let token_file = config.data.join("administrator.token");
    administrator(&tokens, clock, &token_file)?;
    let lines = engine.connect(ports(config, &sites, &engine, clock, executable)?).map_err(refused)?;
    let mut connected = Sites::default();
    for (arranged, line) in sites.iter().zip(lines) {
        match arranged {
            ArrangedSite::Site(site) => connected.add(&site.name, site.connector.text(), line),
            ArrangedSite::Left(name) => connected.add(name, LEFT, line),
        }
    }
    let warnings = warnings(config)?;
    let app = App::new(AppParts {
        handle: engine.handle(),
        tokens,
        sessions: Sessions::open(&config.data.join("sessions.db")).map_err(refused)?,
        secure: config.tls.is_some(),
        sign_on: sign_on(config, source)?,
        register: Register::open(&path),
        metrics: engine.metrics(),
        clock,
        sites: connected,
        joiner: Joiner::new(config.clone(), clock, executable.to_owned()),
        limits: config.limits,
        words: config.batch.clone(),
        letters: (config.mail.clone(), config.webhooks.clone()),
    });
    let handle = engine.handle();
    let (alive, gone) = oneshot::channel::<()>();
    let running = std::thread::Builder::new().name("engine".to_owned()).spawn(move || {
        let _alive = alive;
        engine.run();
    });
    let running = running.map_err(refused)?;
    // Without its engine the service has nothing to say: it ends, and whoever watches over it can start it again.
    let stop = async move {
        tokio::select! {
            () = stop => {}
            _ = gone => {}
        }
    };
    let notes = StartNotes { token_file, warnings };
    let served = listen(config, app, notes, started, stop);
    handle.stop();
    if running.join().is_err() {
        return Err(refused("the engine has panicked; its journal is intact"));
    }
    served
}

/// Where people sign in, beside tokens.
fn sign_on(config: &Config, source: &str) -> Result<Option<SignOnParts>, ConfigError> {
    let Some(oidc) = &config.oidc else { return Ok(None) };
    let provider = crate::sign_on::open(oidc).map_err(|why| ConfigError(format!("{source}: {why}")))?;
    Ok(Some(SignOnParts { provider, config: oidc.clone() }))
}

/// What is told of a start once the service can be reached.
struct StartNotes {
    token_file: PathBuf,
    warnings: Vec<String>,
}

#[tokio::main]
async fn listen(
    config: &Config,
    app: App,
    notes: StartNotes,
    started: impl FnOnce(&Started),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ConfigError> {
    let listener = std::net::TcpListener::bind(config.listen)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| refused(format!("{}: it cannot be listened on: {error}", config.listen)))?;
    let address = listener.local_addr().map_err(refused)?;
    let tls = match &config.tls {
        None => None,
        Some(files) => Some(tls_of(files).await?),
    };
    let control = Listener::new();
    tokio::spawn({
        let (control, app) = (control.clone(), app.clone());
        async move {
            stop.await;
            app.close_streams();
            control.graceful_shutdown(Some(STOP_WITHIN));
        }
    });
    while !app.is_ready() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::spawn(app.clone().remember());
    if let Some(file) = config.file.clone() {
        tokio::spawn(reload_when_told(app.clone(), file));
    }
    let StartNotes { token_file, warnings } = notes;
    started(&Started { address, tls: tls.is_some(), token_file, warnings });
    let service = router(app).into_make_service_with_connect_info::<SocketAddr>();
    let mut server = axum_server::from_tcp(listener).map_err(refused)?.handle(control);
    let most = config.limits.connections;
    let head_within = Duration::from_secs(config.limits.head_seconds.into());
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(head_within);
    // HTTP/1.1 only, said last because `acceptor` forgets it: otherwise the first bytes would be waited for without any limit, to
    // tell HTTP/2 by them.
    let served = match tls {
        None => {
            let plain = Bounded::new(DefaultAcceptor::new(), most, head_within);
            server.acceptor(plain).http1_only().serve(service).await
        }
        Some(tls) => {
            let tls = RustlsAcceptor::new(tls).handshake_timeout(head_within);
            server.acceptor(Bounded::new(tls, most, head_within)).http1_only().serve(service).await
        }
    };
    served.map_err(refused)
}

/// Reads the configuration again whenever SIGHUP comes, and says what changed.
async fn reload_when_told(app: App, file: PathBuf) {
    let Ok(mut told) = signal(SignalKind::hangup()) else { return };
    while told.recv().await.is_some() {
        for line in app.reload(&file).await {
            // Where nobody can be told, as on a full disk, nobody is.
            let _ = writeln!(std::io::stderr(), "walras: {}: {line}", file.display());
        }
    }
}

/// HTTP/1.1 only, as without TLS: nothing here gains from HTTP/2, whose connections could be kept waiting for ever.
async fn tls_of(files: &TlsConfig) -> Result<RustlsConfig, ConfigError> {
    // Another provider may have been chosen already; both are rustls.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let read = RustlsConfig::from_pem_file(&files.certificate, &files.key).await.map_err(|error| {
        refused(format!("{} or {}: {error}", files.certificate.display(), files.key.display()))
    })?;
    let mut only = rustls::ServerConfig::clone(&read.get_inner());
    only.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(RustlsConfig::from_config(Arc::new(only)))
}
